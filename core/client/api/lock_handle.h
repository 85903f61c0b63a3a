// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/support/awaitable.h"
#include "core/lock/options/lock_options.h"
#include "core/lock/options/outcome.h"

#include <expected>
#include <functional>
#include <memory>
#include <stop_token>

namespace lockhouse {

class LockHold;

/// Why a lock was not given: any AcquireOutcome but Acquired, and which lock.
struct NotAcquired {
  AcquireOutcome outcome;
  LockName lock;
  std::string detail = {}; ///< RedLock: each node's vote; MultiLock: the name that it stopped at

  template <class Case> bool is() const { return std::holds_alternative<Case>(outcome); }
  /// One sentence: which lock, which case, held by whom, how long that is known and for how long yet, what to do, and the detail.
  std::string sentence() const;
};

/// A lock that the caller holds. Movable between threads, any thread; one thread at a time.
///
/// The hold is renewed in the background until it is released or lost. A loss is reported by stopToken() and onLost(), at the latest when the
/// lease ends by this machine's clock, even if the network loses everything. The destructor releases every count without waiting and
/// without throwing. A handle that exists longer than its Client holds nothing: the client released everything.
/// In a forked child a handle holds nothing and does nothing.
///
/// Not promised: that the holder stops in time. Work that must not overlap has to check stopToken() or isHeld(), or the resource has to
/// check a fence.
class LockHandle {
public:
  LockHandle() = default; ///< holds nothing
  explicit LockHandle(std::shared_ptr<LockHold> hold);
  ~LockHandle();
  LockHandle(LockHandle &&) noexcept;
  LockHandle &operator=(LockHandle &&) noexcept;

  /// Whether the lock is ours right now; asks the clock, not the network.
  bool isHeld() const;
  explicit operator bool() const { return isHeld(); }
  SteadyTime validUntil() const; ///< longer only by renewal; the epoch without a hold
  std::int64_t count() const;    ///< re-entrancy depth
  const LockToken &token() const;
  /// The number of this hold, greater than that of every hold before it and the same however often it is entered again: for the
  /// resource to check. Nothing for primitives without one (FencedLock and HandoffLock have it).
  std::optional<Fence> fence() const;
  /// How many replicas had the hold when it was given, where LockOptions::acknowledge asked for that; of the last re-entry.
  std::optional<Acknowledged> acknowledged() const;
  std::stop_token stopToken() const;            ///< stop is requested when the hold is lost, or its client closed
  std::optional<LossReason> lossReason() const; ///< nothing unless it was lost
  /// Called once when the hold is lost, on the client's loop thread: it must not block. At once, here, if it is lost already.
  void onLost(std::move_only_function<void(LossReason)> handler);

