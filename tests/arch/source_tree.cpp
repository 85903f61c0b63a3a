// SPDX-License-Identifier: Apache-2.0
#include "tests/arch/source_tree.h"

#include <algorithm>
#include <array>
#include <fstream>

namespace lockhouse::arch {
namespace {

namespace fs = std::filesystem;

constexpr std::array pictures{".png", ".ico", ".svgz", ".qm"};

SourceFile readFile(const fs::path &file, const fs::path &root) {
  SourceFile source{file.lexically_relative(root).generic_string(), {}};
  std::ifstream in(file, std::ios::binary);
  for (std::string line; std::getline(in, line);)
    source.lines.push_back(line);
  return source;
}

} // namespace

SourceTree::SourceTree(fs::path root) : m_root(std::move(root)) {
  for (auto at = fs::recursive_directory_iterator(m_root); at != fs::recursive_directory_iterator(); ++at) {
    const auto name = at->path().filename().string();
    if (at.depth() == 0 && (name == "build" || name == ".git" || name == ".cache"))
      at.disable_recursion_pending();
    else if (at->is_regular_file() && std::ranges::find(pictures, at->path().extension()) == pictures.end())
      m_files.push_back(readFile(at->path(), m_root));
  }
  std::ranges::sort(m_files, {}, &SourceFile::path);
}

std::vector<Rule> allRules() {
  std::vector<Rule> all;
  for (const auto *rules : {&includeRules(), &textRules(), &treeRules()})
    all.insert(all.end(), rules->begin(), rules->end());
  return all;
}

} // namespace lockhouse::arch
