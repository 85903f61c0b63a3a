// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/watch/record/lock_change.h"

#include <deque>
#include <vector>

namespace lockhouse::ui {

/// The newest changes of all locks, up to a bound; the details pane asks it for one lock's.
class LockHistory {
public:
  explicit LockHistory(std::size_t most = 20'000) : m_most(most) {}

  void add(const std::vector<LockChange> &changes);
  /// The newest `most` changes of `id`, newest first; renewals in a row count as one, the newest.
  std::vector<LockChange> of(const LockId &id, std::size_t most) const;

private:
  std::size_t m_most;
  std::deque<LockChange> m_changes;
};

} // namespace lockhouse::ui
