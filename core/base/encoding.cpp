// SPDX-License-Identifier: Apache-2.0
#include "core/base/encoding.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace lockhouse {
namespace {

constexpr std::string_view base64Alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr bool isHexDigit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

std::uint8_t byteAt(std::string_view bytes, std::size_t i) { return static_cast<std::uint8_t>(bytes[i]); }

} // namespace

Utf8Char decodeUtf8(std::string_view bytes) {
  if (bytes.empty())
    return {};
  const std::uint8_t lead = byteAt(bytes, 0);
  if (lead < 0x80)
    return {1, lead};
  const std::size_t length = lead >= 0xf0 && lead < 0xf5 ? 4 : lead >= 0xe0 && lead < 0xf0 ? 3 : lead >= 0xc2 && lead < 0xe0 ? 2 : 0;
  if (length == 0 || bytes.size() < length)
    return {};
  char32_t code = lead & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byteAt(bytes, i) & 0xc0U) != 0x80U)
      return {};
    code = (code << 6U) | (byteAt(bytes, i) & 0x3fU);
  }
  constexpr std::array<char32_t, 5> smallest{0, 0, 0x80, 0x800, 0x10000};
  if (code < smallest[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
    return {};
  return {length, code};
}

std::string encodeUtf8(char32_t codePoint) {
  if (codePoint < 0x80)
    return std::string(1, static_cast<char>(codePoint));
  const std::size_t length = codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;
  std::string bytes(length, '\0');
  for (std::size_t i = length - 1; i > 0; --i, codePoint >>= 6U)
    bytes[i] = static_cast<char>(0x80U | (codePoint & 0x3fU));
  bytes[0] = static_cast<char>((0xf00U >> length) | codePoint);
  return bytes;
}

bool isUtf8(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto c = decodeUtf8(bytes);
    if (c.length == 0)
      return false;
    bytes.remove_prefix(c.length);
  }
  return true;
}

std::string base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t have = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = (group << 8U) | (k < have ? byteAt(bytes, i + k) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      text += k <= have ? base64Alphabet[(group >> (18U - 6U * k)) & 0x3fU] : '=';
  }
  return text;
}

std::optional<std::string> fromBase64(std::string_view text) {
  if (text.size() % 4 != 0)
    return std::nullopt;
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 4) {
    const bool last = i + 4 == text.size();
    const std::size_t padding = !last ? 0 : text[i + 2] == '=' ? 2 : text[i + 3] == '=' ? 1 : 0;
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const auto value = k >= 4 - padding ? 0 : base64Alphabet.find(text[i + k]);
      if (value == std::string_view::npos || (k >= 4 - padding && text[i + k] != '='))
        return std::nullopt;
      group = (group << 6U) | static_cast<std::uint32_t>(value);
    }
    if ((group & ((1U << (8U * padding)) - 1U)) != 0)
      return std::nullopt; // a second spelling of the same bytes
    for (std::size_t k = 0; k < 3 - padding; ++k)
      bytes += static_cast<char>((group >> (16U - 8U * k)) & 0xffU);
  }
  return bytes;
}

std::string hex(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    text += digits[byteAt(bytes, i) >> 4U];
    text += digits[byteAt(bytes, i) & 0xfU];
  }
  return text;
}

bool isHex(std::string_view text) { return !text.empty() && std::ranges::all_of(text, isHexDigit); }

bool isUuid(std::string_view text) {
  if (text.size() != 36)
    return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[i] != '-' : !isHexDigit(text[i]))
      return false;
  }
  return true;
}

} // namespace lockhouse
