// SPDX-License-Identifier: Apache-2.0
// What a tenure says to the server and to its own client, and what it hears.
#include "core/base/safe_text.h"
#include "core/client/node/acquisition.h"
#include "core/net/resp/command_format.h"

#include <algorithm>
#include <utility>

namespace lockhouse {
namespace {

constexpr milliseconds answerTime(100); // in which WAIT's own end is told, on a busy machine too

} // namespace

Primitive::Ask Acquisition::ask(std::int64_t count) const {
  return {.name = m_entry.name,
          .owner = m_owner,
          .lease = std::max(m_lease, m_count > 0 ? m_watchdog.lease() : milliseconds(0)),
          .count = count,
          .mode = m_mode,
          .policy = m_policy,
          .fence = m_fence,
          .served = m_served,
          .server = m_driver.server(),
          .upgrades = m_upgrades,
          .settledUpgrades = m_settledUpgrades,
          .upgrading = isUpgrading(),
          .listener = m_listener};
}

bool Acquisition::hears() const {
  switch (m_entry.primitive.word()) {
  case Primitive::Word::OnLock:
  case Primitive::Word::OnList: return m_entry.hears();
  case Primitive::Word::OnOwner: return Ear::hears();
  case Primitive::Word::OnInbox:
  case Primitive::Word::Hint: return m_driver.inbox().hears();
  }
  return false;
}

bool Acquisition::listen() {
  const auto &primitive = m_entry.primitive;
  switch (primitive.word()) {
  case Primitive::Word::OnLock: return m_driver.wakeups().listen(m_entry, primitive.wakeChannel(m_entry.name), primitive.isSharded(m_driver.server()));
  case Primitive::Word::OnList: return m_driver.wakeups().listenOnList(m_entry, primitive.block(m_entry.name, seconds(0)));
  case Primitive::Word::OnOwner: return m_driver.wakeups().listen(*this, primitive.ownerChannel(m_entry.name, m_owner), primitive.isSharded(m_driver.server()));
  case Primitive::Word::OnInbox:
  case Primitive::Word::Hint: return m_driver.inbox().listen();
  }
  return false;
}

void Acquisition::stopListening(SteadyTime now) {
  switch (m_entry.primitive.word()) {
  case Primitive::Word::OnLock:
  case Primitive::Word::OnList: return m_driver.wakeups().stop(m_entry, now);
  case Primitive::Word::OnOwner: return m_driver.wakeups().stop(*this, now);
  case Primitive::Word::OnInbox:
  case Primitive::Word::Hint: return m_driver.inbox().stop(now);
  }
}

void Acquisition::sendAcquire(SteadyTime now) {
  ++m_outstanding;
  m_isUnsent = true;
  if (m_waits && m_driver.connection().state() == Connection::State::Ready && m_entry.asks.holdsBack(*this))
    return;
  if (m_entry.passesOn) // behind what the new owner sends, for whom all others wait
    m_driver.askSoon(*this);
  else
    sendAsk(now);
}

void Acquisition::forgetUnsentAsk(SteadyTime now) {
  m_isUnsent = false;
  m_entry.asks.forget(*this);
  m_driver.forgetAsk(*this);
  --m_outstanding;
  tell({AcquireEvent::Kind::Unsent}, now);
  retireIfDone();
}

void Acquisition::sendAsk(SteadyTime now) {
  m_isUnsent = false;
  if (m_entry.releaseGathered)
    m_driver.releases().leave(); // of the one before: it has to arrive first
  // A re-entry asks for its own lease only: the script lets the lease grow, never shrink.
  const Primitive::Ask wanted{.name = m_entry.name,
                              .owner = m_owner,
                              .lease = m_lease,
                              .count = m_upgrade ? m_count : m_count + 1,
                              .mode = m_mode,
                              .policy = m_policy,
                              .waits = m_waits,
                              .refresh = m_entry.placesUntil < now + m_lease * 2 / 3,
                              .server = m_driver.server(),
                              .upgrades = m_upgrades,
                              .settledUpgrades = m_settledUpgrades,
                              .upgrading = m_upgrade,
                              .listener = m_waits ? std::string_view(m_listener) : std::string_view()};
  m_steps = 0;
  // Who asks only once is told at once who has it.
  sendAcquireStep(m_entry.primitive.acquire(wanted, m_acquire.asks() > 1 || !m_waits));
}

void Acquisition::sendAcquireStep(Command command) {
  m_sent = command.name();
  auto answered = [this, serial = m_askSerial](const Result<Reply> &reply) { acquireAnswered(serial, reply); };
  if (m_acknowledge.isWanted())
    m_driver.acknowledgedLane().send(std::move(command), answered);
  else
    m_driver.send(std::move(command), answered);
}

void Acquisition::sendRelease() {
  ++m_outstanding;
  if (m_left == 0 && (m_wake || m_entry.primitive.isReentrant()) && m_entry.hears())
    m_waitQueue->expectOwn();
  const bool scripted = m_driver.server().compareAndDelete == ServerFeatures::CompareAndDelete::Script; // which cost more to start than to run
  if (m_left == 0 && !m_wake && scripted && m_entry.primitive.mostTogether() > 1)
    m_driver.releases().add(*this, m_releaseSerial);
  else
    sendReleaseAlone(m_releaseSerial);
}

void Acquisition::sendReleaseAlone(std::uint32_t serial) {
  m_byCompareCommand = m_driver.server().compareAndDelete != ServerFeatures::CompareAndDelete::Script;
  sendGuarded(m_entry.primitive.release(ask(m_left), m_wake), [this, serial](const Result<Reply> &reply) { releaseAnswered(serial, reply); });
}

void Acquisition::sendRenewal() {
  ++m_outstanding;
  auto command = m_entry.primitive.renew(ask(m_count));
  // Nobody awaits its answer: sent again after NOSCRIPT it would come behind the release of the hold, and find the next one.
  if (std::exchange(m_tellsReader, false) && command.script() != nullptr)
    command = evalOf(command);
  sendGuarded(std::move(command), [this, as = sentAs()](const Result<Reply> &reply) { renewalAnswered(reply, as); });
}

void Acquisition::sendGuarded(Command command, Connection::Handler handler) {
  if (m_entry.primitive.isGuardedByWatch())
    m_driver.watchLane().run(m_entry.name.bytes(), m_owner.bytes(), std::move(command), std::move(handler));
  else
    m_driver.send(std::move(command), std::move(handler));
}

void Acquisition::acquireAnswered(std::uint32_t serial, const Result<Reply> &reply) {
  if (m_driver.isEnding()) // what it may have taken cannot be given back any more
    return;
  const NodeDriver::Core::ReentrancyGuard visit(m_driver);
  if (serial != m_askSerial) { // of a re-entry or an upgrade that was given up: another acquire has begun, which sees to what this one left
    --m_outstanding;
    return retireIfDone();
  }
  if (auto next = reply ? m_entry.primitive.acquireNext(ask(m_count + 1), m_sent, *reply) : std::nullopt) {
    ++m_steps;
    return sendAcquireStep(std::move(*next));
  }
  --m_outstanding;
  if (m_upgrade && reply && reply->failureWord().empty())
    m_settledUpgrades = m_upgrades;
  const auto now = SteadyClock::now();
  auto answer = readAcquire(m_entry.primitive, m_sent, reply, m_driver.address());
  using Kind = AcquireEvent::Kind;
  const auto kind = answer.event.kind;
  if (m_steps > 0 && (kind == Kind::Unsent || kind == Kind::Busy || kind == Kind::Rejected))
    answer.event.kind = Kind::Unanswered; // an earlier step of it may have taken the lock
  if (answer.holdLost)
    lookNow(now);
  if (answer.event.kind == AcquireEvent::Kind::Granted && m_lost) { // a re-entry, and the hold was lost meanwhile
    startRelease(0, false, now);
    answer = {.event = {AcquireEvent::Kind::Rejected}, .holdLost = true};
  }
  if (answer.holdLost)
    answer.error = holdLost();
  if (answer.event.kind == AcquireEvent::Kind::Refused)
    noteRefusal(answer);
  if (answer.error)
    m_error = std::move(*answer.error);
  if (answer.event.kind == AcquireEvent::Kind::Granted && m_acknowledge.isWanted() && isAcquiring())
    return awaitReplicas(answer, now);
  takeAnswer(answer, now);
}

void Acquisition::takeAnswer(const ReadAcquire &answer, SteadyTime now) {
  tell(answer.event, now);
  m_waitQueue->room(*this, answer.room, now);
  // The first of us in the server's line had lost its place, so the others have lost theirs: the data was flushed.
  if (answer.newPlace && m_acquire.asks() > 1 && m_waitQueue->first() == this)
    m_waitQueue->tellAskers({AcquireEvent::Kind::Woken}, now);
  retireIfDone();
}

// The machine does not know of the grant yet: to it, this is still its ask.
void Acquisition::awaitReplicas(const ReadAcquire &granted, SteadyTime now) {
  ++m_outstanding;
  m_awaitsReplicas = true;
  // A little before the wait limit, so that the answer can say how many had it by then. Who had no time to wait asked all the same.
  const auto deadline = m_acquire.deadline();
  const bool isBound = m_waits && deadline != AcquireActions::never;
  const auto left = deadline - now;
  const auto reserve = std::min(std::max<SteadyClock::duration>(left / 10, answerTime), left / 2);
  const auto patience = isBound ? deadline - reserve : AcquireActions::never;
  const auto ends = std::min(m_acquire.askedAt() + m_lease - driftOf(m_lease), patience);
  const auto limit = std::min(m_acknowledge.limit, std::chrono::floor<milliseconds>(std::min<SteadyClock::duration>(ends - now, longestTime)));
  m_driver.acknowledgedLane().wait(m_acknowledge, limit, [this, serial = m_askSerial, answer = granted](Result<Acknowledged> acknowledged) mutable {
    if (m_driver.isEnding())
      return;
    const NodeDriver::Core::ReentrancyGuard visit(m_driver);
    --m_outstanding;
    if (serial != m_askSerial) // as in acquireAnswered()
      return retireIfDone();
    m_awaitsReplicas = false;
    if (acknowledged)
      m_acknowledged = *acknowledged;
    else {
      answer.event.kind = AcquireEvent::Kind::TooFewCopies;
      m_error = std::move(acknowledged.error());
    }
    takeAnswer(answer, SteadyClock::now());
  });
}

void Acquisition::noteRefusal(ReadAcquire &answer) {
  m_holder = std::move(answer.holder);
  m_timeLeft = answer.event.timeLeft;
  m_record.refused(m_holder, SteadyClock::now());
  m_waitQueue->refused(*this);
  if (answer.refreshed)
    m_entry.keptUntil(m_acquire.askedAt() + m_lease - driftOf(m_lease));
}

void Acquisition::releaseAnswered(std::uint32_t serial, const Result<Reply> &reply) {
  const NodeDriver::Core::ReentrancyGuard visit(m_driver);
  --m_outstanding;
  if (m_byCompareCommand && reply && (reply->failureWord() == "NOPERM" || reply->failureWord() == "ERR")) {
    m_driver.releaseByScripts();
    ++m_outstanding;
    return sendReleaseAlone(serial);
  }
  if (serial == m_releaseSerial) {
    auto answer = readRelease(m_entry.primitive, reply, m_driver.address());
    if (answer.error)
      m_error = std::move(*answer.error);
    if (answer.event != ReleaseEvent::Released)
      m_waitQueue->forgetOwn();
    const auto now = SteadyClock::now();
    if (m_left == 0 && m_entry.primitive.isGuardedByWatch())
      m_waitQueue->goneOut(*this, now);
    if (m_left == 0 && (answer.event == ReleaseEvent::Released || answer.event == ReleaseEvent::NotOwner))
      m_waitQueue->freed(now);
    m_entry.passesOn = !answer.passedOn.empty();
    act(m_release.on(answer.event, now));
    m_entry.passesOn = false;
    for (const auto &grant : answer.passedOn) // after the outcome was told: who is told first was out first
      m_driver.inbox().passedOn(m_entry.primitive, m_entry.name, grant, now);
  }
  retireIfDone();
}

void Acquisition::renewalAnswered(const Result<Reply> &reply, const SentAs &as) {
  const NodeDriver::Core::ReentrancyGuard visit(m_driver);
  --m_outstanding;
  auto event = readRenewal(m_entry.primitive, reply);
  if (event.kind == LeaseEvent::Kind::TakenOver && as != sentAs()) // a reader was looked for, and by now it is the writer, or the other way round:
    event.kind = LeaseEvent::Kind::Refused;                        // the server had to be taught the script, and what was sent later came first
  if (event.kind == LeaseEvent::Kind::Renewed && as == sentAs() && !as.upgrading)
    m_settledUpgrades = m_upgrades;
  const auto now = SteadyClock::now();
  m_record.renewalAnswered(event.kind == LeaseEvent::Kind::Renewed, now);
  act(m_watchdog.on(event, now), now);
  if (event.kind == LeaseEvent::Kind::Renewed && m_session != nullptr && m_watchdog.isHeld(now))
    m_session->renewed(m_watchdog.validUntil());
  retireIfDone();
}

void Acquisition::stands(bool hears) {
  const NodeDriver::Core::ReentrancyGuard visit(m_driver);
  tell({hears ? AcquireEvent::Kind::Subscribed : AcquireEvent::Kind::SubscribeFailed}, SteadyClock::now());
}

void Acquisition::heard(std::string_view) {
  m_record.freed(SteadyClock::now());
  gap();
}

void Acquisition::gap() {
  const NodeDriver::Core::ReentrancyGuard visit(m_driver);
  tell({AcquireEvent::Kind::Woken}, SteadyClock::now());
}

} // namespace lockhouse
