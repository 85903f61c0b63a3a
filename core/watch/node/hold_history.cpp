// SPDX-License-Identifier: Apache-2.0
#include "core/watch/node/hold_history.h"

#include "core/watch/detect/family.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <utility>

namespace lockhouse {
namespace {

// PTTL is cut to milliseconds, and two clocks drift apart.
constexpr milliseconds grain(5);
// How far apart the clocks are is known as well as INFO was quick to answer.
constexpr milliseconds clockGrain(1'000);

// Whether both have the same holders, as far as `view` tells, in whichever order: there may be a thousand, and each read compares them.
template <class View> bool areSame(const std::vector<Holder> &a, const std::vector<Holder> &b, View view) {
  if (a.size() != b.size())
    return false;
  if (std::ranges::equal(a, b, {}, view, view)) // mostly in the same order too
    return true;
  const auto sorted = [&view](const std::vector<Holder> &holders) {
    std::vector<decltype(view(holders.front()))> views;
    std::ranges::transform(holders, std::back_inserter(views), view);
    std::ranges::sort(views);
    return views;
  };
  return a.size() > 1 && sorted(a) == sorted(b);
}

bool sameHolders(const LockRecord &a, const LockRecord &b) {
  return areSame(a.holders, b.holders, [](const Holder &holder) { return std::tuple(std::string_view(holder.id), holder.mode, holder.bytes); });
}

// Whether one holder has given it back and taken it again between two reads that look alike. Of Lockhouse's own locks only the first entry raises the
// fence; of Redisson's each one does, so that there is no telling.
bool wasTakenAgain(const LockRecord &before, const LockRecord &after) {
  return before.fence && after.fence && *after.fence > *before.fence && after.family.starts_with("lockhouse-") && after.holders.size() == 1;
}

bool haveCommon(const std::vector<Holder> &a, const std::vector<Holder> &b) {
  if (a.size() == 1 && b.size() == 1)
    return a.front().id == b.front().id;
  std::unordered_set<std::string_view> ids;
  for (const auto &holder : a)
    ids.emplace(holder.id);
  return std::ranges::any_of(b, [&ids](const Holder &holder) { return ids.contains(holder.id); });
}

std::string_view freeOf(const LockRecord &record) {
  const auto found = std::ranges::find(record.extras, "free", &MetadataEntry::name);
  return found == record.extras.end() ? std::string_view() : std::string_view(found->value);
}

bool sameWaiters(const LockRecord &a, const LockRecord &b) {
  return a.waiters == b.waiters && std::ranges::equal(a.queue, b.queue, {}, &Waiter::id, &Waiter::id);
}

std::optional<milliseconds> leaseOf(const LockRecord &record) {
  return record.expiresAt && !record.isOver ? std::optional(std::chrono::ceil<milliseconds>(*record.expiresAt - record.seenAt)) : std::nullopt;
}

// Then what its own key has is the lease of somebody else, who waits, or of one key of several.
bool isLeasedByCompanion(const LockRecord &record, const KeyFacts &facts) {
  const bool haveReaderCompanions = std::ranges::any_of(facts.companion, [](const CompanionFacts &companion) { return companion.form->role == Role::Readers; });
  return record.votes > 0 || (haveReaderCompanions && std::ranges::all_of(record.holders, [](const Holder &each) { return each.mode == HoldMode::Read; }));
}

enum class LeaseStep { Same, Longer, Shorter };

LeaseStep stepOf(const std::optional<LeaseEnd> &before, const std::optional<LeaseEnd> &after) {
  if (!before || !after)
    return before.has_value() == after.has_value() ? LeaseStep::Same : after ? LeaseStep::Shorter : LeaseStep::Longer;
  if (before->own && after->own && before->own != after->own)
    return *before->own < *after->own ? LeaseStep::Longer : LeaseStep::Shorter;
  const auto slack = before->own || after->own ? clockGrain : grain;
  if (after->earliest > before->latest + slack)
    return LeaseStep::Longer;
  return after->latest + slack < before->earliest ? LeaseStep::Shorter : LeaseStep::Same;
}

void forgetPeriod(LockRecord &after, HoldMemory &memory) {
  after.renewalPeriod.reset();
  memory.intervals = {};
  memory.isMeasured = false;
}

void countRenewal(LockRecord &after, HoldMemory &memory) {
  if (std::exchange(memory.isMeasured, after.holdersAtMost() <= 1) && after.renewedAt) {
    std::shift_right(memory.intervals.begin(), memory.intervals.end(), 1);
    memory.intervals[0] = std::max(milliseconds(1), std::chrono::ceil<milliseconds>(after.seenAt - *after.renewedAt));
    after.renewalPeriod = std::ranges::max(memory.intervals); // the longest of the last: better late than wrong in suspecting
  }
  after.renewedAt = after.seenAt;
  ++after.renewals;
}

void keepHistory(const LockRecord &before, LockRecord &after) {
  after.heldSince = before.heldSince;
  after.heldSinceExact = before.heldSinceExact;
  after.renewals = before.renewals;
  after.renewedAt = before.renewedAt;
  after.renewalPeriod = before.renewalPeriod;
  after.isShortened = before.isShortened;
  after.lease = before.lease;
}

} // namespace

bool sameCounts(const LockRecord &a, const LockRecord &b) {
  const auto whole = [](const Holder &holder) { return std::tuple(std::string_view(holder.id), holder.mode, holder.bytes, holder.count); };
  return areSame(a.holders, b.holders, whole) && a.number == b.number && freeOf(a) == freeOf(b);
}

bool isQueueLock(const LockRecord &record) { return record.family == "lockhouse-list-fair" || record.family == "lockhouse-zset-fair"; }

void rememberLine(const LockRecord &before, LockRecord &after) {
  const bool isPlain = after.family == "token" && haveCommon(before.holders, after.holders);
  const bool isEither = isQueueLock(after) && after.queue.empty();
  const bool isSame = before.family == after.family && before.mayBe == after.mayBe;
  if (!isQueueLock(before) || isSame || !(isPlain || isEither))
    return;
  after.family = before.family;
  after.kind = before.kind;
  after.mayBe = before.mayBe;
  after.confidence = std::max(after.confidence, before.confidence);
  after.evidence.emplace_back(LH_MESSAGE("Evidence", "it had a queue before"));
}

std::optional<LeaseEnd> endOfLease(LockRecord &record, const KeyFacts &facts, SteadyTime askedAt) {
  if (!record.isHeld())
    return std::nullopt;
  if (isLeasedByCompanion(record, facts))
    return record.expiresAt ? std::optional(LeaseEnd{*record.expiresAt - (facts.seenAt - askedAt), *record.expiresAt}) : std::nullopt;
  std::optional<LeaseEnd> end;
  if (record.expiresAt)
    end = LeaseEnd{*record.expiresAt, *record.expiresAt, facts.serverTime + std::chrono::round<milliseconds>(*record.expiresAt - facts.seenAt)};
  const auto keysEnd = facts.ttl && record.type != ValueType::None ? std::optional(facts.seenAt + *facts.ttl) : std::nullopt;
  if (!keysEnd || (end && *keysEnd >= end->latest))
    return end;
  record.expiresAt = keysEnd; // some libraries let the key outlive the holds in it
  for (auto &holder : record.holders)
    holder.expiresAt = holder.expiresAt ? std::min(*holder.expiresAt, *keysEnd) : holder.expiresAt;
  return LeaseEnd{askedAt + *facts.ttl, *keysEnd, end ? end->own : std::nullopt};
}

void beginHold(LockRecord &record, HoldMemory &memory, std::optional<LeaseEnd> end, bool watched) {
  memory = {.end = end};
  record.heldSince = record.seenAt;
  record.heldSinceExact = watched;
  record.lease = leaseOf(record);
}

std::optional<ChangeKind> carryOn(const LockRecord &before, LockRecord &after, HoldMemory &memory, std::optional<LeaseEnd> end, bool watched) {
  if (wasTakenAgain(before, after)) {
    beginHold(after, memory, end, false);
    return ChangeKind::Holder;
  }
  if (!sameHolders(before, after)) {
    if (haveCommon(before.holders, after.holders)) { // readers come and go: the hold as a whole goes on
      keepHistory(before, after);
      forgetPeriod(after, memory);
      after.lease = std::max(before.lease, leaseOf(after));
      after.isShortened &= stepOf(memory.end, end) != LeaseStep::Longer;
      memory.end = end;
    } else {
      beginHold(after, memory, end, watched);
    }
    return ChangeKind::Holder;
  }
  keepHistory(before, after);
  const auto step = stepOf(memory.end, end);
  const bool counted = !sameCounts(before, after);
  if (step == LeaseStep::Longer && !counted)
    countRenewal(after, memory);
  if (step != LeaseStep::Same)
    after.isShortened = step == LeaseStep::Shorter;
  if (step == LeaseStep::Same && before.expiresAt && end) // two reads of one lease: keep what both allow
    end = LeaseEnd{std::max(end->earliest, memory.end->earliest), std::min(end->latest, memory.end->latest), end->own}, after.expiresAt = end->latest;
  after.lease = std::max(before.lease, leaseOf(after));
  memory.end = end;
  if (counted)
    return ChangeKind::Count;
  if (before.hasMajority() != after.hasMajority()) // of its keys, which are told nowhere else
    return ChangeKind::Members;
  if (!sameWaiters(before, after))
    return ChangeKind::Waiters;
  if (step == LeaseStep::Same)
    return before.fence == after.fence ? std::nullopt : std::optional(ChangeKind::Count); // of a hold: counted by a command of its own
  return step == LeaseStep::Longer ? ChangeKind::Lease : ChangeKind::Shortened;
}

} // namespace lockhouse
