// SPDX-License-Identifier: Apache-2.0
// A page as text of either kind.
#include "app/ctl/text/page.h"

#include "app/ctl/text/text_table.h"

#include <algorithm>
#include <fmt/format.h>

namespace lockhouse::ctl {
namespace {

constexpr std::size_t columns = 100;

// With `first` before its first line and as many blanks before the others.
std::string wrapped(std::string_view words, std::string_view first) {
  std::string text, line(first);
  while (!words.empty()) {
    const auto end = words.find(' ');
    const auto word = words.substr(0, end);
    words.remove_prefix(end == std::string_view::npos ? words.size() : end + 1);
    const bool isFirst = line.size() == first.size();
    if (!isFirst && displayWidth(line) + 1 + displayWidth(word) > columns) {
      text += line + "\n";
      line = std::string(first.size(), ' ').append(word);
    } else {
      line.append(isFirst ? "" : " ").append(word);
    }
  }
  return text + line + "\n";
}

std::string indented(std::string_view code) {
  std::string text;
  while (!code.empty()) {
    const auto end = std::min(code.find('\n'), code.size() - 1);
    text.append("    ").append(code.substr(0, end + 1));
    code.remove_prefix(end + 1);
  }
  return text;
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return text;
}

std::string plainSection(const Page::Section &section) {
  auto text = "\n" + upper(section.title) + "\n";
  for (const auto &row : section.rows)
    text += fmt::format("  {} ({})\n", row[0], row[1]) + wrapped(row[2], "      ");
  for (const auto &words : section.words)
    text += wrapped(words, "  ");
  for (const auto &point : section.points)
    text += wrapped(point, "  - ");
  return text + (section.code.empty() || section.words.empty() ? "" : "\n") + indented(section.code);
}

// What a reader of Markdown would take for markup.
std::string escaped(std::string_view words) {
  std::string text;
  for (const char c : words) {
    if (c == '<' || c == '*' || c == '_' || c == '|')
      text.push_back('\\');
    text.push_back(c);
  }
  return text;
}

std::string markdownSection(const Page::Section &section) {
  auto text = "\n## " + section.title + "\n";
  if (!section.rows.empty())
    text += "\n| name | type | meaning |\n|---|---|---|\n";
  for (const auto &row : section.rows)
    text += fmt::format("| `{}` | {} | {} |\n", row[0], row[1], escaped(row[2]));
  for (const auto &words : section.words)
    text += "\n" + escaped(words) + "\n";
  if (!section.points.empty())
    text += "\n";
  for (const auto &point : section.points)
    text += "- " + escaped(point) + "\n";
  return text + (section.code.empty() ? "" : fmt::format("\n```{}\n{}```\n", section.language, section.code));
}

} // namespace

std::string plainText(const Page &page) {
  auto text = page.name + "\n" + wrapped(page.summary, "  ");
  for (const auto &section : page.sections)
    text += plainSection(section);
  return text;
}

std::string markdown(const Page &page) {
  auto text = fmt::format("# {}\n\n{}\n", page.name, escaped(page.summary));
  for (const auto &section : page.sections)
    text += markdownSection(section);
  return text + "\n[All pages](index.md), [outcomes of all](outcomes.md)\n";
}

std::string markdownIndex(const std::vector<Page> &pages) {
  std::string text = "# Lock primitives of Lockhouse\n\n| page | what it is |\n|---|---|\n";
  for (const auto &page : pages)
    text += fmt::format("| [{0}]({0}.md) | {1} |\n", page.name, escaped(page.summary));
  return text;
}

} // namespace lockhouse::ctl
