// SPDX-License-Identifier: Apache-2.0
// What the tree as a whole looks like.
#include "tests/arch/source_tree.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <map>
#include <regex>
#include <set>

namespace lockhouse::arch {
namespace {

constexpr std::size_t mostLines = 600, mostSources = 32, mostMembers = 20;

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

bool isProduct(const SourceFile &file) { return file.isUnder("core/") || file.isUnder("ui/") || file.isUnder("app/"); }

std::string folderOf(const SourceFile &file) { return file.path.substr(0, file.path.rfind('/')); }

std::vector<Offence> foldersAreSmall(const SourceTree &tree) {
  std::map<std::string, std::set<std::string>> sources;
  for (const auto &file : tree.files())
    if (isProduct(file) && file.isCpp())
      sources[folderOf(file)].insert(file.path);
  std::vector<Offence> offences;
  for (const auto &[folder, files] : sources)
    if (files.size() > mostSources)
      offences.push_back({*files.rbegin(), 0, "is the last of " + std::to_string(files.size()) + " sources in one folder"});
  return offences;
}

struct OpenClass {
  std::string name;
  int depth = 0; // of braces, inside it
  std::size_t line = 0, members = 0;
};

std::size_t membersIn(const std::string &statement) {
  static const std::regex angles("<[^;]*>"), member(R"(\bm_\w+(?=\s*(?:[;,={]|$|:\s*\d)))");
  const auto plain = std::regex_replace(statement, angles, "");
  if (plain.substr(0, plain.find("m_")).find_first_of("({") != plain.npos) // a function
    return 0;
  return static_cast<std::size_t>(std::distance(std::sregex_iterator(plain.begin(), plain.end(), member), std::sregex_iterator()));
}

std::vector<Offence> classesAreSmall(const SourceTree &tree) {
  static const std::regex opening(R"(^\s*(?:template\s*<.*>\s*)?(?:class|struct)\s+(\w+)(?:\s+final)?\s*(?::[^;{]*)?\{)");
  static const std::regex unread(R"(//.*|"(\\.|[^"\\])*")");
  std::vector<Offence> offences;
  for (const auto &file : tree.files()) {
    if (!isProduct(file) || !file.isCpp())
      continue;
    std::vector<OpenClass> open;
    int depth = 0;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      const auto line = std::regex_replace(file.lines[i], unread, "");
      if (std::smatch found; std::regex_search(line, found, opening))
        open.push_back({found[1], depth + 1, i + 1});
      else if (!open.empty() && depth == open.back().depth)
        open.back().members += membersIn(line);
      depth += static_cast<int>(std::ranges::count(line, '{') - std::ranges::count(line, '}'));
      for (; !open.empty() && depth < open.back().depth; open.pop_back()) {
        if (open.back().members > mostMembers)
          offences.push_back({file.path, open.back().line, open.back().name + " has " + std::to_string(open.back().members) + " data members"});
      }
    }
  }
  return offences;
}

// Classes that several .cpp files define today, with the number of the files. The table may only shrink.
const std::map<std::string_view, std::size_t> &classesOfSeveralSources() {
  static const std::map<std::string_view, std::size_t> classes{
      {"MultiSession", 2},
      {"Primitive", 2},
      {"ReleaseService::PlanMany", 2},
  };
  return classes;
}

// The class whose member function a line begins to define; empty: none.
std::string classDefinedIn(std::string line) {
  static const std::regex angles("<[^<>]*>"), member(R"(^(?:\S.*[\s&*])?((?:\w+::)*\w+)::(?:~?\w+|operator.*)$)");
  if (line.empty() || std::isalpha(static_cast<unsigned char>(line.front())) == 0 || line.ends_with(';'))
    return {};
  for (std::string plain; plain != line;)
    line = std::regex_replace(plain = line, angles, "");
  std::smatch found;
  const auto head = line.substr(0, line.find('('));
  return head.size() < line.size() && std::regex_match(head, found, member) ? found[1].str() : std::string();
}

std::vector<Offence> aClassHasOneSource(const SourceTree &tree) {
  std::map<std::string, std::set<std::string>> sources; // by the class, with core/, ui/ or app/ before it: each has its own namespace
  for (const auto &file : tree.files())
    if (isProduct(file) && file.path.ends_with(".cpp"))
      for (const auto &line : file.lines)
        if (const auto name = classDefinedIn(line); !name.empty())
          sources[file.path.substr(0, file.path.find('/') + 1) + name].insert(file.path);
  std::vector<Offence> offences;
  for (const auto &[placed, files] : sources) {
    const auto name = placed.substr(placed.find('/') + 1);
    const auto known = classesOfSeveralSources().find(name);
    if (files.size() > (known == classesOfSeveralSources().end() ? 1 : known->second))
      offences.push_back({*files.rbegin(), 0, "is the last of " + std::to_string(files.size()) + " sources that define members of " + name});
  }
  return offences;
}

// tests/unit/watch/scan tests core/watch/scan.
std::vector<Offence> unitTestsMirrorTheTree(const SourceTree &tree) {
  std::set<std::string> folders;
  for (const auto &file : tree.files())
    if (isProduct(file))
      for (std::filesystem::path folder = folderOf(file); folder.has_parent_path(); folder = folder.parent_path())
        folders.insert(folder.generic_string());
  std::vector<Offence> offences;
  for (const auto &file : tree.files()) {
    static constexpr std::string_view unit = "tests/unit/";
    if (!file.isUnder(unit) || !file.path.ends_with("_test.cpp"))
      continue;
    const auto tested = folderOf(file).substr(unit.size());
    if (std::ranges::none_of(std::array{"core/" + tested, "app/" + tested, tested}, [&](const std::string &folder) { return folders.contains(folder); }))
      offences.push_back({file.path, 0, "tests a folder that the product does not have"});
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
      {"classesAreSmall", classesAreSmall},
      {"aClassHasOneSource", aClassHasOneSource},
      {"foldersAreSmall", foldersAreSmall},
      {"unitTestsMirrorTheTree", unitTestsMirrorTheTree},
      {"theTopHoldsEightThings", theTopHoldsEightThings},
  };
  return rules;
}

} // namespace lockhouse::arch
