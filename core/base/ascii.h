// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace lockhouse {

/// An ASCII letter in lower case; any other byte as it is.
constexpr char lowered(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

} // namespace lockhouse
