// SPDX-License-Identifier: Apache-2.0
#include "core/lock/machines/release_machine.h"

#include <algorithm>

namespace lockhouse {
namespace {

// Of an unreachable node, whose return is reported as Reconnected: only in case that is missed.
constexpr seconds unheard(5);

} // namespace

ReleaseActions ReleaseMachine::on(ReleaseEvent event, SteadyTime now) {
  switch (m_state) {
  case State::Idle: return onIdle(event, now);
  case State::Sent: return onSent(event, now);
  case State::Pausing: return onPausing(event, now);
  case State::Done: return {};
  }
  return {};
}

ReleaseActions ReleaseMachine::onIdle(ReleaseEvent event, SteadyTime) { return event == ReleaseEvent::Start ? send() : ReleaseActions{}; }

ReleaseActions ReleaseMachine::onSent(ReleaseEvent event, SteadyTime now) {
  switch (event) {
  case ReleaseEvent::Released: return finish(ReleaseOutcome::Released);
  case ReleaseEvent::StillHeld: return finish(ReleaseOutcome::StillHeld);
  case ReleaseEvent::NotOwner: return notThere(now);
  case ReleaseEvent::Rejected: return finish(ReleaseOutcome::Failed);
  case ReleaseEvent::Unanswered: m_inDoubt = true; return tryAt(now + m_backoff.next() + milliseconds(1), now);
  case ReleaseEvent::Busy: return tryAt(now + m_backoff.next() + milliseconds(1), now);
  case ReleaseEvent::Unsent: return unsent(now);
  case ReleaseEvent::Alarm: return onAlarm(now);
  case ReleaseEvent::Start:
  case ReleaseEvent::Reconnected: return stay();
  }
  return stay();
}

ReleaseActions ReleaseMachine::onPausing(ReleaseEvent event, SteadyTime now) {
  switch (event) {
  case ReleaseEvent::Reconnected: return m_rechecked > 0 ? stay() : send();
  case ReleaseEvent::Alarm: return onAlarm(now);
  default: return stay();
  }
}

ReleaseActions ReleaseMachine::send() {
  m_state = State::Sent;
  m_resendAt = ReleaseActions::never;
  auto actions = stay();
  actions.send = true;
  return actions;
}

ReleaseActions ReleaseMachine::notThere(SteadyTime now) {
  if (m_plan.doubtful && m_rechecked < rechecks) {
    ++m_rechecked;
    return tryAt(now + m_plan.recheckAfter, now);
  }
  if (!m_inDoubt)
    return finish(ReleaseOutcome::NotOwner);
  return finish(now < m_plan.leaseEnds ? ReleaseOutcome::Released : ReleaseOutcome::InDoubt);
}

ReleaseActions ReleaseMachine::unsent(SteadyTime now) {
  if (m_rechecked > 0 || now + unheard >= m_plan.keyGone)
    return tryAt(now + m_backoff.next() + milliseconds(1), now);
  return tryAt(now + unheard, now);
}

ReleaseActions ReleaseMachine::tryAt(SteadyTime when, SteadyTime now) {
  m_state = State::Pausing;
  m_resendAt = when;
  if (m_resendAt >= m_plan.keyGone)
    return finish(unfinished());
  return onAlarm(now);
}

ReleaseActions ReleaseMachine::onAlarm(SteadyTime now) {
  ReleaseActions actions;
  if (m_state == State::Pausing && now >= m_plan.keyGone)
    actions = finish(unfinished());
  else if (m_state == State::Pausing && now >= m_resendAt)
    actions = send();
  else
    actions = stay();
  if (m_reported || actions.report || now < m_plan.reportBy)
    return actions;
  m_reported = true;
  m_outcome = m_state == State::Sent || m_inDoubt ? ReleaseOutcome::InDoubt : ReleaseOutcome::Failed;
  actions.report = true;
  actions.alarm = stay().alarm;
  return actions;
}

ReleaseActions ReleaseMachine::finish(ReleaseOutcome outcome) {
  m_state = State::Done;
  ReleaseActions actions;
  if (m_reported)
    return actions;
  m_reported = true;
  m_outcome = outcome;
  actions.report = true;
  return actions;
}

ReleaseActions ReleaseMachine::stay() const {
  ReleaseActions actions;
  actions.alarm = std::min(m_resendAt, m_reported ? ReleaseActions::never : m_plan.reportBy);
  return actions;
}

} // namespace lockhouse
