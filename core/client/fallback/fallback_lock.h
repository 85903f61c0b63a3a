// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/api/lock.h"

#include <string_view>

namespace lockhouse {

class FallbackQueue;
class FallbackTicket;

/// Whom a hold binds. None: nobody, it is no hold.
enum class HoldScope : std::uint8_t { None, Redis, Process };
std::string_view name(HoldScope scope); ///< "none", "redis", "process"

/// A hold of a FallbackLock. As a LockHandle: movable, one thread at a time, the destructor gives it back without waiting. Its scope never
/// changes while it lives; a hold of this process is never made one of Redis.
class FallbackHandle {
public:
  FallbackHandle(); ///< holds nothing
  FallbackHandle(LockHandle redis, std::unique_ptr<FallbackTicket> ticket);
  ~FallbackHandle();
  FallbackHandle(FallbackHandle &&) noexcept;
  FallbackHandle &operator=(FallbackHandle &&) noexcept;

  HoldScope scope() const;
  /// Whether it is ours right now. Of this process: until it is released.
  bool isHeld() const;
  explicit operator bool() const { return isHeld(); }
  /// Of Redis: as of LockHandle. Of this process: never requested.
  std::stop_token stopToken() const;
  std::optional<LossReason> lossReason() const;
  void onLost(std::move_only_function<void(LossReason)> handler);
  /// As of LockHandle; of this process Released, at once, no command. The next waiter of this process gets its turn in either case.
  ReleaseOutcome release();
  /// As release(), without waiting; `done` as of LockHandle, here for a hold of this process.
  void release(std::move_only_function<void(ReleaseOutcome)> done);
  Awaitable<ReleaseOutcome> releasing() {
    return Awaitable<ReleaseOutcome>([this](Awaitable<ReleaseOutcome>::Done done) { release(std::move(done)); });
  }
  /// What is held in Redis: token, time left, count; holds nothing if the scope is not Redis.
  const LockHandle &inRedis() const { return m_redis; }

private:
  std::unique_ptr<FallbackTicket> m_ticket; // after m_redis in destruction: the next one asks behind our release
  LockHandle m_redis;
};

using FallbackResult = std::expected<FallbackHandle, NotAcquired>;

/// Called when the locks of one name begin to bind this process only, and when they bind all again.
struct FallbackAlarm {
  bool entered = false;
  LockName lock;
  std::string why; ///< of entering: what is wrong with Redis, one sentence
};

struct FallbackOptions {
  /// How long there must have been no connection before a hold of this process is given. An acquire that has no time to wait for that fails.
  milliseconds after{1000};
  /// On the thread whose acquire meets the change, before it has its hold; every FallbackLock of the name in this client that has an alarm is
  /// told. It may not acquire this lock. What it throws is ignored.
  std::function<void(const FallbackAlarm &)> alarm = {};
};

/// A lock that goes on when Redis is gone, with less to promise: opt in by wrapping one.
///
///   const FallbackLock lock(client.mutex(LockName("report"), {.waitLimit = seconds(5)}), {.alarm = page});
///   if (auto held = lock.acquire(); held && held->scope() == HoldScope::Process) … only this process is kept out …
///
/// Redis is gone when there has been no connection to it for FallbackOptions::after and an acquire is Failed with Unreachable. A Quorum
/// has no connection while fewer nodes than a quorum are connected and have said who they are; a MultiLock of a NodeGroup while one of
/// the nodes that its names are at is not connected. Nothing else counts: not a server that refuses, is loading or read only, and not an
/// answer in doubt, after which it is asked again.
/// All acquires of one name in this client form one queue, first come first served, and the first of it asks Redis. While it holds the lock,
/// in either scope, the others wait with their limits and cancel. So holds of the two scopes never overlap here: a hold in Redis that lasts
/// longer than the connection is waited for until it is released or its lease ends, and once Redis is back a hold of this process is waited
/// for before Redis is asked. Each acquire asks Redis first: the first one that gets a reply ends the fallback.
///
/// Redis: as of the lock that it is made of. Cheap to copy; any thread, the blocking calls any but the client's loop (Failed with Usage).
/// Not promised, while it lasts: anything between processes. Two that lost Redis both hold, and when it comes back to another process
/// first, that one holds together with a hold of this process which is not released yet. Work that cannot bear this must look at
/// scope(), or have its resource check a fence, which a hold of this process does not have.
/// Not promised either: one line with locks of the same name that are no FallbackLock, or of another client, or of MultiLocks that
/// share some of their names and not all; re-entry; readers together (whatever the primitive, one holder at a time in this client); a
/// start without Redis, since connect() needs it.
class FallbackLock {
public:
  explicit FallbackLock(Lock lock, FallbackOptions options = {});

  static const PrimitiveInfo &info();
  const Lock &lock() const { return m_lock; }
  /// Whether the last acquire of this name found Redis gone.
  bool isFallenBack() const;

  /// Each as of Lock, in either scope; who has no time to wait asks once (TimedOut; of tryAcquire() Contended). TimedOut does not say who held it.
  /// Metrics count a hold of scope process as a failed acquire of the lock that this is made of: Redis did not give it.
  FallbackResult tryAcquire() const;
  FallbackResult acquire(std::stop_token cancel = {}) const;
  FallbackResult acquireFor(std::optional<milliseconds> waitLimit, std::stop_token cancel = {}) const;

  /// Without waiting: `done` is called once, on the client's loop thread, where it must not block, nor may an alarm then; here, if the client
  /// is closed.
  using Handler = std::move_only_function<void(FallbackResult)>;
  void acquire(Handler done, std::stop_token cancel = {}) const;
  /// For coroutines: `FallbackResult held = co_await lock.acquiring();` resumes on the client's loop thread.
  Awaitable<FallbackResult> acquiring(std::stop_token cancel = {}) const {
    return Awaitable<FallbackResult>([this, cancel = std::move(cancel)](Handler done) mutable { acquire(std::move(done), std::move(cancel)); });
  }

private:
  friend class FallbackAcquire;
  struct Ask;
  Ask usualAsk(std::stop_token cancel) const;
  FallbackResult take(const Ask &ask) const;
  /// What an answer of Redis comes to; nothing if it is to be asked again. `ticket` goes with a hold.
  std::optional<FallbackResult> judge(const Ask &ask, LockResult held, std::unique_ptr<FallbackTicket> &ticket) const;
  LockOptions askingOptions(const Ask &ask) const;
  LockResult askWithPatience(const Ask &ask) const;
  milliseconds left() const;
  void enterFallback(const Error &why) const;
  void leaveFallback() const;
  void tell(const FallbackAlarm &alarm) const;

  Lock m_lock;
  FallbackOptions m_options;
  std::shared_ptr<FallbackQueue> m_queue;
  std::shared_ptr<const std::function<void(const FallbackAlarm &)>> m_alarm; // known to the queue
};

} // namespace lockhouse
