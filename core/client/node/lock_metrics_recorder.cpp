// SPDX-License-Identifier: Apache-2.0
#include "core/client/node/lock_metrics_recorder.h"

#include "core/base/safe_text.h"

#include <utility>

namespace lockhouse {

void LockMetricsRecorder::began(SteadyTime now) {
  m_began = now;
  ++m_stats->metrics.waiters;
}

void LockMetricsRecorder::refused(const std::optional<std::string> &holder, SteadyTime now) {
  ++m_stats->metrics.refusals;
  if (holder && holder != m_stats->otherHolder) {
    m_stats->otherHolder = holder;
    m_stats->otherHolderSince = now;
  }
}

std::optional<milliseconds> LockMetricsRecorder::firstSeen(const std::optional<std::string> &holder, SteadyTime now) const {
  if (!holder || holder != m_stats->otherHolder)
    return std::nullopt;
  return std::chrono::floor<milliseconds>(now - m_stats->otherHolderSince);
}

void LockMetricsRecorder::concluded(AcquireMachine::Verdict verdict, const Error &why, SteadyTime now) {
  using Verdict = AcquireMachine::Verdict;
  auto &metrics = m_stats->metrics;
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
    log(LogEvent::Level::Warning, LogEvent::Kind::AcquireInDoubt, "asked for and not answered, it is being given back; " + why.sentence());
    break;
  case Verdict::None:
  case Verdict::TooLate:
  case Verdict::TooFewCopies:
  case Verdict::Rejected:
  case Verdict::Unreachable: ++metrics.failed; break;
  }
}

void LockMetricsRecorder::held(SteadyTime now) {
  ++m_stats->metrics.holds;
  m_heldSince = now;
  m_renewalPlanned = TimerHeap::never;
  m_stats->otherHolder.reset();
  // A handoff only if the acquire was waiting already when the lock was freed.
  if (const auto freed = std::exchange(m_stats->freedAt, TimerHeap::never); freed != TimerHeap::never && m_began <= freed)
    m_stats->metrics.handoff.add(now - freed);
}

void LockMetricsRecorder::releaseBegan(SteadyTime now) {
  --m_stats->metrics.holds;
  m_stats->metrics.hold.add(now - m_heldSince);
  m_stats->freedAt = now;
}

void LockMetricsRecorder::freed(SteadyTime now) {
  if (m_stats->freedAt == TimerHeap::never)
    m_stats->freedAt = now;
}

void LockMetricsRecorder::releaseEnded(ReleaseOutcome outcome, const Error &why) {
  ++m_stats->metrics.releases.at(static_cast<std::size_t>(outcome));
  if (outcome == ReleaseOutcome::InDoubt)
    log(LogEvent::Level::Warning, LogEvent::Kind::ReleaseInDoubt, "released and not answered, it is tried on; " + why.sentence());
}

void LockMetricsRecorder::lost(LossReason reason, SteadyTime now) {
  --m_stats->metrics.holds;
  m_stats->metrics.hold.add(now - m_heldSince);
  ++m_stats->metrics.lost.at(static_cast<std::size_t>(reason));
  log(LogEvent::Level::Error, LogEvent::Kind::HoldLost, "the hold was lost: " + std::string(name(reason)));
}

void LockMetricsRecorder::log(LogEvent::Level level, LogEvent::Kind kind, std::string_view what) const {
  if (const auto &log = m_stats->log; log.hasSink())
    log.tell(level, kind, "lock " + safeText(m_stats->lock.bytes(), 80) + ": " + std::string(what), m_stats->lock);
}

void LockMetricsRecorder::renewalDue(SteadyTime planned) { m_renewalPlanned = std::min(m_renewalPlanned, planned); }

void LockMetricsRecorder::renewalAnswered(bool renewed, SteadyTime now) {
  if (!renewed) {
    ++m_stats->metrics.renewalsFailed;
    return;
  }
  ++m_stats->metrics.renewals;
  if (const auto planned = std::exchange(m_renewalPlanned, TimerHeap::never); planned != TimerHeap::never)
    m_stats->metrics.renewalLateness.add(now - planned);
}

} // namespace lockhouse