  /// Takes the lock once more (ReentrantLock, FairLock, FencedLock, ReadWriteLock, and RedLock and MultiLock of them): nobody can be before
  /// us, so it is asked once, for one round trip, and bounded by the lock's waitLimit and by `cancel`. Blocks; not on the client's loop thread.
  ///
  /// Acquired: count() is one more. Otherwise it is as often held as before, once the server knows: TimedOut and InDoubt (not
  /// answered in time; what came of it is given back behind, and until then a further one is InDoubt too), Cancelled (by `cancel`, or the
  /// handle ended meanwhile). Failed with Usage: nothing is held, a primitive that is not re-entrant, over the count limit, or another
  /// acquire or release of this handle is under way. Failed with Server: the hold was lost meanwhile, see stopToken().
  AcquireOutcome acquireAgain(std::stop_token cancel = {});
  /// The same, with a wait limit of its own; nothing = no limit but that of an unanswered command, zero or less = the same.
  AcquireOutcome acquireAgainFor(std::optional<milliseconds> waitLimit, std::stop_token cancel = {});
  /// The same, without waiting: `done` is called once, on the client's loop thread, where it must not block; here, if nothing is held.
  void acquireAgain(std::move_only_function<void(const AcquireOutcome &)> done, std::stop_token cancel = {});
  /// The same, for coroutines: `AcquireOutcome outcome = co_await held.acquiringAgain();` resumes on the client's loop thread.
  Awaitable<AcquireOutcome> acquiringAgain(std::stop_token cancel = {}) {
    return Awaitable<AcquireOutcome>([this, cancel = std::move(cancel)](Awaitable<AcquireOutcome>::Done done) mutable {
      acquireAgain([done = std::move(done)](const AcquireOutcome &outcome) mutable { done(outcome); }, std::move(cancel));
    });
  }
  /// A writer goes on as a reader (ReadWriteLock, FairReadWriteLock), with all its counts, and without letting another writer in between.
  /// Does not wait: other readers get in as soon as the server knows. Does nothing for readers and without a hold.
  /// Redis: the renewal that is sent for it, tried again as renewals are; 1 round trip behind.
  void becomeReader();
  /// A reader goes on as the writer (FairReadWriteLock): at once if no other reads; else it waits until the others have left, as the lock's
  /// options say, and goes before all who wait for the lock. It keeps its hold and goes on reading until then, and nobody comes between.
  /// Blocks; not on the client's loop thread. Redis: EVALSHA, 1 round trip; once more when told, and each third of the lease.
  ///
  /// Acquired: it is the writer, with the same token. Otherwise it is a reader as before, and nothing of the wish is left once the server knows:
  /// Contended (asked once, others read), TimedOut, Cancelled (by `cancel`, or the handle ended meanwhile). InDoubt: sent and not answered;
  /// it is being taken back, work as a reader. Failed with Deadlock, at once: another reader is becoming the writer, and each would wait for
  /// ever until the other leaves; release this hold and acquire as a writer, so that the other gets through. Failed with Server: the
  /// hold was lost meanwhile, see stopToken(). Failed with Usage: nothing is held, it is the writer already, another acquire or release of
  /// this handle is under way, or the lock cannot (ReadWriteLock, locks over several nodes or names). Failed otherwise: as of an acquire.
  ///
  /// A process that ends while it waits keeps the others out until its lease has ended, no longer.
  /// Not promised: that what was read before is still true for who releases after Deadlock and acquires anew.
  /// Source: the conversion of read locks as Java's StampedLock and Boost's upgrade locks have it; refused where those would deadlock.
  AcquireOutcome becomeWriter(std::stop_token cancel = {});
  /// The same, with a wait limit of its own; nothing = no limit, zero or less = asks once.
  AcquireOutcome becomeWriterFor(std::optional<milliseconds> waitLimit, std::stop_token cancel = {});
  /// The same, without waiting: `done` is called once, on the client's loop thread, where it must not block; here, if nothing is held.
  void becomeWriter(std::move_only_function<void(const AcquireOutcome &)> done, std::stop_token cancel = {});
  /// The same, for coroutines: `AcquireOutcome outcome = co_await held.becomingWriter();` resumes on the client's loop thread.
  Awaitable<AcquireOutcome> becomingWriter(std::stop_token cancel = {}) {
    return Awaitable<AcquireOutcome>([this, cancel = std::move(cancel)](Awaitable<AcquireOutcome>::Done done) mutable {
      becomeWriter([done = std::move(done)](const AcquireOutcome &outcome) mutable { done(outcome); }, std::move(cancel));
    });
  }
  /// One count less; blocks until the answer, at most three seconds. StillHeld: counts are left. NotOwner: it was lost, deleted or
  /// released before; nothing was touched. InDoubt: not answered yet; it is tried on behind. Afterwards, unless StillHeld, the
  /// handle holds nothing. On the loop thread, where waiting would never end, the release goes on behind: InDoubt.
  ReleaseOutcome release();
  /// As release(), without waiting; `done` is called on the loop thread, or here if there is nothing to release.
  void release(std::move_only_function<void(ReleaseOutcome)> done);
  /// The same, for coroutines: `ReleaseOutcome outcome = co_await held.releasing();`.
  Awaitable<ReleaseOutcome> releasing() {
    return Awaitable<ReleaseOutcome>([this](Awaitable<ReleaseOutcome>::Done done) { release(std::move(done)); });
  }
  /// Why the last release answered Failed or InDoubt; nothing otherwise. Any thread.
  std::optional<Error> releaseError() const;

  /// For core/client only.
  const std::shared_ptr<LockHold> &hold() const { return m_hold; }

private:
  struct Request;
  AcquireOutcome wait(Request request); ///< blocking
  void start(Request request, std::move_only_function<void(const AcquireOutcome &)> done);

  std::shared_ptr<LockHold> m_hold;
};

using LockResult = std::expected<LockHandle, NotAcquired>;

} // namespace lockhouse
