// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/lock_snapshot.h"

#include <span>

namespace lockhouse {

/// The watched master whose copy a replica is; null: none is watched.
const NodeStatus *masterOf(const NodeStatus &replica, std::span<const NodeStatus> nodes);

/// One lock, one row, where a master and a replica of its are both watched: what the master has is shown at the master alone, whatever
/// the replica's copy says yet. What the replica alone has stays, and says so. While the master is not followed its rows hide nothing.
/// `locks` is sorted by id before and after. O(locks of replicas · log).
void foldReplicas(std::vector<LockRecordPtr> &locks, std::span<const NodeStatus> nodes);

} // namespace lockhouse
