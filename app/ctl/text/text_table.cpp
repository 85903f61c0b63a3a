// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/text/text_table.h"

#include "core/base/encoding.h"

#include <algorithm>

namespace lockhouse::ctl {
namespace {

// Unicode's East Asian Width W and F, in the coarse ranges that terminals use.
bool isWide(char32_t c) {
  return c >= 0x1100 && (c <= 0x115f || (c >= 0x2e80 && c <= 0xa4cf && c != 0x303f) || (c >= 0xac00 && c <= 0xd7a3) || (c >= 0xf900 && c <= 0xfaff) ||
                         (c >= 0xfe30 && c <= 0xfe6f) || (c >= 0xff00 && c <= 0xff60) || (c >= 0xffe0 && c <= 0xffe6) || (c >= 0x1f300 && c <= 0x1f64f) ||
                         (c >= 0x1f900 && c <= 0x1f9ff) || (c >= 0x20000 && c <= 0x3fffd));
}

std::string padded(const std::string &text, std::size_t width, bool right, std::string_view colour) {
  const std::string space(width - std::min(width, displayWidth(text)), ' ');
  const auto shown = colour.empty() ? text : std::string("\x1b[").append(colour).append("m").append(text).append("\x1b[0m");
  return right ? space + shown : shown + space;
}

} // namespace

std::size_t displayWidth(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const auto c = decodeUtf8(text);
    width += isWide(c.codePoint) ? 2U : 1U;
    text.remove_prefix(std::max<std::size_t>(1, c.length));
  }
  return width;
}

std::string TextTable::text(bool colour) const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < m_columns.size(); ++i) {
    widths.push_back(displayWidth(m_columns[i].title));
    for (const auto &row : m_rows)
      widths[i] = std::max(widths[i], displayWidth(row[i].text));
  }
  std::string text;
  const auto line = [&](const auto &cellAt) {
    std::string one;
    for (std::size_t i = 0; i < m_columns.size(); ++i)
      one += cellAt(i) + (i + 1 < m_columns.size() ? "  " : "");
    text += one.erase(one.find_last_not_of(' ') + 1) + "\n";
  };
  line([&](std::size_t i) { return padded(m_columns[i].title, widths[i], m_columns[i].right, colour ? "1" : ""); });
  for (const auto &row : m_rows)
    line([&](std::size_t i) { return padded(row[i].text, widths[i], m_columns[i].right, colour ? row[i].colour : ""); });
  return text;
}

} // namespace lockhouse::ctl
