// SPDX-License-Identifier: Apache-2.0
#include "core/client/lock_tenure.h"

#include "core/base/safe_text.h"
#include "core/client/read_answer.h"

#include <algorithm>
#include <utility>

namespace lockhouse {

LockTenure::LockTenure(LockDriver::Core &driver, LockDriver::Core::Door &door) : m_driver(driver), m_door(door) { ++m_door.users; }

LockTenure::~LockTenure() {
  m_driver.dropAlarm(*this);
  m_driver.leaveDoor(m_door);
}

Result<void> LockTenure::acquire(const AcquireMachine::Plan &plan, bool renew, SteadyTime now) {
  const bool entry = m_count == 0;
  if (entry && (m_owner.empty() || !m_door.primitive.isReentrant())) {
    auto owner = m_door.primitive.owner(m_driver.clientId(), m_driver.nextNumber());
    if (!owner)
      return std::unexpected(std::move(owner.error()));
    m_owner = std::move(*owner);
  }
  m_lease = plan.lease;
  m_renew = renew;
  m_wake = plan.policy.kind == AcquirePolicy::Kind::PubSub;
  m_holder.reset();
  m_timeLeft.reset();
  m_lost = m_lost && !entry;
  m_acquire = AcquireMachine(plan);
  const bool waits = plan.policy.waits() && !(plan.deadline && *plan.deadline <= now);
  if (entry)
    m_door.gate.enter(*this, waits, now);
  else
    tell({AcquireEvent::Kind::Start}, now);
  return {};
}

void LockTenure::cancel(SteadyTime now) { tell({AcquireEvent::Kind::Cancel}, now); }

void LockTenure::release(SteadyTime now) {
  // A lost hold is released too: what is left of it in Redis is ours or it is not touched.
  m_reportLost = std::exchange(m_lost, false);
  const std::int64_t left = m_reportLost ? 0 : m_count - 1;
  if (left == 0)
    act(m_watchdog.on({LeaseEvent::Kind::Stop}, now), now);
  m_count = left;
  m_reportRelease = true;
  startRelease(left, false, now);
  if (left == 0)
    m_door.gate.goneOut(*this, now);
}

void LockTenure::detach(SteadyTime now) {
  m_session = nullptr;
  tell({AcquireEvent::Kind::Cancel}, now);
  if (m_count > 0 || m_lost) {
    m_count = std::min<std::int64_t>(m_count, 1);
    release(now);
  }
  m_reportRelease = false;
  retireIfDone();
}

void LockTenure::tell(AcquireEvent event, SteadyTime now) {
  auto actions = m_acquire.on(event, now);
  if (actions.subscribe && m_driver.listen(m_door)) {
    // Heard already, but not when it asked: it may ask again at once.
    act(actions, now);
    if (m_acquire.state() != AcquireMachine::State::Subscribing)
      return;
    actions = m_acquire.on({AcquireEvent::Kind::Subscribed}, now);
  }
  act(actions, now);
}

void LockTenure::act(const AcquireActions &actions, SteadyTime now) {
  if (actions.giveBack)
    startRelease(m_count, actions.doubtful, now);
  if (actions.unsubscribe)
    m_driver.stopListening(m_door, now);
  if (actions.ask)
    sendAcquire();
  m_acquireAlarm = actions.alarm;
  refreshAlarm();
  if (actions.report)
    conclude(now);
  else
    refreshSettled();
}

void LockTenure::act(const ReleaseActions &actions) {
  if (actions.send)
    sendRelease();
  m_releaseAlarm = actions.alarm;
  refreshAlarm();
  refreshSettled();
  if (!actions.report || !m_reportRelease)
    return;
  m_reportRelease = false;
  const auto outcome = m_reportLost ? ReleaseOutcome::NotOwner : m_release.outcome();
  if (m_session != nullptr)
    m_session->released(outcome, outcome == ReleaseOutcome::InDoubt || outcome == ReleaseOutcome::Failed ? &m_error : nullptr);
}

void LockTenure::act(const LeaseActions &actions, SteadyTime now) {
  if (actions.send)
    sendRenewal();
  m_leaseAlarm = actions.alarm;
  refreshAlarm();
  if (!actions.lost)
    return;
  m_count = 0;
  m_lost = true;
  m_door.gate.goneOut(*this, now);
  if (m_session != nullptr)
    m_session->lost(m_watchdog.reason());
}

Primitive::Ask LockTenure::ask(std::int64_t count) const {
  return {m_door.name, m_owner, std::max(m_lease, m_count > 0 ? m_watchdog.lease() : milliseconds(0)), count};
}

void LockTenure::sendAcquire() {
  ++m_outstanding;
  if (m_door.releaseGathered)
    m_driver.releases().leave(); // of the one before: it has to arrive first
  // A re-entry asks for its own lease only: the script lets the lease grow, never shrink.
  const Primitive::Ask wanted{m_door.name, m_owner, m_lease, m_count + 1};
  m_driver.send(m_door.primitive.acquire(wanted, m_acquire.asks() > 1), [this](const Result<Reply> &reply) { acquireAnswered(reply); });
}

void LockTenure::sendRelease() {
  ++m_outstanding;
  if (m_left == 0 && (m_wake || m_door.primitive.isReentrant()))
    m_door.gate.expectOwn();
  if (m_left == 0 && !m_wake && m_door.primitive.mostTogether() > 1)
    m_driver.releases().add(*this, m_releaseSerial);
  else
    sendReleaseAlone(m_releaseSerial);
}

void LockTenure::sendReleaseAlone(std::uint32_t serial) {
  m_driver.send(m_door.primitive.release(ask(m_left), m_wake), [this, serial](const Result<Reply> &reply) { releaseAnswered(serial, reply); });
}

void LockTenure::sendRenewal() {
  ++m_outstanding;
  m_driver.send(m_door.primitive.renew(ask(m_count)), [this](const Result<Reply> &reply) { renewalAnswered(reply); });
}

void LockTenure::acquireAnswered(const Result<Reply> &reply) {
  if (m_driver.isEnding()) // what it may have taken cannot be given back any more
    return;
  const LockDriver::Core::Visit visit(m_driver);
  --m_outstanding;
  const auto now = SteadyClock::now();
  auto answer = readAcquire(m_door.primitive, reply, m_driver.address());
  if (answer.holdLost)
    lookNow(now);
  if (answer.event.kind == AcquireEvent::Kind::Granted && m_lost) { // a re-entry, and the hold was lost meanwhile
    startRelease(0, false, now);
    answer = {.event = {AcquireEvent::Kind::Rejected}, .error = {}, .holder = {}, .holdLost = true};
  }
  if (answer.holdLost)
    answer.error = {ErrorCode::Server, "the hold to be entered again is lost", safeText(m_door.name.bytes(), 80), "stop the work that it protects"};
  if (answer.event.kind == AcquireEvent::Kind::Refused) {
    m_holder = std::move(answer.holder);
    m_timeLeft = answer.event.timeLeft;
  }
  if (answer.error)
    m_error = std::move(*answer.error);
  tell(answer.event, now);
  retireIfDone();
}

void LockTenure::releaseAnswered(std::uint32_t serial, const Result<Reply> &reply) {
  const LockDriver::Core::Visit visit(m_driver);
  --m_outstanding;
  if (serial == m_releaseSerial) {
    auto answer = readRelease(m_door.primitive, reply, m_driver.address());
    if (answer.error)
      m_error = std::move(*answer.error);
    if (answer.event != ReleaseEvent::Released)
      m_door.gate.forgetOwn();
    const auto now = SteadyClock::now();
    if (m_left == 0 && (answer.event == ReleaseEvent::Released || answer.event == ReleaseEvent::NotOwner))
      m_door.gate.freed(now);
    act(m_release.on(answer.event, now));
  }
  retireIfDone();
}

void LockTenure::renewalAnswered(const Result<Reply> &reply) {
  const LockDriver::Core::Visit visit(m_driver);
  --m_outstanding;
  const auto event = readRenewal(m_door.primitive, reply);
  const auto now = SteadyClock::now();
  act(m_watchdog.on(event, now), now);
  if (event.kind == LeaseEvent::Kind::Renewed && m_session != nullptr && m_watchdog.isHeld(now))
    m_session->renewed(m_watchdog.validUntil());
  retireIfDone();
}

void LockTenure::startRelease(std::int64_t left, bool doubtful, SteadyTime now) {
  m_left = left;
  ++m_releaseSerial;
  const auto reportBy = now + m_driver.options().releaseLimit;
  const auto lease = std::max(m_lease, m_watchdog.lease());
  const ReleaseMachine::Plan plan{.leaseEnds = m_watchdog.validUntil(),
                                  .keyGone =
                                      left == 0 ? now + lease + driftOf(lease) : reportBy, // a lower count need not be chased: the next command corrects it
                                  .reportBy = reportBy,
                                  .doubtful = doubtful && left == 0,
                                  .lookAgain = m_driver.options().lookAgain,
                                  .seed = m_driver.nextSeed()};
  m_release = ReleaseMachine(plan);
  act(m_release.on(ReleaseEvent::Start, now));
}

void LockTenure::conclude(SteadyTime now) {
  using Verdict = AcquireMachine::Verdict;
  const bool granted = m_acquire.verdict() == Verdict::Granted;
  if (granted)
    becomeHeld(now);
  else
    m_door.gate.leave(*this, now);
  refreshSettled();
  if (m_session != nullptr)
    m_session->concluded(outcome());
}

void LockTenure::becomeHeld(SteadyTime now) {
  if (++m_count > 1) {
    act(m_watchdog.extend(m_acquire.validUntil(), m_lease), now);
    return;
  }
  act(m_watchdog.start(now, m_acquire.validUntil(), m_lease, m_renew, m_driver.nextSeed()), now);
  m_door.gate.letIn(*this, now);
}

AcquireOutcome LockTenure::outcome() const {
  using Verdict = AcquireMachine::Verdict;
  switch (m_acquire.verdict()) {
  case Verdict::Granted: return Acquired{m_owner, m_watchdog.validUntil(), std::nullopt, m_count};
  case Verdict::Contended: return Contended{m_holder, m_timeLeft};
  case Verdict::TimedOut: return TimedOut{m_holder};
  case Verdict::Cancelled: return Cancelled{};
  case Verdict::InDoubt: return InDoubt{m_error};
  case Verdict::TooLate: return Failed{tooLate()};
  case Verdict::None:
  case Verdict::Rejected:
  case Verdict::Unreachable: break;
  }
  return Failed{m_error};
}

Error LockTenure::tooLate() const {
  return {ErrorCode::Timeout, "the lock was granted later than its lease lasts and is given back", m_driver.address(),
          "take a longer lease or look at the node's latency"};
}

void LockTenure::lookNow(SteadyTime now) { act(m_watchdog.on({LeaseEvent::Kind::LookNow}, now), now); }

void LockTenure::ring(SteadyTime now) {
  if (m_leaseAlarm <= now)
    act(m_watchdog.on({LeaseEvent::Kind::Alarm}, now), now);
  if (m_releaseAlarm <= now)
    act(m_release.on(ReleaseEvent::Alarm, now));
  if (m_acquireAlarm <= now)
    tell({AcquireEvent::Kind::Alarm}, now);
  refreshAlarm();
  retireIfDone();
}

void LockTenure::reconnected(bool restarted, SteadyTime now) {
  act(m_release.on(ReleaseEvent::Reconnected, now));
  act(m_watchdog.on({LeaseEvent::Kind::LookNow, restarted}, now), now);
  tell({AcquireEvent::Kind::Woken}, now);
}

void LockTenure::refreshAlarm() { m_driver.setAlarm(*this, std::min({m_acquireAlarm, m_releaseAlarm, m_leaseAlarm})); }

void LockTenure::refreshSettled() {
  const bool unsettled = !m_release.settled() || m_acquire.state() == AcquireMachine::State::GivingUp;
  if (unsettled == m_unsettled)
    return;
  m_unsettled = unsettled;
  m_driver.countUnsettled(unsettled ? 1 : -1);
}

void LockTenure::retireIfDone() {
  if (m_session != nullptr || m_retired || !isSettled() || m_count > 0)
    return;
  m_retired = true;
  m_driver.retire(*this);
}

} // namespace lockhouse
