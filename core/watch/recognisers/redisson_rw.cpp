// SPDX-License-Identifier: Apache-2.0
// RReadWriteLock: a hash with the field mode = read | write and one field per holder, owner → count for a reader,
// owner:write → count for the writer. A thread that holds both (downgrade) has both fields.
#include "core/base/redisson_names.h"
#include "core/watch/recognisers/recogniser.h"

namespace lockhouse {

bool recogniseRedissonReadWrite(const KeyFacts &facts, LockRecord &draft) {
  if (facts.type != ValueType::Hash || facts.fields.size() < 2)
    return false;
  std::string_view mode;
  for (const auto &[field, value] : facts.fields) {
    if (field == "mode") {
      mode = value;
      continue;
    }
    const bool writer = redisson::isWriter(field);
    const auto count = holdCount(value);
    if ((!writer && !redisson::isOwner(field)) || !count)
      return false;
    draft.holders.push_back({field, *count, writer ? HoldMode::Write : HoldMode::Read});
  }
  if (mode != "read" && mode != "write")
    return false;
  draft.kind = LockKind::ReadWrite;
  draft.confidence = 0.98;
  draft.evidence.emplace_back(mode == "read" ? "hash with mode read and Redisson holders" : "hash with mode write and Redisson holders");
  if (facts.listeners)
    noteListeners(facts.listeners->readWrite, draft);
  return true;
}

} // namespace lockhouse
