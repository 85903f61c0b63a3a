// SPDX-License-Identifier: Apache-2.0
#include "core/base/safe_text.h"

#include "core/base/encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

bool opensEscape(std::string_view rest) { return rest.size() > 1 && std::string_view("\\nrtxu").find(rest[1]) != std::string_view::npos; }

std::string escaped(char32_t c) {
  switch (c) {
  case '\n': return "\\n";
  case '\r': return "\\r";
  case '\t': return "\\t";
  default: return c < 0x100 ? fmt::format("\\x{:02x}", static_cast<unsigned>(c)) : fmt::format("\\u{{{:x}}}", static_cast<unsigned>(c));
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

} // namespace

std::string safeText(std::string_view bytes, std::size_t most) {
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

} // namespace lockhouse
