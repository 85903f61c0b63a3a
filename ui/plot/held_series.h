// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/watch/record/lock_snapshot.h"
#include "ui/plot/time_series.h"

namespace lockhouse::ui {

/// How much of the fleet a figure speaks for.
struct Coverage {
  std::size_t live = 0;   ///< nodes whose rows are counted
  std::size_t named = 0;  ///< nodes the user named
  std::string liveNodes;  ///< which ones; two figures over different nodes must not be joined by a line
  bool resyncing = false; ///< a node is stale, or live but not yet swept once: no total can be given now
};
Coverage coverageOf(const LockSnapshot &snapshot);

/// Locks held and clients known to wait, a value a second, from snapshots. Counted: locks of shownConfidence or more on nodes
/// that are live. A second is a gap while a node resyncs, and when the set of live nodes changes. A snapshot stands until the
/// next one: the watcher publishes only when there is something new.
class HeldSeries {
public:
  void take(const LockSnapshot &snapshot, SteadyTime now);
  void tick(SteadyTime now); ///< once a second: carries what the last snapshot said up to `now`

  const TimeSeries &held() const { return m_held; }
  const TimeSeries &waiters() const { return m_waiters; }
  const Coverage &coverage() const { return m_coverage; }

private:
  TimeSeries m_held;
  TimeSeries m_waiters;
  Coverage m_coverage;
  double m_heldNow = TimeSeries::gap;
  double m_waitersNow = TimeSeries::gap;
  std::int64_t m_breakAt = -1; // this second stays a gap whatever comes: the live nodes changed in it

  void write(std::int64_t second);
};

} // namespace lockhouse::ui
