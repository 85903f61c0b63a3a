// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/support/log_event.h"
#include "core/client/support/metrics.h"
#include "core/lock/options/lock_options.h"
#include "core/lock/primitives/owner_id.h"
#include "core/lock/primitives/primitive.h"
#include "core/net/connection/connection.h"

#include <memory>
#include <string_view>
#include <vector>

namespace lockhouse {

class CountDownLatch;
class Lock;
class NodeRuntime;

struct ClientOptions {
  ConnectionOptions connection;
  Loop::Wait wait = Loop::Wait::Awake; ///< Asleep: spends no processor time on a faster answer
  milliseconds closeLimit{2000};       ///< how long the destructor waits until everything held is given back
  OwnerOptions owners = {};            ///< what holds call themselves in Redis; a primitive that cannot take it refuses with Usage
  LogSink log = {};                    ///< what happens behind the caller's back, told on the loop thread; none by default
};

/// Locks at one Redis node. Any thread. Owns a loop with its thread, one command connection (all locks and threads share it, their
/// commands of one loop turn leave in one write), and from the first wait by pub/sub on one subscriber.
///
/// Reconnects by itself. Meanwhile holds live on until their lease ends, and acquires wait or fail as their options say.
class Client {
public:
  /// Connects and logs in, blocking, at most ConnectionOptions::connectTimeout. Errors as of Connection and parseUri.
  static Result<Client> connect(std::string_view uri, ClientOptions options = {});
  static Result<Client> connect(Uri node, ClientOptions options = {});
  /// Gives back what is held, cancels what waits, and ends the thread; waits at most closeLimit. Not on the loop thread.
  /// In a forked child it does nothing, and what is asked of the client there ends Cancelled: connect anew after a fork.
  ~Client();
  Client(Client &&) noexcept;
  Client &operator=(Client &&) noexcept;

  /// The options must be right (checkLock, and a policy that the primitive takes); if they are not, every acquire of the lock
  /// fails with Usage and says why.
  Lock mutex(LockName name, LockOptions options = {}) const;
  Lock reentrantLock(LockName name, LockOptions options = {}) const;
  Lock fairLock(LockName name, LockOptions options = {}) const;
  Lock fencedLock(LockName name, LockOptions options = {}) const;
  /// Of readers with LockOptions::mode.shared; see SharedTimedLock for the standard's guards.
  Lock readWriteLock(LockName name, LockOptions options = {}) const;
  /// Of so many permits as LockOptions::mode says.
  Lock semaphore(LockName name, LockOptions options = {}) const;
  Lock expirablePermits(LockName name, LockOptions options = {}) const;
  CountDownLatch countDownLatch(LockName name) const;
  Lock lock(const Primitive &primitive, LockName name, LockOptions options = {}) const;
  /// All of `names` or none, in the format of Mutex or of `primitive`. Named twice is named once. Contract: MultiSession.
  Lock multiLock(std::vector<LockName> names, LockOptions options = {}) const;
  Lock multiLock(const Primitive &primitive, std::vector<LockName> names, LockOptions options = {}) const;

  /// What this client has seen so far. Any thread; asks the loop and waits for its turn to end, some 30 KB for each primitive used.
  /// After close as it then was; nothing in a forked child.
  Metrics metrics() const;
  /// Commands sent so far; 0 in a forked child.
  std::uint64_t commandsSent() const;

private:
  explicit Client(std::shared_ptr<NodeRuntime> runtime);

  std::shared_ptr<NodeRuntime> m_runtime; // shared with locks and handles, which may outlive the client
};

} // namespace lockhouse
