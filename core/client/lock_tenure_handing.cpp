// SPDX-License-Identifier: Apache-2.0
// How a tenure hands its lock on inside the client, without the server.
#include "core/client/lock_tenure.h"

#include <utility>

namespace lockhouse {

LockTenure *LockTenure::heir() const {
  if (m_policy.kind != AcquirePolicy::Kind::Cohort || m_gate->inside() != this)
    return nullptr;
  auto *next = static_cast<LockTenure *>(m_gate->next());
  return next != nullptr && next->m_acquire.state() == AcquireMachine::State::InLine ? next : nullptr;
}

void LockTenure::handOn() {
  --m_outstanding;
  const auto now = SteadyClock::now();
  auto *next = now < m_watchdog.validUntil() ? heir() : nullptr;
  if (next == nullptr) {
    startRelease(0, false, now);
    m_gate->goneOut(*this, now);
    return retireIfDone();
  }
  m_gate->handedOn(*next, now);
  const auto until = m_watchdog.validUntil();
  next->m_owner = m_owner;
  next->m_fence = ++m_fence;
  ++next->m_outstanding; // what the one before it does now cannot end it
  m_reportRelease = false;
  m_recordRelease = false;
  m_record.releaseEnded(ReleaseOutcome::Released, m_error);
  if (m_session != nullptr)
    m_session->released(ReleaseOutcome::Released, nullptr);
  next->inherit(until, now);
  retireIfDone();
}

void LockTenure::inherit(SteadyTime until, SteadyTime now) {
  --m_outstanding;
  if (m_acquire.state() == AcquireMachine::State::InLine)
    tell({.kind = AcquireEvent::Kind::PassedOn, .fence = m_fence, .until = until}, now);
  else
    startRelease(0, false, now);
  retireIfDone();
}

} // namespace lockhouse
