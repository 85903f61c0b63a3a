// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/detect/family_registry.h"
#include "core/watch/record/lock_snapshot.h"

#include <span>

namespace lockhouse {

/// Whether a replica is a copy of this one.
bool isMasterOf(const NodeStatus &node, const NodeStatus &replica);
/// The watched master whose copy a replica is; null: none is watched.
const NodeStatus *masterOf(const NodeStatus &replica, std::span<const NodeStatus> nodes);

/// One lock, one row, where a master and a replica of its are both watched: what the master has is shown at the master alone, whatever
/// the replica's copy says yet, and who listens for it at replicas is added to who listens at the master: each node counts its own. A key that
/// is a lock only since somebody listens is its master's, wherever he does. What else the replica alone has stays, and says so, if it
/// is followed there. While the master is not followed its rows hide nothing. Of a master that is not followed any more, and whose place another has taken, nothing is shown that the
/// other has, nor, once that was swept, what it has not.
/// `locks` is sorted by id before and after. O(locks of replicas · log).
void mergeReplicas(std::vector<LockRecordPtr> &locks, std::span<const NodeStatus> nodes, const FamilyRegistry &families = FamilyRegistry::builtIn());

/// How many clients were heard to listen for it at its node; 0 of one whose waiters stand in a queue, which replicas have too.
std::uint64_t listeningTo(const LockRecord &lock, const FamilyRegistry &families);
/// Whether nothing but who listens tells that this key is a lock.
bool isKnownByListeners(const LockRecord &lock, const FamilyRegistry &families);
/// Such a row of a replica as its master's, without those who listen at the replica.
LockRecordPtr atMaster(const LockRecord &copy, const NodeStatus &master);

/// The same lock, with so many clients who listen at replicas: among its waiters, and in its evidence.
LockRecordPtr withListeners(const LockRecordPtr &lock, std::uint64_t elsewhere);

} // namespace lockhouse
