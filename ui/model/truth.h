// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/watch/lock_snapshot.h"

#include <QString>

namespace lockhouse::ui {

/// What the truth line says of one snapshot: how many, how old, how sure, how fresh, by which means, at what cost.
struct Truth {
  enum class Mood { Good, Waiting, Doubtful, Broken };

  std::size_t nodes = 0, live = 0;
  std::size_t locks = 0;
  std::optional<std::uint64_t> waiters; ///< the sum of what is known; nothing when it is known of no lock
  std::optional<std::chrono::nanoseconds> oldestHold;
  double load = 0; ///< of the node that we cost most
  std::uint64_t divergences = 0;
  Mood mood = Mood::Waiting;
  QString claim; ///< "Exact as of 0.3 s ago"
  QString means; ///< "change feed on all nodes · full scan 12 s ago"

  static Truth of(const LockSnapshot &snapshot, SteadyTime now);
};

/// Why there is no table to look at, and what to do about it; empty when there are locks to show.
struct EmptyState {
  QString title;
  QString sentence;
  QString next;
  static EmptyState of(const LockSnapshot *snapshot, SteadyTime now);
  bool isEmpty() const { return title.isEmpty(); }
};

} // namespace lockhouse::ui
