// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace lockhouse {

/// Whether a number of milliseconds since the epoch can be a time that a lock was taken or ends at: of the years 2010 to 2099. What lies
/// outside is somebody's id or count.
constexpr bool isPlausibleTime(double epochMs) { return epochMs >= 1'262'304'000'000.0 && epochMs < 4'102'444'800'000.0; }
constexpr bool isPlausibleSecond(std::uint64_t epochSeconds) { return isPlausibleTime(1000.0 * static_cast<double>(epochSeconds)); }

} // namespace lockhouse
