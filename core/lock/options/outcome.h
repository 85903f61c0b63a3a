// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/bytes.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/lock/options/replica_ack.h"

#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace lockhouse {

/// The lock is the caller's until `validUntil` (counted from before the first send, less drift), longer only by renewal.
struct Acquired {
  LockToken token;
  SteadyTime validUntil{};
  std::optional<Fence> fence;
  std::int64_t count = 1;                        ///< re-entrancy depth after this acquire
  std::optional<Acknowledged> acknowledged = {}; ///< where LockOptions::acknowledge asked for it
};
/// Somebody else has it and the policy was to try once.
struct Contended {
  std::optional<std::string> holder = {};    ///< bytes, where the primitive can tell
  std::optional<milliseconds> timeLeft = {}; ///< of the other's lease; nothing = none or unknown
  /// How long ago the waiters of this client were first told of that holder, with nobody else between. Redis does not keep since when
  /// he has it.
  std::optional<milliseconds> firstSeen = {};
};
struct TimedOut {
  std::optional<std::string> holder = {};     ///< who had it last, where known
  std::optional<milliseconds> firstSeen = {}; ///< as of Contended
  /// Where nobody is known to have it: what the node was wanting in, that it is out of reach or has not answered.
  std::optional<Error> unanswered = {};
};
struct Cancelled {};
/// Sent and unanswered: it may have been taken. It is being given back with the same token; it is never held.
struct InDoubt {
  Error why;
};
struct Failed {
  Error error;
};
using AcquireOutcome = std::variant<Acquired, Contended, TimedOut, Cancelled, InDoubt, Failed>;

/// What a release found. NotOwner: the key is gone or somebody else's; nothing was changed.
enum class ReleaseOutcome { Released, StillHeld, NotOwner, InDoubt, Failed };

/// Why a hold ended without its owner's release.
enum class LossReason { LeaseEnded, TakenOver, Deleted, ServerRestarted };

std::string_view name(ReleaseOutcome outcome);
std::string_view name(LossReason reason);

} // namespace lockhouse
