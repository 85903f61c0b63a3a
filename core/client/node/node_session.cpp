// SPDX-License-Identifier: Apache-2.0
#include "core/client/node/node_session.h"

#include "core/base/safe_text.h"

#include <algorithm>
#include <utility>

namespace lockhouse {

NodeSession::NodeSession(NodeDriver &driver, const Primitive &primitive, const LockName &name, LockOptions options)
    : m_driver(driver), m_entry(driver.entry(primitive, name)), m_options(std::move(options)), m_deferred(driver.loop()) {}

NodeSession::~NodeSession() {
  const NodeDriver::ReentrancyGuard guard(m_driver);
  NodeSession::cancel();
  m_deferred.runNow();
  if (m_onReleased)
    std::exchange(m_onReleased, {})(ReleaseOutcome::InDoubt);
  if (m_acquisition != nullptr)
    m_acquisition->detach(SteadyClock::now());
  m_driver.leaveEntry(m_entry);
}

void NodeSession::acquire(AcquireHandler done) { acquire(m_options.policy.value_or(m_entry.primitive.defaultPolicy()), m_options.waitLimit, std::move(done)); }

void NodeSession::acquire(AcquirePolicy policy, std::optional<milliseconds> waitLimit, AcquireHandler done) {
  const NodeDriver::ReentrancyGuard guard(m_driver);
  if (auto refusal = whyNotAcquire())
    return failLater(std::move(*refusal), std::move(done));
  const auto now = SteadyClock::now();
  readyAcquisition(now);
  const auto plan = planOf(policy, waitLimit, now);
  m_onAcquired = std::move(done);
  if (auto started = m_acquisition->acquire(plan, m_options, now); !started)
    failLater(std::move(started.error()), std::exchange(m_onAcquired, {}));
}

void NodeSession::release(ReleaseHandler done) {
  const NodeDriver::ReentrancyGuard guard(m_driver);
  const bool isBusy = isReleasing() || isAcquiring();
  if (m_acquisition == nullptr || isBusy || (count() == 0 && !m_acquisition->hold().isLost())) {
    if (isBusy)
      m_error = underWay();
    const auto outcome = isBusy ? ReleaseOutcome::Failed : ReleaseOutcome::NotOwner;
    return m_deferred.post([outcome, handler = std::move(done)]() mutable { handler(outcome); });
  }
  m_onReleased = std::move(done);
  m_acquisition->release(SteadyClock::now());
}

bool NodeSession::becomeReader() {
  const NodeDriver::ReentrancyGuard guard(m_driver);
  return m_acquisition != nullptr && !isAcquiring() && !isReleasing() && m_acquisition->becomeReader(SteadyClock::now());
}

void NodeSession::becomeWriter(std::optional<milliseconds> waitLimit, AcquireHandler done) {
  const NodeDriver::ReentrancyGuard guard(m_driver);
  if (auto refusal = whyNotBecomeWriter())
    return failLater(std::move(*refusal), std::move(done));
  const auto now = SteadyClock::now();
  m_onAcquired = std::move(done);
  const auto policy = upgradePolicy(waitLimit);
  m_acquisition->becomeWriter(planOf(policy, policy.waits() ? waitLimit : std::nullopt, now), now);
}

void NodeSession::cancel() {
  const NodeDriver::ReentrancyGuard guard(m_driver);
  if (isAcquiring())
    m_acquisition->cancel(SteadyClock::now());
}

void NodeSession::concluded(AcquireOutcome outcome) {
  if (const auto *failed = std::get_if<Failed>(&outcome))
    m_error = failed->error;
  else if (const auto *doubt = std::get_if<InDoubt>(&outcome))
    m_error = doubt->why;
  if (auto done = std::exchange(m_onAcquired, {}))
    done(outcome);
}

void NodeSession::released(ReleaseOutcome outcome, const Error *why) {
  if (why != nullptr)
    m_error = *why;
  if (auto done = std::exchange(m_onReleased, {}))
    done(outcome);
}

void NodeSession::lost(LossReason reason) {
  if (const auto handler = m_onLost) // kept alive here: it may destroy this session, and with it the handler
    (*handler)(reason);
}

void NodeSession::renewed(SteadyTime validUntil) {
  if (m_onRenewed)
    m_onRenewed(validUntil);
}

std::optional<Error> NodeSession::whyNotAcquire() const {
  if (m_acquisition == nullptr)
    return std::nullopt;
  if (isAcquiring() || isReleasing())
    return underWay();
  if (count() == 0)
    return std::nullopt;
  const auto &primitive = m_entry.primitive;
  if (!primitive.isReentrant())
    return usage(LH_ENGLISH("it is held through this handle already, and a %1 is not re-entrant")(primitive.info().name),
                 LH_ENGLISH("use a re-entrant lock or another handle"));
  if (count() >= m_options.countLimit)
    return usage(LH_ENGLISH("the limit of re-entries is reached"), LH_ENGLISH("release what is held, or raise countLimit"));
  if (!m_acquisition->isReleaseSettled())
    return Error{ErrorCode::InDoubt, LH_ENGLISH("an earlier re-entry is still being given back"), safeText(name().bytes(), 80), LH_ENGLISH("try again")};
  return std::nullopt;
}

std::optional<Error> NodeSession::whyNotBecomeWriter() const {
  const auto &primitive = m_entry.primitive;
  if (!primitive.canBecomeWriter())
    return usage(LH_ENGLISH("a %1 makes no writer of a reader")(primitive.info().name),
                 LH_ENGLISH("release it and acquire as a writer, or use FairReadWriteLock"));
  if (isAcquiring() || isReleasing())
    return underWay();
  if (count() == 0)
    return usage(LH_ENGLISH("this handle holds nothing"), LH_ENGLISH("acquire the lock first"));
  if (!m_acquisition->isReader())
    return usage(LH_ENGLISH("it is the writer already"), LH_ENGLISH("go on"));
  if (m_acquisition->hasUnsettledUpgrades())
    return Error{ErrorCode::InDoubt, LH_ENGLISH("what came of the earlier wishes to become the writer is not known yet"), safeText(name().bytes(), 80),
                 LH_ENGLISH("try again")};
  return std::nullopt;
}

Error NodeSession::usage(Message what, Message next) const { return {ErrorCode::Usage, std::move(what), safeText(name().bytes(), 80), std::move(next)}; }

Error NodeSession::underWay() const { return usage(LH_ENGLISH("an acquire or release of this handle is under way"), LH_ENGLISH("wait for its outcome")); }

AcquirePolicy NodeSession::upgradePolicy(const std::optional<milliseconds> &waitLimit) const {
  if (waitLimit && *waitLimit <= milliseconds::zero())
    return AcquirePolicy::tryOnce();
  const auto usual = m_entry.primitive.defaultPolicy();
  const auto chosen = m_options.policy.value_or(usual);
  return chosen.waits() ? chosen : usual;
}

AcquireMachine::Plan NodeSession::planOf(const AcquirePolicy &policy, const std::optional<milliseconds> &waitLimit, SteadyTime now) const {
  AcquireMachine::Plan plan{.policy = policy, .lease = m_options.lease, .deadline = {}, .patience = m_options.patience, .seed = m_driver.nextSeed()};
  if (waitLimit)
    plan.deadline = now + std::clamp<milliseconds>(*waitLimit, milliseconds::zero(), longestTime);
  plan.subscribed = m_acquisition->attempt().isNotified();
  return plan;
}

// An acquisition that may begin a hold, or the one that holds.
void NodeSession::readyAcquisition(SteadyTime now) {
  if (m_acquisition != nullptr && count() == 0 && !m_acquisition->isSettled()) {
    m_acquisition->detach(now);
    m_acquisition = nullptr;
  }
  if (m_acquisition == nullptr) {
    m_acquisition = &m_driver.newAcquisition(m_entry);
    m_acquisition->attach(this);
  }
}

void NodeSession::failLater(Error error, AcquireHandler done) {
  m_error = error;
  m_deferred.post([outcome = AcquireOutcome(Failed{std::move(error)}), handler = std::move(done)]() mutable { handler(outcome); });
}

} // namespace lockhouse
