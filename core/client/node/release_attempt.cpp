// SPDX-License-Identifier: Apache-2.0
#include "core/client/node/release_attempt.h"

#include "core/client/node/node_driver.h"
#include "core/client/node/reply_events.h"
#include "core/lock/options/lock_options.h"

#include <algorithm>
#include <utility>

namespace lockhouse {

ReleaseAttempt::~ReleaseAttempt() { driver().dropAlarm(*this); }

void ReleaseAttempt::expectReport(bool wasLost) {
  m_wasLost = wasLost;
  m_isReported = true;
  m_isOfHold = true;
}

void ReleaseAttempt::concludeWithoutCommand() {
  m_isReported = false;
  m_isOfHold = false;
}

void ReleaseAttempt::start(std::int64_t left, bool doubtful, SteadyTime now) {
  m_left = left;
  if (m_owner.isInherited && left == 0)
    entry().inheritedNumber = 0;
  ++m_serial;
  const auto &options = driver().options();
  const auto reportBy = now + options.releaseLimit;
  const auto lease = std::max(m_owner.lease, m_hold.lease());
  m_machine = ReleaseMachine({.leaseEnds = m_hold.validUntil(),
                              // A lower count need not be repeated for long: the next command corrects it.
                              .keyGone = left == 0 ? now + lease + driftOf(lease) : reportBy,
                              .reportBy = reportBy,
                              .doubtful = doubtful && left == 0,
                              .recheckAfter = options.recheckAfter,
                              .seed = driver().nextSeed()});
  act(m_machine.on(ReleaseEvent::Start, now));
}

void ReleaseAttempt::abandon() {
  m_machine = ReleaseMachine();
  ++m_serial;
  driver().setAlarm(*this, TimerHeap::never);
}

void ReleaseAttempt::reconnected(SteadyTime now) { act(m_machine.on(ReleaseEvent::Reconnected, now)); }

void ReleaseAttempt::onAlarm(SteadyTime now) {
  act(m_machine.on(ReleaseEvent::Alarm, now));
  m_observer.advanced();
}

void ReleaseAttempt::act(const ReleaseActions &actions) {
  if (actions.send)
    send();
  driver().setAlarm(*this, actions.alarm);
  m_observer.settledChanged();
  if (!actions.report || !std::exchange(m_isOfHold, false))
    return;
  const auto outcome = m_wasLost ? ReleaseOutcome::NotOwner : m_machine.outcome();
  m_owner.metrics.releaseEnded(outcome, m_error);
  if (std::exchange(m_isReported, false))
    m_observer.released(outcome, outcome == ReleaseOutcome::InDoubt || outcome == ReleaseOutcome::Failed ? &m_error : nullptr);
}

void ReleaseAttempt::send() {
  ++m_awaited;
  const auto &primitive = m_owner.primitive();
  if (m_left == 0 && (m_owner.publishes || primitive.isReentrant()) && entry().isSubscribed())
    m_owner.queue->expectOwnMessage();
  // Only scripts are gathered: they cost the server more to start than to run.
  const bool isScript = driver().server().compareAndDelete == ServerFeatures::CompareAndDelete::Script;
  if (m_left == 0 && !m_owner.publishes && isScript && primitive.mostTogether() > 1)
    driver().releases().add(*this, m_serial);
  else
    sendAlone(m_serial);
}

void ReleaseAttempt::sendAlone(std::uint32_t serial) {
  m_isCompareCommand = driver().server().compareAndDelete != ServerFeatures::CompareAndDelete::Script;
  m_owner.sendGuarded(m_owner.primitive().release(ask(), m_owner.publishes), [this, serial](const Result<Reply> &reply) { answered(serial, reply); });
}

void ReleaseAttempt::answered(std::uint32_t serial, const Result<Reply> &reply) {
  const NodeDriver::ReentrancyGuard guard(driver());
  --m_awaited;
  if (m_isCompareCommand && reply && (reply->failureWord() == "NOPERM" || reply->failureWord() == "ERR")) {
    driver().useScriptToDelete();
    ++m_awaited;
    return sendAlone(serial);
  }
  if (serial == m_serial)
    take(reply, SteadyClock::now());
  m_observer.advanced();
}

void ReleaseAttempt::take(const Result<Reply> &reply, SteadyTime now) {
  auto answer = readRelease(m_owner.primitive(), reply, driver().address());
  if (answer.error)
    m_error = std::move(*answer.error);
  auto &queue = *m_owner.queue;
  if (answer.event != ReleaseEvent::Released)
    queue.forgetOwnMessages();
  if (m_left == 0 && m_owner.primitive().isGuardedByWatch())
    queue.released(m_owner.waiter, now);
  if (m_left == 0 && (answer.event == ReleaseEvent::Released || answer.event == ReleaseEvent::NotOwner))
    queue.releaseConfirmed(now);
  entry().isReportingPassedOnHold = !answer.passedOn.empty();
  act(m_machine.on(answer.event, now));
  entry().isReportingPassedOnHold = false;
  for (const auto &grant : answer.passedOn) // after the report, so that the first session that released is the first one notified
    driver().inbox().passedOn(m_owner.primitive(), entry().name, grant, now);
}

} // namespace lockhouse
