// SPDX-License-Identifier: Apache-2.0
#include "core/base/safe_text.h"

#include "core/base/encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <vector>

namespace lockhouse {
namespace {

struct Range {
  char32_t first, last;
};

// Controls; what steers direction; what shows nothing (Unicode's default-ignorable characters, blank letters); what is no character.
// Sorted.
constexpr std::array hidden{
    Range{0x0, 0x1f},        Range{0x7f, 0x9f},       Range{0xad, 0xad},       Range{0x34f, 0x34f},   Range{0x61c, 0x61c},   Range{0x115f, 0x1160},
    Range{0x17b4, 0x17b5},   Range{0x180b, 0x180f},   Range{0x200b, 0x200f},   Range{0x2028, 0x202e}, Range{0x2060, 0x206f}, Range{0x2800, 0x2800},
    Range{0x3164, 0x3164},   Range{0xfdd0, 0xfdef},   Range{0xfe00, 0xfe0f},   Range{0xfeff, 0xfeff}, Range{0xffa0, 0xffa0}, Range{0xfff0, 0xfffb},
    Range{0x1bca0, 0x1bca3}, Range{0x1d173, 0x1d17a}, Range{0xe0000, 0xe0fff},
};
static_assert(std::ranges::is_sorted(hidden, {}, &Range::first));

bool isHidden(char32_t c) {
  const auto after = std::ranges::upper_bound(hidden, c, {}, &Range::first);
  return (after != hidden.begin() && c <= std::prev(after)->last) || (c & 0xfffeU) == 0xfffe;
}

constexpr bool isPlain(char c) { return c >= 0x20 && c < 0x7f && c != '\\'; }

// A backslash before it would read as the opening of an escape, or of what it is shown as.
bool opensEscape(std::string_view rest) {
  const auto next = decodeUtf8(rest.substr(1));
  return rest.size() > 1 && (next.length == 0 || isHidden(next.codePoint) || std::string_view("\\nrtxu").contains(rest[1]));
}

std::string escaped(char32_t c) {
  switch (c) {
  case '\n': return "\\n";
  case '\r': return "\\r";
  case '\t': return "\\t";
  default: return c < 0x80 ? fmt::format("\\x{:02x}", static_cast<unsigned>(c)) : fmt::format("\\u{{{:x}}}", static_cast<unsigned>(c));
  }
}

// The shown form of the first character of `bytes`; drops it from them.
std::string takeOne(std::string_view &bytes) {
  const auto c = decodeUtf8(bytes);
  std::string shown;
  if (c.length == 0)
    shown = fmt::format("\\x{:02x}", static_cast<unsigned char>(bytes[0]));
  else if (isHidden(c.codePoint))
    shown = escaped(c.codePoint);
  else if (c.codePoint == '\\' && opensEscape(bytes))
    shown = "\\\\";
  else
    shown = bytes.substr(0, c.length);
  bytes.remove_prefix(c.length == 0 ? 1 : c.length);
  return shown;
}

// Where to start so that about `most` characters are left: at the head of a UTF-8 sequence if there is one near.
std::string_view tailOf(std::string_view bytes, std::size_t most) {
  auto tail = bytes.substr(bytes.size() - std::min(bytes.size(), most));
  for (int skipped = 0; skipped < 3 && !tail.empty() && (static_cast<unsigned char>(tail[0]) & 0xc0U) == 0x80U; ++skipped)
    tail.remove_prefix(1);
  return tail;
}

// The bytes of one escape that `text` opens with, dropped from it; nothing: it opens with none. A backslash that opens none is one of its own.
std::optional<std::string> takeEscape(std::string_view &text) {
  constexpr std::string_view letters = "\\nrt", meant = "\\\n\r\t";
  const auto take = [&text](std::size_t length, std::string bytes) {
    text.remove_prefix(length);
    return bytes;
  };
  if (text.size() < 2 || text[0] != '\\')
    return std::nullopt;
  if (const auto at = letters.find(text[1]); at != letters.npos)
    return take(2, std::string(1, meant[at]));
  const auto isWide = text.substr(1).starts_with("u{") && text.contains('}');
  const auto digits = isWide ? text.substr(3, text.find('}') - 3) : text.substr(2, text[1] == 'x' ? 2 : 0);
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
  if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size())
    return std::nullopt;
  return isWide ? take(4 + digits.size(), encodeUtf8(number)) : take(4, std::string(1, static_cast<char>(number)));
}

} // namespace

std::string safeText(std::string_view bytes, std::size_t most) {
  if (bytes.size() <= most && std::ranges::all_of(bytes, isPlain)) // as most names are
    return std::string(bytes);
  std::string whole;
  std::vector<std::size_t> ends; // after each shown character
  auto rest = bytes;
  while (!rest.empty() && ends.size() <= most) {
    whole += takeOne(rest);
    ends.push_back(whole.size());
  }
  if (ends.size() <= most)
    return whole;
  if (most < 3)
    return "…";
  const std::size_t headCount = (most - 1) * 2 / 3;
  std::string tail;
  for (auto back = tailOf(bytes, most - 1 - headCount); !back.empty();)
    tail += takeOne(back);
  return whole.substr(0, ends[headCount - 1]) + "…" + tail;
}

std::optional<std::string> bytesShownAs(std::string_view text) {
  std::string bytes;
  for (auto rest = text; !rest.empty();) {
    if (auto escape = takeEscape(rest)) {
      bytes += *escape;
      continue;
    }
    bytes += rest[0];
    rest.remove_prefix(1);
  }
  return safeText(bytes, text.size()) == text ? std::optional(std::move(bytes)) : std::nullopt;
}

} // namespace lockhouse
