// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/detect/key_facts.h"
#include "core/watch/record/lock_change.h"

#include <array>

namespace lockhouse {

/// When a lease ends, as far as one read can tell: the server counted `left` at some instant between the send and the answer.
struct LeaseEnd {
  SteadyTime earliest{};
  SteadyTime latest{};
  /// Of a hold that has an end of its own beside the key's: that, by the server's clock, since 1970. Our time of it moves with every answer
  /// that tells how far the clocks are apart.
  std::optional<milliseconds> own = {};
};

/// When the lease of `record`, read by what was asked for at `askedAt`, ends: by its bytes; by the keys beside it where those who hold it
/// lie there; or with its own key, which `record` is told where that comes first. Nothing: it does not end, or nobody holds it.
std::optional<LeaseEnd> endOfLease(LockRecord &record, const KeyFacts &facts, SteadyTime askedAt);

/// Whether the same hold it as often, with as many permits free.
bool sameCounts(const LockRecord &a, const LockRecord &b);

/// What is remembered of one hold beside its record: enough to tell a renewal from the jitter of two reads.
struct HoldMemory {
  std::optional<LeaseEnd> end;             ///< nothing: never expires
  std::array<milliseconds, 3> intervals{}; ///< between the last renewals, newest first; zero = none yet
  bool isMeasured = false;                 ///< the last renewal was that of the same one holder: the next tells an interval
};

/// Compares the newest read of a lock with what was known, fills the fields of `after` that need history (heldSince, lease, renewals
/// …) and updates `memory`. The most significant change is answered: Holder, Count, Members, Waiters, Lease or Shortened; nothing if none.
/// `watched`: every change since `before` was hinted, so a new holder arrived about now. Pure.
std::optional<ChangeKind> carryOn(const LockRecord &before, LockRecord &after, HoldMemory &memory, std::optional<LeaseEnd> end, bool watched);

/// Whether it is one of our own two textbook queues, ListFairLock and ZsetFairLock: where nobody waits they look like each other, or like a
/// mere token.
bool isQueueLock(const LockRecord &record);
/// Of such a lock `after` stays what it was `before`, if nothing that it shows now is in the way.
void rememberLine(const LockRecord &before, LockRecord &after);

/// The first record of a lock. `watched` as above.
void beginHold(LockRecord &record, HoldMemory &memory, std::optional<LeaseEnd> end, bool watched);

} // namespace lockhouse
