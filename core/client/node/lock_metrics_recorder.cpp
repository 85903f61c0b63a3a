// SPDX-License-Identifier: Apache-2.0
#include "core/client/node/lock_metrics_recorder.h"

#include "core/base/safe_text.h"

#include <utility>

namespace lockhouse {

void LockMetricsRecorder::began(SteadyTime now) {
  m_began = now;
  ++m_book->metrics.waiters;
}

void LockMetricsRecorder::refused(const std::optional<std::string> &holder, SteadyTime now) {
  ++m_book->metrics.refusals;
  if (holder && holder != m_book->stranger) {
    m_book->stranger = holder;
    m_book->strangerSince = now;
  }
}

std::optional<milliseconds> LockMetricsRecorder::firstSeen(const std::optional<std::string> &holder, SteadyTime now) const {
  if (!holder || holder != m_book->stranger)
    return std::nullopt;
  return std::chrono::floor<milliseconds>(now - m_book->strangerSince);
}

void LockMetricsRecorder::concluded(AcquireMachine::Verdict verdict, const Error &why, SteadyTime now) {
  using Verdict = AcquireMachine::Verdict;
  auto &metrics = m_book->metrics;
  --metrics.waiters;
  switch (verdict) {
  case Verdict::Granted:
    ++metrics.acquired;
    metrics.wait.add(now - m_began);
    break;
  case Verdict::Contended: ++metrics.contended; break;
  case Verdict::TimedOut: ++metrics.timedOut; break;
  case Verdict::Cancelled: ++metrics.cancelled; break;
  case Verdict::InDoubt:
    ++metrics.inDoubt;
    tell(LogEvent::Level::Warning, LogEvent::Kind::AcquireInDoubt, "asked for and not answered, it is being given back; " + why.sentence());
    break;
  case Verdict::None:
  case Verdict::TooLate:
  case Verdict::TooFewCopies:
  case Verdict::Rejected:
  case Verdict::Unreachable: ++metrics.failed; break;
  }
}

void LockMetricsRecorder::held(SteadyTime now) {
  ++m_book->metrics.holds;
  m_heldSince = now;
  m_renewalPlanned = TimerHeap::never;
  m_book->stranger.reset();
  // Only who waited already when it came free was handed anything.
  if (const auto freed = std::exchange(m_book->freedAt, TimerHeap::never); freed != TimerHeap::never && m_began <= freed)
    m_book->metrics.handoff.add(now - freed);
}

void LockMetricsRecorder::releaseBegan(SteadyTime now) {
  --m_book->metrics.holds;
  m_book->metrics.hold.add(now - m_heldSince);
  m_book->freedAt = now;
}

void LockMetricsRecorder::freed(SteadyTime now) {
  if (m_book->freedAt == TimerHeap::never)
    m_book->freedAt = now;
}

void LockMetricsRecorder::releaseEnded(ReleaseOutcome outcome, const Error &why) {
  ++m_book->metrics.releases.at(static_cast<std::size_t>(outcome));
  if (outcome == ReleaseOutcome::InDoubt)
    tell(LogEvent::Level::Warning, LogEvent::Kind::ReleaseInDoubt, "released and not answered, it is tried on; " + why.sentence());
}

void LockMetricsRecorder::lost(LossReason reason, SteadyTime now) {
  --m_book->metrics.holds;
  m_book->metrics.hold.add(now - m_heldSince);
  ++m_book->metrics.lost.at(static_cast<std::size_t>(reason));
  tell(LogEvent::Level::Error, LogEvent::Kind::HoldLost, "the hold was lost: " + std::string(name(reason)));
}

void LockMetricsRecorder::tell(LogEvent::Level level, LogEvent::Kind kind, std::string_view what) const {
  if (const auto &log = m_book->log; log.isHeard())
    log.tell(level, kind, "lock " + safeText(m_book->lock.bytes(), 80) + ": " + std::string(what), m_book->lock);
}

void LockMetricsRecorder::renewalDue(SteadyTime planned) { m_renewalPlanned = std::min(m_renewalPlanned, planned); }

void LockMetricsRecorder::renewalAnswered(bool renewed, SteadyTime now) {
  if (!renewed) {
    ++m_book->metrics.renewalsFailed;
    return;
  }
  ++m_book->metrics.renewals;
  if (const auto planned = std::exchange(m_renewalPlanned, TimerHeap::never); planned != TimerHeap::never)
    m_book->metrics.renewalLateness.add(now - planned);
}

} // namespace lockhouse
