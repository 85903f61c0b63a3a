// SPDX-License-Identifier: Apache-2.0
#include "core/base/clock.h"

#include <gtest/gtest.h>

#include <ctime>

namespace lockhouse {
namespace {

static_assert(std::chrono::is_clock_v<SteadyClock>);

SteadyTime read(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return SteadyTime(seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec));
}

TEST(SteadyClock, neverGoesBack) {
  auto last = SteadyClock::now();
  for (int i = 0; i < 100000; ++i) {
    const auto now = SteadyClock::now();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(SteadyClock, isTheBootClockSoThatItCountsSuspendedTime) {
  const auto before = read(CLOCK_BOOTTIME);
  const auto now = SteadyClock::now();
  const auto after = read(CLOCK_BOOTTIME);
  EXPECT_LE(before, now);
  EXPECT_LE(now, after);
}

TEST(WallNow, isTheCalendarToTheMicrosecond) {
  const auto before = std::chrono::floor<microseconds>(std::chrono::system_clock::now());
  const auto now = wallNow();
  const auto after = std::chrono::ceil<microseconds>(std::chrono::system_clock::now());
  EXPECT_LE(before, now);
  EXPECT_LE(now, after);
}

} // namespace
} // namespace lockhouse
