// SPDX-License-Identifier: Apache-2.0
#include "core/lock/acquire_machine.h"
#include "core/lock/lock_options.h"
#include "tests/unit/lock/manual_time.h"

#include <gtest/gtest.h>

using namespace lockhouse;
using namespace lockhouse::test;
using Kind = AcquireEvent::Kind;
using State = AcquireMachine::State;
using Verdict = AcquireMachine::Verdict;

namespace {

/// A dialogue: what happens when, and what the machine then wants.
class AcquireDialogue : public testing::Test {
protected:
  void begin(AcquirePolicy policy, std::optional<std::chrono::nanoseconds> deadline = {}, milliseconds lease = 30s) {
    AcquireMachine::Plan plan{.policy = policy, .lease = lease, .seed = 42};
    if (deadline)
      plan.deadline = t(*deadline);
    machine = AcquireMachine(plan);
  }
  AcquireActions at(std::chrono::nanoseconds when, Kind kind, std::optional<milliseconds> timeLeft = {}) { return machine.on({kind, timeLeft}, t(when)); }

  AcquireMachine machine;
};

} // namespace

TEST_F(AcquireDialogue, asksOnceAndIsGranted) {
  begin(AcquirePolicy::tryOnce());
  const auto start = at(0ms, Kind::Start);
  EXPECT_TRUE(start.ask);
  EXPECT_EQ(start.alarm, AcquireActions::never);
  const auto granted = at(1ms, Kind::Granted);
  EXPECT_TRUE(granted.report);
  EXPECT_FALSE(granted.giveBack);
  EXPECT_EQ(machine.verdict(), Verdict::Granted);
}

TEST_F(AcquireDialogue, countsValidityFromBeforeTheSendLessDrift) {
  begin(AcquirePolicy::tryOnce(), {}, 10s);
  at(5ms, Kind::Start);
  at(900ms, Kind::Granted);
  EXPECT_EQ(machine.validUntil(), t(5ms) + 10s - driftOf(10s));
}

TEST_F(AcquireDialogue, countsValidityFromTheAskThatWasGrantedNotFromTheFirst) {
  begin(AcquirePolicy::spin(100ms), {}, 10s);
  at(0ms, Kind::Start);
  at(1ms, Kind::Refused);
  at(101ms, Kind::Alarm);
  at(102ms, Kind::Granted);
  EXPECT_EQ(machine.validUntil(), t(101ms) + 10s - driftOf(10s));
}

TEST_F(AcquireDialogue, tryIsContendedAtTheFirstRefusal) {
  begin(AcquirePolicy::tryOnce());
  at(0ms, Kind::Start);
  const auto refused = at(1ms, Kind::Refused, 500ms);
  EXPECT_TRUE(refused.report);
  EXPECT_FALSE(refused.ask);
  EXPECT_EQ(machine.verdict(), Verdict::Contended);
}

TEST_F(AcquireDialogue, givesBackAGrantThatCameLaterThanTheLease) {
  begin(AcquirePolicy::tryOnce(), {}, 100ms);
  at(0ms, Kind::Start);
  const auto late = at(97ms, Kind::Granted);
  EXPECT_TRUE(late.giveBack);
  EXPECT_FALSE(late.doubtful);
  EXPECT_TRUE(late.report);
  EXPECT_EQ(machine.verdict(), Verdict::TooLate);
}

TEST_F(AcquireDialogue, takesAGrantThatLeavesALittle) {
  begin(AcquirePolicy::tryOnce(), {}, 100ms);
  at(0ms, Kind::Start);
  EXPECT_FALSE(at(96ms, Kind::Granted).giveBack);
  EXPECT_EQ(machine.verdict(), Verdict::Granted);
}

