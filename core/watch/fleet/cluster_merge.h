// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/record/lock_snapshot.h"

#include <span>

namespace lockhouse {

/// One lock, one row, where a library keeps it under several keys (LockRecord::votes) and the masters of a cluster share these keys
/// among them: what each of them has of one holder's is counted together, under the id of the first node that has most; what others have are
/// members of their own. `locks` is sorted by id before and after.
/// Of a cluster of which not all masters are watched and followed nobody can tell whether fewer keys than it needs suffice, but where three of its
/// keys were seen, which is all that most have: the evidence says so, and where others have keys of it too it is suspect. Where a server is watched under several databases, each is folded by itself.
void mergeCluster(std::vector<LockRecordPtr> &locks, std::span<const NodeStatus> nodes);

} // namespace lockhouse
