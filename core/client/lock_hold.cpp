// SPDX-License-Identifier: Apache-2.0
#include "core/client/lock_hold.h"

#include <utility>

namespace lockhouse {

LockHold::LockHold(std::shared_ptr<LockRoom> room) : m_room(std::move(room)) {}

LockHold::~LockHold() {
  if (isForeign())
    static_cast<void>(m_session.release()); // its loop is in the parent, and so is the hold
}

bool LockHold::isHeld() const { return count() > 0 && SteadyClock::now() < validUntil() && !isForeign(); }

std::optional<LossReason> LockHold::lossReason() const {
  const int loss = m_loss.load(std::memory_order_acquire);
  return loss == notLost ? std::nullopt : std::optional(static_cast<LossReason>(loss));
}

void LockHold::onLost(LostHandler handler) {
  {
    const std::scoped_lock guard(m_lostMutex);
    if (!lossReason()) {
      m_onLost = std::move(handler);
      return;
    }
  }
  handler(*lossReason());
}

void LockHold::begin(std::unique_ptr<OwnerSession> session) {
  m_session = std::move(session);
  m_session->onLost([this](LossReason reason) { lost(reason); });
  m_session->onRenewed([this](SteadyTime validUntil) { m_validUntil.store(validUntil.time_since_epoch().count(), std::memory_order_release); });
  m_room->enter(*this);
}

void LockHold::acquire(AcquirePolicy policy, std::optional<milliseconds> waitLimit, OwnerSession::AcquireHandler done) {
  if (!m_session || lossReason()) {
    const auto what = m_session ? "the hold of this handle was lost" : "this handle holds nothing";
    done(AcquireOutcome(Failed{Error{ErrorCode::Usage, what, {}, "acquire the lock anew"}}));
    return;
  }
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
  m_validUntil.store(acquired.validUntil.time_since_epoch().count(), std::memory_order_release);
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
  m_session->release(std::move(done));
  m_count.store(m_session->count(), std::memory_order_release); // as before, if it was refused
}

bool LockHold::isBusy() const { return m_session && (m_session->isAcquiring() || m_session->isReleasing()); }

void LockHold::end() {
  if (!m_session)
    return;
  m_room->leave(*this);
  m_count.store(0, std::memory_order_release);
  m_session.reset();
}

void LockHold::closeDown() {
  end();
  m_stop.request_stop();
}

void LockHold::lost(LossReason reason) {
  LostHandler handler;
  {
    const std::scoped_lock guard(m_lostMutex);
    m_loss.store(static_cast<int>(reason), std::memory_order_release);
    handler = std::exchange(m_onLost, {});
  }
  m_count.store(0, std::memory_order_release);
  m_stop.request_stop();
  if (handler)
    handler(reason);
}

} // namespace lockhouse
