// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/api/client.h"
#include "core/client/api/lock_handle.h"
#include "core/client/node/owner_session.h"
#include "core/client/support/awaitable.h"

namespace lockhouse {

class ClientRuntime;

/// A lock by name, with the options that its acquires use. A cheap value; any thread. Every acquire that succeeds gives a handle,
/// the owner: two acquires are two owners, from one thread too.
///
///   auto lock = client.mutex(LockName("order:7"), {.lease = seconds(10), .waitLimit = seconds(1)});
///   if (auto held = lock.acquire()) … else puts(held.error().sentence().c_str());
///
/// Redis: see PrimitiveInfo::commands; waiting costs what the policy says (AcquirePolicy).
class Lock {
public:
  using Handler = std::move_only_function<void(LockResult)>;

  /// What a lock is made of; a client fills it in.
  struct Kind {
    std::shared_ptr<ClientRuntime> runtime;
    std::function<std::unique_ptr<OwnerSession>(const LockName &, const LockOptions &)> session; ///< called on the loop
    const PrimitiveInfo *info;                                                                   ///< of the whole: its policies
    const Primitive *primitive;                                                                  ///< of its keys
    std::optional<Error> refusal = {};                                                           ///< why every acquire fails
    std::vector<std::size_t> nodes = {};                                                         ///< of the client's, that it needs; empty = all
    std::string fallbackQueue = {};                                                              ///< the name of its queue as a FallbackLock; empty = its own
  };

  Lock(Kind kind, LockName name, LockOptions options)
      : m_kind(std::make_shared<const Kind>(std::move(kind))), m_name(std::move(name)), m_options(std::move(options)) {}

  const LockName &name() const { return m_name; }
  const Primitive &primitive() const { return *m_kind->primitive; }
  const LockOptions &options() const { return m_options; }
  /// The same kind of lock with the same options, of another name.
  Lock named(LockName name) const { return {m_kind, std::move(name), m_options}; }
  /// The same lock, for holds of that mode: reader or writer, so many permits.
  Lock as(LockMode mode) const {
    Lock other = *this;
    other.m_options.mode = mode;
    return other;
  }

  /// Asks once and waits for the answer only.
  LockResult tryAcquire() const;
  /// Waits as the options say, at most LockOptions::waitLimit in all; `cancel` ends the wait with Cancelled.
  /// Not on the client's loop thread (Failed with Usage).
  LockResult acquire(std::stop_token cancel = {}) const;
  /// As acquire(), with a wait limit of its own; nothing = no limit. A lock whose policy is "try" waits by its primitive's default.
  LockResult acquireFor(std::optional<milliseconds> waitLimit, std::stop_token cancel = {}) const;

  /// Without waiting: `done` is called once, on the client's loop thread, where it must not block; here, if the client is
  /// closed or the options are wrong (Failed with Usage).
  void acquire(Handler done, std::stop_token cancel = {}) const;

  /// For coroutines of any kind: `LockResult held = co_await lock.acquiring();` resumes on the client's loop thread.
  Awaitable<LockResult> acquiring(std::stop_token cancel = {}) const {
    return Awaitable<LockResult>([this, cancel = std::move(cancel)](Handler done) mutable { acquire(std::move(done), std::move(cancel)); });
  }

  /// The same lock with other options.
  Lock with(LockOptions options) const { return {m_kind, m_name, std::move(options)}; }

  // For core/client only.

  /// Of its client.
  ClientRuntime &runtime() const { return *m_kind->runtime; }
  /// How long it has been impossible because Redis is unreachable: its node, one of its nodes, or too many for a quorum.
  SteadyClock::duration outage() const;
  /// FallbackLocks with the same one take turns.
  LockName fallbackQueueName() const { return m_kind->fallbackQueue.empty() ? m_name : LockName(m_kind->fallbackQueue); }

private:
  Lock(std::shared_ptr<const Kind> kind, LockName name, LockOptions options)
      : m_kind(std::move(kind)), m_name(std::move(name)), m_options(std::move(options)) {}
  void start(AcquirePolicy policy, std::optional<milliseconds> waitLimit, std::stop_token cancel, Handler done) const;
  LockResult wait(AcquirePolicy policy, std::optional<milliseconds> waitLimit, std::stop_token cancel) const;
  Result<void> check(const AcquirePolicy &policy) const;
  AcquirePolicy policy() const { return m_options.policy.value_or(defaultPolicyOf(*m_kind->info)); }

  std::shared_ptr<const Kind> m_kind;
  LockName m_name;
  LockOptions m_options;
};

} // namespace lockhouse
