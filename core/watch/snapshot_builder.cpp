// SPDX-License-Identifier: Apache-2.0
#include "core/watch/snapshot_builder.h"

#include "core/watch/replica_fold.h"
#include "core/watch/slot_fold.h"

#include <algorithm>
#include <numeric>

namespace lockhouse {
namespace {

std::uint64_t statusRevisions(std::span<NodeWatch *const> nodes) {
  return std::accumulate(nodes.begin(), nodes.end(), std::uint64_t{0}, [](std::uint64_t sum, const NodeWatch *node) { return sum + node->statusRevision(); });
}

} // namespace

bool SnapshotBuilder::isBehind(std::span<NodeWatch *const> nodes, std::uint64_t lastSeq) const {
  return m_lastSeq != lastSeq || m_statusRevisions != statusRevisions(nodes);
}

LockSnapshotPtr SnapshotBuilder::build(std::span<NodeWatch *const> nodes, std::uint64_t lastSeq, SteadyTime now, const Families &families) {
  auto snapshot = std::make_shared<LockSnapshot>();
  snapshot->revision = ++m_revision;
  snapshot->at = now;
  m_lastSeq = lastSeq;
  m_statusRevisions = statusRevisions(nodes);
  std::vector<NodeWatch *> order(nodes.begin(), nodes.end());
  std::size_t size = 0;
  for (auto *node : nodes) {
    snapshot->nodes.push_back(node->status());
    size += node->mirror().size();
  }
  std::ranges::sort(order, {}, [](const NodeWatch *node) { return std::pair(node->status().id, node->status().db); });
  snapshot->locks.reserve(size);
  for (auto *node : order) {
    const auto &locks = node->mirror().sorted();
    snapshot->locks.insert(snapshot->locks.end(), locks.begin(), locks.end());
  }
  foldReplicas(snapshot->locks, snapshot->nodes, families);
  foldVotes(snapshot->locks, snapshot->nodes);
  m_members.fold(snapshot->locks, snapshot->nodes, now);
  if (std::ranges::all_of(snapshot->nodes, [](const NodeStatus &node) { return node.scannedAt || node.state == NodeState::Down; }))
    m_shared.note(snapshot->locks, families); // before, other keys of a holder may not have been met yet
  return snapshot;
}

} // namespace lockhouse
