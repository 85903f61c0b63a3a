// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace lockhouse {

/// The part of a key from which Redis Cluster computes the slot: what stands between its first brace and the next closing one, or all
/// of it. Source: Redis cluster specification, "Hash tags".
std::string_view hashTag(std::string_view key);

/// The slot of a key, 0 to 16 383: CRC16 (XMODEM) of its hash tag. Source: Redis cluster specification, appendix A.
unsigned hashSlot(std::string_view key);

} // namespace lockhouse
