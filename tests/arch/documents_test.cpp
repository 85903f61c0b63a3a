// SPDX-License-Identifier: Apache-2.0
// What the documents say is there, is there; and both languages say the same.
#include "tests/arch/documents.h"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

namespace lockhouse::arch {
namespace {

namespace fs = std::filesystem;

const std::array readmes{"README.md", "README.zh_CN.md"};

std::vector<std::string> codeBlocks(const std::string &text, const std::string &language) {
  static const std::string fence = "```";
  std::vector<std::string> blocks;
  for (auto at = text.find(fence + language + "\n"); at != std::string::npos; at = text.find(fence + language + "\n", at)) {
    const auto begin = text.find('\n', at) + 1;
    const auto end = text.find(fence, begin);
    blocks.push_back(text.substr(begin, end - begin));
    at = end + fence.size();
  }
  return blocks;
}

std::string helpOfDev() {
  const auto ran = run("'" + (root / "packaging/dev").string() + "' help");
  EXPECT_EQ(ran.code, 0);
  return ran.out;
}

TEST(Documents, nameOnlyVerbsThatPackagingDevHas) {
  const auto verbs = all(helpOfDev(), std::regex("\n  ([a-z]+) "));
  EXPECT_TRUE(verbs.contains("run") && verbs.contains("test")) << "the help text lists its verbs";
  for (const auto *document : {"README.md", "README.zh_CN.md", "CONTRIBUTING.md"}) {
    const auto named = all(read(document), std::regex("packaging/dev ([a-z]+)"));
    EXPECT_FALSE(named.empty()) << document;
    for (const auto &verb : named)
      EXPECT_TRUE(verbs.contains(verb)) << document << " names packaging/dev " << verb;
  }
}

TEST(Documents, nameEveryVerbThatPackagingDevHas) {
  const auto verbs = all(helpOfDev(), std::regex("\n  ([a-z]+) "));
  for (const auto *readme : readmes) {
    const auto named = all(read(readme), std::regex("packaging/dev ([a-z]+)"));
    for (const auto &verb : verbs)
      EXPECT_TRUE(named.contains(verb)) << readme << " does not name packaging/dev " << verb;
  }
}

TEST(Documents, nameOnlyVerbsThatLockhousectlHas) {
  for (const auto *readme : readmes) {
    const auto named = all(read(readme), std::regex("lockhousectl(?: --url [^ ]+)* ([a-z]+)\\b"));
    EXPECT_FALSE(named.empty()) << readme;
    for (const auto &verb : named)
      EXPECT_EQ(run(std::string("'") + LOCKHOUSE_CTL + "' " + verb + " --help 2>&1").code, 0) << readme << " names lockhousectl " << verb;
  }
}

TEST(Documents, showTheExampleThatTheTestsCompileAndRun) {
  const auto example = read("tests/arch/consumer/counter.cpp");
  const auto code = example.substr(example.find('\n') + 1); // without the licence line
  for (const auto *readme : readmes) {
    const auto blocks = codeBlocks(read(readme), "cpp");
    ASSERT_EQ(blocks.size(), 1U) << readme;
    EXPECT_EQ(blocks[0], code) << readme;
  }
}

TEST(Documents, linkOnlyToFilesThatExist) {
  for (const auto *document : {"README.md", "README.zh_CN.md", "CONTRIBUTING.md", "CHANGELOG.md"}) {
    for (const auto &target : all(read(document), std::regex("\\]\\(([^)#]+)"))) {
      const bool elsewhere = target.starts_with("http");
      EXPECT_TRUE(elsewhere || fs::exists(root / target)) << document << " links to " << target;
    }
  }
}

TEST(Documents, sayTheSameInBothLanguages) {
  const auto english = read("README.md"), chinese = read("README.zh_CN.md");
  const auto commands = [](const std::string &text, const char *language) { // a comment behind a command may be translated
    auto blocks = codeBlocks(text, language);
    for (auto &block : blocks)
      block = std::regex_replace(block, std::regex(" +# [^\n]*"), "");
    return blocks;
  };
  for (const auto *language : {"sh", "cpp", "cmake", "json"})
    EXPECT_EQ(commands(english, language), commands(chinese, language)) << language;
  const auto headings = [](const std::string &text) { // "##" of each heading, in order
    std::vector<std::string> depths;
    const std::regex heading("\n(#+) ");
    for (std::sregex_iterator at(text.begin(), text.end(), heading), end; at != end; ++at)
      depths.push_back((*at)[1]);
    return depths;
  };
  EXPECT_EQ(headings(english), headings(chinese));
}

TEST(Documents, theChangelogNamesTheVersionThatIsBuilt) {
  std::smatch version;
  const auto cmake = read("CMakeLists.txt");
  ASSERT_TRUE(std::regex_search(cmake, version, std::regex(R"(project\(Lockhouse VERSION ([0-9.]+))")));
  EXPECT_NE(read("CHANGELOG.md").find("## [" + version.str(1) + "]"), std::string::npos);
  EXPECT_NE(read("packaging/io.github.lockhouse.Lockhouse.metainfo.xml").find("version=\"" + version.str(1) + "\""), std::string::npos);
}

} // namespace
} // namespace lockhouse::arch
