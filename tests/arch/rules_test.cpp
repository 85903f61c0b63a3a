// SPDX-License-Identifier: Apache-2.0
// Every rule of the house, held against the checkout; and every rule held against a tree that breaks it, to show that it can fail.
#include "tests/arch/planted_tree.h"
#include "tests/arch/source_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace lockhouse::arch {

void PrintTo(const Rule &rule, std::ostream *out) { *out << rule.name; }
void PrintTo(const Plant &plant, std::ostream *out) { *out << plant.rule << " " << plant.path; }

namespace {

const SourceTree &checkout() {
  static const SourceTree tree(LOCKHOUSE_SOURCE_DIR);
  return tree;
}

std::string listed(const std::vector<Offence> &offences) {
  std::string text;
  for (const auto &[path, line, words] : offences)
    text += "\n  " + path + ":" + std::to_string(line) + ": " + words;
  return text;
}

class HouseRule : public testing::TestWithParam<Rule> {};

TEST_P(HouseRule, isKeptByTheCheckout) {
  const auto offences = GetParam().broken(checkout());
  EXPECT_TRUE(offences.empty()) << listed(offences);
}

TEST_P(HouseRule, isKeptByABlamelessTree) {
  const PlantedTree tree(blamelessFiles());
  const auto offences = GetParam().broken(SourceTree(tree.root()));
  EXPECT_TRUE(offences.empty()) << listed(offences);
}

TEST_P(HouseRule, hasAnOffenceThatShowsItCanFail) {
  EXPECT_TRUE(std::ranges::any_of(plants(), [](const Plant &plant) { return plant.rule == GetParam().name; }));
}

INSTANTIATE_TEST_SUITE_P(Kept, HouseRule, testing::ValuesIn(allRules()), [](const auto &each) { return std::string(each.param.name); });

class PlantedOffence : public testing::TestWithParam<Plant> {};

TEST_P(PlantedOffence, isFoundWhereItStands) {
  const auto &plant = GetParam();
  auto files = blamelessFiles();
  files.insert_or_assign(plant.path, plant.text);
  const PlantedTree tree(files);
  const SourceTree read(tree.root());
  for (const auto &rule : allRules())
    if (rule.name == plant.rule) {
      const auto offences = rule.broken(read);
      ASSERT_EQ(offences.size(), 1U) << listed(offences);
      EXPECT_EQ(offences[0].path, plant.path);
      return;
    }
  FAIL() << "no rule is called " << plant.rule;
}

INSTANTIATE_TEST_SUITE_P(Found, PlantedOffence, testing::ValuesIn(plants()),
                         [](const auto &each) { return std::string(each.param.rule) + "_" + std::to_string(each.index); });

TEST(TheCheckout, isWhatTheRulesRead) {
  std::set<std::string> paths;
  for (const auto &file : checkout().files())
    paths.insert(file.path);
  for (const auto *path : {"CMakeLists.txt", "core/base/error.h", "packaging/dev", "tests/arch/rules_test.cpp"})
    EXPECT_TRUE(paths.contains(path)) << path;
}

} // namespace
} // namespace lockhouse::arch
