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

QuorumRound::QuorumRound(QuorumDriver &driver, QuorumDriver::LockEntry &entry, LockToken token, const LockOptions &options)
    : m_driver(driver), m_owner(driver, entry, std::move(token), options), m_release(m_owner, *this), m_machine({.members = driver.size(),
                                                                                                                 .capacity = m_owner.capacity(),
                                                                                                                 .lease = options.lease,
                                                                                                                 .nodeTime = driver.nodeTime(options.lease),
                                                                                                                 .renew = options.renew,
                                                                                                                 .seed = driver.nextSeed()}),
      m_steps(driver.size()) {
  for (std::size_t i = 0; i < driver.size(); ++i)
    m_votes.push_back({.node = NodeId(driver.node(i).address())});
}

QuorumRound::~QuorumRound() { m_driver.dropAlarm(*this); }

void QuorumRound::start(SteadyTime now) { act(m_machine.on({QuorumEvent::Kind::Start}, now), now); }

void QuorumRound::becomeHold(const LockMetricsRecorder &metrics, SteadyTime now) {
  m_metrics = metrics;
  m_metrics->held(now);
}

void QuorumRound::release(SteadyTime now) {
  m_isReported = true;
  endHold(now);
  startRelease(now);
}

// By its session, which releases it or ends.
void QuorumRound::endHold(SteadyTime now) {
  if (!m_metrics)
    return;
  m_metrics->releaseBegan(now);
  m_endsHold = true;
}

void QuorumRound::detach(SteadyTime now) {
  m_session = nullptr;
  if (!m_release.isStarted()) {
    endHold(now);
    startRelease(now);
  }
  advanced();
}

std::vector<NodeVote> QuorumRound::votes() const {
  auto votes = m_votes;
  for (std::size_t i = 0; i < votes.size(); ++i)
    votes[i].vote = m_machine.vote(i);
  return votes;
}

void QuorumRound::act(const QuorumActions &actions, SteadyTime now) {
  using Report = QuorumActions::Report;
  for (std::size_t i = 0; i < m_votes.size(); ++i) {
    if (actions.ask.test(i))
      ask(i, now);
    if (actions.renew.test(i))
      renew(i);
  }
  m_machineAlarm = actions.alarm;
  if (m_metrics && actions.report == Report::Renewed)
    m_metrics->renewalAnswered(true, now);
  if (m_metrics && actions.report == Report::Lost)
    m_metrics->lost(m_machine.reason(), now);
  if (actions.report == Report::Failed || actions.report == Report::Lost)
    startRelease(now);
  refreshAlarm();
  if (m_session != nullptr)
    notify(actions.report);
}

void QuorumRound::notify(QuorumActions::Report what) {
  using Report = QuorumActions::Report;
  switch (what) {
  case Report::Nothing: return;
  case Report::Won: return m_session->won();
  case Report::Failed: return m_session->failed(m_machine.failure());
  case Report::Renewed: return m_session->renewed(m_machine.validUntil());
  case Report::Lost: return m_session->lost(m_machine.reason());
  }
}

void QuorumRound::released(ReleaseOutcome outcome, const Error &why) {
  if (std::exchange(m_endsHold, false))
    m_metrics->releaseEnded(outcome, why);
  if (m_isReported && m_session != nullptr)
    m_session->released(outcome, outcome == ReleaseOutcome::InDoubt || outcome == ReleaseOutcome::Failed ? &why : nullptr);
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
  if (auto why = heals ? node.unfit() : node.whyNot(m_owner.lease, now))
    return absent(QuorumEvent::Kind::Barred, std::move(*why));
  if (!heals && node.isSilent(m_driver.nodeTime(m_owner.lease), now))
    return absent(QuorumEvent::Kind::Silent, {});
  ++m_awaited;
  ++m_awaitedAsks;
  // The form of later asks, whose reply names the holder: if no quorum is reached, the vote of each node is shown.
  m_steps[member].isFirst = true;
  send(member, m_owner.entry.primitive.acquire(m_owner.ask(1), true));
}

void QuorumRound::send(std::size_t member, Command command) {
  m_steps[member].sent = command.name();
  m_driver.node(member).send(std::move(command), [this, member](const Result<Reply> &reply) { answered(member, reply); });
}

void QuorumRound::renew(std::size_t member) {
  ++m_awaited;
  m_owner.sendGuarded(member, m_owner.entry.primitive.renew(m_owner.ask(1)), [this, member](const Result<Reply> &reply) { renewalAnswered(member, reply); });
}

