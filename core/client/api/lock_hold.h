// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/api/client_runtime.h"
#include "core/client/api/lock_handle.h"

#include <atomic>
#include <functional>
#include <mutex>

namespace lockhouse {

/// The hold of a LockHandle: its session on the loop, and what other threads may read of it.
class LockHold : public std::enable_shared_from_this<LockHold> {
public:
  using ReleaseHandler = std::move_only_function<void(ReleaseOutcome)>;
  using LostHandler = std::move_only_function<void(LossReason)>;

  explicit LockHold(std::shared_ptr<ClientRuntime> runtime);
  ~LockHold();
  LockHold(const LockHold &) = delete;
  LockHold &operator=(const LockHold &) = delete;

  // Any thread.
  ClientRuntime &runtime() const { return *m_runtime; }
  bool isHeld() const;
  bool isForkedChild() const { return m_runtime->isForkedChild(); }
  SteadyTime validUntil() const { return SteadyTime(SteadyTime::duration(m_validUntil.load(std::memory_order_acquire))); }
  std::int64_t count() const { return m_count.load(std::memory_order_acquire); }
  const LockToken &token() const { return m_token; }
  std::optional<Fence> fence() const { return m_fence; }
  std::optional<Acknowledged> acknowledged() const { return m_acknowledged; }
  std::stop_token stopToken() const { return m_stop.get_token(); }
  std::optional<LossReason> lossReason() const;
  void onLost(LostHandler handler);
  std::optional<Error> releaseError() const;

  // Loop thread only.
  /// `usualWait`: the limit of the waits that name none of their own.
  void begin(std::unique_ptr<OwnerSession> session, std::optional<milliseconds> usualWait);
  void acquire(AcquirePolicy policy, std::optional<milliseconds> waitLimit, OwnerSession::AcquireHandler done);
  void cancel();
  void release(ReleaseHandler done);
  std::string detail() const { return m_session ? m_session->detail() : std::string(); }
  bool becomeReader() { return m_session && m_session->becomeReader(); }
  void becomeWriter(std::optional<milliseconds> waitLimit, OwnerSession::AcquireHandler done);
  std::optional<milliseconds> usualWait() const { return m_usualWait; }
  bool isBusy() const;  ///< an acquire or release is under way
  void end();           ///< releases every count in the background
  void endWithClient(); ///< as end(), but the client wants it and not the holder: stop is requested

private:
  std::optional<Error> whyNothingHeld() const;
  void extended(SteadyTime validUntil) { m_validUntil.store(validUntil.time_since_epoch().count(), std::memory_order_release); }
  void granted(const Acquired &acquired);
  void lost(LossReason reason);
  void noteRelease(ReleaseOutcome outcome);

  static constexpr int notLost = -1;

  std::shared_ptr<ClientRuntime> m_runtime;
  LockToken m_token;
  std::optional<Fence> m_fence;
  std::optional<Acknowledged> m_acknowledged;
  std::atomic<SteadyTime::rep> m_validUntil = 0;
  std::atomic<std::int64_t> m_count = 0;
  std::atomic<int> m_loss = notLost;
  std::stop_source m_stop;
  mutable std::mutex m_mutex; // guards m_onLost and m_releaseError, which the holder's thread and the loop use
  LostHandler m_onLost;
  std::optional<Error> m_releaseError;
  std::optional<milliseconds> m_usualWait;
  std::unique_ptr<OwnerSession> m_session;
};

} // namespace lockhouse
