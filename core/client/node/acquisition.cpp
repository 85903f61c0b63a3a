// SPDX-License-Identifier: Apache-2.0
#include "core/client/node/acquisition.h"

#include "core/base/safe_text.h"
#include "core/client/node/reply_events.h"
#include "core/lock/primitives/handoff/handoff_lock.h"
#include "core/lock/primitives/reply_readers.h"

#include <algorithm>
#include <utility>

namespace lockhouse {

Acquisition::Acquisition(NodeDriver::Core &driver, NodeDriver::Core::LockEntry &entry) : m_driver(driver), m_entry(entry), m_waitQueue(&entry.waitQueue) {
  ++m_entry.users;
}

Acquisition::~Acquisition() {
  if (m_isUnsent) {
    m_entry.asks.forget(*this);
    m_driver.forgetAsk(*this);
  }
  m_driver.dropAlarm(*this);
  m_driver.wakeups().drop(*this);
  m_driver.inbox().leave(m_number);
  m_driver.leaveEntry(m_entry);
}

Result<void> Acquisition::acquire(const AcquireMachine::Plan &plan, const LockOptions &options, SteadyTime now) {
  const bool entry = m_count == 0;
  if (entry)
    if (auto named = nameOwner(); !named)
      return named;
  m_mode = options.mode;
  m_renew = options.renew;
  m_acknowledge = options.acknowledge;
  m_acknowledged.reset();
  m_reenters = !entry;
  m_awaitsReplicas = false;
  m_lost = m_lost && !entry;
  m_upgrade = false;
  // One that is only tried tells those who wait, too.
  m_wake = options.policy.value_or(plan.policy).kind == AcquirePolicy::Kind::PubSub || plan.policy.kind == AcquirePolicy::Kind::PubSub;
  begin(plan, now);
  if (entry) {
    m_waitQueue = &m_entry.waitQueueOf(m_policy);
    m_waitQueue->enter(*this, m_waits, now);
  } else
    tell({AcquireEvent::Kind::Start}, now);
  return {};
}

void Acquisition::begin(const AcquireMachine::Plan &plan, SteadyTime now) {
  ++m_askSerial;
  m_lease = plan.lease;
  m_policy = plan.policy;
  m_listener = m_wake && m_entry.primitive.word() == Primitive::Word::Hint ? numberedOwner(m_driver.clientId(), m_number).bytes() : std::string();
  if (!m_listener.empty()) // before the ask: a word may overtake its refusal
    m_driver.inbox().enter(m_number, *this);
  m_holder.reset();
  m_timeLeft.reset();
  m_acquire = AcquireMachine(plan);
  m_record.began(now);
  m_waits = plan.policy.waits() && !(plan.deadline && *plan.deadline <= now);
}

// A re-entrant owner keeps its name: the counts in Redis are of a name.
Result<void> Acquisition::nameOwner() {
  if (!m_owner.empty() && m_entry.primitive.isReentrant())
    return {};
  const auto fresh = m_driver.nextNumber();
  auto owner = m_driver.owner(m_entry.primitive, fresh);
  if (!owner)
    return std::unexpected(std::move(owner.error()));
  m_owner = std::move(*owner);
  m_driver.inbox().leave(m_number);
  m_number = fresh;
  m_isLocalSuccessor = false;
  m_behind.clear();
  m_served.clear();
  m_upgrades = m_settledUpgrades = 0;
  if (m_entry.primitive.word() == Primitive::Word::OnInbox)
    m_driver.inbox().enter(m_number, *this);
  return {};
}

void Acquisition::cancel(SteadyTime now) { tell({AcquireEvent::Kind::Cancel}, now); }

void Acquisition::release(SteadyTime now) {
  // A lost hold is released too: what is left of it in Redis is ours or it is not touched.
  m_reportLost = std::exchange(m_lost, false);
  const std::int64_t left = m_reportLost ? 0 : m_count - 1;
  if (left == 0)
    act(m_watchdog.on({LeaseEvent::Kind::Stop}, now), now);
  if (left == 0 && !m_reportLost)
    m_record.releaseBegan(now);
  m_count = left;
  m_reportRelease = true;
  m_recordRelease = true;
  if (left == 0 && !m_reportLost && localSuccessor() != nullptr) {
    ++m_outstanding;
    m_isHandingOn = true;
    refreshSettled();
    return m_driver.handOnSoon(*this);
  }
  startRelease(left, false, now);
  if (left == 0 && !m_entry.primitive.isGuardedByWatch()) // which takes a round trip before it releases
    m_waitQueue->goneOut(*this, now);
}

void Acquisition::detach(SteadyTime now) {
  m_session = nullptr;
  tell({AcquireEvent::Kind::Cancel}, now);
  if (m_count > 0 || m_lost) {
    m_count = std::min<std::int64_t>(m_count, 1);
    release(now);
  }
  m_reportRelease = false;
  retireIfDone();
}

void Acquisition::tell(AcquireEvent event, SteadyTime now) {
  // An ask that is to be acknowledged goes by another connection than the release before it: its refusal may be older than this word
  // and come later.
  if (event.kind == AcquireEvent::Kind::Freed && m_acknowledge.isWanted())
    event.kind = AcquireEvent::Kind::Woken;
  auto actions = m_acquire.on(event, now);
  if (actions.subscribe && listen()) {
    // Heard already, but not when it asked: it may ask again at once.
    act(actions, now);
    if (m_acquire.state() != AcquireMachine::State::Subscribing)
      return;
    actions = m_acquire.on({AcquireEvent::Kind::Subscribed}, now);
  }
  act(actions, now);
  if (m_isUnsent && m_acquire.state() == AcquireMachine::State::GivingUp)
    forgetUnsentAsk(now);
}

void Acquisition::act(const AcquireActions &actions, SteadyTime now) {
  // A re-entry that is granted after its cancel is a count too many, unless all of them are released behind it already.
  const bool isReleased = m_reenters && m_count == 0 && !m_lost;
  if (actions.giveBack && !isReleased)
    giveBack(actions.doubtful, now);
  if (actions.unsubscribe)
    stopListening(now);
  if (actions.ask)
    sendAcquire(now);
  m_acquireAlarm = actions.alarm;
  refreshAlarm();
  if (actions.report)
    conclude(now);
  else
    refreshSettled();
}

void Acquisition::act(const ReleaseActions &actions) {
  if (actions.send)
    sendRelease();
  m_releaseAlarm = actions.alarm;
  refreshAlarm();
  refreshSettled();
  if (!actions.report || !std::exchange(m_recordRelease, false))
    return;
  const auto outcome = m_reportLost ? ReleaseOutcome::NotOwner : m_release.outcome();
  m_record.releaseEnded(outcome, m_error);
  if (!std::exchange(m_reportRelease, false))
    return;
  if (m_session != nullptr)
    m_session->released(outcome, outcome == ReleaseOutcome::InDoubt || outcome == ReleaseOutcome::Failed ? &m_error : nullptr);
}

void Acquisition::act(const LeaseActions &actions, SteadyTime now) {
  if (actions.send)
    sendRenewal();
  m_leaseAlarm = actions.alarm;
  refreshAlarm();
  if (!actions.lost)
    return;
  m_count = 0;
  m_lost = true;
  m_record.lost(m_watchdog.reason(), now);
  m_waitQueue->lost(*this, now);
  if (m_session != nullptr)
    m_session->lost(m_watchdog.reason());
  if (isUpgrading())
    tellHoldLost(now);
}

void Acquisition::giveBack(bool doubtful, SteadyTime now) {
  // Of an upgrade whose hold was released meanwhile nothing is left: the release took it too, and what comes behind it finds no reader.
  if (!m_upgrade || m_count > 0 || m_lost)
    startRelease(m_count, doubtful, now);
}

void Acquisition::startRelease(std::int64_t left, bool doubtful, SteadyTime now) {
  m_left = left;
  if (m_isLocalSuccessor && left == 0)
    m_entry.inherited = 0;
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

void Acquisition::conclude(SteadyTime now) {
  using Verdict = AcquireMachine::Verdict;
  const bool granted = m_acquire.verdict() == Verdict::Granted;
  m_record.concluded(m_acquire.verdict(), m_error, now);
  if (granted)
    becomeHeld(now);
  else
    leaveWaitQueue(now);
  refreshSettled();
  if (m_session != nullptr)
    m_session->concluded(outcome());
}

void Acquisition::leaveWaitQueue(SteadyTime now) {
  m_waitQueue->leave(*this, now);
  if (m_waitQueue->inside() == this) // it was handed to us, and we do not want it any more
    m_waitQueue->goneOut(*this, now);
}

void Acquisition::becomeHeld(SteadyTime now) {
  if (m_upgrade)
    m_mode.shared = false;
  else
    ++m_count;
  if (m_upgrade || m_count > 1) {
    act(m_watchdog.extend(m_acquire.validUntil(), m_lease), now);
    return;
  }
  m_record.held(now);
  using Renewals = LeaseWatchdog::Renewals;
  m_fence = m_acquire.fence();
  if (!m_isLocalSuccessor) {
    m_lastFence = m_fence + HandoffLock::fencesOfAGrant - 1;
    m_entry.granted = std::max(m_entry.granted, m_fence);
  }
  const bool isShort = m_entry.primitive.word() == Primitive::Word::OnInbox && m_acquire.validUntil() < now + m_lease * 9 / 10; // it was passed on
  const auto renewals = m_renew ? Renewals::On : isShort ? Renewals::Once : Renewals::None;
  act(m_watchdog.start(now, m_acquire.validUntil(), m_lease, renewals, m_driver.nextSeed()), now);
  m_waitQueue->letIn(*this, now);
}

void Acquisition::lookNow(SteadyTime now) { act(m_watchdog.on({LeaseEvent::Kind::LookNow}, now), now); }

void Acquisition::ring(SteadyTime now) {
  if (const auto planned = m_leaseAlarm; planned <= now) {
    const auto actions = m_watchdog.on({LeaseEvent::Kind::Alarm}, now);
    if (actions.send)
      m_record.renewalDue(planned);
    act(actions, now);
  }
  if (m_releaseAlarm <= now)
    act(m_release.on(ReleaseEvent::Alarm, now));
  if (m_acquireAlarm <= now)
    tell({AcquireEvent::Kind::Alarm}, now);
  refreshAlarm();
  retireIfDone();
}

void Acquisition::reconnected(std::size_t, bool restarted, SteadyTime now) {
  act(m_release.on(ReleaseEvent::Reconnected, now));
  act(m_watchdog.on({LeaseEvent::Kind::LookNow, restarted}, now), now);
  tell({AcquireEvent::Kind::Woken}, now);
}

void Acquisition::refreshAlarm() { m_driver.setAlarm(*this, std::min({m_acquireAlarm, m_releaseAlarm, m_leaseAlarm})); }

void Acquisition::refreshSettled() {
  const bool givesUp = m_acquire.state() == AcquireMachine::State::GivingUp;
  m_driver.setUnsettled(*this, !m_release.settled() || givesUp || m_isHandingOn);
  const bool isAbandoned = (givesUp && !m_isUnsent) || (m_release.state() == ReleaseMachine::State::Sent && !m_recordRelease);
  if (std::exchange(m_isAbandoned, isAbandoned) == isAbandoned)
    return;
  if (isAbandoned)
    m_entry.asks.abandoned();
  else
    for (auto *acquisition : m_entry.asks.settled())
      m_driver.askSoon(*acquisition);
}

void Acquisition::retireIfDone() {
  if (m_session == nullptr && isSettled() && m_count == 0)
    m_driver.retire(*this);
}

} // namespace lockhouse
