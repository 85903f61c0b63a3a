// SPDX-License-Identifier: Apache-2.0
// What the tree as a whole looks like.
#include "tests/arch/source_tree.h"

#include <algorithm>
#include <array>
#include <set>

namespace lockhouse::arch {
namespace {

constexpr std::size_t mostLines = 400;

constexpr std::string_view apache = "Apache-2.0", gpl = "GPL-3.0-or-later";

// The console is GPL, because QCustomPlot is; a build description, or a test that links the console, may be either.
bool isLicensed(const SourceFile &file, std::string_view line) {
  const bool console = file.isUnder("ui/") || file.isUnder("app/gui/") || file.isUnder("resources/");
  const auto names = [&](std::string_view licence) { return line.ends_with("SPDX-License-Identifier: " + std::string(licence)); };
  if (file.isUnder("tests/") || (console && !file.isCpp()))
    return names(apache) || names(gpl);
  return names(console ? gpl : apache);
}

std::vector<Offence> everySourceNamesItsLicence(const SourceTree &tree) {
  static const std::array kinds{".cpp", ".h", ".lua", ".cmake", ".cmake.in", "CMakeLists.txt", ".py", ".sh"};
  std::vector<Offence> offences;
  for (const auto &file : tree.files()) {
    const bool script = !file.lines.empty() && file.lines[0].starts_with("#!");
    if (!script && std::ranges::none_of(kinds, [&](std::string_view kind) { return file.path.ends_with(kind); }))
      continue;
    const std::size_t at = script ? 1 : 0;
    if (file.lines.size() <= at || !isLicensed(file, file.lines[at]))
      offences.push_back({file.path, at + 1, "does not name the licence of its room"});
  }
  return offences;
}

std::vector<Offence> headersOpenWithPragmaOnce(const SourceTree &tree) {
  std::vector<Offence> offences;
  for (const auto &file : tree.files()) {
    if (!file.path.ends_with(".h"))
      continue;
    const auto code = std::ranges::find_if(file.lines, [](const std::string &line) { return !line.empty() && !line.starts_with("//"); });
    if (code == file.lines.end() || *code != "#pragma once")
      offences.push_back({file.path, static_cast<std::size_t>(code - file.lines.begin()) + 1, "is not #pragma once"});
  }
  return offences;
}

std::vector<Offence> filesAreSmall(const SourceTree &tree) {
  std::vector<Offence> offences;
  for (const auto &file : tree.files())
    if (file.isCpp() && file.lines.size() > mostLines)
      offences.push_back({file.path, file.lines.size(), "is longer than " + std::to_string(mostLines) + " lines"});
  return offences;
}

// Whether `line` of a build description names `path` as a whole word.
bool names(const std::string &line, std::string_view path) {
  const auto at = line.find(path);
  return at != std::string::npos && (at == 0 || line[at - 1] == ' ' || line[at - 1] == '(' || line[at - 1] == '/' || line[at - 1] == '"');
}

// A .cpp of the product that no build description names is compiled by nobody. It may be named from a folder above it, or with its own folder.
std::vector<Offence> everySourceIsBuilt(const SourceTree &tree) {
  std::vector<const SourceFile *> lists;
  for (const auto &file : tree.files())
    if (file.path.ends_with("/CMakeLists.txt") || file.path.ends_with(".cmake"))
      lists.push_back(&file);
  std::vector<Offence> offences;
  for (const auto &file : tree.files()) {
    const bool product = file.isUnder("core/") || file.isUnder("ui/") || file.isUnder("app/");
    if (!product || !file.path.ends_with(".cpp"))
      continue;
    const std::filesystem::path path(file.path);
    const auto withFolder = (path.parent_path().filename() / path.filename()).generic_string();
    const auto named = std::ranges::any_of(lists, [&](const SourceFile *list) {
      const auto folder = list->path.substr(0, list->path.rfind('/') + 1);
      const auto fromHere = file.isUnder(folder) ? file.path.substr(folder.size()) : withFolder;
      return std::ranges::any_of(list->lines, [&](const std::string &line) { return names(line, fromHere) || names(line, withFolder); });
    });
    if (!named)
      offences.push_back({file.path, 0, "is named by no CMakeLists.txt"});
  }
  return offences;
}

std::vector<Offence> theTopHoldsEightThings(const SourceTree &tree) {
  static const std::set<std::string> known{
      "CMakeLists.txt", "README.md", "README.zh_CN.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE-Apache-2.0", "LICENSE-GPL-3.0", "app", "core", "ui",
      "resources",      "tests",     "packaging",       "build"};
  std::vector<Offence> offences;
  for (const auto &entry : std::filesystem::directory_iterator(tree.root())) {
    const auto name = entry.path().filename().string();
    if (!name.starts_with('.') && !known.contains(name))
      offences.push_back({name, 0, "is not named by the house plan"});
  }
  return offences;
}

} // namespace

const std::vector<Rule> &treeRules() {
  static const std::vector<Rule> rules{
      {"everySourceNamesItsLicence", everySourceNamesItsLicence},
      {"headersOpenWithPragmaOnce", headersOpenWithPragmaOnce},
      {"filesAreSmall", filesAreSmall},
      {"everySourceIsBuilt", everySourceIsBuilt},
      {"theTopHoldsEightThings", theTopHoldsEightThings},
  };
  return rules;
}

} // namespace lockhouse::arch
