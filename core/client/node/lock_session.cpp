// SPDX-License-Identifier: Apache-2.0
#include "core/base/safe_text.h"
#include "core/client/node/lock_tenure.h"
#include "core/client/support/soon.h"

#include <algorithm>
#include <utility>

namespace lockhouse {

class LockSession::Core final : public LockTenure::Owner {
public:
  Core(LockDriver::Core &driver, const Primitive &primitive, const LockName &name, LockOptions options)
      : m_driver(driver), m_door(driver.door(primitive, name)), m_options(std::move(options)), m_soon(driver.loop()) {}

  ~Core() {
    const LockDriver::Core::Visit visit(m_driver);
    cancel();
    m_soon.runNow();
    if (m_released)
      std::exchange(m_released, {})(ReleaseOutcome::InDoubt);
    if (m_tenure != nullptr)
      m_tenure->detach(SteadyClock::now());
    m_driver.leaveDoor(m_door);
  }

  void acquire(AcquirePolicy policy, std::optional<milliseconds> waitLimit, AcquireHandler done) {
    const LockDriver::Core::Visit visit(m_driver);
    if (auto refusal = whyNotAcquire()) {
      failSoon(std::move(*refusal), std::move(done));
      return;
    }
    const auto now = SteadyClock::now();
    readyTenure(now);
    const auto plan = planOf(policy, waitLimit, now);
    m_done = std::move(done);
    if (auto started = m_tenure->acquire(plan, m_options, now); !started)
      failSoon(std::move(started.error()), std::exchange(m_done, {}));
  }

  void release(ReleaseHandler done) {
    const LockDriver::Core::Visit visit(m_driver);
    const bool busy = isReleasing() || isAcquiring();
    if (m_tenure == nullptr || busy || (m_tenure->count() == 0 && !m_tenure->wasLost())) {
      if (busy)
        m_error = Error{ErrorCode::Usage, "an acquire or release of this handle is under way", safeText(name().bytes(), 80), "wait for its outcome"};
      m_soon.post([outcome = busy ? ReleaseOutcome::Failed : ReleaseOutcome::NotOwner, task = std::move(done)]() mutable { task(outcome); });
      return;
    }
    m_released = std::move(done);
    m_tenure->release(SteadyClock::now());
  }

  bool becomeReader() {
    const LockDriver::Core::Visit visit(m_driver);
    return m_tenure != nullptr && !isAcquiring() && !isReleasing() && m_tenure->becomeReader(SteadyClock::now());
  }

  void becomeWriter(std::optional<milliseconds> waitLimit, AcquireHandler done) {
    const LockDriver::Core::Visit visit(m_driver);
    if (auto refusal = whyNotBecomeWriter())
      return failSoon(std::move(*refusal), std::move(done));
    const auto now = SteadyClock::now();
    m_done = std::move(done);
    const auto policy = upgradePolicy(waitLimit);
    m_tenure->becomeWriter(planOf(policy, policy.waits() ? waitLimit : std::nullopt, now), now);
  }

  void cancel() {
    const LockDriver::Core::Visit visit(m_driver);
    if (isAcquiring())
      m_tenure->cancel(SteadyClock::now());
  }

  void onLost(LostHandler handler) { m_lost = std::make_shared<LostHandler>(std::move(handler)); }
  void onRenewed(RenewedHandler handler) { m_renewed = std::move(handler); }
  bool isAcquiring() const { return m_tenure != nullptr && m_tenure->isAcquiring(); }
  bool isReleasing() const { return m_tenure != nullptr && m_tenure->isReleasing(); }
  bool isHeld() const { return m_tenure != nullptr && m_tenure->isHeld(SteadyClock::now()); }
  std::int64_t count() const { return m_tenure != nullptr ? m_tenure->count() : 0; }
  SteadyTime validUntil() const { return m_tenure != nullptr ? m_tenure->validUntil() : SteadyTime{}; }
  const LockName &name() const { return m_door.name; }
  const LockOptions &options() const { return m_options; }
  const Primitive &primitive() const { return m_door.primitive; }
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
    if (m_tenure == nullptr)
      return std::nullopt;
    if (isAcquiring() || isReleasing())
      return Error{ErrorCode::Usage, "an acquire or release of this handle is under way", where(), "wait for its outcome"};
    if (m_tenure->count() == 0)
      return std::nullopt;
    if (!m_door.primitive.isReentrant())
      return Error{ErrorCode::Usage, "it is held through this handle already, and a " + std::string(primitive().info().name) + " is not re-entrant", where(),
                   "use a re-entrant lock or another handle"};
    if (m_tenure->count() >= m_options.countLimit)
      return Error{ErrorCode::Usage, "the limit of re-entries is reached", where(), "release what is held, or raise countLimit"};
    if (!m_tenure->isReleaseSettled())
      return Error{ErrorCode::InDoubt, "an earlier re-entry is still being given back", where(), "try again"};
    return std::nullopt;
  }

