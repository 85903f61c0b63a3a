// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/release/release_plan.h"

#include <expected>

namespace lockhouse {

/// Why there is nothing to release: Changed (another holder or count), AlreadyFree (nobody holds it) or NotALock (unknown
/// family, or too little confidence that the key is a lock at all).
struct Refusal {
  Verdict verdict = Verdict::NotALock;
  std::string detail; ///< one sentence, safe to show
};

/// What would free the hold that `intent` names in `record`, as it was read at about `now`. Pure: no clock, no Redis.
///
/// The plan's script compares holder and count with what the record shows and does everything or nothing; all its keys are in
/// `keys`, all its data in `args`. Only what the family's own unlock would touch is touched: a fencing counter never is.
/// Not promised: that the evicted holder stops working (only a fence protects the resource), that a waiter is alive, or that a
/// lock kept on several nodes is free once one of them is.
/// Sources: the unlock scripts of Redisson's RedissonLock, RedissonFairLock, RedissonReadLock and RedissonWriteLock; the
/// compare-and-delete of the Redis "Distributed Locks" pattern for tokens.
std::expected<ReleasePlan, Refusal> planRelease(const LockRecord &record, const ReleaseIntent &intent, SteadyTime now);

} // namespace lockhouse
