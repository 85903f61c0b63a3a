// SPDX-License-Identifier: Apache-2.0
#include "core/lock/machines/acquire_machine.h"

#include "core/lock/options/lock_options.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace lockhouse {

using Kind = AcquireEvent::Kind;

namespace {

AcquireActions giveBack(AcquireActions actions, bool doubtful) {
  actions.giveBack = true;
  actions.doubtful = doubtful;
  return actions;
}

} // namespace

AcquireActions AcquireMachine::on(AcquireEvent event, SteadyTime now) {
  note(event);
  if (event.kind == Kind::HoldLost && m_verdict == Verdict::None && !settled())
    return m_state == State::Asking ? giveUp(Verdict::Rejected) : finish(Verdict::Rejected);
  switch (m_state) {
  case State::Idle: return onIdle(event, now);
  case State::Queued: return onQueued(event, now);
  case State::Asking: return onAsking(event, now);
  case State::Subscribing: return onSubscribing(event, now);
  case State::Sleeping: return onSleeping(event, now);
  case State::GivingUp: return onGivingUp(event);
  case State::Done: return {};
  }
  return {};
}

void AcquireMachine::note(const AcquireEvent &event) {
  if (event.kind == Kind::Subscribed || event.kind == Kind::SubscribeFailed) {
    m_messages.arrive = event.kind == Kind::Subscribed;
    m_messages.failed = !m_messages.arrive;
  }
  m_isFirst = m_isFirst || event.kind == Kind::Turn;
}

AcquireActions AcquireMachine::onIdle(const AcquireEvent &event, SteadyTime now) {
  switch (event.kind) {
  case Kind::Start: return ask(now);
  case Kind::WaitInQueue:
    if (isOver(now))
      return finish(Verdict::TimedOut);
    m_state = State::Queued;
    m_alarm = m_plan.deadline.value_or(AcquireActions::never);
    return stay();
  case Kind::Cancel: return finish(Verdict::Cancelled);
  default: return {};
  }
}

AcquireActions AcquireMachine::onQueued(const AcquireEvent &event, SteadyTime now) {
  switch (event.kind) {
  case Kind::Turn:
  case Kind::TurnWhileHeld:
  case Kind::TurnAfterPause: return isOver(now) ? finish(Verdict::TimedOut) : takeTurn(event, now);
  case Kind::Alarm: return isOver(now) ? finish(Verdict::TimedOut) : stay();
  case Kind::PassedOn: return passedOn(event, now);
  case Kind::Cancel: return finish(Verdict::Cancelled);
  default: return stay();
  }
}

AcquireActions AcquireMachine::takeTurn(const AcquireEvent &event, SteadyTime now) {
  if (event.kind == Kind::Turn)
    return ask(now);
  if (event.kind == Kind::TurnAfterPause)
    return letOthersIn(now);
  // The holder will wake us. The pause is for the case that its key is gone and it does not know yet.
  return pauseOrEnd(now, std::nullopt);
}

AcquireActions AcquireMachine::onAsking(const AcquireEvent &event, SteadyTime now) {
  switch (event.kind) {
  case Kind::Granted: return granted(event, now);
  case Kind::PassedOn: m_passedOn = event; return stay();
  case Kind::TooFewCopies: return giveBack(finish(Verdict::TooFewCopies), false);
  case Kind::Refused: return refused(event, now);
  case Kind::Busy: return unreachable(now, Verdict::Rejected);
  case Kind::Unsent: return unreachable(now, Verdict::Unreachable);
  case Kind::Rejected: return finish(Verdict::Rejected);
  case Kind::Unanswered: m_hasPlace = true; return giveBack(finish(Verdict::InDoubt), true);
  case Kind::Woken:
  case Kind::Subscribed: m_askAgain = true; return stay();
  case Kind::Alarm: return isOver(now) && m_alarm != AcquireActions::never ? giveUp(Verdict::TimedOut) : stay();
  case Kind::Cancel: return giveUp(Verdict::Cancelled);
  default: return stay();
  }
}

