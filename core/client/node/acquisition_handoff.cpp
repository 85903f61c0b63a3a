// SPDX-License-Identifier: Apache-2.0
// How a tenure comes by a lock that others hand on, and hands it on inside the client, without the server.
#include "core/client/node/acquisition.h"

#include <algorithm>
#include <utility>

namespace lockhouse {

bool Acquisition::isPassedOn(const Primitive &primitive, const LockName &lock, const PassedOn &grant, SteadyTime now) {
  if (&primitive != &m_entry.primitive || lock != m_entry.name)
    return false;
  if (primitive.word() == Primitive::Word::Hint && !isAcquiring())
    return false;
  // What came to a successor by another one's name, and was given up since, is not given back under its own.
  if (!isAcquiring() && (m_isLocalSuccessor || (m_count == 0 && isSettled())))
    return false;
  m_record.freed(now);
  m_behind = grant.behind;
  // An owner has several upgrades, and WAIT does not see the writes of another connection: our own ask tells whether it is ours, and writes.
  if (grant.fence.value == 0 || m_upgrade || m_acknowledge.isWanted())
    tell({AcquireEvent::Kind::Woken}, now);
  else
    tell({.kind = AcquireEvent::Kind::PassedOn, .fence = grant.fence.value, .until = m_entry.placesUntil}, now);
  return true;
}

void Acquisition::releaseOrphan(HandoffGrant what, SteadyTime now) {
  m_lease = std::chrono::ceil<milliseconds>(std::max<SteadyClock::duration>(what.until - now, milliseconds(1)));
  m_owner = std::move(what.owner);
  m_fence = what.fence;
  m_served = std::move(what.served);
  startRelease(0, false, now);
}

Acquisition *Acquisition::localSuccessor() {
  const bool isGone = m_entry.granted > m_lastFence; // the server has granted it to another one of us since
  if (m_fence == 0 || m_fence >= m_lastFence || isGone || m_driver.options().handoffLimit < 2)
    return nullptr;
  if (m_policy.kind == AcquirePolicy::Kind::Cohort && m_waitQueue->inside() == this) {
    auto *next = static_cast<Acquisition *>(m_waitQueue->next());
    if (next != nullptr && next->m_acquire.state() == AcquireMachine::State::InLine)
      return next;
  }
  auto *next = firstBehind();
  return next != nullptr && next->mayTakeOverGrant() && next->m_acquire.seenFence() <= m_fence ? next : nullptr;
}

// Who has given up sees to its place itself.
Acquisition *Acquisition::firstBehind() {
  for (; !m_behind.empty(); m_behind.erase(m_behind.begin())) {
    auto *next = m_driver.inbox().owner(m_behind.front());
    if (next != nullptr && &next->m_entry == &m_entry && next->isAcquiring())
      return next;
  }
  return nullptr;
}

bool Acquisition::mayTakeOverGrant() const {
  const auto state = m_acquire.state();
  return (state == AcquireMachine::State::Sleeping || state == AcquireMachine::State::Subscribing) && !m_upgrade && !m_acknowledge.isWanted();
}

void Acquisition::handOn() {
  --m_outstanding;
  m_isHandingOn = false;
  const auto now = SteadyClock::now();
  // The server gives the next one a whole lease.
  auto *next = now + m_lease / 3 < m_watchdog.validUntil() ? localSuccessor() : nullptr;
  if (next == nullptr) {
    startRelease(0, false, now);
    m_waitQueue->goneOut(*this, now);
    return retireIfDone();
  }
  HandoffGrant what{m_owner,
                    m_isLocalSuccessor ? m_entry.inherited : m_number,
                    m_fence + 1,
                    m_lastFence,
                    m_watchdog.validUntil(),
                    std::exchange(m_behind, {}),
                    std::exchange(m_served, {})};
  const bool isBehind = next->m_acquire.state() != AcquireMachine::State::InLine;
  if (isBehind) {
    what.served.push_back(what.behind.front());
    what.behind.erase(what.behind.begin());
  } else
    m_waitQueue->handedOn(*next, now);
  ++next->m_outstanding; // what the one before it does now cannot end it
  m_reportRelease = false;
  m_recordRelease = false;
  refreshSettled();
  m_record.releaseEnded(ReleaseOutcome::Released, m_error);
  if (m_session != nullptr)
    m_session->released(ReleaseOutcome::Released, nullptr);
  if (isBehind)
    m_waitQueue->goneOut(*this, now);
  next->takeOverGrant(std::move(what), now);
  retireIfDone();
}

void Acquisition::takeOverGrant(HandoffGrant what, SteadyTime now) {
  --m_outstanding;
  const bool waits = mayTakeOverGrant() || m_acquire.state() == AcquireMachine::State::InLine;
  if (!waits) { // it has given up since, and may be about to give back what is its own
    m_entry.inherited = 0;
    m_driver.newAcquisition(m_entry).releaseOrphan(std::move(what), now);
    return retireIfDone();
  }
  m_owner = std::move(what.owner);
  m_isLocalSuccessor = true;
  m_entry.inherited = what.number;
  m_fence = what.fence;
  m_lastFence = what.lastFence;
  m_behind = std::move(what.behind);
  m_served = std::move(what.served);
  tell({.kind = AcquireEvent::Kind::PassedOn, .fence = m_fence, .until = what.until}, now);
  retireIfDone();
}

} // namespace lockhouse
