// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lock/options/lock_options.h"
#include "core/lock/options/outcome.h"

#include <functional>
#include <string>

namespace lockhouse {

/// One owner of one lock, without blocking, whatever the lock is made of: one key of one node (NodeSession), one key at each of
/// several nodes (QuorumSession), several locks (MultiSession). A virtual client of the lab, or what is behind a LockHandle.
/// Loop thread only. Any number of holds one after the other; re-entry by acquiring again while held, where the lock can.
///
/// Handlers are never called inside the call that set them off, except cancel(), and may destroy or reuse the session.
/// The destructor cancels, and releases behind what is held; handlers that wait for a release are told InDoubt.
class OwnerSession {
public:
  using AcquireHandler = std::move_only_function<void(const AcquireOutcome &)>;
  using ReleaseHandler = std::move_only_function<void(ReleaseOutcome)>;
  using LostHandler = std::move_only_function<void(LossReason)>;
  using RenewedHandler = std::move_only_function<void(SteadyTime validUntil)>;

  virtual ~OwnerSession() = default;
  OwnerSession(const OwnerSession &) = delete;
  OwnerSession &operator=(const OwnerSession &) = delete;

  /// Takes the lock, or its count one up, as its options say. The outcome comes once. Fails with Usage, and nothing is sent, while
  /// an acquire or a release of this session is under way, over the count limit, and when it is held and not re-entrant.
  virtual void acquire(AcquireHandler done) = 0;
  /// As acquire(), with a policy and wait limit of its own.
  virtual void acquire(AcquirePolicy policy, std::optional<milliseconds> waitLimit, AcquireHandler done) = 0;
  /// Count one down; Released when it was the last. NotOwner at once, with nothing sent, when nothing is held.
  /// From this call on nothing is held (for the last count) and no renewal leaves, whatever the outcome.
  virtual void release(ReleaseHandler done) = 0;
  /// The hold goes on as a reader's (Primitive::canBecomeReader): other readers get in as soon as the server has heard it, by a renewal
  /// that leaves now and is tried again as renewals are. False, and nothing is sent, without a hold, for readers and while it is released.
  /// The next acquire of this session is again as the options say.
  virtual bool becomeReader() { return false; }
  /// The reader's hold goes on as the writer's (Primitive::canBecomeWriter): at once if it is the only one; else it waits by its policy,
  /// or the lock's default one, within the limit (nothing = none; zero or less = asks once), before all who wait for the lock, and is a
  /// reader until then, renewed as before. The outcome comes once: Acquired with the same token and count; otherwise it is a reader still,
  /// and the wish is taken back behind. Failed with Deadlock, at once, when another reader is becoming the writer: each would wait for the
  /// other to leave. Failed with Server when the hold is lost meanwhile, and onLost() is told too. InDoubt: not answered; the wish is taken
  /// back behind, and by each renewal. Failed with Usage, and nothing is sent, without a hold, for the writer, while an acquire or release
  /// is under way, and for locks that cannot; with InDoubt while eight wishes are in doubt already. cancel() ends it.
  virtual void becomeWriter(std::optional<milliseconds> waitLimit, AcquireHandler done) = 0;
  /// Ends the acquire under way with Cancelled, inside this call. What a server may still grant is given back behind.
  virtual void cancel() = 0;
  /// Told at most once per hold, at the latest when the lease ends by this machine's clock. Not after release().
  virtual void onLost(LostHandler handler) = 0;
  /// Told after each renewal. It may not destroy the session.
  virtual void onRenewed(RenewedHandler handler) = 0;

  virtual bool isAcquiring() const = 0;
  virtual bool isReleasing() const = 0; ///< until the outcome is told
  /// Whether the hold is believed in right now; asks the clock.
  virtual bool isHeld() const = 0;
  virtual std::int64_t count() const = 0; ///< of the hold; 0 without one
  virtual SteadyTime validUntil() const = 0;
  virtual const LockName &name() const = 0;
  /// Of the last acquire that failed or release that answered Failed or InDoubt; null if none.
  virtual const Error *lastError() const = 0;
  /// What there is to say of the last acquire that was refused, beyond its outcome: each node's vote, or the name it stopped at.
  virtual std::string detail() const { return {}; }

protected:
  OwnerSession() = default;
};

} // namespace lockhouse
