// SPDX-License-Identifier: Apache-2.0
#include "core/lab/workload/latch_rounds.h"

#include <gtest/gtest.h>

using namespace lockhouse;

namespace {

struct LatchRoundsOfThree : testing::Test {
  std::uint64_t violations = 0;
  LatchRounds rounds{LockName("p:0"), {.clients = 3, .each = std::nullopt, .more = 0}, violations};

  static void countDown(LatchRound &round) {
    for (std::int64_t left = round.parties() - 1; left >= 0; --left)
      round.counted(left);
  }
  static void makeWhole(LatchRound &round) {
    round.closed(true);
    countDown(round);
    for (unsigned i = 0; i < round.parties(); ++i)
      round.passed();
  }
};

TEST_F(LatchRoundsOfThree, isOverWithoutViolationsWhenAllHaveCountedAndPassed) {
  const auto round = rounds.round(0);
  EXPECT_EQ(round->parties(), 3U);
  EXPECT_TRUE(round->closed(true));
  EXPECT_FALSE(round->closed(false));
  countDown(*round);
  EXPECT_TRUE(round->isCounted());
  round->passed();
  round->passed();
  EXPECT_FALSE(round->isOver());
  round->passed();
  EXPECT_TRUE(round->isOver());
  EXPECT_EQ(violations, 0U);
  EXPECT_TRUE(rounds.leftovers().empty());
}

TEST_F(LatchRoundsOfThree, whoGoesOnBeforeAllHaveCountedIsAViolation) {
  const auto round = rounds.round(0);
  round->closed(true);
  round->counted(2);
  round->passed();
  EXPECT_EQ(violations, 1U);
}

TEST_F(LatchRoundsOfThree, closingItTwiceOrNeverIsAViolation) {
  rounds.round(0)->closed(true);
  EXPECT_FALSE(rounds.round(0)->closed(true)) << "the first has closed it";
  EXPECT_EQ(violations, 1U);
  const auto other = rounds.round(1);
  other->closed(false);
  other->counted(2);
  EXPECT_EQ(violations, 2U) << "counted down without having been closed";
}

TEST_F(LatchRoundsOfThree, aCountThatIsNotOneLessIsAViolation) {
  const auto round = rounds.round(0);
  round->closed(true);
  round->counted(2);
  round->counted(0); // as if one had been counted twice
  EXPECT_EQ(violations, 1U);
}

TEST_F(LatchRoundsOfThree, aKeyThatIsLeftIsAViolation) {
  rounds.round(0)->leftBehind();
  EXPECT_EQ(violations, 1U);
}

TEST_F(LatchRoundsOfThree, haveAKeyEach) {
  const auto first = rounds.round(0);
  EXPECT_EQ(rounds.round(0), first);
  const auto second = rounds.round(1); // somebody is fast
  EXPECT_NE(second->name(), first->name());
  makeWhole(*first);
  EXPECT_EQ(rounds.round(1), second);
}

TEST_F(LatchRoundsOfThree, givenUpAreBegunAnewAtAnotherKeyByWhoHasNotGoneOn) {
  const auto first = rounds.round(0);
  first->closed(true);
  first->counted(2);
  first->passed(); // too early, and it happened
  rounds.giveUp();
  EXPECT_TRUE(first->isGivenUp());
  const auto again = rounds.round(0);
  EXPECT_NE(again->name(), first->name());
  EXPECT_EQ(again->parties(), 2U);
  EXPECT_EQ(rounds.leftovers(), (std::vector<std::string>{first->name().bytes(), again->name().bytes()}));
  rounds.giveUp();
  EXPECT_EQ(rounds.leftovers().size(), 2U) << "each once";
}

TEST_F(LatchRoundsOfThree, thatAreKnownToBeOpenAreNotGivenUp) {
  const auto round = rounds.round(0);
  round->closed(true);
  countDown(*round);
  round->passed();
  rounds.giveUp();
  EXPECT_FALSE(round->isGivenUp());
  EXPECT_EQ(rounds.open(), std::vector{round});
  round->passed();
  round->passed();
  EXPECT_TRUE(rounds.open().empty());
  EXPECT_EQ(violations, 0U);
}

TEST_F(LatchRoundsOfThree, tellWhenOneIsMissing) {
  const auto round = rounds.round(0);
  int told = 0;
  round->closed(true);
  round->whenOneIsMissing([&] { ++told; });
  round->counted(2);
  EXPECT_EQ(told, 0);
  round->counted(1);
  EXPECT_EQ(told, 1);
  round->counted(0);
  EXPECT_EQ(told, 1);
  LatchRound alone(LockName("p:1"), 1, violations);
  alone.whenOneIsMissing([&] { ++told; });
  EXPECT_EQ(told, 2);
}

TEST(LatchRounds, theLastRoundOfAQuotaIsMadeByWhoHasOneMore) {
  std::uint64_t violations = 0;
  LatchRounds rounds(LockName("p:0"), {.clients = 5, .each = 2, .more = 3}, violations);
  EXPECT_EQ(rounds.round(0)->parties(), 5U);
  EXPECT_EQ(rounds.round(1)->parties(), 5U);
  EXPECT_EQ(rounds.round(2)->parties(), 3U);
}

} // namespace
