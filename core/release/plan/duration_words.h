// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"

#include <string>

namespace lockhouse {

/// A duration as people say it, two units at most: "350 ms", "12.4 s", "4 min 10 s", "3 d 4 h". Negative counts as zero.
std::string durationWords(std::chrono::nanoseconds duration);

} // namespace lockhouse