AcquireActions AcquireMachine::onSubscribing(const AcquireEvent &event, SteadyTime now) {
  switch (event.kind) {
  case Kind::Subscribed:
  case Kind::Woken:
  case Kind::ReleaseConfirmed: return isOver(now) ? finish(Verdict::TimedOut) : ask(now);
  case Kind::SubscribeFailed: return sleep(now, m_plan.policy.pause);
  case Kind::PassedOn: return passedOn(event, now);
  case Kind::Alarm: return isOver(now) ? finish(Verdict::TimedOut) : ask(now); // the subscription is slow: ask all the same
  case Kind::Cancel: return finish(Verdict::Cancelled);
  default: return stay();
  }
}

AcquireActions AcquireMachine::onSleeping(const AcquireEvent &event, SteadyTime now) {
  switch (event.kind) {
  case Kind::Alarm:
    if (now < m_alarm)
      return stay();
    return isOver(now) ? finish(Verdict::TimedOut) : ask(now);
  case Kind::Woken:
  case Kind::ReleaseConfirmed:
  case Kind::Subscribed:
    if (m_letsOthersIn && !isOver(now))
      return stay();
    return isOver(now) ? finish(Verdict::TimedOut) : ask(now);
  case Kind::TurnAfterPause: return isOver(now) ? finish(Verdict::TimedOut) : letOthersIn(now);
  case Kind::PassedOn: return passedOn(event, now);
  case Kind::Turn: return m_hasPlace ? becomeFirst(now) : stay();
  case Kind::Cancel: return finish(Verdict::Cancelled);
  default: return stay();
  }
}

AcquireActions AcquireMachine::onGivingUp(const AcquireEvent &event) {
  switch (event.kind) {
  case Kind::Granted:
  case Kind::TooFewCopies:
  case Kind::Unanswered: m_state = State::Done; return giveBack({}, event.kind == Kind::Unanswered);
  case Kind::Refused:
  case Kind::Busy:
  case Kind::Rejected:
  case Kind::Unsent: {
    m_state = State::Done;
    AcquireActions actions;
    actions.giveBack = m_hasPlace || event.queued;
    return actions;
  }
  default: return {};
  }
}

AcquireActions AcquireMachine::ask(SteadyTime now) {
  m_state = State::Asking;
  m_askedAt = now;
  m_askAgain = false;
  m_passedOn.reset();
  ++m_asks;
  // An acquire without time to wait asks once, and waits for that reply.
  m_alarm = isOver(now) ? AcquireActions::never : m_plan.deadline.value_or(AcquireActions::never);
  AcquireActions actions;
  actions.ask = true;
  actions.alarm = m_alarm;
  return actions;
}

AcquireActions AcquireMachine::granted(const AcquireEvent &event, SteadyTime now) {
  m_fence = event.fence;
  m_validUntil = m_askedAt + m_plan.lease - driftOf(m_plan.lease);
  return now < m_validUntil ? finish(Verdict::Granted) : giveBack(finish(Verdict::TooLate), false);
}

AcquireActions AcquireMachine::passedOn(const AcquireEvent &event, SteadyTime now) {
  if (event.fence <= m_seenFence)
    return stay();
  m_fence = event.fence;
  m_validUntil = std::min(event.until, now + m_plan.lease - driftOf(m_plan.lease));
  if (isOver(now))
    return giveBack(finish(Verdict::TimedOut), false);
  return now < m_validUntil ? finish(Verdict::Granted) : ask(now); // the reply says whether it is still ours
}

AcquireActions AcquireMachine::becomeFirst(SteadyTime now) {
  m_alarm = std::min(m_alarm, std::min(now + keepPlaceInterval(), m_plan.deadline.value_or(AcquireActions::never)));
  return stay();
}

AcquireActions AcquireMachine::refused(const AcquireEvent &event, SteadyTime now) {
  m_outage.since.reset();
  m_outage.pauses.reset();
  m_hasPlace = event.queued;
  m_isRefused = true;
  m_seenFence = event.fence;
  if (!m_plan.policy.waits())
    return finish(Verdict::Contended);
  if (isOver(now))
    return finish(Verdict::TimedOut);
  if (m_passedOn && m_passedOn->fence > m_seenFence)
    return passedOn(*std::exchange(m_passedOn, std::nullopt), now);
  if (m_askAgain)
    return ask(now);
  return pauseOrEnd(now, event.timeLeft);
}

