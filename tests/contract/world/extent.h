// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace lockhouse::test {

/// How much of the suite a test program takes; each program links one definition of extent().
struct Extent {
  bool everyTopology = false; ///< every primitive in every topology; else those that cost a process or more for two primitives only
  std::size_t races = 2'000;  ///< of acquires with cancels, for each primitive and topology
};
Extent extent();

} // namespace lockhouse::test
