// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"
#include "core/lock/options/acquire_policy.h"
#include "core/lock/options/lock_mode.h"
#include "core/lock/options/replica_ack.h"

namespace lockhouse {

/// What a caller may say about a lock; made for designated initialisers:
///   LockOptions{.lease = seconds(10), .waitLimit = milliseconds(500)}
struct LockOptions {
  milliseconds lease{30000};                  ///< how long a hold outlives its last renewal; 10 ms … 365 days
  std::optional<AcquirePolicy> policy = {};   ///< nothing = the primitive's default
  std::optional<milliseconds> waitLimit = {}; ///< of one acquire, everything included; nothing = no limit; zero or less = ask once
  bool renew = true;                          ///< false: the hold ends with its first lease
  std::int64_t countLimit = 1'000'000;        ///< re-entries beyond it are refused with Usage
  LockMode mode = {};                         ///< reader or writer, permits; of primitives that have them
  milliseconds patience{10000};               ///< how long an acquire without a wait limit bears a node that cannot be reached; max() = for ever
  ReplicaAck acknowledge = {};                ///< a hold counts only when so many replicas have it; each acquire then costs a WAIT more
};

/// The longest lease, and the longest pause of a policy. A longer wait limit is no other than this one.
constexpr std::chrono::days longestTime{365};

/// Error Usage, with the reason, for a lease outside of its bounds, a policy with a negative pause or one longer than 365 days, a
/// negative patience, an empty name, a count limit below one, an acknowledgement by no replica or without a limit. A wait limit may be anything.
Result<void> checkLock(std::string_view name, const LockOptions &options);

/// What clocks may differ by over one lease: 1 % of it and 2 ms for the server's expiry grain.
/// Source: Redis documentation, "Distributed Locks with Redis" (drift), and node-redlock's driftFactor.
constexpr std::chrono::nanoseconds driftOf(milliseconds lease) { return std::chrono::nanoseconds(lease) / 100 + milliseconds(2); }

/// How long after the last renewal that was confirmed a hold is renewed, and how long after one that failed it is tried again; a little
/// earlier, for jitter. At one node and at each of several.
constexpr std::chrono::nanoseconds renewalInterval(milliseconds lease) { return std::chrono::nanoseconds(lease) / 3; }
constexpr std::chrono::nanoseconds renewalRetry(milliseconds lease) { return std::chrono::nanoseconds(lease) / 10; }

} // namespace lockhouse
