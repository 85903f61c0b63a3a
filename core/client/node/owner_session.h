// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lock/options/lock_options.h"
#include "core/lock/options/outcome.h"

#include <functional>
#include <string>

namespace lockhouse {

/// One owner of one lock, without blocking, whatever the lock is made of: one key of one node (NodeSession), one key at each of several nodes
/// (QuorumSession), several locks (MultiSession). A virtual client of the lab, or the session of a LockHandle. Loop thread only. Any number
/// of holds one after the other; re-entry by another acquire during a hold, if the lock allows it.
///
/// Handlers are never called inside the call that caused them, except by cancel(), and may destroy or reuse the session.
/// The destructor cancels, and releases its hold in the background; a handler that waits for a release gets InDoubt.
class OwnerSession {
public:
  using AcquireHandler = std::move_only_function<void(const AcquireOutcome &)>;
  using ReleaseHandler = std::move_only_function<void(ReleaseOutcome)>;
  using LostHandler = std::move_only_function<void(LossReason)>;
  using RenewedHandler = std::move_only_function<void(SteadyTime validUntil)>;

  virtual ~OwnerSession() = default;
  OwnerSession(const OwnerSession &) = delete;
  OwnerSession &operator=(const OwnerSession &) = delete;

  /// Acquires the lock, or one count more, as its options say. `done` is called once. Fails with Usage, and nothing is sent: an acquire or a
  /// release of this session is under way, the count limit is reached, or it is held and not re-entrant.
  virtual void acquire(AcquireHandler done) = 0;
  /// As acquire(), with a policy and wait limit of its own.
  virtual void acquire(AcquirePolicy policy, std::optional<milliseconds> waitLimit, AcquireHandler done) = 0;
  /// One count less; Released when it was the last. NotOwner at once, and nothing is sent, without a hold.
  /// From this call on nothing is held (for the last count) and no renewal is sent, whatever the outcome.
  virtual void release(ReleaseHandler done) = 0;
  /// The hold goes on as a reader's (Primitive::canBecomeReader): other readers get in when the server has received a renewal, which is sent
  /// now and repeated as renewals are. False, and nothing is sent, without a hold, for readers and while it is released. The next acquire of
  /// this session is again as the options say.
  virtual bool becomeReader() { return false; }
  /// The reader's hold goes on as the writer's (Primitive::canBecomeWriter): at once if it is the only one. Otherwise it waits by its policy,
  /// or the lock's default one, within the limit (nothing = none; zero or less = asks once), before all waiters of the lock, and is a reader
  /// until then, renewed as before. `done` is called once. Acquired: with the same token and count. Otherwise it remains a reader, and the
  /// upgrade is taken back in the background. Failed with Deadlock, at once: another reader is becoming the writer, and each would wait for
  /// the other to leave. Failed with Server: the hold is lost meanwhile, and onLost() is called too. InDoubt: no reply; the upgrade is taken
  /// back in the background, and by each renewal. Failed with Usage, and nothing is sent: there is no hold, it is the writer, an acquire or
  /// release is under way, or the lock cannot do it. Failed with InDoubt: eight upgrades are in doubt already. cancel() ends it.
  virtual void becomeWriter(std::optional<milliseconds> waitLimit, AcquireHandler done) = 0;
  /// Ends the acquire under way with Cancelled, inside this call. What a server may still grant is released in the background.
  virtual void cancel() = 0;
  /// Called at most once for each hold, at the latest when the lease ends by this machine's clock. Not after release().
  virtual void onLost(LostHandler handler) = 0;
  /// Called after each renewal. It may not destroy the session.
  virtual void onRenewed(RenewedHandler handler) = 0;

  virtual bool isAcquiring() const = 0;
  virtual bool isReleasing() const = 0; ///< until the outcome is reported
  /// Whether the hold is valid now, by the clock.
  virtual bool isHeld() const = 0;
  virtual std::int64_t count() const = 0; ///< of the hold; 0 without one
  virtual SteadyTime validUntil() const = 0;
  virtual const LockName &name() const = 0;
  /// Of the last acquire that failed, or release that was Failed or InDoubt; null if none.
  virtual const Error *lastError() const = 0;
  /// More about the last acquire that was refused: the vote of each node, or the name at which it stopped.
  virtual std::string detail() const { return {}; }

protected:
  OwnerSession() = default;
};

} // namespace lockhouse