  std::optional<Error> whyNotBecomeWriter() const {
    const auto usage = [this](std::string what, const char *next) { return Error{ErrorCode::Usage, std::move(what), safeText(name().bytes(), 80), next}; };
    if (!primitive().canBecomeWriter())
      return usage("a " + std::string(primitive().info().name) + " makes no writer of a reader",
                   "release it and acquire as a writer, or use FairReadWriteLock");
    if (isAcquiring() || isReleasing())
      return usage("an acquire or release of this handle is under way", "wait for its outcome");
    if (count() == 0)
      return usage("this handle holds nothing", "acquire the lock first");
    if (!m_tenure->isReader())
      return usage("it is the writer already", "go on");
    if (m_tenure->hasUnsettledUpgrades())
      return Error{ErrorCode::InDoubt, "what came of the earlier wishes to become the writer is not known yet", safeText(name().bytes(), 80), "try again"};
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
    plan.subscribed = m_tenure->hears();
    return plan;
  }

  /// A tenure that may begin a hold, or the one that holds.
  void readyTenure(SteadyTime now) {
    if (m_tenure != nullptr && m_tenure->count() == 0 && !m_tenure->isSettled()) {
      m_tenure->detach(now);
      m_tenure = nullptr;
    }
    if (m_tenure == nullptr) {
      m_tenure = &m_driver.newTenure(m_door);
      m_tenure->attach(this);
    }
  }

  void failSoon(Error error, AcquireHandler done) {
    m_error = error;
    m_soon.post([outcome = AcquireOutcome(Failed{std::move(error)}), handler = std::move(done)]() mutable { handler(outcome); });
  }

  LockDriver::Core &m_driver;
  LockDriver::Core::Door &m_door;
  LockOptions m_options;
  LockTenure *m_tenure = nullptr;
  AcquireHandler m_done;
  ReleaseHandler m_released;
  std::shared_ptr<LostHandler> m_lost;
  RenewedHandler m_renewed;
  std::optional<Error> m_error;
  Soon m_soon;
};

LockSession::LockSession(LockDriver &driver, const Primitive &primitive, LockName name, LockOptions options)
    : m_core(std::make_unique<Core>(driver.core(), primitive, name, std::move(options))) {}
LockSession::~LockSession() = default;
void LockSession::acquire(AcquireHandler done) {
  const auto &options = m_core->options();
  m_core->acquire(options.policy.value_or(m_core->primitive().defaultPolicy()), options.waitLimit, std::move(done));
}
void LockSession::acquire(AcquirePolicy policy, std::optional<milliseconds> waitLimit, AcquireHandler done) {
  m_core->acquire(policy, waitLimit, std::move(done));
}
void LockSession::release(ReleaseHandler done) { m_core->release(std::move(done)); }
bool LockSession::becomeReader() { return m_core->becomeReader(); }
void LockSession::becomeWriter(std::optional<milliseconds> waitLimit, AcquireHandler done) { m_core->becomeWriter(waitLimit, std::move(done)); }
void LockSession::cancel() { m_core->cancel(); }
void LockSession::onLost(LostHandler handler) { m_core->onLost(std::move(handler)); }
void LockSession::onRenewed(RenewedHandler handler) { m_core->onRenewed(std::move(handler)); }
bool LockSession::isAcquiring() const { return m_core->isAcquiring(); }
bool LockSession::isReleasing() const { return m_core->isReleasing(); }
bool LockSession::isHeld() const { return m_core->isHeld(); }
std::int64_t LockSession::count() const { return m_core->count(); }
SteadyTime LockSession::validUntil() const { return m_core->validUntil(); }
const LockName &LockSession::name() const { return m_core->name(); }
const Error *LockSession::lastError() const { return m_core->lastError(); }

} // namespace lockhouse
