// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/watch/record/lock_snapshot.h"

#include <QString>

namespace lockhouse::ui {

/// What the truth line says of one snapshot: how many, how old, how sure, how fresh, by which means, at what cost.
struct HealthSummary {
  enum class Mood { Good, Waiting, Doubtful, Broken };

  std::size_t nodes = 0, live = 0;
  std::size_t locks = 0;                ///< without those that are doubtful
  std::size_t doubtful = 0;             ///< that look like data more than like locks
  std::optional<std::uint64_t> waiters; ///< the sum of what is known; nothing when there are locks and it is known of none
  bool moreMayWait = false;             ///< of one of them it is at least so many
  std::optional<std::chrono::nanoseconds> oldestHold;
  bool oldestHoldExact = true; ///< whether its beginning was seen; else it is at least that long
  bool isOldestTold = false;   ///< … or about as long: its holder's bytes tell
  std::optional<double> load;  ///< of the live node that we cost most; nothing while none is live
  std::uint64_t divergences = 0;
  Mood mood = Mood::Waiting;
  QString match; ///< "Exact as of 0.3 s ago"
  QString means; ///< "change feed on all nodes · full scan 12 s ago"

  /// `unwatched`: masters of a cluster that are none of these nodes. `wall`: what the time of day is at `now`.
  static HealthSummary of(const LockSnapshot &snapshot, SteadyTime now, std::size_t unwatched = 0, WallTime wall = wallNow());
};

/// Why there is no table to look at, and what to do about it; empty when there are locks to show.
struct EmptyState {
  enum class Step { None, ShowNodes, OpenLab }; ///< the one next step that can be taken here, as a button

  QString title{};
  QString sentence{};
  QString next{};
  Step step = Step::None;
  static EmptyState of(const LockSnapshot *snapshot, SteadyTime now);
  bool isEmpty() const { return title.isEmpty(); }
};

} // namespace lockhouse::ui
