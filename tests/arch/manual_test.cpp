// SPDX-License-Identifier: Apache-2.0
// The man pages say what the programs say of themselves.
#include "tests/arch/documents.h"

#include <gtest/gtest.h>

#include <fstream>
#include <unistd.h>
#include <vector>

namespace lockhouse::arch {
namespace {

struct Program {
  std::string name, path;
};

std::vector<Program> programs() {
  std::vector<Program> built{{"lockhousectl", LOCKHOUSE_CTL}};
#ifdef LOCKHOUSE_CONSOLE
  built.push_back({"lockhouse", LOCKHOUSE_CONSOLE});
#endif
  return built;
}

std::string page(const Program &program) {
  auto text = read("packaging/man/" + program.name + ".1");
  for (std::size_t at = 0; (at = text.find("\\-", at)) != std::string::npos;)
    text.erase(at, 1);
  return text;
}

// From its heading to the next one.
std::string section(const std::string &page, const std::string &title) {
  const auto begin = page.find(".SH " + title + "\n");
  EXPECT_NE(begin, std::string::npos) << title;
  return begin == std::string::npos ? "" : page.substr(begin, page.find("\n.SH ", begin) - begin);
}

std::string help(const Program &program, const std::string &words) {
  const auto ran = run("'" + program.path + "' " + words);
  EXPECT_EQ(ran.code, 0) << program.name << ' ' << words;
  return ran.out;
}

std::set<std::string> verbs(const Program &program) {
  const auto text = help(program, "--help");
  const auto list = text.find("\nSubcommands:");
  return list == std::string::npos ? std::set<std::string>{} : all(text.substr(list), std::regex("\n  ([a-z]+) "));
}

std::set<std::string> options(const std::string &text) { return all(text, std::regex("(--[a-z][a-z0-9-]*)")); }

// "--theme NAME:{light,dark}" at the start of a line of help.
std::vector<std::pair<std::string, std::set<std::string>>> choices(const std::string &help) {
  std::vector<std::pair<std::string, std::set<std::string>>> found;
  const std::regex line("\n  (--[a-z-]+) [A-Z]+:\\{([^}]+)\\}");
  for (std::sregex_iterator at(help.begin(), help.end(), line), end; at != end; ++at)
    found.emplace_back((*at)[1], all((*at)[2], std::regex("([^,]+)")));
  return found;
}

TEST(ManPages, nameEveryOptionAndVerbOfTheirProgramAndNoOther) {
  for (const auto &program : programs()) {
    const auto manual = page(program);
    auto offered = options(help(program, "--help"));
    for (const auto &verb : verbs(program)) {
      offered.merge(options(help(program, verb + " --help")));
      EXPECT_TRUE(std::regex_search(section(manual, "VERBS"), std::regex("\n\\.BR? " + verb + "\\b"))) << verb;
    }
    EXPECT_EQ(options(manual), offered) << program.name;
  }
}

TEST(ManPages, showInTheSynopsisWhatIsNoVerbsOption) {
  for (const auto &program : programs()) {
    auto offered = options(help(program, "--help"));
    offered.erase("--help");
    offered.erase("--version");
    EXPECT_EQ(options(section(page(program), "SYNOPSIS")), offered) << program.name;
  }
}

TEST(ManPages, offerTheChoicesThatTheProgramTakes) {
  for (const auto &program : programs()) {
    const auto manual = page(program);
    for (const auto &[option, words] : choices(help(program, "--help"))) {
      const auto begin = manual.find("\n.BI " + option + " ");
      ASSERT_NE(begin, std::string::npos) << option;
      const auto paragraph = manual.substr(begin, manual.find("\n.TP", begin) - begin);
      for (const auto &word : words)
        EXPECT_TRUE(std::regex_search(paragraph, std::regex("\\b" + word + "\\b"))) << option << ' ' << word;
    }
  }
}

// The program says which words there are of any that it does not know.
TEST(ManPages, nameEveryWordOfAFamilyOfOnesOwn) {
  const Program ctl{"lockhousectl", LOCKHOUSE_CTL};
  const auto manual = section(page(ctl), "FAMILIES OF YOUR OWN");
  const auto path = testing::TempDir() + "families_" + std::to_string(getpid()) + ".toml";
  for (const std::string table : {"", "[[family.form]]\n", "[[family.beside]]\n"}) {
    std::ofstream(path) << "[[family]]\nslug = \"x\"\n" << table << "nonsense = 1\n";
    const auto told = run("'" + ctl.path + "' families --families '" + path + "' 2>&1").out;
    std::filesystem::remove(path);
    const auto list = told.find("write one of: ");
    ASSERT_NE(list, std::string::npos) << told;
    for (const auto &word : all(told.substr(list + 14), std::regex("([a-z_]+)")))
      EXPECT_TRUE(std::regex_search(manual, std::regex("\\b" + word + "\\b"))) << word;
  }
}

TEST(ManPages, nameTheExitCodesOfTheProgram) {
  for (const auto &program : programs()) {
    const auto text = help(program, "--help");
    const auto line = text.find("\nExit codes: ");
    ASSERT_NE(line, std::string::npos) << program.name;
    const auto said = all(text.substr(line), std::regex("[:,] ([0-9])\\b"));
    EXPECT_TRUE(said.contains("0") && said.contains("2") && said.contains("3")) << program.name;
    EXPECT_EQ(all(section(page(program), "EXIT STATUS"), std::regex("\n\\.B ([0-9])\n")), said) << program.name;
  }
}

} // namespace
} // namespace lockhouse::arch
