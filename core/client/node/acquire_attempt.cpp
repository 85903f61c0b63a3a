// SPDX-License-Identifier: Apache-2.0
#include "core/client/node/acquire_attempt.h"

#include "core/base/lockhouse_names.h"
#include "core/base/safe_text.h"
#include "core/client/node/node_driver.h"
#include "core/client/node/reply_events.h"
#include "core/lock/options/lock_options.h"

#include <algorithm>
#include <utility>

namespace lockhouse {
namespace {

constexpr milliseconds replyTime(100); // in which the reply to WAIT arrives, on a busy machine too

using Kind = AcquireEvent::Kind;

} // namespace

AcquireAttempt::AcquireAttempt(LockOwner &owner, Hold &hold, ReleaseAttempt &release, Observer &observer)
    : m_owner(owner), m_hold(hold), m_release(release), m_observer(observer) {}

AcquireAttempt::~AcquireAttempt() {
  auto &driver = m_owner.driver;
  if (m_isUnsent) {
    m_owner.entry.asks.forget(*this);
    driver.forgetAsk(*this);
  }
  driver.dropAlarm(*this);
  driver.wakeups().remove(*this);
}

void AcquireAttempt::setAcknowledge(const ReplicaAck &acknowledge) {
  m_acknowledge = acknowledge;
  m_acknowledged.reset();
}

void AcquireAttempt::begin(Purpose purpose, const AcquireMachine::Plan &plan, SteadyTime now) {
  ++m_serial;
  m_purpose = purpose;
  m_isAwaitingReplicas = false;
  m_holder.reset();
  m_timeLeft.reset();
  m_machine = AcquireMachine(plan);
  m_owner.lease = plan.lease;
  m_owner.policy = plan.policy;
  m_owner.upgrades.isUnderWay = false;
  m_owner.metrics.began(now);
  m_waits = plan.policy.waits() && !(plan.deadline && *plan.deadline <= now);
}

AcquireActions AcquireAttempt::step(AcquireEvent event, SteadyTime now) {
  auto actions = m_machine.on(event, now);
  m_owner.upgrades.isUnderWay = isUpgrade() && isUnderWay();
  return actions;
}

void AcquireAttempt::onEvent(AcquireEvent event, SteadyTime now) {
  // A lock that replicas acknowledge is acquired by another connection than the one that releases it. A refusal may be older than this
  // confirmed release, and arrive later.
  if (event.kind == Kind::ReleaseConfirmed && wantsReplicas())
    event.kind = Kind::Woken;
  auto actions = step(event, now);
  if (actions.subscribe && subscribe()) {
    // Messages arrived before, but perhaps not yet when it asked: it may ask again at once.
    act(actions, now);
    if (m_machine.state() != AcquireMachine::State::Subscribing)
      return;
    actions = step({Kind::Subscribed}, now);
  }
  act(actions, now);
  if (m_isUnsent && isGivingUp())
    forgetUnsentAsk(now);
}

void AcquireAttempt::act(const AcquireActions &actions, SteadyTime now) {
  // A re-entry that is granted after its cancel is one count too many, unless all of them have been released since.
  const bool isReleased = m_purpose == Purpose::Reentry && m_hold.count() == 0 && !m_hold.isLost();
  if (actions.giveBack && !isReleased)
    giveBack(actions.doubtful, now);
  if (actions.unsubscribe)
    m_owner.driver.wakeups().unsubscribe(listener(), now);
  if (actions.ask)
    scheduleAsk(now);
  m_owner.driver.setAlarm(*this, actions.alarm);
  if (actions.report)
    m_observer.concluded(now);
  else
    m_observer.settledChanged();
}

// Of an upgrade whose hold was released meanwhile nothing is left: the release took it too, and what arrives later finds no reader.
void AcquireAttempt::giveBack(bool doubtful, SteadyTime now) {
  if (!isUpgrade() || m_hold.count() > 0 || m_hold.isLost())
    m_release.start(m_hold.count(), doubtful, now);
}

void AcquireAttempt::holdLost(SteadyTime now) {
  m_error = holdLostError();
  onEvent({Kind::HoldLost}, now);
}

Error AcquireAttempt::holdLostError() const {
  const auto what = isUpgrade() ? LH_ENGLISH("the reader's hold that was to become the writer's is lost") : LH_ENGLISH("the hold to be entered again is lost");
  return {ErrorCode::Server, what, safeText(m_owner.entry.name.bytes(), 80), LH_ENGLISH("stop the work that it protects")};
}

// Commands.

void AcquireAttempt::scheduleAsk(SteadyTime now) {
  auto &driver = m_owner.driver;
  ++m_awaited;
  m_isUnsent = true;
  if (m_waits && driver.state() == Connection::State::Ready && m_owner.entry.asks.holdsBack(*this))
    return;
  if (m_owner.entry.isReportingPassedOnHold) // behind what the new owner sends: all others wait for that one
    driver.scheduleAsk(*this);
  else
    sendAsk(now);
}

void AcquireAttempt::forgetUnsentAsk(SteadyTime now) {
  m_isUnsent = false;
  m_owner.entry.asks.forget(*this);
  m_owner.driver.forgetAsk(*this);
  --m_awaited;
  onEvent({Kind::Unsent}, now);
  m_observer.advanced();
}

void AcquireAttempt::sendAsk(SteadyTime now) {
  m_isUnsent = false;
  const auto &entry = m_owner.entry;
  if (entry.isReleaseInBatch)
    m_owner.driver.releases().flush(); // the release of the owner before has to arrive first
  // A re-entry asks for its own lease only: the script lets the lease grow, never shrink.
  const Primitive::Ask wanted{.name = entry.name,
                              .owner = m_owner.token,
                              .lease = m_owner.lease,
                              .count = isUpgrade() ? m_hold.count() : m_hold.count() + 1,
                              .mode = m_owner.mode,
                              .policy = m_owner.policy,
                              .waits = m_waits,
                              .refresh = entry.placesUntil < now + m_owner.lease * 2 / 3,
                              .server = m_owner.driver.server(),
                              .upgrades = m_owner.upgrades.begun,
                              .settledUpgrades = m_owner.upgrades.settled,
                              .upgrading = isUpgrade(),
                              .listener = m_waits ? std::string_view(m_owner.listener) : std::string_view()};
  m_steps = 0;
  // To an acquire that asks only once, the reply names the holder at once.
  send(m_owner.primitive().acquire(wanted, m_machine.asks() > 1 || !m_waits));
}

void AcquireAttempt::send(Command command) {
  m_sent = command.name();
  auto handler = [this, serial = m_serial](const Result<Reply> &reply) { answered(serial, reply); };
  if (wantsReplicas())
    m_owner.driver.waitConnection().send(std::move(command), handler);
  else
    m_owner.driver.send(std::move(command), handler);
}

// Replies.

void AcquireAttempt::answered(std::uint32_t serial, const Result<Reply> &reply) {
  if (m_owner.driver.isEnding()) // what it may have taken cannot be given back any more
    return;
  const NodeDriver::ReentrancyGuard guard(m_owner.driver);
  if (serial != m_serial) { // of a re-entry or an upgrade that was given up: the next acquire has begun, and settles what this one left
    --m_awaited;
    return m_observer.advanced();
  }
  if (auto next = reply ? m_owner.primitive().acquireNext(m_hold.ask(m_hold.count() + 1), m_sent, *reply) : std::nullopt) {
    ++m_steps;
    return send(std::move(*next));
  }
  --m_awaited;
  const auto now = SteadyClock::now();
  auto answer = read(reply, now);
  if (answer.event.kind == Kind::Granted && wantsReplicas() && isUnderWay())
    return awaitReplicas(answer, now);
  take(answer, now);
}

ReadAcquire AcquireAttempt::read(const Result<Reply> &reply, SteadyTime now) {
  if (isUpgrade() && reply && reply->failureWord().empty())
    m_owner.upgrades.settled = m_owner.upgrades.begun;
  auto answer = readAcquire(m_owner.primitive(), m_sent, reply, m_owner.driver.address());
  const auto kind = answer.event.kind;
  if (m_steps > 0 && (kind == Kind::Unsent || kind == Kind::Busy || kind == Kind::Rejected))
    answer.event.kind = Kind::Unanswered; // an earlier command of this ask may have taken the lock
  if (answer.holdLost)
    m_hold.verify(now);
  if (answer.event.kind == Kind::Granted && m_hold.isLost()) { // a re-entry, and the hold was lost meanwhile
    m_release.start(0, false, now);
    answer = {.event = {Kind::Rejected}, .holdLost = true};
  }
  if (answer.holdLost)
    answer.error = holdLostError();
  if (answer.event.kind == Kind::Refused)
    noteRefusal(answer, now);
  if (answer.error)
    m_error = std::move(*answer.error);
  return answer;
}

void AcquireAttempt::noteRefusal(ReadAcquire &answer, SteadyTime now) {
  m_holder = std::move(answer.holder);
  m_timeLeft = answer.event.timeLeft;
  m_owner.metrics.refused(m_holder, now);
  m_owner.queue->refused(m_owner.waiter);
  if (answer.refreshed)
    m_owner.entry.keepPlacesUntil(m_machine.askedAt() + m_owner.lease - driftOf(m_owner.lease));
}

void AcquireAttempt::take(const ReadAcquire &answer, SteadyTime now) {
  onEvent(answer.event, now);
  auto &queue = *m_owner.queue;
  queue.wakeForPlaces(m_owner.waiter, answer.room, now);
  // The first of this client in the server's queue had lost its place, so the others have lost theirs: the data was flushed.
  if (answer.newPlace && m_machine.asks() > 1 && queue.first() == &m_owner.waiter)
    queue.notifyAskers({Kind::Woken}, now);
  m_observer.advanced();
}

// The machine does not know the grant yet: for it, the ask is still under way.
void AcquireAttempt::awaitReplicas(const ReadAcquire &granted, SteadyTime now) {
  ++m_awaited;
  m_isAwaitingReplicas = true;
  auto handler = [this, serial = m_serial, answer = granted](Result<Acknowledged> acknowledged) mutable {
    if (m_owner.driver.isEnding())
      return;
    const NodeDriver::ReentrancyGuard guard(m_owner.driver);
    --m_awaited;
    if (serial != m_serial) // as in answered()
      return m_observer.advanced();
    m_isAwaitingReplicas = false;
    if (acknowledged)
      m_acknowledged = *acknowledged;
    else {
      answer.event.kind = Kind::TooFewCopies;
      m_error = std::move(acknowledged.error());
    }
    take(answer, SteadyClock::now());
  };
  m_owner.driver.waitConnection().wait(m_acknowledge, replicaLimit(now), std::move(handler));
}

// A little before the wait limit, so that the outcome can say how many replicas had it by then. An acquire without time to wait has asked
// all the same.
milliseconds AcquireAttempt::replicaLimit(SteadyTime now) const {
  const auto deadline = m_machine.deadline();
  const auto left = deadline - now;
  const auto reserve = std::min(std::max<SteadyClock::duration>(left / 10, replyTime), left / 2);
  const auto patience = m_waits && deadline != AcquireActions::never ? deadline - reserve : AcquireActions::never;
  const auto end = std::min(m_machine.askedAt() + m_owner.lease - driftOf(m_owner.lease), patience);
  return std::min(m_acknowledge.limit, std::chrono::floor<milliseconds>(std::min<SteadyClock::duration>(end - now, longestTime)));
}

// Messages.

bool AcquireAttempt::mayTakeOverHold() const {
  const auto state = m_machine.state();
  return (state == AcquireMachine::State::Sleeping || state == AcquireMachine::State::Subscribing) && !isUpgrade() && !wantsReplicas();
}

bool AcquireAttempt::isNotified() { return listener().isSubscribed(); }

// One for each lock, for each waiter or for the whole client.
WakeupSubscriptions::Listener &AcquireAttempt::listener() {
  switch (m_owner.primitive().word()) {
  case Primitive::Word::OnLock:
  case Primitive::Word::OnList: return m_owner.entry;
  case Primitive::Word::OnInbox:
  case Primitive::Word::Hint: return m_owner.driver.inbox();
  case Primitive::Word::OnOwner: break;
  }
  return *this;
}

bool AcquireAttempt::subscribe() {
  const auto &primitive = m_owner.primitive();
  const auto &name = m_owner.entry.name;
  auto &wakeups = m_owner.driver.wakeups();
  const bool isSharded = primitive.isSharded(m_owner.driver.server());
  switch (primitive.word()) {
  case Primitive::Word::OnLock: return wakeups.subscribe(listener(), primitive.wakeChannel(name), isSharded);
  case Primitive::Word::OnOwner: return wakeups.subscribe(listener(), primitive.ownerChannel(name, m_owner.token), isSharded);
  case Primitive::Word::OnList: return wakeups.blockOnList(listener(), primitive.block(name, seconds(0)));
  case Primitive::Word::OnInbox:
  case Primitive::Word::Hint: break;
  }
  return wakeups.subscribe(listener(), Channel(own::inboxChannel(m_owner.driver.clientId())));
}

void AcquireAttempt::onAlarm(SteadyTime now) {
  onEvent({Kind::Alarm}, now);
  m_observer.advanced();
}

void AcquireAttempt::subscribed(bool succeeded) {
  const NodeDriver::ReentrancyGuard guard(m_owner.driver);
  onEvent({succeeded ? Kind::Subscribed : Kind::SubscribeFailed}, SteadyClock::now());
}

void AcquireAttempt::messageReceived(std::string_view) {
  m_owner.metrics.freed(SteadyClock::now());
  messagesMissed();
}

void AcquireAttempt::messagesMissed() {
  const NodeDriver::ReentrancyGuard guard(m_owner.driver);
  onEvent({Kind::Woken}, SteadyClock::now());
}

} // namespace lockhouse