TEST_F(AcquireDialogue, anAskWithoutAnswerIsInDoubtAndGivenBack) {
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

TEST_F(AcquireDialogue, anErrorReplyEndsItWithNothingToGiveBack) {
  begin(AcquirePolicy::backoff(), 10s);
  at(0ms, Kind::Start);
  const auto error = at(1ms, Kind::Rejected);
  EXPECT_TRUE(error.report);
  EXPECT_FALSE(error.giveBack);
  EXPECT_EQ(machine.verdict(), Verdict::Rejected);
}

TEST_F(AcquireDialogue, spinAsksAgainAfterTheSamePauseEachTime) {
  begin(AcquirePolicy::spin(2ms));
  at(0ms, Kind::Start);
  auto when = 0ms;
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(at(when, Kind::Refused).alarm, t(when + 2ms));
    when += 2ms;
    EXPECT_TRUE(at(when, Kind::Alarm).ask);
  }
}

TEST_F(AcquireDialogue, anAlarmThatComesEarlyDoesNotWakeASleeper) {
  begin(AcquirePolicy::spin(10ms));
  at(0ms, Kind::Start);
  at(0ms, Kind::Refused);
  const auto early = at(9ms, Kind::Alarm);
  EXPECT_FALSE(early.ask);
  EXPECT_EQ(early.alarm, t(10ms));
}

