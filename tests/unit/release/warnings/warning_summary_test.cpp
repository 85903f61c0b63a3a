// SPDX-License-Identifier: Apache-2.0
// Of what many plans warn, each once.
#include "core/release/warnings/warning_summary.h"

#include "tests/unit/watch/records.h"

#include <gmock/gmock.h>

namespace lockhouse {
namespace {

using testing::ElementsAre;

ReleaseResult planned(const std::string &key, std::vector<std::string> risks, const std::string &holder = "t") {
  ReleaseResult result;
  result.lock = test::record("token", LockKind::Mutex, key, {}).id;
  result.plan = ReleasePlan();
  result.plan->lock = result.lock;
  result.plan->expectHolder = holder;
  result.plan->risks = std::move(risks);
  return result;
}

std::vector<std::string> told(const std::vector<ReleaseResult> &results) {
  std::vector<std::string> words;
  for (const auto &group : warningGroups(results))
    words.push_back(group.first + " | " + group.named.front().bytes() + " | " + std::to_string(group.times) + (group.differs ? " that differ" : ""));
  return words;
}

TEST(RiskGroups, joinWhatDiffersInTimesOfAnyUnit) {
  EXPECT_THAT(
      told({planned("x", {"it runs for 9 h 59 min: mind it"}), planned("y", {"it runs for 12.3 s: mind it"}), planned("z", {"it runs for 40 ms: mind it"})}),
      ElementsAre("it runs for 9 h 59 min: mind it | x | 3 that differ"));
  EXPECT_THAT(told({planned("x", {"2 hold it"}), planned("y", {"3 s hold it"})}), ElementsAre("2 hold it | x | 1", "3 s hold it | y | 1"))
      << "a time is no count";
}

TEST(RiskGroups, joinWhatNamesItsOwnLockOrHolderOrWhoComesNext) {
  auto one = planned("lock:one", {"ann is not among those of lock:one; bob is next"}, "ann");
  auto two = planned("lock:two", {"cyd is not among those of lock:two; dan is next"}, "cyd");
  one.plan->next = "bob";
  two.plan->wakes = {"dan"};
  EXPECT_THAT(told({one, two}), ElementsAre("ann is not among those of lock:one; bob is next | lock:one | 2 that differ"));
}

TEST(RiskGroups, joinWhatNamesTheOtherKeysOfEachHolder) {
  EXPECT_THAT(told({planned("a", {"its holder has other keys here too: b"}), planned("x", {"its holder has other keys here too: y, z"})}),
              ElementsAre("its holder has other keys here too: b | a | 2 that differ"));
}

TEST(RiskGroups, keepApartWhatNamesOtherThings) {
  EXPECT_THAT(told({planned("x", {"it may be redsync too"}), planned("y", {"it may be aioredlock too"})}),
              ElementsAre("it may be redsync too | x | 1", "it may be aioredlock too | y | 1"));
}

TEST(RiskGroups, findNoNameOfALetterInEveryWord) {
  EXPECT_THAT(told({planned("a", {"what a pity"}, "1"), planned("b", {"what b pity"}, "2")}), ElementsAre("what a pity | a | 2 that differ"));
}

TEST(RiskGroups, tellTheSameWordsOnceThoughAHolderIsCalledAsOneOfThem) {
  const std::string words = "only a token protects it";
  EXPECT_THAT(told({planned("x", {words}, "token"), planned("y", {words}, "t"), planned("z", {words}, "protects")}), ElementsAre(words + " | x | 3"));
  EXPECT_THAT(told({planned("x", {words}, "t"), planned("y", {words}, "token")}), ElementsAre(words + " | x | 2"));
}

TEST(RiskGroups, tellWhoseTheyAreByTheFirstThreeNames) {
  const auto groups = warningGroups(std::vector{planned("a", {"one", "two"}), planned("a", {"one", "two"}), planned("b", {"one"}), planned("c", {"one"}),
                                                planned("d", {"one"}), planned("e", {})});
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_THAT(groups[0].named, ElementsAre(LockName("a"), LockName("b"), LockName("c")));
  EXPECT_EQ(groups[0].names, 4U) << "two holds of one lock are of one lock";
  EXPECT_EQ(groups[0].of, 5U);
  EXPECT_THAT(groups[1].named, ElementsAre(LockName("a")));
}

TEST(RiskGroups, putFirstWhatStandsForemostInItsPlanAndThenWhatMostHave) {
  EXPECT_THAT(told({planned("a", {"one", "two"}), planned("b", {"three", "two"}), planned("c", {"three"})}),
              ElementsAre("three | b | 2", "one | a | 1", "two | a | 2"));
}

TEST(RiskGroups, tellRefusalsFromTheRestAndLeaveOutWhatIsNotApplied) {
  std::vector results{planned("a", {"may not", "other"}), planned("b", {"gone"})};
  results[0].plan->refusal = "may not";
  results[1].verdict = Verdict::Changed;
  const auto groups = warningGroups(results);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_TRUE(groups[0].isRefusal);
  EXPECT_FALSE(groups[1].isRefusal);
}

} // namespace
} // namespace lockhouse
