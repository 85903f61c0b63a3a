// SPDX-License-Identifier: Apache-2.0
#include "core/watch/record/lock_snapshot.h"

#include <algorithm>
#include <iterator>

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

bool mayHaveUnseen(const NodeStatus &node, std::string_view key) {
  const bool isSince = node.refusedSince && node.refusedSince->mayHave(key);
  const bool isAmongRefused = isSince || (node.keysRefused > 0 && (!node.refused || node.refused->mayHave(key)));
  return node.state != NodeState::Live || node.slotsMoved || isAmongRefused;
}

std::vector<int> unwatchedDatabases(const NodeStatus &node, std::span<const NodeStatus> nodes) {
  const auto isOfServer = [&](const NodeStatus &other) { return !node.runId.empty() && other.runId == node.runId; };
  const auto first = std::ranges::find_if(nodes, isOfServer);
  if (first == nodes.end() || first->id != node.id)
    return {};
  std::vector<int> unwatched;
  std::ranges::copy_if(node.databases, std::back_inserter(unwatched),
                       [&](int db) { return std::ranges::none_of(nodes, [&](const NodeStatus &other) { return isOfServer(other) && other.db == db; }); });
  return unwatched;
}

LockRecordPtr LockSnapshot::find(const LockId &id) const {
  if (auto found = row(id))
    return found;
  for (const auto &node : nodes) {
    auto merged = row({node.id, node.db, id.key});
    const auto isIts = [&id](const LockMember &member) { return member.node == id.node && member.db == id.db; };
    if (merged && std::ranges::any_of(merged->members, isIts))
      return merged;
  }
  return nullptr;
}

LockRecordPtr LockSnapshot::row(const LockId &id) const {
  const auto found = std::ranges::lower_bound(locks, id, {}, [](const LockRecordPtr &record) -> const LockId & { return record->id; });
  return found != locks.end() && (*found)->id == id ? *found : nullptr;
}

} // namespace lockhouse
