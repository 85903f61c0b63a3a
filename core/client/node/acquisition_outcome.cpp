// SPDX-License-Identifier: Apache-2.0
// What a tenure's acquire has come to, as its session is told.
#include "core/client/node/acquisition.h"

namespace lockhouse {

AcquireOutcome Acquisition::outcome() const {
  using Verdict = AcquireMachine::Verdict;
  switch (m_acquire.verdict()) {
  case Verdict::Granted:
    return Acquired{m_owner, m_watchdog.validUntil(), m_fence == 0 || !m_entry.primitive.isFenced() ? std::nullopt : std::optional(Fence{m_fence}), m_count,
                    m_acknowledged};
  case Verdict::Contended: return Contended{m_holder, m_timeLeft, m_record.firstSeen(m_holder, SteadyClock::now())};
  case Verdict::TimedOut:
    if (m_awaitsReplicas)
      return Failed{notAcknowledged()};
    return TimedOut{m_holder, m_record.firstSeen(m_holder, SteadyClock::now()), isHeldByOthers() ? std::nullopt : std::optional(unanswered())};
  case Verdict::Cancelled: return Cancelled{};
  case Verdict::InDoubt: return InDoubt{m_error};
  case Verdict::TooLate: return Failed{tooLate()};
  case Verdict::None:
  case Verdict::TooFewCopies:
  case Verdict::Rejected:
  case Verdict::Unreachable: break;
  }
  return Failed{m_error};
}

Error Acquisition::tooLate() const {
  return {ErrorCode::Timeout, LH_ENGLISH("the lock was granted later than its lease lasts and is given back"), m_driver.address(),
          LH_ENGLISH("take a longer lease or look at the node's latency")};
}

// Who stands in line knows what the first of it was told.
bool Acquisition::isHeldByOthers() const {
  if (m_acquire.asks() > 0)
    return m_acquire.wasRefused();
  const auto *first = static_cast<const Acquisition *>(m_waitQueue->first());
  return m_waitQueue->inside() != nullptr || first == nullptr || first->m_acquire.asks() == 0 || first->m_acquire.wasRefused();
}

Error Acquisition::unanswered() const {
  if (const auto *why = m_driver.connection().why(); why != nullptr && m_driver.connection().state() != Connection::State::Ready)
    return *why;
  return {ErrorCode::Timeout, LH_ENGLISH("the node has not answered"), m_driver.address(),
          LH_ENGLISH("look at its load, and whether it is stopped; what it grants late is given back")};
}

Error Acquisition::notAcknowledged() const {
  return {ErrorCode::TooFewCopies, LH_ENGLISH("the wait limit ended before the replicas had acknowledged the hold, which is given back"), m_driver.address(),
          LH_ENGLISH("look at INFO replication of the node, or wait longer")};
}

} // namespace lockhouse
