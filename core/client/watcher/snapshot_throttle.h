// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"

#include <algorithm>
#include <ctime>

namespace lockhouse {

/// When the next snapshot is due. Of very many locks one takes long: a fortieth of the thread's own time is enough for them, however long
/// others keep the processor; but nobody waits for more than a second, or three times as long as it took. One thread.
class SnapshotThrottle {
public:
  explicit SnapshotThrottle(milliseconds every) : m_every(every) {}

  template <class Publish> void run(Publish publish) {
    const auto before = ownTime();
    publish(SteadyClock::now());
    m_took = ownTime() - before;
    m_end = SteadyClock::now();
  }
  std::chrono::nanoseconds untilDue(SteadyTime now) const {
    const auto longestRest = std::max<std::chrono::nanoseconds>(seconds(1), 3 * m_took);
    return m_end + std::max<std::chrono::nanoseconds>(m_every, std::min(40 * m_took, longestRest)) - now;
  }

private:
  milliseconds m_every;
  SteadyTime m_end{};
  std::chrono::nanoseconds m_took{0};

  static std::chrono::nanoseconds ownTime() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  }
};

} // namespace lockhouse
