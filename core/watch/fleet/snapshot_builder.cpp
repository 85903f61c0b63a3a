// SPDX-License-Identifier: Apache-2.0
#include "core/watch/fleet/snapshot_builder.h"

#include "core/watch/fleet/cluster_merge.h"
#include "core/watch/fleet/replica_merge.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace lockhouse {
namespace {

std::uint64_t statusRevisions(std::span<NodeWatcher *const> nodes) {
  return std::accumulate(nodes.begin(), nodes.end(), std::uint64_t{0}, [](std::uint64_t sum, const NodeWatcher *node) { return sum + node->statusRevision(); });
}

bool isMasterOfCluster(const NodeWatcher &node) { return node.status().isCluster && node.status().role == "master" && !node.status().twin; }

// A key that goes from one master of a cluster to another while they are looked at is met on both: it is where it was read last. Those of several
// keys have the name of their lock, which is folded; where the key itself is on neither, what is there lies beside it.
void dropMoved(std::vector<LockRecordPtr> &locks, std::span<NodeWatcher *const> nodes) {
  std::map<std::pair<std::string_view, int>, const NodeWatcher *> masters;
  for (const auto *node : nodes)
    if (isMasterOfCluster(*node))
      masters.emplace(std::pair(std::string_view(node->status().id.bytes()), node->status().db), node);
  if (masters.size() < 2)
    return;
  std::unordered_map<std::string_view, std::pair<LockRecordPtr *, const NodeWatcher *>> last;
  last.reserve(locks.size());
  std::vector<LockRecordPtr *> older;
  for (auto &lock : locks) {
    const auto home = masters.find({std::string_view(lock->id.node.bytes()), lock->id.db});
    if (home == masters.end() || lock->votes > 0 || lock->type == ValueType::None)
      continue;
    const auto &cluster = home->second->cluster();
    const auto [same, isFirst] = last.try_emplace(lock->id.key.bytes(), &lock, home->second);
    if (isFirst || !cluster.isKnown() || !same->second.second->cluster().isKnown() || !cluster.isOneWith(same->second.second->cluster()))
      continue;
    auto *&newest = same->second.first;
    older.push_back(lock->seenAt < (*newest)->seenAt ? &lock : std::exchange(newest, &lock));
  }
  std::vector<LockRecordPtr> dropped; // the map has views into them
  for (auto *lock : older)
    dropped.push_back(std::exchange(*lock, nullptr));
  std::erase(locks, nullptr);
}

} // namespace

bool SnapshotBuilder::isBehind(std::span<NodeWatcher *const> nodes, std::uint64_t lastSeq) const {
  return m_lastSeq != lastSeq || m_statusRevisions != statusRevisions(nodes);
}

LockSnapshotPtr SnapshotBuilder::build(std::span<NodeWatcher *const> nodes, std::uint64_t lastSeq, SteadyTime now, const FamilyRegistry &families) {
  auto snapshot = std::make_shared<LockSnapshot>();
  snapshot->revision = ++m_revision;
  snapshot->at = now;
  m_lastSeq = lastSeq;
  m_statusRevisions = statusRevisions(nodes);
  std::vector<NodeWatcher *> order(nodes.begin(), nodes.end());
  std::size_t size = 0;
  for (auto *node : nodes) {
    snapshot->nodes.push_back(node->status());
    size += node->cache().size();
  }
  std::ranges::sort(order, {}, [](const NodeWatcher *node) { return std::pair(node->status().id, node->status().db); });
  snapshot->locks.reserve(size);
  for (auto *node : order) {
    const auto &locks = node->cache().sorted();
    snapshot->locks.insert(snapshot->locks.end(), locks.begin(), locks.end());
  }
  mergeReplicas(snapshot->locks, snapshot->nodes, families);
  dropMoved(snapshot->locks, nodes);
  mergeCluster(snapshot->locks, snapshot->nodes);
  m_members.merge(snapshot->locks, snapshot->nodes, now);
  if (std::ranges::all_of(snapshot->nodes, [](const NodeStatus &node) { return node.scannedAt || node.state == NodeState::Down; }))
    m_shared.note(snapshot->locks, families); // before, other keys of a holder may not have been met yet
  return snapshot;
}

} // namespace lockhouse
