// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/node/lock_metrics_recorder.h"
#include "core/client/quorum/quorum_core.h"
#include "core/lock/machines/quorum_machine.h"
#include "core/lock/machines/quorum_release.h"

namespace lockhouse {

/// One token at all nodes, from the first ask to the last answer: the machines of its round, hold and release, and the hands that
/// do what they say. What is left when its session has gone (late answers, releases that are tried again) lives on here.
/// Owned by the driver. Loop thread only.
class QuorumRound final : public DriverBase::OwnedTask {
public:
  /// Who is told. Each call is the last thing its caller does with the round.
  class Owner {
  public:
    virtual void won() = 0;
    virtual void failed(QuorumMachine::Failure failure) = 0; ///< it is being given back
    virtual void renewed(SteadyTime validUntil) = 0;
    virtual void lost(LossReason reason) = 0; ///< it is being given back
    virtual void released(ReleaseOutcome outcome, const Error *why) = 0;

  protected:
    ~Owner() = default;
  };

  QuorumRound(QuorumDriver::Core &driver, QuorumDriver::Core::LockEntry &entry, LockToken token, const LockOptions &options);
  ~QuorumRound() override;

  void attach(Owner *owner) { m_owner = owner; }
  /// Nobody waits for it any more: what it has, or may have, is given back behind.
  void detach(SteadyTime now);
  void start(SteadyTime now);
  /// It was won, and its owner has it: from here on it keeps the owner's record.
  void becomeHold(const LockMetricsRecorder &record, SteadyTime now);
  void release(SteadyTime now); ///< once, of a hold or of a round under way

  const LockToken &token() const { return m_token; }
  bool isHeld(SteadyTime now) const { return m_machine.isHeld(now); }
  SteadyTime validUntil() const { return m_machine.validUntil(); }
  std::vector<NodeVote> votes() const;
  std::int64_t room() const { return m_room; } ///< where several may be in: how many more may get in

  void reconnected(std::size_t node, bool restarted, SteadyTime now) override;
  void ring(SteadyTime now) override;

private:
  /// Of an ask that may take several.
  struct Step {
    std::string sent = {}; // the command's name
    bool isFirst = true;
  };

  void act(const QuorumActions &actions, SteadyTime now);
  void act(const QuorumReleaseActions &actions);
  void tell(QuorumActions::Tell what);
  void ask(std::size_t member, SteadyTime now);
  void askStep(std::size_t member, Command command);
  void renew(std::size_t member);
  void sendGuarded(std::size_t member, Command command, Connection::Handler handler);
  void giveBack(std::size_t member);
  void asked(std::size_t member, const Result<Reply> &reply);
  void renewalAnswered(std::size_t member, const Result<Reply> &reply);
  void releaseAnswered(std::uint32_t member, std::uint32_t serial, const Result<Reply> &reply);
  void endHold(SteadyTime now);
  void startRelease(SteadyTime now);
  void refreshAlarm();
  void refreshSettled();
  void retireIfDone();
  Primitive::Ask words(std::int64_t count) const { return {m_entry.name, m_token, m_lease, count, m_mode}; }

  QuorumDriver::Core &m_driver;
  QuorumDriver::Core::LockEntry &m_entry;
  Owner *m_owner = nullptr;
  std::optional<LockMetricsRecorder> m_record; // of a hold
  LockToken m_token;
  milliseconds m_lease;
  LockMode m_mode;
  QuorumMachine m_machine;
  QuorumRelease m_release;
  std::vector<NodeVote> m_votes;     // what each node told; the vote itself stands in the machine
  std::vector<Step> m_steps;         // of its last ask at each node
  std::vector<QuorumEvent> m_absent; // nodes that were not asked: told in a turn of their own, lest the caller hears inside his call
  SteadyTime m_machineAlarm = TimerHeap::never;
  SteadyTime m_releaseAlarm = TimerHeap::never;
  std::vector<std::uint32_t> m_releaseSerials; // of each node's last release: only its answer counts
  Error m_error;                               // of the last failed release
  std::int64_t m_room = INT64_MAX;
  unsigned m_outstanding = 0;
  unsigned m_asksOut = 0; // of those
  bool m_releasing = false;
  bool m_reportRelease = false; // the owner waits for its outcome
  bool m_recordRelease = false; // it is one of a hold
};

} // namespace lockhouse
