// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"

#include <algorithm>
#include <ctime>

namespace lockhouse {

/// When the next snapshot is due. Of very many locks one takes long: a fortieth of the thread's own time is enough for them, however long
/// others keep the processor; but what is shown is never older than a second. One thread.
class PublishPace {
public:
  explicit PublishPace(milliseconds every) : m_every(every) {}

  template <class Publish> void run(Publish publish) {
    m_at = SteadyClock::now();
    const auto before = ownTime();
    publish(m_at);
    m_took = ownTime() - before;
  }
  std::chrono::nanoseconds untilDue(SteadyTime now) const {
    constexpr std::chrono::nanoseconds longestRest = seconds(1);
    return m_at + std::max<std::chrono::nanoseconds>(m_every, std::min(40 * m_took, longestRest)) - now;
  }

private:
  milliseconds m_every;
  SteadyTime m_at{};
  std::chrono::nanoseconds m_took{0};

  static std::chrono::nanoseconds ownTime() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  }
};

} // namespace lockhouse
