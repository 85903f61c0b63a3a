// SPDX-License-Identifier: Apache-2.0
// How a tenure comes by a lock that others hand on, and hands it on inside the client, without the server.
#include "core/client/lock_tenure.h"

#include <utility>

namespace lockhouse {

bool LockTenure::isPassedOn(const Primitive &primitive, const LockName &lock, const PassedOn &grant, SteadyTime now) {
  if (&primitive != &m_door.primitive || lock != m_door.name)
    return false;
  if (!isAcquiring() && (m_isHeir || (m_count == 0 && isSettled())))
    return false;
  m_record.freed(now);
  m_behind = grant.behind;
  if (!isAcquiring()) {
    if (m_count == 0 || m_fence != grant.fence.value) // else our own ask has told us before this word came
      wakeBehind();                                   // the release that is under way is of this too
    return true;
  }
  // An owner has several upgrades, and WAIT does not see the writes of another connection: our own ask tells whether it is ours, and writes.
  if (grant.fence.value == 0 || m_upgrade || m_acknowledge.isWanted())
    tell({AcquireEvent::Kind::Woken}, now);
  else
    tell({.kind = AcquireEvent::Kind::PassedOn, .fence = grant.fence.value, .until = m_door.placesUntil}, now);
  return true;
}

bool LockTenure::awaits(const Primitive &primitive, const LockName &lock) const {
  return &primitive == &m_door.primitive && lock == m_door.name && isAcquiring() && !m_upgrade && !m_acknowledge.isWanted() && !m_handed;
}

bool LockTenure::inherits(HandedOn &what, SteadyTime now) {
  const bool asks = m_acquire.state() == AcquireMachine::State::Asking; // the answer decides
  m_record.freed(now);
  m_handed = std::move(what);
  tell({.kind = AcquireEvent::Kind::PassedOn, .fence = m_handed->fence, .until = m_handed->until}, now);
  if (asks || !m_handed)
    return true;
  what = *std::exchange(m_handed, std::nullopt);
  return false;
}

void LockTenure::own(HandedOn what) {
  m_owner = std::move(what.owner);
  m_isHeir = true;
  m_lastFence = what.lastFence;
  m_behind = std::move(what.behind);
}

void LockTenure::letGo(HandedOn what, SteadyTime now) {
  m_lease = std::chrono::ceil<milliseconds>(std::max<SteadyClock::duration>(what.until - now, milliseconds(1)));
  m_fence = what.fence;
  m_heirs = std::move(what.behind);
  m_owner = std::move(what.owner);
  startRelease(0, false, now);
}

LockTenure *LockTenure::heir() const {
  if (m_policy.kind != AcquirePolicy::Kind::Cohort || m_gate->inside() != this || m_fence + 1 + m_behind.size() > m_lastFence)
    return nullptr;
  auto *next = static_cast<LockTenure *>(m_gate->next());
  return next != nullptr && next->m_acquire.state() == AcquireMachine::State::InLine ? next : nullptr;
}

bool LockTenure::canBeHandedOn() const { return heir() != nullptr || !m_driver.inbox().waitingOf(m_door.primitive, m_door.name, m_behind).empty(); }

void LockTenure::handOn() {
  --m_outstanding;
  const auto now = SteadyClock::now();
  const bool isShort = now + m_lease / 3 >= m_watchdog.validUntil(); // the server gives the next one a whole lease
  if (isShort || !canBeHandedOn()) {
    m_heirs = m_driver.inbox().waitingOf(m_door.primitive, m_door.name, std::exchange(m_behind, {}));
    startRelease(0, false, now);
    m_gate->goneOut(*this, now);
    return retireIfDone();
  }
  auto *next = heir();
  HandedOn what{m_owner, m_fence + 1, m_lastFence, m_watchdog.validUntil(), std::exchange(m_behind, {})};
  if (next != nullptr) {
    m_gate->handedOn(*next, now);
    ++next->m_outstanding; // what the one before it does now cannot end it
  }
  m_reportRelease = false;
  m_recordRelease = false;
  m_record.releaseEnded(ReleaseOutcome::Released, m_error);
  if (m_session != nullptr)
    m_session->released(ReleaseOutcome::Released, nullptr);
  if (next != nullptr)
    next->inherit(std::move(what), now);
  else {
    m_gate->goneOut(*this, now);
    m_driver.inbox().handOn(m_door.primitive, m_door.name, std::move(what), now);
  }
  retireIfDone();
}

void LockTenure::inherit(HandedOn what, SteadyTime now) {
  --m_outstanding;
  m_fence = what.fence;
  const auto until = what.until;
  own(std::move(what));
  if (m_acquire.state() == AcquireMachine::State::InLine)
    tell({.kind = AcquireEvent::Kind::PassedOn, .fence = m_fence, .until = until}, now);
  else
    startRelease(0, false, now);
  retireIfDone();
}

void LockTenure::wakeBehind() {
  if (!m_behind.empty())
    m_driver.inbox().wakeSoon(m_door.primitive, m_door.name, std::exchange(m_behind, {}));
}

} // namespace lockhouse
