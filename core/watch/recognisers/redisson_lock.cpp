// SPDX-License-Identifier: Apache-2.0
// RLock, RSpinLock, RFencedLock and each member of a RedissonMultiLock: a hash of one field, owner → count. What was written beside
// it by others keeps the lock closed for as long as it lies there; a count that is no number can be freed by none of its clients.
#include "core/base/redisson_names.h"
#include "core/watch/detect/every_claim.h"
#include "core/watch/recognisers/redisson_parts.h"
#include "core/watch/record/metadata.h"
#include "core/watch/text/data_names.h"
#include "core/watch/text/name_classifier.h"

#include <algorithm>
#include <charconv>

namespace lockhouse {
namespace {

constexpr double certain = 0.95;
constexpr double longHeld = 0.9;          // for longer than most locks are
constexpr double leaseless = 0.7;         // whoever took the lease away
constexpr std::int64_t mostLeaseless = 3; // entries of a lock whose lease was taken away: of what is kept under ids there are more
constexpr std::int64_t mostEntered = 100; // of a lock whose name does not speak of one: beyond, it is a figure
constexpr double tallied = 0.6;           // of what is counted for each client, in windows as short, there are hashes of that form too
constexpr double unlikely = 0.45;
constexpr milliseconds watchdog = seconds(30); // of its lease, as it is unless its user wants another; its clients renew to as much

// As its clients give it and renew it, unless their user wants another.
bool isWatched(const KeyFacts &facts) { return facts.ttl && *facts.ttl <= watchdog; }

bool isLong(const KeyFacts &facts) { return !facts.ttl || *facts.ttl > longestHold; }

// Whether the name speaks of a lock, of whatever else it speaks: "user-lock", "session-cleanup-lock"; not "rate:lock:7", "lock:failures".
bool isNamedAfterLock(const NameEvidence &name) {
  const bool isLast = name.edge && !name.leads;
  const bool isApart = isLast || name.apart || name.joined;
  return name.lock && !name.attribute && (isApart || (!name.hidden && !name.explained)) && (isLast || !name.connected) && !name.counts && !name.overview;
}

bool isKeptLong(const KeyFacts &facts) {
  const auto &name = facts.name();
  return isLong(facts) && (name.connected || name.data || name.contrary);
}

// Redisson's clients are random UUIDs, and it takes no lock without a lease, nor for longer than a lock is held. Who is there now is noted for as
// short a time as its watchdog gives, and nobody is that alone. Of what a shop sells as much is kept for each variant.
bool isData(std::string_view owner, const KeyFacts &facts) {
  const auto &name = facts.name();
  if (!isOfRandomClient(owner) ||
      (name.tally && name.connected && !isNamedAfterLock(name) && (!name.leads || name.explained))) // "lock:online:17" is who counts them
    return true;
  if (isWatched(facts) || isNamedAfterLock(name))
    return false;
  return name.tally || (!name.lock && name.counter) || (!facts.ttl && name.goods) || isKeptLong(facts);
}

double trustIn(std::string_view owner, std::int64_t count, const KeyFacts &facts) {
  if (isSupported(facts) && (facts.ttl || count <= mostEntered))
    return certain;
  if (isData(owner, facts) || (count > mostEntered && !isWatched(facts)) || (!facts.ttl && count > mostLeaseless))
    return unlikely;
  return facts.name().tally ? tallied : !facts.ttl ? leaseless : isLong(facts) ? longHeld : certain;
}

// When a client was last seen is kept under its id too, in seconds or smaller units: nobody has entered a lock as often.
bool isTime(std::string_view value) {
  constexpr double least = 1e9, most = 1e19;
  double number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  return error == std::errc{} && end == value.data() + value.size() && number >= least && number < most;
}

bool isNumeric(std::string_view value) { return !value.empty() && value.find_first_not_of("0123456789.+-eE") == value.npos; }

} // namespace

std::optional<FamilyMatch> matchRedissonLock(const Family &family, const KeyFacts &facts) {
  const auto isOwner = [](const auto &field) { return redisson::isOwner(field.first); };
  if (facts.type != ValueType::Hash || facts.size > facts.fields.size() || std::ranges::count_if(facts.fields, isOwner) != 1)
    return std::nullopt;
  const auto &[owner, value] = *std::ranges::find_if(facts.fields, isOwner);
  const auto count = redisson::holdCount(value);
  const auto unexpectedEntries = facts.fields.size() - (count ? 1 : 0);
  const bool isAmong = std::ranges::any_of(facts.fields, [](const auto &field) { return field.first == "mode" || redisson::isWriter(field.first); });
  const bool isLikely = count || isNumeric(value) || isSupported(facts); // connections of clients are kept so too
  const bool isAlone = facts.fields.size() == 1;
  if (isAmong || ((unexpectedEntries > 1 || (!count && !facts.ttl)) && !isSupported(facts)))
    return std::nullopt;
  FamilyMatch match{.draft = {}, .isByName = true};
  auto &draft = match.draft;
  draft.kind = family.kind;
  draft.holders.push_back({owner, count.value_or(0), HoldMode::Exclusive});
  addOwners(draft);
  draft.fence = facts.fence;
  draft.confidence = trustIn(owner, count.value_or(0), facts);
  draft.evidence.emplace_back(isAlone ? LH_MESSAGE("Evidence", "hash of one field: Redisson client and thread, with its count")
                                      : LH_MESSAGE("Evidence", "hash with a field of one Redisson client and thread, with its count"));
  if (!facts.ttl)
    draft.evidence.emplace_back(LH_MESSAGE("Evidence", "it has no lease, without which Redisson takes no lock"));
  noteUnexpected(unexpectedEntries, draft);
  if (!count)
    noteOddCount(value, draft);
  if (facts.ttl && isOfRandomClient(owner) && isKeptLong(facts) && !facts.name().tally && !isNamedAfterLock(facts.name()) && !isSupported(facts))
    draft.evidence.emplace_back(
        LH_MESSAGE("Evidence", "its name tells of data, its lease is longer than a lock's: with less than five minutes left it is shown as a lock"));
  if (facts.name().tally && !isSupported(facts))
    draft.evidence.emplace_back(LH_MESSAGE("Evidence", "what is counted for each client has names like this too: its lease tells whether it is a lock"));
  const bool isRecord = !isAlone && !isWatched(facts) && !isSupported(facts); // what is counted for a client, beside a total or a version
  if (!isLikely || isTime(value) || isRecord)
    draft.confidence = std::min(draft.confidence, unlikely);
  if (isTime(value))
    draft.evidence.emplace_back(timeAsCount);
  if (facts.fence)
    draft.evidence.emplace_back(LH_MESSAGE("Evidence", "a fencing counter lies beside it"));
  if (facts.listeners)
    noteListeners(facts.listeners->lock, facts.listeners->oldLock, draft);
  return match;
}

} // namespace lockhouse
