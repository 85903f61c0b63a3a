// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <thread>

namespace lockhouse::test {

/// True as soon as `condition` is; false if it is not within `ceiling`, which only bounds a failing test.
template <class Condition> bool eventually(Condition condition, std::chrono::milliseconds ceiling = std::chrono::seconds(20)) {
  const auto end = std::chrono::steady_clock::now() + ceiling;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end)
      return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

} // namespace lockhouse::test
