// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace lockhouse {

/// SHA-256 (FIPS 180-4) of `bytes`: 32 raw bytes. Empty only if the cryptographic library refuses to work at all.
std::string sha256(std::string_view bytes);

} // namespace lockhouse