AcquireActions AcquireMachine::pauseOrEnd(SteadyTime now, std::optional<milliseconds> timeLeft) {
  auto actions = sleep(now, nextPause(timeLeft));
  if (!m_plan.policy.listens() || m_messages.failed)
    return actions;
  actions.subscribe = !std::exchange(m_messages.areOurs, true); // other waiters of this client may have subscribed, but not for as long as we need it
  if (!m_messages.arrive)
    m_state = State::Subscribing;
  return actions;
}

AcquireActions AcquireMachine::unreachable(SteadyTime now, Verdict otherwise) {
  if (!m_plan.policy.waits() || isOver(now))
    return finish(otherwise);
  m_isRefused = false;
  if (!m_outage.since)
    m_outage.since = now;
  std::chrono::nanoseconds pause = milliseconds(10) + m_outage.pauses.next();
  if (!m_plan.deadline) {
    // In milliseconds: in finer units a patience without end overflows.
    const auto lasts = std::chrono::floor<milliseconds>(now - *m_outage.since);
    if (lasts >= m_plan.patience)
      return finish(otherwise);
    pause = std::min(std::chrono::ceil<milliseconds>(pause), m_plan.patience - lasts);
  }
  return sleep(now, pause);
}

AcquireActions AcquireMachine::letOthersIn(SteadyTime now) {
  // Between a half and one and a half pauses: long enough for the ask of another client. A message meanwhile is about our own release.
  const auto pause = static_cast<double>(std::chrono::nanoseconds(m_plan.policy.pause).count()) * (0.5 + Jitter(m_plan.seed).unit());
  auto actions = sleep(now, std::chrono::nanoseconds(std::llround(pause)));
  m_letsOthersIn = true;
  return actions;
}

AcquireActions AcquireMachine::sleep(SteadyTime now, std::chrono::nanoseconds pause) {
  m_state = State::Sleeping;
  m_letsOthersIn = false;
  m_alarm = std::min(now + pause, m_plan.deadline.value_or(AcquireActions::never));
  return stay();
}

AcquireActions AcquireMachine::finish(Verdict verdict) {
  m_state = State::Done;
  m_verdict = verdict;
  m_alarm = AcquireActions::never;
  AcquireActions actions;
  actions.giveBack = m_hasPlace && verdict != Verdict::Granted;
  actions.unsubscribe = std::exchange(m_messages.areOurs, false);
  actions.report = true;
  return actions;
}

AcquireActions AcquireMachine::giveUp(Verdict verdict) {
  auto actions = finish(verdict);
  actions.giveBack = false; // not before the reply
  m_state = State::GivingUp;
  return actions;
}

AcquireActions AcquireMachine::stay() const {
  AcquireActions actions;
  actions.alarm = m_alarm;
  return actions;
}

std::chrono::nanoseconds AcquireMachine::nextPause(std::optional<milliseconds> timeLeft) {
  switch (m_plan.policy.kind) {
  case AcquirePolicy::Kind::Try: return {};
  case AcquirePolicy::Kind::Spin: return m_plan.policy.pause;
  case AcquirePolicy::Kind::Backoff: return m_backoff.next();
  case AcquirePolicy::Kind::PubSub:
  case AcquirePolicy::Kind::Blocking: break;
  case AcquirePolicy::Kind::Fair:
  case AcquirePolicy::Kind::WritersFirst:
  case AcquirePolicy::Kind::Barging:
  case AcquirePolicy::Kind::Cohort:
    if (m_messages.failed)
      return std::min<std::chrono::nanoseconds>(m_backoff.next() + milliseconds(1), keepPlaceInterval());
    if (m_isFirst && timeLeft)
      return std::min<std::chrono::nanoseconds>(*timeLeft + milliseconds(1), keepPlaceInterval());
    return m_isFirst ? keepPlaceInterval() : m_plan.lease;
  }
  if (m_messages.failed)
    return m_backoff.next();
  // One millisecond past the holder's lease: an expired key is found gone, not expiring.
  const auto cap = m_hasPlace ? std::min<std::chrono::nanoseconds>(m_plan.policy.cap, keepPlaceInterval()) : m_plan.policy.cap;
  return timeLeft ? std::min<std::chrono::nanoseconds>(*timeLeft + milliseconds(1), cap) : cap;
}

// Early enough that our places outlast an ask that is late.
std::chrono::nanoseconds AcquireMachine::keepPlaceInterval() const { return std::chrono::nanoseconds(m_plan.lease) / 3; }

} // namespace lockhouse
