// SPDX-License-Identifier: Apache-2.0
#include "core/base/safe_text.h"
#include "core/client/quorum/quorum_round.h"
#include "core/client/support/deferred_calls.h"
#include "core/lock/pages/composition.h"

#include <algorithm>
#include <utility>

namespace lockhouse {

class QuorumSession::Core final : public LocalWaitQueue::LocalWaiter, public TimerHeap::Alarm, public QuorumRound::Owner {
public:
  using Verdict = AcquireMachine::Verdict;

  Core(QuorumDriver::Core &driver, const Primitive &primitive, const LockName &name, LockOptions options)
      : m_driver(driver), m_entry(driver.entry(primitive, name)), m_options(std::move(options)), m_deferred(driver.loop()) {}

  ~Core() {
    const QuorumDriver::Core::ReentrancyGuard visit(m_driver);
    cancel();
    m_deferred.runNow();
    const bool released = isReleasing();
    if (released)
      std::exchange(m_released, {})(ReleaseOutcome::InDoubt);
    const auto now = SteadyClock::now();
    const bool inside = m_count > 0 || released;
    dropRound(now);
    if (inside)
      m_entry.waitQueue.goneOut(*this, now);
    m_driver.dropAlarm(*this);
    m_driver.leaveEntry(m_entry);
  }

  void acquire(AcquirePolicy policy, std::optional<milliseconds> waitLimit, AcquireHandler done) {
    const QuorumDriver::Core::ReentrancyGuard visit(m_driver);
    if (auto refusal = whyNotAcquire())
      return failSoon(std::move(*refusal), std::move(done));
    if (m_count > 0)
      return enterAgain(std::move(done));
    const auto now = SteadyClock::now();
    AcquireMachine::Plan plan{.policy = policy, .lease = m_options.lease, .deadline = {}, .patience = m_options.patience, .seed = m_driver.nextSeed()};
    if (waitLimit)
      plan.deadline = now + std::clamp<milliseconds>(*waitLimit, milliseconds::zero(), longestTime);
    m_acquire = AcquireMachine(plan);
    m_votes.clear();
    m_detail.clear();
    m_done = std::move(done);
    m_record.began(now);
    m_entry.waitQueue.enter(*this, policy.waits() && !(plan.deadline && *plan.deadline <= now), now);
  }

  void becomeWriter(AcquireHandler done) {
    failSoon(
        {ErrorCode::Usage, LH_ENGLISH("a lock over several nodes makes no writer of a reader"), where(), LH_ENGLISH("use a FairReadWriteLock of one node")},
        std::move(done));
  }

  void release(ReleaseHandler done) {
    const QuorumDriver::Core::ReentrancyGuard visit(m_driver);
    if (m_count > 1) {
      --m_count;
      m_record.releaseEnded(ReleaseOutcome::StillHeld, {});
      return m_deferred.post([handler = std::move(done)]() mutable { handler(ReleaseOutcome::StillHeld); });
    }
    if (m_count == 0) {
      const bool busy = isReleasing() || isAcquiring();
      if (busy)
        m_error = underWay();
      return m_deferred.post([outcome = busy ? ReleaseOutcome::Failed : ReleaseOutcome::NotOwner, handler = std::move(done)]() mutable { handler(outcome); });
    }
    m_count = 0;
    m_released = std::move(done);
    const auto now = SteadyClock::now();
    m_round->release(now);
    if (!m_entry.primitive.isGuardedByWatch()) // which takes a round trip before it releases
      m_entry.waitQueue.goneOut(*this, now);
  }

  void cancel() {
    const QuorumDriver::Core::ReentrancyGuard visit(m_driver);
    if (isAcquiring())
      tell({AcquireEvent::Kind::Cancel}, SteadyClock::now());
  }

  void onLost(LostHandler handler) { m_lost = std::make_shared<LostHandler>(std::move(handler)); }
  void onRenewed(RenewedHandler handler) { m_renewed = std::move(handler); }
  bool isAcquiring() const { return m_acquire.verdict() == Verdict::None && !m_acquire.settled(); }
  bool isReleasing() const { return static_cast<bool>(m_released); }
  bool isHeld() const { return m_count > 0 && m_round->isHeld(SteadyClock::now()); }
  std::int64_t count() const { return m_count; }
  SteadyTime validUntil() const { return m_count > 0 ? m_round->validUntil() : SteadyTime{}; }
  const LockName &name() const { return m_entry.name; }
  const LockOptions &options() const { return m_options; }
  const Error *lastError() const { return m_error ? &*m_error : nullptr; }
  const std::string &detail() const { return m_detail; }
  const std::vector<NodeVote> &votes() const { return m_votes; }

private:
  // LocalWaitQueue::Visitor and TimerHeap::Alarm

