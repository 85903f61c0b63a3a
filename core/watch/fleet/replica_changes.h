// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/node/node_watcher.h"
#include "core/watch/record/lock_change.h"

#include <span>
#include <vector>

namespace lockhouse {

/// Who listens for a master's lock at replicas of it, as mergeReplicas counts them, in what is told of changes: rows of a master have them too,
/// and one who comes or goes at a replica is a change of the master's lock. Other changes of a replica's copy stay as they are. Pure; does
/// nothing where no replica is watched.
class ReplicaChanges {
public:
  ReplicaChanges(std::span<NodeWatcher *const> nodes, const FamilyRegistry &families);

  LockChange asTold(LockChange change) const;
  /// A row of a master, as its mirror has it.
  LockRecordPtr withHeard(const LockRecordPtr &lock) const;

private:
  std::span<NodeWatcher *const> m_nodes;
  const FamilyRegistry *m_families;
  bool m_hasReplicas;

  std::uint64_t clientsOf(const LockRecordPtr &lock) const;
  NodeWatcher *find(const LockId &id) const;
  NodeWatcher *masterOf(const NodeStatus &replica) const;
  std::uint64_t heardFor(const LockId &id, const NodeId *except = nullptr) const;
  LockChange ofReplica(LockChange change, const NodeId &replica, NodeWatcher &master) const;
};

} // namespace lockhouse
