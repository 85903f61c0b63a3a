// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/net/connection/connection.h"

#include <atomic>
#include <cstdint>

namespace lockhouse {

/// What a connection has carried. Written on its loop only, read from any thread.
struct Traffic {
  using Count = std::atomic<std::uint64_t>;
  Count commands{0}, writes{0}, bytesOut{0}, bytesIn{0}, connects{0};

  /// One writer: a plain addition is enough, and costs no locked instruction.
  static void add(Count &count, std::uint64_t amount) { count.store(count.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed); }

  Connection::Counters counters() const {
    constexpr auto order = std::memory_order_relaxed;
    return {commands.load(order), writes.load(order), bytesOut.load(order), bytesIn.load(order), connects.load(order)};
  }
};

} // namespace lockhouse
