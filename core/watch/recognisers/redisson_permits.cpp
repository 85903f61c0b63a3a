// SPDX-License-Identifier: Apache-2.0
// Redisson's semaphores and latches: a bare number, which is a lock only by what lies beside it or by who listens for it.
#include "core/base/ascii.h"
#include "core/base/encoding.h"
#include "core/watch/detect/every_claim.h"
#include "core/watch/recognisers/redisson_parts.h"
#include "core/watch/record/metadata.h"
#include "core/watch/text/token_format.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <functional>

namespace lockhouse {
namespace {

constexpr double uncounted = 0.8, typed = 0.4;

// Free permits may be fewer than none: where their number was lowered while they were out.
bool isNumber(const KeyFacts &facts) { return facts.type == ValueType::String && facts.value.size() < 12 && isWholeNumber(facts.value); }

// Sixteen random bytes, 32 hex digits before Redisson 3.17, or a permit of Lockhouse's.
bool isPermit(const Member &member) {
  return member.bytes.size() == 16 || (member.bytes.size() == 32 && isHex(member.bytes)) || (member.bytes.size() > 36 && isUuid(member.bytes.substr(0, 36)));
}

// Where no number speaks for a semaphore: bytes that nobody would type.
bool isUnmistakable(const Member &member) {
  const auto isTyped = [](char c) { return c >= ' ' && c <= '~'; };
  return (member.bytes.size() == 16 && !std::ranges::all_of(member.bytes, isTyped)) || (isPermit(member) && member.bytes.size() > 36);
}

// Of sixteen random bytes one in four is a letter or a digit.
bool areTyped(const std::vector<Member> &permits) {
  const auto isTyped = [](const Member &permit) {
    return permit.bytes.size() == 16 &&
           std::ranges::all_of(permit.bytes, [](char c) { return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z'); });
  };
  return std::ranges::all_of(permits, isTyped);
}

const CompanionFacts *permitsOf(const Family &family, const KeyFacts &facts) {
  for (const auto &companion : family.companion)
    if (const auto *found = companion.role == Role::Permits ? facts.find(companion) : nullptr)
      return found;
  return nullptr;
}

// Those that are out; how many have lapsed, which are taken back when somebody calls.
std::size_t addPermits(const CompanionFacts &permits, const KeyFacts &facts, LockRecord &draft) {
  const auto now = static_cast<double>(facts.serverTime.count());
  std::vector<MetadataEntry> ids;
  std::size_t lapsed = 0;
  double last = 0;
  for (const auto &permit : permits.members) {
    if (!isPermit(permit))
      continue;
    if (permit.score <= now) {
      ++lapsed;
      continue;
    }
    if (permit.bytes.size() == 16) // to its client it is these digits
      joinMetadata(ids, {{"permit", hex(permit.bytes)}}, draft.holders.size());
    draft.holders.push_back({.id = permit.bytes, .expiresAt = endOf(facts, permit.score)});
    last = std::max(last, permit.score);
  }
  draft.expiresAt = endOf(facts, last); // without a lease it lies 29 000 years ahead
  std::ranges::move(ids, std::back_inserter(draft.extras));
  return lapsed;
}

std::optional<FamilyMatch> listenedTo(const Family &family, const KeyFacts &facts, std::uint64_t listeners, std::string_view unit, Message what) {
  if (!isNumber(facts) || listeners == 0)
    return std::nullopt;
  FamilyMatch match{.draft = {}, .isByName = true};
  match.draft.kind = family.kind;
  match.draft.confidence = family.forms.front().confidence;
  match.draft.evidence = {evidenceOf(family.forms.front()), std::move(what)};
  std::int64_t number = 0;
  std::from_chars(facts.value.data(), facts.value.data() + facts.value.size(), number);
  match.draft.number = number;
  match.draft.extras.push_back({std::string(unit), facts.value});
  match.draft.waiters = listeners;
  match.draft.moreMayWait = true; // a client listens once, however many of its threads wait
  return match;
}

} // namespace

std::optional<FamilyMatch> matchRedissonPermits(const Family &family, const KeyFacts &facts) {
  const auto *permits = permitsOf(family, facts);
  const bool isCounted = isNumber(facts);
  if (!permits)
    return std::nullopt;
  const auto unexpectedEntries = static_cast<std::size_t>(std::ranges::count_if(permits->members, std::not_fn(isCounted ? isPermit : isUnmistakable)));
  if (unexpectedEntries >= permits->members.size() || unexpectedEntries * 2 > permits->members.size())
    return std::nullopt;
  FamilyMatch match{.draft = {}, .isByName = true};
  auto &draft = match.draft;
  draft.kind = family.kind;
  const auto &form = family.forms.front();
  draft.confidence = isCounted ? form.confidence : uncounted;
  if (isCounted)
    draft.extras.push_back({"free", facts.value});
  if (isCounted)
    draft.evidence = {evidenceOf(form), LH_MESSAGE("Evidence", "free permits: %1")(facts.value)};
  else
    draft.evidence = {LH_MESSAGE("Evidence", "permits that are out lie beside it"),
                      facts.type == ValueType::None ? Message(LH_MESSAGE("Evidence", "its number of free permits is missing"))
                                                    : LH_MESSAGE("Evidence", "its number of free permits is no number")};
  const auto lapsed = addPermits(*permits, facts, draft);
  if (draft.holders.empty())
    return std::nullopt; // all have lapsed
  // Those of the highest scores were read: where one of them has lapsed, all that were not have too.
  const bool isWhole = permits->size <= permits->members.size() || draft.holders.size() + unexpectedEntries < permits->members.size();
  if (!isWhole) {
    draft.unread = permits->size - permits->members.size();
    draft.evidence.push_back(LH_MESSAGE("Evidence", "%1 permits are out, of which %2 were read")(permits->size, permits->members.size()));
  }
  if (lapsed > 0)
    draft.evidence.push_back(LH_MESSAGE("Evidence", "holders that have lapsed and were not cleared away yet: %1")(lapsed));
  noteUnexpected(unexpectedEntries, draft);
  if (areTyped(permits->members)) {
    draft.confidence = std::min(draft.confidence, typed);
    draft.evidence.emplace_back(LH_MESSAGE("Evidence", "they are letters and digits alone, as Redisson's permits never are"));
  }
  if (facts.listeners)
    noteListeners(facts.listeners->permits, draft);
  return match;
}

std::optional<FamilyMatch> matchRedissonSemaphore(const Family &family, const KeyFacts &facts) {
  return listenedTo(family, facts, facts.listeners ? facts.listeners->permits : 0, "free",
                    LH_MESSAGE("Evidence", "%1 permits are free; nothing tells who has the others")(facts.value));
}

std::optional<FamilyMatch> matchRedissonLatch(const Family &family, const KeyFacts &facts) {
  if (facts.value.starts_with('-')) // it is gone at none
    return std::nullopt;
  return listenedTo(family, facts, facts.listeners ? facts.listeners->latch : 0, "left", LH_MESSAGE("Evidence", "%1 have not counted down yet")(facts.value));
}

} // namespace lockhouse
