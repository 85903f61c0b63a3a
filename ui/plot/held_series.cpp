// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/held_series.h"

#include <algorithm>
#include <optional>

namespace lockhouse::ui {

Coverage coverageOf(const LockSnapshot &snapshot) {
  Coverage coverage;
  coverage.named = snapshot.nodes.size();
  for (const NodeStatus &node : snapshot.nodes) {
    const bool live = node.state == NodeState::Live;
    coverage.resyncing = coverage.resyncing || node.state == NodeState::Stale || (live && !node.scanComplete);
    if (!live)
      continue;
    ++coverage.live;
    coverage.liveNodes += node.id.bytes();
    coverage.liveNodes += '\0';
  }
  return coverage;
}

void HeldSeries::take(const LockSnapshot &snapshot, SteadyTime now) {
  tick(now);
  Coverage coverage = coverageOf(snapshot);
  const bool known = coverage.live > 0 && !coverage.resyncing;
  double held = 0;
  std::optional<double> waiters; // as the line above the table has them: of no lock known is not none
  bool hasLocks = false;
  for (const LockRecordPtr &lock : snapshot.locks) {
    if (lock->staleSince || lock->isDoubtful())
      continue;
    held += lock->isHeld() ? 1 : 0;
    hasLocks = true;
    if (lock->waiters)
      waiters = waiters.value_or(0) + static_cast<double>(*lock->waiters);
  }
  m_heldNow = known ? held : TimeSeries::gap;
  m_waitersNow = !known || (hasLocks && !waiters) ? TimeSeries::gap : waiters.value_or(0);
  const std::int64_t second = m_held.bucketOf(now);
  if (m_held.newestBucket() && coverage.liveNodes != m_coverage.liveNodes)
    m_breakAt = second;
  m_coverage = std::move(coverage);
  write(second);
}

void HeldSeries::tick(SteadyTime now) {
  const auto newest = m_held.newestBucket();
  if (!newest)
    return;
  const std::int64_t second = m_held.bucketOf(now);
  for (std::int64_t missed = std::max(*newest + 1, second - static_cast<std::int64_t>(m_held.length()) + 1); missed <= second; ++missed)
    write(missed);
}

void HeldSeries::write(std::int64_t second) {
  m_held.set(second, second == m_breakAt ? TimeSeries::gap : m_heldNow);
  m_waiters.set(second, second == m_breakAt ? TimeSeries::gap : m_waitersNow);
}

} // namespace lockhouse::ui
