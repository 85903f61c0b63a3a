// SPDX-License-Identifier: Apache-2.0
#include "core/client/node/acquisition.h"

#include "core/client/node/node_driver.h"
#include "core/lock/primitives/reply_readers.h"

#include <algorithm>
#include <utility>

namespace lockhouse {
namespace {

Error tooLate(const NodeDriver &driver) {
  return {ErrorCode::Timeout, LH_ENGLISH("the lock was granted later than its lease lasts and is given back"), driver.address(),
          LH_ENGLISH("take a longer lease or look at the node's latency")};
}

Error unanswered(const NodeDriver &driver) {
  if (const auto *why = driver.why(); why != nullptr && driver.state() != Connection::State::Ready)
    return *why;
  return {ErrorCode::Timeout, LH_ENGLISH("the node has not answered"), driver.address(),
          LH_ENGLISH("look at its load, and whether it is stopped; what it grants late is given back")};
}

Error notAcknowledged(const NodeDriver &driver) {
  return {ErrorCode::TooFewCopies, LH_ENGLISH("the wait limit ended before the replicas had acknowledged the hold, which is given back"), driver.address(),
          LH_ENGLISH("look at INFO replication of the node, or wait longer")};
}

} // namespace

Acquisition::Acquisition(NodeDriver &driver, LockEntry &entry)
    : m_driver(driver), m_owner(driver, entry, *this), m_hold(m_owner, *this), m_release(m_owner, m_hold, *this), m_attempt(m_owner, m_hold, m_release, *this),
      m_handoff(m_owner) {}

Acquisition::~Acquisition() { m_driver.inbox().remove(m_owner.number); }

// Calls of the session.

Result<void> Acquisition::acquire(const AcquireMachine::Plan &plan, const LockOptions &options, SteadyTime now) {
  const bool isFirst = m_hold.count() == 0;
  if (isFirst) {
    if (auto named = nameOwner(); !named)
      return named;
    m_hold.forgetLoss();
  }
  m_owner.mode = options.mode;
  m_renews = options.renew;
  m_attempt.setAcknowledge(options.acknowledge);
  // An acquire that asks only once wakes the waiters of others, too.
  m_owner.publishes = options.policy.value_or(plan.policy).kind == AcquirePolicy::Kind::PubSub || plan.policy.kind == AcquirePolicy::Kind::PubSub;
  begin(isFirst ? AcquireAttempt::Purpose::FirstHold : AcquireAttempt::Purpose::Reentry, plan, now);
  if (isFirst) {
    m_owner.queue = &m_owner.entry.waitQueueOf(plan.policy);
    m_owner.queue->enter(*this, m_attempt.waits(), now);
  } else
    onEvent({AcquireEvent::Kind::Start}, now);
  return {};
}

// A re-entrant owner keeps its name: Redis stores counts by name.
Result<void> Acquisition::nameOwner() {
  if (!m_owner.token.empty() && m_owner.primitive().isReentrant())
    return {};
  const auto before = m_owner.number;
  if (auto named = m_owner.rename(); !named)
    return named;
  m_driver.inbox().remove(before);
  m_handoff.reset();
  if (m_owner.primitive().word() == Primitive::Word::OnInbox)
    m_driver.inbox().add(m_owner.number, *this);
  return {};
}

void Acquisition::begin(AcquireAttempt::Purpose purpose, const AcquireMachine::Plan &plan, SteadyTime now) {
  const bool isHinted = m_owner.publishes && m_owner.primitive().word() == Primitive::Word::Hint;
  m_owner.listener = isHinted ? numberedOwner(m_driver.clientId(), m_owner.number).bytes() : std::string();
  if (isHinted) // before the command: a message may overtake its refusal
    m_driver.inbox().add(m_owner.number, *this);
  m_attempt.begin(purpose, plan, now);
}

void Acquisition::cancel(SteadyTime now) { onEvent({AcquireEvent::Kind::Cancel}, now); }

bool Acquisition::becomeReader(SteadyTime now) {
  if (m_hold.count() == 0 || m_owner.mode.shared || !m_owner.primitive().canBecomeReader())
    return false;
  m_hold.becomeReader(now);
  return true;
}

void Acquisition::becomeWriter(const AcquireMachine::Plan &plan, SteadyTime now) {
  // An earlier upgrade may still be taken back. The commands of this one do that too, and the release of that one would take this one back.
  m_release.abandon();
  ++m_owner.upgrades.begun;
  begin(AcquireAttempt::Purpose::Upgrade, plan, now);
  onEvent({AcquireEvent::Kind::Start}, now);
  onEvent({AcquireEvent::Kind::Turn}, now); // before all others, so it keeps the server's queue going like the first of them
}

void Acquisition::release(SteadyTime now) {
  const auto left = m_hold.removeCount(now);
  m_release.expectReport(left.wasLost);
  if (left.count == 0 && !left.wasLost && m_handoff.successor() != nullptr) {
    m_handoff.setPlanned(true);
    settledChanged();
    return m_driver.scheduleHandoff(*this);
  }
  m_release.start(left.count, false, now);
  if (left.count == 0 && !m_owner.primitive().isGuardedByWatch()) // which takes a round trip before it releases
    m_owner.queue->released(*this, now);
}

void Acquisition::detach(SteadyTime now) {
  m_session = nullptr;
  cancel(now);
  if (m_hold.count() > 0 || m_hold.isLost()) {
    m_hold.keepLastCount();
    release(now);
  }
  m_release.dropReport();
  advanced();
}

// Reports of the parts.

void Acquisition::concluded(SteadyTime now) {
  const auto verdict = m_attempt.machine().verdict();
  m_owner.metrics.concluded(verdict, m_attempt.error(), now);
  if (verdict == AcquireMachine::Verdict::Granted)
    becomeHeld(now);
  else
    leaveQueue(now);
  settledChanged();
  if (m_session != nullptr)
    m_session->concluded(outcome());
}

void Acquisition::becomeHeld(SteadyTime now) {
  const auto &machine = m_attempt.machine();
  if (m_attempt.isUpgrade())
    return m_hold.becomeWriter(machine.validUntil(), now);
  if (m_hold.count() > 0)
    return m_hold.addCount(machine.validUntil(), now);
  m_owner.metrics.held(now);
  m_owner.fence = machine.fence();
  if (!m_owner.isInherited)
    m_handoff.granted();
  using Renewals = LeaseWatchdog::Renewals;
  // A hold that was passed on may have less than its lease.
  const bool isShort = m_owner.primitive().word() == Primitive::Word::OnInbox && machine.validUntil() < now + m_owner.lease * 9 / 10;
  m_hold.start(machine.validUntil(), m_renews ? Renewals::On : isShort ? Renewals::Once : Renewals::None, now);
  m_owner.queue->acquired(*this, now);
}

void Acquisition::leaveQueue(SteadyTime now) {
  m_owner.queue->leave(*this, now);
  if (m_owner.queue->holder() == this) // the hold was handed to it, and is not wanted any more
    m_owner.queue->released(*this, now);
}

void Acquisition::released(ReleaseOutcome outcome, const Error *why) {
  if (m_session != nullptr)
    m_session->released(outcome, why);
}

void Acquisition::holdRenewed(SteadyTime validUntil) {
  if (m_session != nullptr)
    m_session->renewed(validUntil);
}

void Acquisition::holdLost(LossReason reason, SteadyTime now) {
  if (m_session != nullptr)
    m_session->lost(reason);
  if (m_attempt.isUpgrade() && isAcquiring())
    m_attempt.holdLost(now);
}

void Acquisition::settledChanged() {
  m_driver.setUnsettled(*this, !m_release.isSettled() || m_attempt.isGivingUp() || m_handoff.isPlanned());
  const bool isAbandoned = (m_attempt.isGivingUp() && !m_attempt.isUnsent()) || m_release.isAbandoned();
  if (std::exchange(m_isAbandoned, isAbandoned) == isAbandoned)
    return;
  if (isAbandoned)
    m_owner.entry.asks.abandoned();
  else
    for (auto *attempt : m_owner.entry.asks.settled())
      m_driver.scheduleAsk(*attempt);
}

void Acquisition::advanced() {
  if (m_session == nullptr && isSettled() && m_hold.count() == 0)
    m_driver.retire(*this);
}

bool Acquisition::isSettled() const {
  const bool awaitsReplies = m_attempt.isAwaitingReplies() || m_hold.isAwaitingReplies() || m_release.isAwaitingReplies();
  return !awaitsReplies && !m_handoff.isPlanned() && !m_handoff.isExpected() && m_attempt.isSettled() && m_release.isSettled();
}

void Acquisition::reconnected(std::size_t, bool restarted, SteadyTime now) {
  m_release.reconnected(now);
  m_hold.verify(now, restarted);
  onEvent({AcquireEvent::Kind::Woken}, now);
}

// Holds that come from another owner, or go to one.

bool Acquisition::isPassedOn(const Primitive &primitive, const LockName &lock, const PassedOn &grant, SteadyTime now) {
  if (&primitive != &m_owner.primitive() || lock != m_owner.entry.name)
    return false;
  if (primitive.word() == Primitive::Word::Hint && !isAcquiring())
    return false;
  // What this owner got by another one's name, and gave up since, was not given back under its own.
  if (!isAcquiring() && (m_owner.isInherited || (m_hold.count() == 0 && isSettled())))
    return false;
  m_owner.metrics.freed(now);
  m_handoff.setBehind(grant.behind);
  // An owner has several upgrades, and WAIT does not see the writes of another connection. The reply to our own command says whether it is
  // ours, and that command writes.
  if (grant.fence.value == 0 || m_attempt.isUpgrade() || m_attempt.wantsReplicas())
    onEvent({AcquireEvent::Kind::Woken}, now);
  else
    onEvent({.kind = AcquireEvent::Kind::PassedOn, .fence = grant.fence.value, .until = m_owner.entry.placesUntil}, now);
  return true;
}

void Acquisition::releaseOrphan(HandoffGrant grant, SteadyTime now) {
  m_handoff.takeOverToRelease(std::move(grant), now);
  m_release.start(0, false, now);
}

void Acquisition::handOver() {
  m_handoff.setPlanned(false);
  const auto now = SteadyClock::now();
  const auto until = m_hold.validUntil();
  // With less than a third of the lease left it is released: the server gives the next owner a whole one.
  auto *next = now + m_owner.lease / 3 < until ? m_handoff.successor() : nullptr;
  if (next == nullptr) {
    m_release.start(0, false, now);
    m_owner.queue->released(*this, now);
    return advanced();
  }
  const bool isBehind = !next->m_attempt.isQueued();
  auto grant = m_handoff.handOver(until, isBehind);
  if (!isBehind)
    m_owner.queue->handedOver(*next, now);
  next->m_handoff.setExpected(true); // the report below may make its session give up, which must not end it
  m_release.concludeWithoutCommand();
  settledChanged();
  m_owner.metrics.releaseEnded(ReleaseOutcome::Released, {});
  released(ReleaseOutcome::Released, nullptr);
  if (isBehind)
    m_owner.queue->released(*this, now);
  next->takeOver(std::move(grant), now);
  advanced();
}

void Acquisition::takeOver(HandoffGrant grant, SteadyTime now) {
  m_handoff.setExpected(false);
  if (!m_attempt.mayTakeOverHold() && !m_attempt.isQueued()) { // it gave up since, and may be about to release what is its own
    m_owner.entry.inheritedNumber = 0;
    m_driver.newAcquisition(m_owner.entry).releaseOrphan(std::move(grant), now);
    return advanced();
  }
  const auto until = grant.until;
  m_handoff.takeOver(std::move(grant));
  onEvent({.kind = AcquireEvent::Kind::PassedOn, .fence = m_owner.fence, .until = until}, now);
  advanced();
}

// The outcome for the session.

AcquireOutcome Acquisition::outcome() const {
  using Verdict = AcquireMachine::Verdict;
  const auto firstSeen = [this] { return m_owner.metrics.firstSeen(m_attempt.holder(), SteadyClock::now()); };
  switch (m_attempt.machine().verdict()) {
  case Verdict::Granted: {
    const bool hasFence = m_owner.fence != 0 && m_owner.primitive().isFenced();
    return Acquired{m_owner.token, m_hold.validUntil(), hasFence ? std::optional(Fence{m_owner.fence}) : std::nullopt, m_hold.count(),
                    m_attempt.acknowledged()};
  }
  case Verdict::Contended: return Contended{m_attempt.holder(), m_attempt.timeLeft(), firstSeen()};
  case Verdict::TimedOut:
    if (m_attempt.isAwaitingReplicas())
      return Failed{notAcknowledged(m_driver)};
    return TimedOut{m_attempt.holder(), firstSeen(), isHeldByOthers() ? std::nullopt : std::optional(unanswered(m_driver))};
  case Verdict::Cancelled: return Cancelled{};
  case Verdict::InDoubt: return InDoubt{m_attempt.error()};
  case Verdict::TooLate: return Failed{tooLate(m_driver)};
  case Verdict::None:
  case Verdict::TooFewCopies:
  case Verdict::Rejected:
  case Verdict::Unreachable: break;
  }
  return Failed{m_attempt.error()};
}

// A waiter in the local queue did not ask: the reply to the first waiter says it.
bool Acquisition::isHeldByOthers() const {
  const auto &own = m_attempt.machine();
  if (own.asks() > 0)
    return own.wasRefused();
  const auto *first = static_cast<const Acquisition *>(m_owner.queue->first());
  if (first == nullptr || m_owner.queue->holder() != nullptr)
    return true;
  const auto &machine = first->m_attempt.machine();
  return machine.asks() == 0 || machine.wasRefused();
}

} // namespace lockhouse