void QuorumRound::answered(std::size_t member, const Result<Reply> &reply) {
  if (m_driver.isEnding()) // what it may have taken cannot be given back any more
    return;
  const QuorumDriver::ReentrancyGuard guard(m_driver);
  m_driver.node(member).replied();
  auto &step = m_steps[member];
  // A release that is under way was sent behind the command that takes the lock.
  const bool goesOn = reply && !m_release.isStarted();
  if (auto next = goesOn ? m_owner.entry.primitive.acquireNext(m_owner.ask(1), step.sent, *reply) : std::nullopt) {
    step.isFirst = false;
    return send(member, std::move(*next));
  }
  --m_awaited;
  --m_awaitedAsks;
  const auto kind = read(member, reply);
  const auto now = SteadyClock::now();
  act(m_machine.on({kind, member}, now), now);
  // It may arrive after the release that was sent behind it, or it ran after it: an ask whose script the node did not have is sent once
  // more, behind the release.
  const bool isReleasing = m_release.isStarted();
  const bool came = isReleasing && kind == QuorumEvent::Kind::Granted && !m_release.isReleasing(member);
  if (came || (isReleasing && kind == QuorumEvent::Kind::Unanswered))
    m_release.startAgain(member, now);
  settledChanged();
  advanced();
}

QuorumEvent::Kind QuorumRound::read(std::size_t member, const Result<Reply> &reply) {
  const auto &primitive = m_owner.entry.primitive;
  const auto &step = m_steps[member];
  auto answer = readAcquire(primitive, step.sent, reply, m_driver.node(member).address());
  using Kind = AcquireEvent::Kind;
  auto &kind = answer.event.kind;
  if (!step.isFirst && (kind == Kind::Unsent || kind == Kind::Busy || kind == Kind::Rejected))
    kind = Kind::Unanswered; // an earlier command of this ask may have taken the lock
  if (kind == Kind::Granted && !(m_owner.mode.shared && primitive.hasReaders()))
    m_placesLeft = std::min(m_placesLeft, answer.room);
  auto &vote = m_votes[member];
  vote.holder = std::move(answer.holder);
  vote.timeLeft = answer.event.timeLeft;
  vote.why = answer.error.value_or(Error{});
  return eventOf(kind);
}

void QuorumRound::renewalAnswered(std::size_t member, const Result<Reply> &reply) {
  if (m_driver.isEnding())
    return;
  const QuorumDriver::ReentrancyGuard guard(m_driver);
  --m_awaited;
  m_driver.node(member).replied();
  const auto now = SteadyClock::now();
  const auto kind = eventOf(readRenewal(m_owner.entry.primitive, reply).kind);
  if (m_metrics && !m_release.isStarted() && kind != QuorumEvent::Kind::Renewed)
    m_metrics->renewalAnswered(false, now);
  act(m_machine.on({kind, member}, now), now);
  advanced();
}

void QuorumRound::startRelease(SteadyTime now) {
  const auto until = m_machine.validUntil();
  m_machineAlarm = TimerHeap::never;
  m_machine.on({QuorumEvent::Kind::Stop}, now);
  for (const auto &event : std::exchange(m_absent, {})) // nothing was sent to them
    m_machine.on(event, now);
  refreshAlarm();
  m_release.start(m_machine.quorum(), until, m_machine.mayHave(), m_machine.inDoubt(), now);
}

void QuorumRound::reconnected(std::size_t member, bool restarted, SteadyTime now) {
  if (m_release.isStarted())
    m_release.reconnected(member, now);
  else
    act(m_machine.on({QuorumEvent::Kind::Reconnected, member, restarted}, now), now);
  advanced();
}

void QuorumRound::onAlarm(SteadyTime now) {
  while (!m_absent.empty()) { // one by one: when the round fails by the first of them, the release has to know the others
    const auto event = m_absent.front();
    m_absent.erase(m_absent.begin());
    act(m_machine.on(event, now), now);
  }
  if (const auto planned = m_machineAlarm; planned <= now) {
    const auto actions = m_machine.on({QuorumEvent::Kind::Alarm}, now);
    if (m_metrics && actions.renew.any())
      m_metrics->renewalDue(planned);
    act(actions, now);
  }
  refreshAlarm();
  advanced();
}

void QuorumRound::refreshAlarm() { m_driver.setAlarm(*this, m_absent.empty() ? m_machineAlarm : std::min(m_machineAlarm, SteadyClock::now())); }

void QuorumRound::settledChanged() {
  // An ask without a reply may still take what the release did not find.
  m_driver.setUnsettled(*this, m_release.isStarted() && (m_awaitedAsks > 0 || !m_release.isSettled()));
}

void QuorumRound::advanced() {
  const bool awaitsReplies = m_awaited > 0 || m_release.isAwaitingReplies();
  if (m_session == nullptr && !awaitsReplies && m_release.isStarted() && m_release.isSettled())
    m_driver.retire(*this);
}

} // namespace lockhouse
