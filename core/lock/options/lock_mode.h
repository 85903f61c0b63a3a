// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace lockhouse {

/// What kind of hold is wanted, of primitives that have several. A value.
struct LockMode {
  bool shared = false;       ///< ReadWriteLock: as a reader
  std::int64_t permits = 1;  ///< semaphores: how many this hold takes
  std::int64_t capacity = 1; ///< semaphores: how many there are, if nobody has said so before; CountDownLatch: the count
  bool operator==(const LockMode &) const = default;
};

} // namespace lockhouse
