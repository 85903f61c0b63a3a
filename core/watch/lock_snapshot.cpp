// SPDX-License-Identifier: Apache-2.0
#include "core/watch/lock_snapshot.h"

#include <algorithm>

namespace lockhouse {

std::string_view name(NodeState state) {
  switch (state) {
  case NodeState::Connecting: return "connecting";
  case NodeState::Live: return "live";
  case NodeState::Stale: return "stale";
  case NodeState::Down: return "down";
  }
  return "";
}

std::string_view name(FeedKind feed) {
  switch (feed) {
  case FeedKind::None: return "none";
  case FeedKind::Tracking: return "tracking";
  case FeedKind::Keyspace: return "keyspace";
  case FeedKind::Poll: return "poll";
  }
  return "";
}

LockRecordPtr LockSnapshot::find(const LockId &id) const {
  if (auto found = row(id))
    return found;
  for (const auto &node : nodes) {
    auto folded = row({node.id, node.db, id.key});
    const auto isIts = [&id](const LockMember &member) { return member.node == id.node && member.db == id.db; };
    if (folded && std::ranges::any_of(folded->members, isIts))
      return folded;
  }
  return nullptr;
}

LockRecordPtr LockSnapshot::row(const LockId &id) const {
  const auto found = std::ranges::lower_bound(locks, id, {}, [](const LockRecordPtr &record) -> const LockId & { return record->id; });
  return found != locks.end() && (*found)->id == id ? *found : nullptr;
}

} // namespace lockhouse
