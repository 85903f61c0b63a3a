// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/lock/options/replica_ack.h"
#include "core/net/address/uri.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lockhouse {

/// What a stress run does; the same for lockhousectl and the console.
struct StressOptions {
  std::string primitive = "Mutex"; ///< a name of primitiveInfos()
  std::string policy;              ///< of that primitive; empty = its default
  unsigned clients = 16;           ///< virtual clients, 1 … 100 000
  unsigned keys = 1;               ///< shared keys; 0 = a key for each client ("own")
  unsigned stripes = 64;           ///< 1 … 100 000; the locks of a StripedLock
  milliseconds hold{0};
  milliseconds think{0};
  milliseconds lease{30000};
  ReplicaAck acknowledge;                   ///< LockOptions::acknowledge of every acquire
  std::optional<milliseconds> duration;     ///< one of these two
  std::optional<std::uint64_t> count;       ///< acquisitions in all, spread over the clients
  std::string prefix = "lockhouse-stress:"; ///< every key of the run starts with it and a random run id
};

/// Whether StressOptions::stripes mean anything to that primitive.
bool hasStripes(std::string_view primitive);
/// Whether it is a CountDownLatch, whose clients meet and do not exclude each other.
bool isLatch(std::string_view primitive);

/// The options with the primitive's default policy filled in; Error Usage for an unknown primitive or policy, no clients or too
/// many, neither or both of duration and count, times out of their bounds, an empty prefix. What StressRun::start() does first.
Result<StressOptions> completed(StressOptions options);

/// Error Usage if a run of `options`, as completed(), cannot use these nodes: RedLock needs an odd number of them, all else one. RedLock and
/// CountDownLatch take no acknowledgement by replicas. What StressRun::start() does next.
Result<void> checkNodes(std::span<const Uri> nodes, const StressOptions &options);

} // namespace lockhouse
