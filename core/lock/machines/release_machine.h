// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/backoff.h"
#include "core/lock/options/outcome.h"

namespace lockhouse {

/// One thing that happened to a release. A reply is always that to the last command.
enum class ReleaseEvent : std::uint8_t {
  Start,
  Released,    ///< reply: the key is gone, or our count is zero
  StillHeld,   ///< reply: our count is one less
  NotOwner,    ///< reply: no hold of ours exists
  Busy,        ///< reply: the node cannot reply now, nothing was done
  Rejected,    ///< reply: an error, nothing was done
  Unsent,      ///< no connection: nothing was sent
  Unanswered,  ///< sent, and the connection was lost or too slow: in doubt
  Reconnected, ///< the connection is back
  Alarm,       ///< the wanted time has come
};

/// What is to be done now, in this order: send, alarm, report.
struct ReleaseActions {
  static constexpr SteadyTime never = SteadyTime::max();
  bool send = false;
  bool report = false;      ///< outcome() is what the caller is told
  SteadyTime alarm = never; ///< the next Alarm wanted; replaces the one before
};

/// The life of one release: of a hold, or of what an acquire without a reply may have taken. Pure and total.
///
/// Sends the same command with the same owner until a reply arrives or the lease must have ended. The outcome is reported at Plan::reportBy
/// at the latest; the rest goes on in the background. A reply NotOwner after a command without a reply, while the lease cannot have ended,
/// can only mean that the first command worked: Released.
/// After an acquire without a reply, NotOwner may arrive before the acquire itself, which was slower. So the release is repeated after
/// Plan::recheckAfter, twice.
class ReleaseMachine {
public:
  enum class State : std::uint8_t { Idle, Sent, Pausing, Done };

  struct Plan {
    SteadyTime leaseEnds{}; ///< the hold is valid until then (drift subtracted)
    SteadyTime keyGone{};   ///< by then the key has expired at the server (drift added)
    SteadyTime reportBy{};
    bool doubtful = false; ///< releases what an acquire without a reply may have taken
    milliseconds recheckAfter{500};
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

  static constexpr unsigned rechecks = 2;

  Plan m_plan;
  Backoff m_backoff;
  State m_state = State::Idle;
  ReleaseOutcome m_outcome = ReleaseOutcome::InDoubt;
  bool m_reported = false;
  bool m_inDoubt = false; // a try of ours was sent and not answered
  unsigned m_rechecked = 0;
  SteadyTime m_resendAt = ReleaseActions::never;
};

} // namespace lockhouse
