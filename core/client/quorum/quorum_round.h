// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/quorum/quorum_release_attempt.h"
#include "core/lock/machines/quorum_machine.h"

namespace lockhouse {

/// One token at all nodes, from the first ask to the last reply: the asks, the hold that they win, and its renewals. What is left when its
/// session has ended (late replies, releases that are repeated) goes on here.
/// Owned by the driver. Loop thread only.
class QuorumRound final : public DriverBase::OwnedTask, public TimerHeap::Alarm, public QuorumReleaseAttempt::Observer {
public:
  /// The session. Each call is the last thing that its caller does with the round.
  class Session {
  public:
    virtual void won() = 0;
    virtual void failed(QuorumMachine::Failure failure) = 0; ///< what it took is being released
    virtual void renewed(SteadyTime validUntil) = 0;
    virtual void lost(LossReason reason) = 0; ///< what is left of it is being released
    virtual void released(ReleaseOutcome outcome, const Error *why) = 0;

  protected:
    ~Session() = default;
  };

  QuorumRound(QuorumDriver &driver, QuorumDriver::LockEntry &entry, LockToken token, const LockOptions &options);
  ~QuorumRound() override;

  void attach(Session *session) { m_session = session; }
  /// Nobody waits for it any more: what it has, or may have, is released in the background.
  void detach(SteadyTime now);
  void start(SteadyTime now);
  /// It was won, and is a hold from now on, recorded as `metrics` began it.
  void becomeHold(const LockMetricsRecorder &metrics, SteadyTime now);
  void release(SteadyTime now); ///< once, of a hold or of a round under way

  const LockToken &token() const { return m_owner.token; }
  bool isHeld(SteadyTime now) const { return m_machine.isHeld(now); }
  SteadyTime validUntil() const { return m_machine.validUntil(); }
  std::vector<NodeVote> votes() const;
  std::int64_t placesLeft() const { return m_placesLeft; } ///< of a lock that several may hold: for how many more there is a place

  void reconnected(std::size_t node, bool restarted, SteadyTime now) override;
  void onAlarm(SteadyTime now) override;

private:
  /// Of an ask that may take several commands.
  struct Step {
    std::string sent = {}; // the command's name
    bool isFirst = true;
  };

  void released(ReleaseOutcome outcome, const Error &why) override;
  void settledChanged() override;
  void advanced() override;

  void act(const QuorumActions &actions, SteadyTime now);
  void notify(QuorumActions::Report what);
  void ask(std::size_t member, SteadyTime now);
  void send(std::size_t member, Command command);
  void renew(std::size_t member);
  void answered(std::size_t member, const Result<Reply> &reply);
  QuorumEvent::Kind read(std::size_t member, const Result<Reply> &reply);
  void renewalAnswered(std::size_t member, const Result<Reply> &reply);
  void endHold(SteadyTime now);
  void startRelease(SteadyTime now);
  void refreshAlarm();

  QuorumDriver &m_driver;
  QuorumOwner m_owner;
  QuorumReleaseAttempt m_release;
  QuorumMachine m_machine;
  Session *m_session = nullptr;
  std::optional<LockMetricsRecorder> m_metrics; // of a hold
  std::vector<NodeVote> m_votes;                // what each node said; whether it granted is known to the machine
  std::vector<Step> m_steps;                    // of the last ask at each node
  std::vector<QuorumEvent> m_absent;            // nodes that were not asked: handled in a later turn, not inside the caller's call
  SteadyTime m_machineAlarm = TimerHeap::never;
  std::int64_t m_placesLeft = INT64_MAX;
  unsigned m_awaited = 0;     // replies
  unsigned m_awaitedAsks = 0; // of those, to asks
  bool m_isReported = false;  // the session waits for the release
  bool m_endsHold = false;    // the release is counted as that of a hold
};

} // namespace lockhouse
