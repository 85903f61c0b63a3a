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
  const auto found = std::ranges::lower_bound(locks, id, {}, [](const LockRecordPtr &record) -> const LockId & { return record->id; });
  return found != locks.end() && (*found)->id == id ? *found : nullptr;
}

} // namespace lockhouse
