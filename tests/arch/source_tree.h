// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace lockhouse::arch {

struct SourceFile {
  std::string path; // relative to the root, with slashes
  std::vector<std::string> lines;

  bool isUnder(std::string_view folder) const { return path.starts_with(folder); }
  bool isCpp() const { return path.ends_with(".cpp") || path.ends_with(".h"); }
};

/// The text files of a checkout (or of a planted one): everything but build/, .git/ and pictures.
class SourceTree {
public:
  explicit SourceTree(std::filesystem::path root);
  const std::filesystem::path &root() const { return m_root; }
  const std::vector<SourceFile> &files() const { return m_files; }

private:
  std::filesystem::path m_root;
  std::vector<SourceFile> m_files;
};

struct Offence {
  std::string path;
  std::size_t line = 0; // from 1; 0 = the whole file
  std::string words;
};

/// One rule of the house: what it is called, and who breaks it.
struct Rule {
  std::string_view name;
  std::vector<Offence> (*broken)(const SourceTree &);
};

const std::vector<Rule> &includeRules();
const std::vector<Rule> &textRules();
const std::vector<Rule> &treeRules();
std::vector<Rule> allRules();

} // namespace lockhouse::arch
