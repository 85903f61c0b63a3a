// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/record/lock_record.h"

namespace lockhouse {

/// Places in a lock's queue that have an end: whose has passed waits no more, though his entry lies there until a client drops it.
/// LockRecord::waiters counts those who had not lapsed when the record was read.
inline bool isLapsed(const Waiter &waiter, SteadyTime now) { return waiter.leavesAt && *waiter.leavesAt <= now; }

/// Of the places that were read, how many have lapsed at `now`.
std::uint64_t lapsedPlaces(const LockRecord &record, SteadyTime now);

/// How many places there were when it was read, lapsed or not; of a long queue more than LockRecord::queue has. 0 also where it is not known.
std::uint64_t placesIn(const LockRecord &record);

/// The first in the queue whose place has not lapsed; null: none that was read.
const Waiter *firstWaiter(const LockRecord &record, SteadyTime now);

/// How many of the first waiters belong to the client that holds a HandoffLock. It hands the lock to up to three of them in a row without telling the
/// server, so they may have had it, or have it now. 0 for locks of other families.
std::size_t localHandoffCandidates(const LockRecord &record);

/// Counts `places` in its queue, of which those that have lapsed by `now` wait no more, and says how many these are, and how many were read. Where
/// all that were read have lapsed, and there are more, how many wait stays unknown.
void countWaiters(LockRecord &draft, std::uint64_t places, SteadyTime now);

/// When the next of the places, or of the leases that its holders have of their own, lapses that had not when it was read; nothing: none is
/// known to.
std::optional<SteadyTime> nextLapse(const LockRecord &record);

} // namespace lockhouse
