// SPDX-License-Identifier: Apache-2.0
#include "core/client/api/lock_hold.h"

#include <utility>

namespace lockhouse {

LockHold::LockHold(std::shared_ptr<ClientRuntime> runtime) : m_runtime(std::move(runtime)) {}

LockHold::~LockHold() {
  if (isForkedChild())
    static_cast<void>(m_session.release()); // its loop is in the parent, and so is the hold
}

bool LockHold::isHeld() const { return count() > 0 && SteadyClock::now() < validUntil() && !isForkedChild(); }

std::optional<LossReason> LockHold::lossReason() const {
  const int loss = m_loss.load(std::memory_order_acquire);
  return loss == notLost ? std::nullopt : std::optional(static_cast<LossReason>(loss));
}

void LockHold::onLost(LostHandler handler) {
  {
    const std::scoped_lock guard(m_mutex);
    if (!lossReason()) {
      m_onLost = std::move(handler);
      return;
    }
  }
  handler(*lossReason());
}

void LockHold::begin(std::unique_ptr<OwnerSession> session, std::optional<milliseconds> usualWait) {
  m_session = std::move(session);
  m_usualWait = usualWait;
  m_session->onLost([this](LossReason reason) { lost(reason); });
  m_session->onRenewed([this](SteadyTime validUntil) { extended(validUntil); });
  m_runtime->add(*this);
}

std::optional<Error> LockHold::whyNothingHeld() const {
  if (m_session && !lossReason())
    return std::nullopt;
  return Error{ErrorCode::Usage,
               m_session ? LH_ENGLISH("the hold of this handle was lost") : LH_ENGLISH("this handle holds nothing"),
               {},
               LH_ENGLISH("acquire the lock anew")};
}

void LockHold::becomeWriter(std::optional<milliseconds> waitLimit, OwnerSession::AcquireHandler done) {
  if (auto refusal = whyNothingHeld())
    return done(AcquireOutcome(Failed{std::move(*refusal)}));
  m_session->becomeWriter(waitLimit, [this, handler = std::move(done)](const AcquireOutcome &outcome) mutable {
    if (const auto *acquired = std::get_if<Acquired>(&outcome))
      extended(acquired->validUntil); // token and count are the same as before
    handler(outcome);
  });
}

void LockHold::acquire(AcquirePolicy policy, std::optional<milliseconds> waitLimit, OwnerSession::AcquireHandler done) {
  if (auto refusal = whyNothingHeld())
    return done(AcquireOutcome(Failed{std::move(*refusal)}));
  m_session->acquire(policy, waitLimit, [this, handler = std::move(done)](const AcquireOutcome &outcome) mutable {
    if (const auto *acquired = std::get_if<Acquired>(&outcome))
      granted(*acquired);
    handler(outcome);
  });
}

void LockHold::granted(const Acquired &acquired) {
  if (acquired.count == 1) {
    m_token = acquired.token;
    m_fence = acquired.fence;
  }
  m_acknowledged = acquired.acknowledged;
  extended(acquired.validUntil);
  m_count.store(acquired.count, std::memory_order_release);
}

void LockHold::cancel() {
  if (m_session)
    m_session->cancel();
}

void LockHold::release(ReleaseHandler done) {
  if (!m_session) {
    done(ReleaseOutcome::NotOwner);
    return;
  }
  m_session->release([this, handler = std::move(done)](ReleaseOutcome outcome) mutable {
    noteRelease(outcome);
    handler(outcome);
  });
  m_count.store(m_session->count(), std::memory_order_release); // as before, if it was refused
}

void LockHold::noteRelease(ReleaseOutcome outcome) {
  const bool isOpen = outcome == ReleaseOutcome::Failed || outcome == ReleaseOutcome::InDoubt;
  const auto *why = isOpen && m_session ? m_session->lastError() : nullptr;
  const std::scoped_lock guard(m_mutex);
  m_releaseError = why != nullptr ? std::optional(*why) : std::nullopt;
}

std::optional<Error> LockHold::releaseError() const {
  const std::scoped_lock guard(m_mutex);
  return m_releaseError;
}

bool LockHold::isBusy() const { return m_session && (m_session->isAcquiring() || m_session->isReleasing()); }

void LockHold::end() {
  if (!m_session)
    return;
  m_runtime->remove(*this);
  m_count.store(0, std::memory_order_release);
  m_session.reset();
}

void LockHold::endWithClient() {
  end();
  m_stop.request_stop();
}

void LockHold::lost(LossReason reason) {
  LostHandler handler;
  {
    const std::scoped_lock guard(m_mutex);
    m_loss.store(static_cast<int>(reason), std::memory_order_release);
    handler = std::exchange(m_onLost, {});
  }
  m_count.store(0, std::memory_order_release);
  m_stop.request_stop();
  if (handler)
    handler(reason);
}

} // namespace lockhouse
