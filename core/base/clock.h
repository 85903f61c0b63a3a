// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace lockhouse {

/// The clock of leases and deadlines: monotonic and, unlike std::chrono::steady_clock on Linux, it goes on while the machine
/// is suspended (CLOCK_BOOTTIME), so that a lease that ended during sleep is known to have ended.
struct SteadyClock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<SteadyClock>;
  static constexpr bool is_steady = true;
  static time_point now() noexcept;
};

using SteadyTime = SteadyClock::time_point;
using WallTime = std::chrono::sys_time<std::chrono::microseconds>; ///< for people and audit records only, never for leases
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

WallTime wallNow() noexcept;

} // namespace lockhouse
