// SPDX-License-Identifier: Apache-2.0
// RReadWriteLock: a hash with the field mode = read | write and one field per holder, owner → count for a reader,
// owner:write → count for the writer. A thread that holds both (downgrade) has both fields. The lock lasts as long as the longest of the
// readers' leases, which lie in keys of their own: one whose own is over keeps his field until the others' are.
#include "core/base/ascii.h"
#include "core/base/redisson_names.h"
#include "core/watch/detect/every_claim.h"
#include "core/watch/recognisers/redisson_parts.h"

#include <algorithm>
#include <fmt/format.h>

namespace lockhouse {
namespace {

constexpr double unlikely = 0.45; // what clients keep of themselves may have a mode too

std::optional<SteadyTime> endOfReader(const KeyFacts &facts, std::string_view reader) {
  const auto lease = std::ranges::find(facts.readerLeases, reader, &KeyFacts::ReaderLease::reader);
  return lease == facts.readerLeases.end() ? std::nullopt : std::optional(facts.seenAt + lease->left);
}

// A watcher reads no more than some leases, and may not be permitted to read one, or find none that ends.
void noteUnknownLeases(const KeyFacts &facts, LockRecord &draft) {
  const auto unknown = std::ranges::count_if(draft.holders, [](const Holder &holder) { return holder.mode == HoldMode::Read && !holder.expiresAt; });
  if (unknown > 0 && !facts.readerLeases.empty())
    draft.evidence.push_back(LH_MESSAGE("Evidence", "readers of whose own leases nothing is known: %1")(unknown));
}

} // namespace

std::optional<FamilyMatch> matchRedissonReadWrite(const Family &family, const KeyFacts &facts) {
  if (facts.type != ValueType::Hash || facts.fields.size() < 2)
    return std::nullopt;
  FamilyMatch match{.draft = {}, .isByName = true};
  auto &draft = match.draft;
  std::string_view mode;
  std::size_t unexpectedEntries = 0, others = 0;
  bool isCounted = false;
  for (const auto &[field, value] : facts.fields) {
    if (field == "mode") {
      mode = value;
      continue;
    }
    const bool writer = redisson::isWriter(field);
    const auto count = redisson::holdCount(value);
    const bool isOther = !writer && !redisson::isOwner(field);
    unexpectedEntries += !count || isOther;
    others += isOther;
    if (isOther)
      continue;
    draft.holders.push_back({.id = field,
                             .count = count.value_or(0),
                             .mode = writer ? HoldMode::Write : HoldMode::Read,
                             .expiresAt = writer ? std::nullopt : endOfReader(facts, field)});
    isCounted |= isWholeNumber(value);
    if (!count)
      noteOddCount(value, draft);
  }
  if ((mode != "read" && mode != "write") || draft.holders.empty() || others * 2 > facts.fields.size())
    return std::nullopt;
  const bool isLikely = (isCounted && unexpectedEntries * 2 <= facts.fields.size()) || isSupported(facts);
  if (!isLikely && !facts.ttl)
    return std::nullopt;
  draft.kind = family.kind;
  addOwners(draft);
  draft.confidence = isLikely ? 0.98 : unlikely;
  draft.evidence.emplace(draft.evidence.begin(), mode == "read" ? LH_MESSAGE("Evidence", "hash with mode read and Redisson holders")
                                                                : LH_MESSAGE("Evidence", "hash with mode write and Redisson holders"));
  noteUnknownLeases(facts, draft);
  noteUnexpected(unexpectedEntries, draft);
  if (facts.listeners)
    noteListeners(facts.listeners->readWrite, facts.listeners->oldReadWrite, draft);
  return match;
}

} // namespace lockhouse
