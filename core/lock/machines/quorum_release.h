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

/// The release of one token at n nodes: a ReleaseMachine for each, and their common outcome. Pure and total.
///
/// The outcome is reported as soon as a quorum of nodes has nothing of ours, because another owner can get the lock then; the rest goes on
/// in the background. Released: so it is, and at least one node had the token. NotOwner: no node had it. InDoubt, Failed: not known by
/// Plan::reportBy, or a quorum is not possible any more.
class QuorumRelease {
public:
  QuorumRelease() = default;
  QuorumRelease(std::size_t members, std::size_t quorum, ReleaseMachine::Plan plan) : m_plan(plan), m_machines(members), m_wanted(quorum) {}

  /// Begins at `members`; the others have nothing of ours. `doubtful`: those with an ask that may still arrive.
  QuorumReleaseActions start(Members members, Members doubtful, SteadyTime now);
  /// The release at `member`, which seemed settled, is in doubt after all: an ask was under way when it was sent, and got no reply. It is
  /// released again, and checked again.
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
    bool told = true; // no reply is awaited
    bool released = false;
    bool free = true; // it has nothing of ours
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
