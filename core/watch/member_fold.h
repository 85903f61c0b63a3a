// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/lock_snapshot.h"

#include <span>

namespace lockhouse {

/// One lock, one row: where the same random token lies under the same name on several masters that share no data, it is one lock by
/// the Redlock algorithm, and its rows become one, under the id of the first node. Held by quorum: its lease ends when fewer than a majority of
/// the watched masters are left. With fewer members than a majority nobody holds it, and its evidence says so.
/// `locks` is sorted by id before and after. Rows of replicas stay as they are. O(locks), and nothing with fewer than two masters.
/// Source: https://redis.io/docs/latest/develop/use/patterns/distributed-locks/
void foldMembers(std::vector<LockRecordPtr> &locks, std::span<const NodeStatus> nodes);

} // namespace lockhouse
