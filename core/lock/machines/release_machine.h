// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/backoff.h"
#include "core/lock/options/outcome.h"

namespace lockhouse {

/// One thing that happened to a release. Of the answers, every one is to the command that was sent last.
enum class ReleaseEvent : std::uint8_t {
  Start,
  Released,    ///< answer: the key is gone, or our count is zero
  StillHeld,   ///< answer: our count is one less
  NotOwner,    ///< answer: no hold of ours is there
  Busy,        ///< answer: the node cannot answer now, nothing was done
  Rejected,    ///< answer: an error, nothing was done
  Unsent,      ///< no connection: nothing was sent
  Unanswered,  ///< sent, and the connection was lost or too slow: in doubt
  Reconnected, ///< the connection is back
  Alarm,       ///< the time asked for has come
};

/// What is to be done now, in this order: send, alarm, report.
struct ReleaseActions {
  static constexpr SteadyTime never = SteadyTime::max();
  bool send = false;
  bool report = false;      ///< outcome() is what the caller is told
  SteadyTime alarm = never; ///< the next Alarm wanted; replaces the one before
};

/// The life of one release, or of the giving back of what an unanswered acquire may have taken. Pure and total.
///
/// Sends the same command with the same owner until an answer comes or the lease must have ended; the caller is told at the latest
/// at Plan::reportBy, the rest goes on behind. An answer NotOwner after an unanswered try, while the lease cannot have ended, can
/// only mean that the first try worked: Released.
/// Giving back after an acquire without an answer: a NotOwner may come before the acquire itself arrives by a slower road, so it is
/// asked again after Plan::lookAgain, twice.
class ReleaseMachine {
public:
  enum class State : std::uint8_t { Idle, Sent, Pausing, Done };

  struct Plan {
    SteadyTime leaseEnds{}; ///< our belief ends here (drift taken off)
    SteadyTime keyGone{};   ///< by now the server has let the key expire (drift added)
    SteadyTime reportBy{};
    bool doubtful = false; ///< gives back what an unanswered acquire may have taken
    milliseconds lookAgain{500};
    std::uint64_t seed = 0;
  };

  ReleaseMachine() : ReleaseMachine(Plan{}) {}
  explicit ReleaseMachine(const Plan &plan) : m_plan(plan), m_backoff(milliseconds(20), milliseconds(1000), plan.seed) {}

  ReleaseActions on(ReleaseEvent event, SteadyTime now);

  State state() const { return m_state; }
  ReleaseOutcome outcome() const { return m_outcome; } ///< as reported
  bool settled() const { return m_state == State::Done || m_state == State::Idle; }

private:
  ReleaseActions onIdle(ReleaseEvent event, SteadyTime now);
  ReleaseActions onSent(ReleaseEvent event, SteadyTime now);
  ReleaseActions onPausing(ReleaseEvent event, SteadyTime now);

  ReleaseActions send();
  ReleaseActions notThere(SteadyTime now);
  ReleaseActions unsent(SteadyTime now);
  ReleaseActions tryAt(SteadyTime when, SteadyTime now);
  ReleaseActions onAlarm(SteadyTime now);
  ReleaseActions finish(ReleaseOutcome outcome);
  ReleaseActions stay() const;
  ReleaseOutcome unfinished() const { return m_inDoubt ? ReleaseOutcome::InDoubt : ReleaseOutcome::Failed; }

  static constexpr unsigned looks = 2;

  Plan m_plan;
  Backoff m_backoff;
  State m_state = State::Idle;
  ReleaseOutcome m_outcome = ReleaseOutcome::InDoubt;
  bool m_reported = false;
  bool m_inDoubt = false; // a try of ours was sent and not answered
  unsigned m_looked = 0;
  SteadyTime m_resendAt = ReleaseActions::never;
};

} // namespace lockhouse
