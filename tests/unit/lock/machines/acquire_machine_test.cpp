// SPDX-License-Identifier: Apache-2.0
// Asks, answers and the pauses between them.
#include "core/lock/options/lock_options.h"
#include "tests/unit/lock/acquire_dialogue.h"

using namespace lockhouse;
using namespace lockhouse::test;

using AcquireAsks = AcquireDialogue;

TEST_F(AcquireAsks, asksOnceAndIsGranted) {
  begin(AcquirePolicy::tryOnce());
  const auto start = at(0ms, Kind::Start);
  EXPECT_TRUE(start.ask);
  EXPECT_EQ(start.alarm, AcquireActions::never);
  const auto granted = at(1ms, Kind::Granted);
  EXPECT_TRUE(granted.report);
  EXPECT_FALSE(granted.giveBack);
  EXPECT_EQ(machine.verdict(), Verdict::Granted);
}

TEST_F(AcquireAsks, countsValidityFromBeforeTheSendLessDrift) {
  begin(AcquirePolicy::tryOnce(), {}, 10s);
  at(5ms, Kind::Start);
  at(900ms, Kind::Granted);
  EXPECT_EQ(machine.validUntil(), t(5ms) + 10s - driftOf(10s));
}

TEST_F(AcquireAsks, countsValidityFromTheAskThatWasGrantedNotFromTheFirst) {
  begin(AcquirePolicy::spin(100ms), {}, 10s);
  at(0ms, Kind::Start);
  at(1ms, Kind::Refused);
  at(101ms, Kind::Alarm);
  at(102ms, Kind::Granted);
  EXPECT_EQ(machine.validUntil(), t(101ms) + 10s - driftOf(10s));
}

TEST_F(AcquireAsks, tryIsContendedAtTheFirstRefusal) {
  begin(AcquirePolicy::tryOnce());
  at(0ms, Kind::Start);
  const auto refused = at(1ms, Kind::Refused, 500ms);
  EXPECT_TRUE(refused.report);
  EXPECT_FALSE(refused.ask);
  EXPECT_EQ(machine.verdict(), Verdict::Contended);
}

TEST_F(AcquireAsks, givesBackAGrantThatCameLaterThanTheLease) {
  begin(AcquirePolicy::tryOnce(), {}, 100ms);
  at(0ms, Kind::Start);
  const auto late = at(97ms, Kind::Granted);
  EXPECT_TRUE(late.giveBack);
  EXPECT_FALSE(late.doubtful);
  EXPECT_TRUE(late.report);
  EXPECT_EQ(machine.verdict(), Verdict::TooLate);
}

TEST_F(AcquireAsks, takesAGrantThatLeavesALittle) {
  begin(AcquirePolicy::tryOnce(), {}, 100ms);
  at(0ms, Kind::Start);
  EXPECT_FALSE(at(96ms, Kind::Granted).giveBack);
  EXPECT_EQ(machine.verdict(), Verdict::Granted);
}

TEST_F(AcquireAsks, anAskWithoutAnswerIsInDoubtAndGivenBack) {
  for (const auto policy : {AcquirePolicy::tryOnce(), AcquirePolicy::backoff(), AcquirePolicy::pubSub()}) {
    begin(policy, 10s);
    at(0ms, Kind::Start);
    const auto lost = at(3ms, Kind::Unanswered);
    EXPECT_TRUE(lost.giveBack);
    EXPECT_TRUE(lost.doubtful);
    EXPECT_TRUE(lost.report);
    EXPECT_EQ(machine.verdict(), Verdict::InDoubt);
    EXPECT_TRUE(machine.settled());
  }
}

TEST_F(AcquireAsks, anErrorReplyEndsItWithNothingToGiveBack) {
  begin(AcquirePolicy::backoff(), 10s);
  at(0ms, Kind::Start);
  const auto error = at(1ms, Kind::Rejected);
  EXPECT_TRUE(error.report);
  EXPECT_FALSE(error.giveBack);
  EXPECT_EQ(machine.verdict(), Verdict::Rejected);
}

TEST_F(AcquireAsks, spinAsksAgainAfterTheSamePauseEachTime) {
  begin(AcquirePolicy::spin(2ms));
  at(0ms, Kind::Start);
  auto when = 0ms;
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(at(when, Kind::Refused).alarm, t(when + 2ms));
    when += 2ms;
    EXPECT_TRUE(at(when, Kind::Alarm).ask);
  }
}

TEST_F(AcquireAsks, anAlarmThatComesEarlyDoesNotWakeASleeper) {
  begin(AcquirePolicy::spin(10ms));
  at(0ms, Kind::Start);
  at(0ms, Kind::Refused);
  const auto early = at(9ms, Kind::Alarm);
  EXPECT_FALSE(early.ask);
  EXPECT_EQ(early.alarm, t(10ms));
}

TEST_F(AcquireAsks, backoffPausesGrowToTheCapAndNeverBeyond) {
  begin(AcquirePolicy::backoff(1ms, 8ms));
  at(0ms, Kind::Start);
  std::chrono::nanoseconds longest{0};
  for (int i = 0; i < 200; ++i) {
    const auto bound = std::min<std::chrono::nanoseconds>(1ms * (1 << std::min(i, 10)), 8ms);
    const auto pause = at(0ms, Kind::Refused).alarm - t(0ms);
    EXPECT_LE(pause, bound);
    longest = std::max<std::chrono::nanoseconds>(longest, pause);
    at(1h, Kind::Alarm);
  }
  EXPECT_GT(longest, 4ms);
}
