// SPDX-License-Identifier: Apache-2.0
// RReadWriteLock: a hash with the field mode = read | write and one field per holder, owner → count for a reader,
// owner:write → count for the writer. A thread that holds both (downgrade) has both fields.
#include "core/base/redisson_names.h"
#include "core/watch/recognisers/every_claim.h"

namespace lockhouse {

std::optional<Claim> claimRedissonReadWrite(const Family &family, const KeyFacts &facts) {
  if (facts.type != ValueType::Hash || facts.fields.size() < 2)
    return std::nullopt;
  Claim claim{.draft = {}, .isByName = true};
  auto &draft = claim.draft;
  std::string_view mode;
  for (const auto &[field, value] : facts.fields) {
    if (field == "mode") {
      mode = value;
      continue;
    }
    const bool writer = redisson::isWriter(field);
    const auto count = holdCount(value);
    if ((!writer && !redisson::isOwner(field)) || !count)
      return std::nullopt;
    draft.holders.push_back({field, *count, writer ? HoldMode::Write : HoldMode::Read});
  }
  if (mode != "read" && mode != "write")
    return std::nullopt;
  draft.kind = family.kind;
  draft.confidence = 0.98;
  draft.evidence.emplace_back(mode == "read" ? "hash with mode read and Redisson holders" : "hash with mode write and Redisson holders");
  if (facts.listeners)
    noteListeners(facts.listeners->readWrite, draft);
  return claim;
}

} // namespace lockhouse
