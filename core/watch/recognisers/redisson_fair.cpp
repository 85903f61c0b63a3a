// SPDX-License-Identifier: Apache-2.0
// RedissonFairLock: the hash of an RLock, beside it a list of waiters and a zset of when each place lapses. Either of the two is
// enough to know it; the hash may be missing while the head has not taken its turn.
#include "core/base/redisson_names.h"
#include "core/base/safe_text.h"
#include "core/watch/detect/every_claim.h"
#include "core/watch/record/queue_positions.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <unordered_set>

namespace lockhouse {
namespace {

// Scores are written by clients' clocks; one that lies years away is no time.
constexpr double farthest = 1000.0 * 3600 * 24 * 3650;

bool isTimeless(const KeyFacts &facts, double score) {
  const bool isTime = std::abs(score - static_cast<double>(facts.serverTime.count())) < farthest; // and a number
  return !isTime;
}

// One that is no time says nothing if it lies ahead; behind, its place has lapsed, and nothing tells when.
std::optional<SteadyTime> lapseOf(const KeyFacts &facts, std::string_view waiter) {
  const auto place = std::ranges::find(facts.places, waiter, [](const auto &entry) { return std::string_view(entry.first); });
  if (place == facts.places.end())
    return std::nullopt;
  const double left = place->second - static_cast<double>(facts.serverTime.count());
  if (isTimeless(facts, place->second))
    return left < 0 ? std::optional(facts.seenAt - milliseconds(1)) : std::nullopt;
  return facts.seenAt + milliseconds(static_cast<milliseconds::rep>(left));
}

std::size_t timelessPlaces(const KeyFacts &facts) {
  return static_cast<std::size_t>(std::ranges::count_if(facts.queue, [&](const std::string &waiter) {
    const auto place = std::ranges::find(facts.places, waiter, [](const auto &entry) { return std::string_view(entry.first); });
    return place != facts.places.end() && isTimeless(facts, place->second);
  }));
}

// Of a long queue its head is read, and the earliest of the deadlines: where these have lapsed and are not of the same waiters, how many of those
// that were not read have lapsed too is not known.
bool mayHaveLapsed(const KeyFacts &facts) {
  const auto isOver = [now = static_cast<double>(facts.serverTime.count())](const auto &place) { return place.second <= now; };
  if (facts.queueLength <= facts.queue.size() || std::ranges::none_of(facts.places, isOver))
    return false;
  std::unordered_set<std::string_view> timed;
  for (const auto &[waiter, end] : facts.places)
    timed.insert(waiter);
  const auto known = static_cast<std::size_t>(std::ranges::count_if(facts.queue, [&timed](const std::string &waiter) { return timed.contains(waiter); }));
  return known < facts.queue.size() && known < timed.size();
}

bool takeHolder(const Family &family, const KeyFacts &facts, LockRecord &draft) {
  if (facts.type == ValueType::None)
    return true;
  auto plain = matchRedissonLock(family, facts);
  if (!plain)
    return false;
  draft = std::move(plain->draft);
  return true;
}

} // namespace

std::optional<FamilyMatch> matchRedissonFair(const Family &family, const KeyFacts &facts) {
  const bool queued = facts.queueLength > 0 || !facts.queue.empty() || !facts.places.empty(); // its entries may be too long to be fetched
  // A queue alone makes a lock only if all of its members are Redisson's; beside a held lock it is its queue whatever is in it.
  const bool pure = std::ranges::all_of(facts.queue, redisson::isOwner);
  FamilyMatch match{.draft = {}, .isByName = true};
  auto &draft = match.draft;
  if (!queued || (facts.type == ValueType::None && (!pure || facts.queue.empty())) || !takeHolder(family, facts, draft))
    return std::nullopt;
  draft.kind = family.kind;
  for (const auto &waiter : facts.queue)
    draft.queue.push_back({waiter, lapseOf(facts, waiter)});
  const auto places = std::max<std::uint64_t>(facts.queueLength, facts.queue.size());
  draft.confidence = facts.type == ValueType::None ? 0.9 : draft.unexpectedEntries > 0 ? 0.83 : 0.98;
  const bool isQueueKnown = places > 0 || !facts.isOdd(redisson::queueKey(facts.key)); // else what lies there tells of no waiter
  draft.evidence.emplace_back(places > 0     ? LH_MESSAGE("Evidence", "a queue of Redisson waiters lies beside it")
                              : isQueueKnown ? LH_MESSAGE("Evidence", "deadlines of Redisson waiters lie beside it, and no queue of them")
                                             : LH_MESSAGE("Evidence", "deadlines of Redisson waiters lie beside it"));
  if (const auto timeless = timelessPlaces(facts); timeless > 0)
    draft.evidence.push_back(LH_MESSAGE("Evidence", "deadlines in its queue that are no times: %1")(timeless));
  if (isQueueKnown)
    countWaiters(draft, places, facts.seenAt);
  if (draft.waiters && mayHaveLapsed(facts)) {
    draft.waiters.reset();
    draft.moreMayWait = false;
    draft.evidence.emplace_back(LH_MESSAGE("Evidence", "how many of those in its queue have lapsed is not known: the deadlines that were read are of others"));
  }
  if (facts.type == ValueType::None && draft.waiters == 0) // left over: the next to come clears it away
    return std::nullopt;
  draft.moreMayWait |= draft.waiters && lapsedPlaces(draft, facts.seenAt) > 0; // a place is not renewed while its client waits for one hold
  if (draft.waiters == 0) {
    draft.waiters.reset();
    draft.moreMayWait = true;
    draft.evidence.emplace_back(LH_MESSAGE("Evidence", "places of its waiters have lapsed, or their queue is gone: whether they wait still is not known"));
  }
  if (!pure)
    draft.evidence.emplace_back(LH_MESSAGE("Evidence", "not everyone in its queue is a Redisson client"));
  if (facts.type == ValueType::None)
    draft.evidence.emplace_back(LH_MESSAGE("Evidence", "nobody holds it: the head of the queue has not taken its turn"));
  return match;
}

} // namespace lockhouse
