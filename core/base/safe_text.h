// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace lockhouse {

/// Bytes from outside as text that is safe to show anywhere plain text is shown: valid UTF-8 kept; bytes that are none, and ASCII's
/// controls, as \n, \r, \t or \xNN; other characters that control, steer direction, break lines or show nothing as \u{N}; the backslash
/// doubled only where it would read as one of these escapes. At most `most` characters, an escape counted as one, elided in the
/// middle with … when longer. Never rich text, never a format: the receiver must treat it as plain.
/// Identity is the bytes, not this text.
std::string safeText(std::string_view bytes, std::size_t most = 256);

/// The bytes that safeText() shows whole as `text`; nothing if it shows none so.
std::optional<std::string> bytesShownAs(std::string_view text);

} // namespace lockhouse
