// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"

namespace lockhouse::test {

using namespace std::chrono_literals;

/// A point in time that a test makes up: `t(5ms)` is 5 ms after its beginning.
inline SteadyTime t(std::chrono::nanoseconds sinceBeginning) { return SteadyTime(std::chrono::hours(1)) + sinceBeginning; }

} // namespace lockhouse::test
