// SPDX-License-Identifier: Apache-2.0
#include "core/base/safe_text.h"
#include "core/client/node/acquisition.h"
#include "core/client/support/deferred_calls.h"

#include <algorithm>
#include <utility>

namespace lockhouse {

class NodeSession::Core final : public Acquisition::Owner {
public:
  Core(NodeDriver::Core &driver, const Primitive &primitive, const LockName &name, LockOptions options)
      : m_driver(driver), m_entry(driver.entry(primitive, name)), m_options(std::move(options)), m_deferred(driver.loop()) {}

  ~Core() {
    const NodeDriver::Core::ReentrancyGuard visit(m_driver);
    cancel();
    m_deferred.runNow();
    if (m_released)
      std::exchange(m_released, {})(ReleaseOutcome::InDoubt);
    if (m_acquisition != nullptr)
      m_acquisition->detach(SteadyClock::now());
    m_driver.leaveEntry(m_entry);
  }

  void acquire(AcquirePolicy policy, std::optional<milliseconds> waitLimit, AcquireHandler done) {
    const NodeDriver::Core::ReentrancyGuard visit(m_driver);
    if (auto refusal = whyNotAcquire()) {
      failSoon(std::move(*refusal), std::move(done));
      return;
    }
    const auto now = SteadyClock::now();
    readyAcquisition(now);
    const auto plan = planOf(policy, waitLimit, now);
    m_done = std::move(done);
    if (auto started = m_acquisition->acquire(plan, m_options, now); !started)
      failSoon(std::move(started.error()), std::exchange(m_done, {}));
  }

  void release(ReleaseHandler done) {
    const NodeDriver::Core::ReentrancyGuard visit(m_driver);
    const bool busy = isReleasing() || isAcquiring();
    if (m_acquisition == nullptr || busy || (m_acquisition->count() == 0 && !m_acquisition->wasLost())) {
      if (busy)
        m_error = Error{ErrorCode::Usage, LH_ENGLISH("an acquire or release of this handle is under way"), safeText(name().bytes(), 80),
                        LH_ENGLISH("wait for its outcome")};
      m_deferred.post([outcome = busy ? ReleaseOutcome::Failed : ReleaseOutcome::NotOwner, task = std::move(done)]() mutable { task(outcome); });
      return;
    }
    m_released = std::move(done);
    m_acquisition->release(SteadyClock::now());
  }

  bool becomeReader() {
    const NodeDriver::Core::ReentrancyGuard visit(m_driver);
    return m_acquisition != nullptr && !isAcquiring() && !isReleasing() && m_acquisition->becomeReader(SteadyClock::now());
  }

  void becomeWriter(std::optional<milliseconds> waitLimit, AcquireHandler done) {
    const NodeDriver::Core::ReentrancyGuard visit(m_driver);
    if (auto refusal = whyNotBecomeWriter())
      return failSoon(std::move(*refusal), std::move(done));
    const auto now = SteadyClock::now();
    m_done = std::move(done);
    const auto policy = upgradePolicy(waitLimit);
    m_acquisition->becomeWriter(planOf(policy, policy.waits() ? waitLimit : std::nullopt, now), now);
  }

  void cancel() {
    const NodeDriver::Core::ReentrancyGuard visit(m_driver);
    if (isAcquiring())
      m_acquisition->cancel(SteadyClock::now());
  }

  void onLost(LostHandler handler) { m_lost = std::make_shared<LostHandler>(std::move(handler)); }
  void onRenewed(RenewedHandler handler) { m_renewed = std::move(handler); }
  bool isAcquiring() const { return m_acquisition != nullptr && m_acquisition->isAcquiring(); }
  bool isReleasing() const { return m_acquisition != nullptr && m_acquisition->isReleasing(); }
  bool isHeld() const { return m_acquisition != nullptr && m_acquisition->isHeld(SteadyClock::now()); }
  std::int64_t count() const { return m_acquisition != nullptr ? m_acquisition->count() : 0; }
  SteadyTime validUntil() const { return m_acquisition != nullptr ? m_acquisition->validUntil() : SteadyTime{}; }
  const LockName &name() const { return m_entry.name; }
  const LockOptions &options() const { return m_options; }
  const Primitive &primitive() const { return m_entry.primitive; }
  const Error *lastError() const { return m_error ? &*m_error : nullptr; }

private:
  void concluded(AcquireOutcome outcome) override {
    if (const auto *failed = std::get_if<Failed>(&outcome))
      m_error = failed->error;
    else if (const auto *doubt = std::get_if<InDoubt>(&outcome))
      m_error = doubt->why;
    auto done = std::exchange(m_done, {});
    if (done)
      done(outcome);
  }

  void released(ReleaseOutcome outcome, const Error *why) override {
    if (why != nullptr)
      m_error = *why;
    auto done = std::exchange(m_released, {});
    if (done)
      done(outcome);
  }

  void lost(LossReason reason) override {
    if (const auto handler = m_lost) // kept alive here: it may destroy this session, and with it the handler
      (*handler)(reason);
  }

  void renewed(SteadyTime validUntil) override {
    if (m_renewed)
      m_renewed(validUntil);
  }

