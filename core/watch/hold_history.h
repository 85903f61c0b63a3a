// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/lock_change.h"

#include <array>

namespace lockhouse {

/// When a lease ends, as far as one read can tell: the server counted `left` at some instant between the send and the answer.
struct LeaseEnd {
  SteadyTime earliest{};
  SteadyTime latest{};
};

/// What is remembered of one hold beside its record: enough to tell a renewal from the jitter of two reads.
struct HoldMemory {
  std::optional<LeaseEnd> end;             ///< nothing: never expires
  std::array<milliseconds, 3> intervals{}; ///< between the last renewals, newest first; zero = none yet
};

/// Compares the newest read of a lock with what was known, fills the fields of `after` that need history (heldSince, lease, renewals
/// …) and updates `memory`. The most significant change is answered: Holder, Count, Waiters, Lease; nothing if none.
/// `watched`: every change since `before` was hinted, so a new holder arrived about now. Pure.
std::optional<ChangeKind> carryOn(const LockRecord &before, LockRecord &after, HoldMemory &memory, std::optional<LeaseEnd> end, bool watched);

/// The first record of a lock. `watched` as above.
void beginHold(LockRecord &record, HoldMemory &memory, std::optional<LeaseEnd> end, bool watched);

} // namespace lockhouse