  void tell(AcquireEvent event, SteadyTime now) override {
    const auto actions = m_acquire.on(event, now);
    m_driver.setAlarm(*this, actions.alarm);
    if (actions.ask)
      startRound(now);
    if (actions.report)
      conclude(now);
  }

  bool isReader() const override { return m_options.mode.shared && m_entry.primitive.hasReaders(); }
  void lookNow(SteadyTime) override {}
  void ring(SteadyTime now) override { tell({AcquireEvent::Kind::Alarm}, now); }

  // QuorumRound::Owner

  void won() override { tell({AcquireEvent::Kind::Granted}, SteadyClock::now()); }

  void failed(QuorumMachine::Failure failure) override {
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
    tell({kind}, now);
  }

  void noteRefusal(SteadyTime now) {
    const auto *refusal = leadingRefusal(m_votes);
    m_record.refused(refusal != nullptr ? refusal->holder : std::nullopt, now);
    m_entry.waitQueue.refused(*this);
  }

  void renewed(SteadyTime validUntil) override {
    if (m_renewed && m_count > 0)
      m_renewed(validUntil);
  }

  void lost(LossReason reason) override {
    const auto now = SteadyClock::now();
    m_count = 0;
    dropRound(now);
    m_entry.waitQueue.goneOut(*this, now);
    if (const auto handler = m_lost) // kept alive here: it may destroy this session, and with it the handler
      (*handler)(reason);
  }

  void released(ReleaseOutcome outcome, const Error *why) override {
    if (why != nullptr)
      m_error = *why;
    const auto now = SteadyClock::now();
    dropRound(now);
    auto done = std::exchange(m_released, {});
    if (m_entry.primitive.isGuardedByWatch())
      m_entry.waitQueue.goneOut(*this, now);
    m_entry.waitQueue.freed(now);
    if (done)
      done(outcome);
  }

  void startRound(SteadyTime now) {
    auto token = m_driver.newOwner(m_entry.primitive);
    if (!token) {
      m_error = token.error();
      return m_deferred.post([this] { tell({AcquireEvent::Kind::Rejected}, SteadyClock::now()); });
    }
    m_round = &m_driver.newRound(m_entry, std::move(*token), m_options);
    m_round->attach(this);
    m_round->start(now);
  }

  void dropRound(SteadyTime now) {
    if (auto *round = std::exchange(m_round, nullptr))
      round->detach(now);
  }

  void conclude(SteadyTime now) {
    m_record.concluded(m_acquire.verdict(), {}, now);
    if (m_acquire.verdict() == Verdict::Granted) {
      m_count = 1;
      m_round->becomeHold(m_record, now);
      m_entry.waitQueue.letIn(*this, now);
      m_entry.waitQueue.room(*this, m_round->room(), now);
    } else {
      if (m_round != nullptr && m_votes.empty()) // given up before it was decided: it tells less than one that was
        m_votes = m_round->votes();
      dropRound(now);
      if (!m_acquire.settled())
        m_acquire.on({AcquireEvent::Kind::Unsent}, now); // the round sees to its end by itself
      m_entry.waitQueue.leave(*this, now);
    }
    const auto result = outcome();
    if (std::holds_alternative<Contended>(result) || std::holds_alternative<TimedOut>(result))
      m_detail = votesMessage(m_votes).english();
    auto done = std::exchange(m_done, {});
    if (done)
      done(result);
  }

