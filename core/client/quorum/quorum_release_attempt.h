// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/quorum/quorum_owner.h"
#include "core/client/support/timer_heap.h"
#include "core/lock/machines/quorum_release.h"

namespace lockhouse {

/// The release of what one token has, or may have, at the nodes of a quorum. It is repeated at each node until that has replied or the
/// lease must have ended. Loop thread only.
class QuorumReleaseAttempt final : public TimerHeap::Alarm {
public:
  class Observer {
  public:
    virtual void released(ReleaseOutcome outcome, const Error &why) = 0; ///< once
    virtual void settledChanged() = 0;
    virtual void advanced() = 0; ///< a reply or an alarm was handled; the last call of its caller

  protected:
    ~Observer() = default;
  };

  QuorumReleaseAttempt(const QuorumOwner &owner, Observer &observer);
  ~QuorumReleaseAttempt();

  /// `quorum`: how many nodes decide. `leaseEnds`: of the hold. `have`: the nodes that have the token, or may have it; `inDoubt`: of these, the nodes where that is not known.
  void start(std::size_t quorum, SteadyTime leaseEnds, const Members &have, const Members &inDoubt, SteadyTime now);
  /// A late reply says that the node has it, or may have it, after all.
  void startAgain(std::size_t member, SteadyTime now);
  void reconnected(std::size_t member, SteadyTime now);

  bool isStarted() const { return m_isStarted; }
  bool isSettled() const { return m_machine.settled(); }
  bool isReleasing(std::size_t member) const { return m_machine.isReleasing(member); }
  bool isAwaitingReplies() const { return m_awaited > 0; }

  void onAlarm(SteadyTime now) override;

private:
  void act(const QuorumReleaseActions &actions);
  void send(std::size_t member);
  void answered(std::uint32_t member, std::uint32_t serial, const Result<Reply> &reply);

  const QuorumOwner &m_owner;
  Observer &m_observer;
  QuorumRelease m_machine;
  std::vector<std::uint32_t> m_serials; // of each node's last release: only the reply to that one counts
  Error m_error;                        // of the last reply that was one
  unsigned m_awaited = 0;               // replies
  bool m_isStarted = false;
};

} // namespace lockhouse
