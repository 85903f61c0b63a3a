// SPDX-License-Identifier: Apache-2.0
// RLock, RSpinLock, RFencedLock and each member of a RedissonMultiLock: a hash of one field, owner → count.
#include "core/base/redisson_names.h"
#include "core/watch/extras.h"
#include "core/watch/recognisers/every_claim.h"

namespace lockhouse {

std::optional<Claim> claimRedissonLock(const Family &family, const KeyFacts &facts) {
  if (facts.type != ValueType::Hash || facts.fields.size() != 1)
    return std::nullopt;
  const auto &[owner, value] = facts.fields.front();
  const auto count = holdCount(value);
  if (!redisson::isOwner(owner) || !count)
    return std::nullopt;
  Claim claim{.draft = {}, .isByName = true};
  auto &draft = claim.draft;
  draft.kind = family.kind;
  draft.holders.push_back({owner, *count, HoldMode::Exclusive});
  Captures captures;
  if (const auto &form = family.forms.front(); form.element && form.element->matches(owner, &captures))
    draft.extras = extrasOf(captures);
  draft.fence = facts.fence;
  draft.confidence = 0.95;
  draft.evidence.emplace_back("hash of one field: Redisson client and thread, with its count");
  if (facts.fence)
    draft.evidence.emplace_back("a fencing counter lies beside it");
  if (facts.listeners)
    noteListeners(facts.listeners->lock, draft);
  return claim;
}

} // namespace lockhouse
