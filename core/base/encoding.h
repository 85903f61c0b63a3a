// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace lockhouse {

/// Length (1–4) of the valid UTF-8 sequence that `bytes` opens with and its code point; length 0 if it opens with none.
struct Utf8Char {
  std::size_t length = 0;
  char32_t codePoint = 0;
};
Utf8Char decodeUtf8(std::string_view bytes);
std::string encodeUtf8(char32_t codePoint); ///< of a number that is no character nothing that is valid

bool isUtf8(std::string_view bytes);
/// Standard alphabet, padded (RFC 4648 §4).
std::string base64(std::string_view bytes);
/// Nothing if `text` is not what base64() writes: each value has one spelling.
std::optional<std::string> fromBase64(std::string_view text);
std::string hex(std::string_view bytes); ///< lower case, two digits a byte
bool isHex(std::string_view text);       ///< not empty, all hex digits of either case
bool isUuid(std::string_view text);      ///< 8-4-4-4-12 hex digits of either case

} // namespace lockhouse
