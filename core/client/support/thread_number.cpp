// SPDX-License-Identifier: Apache-2.0
#include "core/client/support/thread_number.h"

#include <atomic>

namespace lockhouse {

std::uint64_t threadNumber() {
  static std::atomic<std::uint64_t> threads = 0;
  thread_local const std::uint64_t mine = ++threads;
  return mine;
}

} // namespace lockhouse
