// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace lockhouse {

/// An ASCII letter in lower case; any other byte as it is.
constexpr char lowered(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Whether all of `text` is a whole number in digits, of either sign.
constexpr bool isWholeNumber(std::string_view text) {
  text.remove_prefix(text.starts_with('-') ? 1 : 0);
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// The number that all of `text` is, in digits of `base`; nothing for anything else.
inline std::optional<std::uint64_t> parseNumber(std::string_view text, int base = 10) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

/// The same in decimal digits; 0: it is 0, or none.
inline std::uint64_t numberIn(std::string_view text) { return parseNumber(text).value_or(0); }

} // namespace lockhouse
