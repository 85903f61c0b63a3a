// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/net/loop/loop.h"

namespace lockhouse {

/// A timer for the earliest of several times. Loop thread only.
class DeadlineTimer {
public:
  static constexpr SteadyTime never = SteadyTime::max();

  explicit DeadlineTimer(Loop &loop) : m_timer(loop) {}

  /// Runs `task` at that time, instead of at the one before.
  void set(SteadyTime at, Loop::Task task) {
    m_at = at;
    m_timer.after(at - SteadyClock::now(), std::move(task));
  }
  bool isAfter(SteadyTime at) const { return at < m_at; }
  void cancel() {
    m_timer.cancel();
    m_at = never;
  }
  /// It has run out.
  void expired() { m_at = never; }

private:
  Timer m_timer;
  SteadyTime m_at = never;
};

} // namespace lockhouse
