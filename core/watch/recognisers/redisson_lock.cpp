// SPDX-License-Identifier: Apache-2.0
// RLock, RSpinLock, RFencedLock and each member of a RedissonMultiLock: a hash of one field, owner → count.
#include "core/base/redisson_names.h"
#include "core/watch/recognisers/recogniser.h"

namespace lockhouse {

bool recogniseRedissonLock(const KeyFacts &facts, LockRecord &draft) {
  if (facts.type != ValueType::Hash || facts.fields.size() != 1)
    return false;
  const auto &[owner, value] = facts.fields.front();
  const auto count = holdCount(value);
  if (!redisson::isOwner(owner) || !count)
    return false;
  draft.kind = LockKind::Reentrant;
  draft.holders.push_back({owner, *count, HoldMode::Exclusive});
  draft.fence = facts.fence;
  draft.confidence = 0.95;
  draft.evidence.emplace_back("hash of one field: Redisson client and thread, with its count");
  if (facts.fence)
    draft.evidence.emplace_back("a fencing counter lies beside it");
  if (facts.listeners)
    noteListeners(facts.listeners->lock, draft);
  return true;
}

} // namespace lockhouse
