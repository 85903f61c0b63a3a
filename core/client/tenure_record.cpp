// SPDX-License-Identifier: Apache-2.0
#include "core/client/tenure_record.h"

#include <utility>

namespace lockhouse {

void TenureRecord::began(SteadyTime now) {
  m_began = now;
  ++m_door.metrics.waiters;
}

void TenureRecord::concluded(AcquireMachine::Verdict verdict, SteadyTime now) {
  using Verdict = AcquireMachine::Verdict;
  auto &metrics = m_door.metrics;
  --metrics.waiters;
  switch (verdict) {
  case Verdict::Granted:
    ++metrics.acquired;
    metrics.wait.add(now - m_began);
    break;
  case Verdict::Contended: ++metrics.contended; break;
  case Verdict::TimedOut: ++metrics.timedOut; break;
  case Verdict::Cancelled: ++metrics.cancelled; break;
  case Verdict::InDoubt: ++metrics.inDoubt; break;
  case Verdict::None:
  case Verdict::TooLate:
  case Verdict::Rejected:
  case Verdict::Unreachable: ++metrics.failed; break;
  }
}

void TenureRecord::held(SteadyTime now) {
  ++m_door.metrics.holds;
  m_heldSince = now;
  m_renewalPlanned = AlarmHeap::never;
  // Only who waited already when it came free was handed anything.
  if (const auto freed = std::exchange(m_door.freedAt, AlarmHeap::never); freed != AlarmHeap::never && m_began <= freed)
    m_door.metrics.handoff.add(now - freed);
}

void TenureRecord::releaseBegan(SteadyTime now) {
  --m_door.metrics.holds;
  m_door.metrics.hold.add(now - m_heldSince);
  m_door.freedAt = now;
}

void TenureRecord::freed(SteadyTime now) {
  if (m_door.freedAt == AlarmHeap::never)
    m_door.freedAt = now;
}

void TenureRecord::releaseEnded(ReleaseOutcome outcome) { ++m_door.metrics.releases.at(static_cast<std::size_t>(outcome)); }

void TenureRecord::lost(LossReason reason, SteadyTime now) {
  --m_door.metrics.holds;
  m_door.metrics.hold.add(now - m_heldSince);
  ++m_door.metrics.lost.at(static_cast<std::size_t>(reason));
}

void TenureRecord::renewalDue(SteadyTime planned) { m_renewalPlanned = std::min(m_renewalPlanned, planned); }

void TenureRecord::renewalAnswered(bool renewed, SteadyTime now) {
  if (!renewed) {
    ++m_door.metrics.renewalsFailed;
    return;
  }
  ++m_door.metrics.renewals;
  if (const auto planned = std::exchange(m_renewalPlanned, AlarmHeap::never); planned != AlarmHeap::never)
    m_door.metrics.renewalLateness.add(now - planned);
}

} // namespace lockhouse
