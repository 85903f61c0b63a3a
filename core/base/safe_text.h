// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lockhouse {

/// Bytes from outside as text that is safe to show anywhere plain text is shown: valid UTF-8 kept; invalid bytes as \xNN;
/// characters that control (C0, DEL, C1), steer direction, break lines or show nothing as \n, \t, \xNN or \u{N}; the backslash
/// doubled only where it would read as one of these escapes. At most `most` characters, an escape counted as one, elided in the
/// middle with … when longer. Never rich text, never a format: the receiver must treat it as plain.
/// Not reversible: identity is the bytes, not this text.
std::string safeText(std::string_view bytes, std::size_t most = 256);

} // namespace lockhouse
