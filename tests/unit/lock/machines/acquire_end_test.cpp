// SPDX-License-Identifier: Apache-2.0
// The ends that nobody wishes for: too late, cancelled.
#include "tests/unit/lock/acquire_dialogue.h"

using namespace lockhouse;
using namespace lockhouse::test;

using AcquireEnd = AcquireDialogue;

TEST_F(AcquireEnd, timesOutAtItsDeadlineAsleep) {
  begin(AcquirePolicy::spin(100ms), 250ms);
  at(0ms, Kind::Start);
  EXPECT_EQ(at(1ms, Kind::Refused).alarm, t(101ms));
  at(101ms, Kind::Alarm);
  EXPECT_EQ(at(201ms, Kind::Refused).alarm, t(250ms)) << "the last pause is cut short at the deadline";
  const auto end = at(250ms, Kind::Alarm);
  EXPECT_TRUE(end.report);
  EXPECT_FALSE(end.ask);
  EXPECT_EQ(machine.verdict(), Verdict::TimedOut);
  EXPECT_TRUE(machine.settled());
}

TEST_F(AcquireEnd, timesOutWithAnAskUnderWayAndGivesBackALateGrant) {
  begin(AcquirePolicy::backoff(), 100ms);
  EXPECT_EQ(at(0ms, Kind::Start).alarm, t(100ms));
  EXPECT_TRUE(at(100ms, Kind::Alarm).report);
  EXPECT_EQ(machine.verdict(), Verdict::TimedOut);
  EXPECT_FALSE(machine.settled());
  const auto late = at(101ms, Kind::Granted);
  EXPECT_TRUE(late.giveBack);
  EXPECT_FALSE(late.report) << "the outcome is told once";
  EXPECT_TRUE(machine.settled());
}

TEST_F(AcquireEnd, withNoTimeToWaitItHearsTheAnswerToItsOneAsk) {
  begin(AcquirePolicy::backoff(), 0ms);
  EXPECT_EQ(at(0ms, Kind::Start).alarm, AcquireActions::never);
  EXPECT_FALSE(at(1ms, Kind::Alarm).report) << "rung for another reason";
  EXPECT_TRUE(at(2ms, Kind::Granted).report);
  EXPECT_EQ(machine.verdict(), Verdict::Granted);
}

TEST_F(AcquireEnd, withNoTimeToWaitItAsksOnce) {
  begin(AcquirePolicy::backoff(), 0ms);
  EXPECT_TRUE(at(0ms, Kind::Start).ask);
  EXPECT_TRUE(at(1ms, Kind::Refused).report);
  EXPECT_EQ(machine.verdict(), Verdict::TimedOut);
}

TEST_F(AcquireEnd, cancelledBeforeItBeganItDoesNothing) {
  begin(AcquirePolicy::backoff());
  const auto cancelled = at(0ms, Kind::Cancel);
  EXPECT_TRUE(cancelled.report);
  EXPECT_EQ(machine.verdict(), Verdict::Cancelled);
  EXPECT_FALSE(at(0ms, Kind::Start).ask);
}

TEST_F(AcquireEnd, cancelledWithAnAskUnderWayItGivesBackWhatIsGranted) {
  begin(AcquirePolicy::backoff());
  at(0ms, Kind::Start);
  EXPECT_TRUE(at(1ms, Kind::Cancel).report);
  EXPECT_TRUE(at(2ms, Kind::Granted).giveBack);
}

TEST_F(AcquireEnd, cancelledWithAnAskUnderWayItGivesNothingBackOnceRefused) {
  for (const auto answer : {Kind::Refused, Kind::Rejected, Kind::Busy, Kind::Unsent}) {
    begin(AcquirePolicy::backoff());
    at(0ms, Kind::Start);
    at(1ms, Kind::Cancel);
    EXPECT_FALSE(at(2ms, answer).giveBack);
    EXPECT_TRUE(machine.settled());
  }
}

TEST_F(AcquireEnd, cancelledAndThenWithoutAnswerItGivesBackInDoubt) {
  begin(AcquirePolicy::backoff());
  at(0ms, Kind::Start);
  at(1ms, Kind::Cancel);
  const auto lost = at(2ms, Kind::Unanswered);
  EXPECT_TRUE(lost.giveBack);
  EXPECT_TRUE(lost.doubtful);
}

TEST_F(AcquireEnd, givesBackAGrantThatTooFewReplicasHave) {
  begin(AcquirePolicy::backoff());
  at(0ms, Kind::Start);
  const auto end = at(5ms, Kind::TooFewCopies);
  EXPECT_TRUE(end.report);
  EXPECT_TRUE(end.giveBack);
  EXPECT_FALSE(end.doubtful);
  EXPECT_EQ(machine.verdict(), Verdict::TooFewCopies);
  EXPECT_TRUE(machine.settled());
}

TEST_F(AcquireEnd, givesBackOnceWhatIsShortAfterItGaveUp) {
  begin(AcquirePolicy::backoff(), 100ms);
  at(0ms, Kind::Start);
  EXPECT_TRUE(at(100ms, Kind::Alarm).report);
  const auto late = at(101ms, Kind::TooFewCopies);
  EXPECT_TRUE(late.giveBack);
  EXPECT_FALSE(late.report);
  EXPECT_TRUE(machine.settled());
}
