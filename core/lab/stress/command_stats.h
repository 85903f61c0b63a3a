// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lockhouse {

/// How many commands a server has run since it started, those inside scripts too: the sum of `calls=` over all lines of
/// INFO commandstats but that of INFO itself. Nothing if `info` has no such line (an INFO that the server filtered away).
std::optional<std::uint64_t> serverCalls(std::string_view info);

} // namespace lockhouse
