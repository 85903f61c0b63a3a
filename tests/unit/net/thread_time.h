// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <ctime>

namespace lockhouse::test {

/// CPU time that `work` takes on this thread, the least of five runs: other processes of the machine do not count.
template <class Work> std::chrono::nanoseconds threadTime(Work work) {
  const auto now = [] {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  };
  auto least = std::chrono::nanoseconds::max();
  for (int run = 0; run < 5; ++run) {
    const auto begin = now();
    work();
    least = std::min<std::chrono::nanoseconds>(least, now() - begin);
  }
  return least;
}

} // namespace lockhouse::test
