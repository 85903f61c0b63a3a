// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"
#include "core/base/histogram.h"
#include "core/lab/workload/exclusion_check.h"
#include "core/net/loop/loop.h"

#include <cstdint>
#include <optional>

namespace lockhouse {

/// What all virtual clients of a run share: how they behave, and what they count. Loop thread only.
struct StressState {
  StressState(Loop &theLoop, std::size_t resources, std::uint32_t capacity) : loop(theLoop), check(resources, capacity) {}

  Loop &loop;
  milliseconds hold{0};
  milliseconds think{0};
  /// Clients leave a resource before they release, not after. So that they can still meet inside, each stays for one turn of the loop at least.
  bool leavesBeforeRelease = false;

  ExclusionCheck check;
  Histogram waits;              ///< of the acquires since the last progress that ended in a hold
  std::uint64_t pairs = 0;      ///< of an acquire and a release, both confirmed
  std::uint64_t inDoubt = 0;    ///< acquires and releases that were never answered
  std::uint64_t lost = 0;       ///< holds that ended without a release
  unsigned waiting = 0;         ///< clients that wait for the lock now
  unsigned active = 0;          ///< clients that have not finished; set by who starts them
  std::optional<Error> failure; ///< the first refusal that a retry cannot cure
  bool isStopping = false;
  bool isDisconnected = false; ///< a client that fails because of it waits for the connection
  Loop::Task onFinished;       ///< run when the last client has finished
};

} // namespace lockhouse
