// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/node/owner_session.h"
#include "core/client/quorum/quorum_round.h"
#include "core/client/support/deferred_calls.h"

namespace lockhouse {

/// One owner of one lock over all nodes of a driver. Contract: OwnerSession; in addition, detail() lists the vote of each node in the last
/// round of an acquire that failed. Loop thread only.
///
/// It asks in rounds (QuorumMachine), each with a fresh token, so that the release of one round never touches the next; between them are the
/// pauses of the policy. Contended: another owner has the lock at too many nodes. Failed, after the option's patience or the wait limit: too
/// few nodes reply. It takes no place in a server's queue. Re-entry (ReentrantLock) is counted here and costs nothing; each node has the
/// count one.
class QuorumSession final : public OwnerSession, private LocalWaitQueue::Waiter, private TimerHeap::Alarm, private QuorumRound::Session {
public:
  /// `options` must have passed checkLock(), its policy must be one of redLockInfo().
  QuorumSession(QuorumDriver &driver, const Primitive &primitive, const LockName &name, LockOptions options);
  ~QuorumSession() override;

  void acquire(AcquireHandler done) override;
  void acquire(AcquirePolicy policy, std::optional<milliseconds> waitLimit, AcquireHandler done) override;
  void release(ReleaseHandler done) override;
  void becomeWriter(std::optional<milliseconds> waitLimit, AcquireHandler done) override; ///< fails with Usage
  void cancel() override;
  void onLost(LostHandler handler) override { m_onLost = std::make_shared<LostHandler>(std::move(handler)); }
  void onRenewed(RenewedHandler handler) override { m_onRenewed = std::move(handler); }
  bool isAcquiring() const override { return m_acquire.verdict() == AcquireMachine::Verdict::None && !m_acquire.settled(); }
  bool isReleasing() const override { return static_cast<bool>(m_onReleased); }
  bool isHeld() const override { return m_count > 0 && m_round->isHeld(SteadyClock::now()); }
  std::int64_t count() const override { return m_count; }
  SteadyTime validUntil() const override { return m_count > 0 ? m_round->validUntil() : SteadyTime{}; }
  const LockName &name() const override { return m_entry.name; }
  const Error *lastError() const override { return m_error ? &*m_error : nullptr; }
  std::string detail() const override { return m_detail; }
  const std::vector<NodeVote> &votes() const { return m_votes; } ///< of the last round that failed; empty if none did

private:
  void onEvent(AcquireEvent event, SteadyTime now) override;
  bool isReader() const override { return m_options.mode.shared && m_entry.primitive.hasReaders(); }
  void verifyHold(SteadyTime) override {}
  void onAlarm(SteadyTime now) override { onEvent({AcquireEvent::Kind::Alarm}, now); }

  void won() override { onEvent({AcquireEvent::Kind::Granted}, SteadyClock::now()); }
  void failed(QuorumMachine::Failure failure) override;
  void renewed(SteadyTime validUntil) override;
  void lost(LossReason reason) override;
  void released(ReleaseOutcome outcome, const Error *why) override;

  void startRound(SteadyTime now);
  void dropRound(SteadyTime now);
  void noteRefusal(SteadyTime now);
  void conclude(SteadyTime now);
  AcquireOutcome outcome() const;
  void enterAgain(AcquireHandler done);
  std::optional<Error> whyNotAcquire() const;
  Error errorOf(QuorumMachine::Failure failure) const;
  Error underWay() const;
  std::string where() const;
  void failLater(Error error, AcquireHandler done);

  QuorumDriver &m_driver;
  QuorumDriver::LockEntry &m_entry;
  LockOptions m_options;
  LockMetricsRecorder m_metrics{m_entry.stats};
  AcquireMachine m_acquire;
  QuorumRound *m_round = nullptr; // under way, held, or being released
  std::int64_t m_count = 0;
  AcquireHandler m_onAcquired;
  ReleaseHandler m_onReleased;
  std::shared_ptr<LostHandler> m_onLost;
  RenewedHandler m_onRenewed;
  std::vector<NodeVote> m_votes;
  std::optional<Error> m_error;
  std::string m_detail;
  DeferredCalls m_deferred;
};

} // namespace lockhouse
