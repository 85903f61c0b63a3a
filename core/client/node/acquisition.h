// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/node/acquire_attempt.h"
#include "core/client/node/driver_base.h"
#include "core/client/node/local_handoff.h"
#include "core/lock/options/lock_options.h"
#include "core/lock/options/outcome.h"

namespace lockhouse {

/// One owner of one lock, from its first command to the last reply: the acquire, the hold, the release and the handoff to the next owner.
/// A session uses it for one hold after the other, as long as each is settled. What is left unsettled (a late reply, a release that is
/// repeated) goes on here without the session, and the session gets a new acquisition with a new owner.
/// Owned by the driver. Loop thread only.
class Acquisition final : public LocalWaitQueue::Waiter,
                          public DriverBase::OwnedTask,
                          public Hold::Observer,
                          public ReleaseAttempt::Observer,
                          public AcquireAttempt::Observer {
public:
  /// The session. Each call is the last thing that its caller does with the acquisition.
  class Session {
  public:
    virtual void concluded(AcquireOutcome outcome) = 0;
    virtual void released(ReleaseOutcome outcome, const Error *why) = 0;
    virtual void lost(LossReason reason) = 0;
    virtual void renewed(SteadyTime validUntil) = 0;

  protected:
    ~Session() = default;
  };

  Acquisition(NodeDriver &driver, LockEntry &entry);
  ~Acquisition() override;

  void attach(Session *session) { m_session = session; }
  /// The session ends: its hold is released, and what is under way is settled without it.
  void detach(SteadyTime now);

  /// A first hold, which needs isSettled(), or one count more, which needs isReleaseSettled() and no acquire under way.
  Result<void> acquire(const AcquireMachine::Plan &plan, const LockOptions &options, SteadyTime now);
  void cancel(SteadyTime now);
  /// The writer goes on as a reader. False if it is none.
  bool becomeReader(SteadyTime now);
  /// The reader is to be the writer: needs isReader(), a hold, and no acquire or release under way. An acquire as others are.
  void becomeWriter(const AcquireMachine::Plan &plan, SteadyTime now);
  /// One count less; needs a hold, or one that was lost.
  void release(SteadyTime now);

  bool isAcquiring() const { return m_attempt.isUnderWay(); }
  bool isReleasing() const { return m_release.isReported(); }
  /// Free for a new hold, or held and free for a re-entry.
  bool isSettled() const;
  bool isReleaseSettled() const { return m_release.isSettled(); }
  /// So many of its upgrades are under way at the server that another one has to wait.
  bool hasUnsettledUpgrades() const { return m_owner.upgrades.begun - m_owner.upgrades.settled >= 8; }
  const Hold &hold() const { return m_hold; }
  AcquireAttempt &attempt() { return m_attempt; }
  const AcquireAttempt &attempt() const { return m_attempt; }
  bool isOf(const LockEntry &entry) const { return &m_owner.entry == &entry; }

  /// The server made the owner of this number the holder. False if that is not wanted, and not given back already.
  bool isPassedOn(const Primitive &primitive, const LockName &lock, const PassedOn &grant, SteadyTime now);
  /// Releases an orphaned grant. Only of a new acquisition, which ends with it.
  void releaseOrphan(HandoffGrant grant, SteadyTime now);
  /// Its release was put off to hand the hold over inside the client. Now is the time.
  void handOver();

  void onEvent(AcquireEvent event, SteadyTime now) override { m_attempt.onEvent(event, now); }
  bool isReader() const override { return m_owner.mode.shared; }
  void verifyHold(SteadyTime now) override { m_hold.verify(now); }
  void reconnected(std::size_t node, bool restarted, SteadyTime now) override;

private:
  void concluded(SteadyTime now) override;
  void released(ReleaseOutcome outcome, const Error *why) override;
  void holdRenewed(SteadyTime validUntil) override;
  void holdLost(LossReason reason, SteadyTime now) override;
  void settledChanged() override;
  void advanced() override;

  Result<void> nameOwner();
  void begin(AcquireAttempt::Purpose purpose, const AcquireMachine::Plan &plan, SteadyTime now);
  void becomeHeld(SteadyTime now);
  void leaveQueue(SteadyTime now);
  void releaseAtServer(SteadyTime now);
  void takeOver(HandoffGrant grant, SteadyTime now);
  AcquireOutcome outcome() const;
  bool isHeldByOthers() const;

  NodeDriver &m_driver;
  LockOwner m_owner;
  Hold m_hold;
  ReleaseAttempt m_release;
  AcquireAttempt m_attempt;
  LocalHandoff m_handoff;
  Session *m_session = nullptr;
  bool m_renews = true;       // its holds, as the last acquire wanted
  bool m_isAbandoned = false; // counted as such by the entry
};

} // namespace lockhouse