  AcquireOutcome outcome() const {
    const auto *refusal = leadingRefusal(m_votes);
    const auto holder = refusal != nullptr ? refusal->holder : std::nullopt;
    switch (m_acquire.verdict()) {
    case Verdict::Granted: return Acquired{m_round->token(), m_round->validUntil(), std::nullopt, m_count};
    case Verdict::Contended: return Contended{holder, refusal != nullptr ? refusal->timeLeft : std::nullopt, m_record.firstSeen(holder, SteadyClock::now())};
    case Verdict::TimedOut: return TimedOut{holder, m_record.firstSeen(holder, SteadyClock::now())};
    case Verdict::Cancelled: return Cancelled{};
    default: break;
    }
    return Failed{m_error.value_or(
        Error{ErrorCode::Timeout, LH_ENGLISH("a quorum granted the lock later than its lease lasts"), where(), LH_ENGLISH("take a longer lease")})};
  }

  Error errorOf(QuorumMachine::Failure failure) const {
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

  void enterAgain(AcquireHandler done) {
    ++m_count;
    m_record.began(SteadyClock::now());
    m_deferred.post([this, handler = std::move(done)]() mutable {
      m_record.concluded(m_count > 0 ? Verdict::Granted : Verdict::Rejected, {}, SteadyClock::now());
      if (m_count > 0)
        return handler(Acquired{m_round->token(), m_round->validUntil(), std::nullopt, m_count});
      handler(Failed{Error{ErrorCode::Server, LH_ENGLISH("the hold to be entered again is lost"), where(), LH_ENGLISH("stop the work that it protects")}});
    });
  }

  std::optional<Error> whyNotAcquire() const {
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

  void failSoon(Error error, AcquireHandler done) {
    m_error = error;
    m_deferred.post([outcome = AcquireOutcome(Failed{std::move(error)}), handler = std::move(done)]() mutable { handler(outcome); });
  }

  Error underWay() const {
    return {ErrorCode::Usage, LH_ENGLISH("an acquire or release of this handle is under way"), where(), LH_ENGLISH("wait for its outcome")};
  }
  std::string where() const { return safeText(m_entry.name.bytes(), 80); }

  QuorumDriver::Core &m_driver;
  QuorumDriver::Core::LockEntry &m_entry;
  LockOptions m_options;
  LockMetricsRecorder m_record{m_entry.book};
  AcquireMachine m_acquire;
  QuorumRound *m_round = nullptr; // under way, held, or being released
  std::int64_t m_count = 0;
  AcquireHandler m_done;
  ReleaseHandler m_released;
  std::shared_ptr<LostHandler> m_lost;
  RenewedHandler m_renewed;
  std::vector<NodeVote> m_votes;
  std::optional<Error> m_error;
  std::string m_detail;
  DeferredCalls m_deferred;
};

QuorumSession::QuorumSession(QuorumDriver &driver, const Primitive &primitive, LockName name, LockOptions options)
    : m_core(std::make_unique<Core>(driver.core(), primitive, name, std::move(options))) {}
QuorumSession::~QuorumSession() = default;
void QuorumSession::acquire(AcquireHandler done) {
  const auto &options = m_core->options();
  m_core->acquire(options.policy.value_or(defaultPolicyOf(redLockInfo())), options.waitLimit, std::move(done));
}
void QuorumSession::acquire(AcquirePolicy policy, std::optional<milliseconds> waitLimit, AcquireHandler done) {
  m_core->acquire(policy, waitLimit, std::move(done));
}
void QuorumSession::release(ReleaseHandler done) { m_core->release(std::move(done)); }
void QuorumSession::becomeWriter(std::optional<milliseconds>, AcquireHandler done) { m_core->becomeWriter(std::move(done)); }
void QuorumSession::cancel() { m_core->cancel(); }
void QuorumSession::onLost(LostHandler handler) { m_core->onLost(std::move(handler)); }
void QuorumSession::onRenewed(RenewedHandler handler) { m_core->onRenewed(std::move(handler)); }
bool QuorumSession::isAcquiring() const { return m_core->isAcquiring(); }
bool QuorumSession::isReleasing() const { return m_core->isReleasing(); }
bool QuorumSession::isHeld() const { return m_core->isHeld(); }
std::int64_t QuorumSession::count() const { return m_core->count(); }
SteadyTime QuorumSession::validUntil() const { return m_core->validUntil(); }
const LockName &QuorumSession::name() const { return m_core->name(); }
const Error *QuorumSession::lastError() const { return m_core->lastError(); }
std::string QuorumSession::detail() const { return m_core->detail(); }
const std::vector<NodeVote> &QuorumSession::votes() const { return m_core->votes(); }

} // namespace lockhouse
