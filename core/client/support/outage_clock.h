// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"

#include <atomic>

namespace lockhouse {

/// How long something has been unreachable. Written by one thread, read by any.
class OutageClock {
public:
  /// Called for each change, or again without one.
  void set(bool isUnreachable) {
    if (!isUnreachable)
      m_since.store(0, std::memory_order_release);
    else if (m_since.load(std::memory_order_relaxed) == 0)
      m_since.store(SteadyClock::now().time_since_epoch().count(), std::memory_order_release);
  }
  /// Zero while it is reachable.
  SteadyClock::duration length() const {
    const auto since = m_since.load(std::memory_order_acquire);
    return since == 0 ? SteadyClock::duration::zero() : SteadyClock::now().time_since_epoch() - SteadyClock::duration(since);
  }

private:
  std::atomic<SteadyTime::rep> m_since = 0; // 0: reachable
};

} // namespace lockhouse
