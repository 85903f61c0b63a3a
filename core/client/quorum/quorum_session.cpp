// SPDX-License-Identifier: Apache-2.0
#include "core/client/quorum/quorum_session.h"

#include "core/base/safe_text.h"
#include "core/lock/pages/composition.h"

#include <algorithm>
#include <utility>

namespace lockhouse {

QuorumSession::QuorumSession(QuorumDriver &driver, const Primitive &primitive, const LockName &name, LockOptions options)
    : m_driver(driver), m_entry(driver.entry(primitive, name)), m_options(std::move(options)), m_deferred(driver.loop()) {}

QuorumSession::~QuorumSession() {
  const QuorumDriver::ReentrancyGuard guard(m_driver);
  QuorumSession::cancel();
  m_deferred.runNow();
  const bool released = isReleasing();
  if (released)
    std::exchange(m_onReleased, {})(ReleaseOutcome::InDoubt);
  const auto now = SteadyClock::now();
  const bool inside = m_count > 0 || released;
  dropRound(now);
  if (inside)
    m_entry.waitQueue.released(*this, now);
  m_driver.dropAlarm(*this);
  m_driver.leaveEntry(m_entry);
}

void QuorumSession::acquire(AcquireHandler done) { acquire(m_options.policy.value_or(defaultPolicyOf(redLockInfo())), m_options.waitLimit, std::move(done)); }

void QuorumSession::acquire(AcquirePolicy policy, std::optional<milliseconds> waitLimit, AcquireHandler done) {
  const QuorumDriver::ReentrancyGuard guard(m_driver);
  if (auto refusal = whyNotAcquire())
    return failLater(std::move(*refusal), std::move(done));
  if (m_count > 0)
    return enterAgain(std::move(done));
  const auto now = SteadyClock::now();
  AcquireMachine::Plan plan{.policy = policy, .lease = m_options.lease, .deadline = {}, .patience = m_options.patience, .seed = m_driver.nextSeed()};
  if (waitLimit)
    plan.deadline = now + std::clamp<milliseconds>(*waitLimit, milliseconds::zero(), longestTime);
  m_acquire = AcquireMachine(plan);
  m_votes.clear();
  m_detail.clear();
  m_onAcquired = std::move(done);
  m_metrics.began(now);
  m_entry.waitQueue.enter(*this, policy.waits() && !(plan.deadline && *plan.deadline <= now), now);
}

void QuorumSession::becomeWriter(std::optional<milliseconds>, AcquireHandler done) {
  failLater({ErrorCode::Usage, LH_ENGLISH("a lock over several nodes makes no writer of a reader"), where(), LH_ENGLISH("use a FairReadWriteLock of one node")},
            std::move(done));
}

void QuorumSession::release(ReleaseHandler done) {
  const QuorumDriver::ReentrancyGuard guard(m_driver);
  if (m_count > 1) {
    --m_count;
    m_metrics.releaseEnded(ReleaseOutcome::StillHeld, {});
    return m_deferred.post([handler = std::move(done)]() mutable { handler(ReleaseOutcome::StillHeld); });
  }
  if (m_count == 0) {
    const bool busy = isReleasing() || isAcquiring();
    if (busy)
      m_error = underWay();
    return m_deferred.post([outcome = busy ? ReleaseOutcome::Failed : ReleaseOutcome::NotOwner, handler = std::move(done)]() mutable { handler(outcome); });
  }
  m_count = 0;
  m_onReleased = std::move(done);
  const auto now = SteadyClock::now();
  m_round->release(now);
  if (!m_entry.primitive.isGuardedByWatch()) // which takes a round trip before it releases
    m_entry.waitQueue.released(*this, now);
}

void QuorumSession::cancel() {
  const QuorumDriver::ReentrancyGuard guard(m_driver);
  if (isAcquiring())
    onEvent({AcquireEvent::Kind::Cancel}, SteadyClock::now());
}

void QuorumSession::onEvent(AcquireEvent event, SteadyTime now) {
  const auto actions = m_acquire.on(event, now);
  m_driver.setAlarm(*this, actions.alarm);
  if (actions.ask)
    startRound(now);
  if (actions.report)
    conclude(now);
}

void QuorumSession::failed(QuorumMachine::Failure failure) {
  using Failure = QuorumMachine::Failure;
  const auto now = SteadyClock::now();
  m_votes = m_round->votes();
  m_error = errorOf(failure);
  if (failure == Failure::Contended)
    noteRefusal(now);
  dropRound(now);
  const auto kind = failure == Failure::Contended  ? AcquireEvent::Kind::Refused
                    : failure == Failure::Rejected ? AcquireEvent::Kind::Rejected
                                                   : AcquireEvent::Kind::Unsent;
  onEvent({kind}, now);
}

void QuorumSession::noteRefusal(SteadyTime now) {
  const auto *refusal = leadingRefusal(m_votes);
  m_metrics.refused(refusal != nullptr ? refusal->holder : std::nullopt, now);
  m_entry.waitQueue.refused(*this);
}

void QuorumSession::renewed(SteadyTime validUntil) {
  if (m_onRenewed && m_count > 0)
    m_onRenewed(validUntil);
}

void QuorumSession::lost(LossReason reason) {
  const auto now = SteadyClock::now();
  m_count = 0;
  dropRound(now);
  m_entry.waitQueue.released(*this, now);
  if (const auto handler = m_onLost) // kept alive here: it may destroy this session, and with it the handler
    (*handler)(reason);
}

void QuorumSession::released(ReleaseOutcome outcome, const Error *why) {
  if (why != nullptr)
    m_error = *why;
  const auto now = SteadyClock::now();
  dropRound(now);
  auto done = std::exchange(m_onReleased, {});
  if (m_entry.primitive.isGuardedByWatch())
    m_entry.waitQueue.released(*this, now);
  m_entry.waitQueue.releaseConfirmed(now);
  if (done)
    done(outcome);
}

void QuorumSession::startRound(SteadyTime now) {
  auto token = m_driver.newToken(m_entry.primitive);
  if (!token) {
    m_error = token.error();
    return m_deferred.post([this] { onEvent({AcquireEvent::Kind::Rejected}, SteadyClock::now()); });
  }
  m_round = &m_driver.newRound(m_entry, std::move(*token), m_options);
  m_round->attach(this);
  m_round->start(now);
}

void QuorumSession::dropRound(SteadyTime now) {
  if (auto *round = std::exchange(m_round, nullptr))
    round->detach(now);
}

void QuorumSession::conclude(SteadyTime now) {
  m_metrics.concluded(m_acquire.verdict(), {}, now);
  if (m_acquire.verdict() == AcquireMachine::Verdict::Granted) {
    m_count = 1;
    m_round->becomeHold(m_metrics, now);
    m_entry.waitQueue.acquired(*this, now);
    m_entry.waitQueue.wakeForPlaces(*this, m_round->placesLeft(), now);
  } else {
    if (m_round != nullptr && m_votes.empty()) // given up before it was decided: its votes say less than those of a round that was decided
      m_votes = m_round->votes();
    dropRound(now);
    if (!m_acquire.settled())
      m_acquire.on({AcquireEvent::Kind::Unsent}, now); // the round settles by itself
    m_entry.waitQueue.leave(*this, now);
  }
  const auto result = outcome();
  if (std::holds_alternative<Contended>(result) || std::holds_alternative<TimedOut>(result))
    m_detail = votesMessage(m_votes).english();
  auto done = std::exchange(m_onAcquired, {});
  if (done)
    done(result);
}

AcquireOutcome QuorumSession::outcome() const {
  const auto *refusal = leadingRefusal(m_votes);
  const auto holder = refusal != nullptr ? refusal->holder : std::nullopt;
  switch (m_acquire.verdict()) {
  case AcquireMachine::Verdict::Granted: return Acquired{m_round->token(), m_round->validUntil(), std::nullopt, m_count};
  case AcquireMachine::Verdict::Contended:
    return Contended{holder, refusal != nullptr ? refusal->timeLeft : std::nullopt, m_metrics.firstSeen(holder, SteadyClock::now())};
  case AcquireMachine::Verdict::TimedOut: return TimedOut{holder, m_metrics.firstSeen(holder, SteadyClock::now())};
  case AcquireMachine::Verdict::Cancelled: return Cancelled{};
  default: break;
  }
  return Failed{m_error.value_or(
      Error{ErrorCode::Timeout, LH_ENGLISH("a quorum granted the lock later than its lease lasts"), where(), LH_ENGLISH("take a longer lease")})};
}

Error QuorumSession::errorOf(QuorumMachine::Failure failure) const {
  using Failure = QuorumMachine::Failure;
  auto code = failure == Failure::TooLate ? ErrorCode::Timeout : ErrorCode::Unreachable;
  if (failure == Failure::Rejected)
    if (const auto found = std::ranges::find(m_votes, Vote::Rejected, &NodeVote::vote); found != m_votes.end())
      code = found->why.code;
  if (failure == Failure::TooLate)
    return {code, LH_ENGLISH("a quorum granted it later than its lease lasts: %1")(votesMessage(m_votes)), where(),
            LH_ENGLISH("take a longer lease or look at the nodes' latency")};
  return {code, LH_ENGLISH("no quorum: %1")(votesMessage(m_votes)), where(), LH_ENGLISH("check the nodes that did not grant it")};
}

void QuorumSession::enterAgain(AcquireHandler done) {
  ++m_count;
  m_metrics.began(SteadyClock::now());
  m_deferred.post([this, handler = std::move(done)]() mutable {
    m_metrics.concluded(m_count > 0 ? AcquireMachine::Verdict::Granted : AcquireMachine::Verdict::Rejected, {}, SteadyClock::now());
    if (m_count > 0)
      return handler(Acquired{m_round->token(), m_round->validUntil(), std::nullopt, m_count});
    handler(Failed{Error{ErrorCode::Server, LH_ENGLISH("the hold to be entered again is lost"), where(), LH_ENGLISH("stop the work that it protects")}});
  });
}

std::optional<Error> QuorumSession::whyNotAcquire() const {
  if (isAcquiring() || isReleasing())
    return underWay();
  if (m_count == 0)
    return std::nullopt;
  if (!m_entry.primitive.isReentrant())
    return Error{ErrorCode::Usage, LH_ENGLISH("it is held through this handle already, and a %1 is not re-entrant")(m_entry.primitive.info().name), where(),
                 LH_ENGLISH("use a re-entrant lock or another handle")};
  if (m_count >= m_options.countLimit)
    return Error{ErrorCode::Usage, LH_ENGLISH("the limit of re-entries is reached"), where(), LH_ENGLISH("release what is held, or raise countLimit")};
  return std::nullopt;
}

void QuorumSession::failLater(Error error, AcquireHandler done) {
  m_error = error;
  m_deferred.post([outcome = AcquireOutcome(Failed{std::move(error)}), handler = std::move(done)]() mutable { handler(outcome); });
}

Error QuorumSession::underWay() const {
  return {ErrorCode::Usage, LH_ENGLISH("an acquire or release of this handle is under way"), where(), LH_ENGLISH("wait for its outcome")};
}
std::string QuorumSession::where() const { return safeText(m_entry.name.bytes(), 80); }

} // namespace lockhouse
