// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/histogram.h"
#include "core/watch/record/lock_change.h"
#include "ui/plot/time_series.h"

#include <array>
#include <span>

namespace lockhouse::ui {

/// What one change says about traffic on its lock.
struct Traffic {
  unsigned acquired = 0;                           ///< holds that began
  std::uint64_t contended = 0;                     ///< clients that were seen to begin waiting
  std::optional<std::chrono::nanoseconds> heldFor; ///< how long the hold lasted that this change ended
};

/// Acquired: holders that were not there before; a lock that was already held when it was first seen does not count, nor does
/// another level of a re-entrant lock. Contended: clients that joined the queue, or, where only a number is known, its growth;
/// families that leave no trace of waiters never count. heldFor: of a sole holder whose arrival was watched. `at` is change.at
/// on the steady clock.
Traffic trafficOf(const LockChange &change, SteadyTime at);

/// Acquisitions and contention per second, and how long holds lasted, from changes. What two reads of Redis do not tell apart is
/// not counted: a hold that began and ended between a hint and the read that followed it is missed, so each is "at least".
class RateSeries {
public:
  static constexpr seconds holdWindow{10}; ///< the hold quantiles of a second are over the holds that ended in the last ten

  /// Once a second and with every snapshot. `known` is false while a node resyncs: those seconds are gaps, whatever changes come.
  void cover(SteadyTime now, bool known);
  void take(std::span<const LockChange> changes, SteadyTime now, WallTime wallNow);

  const TimeSeries &acquired() const { return m_acquired; }
  const TimeSeries &contended() const { return m_contended; }
  const TimeSeries &holdP50() const { return m_holdP50; } ///< in seconds
  const TimeSeries &holdP99() const { return m_holdP99; } ///< in seconds

private:
  TimeSeries m_acquired, m_contended, m_holdP50, m_holdP99;
  std::array<Histogram, static_cast<std::size_t>(holdWindow.count())> m_holds; // by second, modulo the window
  bool m_known = false;

  void advanceTo(std::int64_t second); ///< only while known
  void closeSecond(std::int64_t second);
};

} // namespace lockhouse::ui
