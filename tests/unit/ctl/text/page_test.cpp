// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/text/page.h"

#include "core/lock/primitives/primitive.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <set>
#include <sstream>

namespace lockhouse::ctl {
namespace {

using testing::Contains;
using testing::HasSubstr;

bool isSaid(const std::string &words) { return words.find_first_not_of(" \n") != std::string::npos; }

TEST(Pages, areThereForEveryPrimitiveOnce) {
  std::set<std::string> names;
  for (const auto &page : allPages())
    EXPECT_TRUE(names.insert(page.name).second) << page.name << " is there twice";
  for (const auto &info : primitiveInfos())
    EXPECT_THAT(names, Contains(std::string(info.name)));
  for (const auto *name : {"CountDownLatch", "StripedLock", "FallbackLock", "outcomes", "owners", "fences"})
    EXPECT_THAT(names, Contains(name));
}

TEST(Pages, haveNoEmptySection) {
  for (const auto &page : allPages()) {
    EXPECT_TRUE(isSaid(page.summary)) << page.name;
    for (const auto &section : page.sections) {
      EXPECT_FALSE(section.words.empty() && section.points.empty() && section.rows.empty() && section.code.empty()) << page.name << ": " << section.title;
      for (const auto &words : section.words)
        EXPECT_TRUE(isSaid(words)) << page.name << ": " << section.title;
      for (const auto &point : section.points)
        EXPECT_TRUE(isSaid(point)) << page.name << ": " << section.title;
      for (const auto &row : section.rows)
        EXPECT_TRUE(isSaid(row[0]) && isSaid(row[1]) && isSaid(row[2])) << page.name << ": " << section.title;
    }
  }
}

TEST(Pages, sayEverythingThatIsKnownOfAPrimitive) {
  for (const auto &info : primitiveInfos()) {
    const auto page = pageOf(info);
    for (const auto *title : {"Use it when", "Avoid it when", "Promised", "Not promised", "Shared with", "Policies", "Commands and round trips", "Waiting",
                              "Keys and channels", "Outcomes", "Example", "How to stress it", "Source"})
      EXPECT_TRUE(std::ranges::count(page.sections, title, &Page::Section::title) == 1) << info.name << " lacks " << title;
    const auto text = markdown(page);
    EXPECT_THAT(text, HasSubstr("```cpp\n" + std::string(info.example) + "```")) << info.name;
    for (const auto &place : info.places)
      EXPECT_THAT(text, HasSubstr("| `" + std::string(place.name) + "` | " + std::string(place.type))) << info.name;
  }
}

TEST(Pages, explainEveryPolicyThatThePrimitiveTakes) {
  for (const auto &info : primitiveInfos()) {
    const auto text = markdown(pageOf(info));
    for (const auto name : info.policies) {
      const auto policy = AcquirePolicy::named(name);
      ASSERT_TRUE(policy) << info.name << ' ' << name;
      EXPECT_FALSE(policy->explanation().empty()) << name;
      EXPECT_THAT(text, HasSubstr("- " + std::string(name))) << info.name;
      EXPECT_THAT(text, HasSubstr(policy->explanation())) << info.name;
    }
    EXPECT_THAT(text, HasSubstr(std::string(info.policies.front()) + " (the default): ")) << info.name;
  }
}

// The lab and the pages must not part: who can be put under load has lines to do it with, for each policy.
TEST(Pages, stressWhatCanBeStressed) {
  for (const auto &info : primitiveInfos()) {
    const auto text = plainText(pageOf(info));
    for (const auto policy : info.policies)
      EXPECT_THAT(text, HasSubstr("stress --primitive " + std::string(info.name) + " --policy " + std::string(policy) + " ")) << info.name;
  }
}

TEST(Pages, ofPrimitivesWithScriptsOfTheirOwnTellWhatTheyCost) {
  for (const auto *primitive : Primitive::all()) {
    const auto &costs = primitive->info().costs;
    EXPECT_GT(costs.commands, 0) << primitive->info().name;
    EXPECT_GE(costs.calls, costs.commands) << primitive->info().name;
    EXPECT_GT(costs.crowdedCommands, 0) << primitive->info().name;
    EXPECT_GE(costs.crowdedCalls, costs.crowdedCommands) << primitive->info().name;
  }
}

TEST(Pages, asPlainTextFitATerminalExceptForCode) {
  for (const auto &page : allPages()) {
    std::istringstream lines(plainText(page));
    for (std::string line; std::getline(lines, line);)
      EXPECT_TRUE(line.size() <= 110 || line.starts_with("    ")) << page.name << ": " << line;
  }
}

TEST(Pages, asMarkdownTakeNothingForMarkup) {
  const auto text = markdown(Page{.name = "X", .summary = "a <b> c*d*", .sections = {{.title = "T", .rows = {{"k|<v>", "string", "<v> or w|x"}}}}});
  EXPECT_THAT(text, HasSubstr("a \\<b> c\\*d\\*"));
  EXPECT_THAT(text, HasSubstr("\\<v> or w\\|x |\n"));
}

TEST(Pages, areAllInTheIndex) {
  const auto pages = allPages();
  const auto index = markdownIndex(pages);
  for (const auto &page : pages)
    EXPECT_THAT(index, HasSubstr("[" + page.name + "](" + page.name + ".md)"));
}

} // namespace
} // namespace lockhouse::ctl