TEST_F(AcquireDialogue, backoffPausesGrowToTheCapAndNeverBeyond) {
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

TEST_F(AcquireDialogue, timesOutAtItsDeadlineAsleep) {
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

TEST_F(AcquireDialogue, timesOutWithAnAskUnderWayAndGivesBackALateGrant) {
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

TEST_F(AcquireDialogue, withNoTimeToWaitItAsksOnce) {
  begin(AcquirePolicy::backoff(), 0ms);
  EXPECT_TRUE(at(0ms, Kind::Start).ask);
  EXPECT_TRUE(at(1ms, Kind::Refused).report);
  EXPECT_EQ(machine.verdict(), Verdict::TimedOut);
}

TEST_F(AcquireDialogue, cancelledBeforeItBeganItDoesNothing) {
  begin(AcquirePolicy::backoff());
  const auto cancelled = at(0ms, Kind::Cancel);
  EXPECT_TRUE(cancelled.report);
  EXPECT_EQ(machine.verdict(), Verdict::Cancelled);
  EXPECT_FALSE(at(0ms, Kind::Start).ask);
}

TEST_F(AcquireDialogue, cancelledWithAnAskUnderWayItGivesBackWhatIsGranted) {
  begin(AcquirePolicy::backoff());
  at(0ms, Kind::Start);
  EXPECT_TRUE(at(1ms, Kind::Cancel).report);
  EXPECT_TRUE(at(2ms, Kind::Granted).giveBack);
}

TEST_F(AcquireDialogue, cancelledWithAnAskUnderWayItGivesNothingBackOnceRefused) {
  for (const auto answer : {Kind::Refused, Kind::Rejected, Kind::Busy, Kind::Unsent}) {
    begin(AcquirePolicy::backoff());
    at(0ms, Kind::Start);
    at(1ms, Kind::Cancel);
    EXPECT_FALSE(at(2ms, answer).giveBack);
    EXPECT_TRUE(machine.settled());
  }
}

TEST_F(AcquireDialogue, cancelledAndThenWithoutAnswerItGivesBackInDoubt) {
  begin(AcquirePolicy::backoff());
  at(0ms, Kind::Start);
  at(1ms, Kind::Cancel);
  const auto lost = at(2ms, Kind::Unanswered);
  EXPECT_TRUE(lost.giveBack);
  EXPECT_TRUE(lost.doubtful);
}

TEST_F(AcquireDialogue, cancelledAsleepItLeavesNoSubscription) {
  begin(AcquirePolicy::pubSub());
  at(0ms, Kind::Start);
  EXPECT_TRUE(at(1ms, Kind::Refused).subscribe);
  at(2ms, Kind::Subscribed);
  at(3ms, Kind::Refused);
  const auto cancelled = at(4ms, Kind::Cancel);
  EXPECT_TRUE(cancelled.unsubscribe);
  EXPECT_TRUE(machine.settled());
}

TEST_F(AcquireDialogue, asksAgainAfterSubscribingBeforeItSleeps) {
  begin(AcquirePolicy::pubSub(500ms));
  at(0ms, Kind::Start);
  const auto refused = at(1ms, Kind::Refused);
  EXPECT_TRUE(refused.subscribe);
  EXPECT_FALSE(refused.ask);
  EXPECT_TRUE(at(2ms, Kind::Subscribed).ask) << "it may have come free before the subscription stood";
  const auto asleep = at(3ms, Kind::Refused);
  EXPECT_EQ(machine.state(), State::Sleeping);
  EXPECT_EQ(asleep.alarm, t(503ms));
}

TEST_F(AcquireDialogue, aMessageWakesASleeper) {
  begin(AcquirePolicy::pubSub());
  at(0ms, Kind::Start);
  at(1ms, Kind::Refused);
  at(2ms, Kind::Subscribed);
  at(3ms, Kind::Refused);
  EXPECT_TRUE(at(4ms, Kind::Woken).ask);
  const auto granted = at(5ms, Kind::Granted);
  EXPECT_TRUE(granted.unsubscribe);
  EXPECT_TRUE(granted.report);
}

TEST_F(AcquireDialogue, aMessageDuringAnAskMakesItsRefusalStale) {
  begin(AcquirePolicy::pubSub());
  at(0ms, Kind::Start);
  at(1ms, Kind::Refused);
  at(2ms, Kind::Subscribed);
  EXPECT_FALSE(at(3ms, Kind::Woken).ask) << "one ask at a time";
  EXPECT_TRUE(at(4ms, Kind::Refused).ask);
  EXPECT_FALSE(at(5ms, Kind::Refused).ask) << "but only once for one message";
}

TEST_F(AcquireDialogue, sleepsNoLongerThanTheHoldersLeaseAndTheCap) {
  begin(AcquirePolicy::pubSub(500ms));
  at(0ms, Kind::Start);
  at(1ms, Kind::Refused);
  at(2ms, Kind::Subscribed);
  EXPECT_EQ(at(3ms, Kind::Refused, 40ms).alarm, t(3ms) + 41ms);
  at(44ms, Kind::Alarm);
  EXPECT_EQ(at(45ms, Kind::Refused, 20s).alarm, t(45ms) + 500ms);
}

TEST_F(AcquireDialogue, pollsWhenSubscribingIsRefused) {
  begin(AcquirePolicy::pubSub());
  at(0ms, Kind::Start);
  at(1ms, Kind::Refused);
  const auto refused = at(2ms, Kind::SubscribeFailed);
  EXPECT_LE(refused.alarm, t(2ms) + AcquirePolicy::pubSub().pause);
  at(1s, Kind::Alarm);
  const auto asleep = at(1s, Kind::Refused);
  EXPECT_FALSE(asleep.subscribe);
  EXPECT_NE(asleep.alarm, AcquireActions::never);
}

TEST_F(AcquireDialogue, asksThoughTheSubscriberLineIsSlow) {
  begin(AcquirePolicy::pubSub(500ms));
  at(0ms, Kind::Start);
  EXPECT_EQ(at(0ms, Kind::Refused).alarm, t(500ms));
  EXPECT_TRUE(at(500ms, Kind::Alarm).ask);
}

TEST_F(AcquireDialogue, sleepsAtOnceWhenMessagesWereHeardBeforeItAsked) {
  machine = AcquireMachine({.policy = AcquirePolicy::pubSub(500ms), .subscribed = true});
  at(0ms, Kind::Start);
  const auto asleep = at(1ms, Kind::Refused);
  EXPECT_TRUE(asleep.subscribe) << "others may stop listening before us";
  EXPECT_EQ(machine.state(), State::Sleeping);
  EXPECT_EQ(asleep.alarm, t(501ms));
  EXPECT_TRUE(at(2ms, Kind::Cancel).unsubscribe);
}

TEST_F(AcquireDialogue, bearsALostNodeUntilItsDeadline) {
  begin(AcquirePolicy::backoff(), 1s);
  EXPECT_TRUE(at(0ms, Kind::Start).ask);
  auto actions = at(0ms, Kind::Unsent);
  while (!actions.report) {
    ASSERT_NE(actions.alarm, AcquireActions::never);
    const auto when = actions.alarm - t(0ms);
    actions = at(when, Kind::Alarm);
    if (actions.ask)
      actions = at(when, Kind::Unsent);
  }
  EXPECT_EQ(machine.verdict(), Verdict::TimedOut);
  EXPECT_LT(machine.asks(), 120U) << "at least 10 ms apart";
}

TEST_F(AcquireDialogue, withoutADeadlineItsPatienceEnds) {
  begin(AcquirePolicy::backoff());
  at(0ms, Kind::Start);
  EXPECT_FALSE(at(0ms, Kind::Unsent).report);
  at(9s, Kind::Alarm);
  EXPECT_FALSE(at(9s, Kind::Unsent).report);
  at(10s, Kind::Alarm);
  EXPECT_TRUE(at(10s, Kind::Unsent).report);
  EXPECT_EQ(machine.verdict(), Verdict::Unreachable);
}

TEST_F(AcquireDialogue, patienceBeginsAnewWhenTheNodeAnswers) {
  begin(AcquirePolicy::backoff());
  at(0ms, Kind::Start);
  at(0ms, Kind::Unsent);
  at(9s, Kind::Alarm);
  at(9s, Kind::Refused);
  at(18s, Kind::Alarm);
  EXPECT_FALSE(at(18s, Kind::Unsent).report);
}

TEST_F(AcquireDialogue, aBusyNodeIsAskedAgainByThoseWhoWait) {
  begin(AcquirePolicy::backoff());
  at(0ms, Kind::Start);
  EXPECT_FALSE(at(1ms, Kind::Busy).report);
  EXPECT_TRUE(at(1s, Kind::Alarm).ask);
  begin(AcquirePolicy::tryOnce());
  at(0ms, Kind::Start);
  EXPECT_TRUE(at(1ms, Kind::Busy).report);
  EXPECT_EQ(machine.verdict(), Verdict::Rejected);
}

TEST_F(AcquireDialogue, standsInLineWithoutAskingAndAsksAtItsTurn) {
  begin(AcquirePolicy::backoff(), 5s);
  const auto inLine = at(0ms, Kind::StandInLine);
  EXPECT_FALSE(inLine.ask);
  EXPECT_EQ(inLine.alarm, t(5s));
  EXPECT_TRUE(at(1ms, Kind::Turn).ask);
}

TEST_F(AcquireDialogue, timesOutAndIsCancelledInLine) {
  begin(AcquirePolicy::backoff(), 5s);
  at(0ms, Kind::StandInLine);
  EXPECT_TRUE(at(5s, Kind::Alarm).report);
  EXPECT_EQ(machine.verdict(), Verdict::TimedOut);
  begin(AcquirePolicy::backoff(), 5s);
  at(0ms, Kind::StandInLine);
  EXPECT_TRUE(at(1s, Kind::Cancel).report);
  EXPECT_EQ(machine.verdict(), Verdict::Cancelled);
}

TEST_F(AcquireDialogue, firstInLineBehindOneOfItsOwnItSleepsUntilHeLeaves) {
  begin(AcquirePolicy::backoff());
  at(0ms, Kind::StandInLine);
  const auto turn = at(0ms, Kind::TurnInside);
  EXPECT_FALSE(turn.ask);
  EXPECT_NE(turn.alarm, AcquireActions::never) << "he may have lost it without knowing";
  EXPECT_TRUE(at(0ms, Kind::Woken).ask);
}

TEST_F(AcquireDialogue, yieldingItSleepsThroughItsOwnMessage) {
  begin(AcquirePolicy::pubSub());
  at(0ms, Kind::StandInLine);
  at(0ms, Kind::TurnInside);
  at(0ms, Kind::Subscribed);
  at(0ms, Kind::Refused);
  const auto yields = at(1ms, Kind::TurnYield);
  EXPECT_FALSE(yields.ask);
  EXPECT_GE(yields.alarm, t(1ms) + AcquirePolicy::pubSub().pause / 2);
  EXPECT_LE(yields.alarm, t(1ms) + AcquirePolicy::pubSub().pause * 3 / 2);
  EXPECT_FALSE(at(1ms, Kind::Woken).ask);
  EXPECT_TRUE(machine.on({Kind::Alarm}, yields.alarm).ask);
}
