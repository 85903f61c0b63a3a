// SPDX-License-Identifier: Apache-2.0
#include "core/base/clock.h"

#include <ctime>

namespace lockhouse {

SteadyClock::time_point SteadyClock::now() noexcept {
  timespec t{};
  clock_gettime(CLOCK_BOOTTIME, &t);
  return time_point(std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec));
}

WallTime wallNow() noexcept { return std::chrono::time_point_cast<microseconds>(std::chrono::system_clock::now()); }

} // namespace lockhouse
