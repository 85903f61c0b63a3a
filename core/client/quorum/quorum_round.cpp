// SPDX-License-Identifier: Apache-2.0
#include "core/client/quorum/quorum_round.h"

#include "core/client/node/reply_events.h"
#include "core/lock/options/lock_options.h"

#include <algorithm>
#include <utility>

namespace lockhouse {
namespace {

QuorumEvent::Kind eventOf(AcquireEvent::Kind kind) {
  using From = AcquireEvent::Kind;
  using To = QuorumEvent::Kind;
  switch (kind) {
  case From::Granted: return To::Granted;
  case From::Refused: return To::Refused;
  case From::Busy: return To::Busy;
  case From::Unsent: return To::Unsent;
  case From::Unanswered: return To::Unanswered;
  default: return To::Rejected;
  }
}

QuorumEvent::Kind eventOf(LeaseEvent::Kind kind) {
  using From = LeaseEvent::Kind;
  using To = QuorumEvent::Kind;
  switch (kind) {
  case From::Renewed: return To::Renewed;
  case From::Gone: return To::Gone;
  case From::TakenOver: return To::TakenOver;
  case From::Unsent: return To::Unsent;
  case From::Unanswered: return To::Unanswered;
  default: return To::Rejected;
  }
}

} // namespace

QuorumRound::QuorumRound(QuorumDriver::Core &driver, QuorumDriver::Core::LockEntry &entry, LockToken token, const LockOptions &options)
    : m_driver(driver), m_entry(entry), m_token(std::move(token)), m_lease(options.lease), m_mode(options.mode),
      m_machine({.members = driver.size(),
                 .capacity = entry.primitive.hasPermits() ? m_mode.capacity : 1,
                 .lease = m_lease,
                 .nodeTime = driver.nodeTime(m_lease),
                 .renew = options.renew,
                 .seed = driver.nextSeed()}),
      m_steps(driver.size()), m_releaseSerials(driver.size()) {
  ++m_entry.users;
  for (std::size_t i = 0; i < driver.size(); ++i)
    m_votes.push_back({.node = NodeId(driver.node(i).address())});
}

QuorumRound::~QuorumRound() {
  m_driver.dropAlarm(*this);
  m_driver.leaveEntry(m_entry);
}

void QuorumRound::start(SteadyTime now) { act(m_machine.on({QuorumEvent::Kind::Start}, now), now); }

void QuorumRound::becomeHold(const LockMetricsRecorder &record, SteadyTime now) {
  m_record = record;
  m_record->held(now);
}

void QuorumRound::release(SteadyTime now) {
  m_reportRelease = true;
  endHold(now);
  startRelease(now);
}

// By its owner, who releases it or goes.
void QuorumRound::endHold(SteadyTime now) {
  if (!m_record)
    return;
  m_record->releaseBegan(now);
  m_recordRelease = true;
}

void QuorumRound::detach(SteadyTime now) {
  m_owner = nullptr;
  if (!m_releasing) {
    endHold(now);
    startRelease(now);
  }
  retireIfDone();
}

std::vector<NodeVote> QuorumRound::votes() const {
  auto votes = m_votes;
  for (std::size_t i = 0; i < votes.size(); ++i)
    votes[i].vote = m_machine.vote(i);
  return votes;
}

void QuorumRound::act(const QuorumActions &actions, SteadyTime now) {
  for (std::size_t i = 0; i < m_votes.size(); ++i) {
    if (actions.ask.test(i))
      ask(i, now);
    if (actions.renew.test(i))
      renew(i);
  }
  m_machineAlarm = actions.alarm;
  if (m_record && actions.tell == QuorumActions::Tell::Renewed)
    m_record->renewalAnswered(true, now);
  if (m_record && actions.tell == QuorumActions::Tell::Lost)
    m_record->lost(m_machine.reason(), now);
  if (actions.tell == QuorumActions::Tell::Failed || actions.tell == QuorumActions::Tell::Lost)
    startRelease(now);
  refreshAlarm();
  tell(actions.tell);
}

void QuorumRound::tell(QuorumActions::Tell what) {
  if (m_owner == nullptr)
    return;
  switch (what) {
  case QuorumActions::Tell::Nothing: return;
  case QuorumActions::Tell::Won: return m_owner->won();
  case QuorumActions::Tell::Failed: return m_owner->failed(m_machine.failure());
  case QuorumActions::Tell::Renewed: return m_owner->renewed(m_machine.validUntil());
  case QuorumActions::Tell::Lost: return m_owner->lost(m_machine.reason());
  }
}

void QuorumRound::act(const QuorumReleaseActions &actions) {
  for (std::size_t i = 0; i < m_votes.size(); ++i)
    if (actions.send.test(i))
      giveBack(i);
  m_releaseAlarm = actions.alarm;
  refreshAlarm();
  refreshSettled();
  if (!actions.report)
    return;
  const auto outcome = m_release.outcome();
  if (std::exchange(m_recordRelease, false))
    m_record->releaseEnded(outcome, m_error);
  if (!m_reportRelease || m_owner == nullptr)
    return;
  m_owner->released(outcome, outcome == ReleaseOutcome::InDoubt || outcome == ReleaseOutcome::Failed ? &m_error : nullptr);
}

void QuorumRound::ask(std::size_t member, SteadyTime now) {
  auto &node = m_driver.node(member);
  const bool heals = m_machine.state() == QuorumMachine::State::Held;
  const auto absent = [&](QuorumEvent::Kind kind, Error why) {
    m_votes[member].why = std::move(why);
    m_absent.push_back({kind, member});
  };
  if (!node.isReady())
    return absent(QuorumEvent::Kind::Unsent, node.why());
  if (auto why = heals ? node.unfit() : node.whyNot(m_lease, now))
    return absent(QuorumEvent::Kind::Barred, std::move(*why));
  if (!heals && node.isSilent(m_driver.nodeTime(m_lease), now))
    return absent(QuorumEvent::Kind::Silent, {});
  ++m_outstanding;
  ++m_asksOut;
  // The form of later asks, which tells who has it: a quorum that is not reached is told node by node.
  m_steps[member].isFirst = true;
  askStep(member, m_entry.primitive.acquire(words(1), true));
}

void QuorumRound::askStep(std::size_t member, Command command) {
  m_steps[member].sent = command.name();
  m_driver.node(member).send(std::move(command), [this, member](const Result<Reply> &reply) { asked(member, reply); });
}

void QuorumRound::renew(std::size_t member) {
  ++m_outstanding;
  sendGuarded(member, m_entry.primitive.renew(words(1)), [this, member](const Result<Reply> &reply) { renewalAnswered(member, reply); });
}

void QuorumRound::sendGuarded(std::size_t member, Command command, Connection::Handler handler) {
  auto &node = m_driver.node(member);
  if (m_entry.primitive.isGuardedByWatch())
    node.sendGuarded(m_entry.name, m_token, std::move(command), std::move(handler));
  else
    node.send(std::move(command), std::move(handler));
}

void QuorumRound::giveBack(std::size_t member) {
  ++m_outstanding;
  const auto at = static_cast<std::uint32_t>(member);
  sendGuarded(member, m_entry.primitive.release(words(0), false),
              [this, at, serial = ++m_releaseSerials[member]](const Result<Reply> &reply) { releaseAnswered(at, serial, reply); });
}

void QuorumRound::asked(std::size_t member, const Result<Reply> &reply) {
  if (m_driver.isEnding()) // what it may have taken cannot be given back any more
    return;
  const QuorumDriver::Core::ReentrancyGuard visit(m_driver);
  auto &node = m_driver.node(member);
  auto &step = m_steps[member];
  node.answered();
  // A release that is under way has been sent behind the step that takes it.
  if (auto next = reply && !m_releasing ? m_entry.primitive.acquireNext(words(1), step.sent, *reply) : std::nullopt) {
    step.isFirst = false;
    return askStep(member, std::move(*next));
  }
  --m_outstanding;
  --m_asksOut;
  auto answer = readAcquire(m_entry.primitive, step.sent, reply, node.address());
  using Kind = AcquireEvent::Kind;
  if (!step.isFirst && (answer.event.kind == Kind::Unsent || answer.event.kind == Kind::Busy || answer.event.kind == Kind::Rejected))
    answer.event.kind = Kind::Unanswered; // an earlier step of it may have taken the lock
  if (answer.event.kind == Kind::Granted && !(m_mode.shared && m_entry.primitive.hasReaders()))
    m_room = std::min(m_room, answer.room);
  auto &vote = m_votes[member];
  vote.holder = std::move(answer.holder);
  vote.timeLeft = answer.event.timeLeft;
  vote.why = answer.error.value_or(Error{});
  const auto now = SteadyClock::now();
  const auto kind = eventOf(answer.event.kind);
  act(m_machine.on({kind, member}, now), now);
  // It may come after the release that was sent behind it, or it came after it: an ask whose script the node did not have is sent
  // once more, and then stands behind.
  const bool came = m_releasing && kind == QuorumEvent::Kind::Granted && !m_release.isReleasing(member);
  if (came || (m_releasing && kind == QuorumEvent::Kind::Unanswered))
    act(m_release.again(member, now + m_lease + driftOf(m_lease), now));
  refreshSettled();
  retireIfDone();
}

void QuorumRound::renewalAnswered(std::size_t member, const Result<Reply> &reply) {
  if (m_driver.isEnding())
    return;
  const QuorumDriver::Core::ReentrancyGuard visit(m_driver);
  --m_outstanding;
  m_driver.node(member).answered();
  const auto now = SteadyClock::now();
  const auto kind = eventOf(readRenewal(m_entry.primitive, reply).kind);
  if (m_record && !m_releasing && kind != QuorumEvent::Kind::Renewed)
    m_record->renewalAnswered(false, now);
  act(m_machine.on({kind, member}, now), now);
  retireIfDone();
}

void QuorumRound::releaseAnswered(std::uint32_t member, std::uint32_t serial, const Result<Reply> &reply) {
  if (m_driver.isEnding())
    return;
  const QuorumDriver::Core::ReentrancyGuard visit(m_driver);
  --m_outstanding;
  auto &node = m_driver.node(member);
  node.answered();
  if (serial == m_releaseSerials[member]) {
    auto answer = readRelease(m_entry.primitive, reply, node.address());
    if (answer.error)
      m_error = std::move(*answer.error);
    act(m_release.on(member, answer.event, SteadyClock::now()));
  }
  retireIfDone();
}

void QuorumRound::startRelease(SteadyTime now) {
  m_releasing = true;
  const auto until = m_machine.validUntil();
  m_machineAlarm = TimerHeap::never;
  m_machine.on({QuorumEvent::Kind::Stop}, now);
  for (const auto &event : std::exchange(m_absent, {})) // nothing was sent to them
    m_machine.on(event, now);
  m_release = QuorumRelease(m_votes.size(), m_machine.quorum(),
                            {.leaseEnds = until,
                             .keyGone = now + m_lease + driftOf(m_lease),
                             .reportBy = now + m_driver.options().releaseLimit,
                             .doubtful = false,
                             .lookAgain = m_driver.options().lookAgain,
                             .seed = m_driver.nextSeed()});
  act(m_release.start(m_machine.mayHave(), m_machine.inDoubt(), now));
}

void QuorumRound::reconnected(std::size_t member, bool restarted, SteadyTime now) {
  if (m_releasing)
    act(m_release.on(member, ReleaseEvent::Reconnected, now));
  else
    act(m_machine.on({QuorumEvent::Kind::Reconnected, member, restarted}, now), now);
  retireIfDone();
}

void QuorumRound::ring(SteadyTime now) {
  while (!m_absent.empty()) { // one by one: when it fails by the first of them, the release has to know of the others
    const auto event = m_absent.front();
    m_absent.erase(m_absent.begin());
    act(m_machine.on(event, now), now);
  }
  if (const auto planned = m_machineAlarm; planned <= now) {
    const auto actions = m_machine.on({QuorumEvent::Kind::Alarm}, now);
    if (m_record && actions.renew.any())
      m_record->renewalDue(planned);
    act(actions, now);
  }
  if (m_releaseAlarm <= now)
    act(m_release.onAlarm(now));
  refreshAlarm();
  retireIfDone();
}

void QuorumRound::refreshAlarm() {
  const auto next = std::min(m_machineAlarm, m_releaseAlarm);
  m_driver.setAlarm(*this, m_absent.empty() ? next : std::min(next, SteadyClock::now()));
}

void QuorumRound::refreshSettled() {
  // An ask whose answer is out may yet take what the release did not find.
  m_driver.setUnsettled(*this, m_releasing && (m_asksOut > 0 || !m_release.settled()));
}

void QuorumRound::retireIfDone() {
  if (m_owner == nullptr && m_outstanding == 0 && m_releasing && m_release.settled())
    m_driver.retire(*this);
}

} // namespace lockhouse
