// SPDX-License-Identifier: Apache-2.0
// Of what many plans warn, each once.
#include "core/release/warnings/warning_summary.h"

#include "tests/unit/watch/records.h"

#include <gmock/gmock.h>

namespace lockhouse {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

ReleaseResult planned(const std::string &key, std::vector<Message> warnings, const std::string &holder = "t") {
  ReleaseResult result;
  result.lock = test::record("token", LockKind::Mutex, key, {}).id;
  result.plan = ReleasePlan();
  result.plan->lock = result.lock;
  result.plan->expectHolder = holder;
  result.plan->warnings = std::move(warnings);
  return result;
}

std::vector<std::string> told(const std::vector<ReleaseResult> &results) {
  std::vector<std::string> words;
  for (const auto &group : warningGroups(results))
    words.push_back(group.first.english() + " | " + group.named.front().bytes() + " | " + std::to_string(group.times) + (group.differs ? " that differ" : ""));
  return words;
}

constexpr auto runsFor = LH_ENGLISH("it runs for %1: mind it");
constexpr auto mayBe = LH_ENGLISH("it may be %1 too");
constexpr auto isNext = LH_ENGLISH("%1 is not among those of %2; %3 is next");
constexpr auto withMore = LH_ENGLISH("where it is of %1, %2");

std::vector<Message> all(std::initializer_list<const char *> words) {
  std::vector<Message> messages;
  for (const auto *each : words)
    messages.push_back(Message::verbatim(each));
  return messages;
}

TEST(RiskGroups, joinTheSameMessageWhateverItsFiguresTimesAndNames) {
  EXPECT_THAT(told({planned("x", {runsFor(std::chrono::minutes(599))}), planned("y", {runsFor(seconds(12))}), planned("z", {runsFor(milliseconds(40))})}),
              ElementsAre("it runs for 9 h 59 min: mind it | x | 3 that differ"));
  EXPECT_THAT(told({planned("lock:one", {isNext("ann", "lock:one", "bob")}), planned("lock:two", {isNext("cyd", "lock:two", "dan")})}),
              ElementsAre("ann is not among those of lock:one; bob is next | lock:one | 2 that differ"));
}

TEST(RiskGroups, keepApartWhatNamesOtherFamiliesOrIsFilledWithAnotherMessage) {
  EXPECT_THAT(told({planned("x", {mayBe(Families{{"redsync"}})}), planned("y", {mayBe(Families{{"aioredlock"}})})}),
              ElementsAre("it may be redsync too | x | 1", "it may be aioredlock too | y | 1"));
  const Families one{{"redsync"}};
  EXPECT_THAT(
      told({planned("x", {withMore(one, runsFor(seconds(1)))}), planned("y", {withMore(one, runsFor(seconds(2)))}), planned("z", {withMore(one, mayBe(one))})}),
      ElementsAre("where it is of redsync, it runs for 1.0 s: mind it | x | 2 that differ", "where it is of redsync, it may be redsync too | z | 1"));
}

TEST(RiskGroups, keepApartWhatOtherSystemsSaid) { EXPECT_THAT(told({planned("x", all({"boom"})), planned("y", all({"bang"}))}), SizeIs(2)); }

TEST(RiskGroups, tellWhoseTheyAreByTheFirstThreeNames) {
  const auto groups = warningGroups(std::vector{planned("a", all({"one", "two"})), planned("a", all({"one", "two"})), planned("b", all({"one"})),
                                                planned("c", all({"one"})), planned("d", all({"one"})), planned("e", {})});
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_THAT(groups[0].named, ElementsAre(LockName("a"), LockName("b"), LockName("c")));
  EXPECT_EQ(groups[0].names, 4U) << "two holds of one lock are of one lock";
  EXPECT_EQ(groups[0].of, 5U);
  EXPECT_THAT(groups[1].named, ElementsAre(LockName("a")));
}

TEST(RiskGroups, putFirstWhatStandsForemostInItsPlanAndThenWhatMostHave) {
  EXPECT_THAT(told({planned("a", all({"one", "two"})), planned("b", all({"three", "two"})), planned("c", all({"three"}))}),
              ElementsAre("three | b | 2", "one | a | 1", "two | a | 2"));
}

TEST(RiskGroups, tellRefusalsFromTheRestAndLeaveOutWhatIsNotApplied) {
  std::vector results{planned("a", all({"may not", "other"})), planned("b", all({"gone"}))};
  results[0].plan->refusal = Message::verbatim("may not");
  results[1].verdict = Verdict::Changed;
  const auto groups = warningGroups(results);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_TRUE(groups[0].isRefusal);
  EXPECT_FALSE(groups[1].isRefusal);
}

} // namespace
} // namespace lockhouse
