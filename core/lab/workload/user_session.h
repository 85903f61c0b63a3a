// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/node/owner_session.h"
#include "core/lab/workload/user_lock.h"

namespace lockhouse {

/// The open calls to users' locks. Loop thread only.
class Unanswered {
public:
  void add() { ++m_count; }
  void take();
  bool isNone() const { return m_count == 0; }
  /// Runs `task` when no call is open; at once if none is.
  void whenNone(Loop::Task task);

private:
  std::size_t m_count = 0;
  Loop::Task m_task;
};

/// A user's lock as an owner on a loop: its answers come through the inbox of the loop. Loop thread only.
/// A hold that comes after its acquire was cancelled is released.
class UserSession final : public OwnerSession {
public:
  /// `loop` outlives every answer. Policy and wait limit are the lock's own.
  UserSession(Loop &loop, std::unique_ptr<UserLock> lock, LockName name, std::shared_ptr<Unanswered> unanswered);
  ~UserSession() override;

  void acquire(AcquireHandler done) override;
  void acquire(AcquirePolicy policy, std::optional<milliseconds> waitLimit, AcquireHandler done) override;
  void release(ReleaseHandler done) override;
  void becomeWriter(std::optional<milliseconds> waitLimit, AcquireHandler done) override; ///< fails with Usage
  void cancel() override;
  void onLost(LostHandler handler) override { m_onLost = std::move(handler); }
  void onRenewed(RenewedHandler) override {} ///< not told
  bool isAcquiring() const override { return static_cast<bool>(m_acquired); }
  bool isReleasing() const override { return static_cast<bool>(m_released); }
  bool isHeld() const override { return m_hold && m_hold->handle().isHeld(); }
  std::int64_t count() const override { return m_hold ? m_hold->handle().count() : 0; }
  SteadyTime validUntil() const override { return m_hold ? m_hold->handle().validUntil() : SteadyTime{}; }
  const LockName &name() const override { return m_name; }
  const Error *lastError() const override { return m_error ? &*m_error : nullptr; }

private:
  /// Of one acquire and the hold that comes of it; whose answers have become of no interest, is told none.
  struct Ticket {
    UserSession *session;
  };

  void taken(UserLock::Taken taken);
  void released(ReleaseOutcome outcome);
  void lost(LossReason reason);
  void forget();
  static void giveBack(Loop &loop, const std::shared_ptr<UserLock::Hold> &hold, const std::shared_ptr<Unanswered> &unanswered);

  Loop &m_loop;
  LockName m_name;
  std::shared_ptr<Unanswered> m_unanswered;
  std::shared_ptr<UserLock::Hold> m_hold;
  std::shared_ptr<Ticket> m_ticket;
  std::stop_source m_cancel;
  AcquireHandler m_acquired;
  ReleaseHandler m_released;
  LostHandler m_onLost;
  std::optional<Error> m_error;
  std::unique_ptr<UserLock> m_lock;
};

} // namespace lockhouse
