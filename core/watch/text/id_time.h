// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace lockhouse {

/// When a time-based UUID was made, as milliseconds since 1970; `digits` are its 32 hex digits. Nothing if it is none: of another version or
/// variant, or of a time before 2009 or after 2099, as random digits mostly are that look like one. Source: RFC 9562, UUID version 1.
std::optional<milliseconds> timeOfUuid1(std::string_view digits);

/// Whether a lock's bytes may tell of that time as one that is past: no lock is older than Redis, nor made more than a day from `now`, for clocks
/// differ. `now`: the server's, as milliseconds since 1970; 0: not known.
bool mayBePast(milliseconds at, milliseconds now);

/// Whether a number of milliseconds since the epoch can be a time that a lock was taken or ends at: of the years 2010 to 2099. What lies
/// outside is somebody's id or count.
constexpr bool isPlausibleTime(double epochMs) { return epochMs >= 1'262'304'000'000.0 && epochMs < 4'102'444'800'000.0; }
constexpr bool isPlausibleSecond(std::uint64_t epochSeconds) { return isPlausibleTime(1000.0 * static_cast<double>(epochSeconds)); }

/// The instant that bytes captured as since or until stand for, as milliseconds since 1970.
std::optional<milliseconds> instantOf(std::string_view bytes);

} // namespace lockhouse
