// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/release/method/family_plan.h"

namespace lockhouse {

/// What would free the hold that `intent` names in `record`, as it was read at about `now`. Pure: no clock, no Redis.
///
/// The plan's script compares holder and count with what the record shows and does everything or nothing; all its keys are in
/// `keys`, all its data in `args`. Only what the family's own unlock would touch is touched: a fencing counter never is.
/// Not promised: that the evicted holder stops working (only a fence protects the resource), that a waiter is alive, or that a
/// lock kept on several nodes is free once one of them is.
/// Of the other families class and keys are as their descriptions say (core/watch/recognisers).
/// Sources: the unlock scripts of Redisson's RedissonLock, RedissonFairLock, RedissonReadLock and RedissonWriteLock; the
/// compare-and-delete of the Redis "Distributed Locks" pattern for tokens.
std::expected<ReleasePlan, Refusal> planRelease(const LockRecord &record, const ReleaseIntent &intent, SteadyTime now,
                                                const FamilyRegistry &families = FamilyRegistry::builtIn());

/// Why there is nothing to release, of a lock that nobody holds; of a free fair lock of Redisson who alone may take it, and what to do where he is gone.
Message freeWords(const LockRecord &record, SteadyTime now);

} // namespace lockhouse
