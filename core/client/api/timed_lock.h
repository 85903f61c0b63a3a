// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/api/lock.h"

#include <mutex>
#include <unordered_map>

namespace lockhouse {

/// A Lock that meets the standard's TimedLockable, so that std::unique_lock, std::scoped_lock and std::lock take it. Thread-safe.
///
/// The owner is the thread that locked: with a ReentrantLock a thread may lock again, as with std::recursive_timed_mutex; with a
/// Mutex that is refused. Threads are numbered by this object, never by the system's reusable ids. What a thread does not unlock
/// stays locked and renewed until this object ends.
/// This is the one place of the library that throws: lock() has no other way to say no.
class TimedLock {
public:
  explicit TimedLock(Lock lock) : m_lock(std::move(lock)) {}
  TimedLock(const TimedLock &) = delete;
  TimedLock &operator=(const TimedLock &) = delete;

  /// Waits without limit while somebody else has it. std::system_error when it cannot be had: resource_deadlock_would_occur (a
  /// Mutex that this thread holds), not_connected, timed_out, permission_denied, or io_error, with the sentence.
  void lock();
  bool try_lock(); ///< asks once; false for errors too, see lastRefusal()
  template <class Rep, class Period> bool try_lock_for(const std::chrono::duration<Rep, Period> &limit) { return tryLockFor(bounded(limit)); }
  template <class Clock, class Duration> bool try_lock_until(const std::chrono::time_point<Clock, Duration> &end) { return tryLockFor(leftUntil(end)); }
  /// Does nothing if this thread does not hold it. Waits for the answer, at most three seconds.
  void unlock() noexcept;

  /// Whether this thread holds it right now.
  bool isHeld() const;
  /// Stop is requested when this thread's hold is lost.
  std::stop_token stopToken() const;
  /// The last reason why lock() or a try was refused, to whatever thread; empty if none was.
  std::string lastRefusal() const;

private:
  friend class SharedTimedLock; // which moves holds from one to the other

  /// The time until then; none if that is past, however long.
  template <class Clock, class Duration> static milliseconds leftUntil(const std::chrono::time_point<Clock, Duration> &end) {
    const auto now = Clock::now();
    return end <= now ? milliseconds::zero() : bounded(end - now);
  }
  /// Any limit in milliseconds: not negative, not longer than longestTime.
  template <class Rep, class Period> static milliseconds bounded(const std::chrono::duration<Rep, Period> &limit) {
    const std::chrono::duration<double> wanted(limit); // any limit has a number here, and not every one has in milliseconds
    if (wanted >= longestTime)
      return longestTime;
    return wanted > wanted.zero() ? std::chrono::ceil<milliseconds>(limit) : milliseconds::zero();
  }
  /// Takes this thread's hold out of `other`, whatever its mode is by now; false if that has none.
  bool takeOver(TimedLock &other);
  /// This thread's hold, as a reader's, becomes the writer's. False, with lastRefusal(), if it does not.
  bool becomeWriterFor(milliseconds limit);
  void becomeReader(); ///< this thread's hold
  bool tryLockFor(milliseconds limit);
  std::shared_ptr<LockHandle> mine() const;
  /// Nothing if this thread has no hold to enter again.
  std::optional<AcquireOutcome> lockAgain(std::optional<milliseconds> limit);
  bool keep(LockResult result);
  void noteRefusal(const NotAcquired &why);

  Lock m_lock;
  mutable std::mutex m_mutex;                                            // guards what is below; never held while waiting
  std::unordered_map<std::uint64_t, std::shared_ptr<LockHandle>> m_held; // by thread number
  std::string m_refusal;
};

/// A ReadWriteLock or FairReadWriteLock that meets the standard's SharedTimedMutex, so that std::shared_lock takes it too. Thread-safe;
/// owners, throwing and re-entry as of TimedLock. A thread that holds it as one and asks for the other waits for itself; the way from one
/// to the other are the conversions below, by Boost's names. As there, only a try makes a writer of a reader: one that waits for ever would
/// meet another one. Guards do not follow: release() the one and adopt the other,
///   std::shared_lock reading(lock); … if (lock.try_unlock_shared_and_lock_for(1s)) { reading.release(); std::unique_lock writing(lock, std::adopt_lock); … }
/// Source: Boost.Thread's shared_mutex, upward and downward conversions.
class SharedTimedLock {
public:
  explicit SharedTimedLock(const Lock &lock) : m_writers(lock.as({.shared = false})), m_readers(lock.as({.shared = true})) {}

  void lock() { m_writers.lock(); }
  bool try_lock() { return m_writers.try_lock(); }
  template <class Rep, class Period> bool try_lock_for(const std::chrono::duration<Rep, Period> &limit) { return m_writers.try_lock_for(limit); }
  template <class Clock, class Duration> bool try_lock_until(const std::chrono::time_point<Clock, Duration> &end) { return m_writers.try_lock_until(end); }
  void unlock() noexcept { m_writers.unlock(); }

  void lock_shared() { m_readers.lock(); }
  bool try_lock_shared() { return m_readers.try_lock(); }
  template <class Rep, class Period> bool try_lock_shared_for(const std::chrono::duration<Rep, Period> &limit) { return m_readers.try_lock_for(limit); }
  template <class Clock, class Duration> bool try_lock_shared_until(const std::chrono::time_point<Clock, Duration> &end) {
    return m_readers.try_lock_until(end);
  }
  void unlock_shared() noexcept { m_readers.unlock(); }

  /// This thread's hold as the writer goes on as a reader's; LockHandle::becomeReader(). Does nothing if it is not the writer.
  void unlock_and_lock_shared();
  /// This thread's hold as a reader becomes the writer's (FairReadWriteLock); LockHandle::becomeWriterFor(). Asks once, or waits so long.
  /// False if it does not, and then it is a reader still, unless that was lost; reader().lastRefusal() says why: others read, another one is
  /// becoming the writer, the lock cannot.
  bool try_unlock_shared_and_lock() { return becomeWriter(milliseconds::zero()); }
  template <class Rep, class Period> bool try_unlock_shared_and_lock_for(const std::chrono::duration<Rep, Period> &limit) {
    return becomeWriter(TimedLock::bounded(limit));
  }
  template <class Clock, class Duration> bool try_unlock_shared_and_lock_until(const std::chrono::time_point<Clock, Duration> &end) {
    return becomeWriter(TimedLock::leftUntil(end));
  }

  /// This thread as a writer and as a reader: what it knows of its hold.
  const TimedLock &writer() const { return m_writers; }
  const TimedLock &reader() const { return m_readers; }

private:
  bool becomeWriter(milliseconds limit);

  TimedLock m_writers;
  TimedLock m_readers;
};

} // namespace lockhouse