  std::optional<Error> whyNotAcquire() const {
    const auto where = [this] { return safeText(name().bytes(), 80); };
    if (m_acquisition == nullptr)
      return std::nullopt;
    if (isAcquiring() || isReleasing())
      return Error{ErrorCode::Usage, LH_ENGLISH("an acquire or release of this handle is under way"), where(), LH_ENGLISH("wait for its outcome")};
    if (m_acquisition->count() == 0)
      return std::nullopt;
    if (!m_entry.primitive.isReentrant())
      return Error{ErrorCode::Usage, LH_ENGLISH("it is held through this handle already, and a %1 is not re-entrant")(primitive().info().name), where(),
                   LH_ENGLISH("use a re-entrant lock or another handle")};
    if (m_acquisition->count() >= m_options.countLimit)
      return Error{ErrorCode::Usage, LH_ENGLISH("the limit of re-entries is reached"), where(), LH_ENGLISH("release what is held, or raise countLimit")};
    if (!m_acquisition->isReleaseSettled())
      return Error{ErrorCode::InDoubt, LH_ENGLISH("an earlier re-entry is still being given back"), where(), LH_ENGLISH("try again")};
    return std::nullopt;
  }

  std::optional<Error> whyNotBecomeWriter() const {
    const auto usage = [this](Message what, Message next) { return Error{ErrorCode::Usage, std::move(what), safeText(name().bytes(), 80), std::move(next)}; };
    if (!primitive().canBecomeWriter())
      return usage(LH_ENGLISH("a %1 makes no writer of a reader")(primitive().info().name),
                   LH_ENGLISH("release it and acquire as a writer, or use FairReadWriteLock"));
    if (isAcquiring() || isReleasing())
      return usage(LH_ENGLISH("an acquire or release of this handle is under way"), LH_ENGLISH("wait for its outcome"));
    if (count() == 0)
      return usage(LH_ENGLISH("this handle holds nothing"), LH_ENGLISH("acquire the lock first"));
    if (!m_acquisition->isReader())
      return usage(LH_ENGLISH("it is the writer already"), LH_ENGLISH("go on"));
    if (m_acquisition->hasUnsettledUpgrades())
      return Error{ErrorCode::InDoubt, LH_ENGLISH("what came of the earlier wishes to become the writer is not known yet"), safeText(name().bytes(), 80),
                   LH_ENGLISH("try again")};
    return std::nullopt;
  }

  AcquirePolicy upgradePolicy(const std::optional<milliseconds> &waitLimit) const {
    if (waitLimit && *waitLimit <= milliseconds::zero())
      return AcquirePolicy::tryOnce();
    const auto usual = primitive().defaultPolicy();
    const auto chosen = m_options.policy.value_or(usual);
    return chosen.waits() ? chosen : usual;
  }

  AcquireMachine::Plan planOf(const AcquirePolicy &policy, const std::optional<milliseconds> &waitLimit, SteadyTime now) const {
    AcquireMachine::Plan plan{.policy = policy, .lease = m_options.lease, .deadline = {}, .patience = m_options.patience, .seed = m_driver.nextSeed()};
    if (waitLimit)
      plan.deadline = now + std::clamp<milliseconds>(*waitLimit, milliseconds::zero(), longestTime);
    plan.subscribed = m_acquisition->hears();
    return plan;
  }

  /// A tenure that may begin a hold, or the one that holds.
  void readyAcquisition(SteadyTime now) {
    if (m_acquisition != nullptr && m_acquisition->count() == 0 && !m_acquisition->isSettled()) {
      m_acquisition->detach(now);
      m_acquisition = nullptr;
    }
    if (m_acquisition == nullptr) {
      m_acquisition = &m_driver.newAcquisition(m_entry);
      m_acquisition->attach(this);
    }
  }

  void failSoon(Error error, AcquireHandler done) {
    m_error = error;
    m_deferred.post([outcome = AcquireOutcome(Failed{std::move(error)}), handler = std::move(done)]() mutable { handler(outcome); });
  }

  NodeDriver::Core &m_driver;
  NodeDriver::Core::LockEntry &m_entry;
  LockOptions m_options;
  Acquisition *m_acquisition = nullptr;
  AcquireHandler m_done;
  ReleaseHandler m_released;
  std::shared_ptr<LostHandler> m_lost;
  RenewedHandler m_renewed;
  std::optional<Error> m_error;
  DeferredCalls m_deferred;
};

NodeSession::NodeSession(NodeDriver &driver, const Primitive &primitive, LockName name, LockOptions options)
    : m_core(std::make_unique<Core>(driver.core(), primitive, name, std::move(options))) {}
NodeSession::~NodeSession() = default;
void NodeSession::acquire(AcquireHandler done) {
  const auto &options = m_core->options();
  m_core->acquire(options.policy.value_or(m_core->primitive().defaultPolicy()), options.waitLimit, std::move(done));
}
void NodeSession::acquire(AcquirePolicy policy, std::optional<milliseconds> waitLimit, AcquireHandler done) {
  m_core->acquire(policy, waitLimit, std::move(done));
}
void NodeSession::release(ReleaseHandler done) { m_core->release(std::move(done)); }
bool NodeSession::becomeReader() { return m_core->becomeReader(); }
void NodeSession::becomeWriter(std::optional<milliseconds> waitLimit, AcquireHandler done) { m_core->becomeWriter(waitLimit, std::move(done)); }
void NodeSession::cancel() { m_core->cancel(); }
void NodeSession::onLost(LostHandler handler) { m_core->onLost(std::move(handler)); }
void NodeSession::onRenewed(RenewedHandler handler) { m_core->onRenewed(std::move(handler)); }
bool NodeSession::isAcquiring() const { return m_core->isAcquiring(); }
bool NodeSession::isReleasing() const { return m_core->isReleasing(); }
bool NodeSession::isHeld() const { return m_core->isHeld(); }
std::int64_t NodeSession::count() const { return m_core->count(); }
SteadyTime NodeSession::validUntil() const { return m_core->validUntil(); }
const LockName &NodeSession::name() const { return m_core->name(); }
const Error *NodeSession::lastError() const { return m_core->lastError(); }

} // namespace lockhouse
