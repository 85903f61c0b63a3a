// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lock/machines/quorum_vote.h"
#include "core/lock/machines/release_machine.h"

#include <vector>

namespace lockhouse {

/// What is to be done now, in this order: send, alarm, report.
struct QuorumReleaseActions {
  static constexpr SteadyTime never = SteadyTime::max();
  Members send = {};
  bool report = false;      ///< outcome() is what the caller is told
  SteadyTime alarm = never; ///< the next Alarm wanted; replaces the one before
};

/// The giving back of one token at n nodes: a ReleaseMachine for each, and what they come to together. Pure and total.
///
/// The caller is told as soon as a quorum of nodes is known to have nothing of ours, since then somebody else can have the lock;
/// the rest goes on behind. Released: so it is, and at least one node had it. NotOwner: no node had it. InDoubt, Failed: not known
/// by Plan::reportBy, or a quorum cannot come about any more.
class QuorumRelease {
public:
  QuorumRelease() = default;
  QuorumRelease(std::size_t members, std::size_t quorum, ReleaseMachine::Plan plan) : m_plan(plan), m_machines(members), m_wanted(quorum) {}

  /// Begins at `members`; the others have nothing of ours. `doubtful`: those with an ask that may come yet.
  QuorumReleaseActions start(Members members, Members doubtful, SteadyTime now);
  /// What had been taken for settled at `member` is in doubt after all: an ask was out when the release was sent, and was never
  /// answered. It is given back anew, and looked for again.
  QuorumReleaseActions again(std::size_t member, SteadyTime keyGone, SteadyTime now);
  QuorumReleaseActions on(std::size_t member, ReleaseEvent event, SteadyTime now);
  QuorumReleaseActions onAlarm(SteadyTime now);

  ReleaseOutcome outcome() const { return m_outcome; } ///< as reported
  bool isReleasing(std::size_t member) const { return !m_machines[member].machine.settled(); }
  bool settled() const;

private:
  struct Part {
    ReleaseMachine machine;
    SteadyTime alarm = QuorumReleaseActions::never;
    bool told = true; // nothing is expected of it
    bool released = false;
    bool free = true; // nothing of ours is there
    bool failed = false;
  };

  void take(std::size_t member, const ReleaseActions &actions, QuorumReleaseActions &all);
  QuorumReleaseActions done(QuorumReleaseActions actions);
  std::optional<ReleaseOutcome> together() const;

  ReleaseMachine::Plan m_plan;
  std::vector<Part> m_machines;
  std::size_t m_wanted = 1;
  ReleaseOutcome m_outcome = ReleaseOutcome::InDoubt;
  bool m_reported = false;
};

} // namespace lockhouse
