// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/node/acquisition.h"
#include "core/client/node/node_driver.h"
#include "core/client/node/owner_session.h"
#include "core/client/support/deferred_calls.h"

namespace lockhouse {

/// One owner of one lock at one node. Contract: OwnerSession.
class NodeSession final : public OwnerSession, private Acquisition::Session {
public:
  /// `options` must have passed checkLock(), its policy must be one that the primitive takes.
  NodeSession(NodeDriver &driver, const Primitive &primitive, const LockName &name, LockOptions options);
  ~NodeSession() override;

  void acquire(AcquireHandler done) override;
  void acquire(AcquirePolicy policy, std::optional<milliseconds> waitLimit, AcquireHandler done) override;
  void release(ReleaseHandler done) override;
  bool becomeReader() override;
  void becomeWriter(std::optional<milliseconds> waitLimit, AcquireHandler done) override;
  void cancel() override;
  void onLost(LostHandler handler) override { m_onLost = std::make_shared<LostHandler>(std::move(handler)); }
  void onRenewed(RenewedHandler handler) override { m_onRenewed = std::move(handler); }
  bool isAcquiring() const override { return m_acquisition != nullptr && m_acquisition->isAcquiring(); }
  bool isReleasing() const override { return m_acquisition != nullptr && m_acquisition->isReleasing(); }
  bool isHeld() const override { return m_acquisition != nullptr && m_acquisition->hold().isValid(SteadyClock::now()); }
  std::int64_t count() const override { return m_acquisition != nullptr ? m_acquisition->hold().count() : 0; }
  SteadyTime validUntil() const override { return m_acquisition != nullptr ? m_acquisition->hold().validUntil() : SteadyTime{}; }
  const LockName &name() const override { return m_entry.name; }
  const Error *lastError() const override { return m_error ? &*m_error : nullptr; }

private:
  void concluded(AcquireOutcome outcome) override;
  void released(ReleaseOutcome outcome, const Error *why) override;
  void lost(LossReason reason) override;
  void renewed(SteadyTime validUntil) override;

  std::optional<Error> whyNotAcquire() const;
  std::optional<Error> whyNotBecomeWriter() const;
  AcquirePolicy upgradePolicy(const std::optional<milliseconds> &waitLimit) const;
  AcquireMachine::Plan planOf(const AcquirePolicy &policy, const std::optional<milliseconds> &waitLimit, SteadyTime now) const;
  void readyAcquisition(SteadyTime now);
  Error usage(Message what, Message next) const;
  Error underWay() const;
  void failLater(Error error, AcquireHandler done);

  NodeDriver &m_driver;
  LockEntry &m_entry;
  LockOptions m_options;
  Acquisition *m_acquisition = nullptr;
  AcquireHandler m_onAcquired;
  ReleaseHandler m_onReleased;
  std::shared_ptr<LostHandler> m_onLost;
  RenewedHandler m_onRenewed;
  std::optional<Error> m_error;
  DeferredCalls m_deferred;
};

} // namespace lockhouse
