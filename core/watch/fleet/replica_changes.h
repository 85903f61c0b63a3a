// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/node/node_watch.h"
#include "core/watch/record/lock_change.h"

#include <span>
#include <vector>

namespace lockhouse {

/// Who listens for a master's lock at replicas of it, as foldReplicas counts them, in what is told of changes: rows of a master have them too,
/// and one who comes or goes at a replica is a change of the master's lock. Other changes of a replica's copy stay as they are. Pure; does
/// nothing where no replica is watched.
class ReplicaChanges {
public:
  ReplicaChanges(std::span<NodeWatch *const> nodes, const Families &families);

  LockChange asTold(LockChange change) const;
  /// A row of a master, as its mirror has it.
  LockRecordPtr withHeard(const LockRecordPtr &lock) const;

private:
  std::span<NodeWatch *const> m_nodes;
  const Families *m_families;
  bool m_hasReplicas;

  std::uint64_t clientsOf(const LockRecordPtr &lock) const;
  NodeWatch *find(const LockId &id) const;
  NodeWatch *masterOf(const NodeStatus &replica) const;
  std::uint64_t heardFor(const LockId &id, const NodeId *except = nullptr) const;
  LockChange ofReplica(LockChange change, const NodeId &replica, NodeWatch &master) const;
};

} // namespace lockhouse
