// SPDX-License-Identifier: Apache-2.0
// Listening for messages, and standing in line.
#include "tests/unit/lock/acquire_dialogue.h"

using namespace lockhouse;
using namespace lockhouse::test;

using AcquireWaiting = AcquireDialogue;

TEST_F(AcquireWaiting, cancelledAsleepItLeavesNoSubscription) {
  begin(AcquirePolicy::pubSub());
  at(0ms, Kind::Start);
  EXPECT_TRUE(at(1ms, Kind::Refused).subscribe);
  at(2ms, Kind::Subscribed);
  at(3ms, Kind::Refused);
  const auto cancelled = at(4ms, Kind::Cancel);
  EXPECT_TRUE(cancelled.unsubscribe);
  EXPECT_TRUE(machine.settled());
}

TEST_F(AcquireWaiting, asksAgainAfterSubscribingBeforeItSleeps) {
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

TEST_F(AcquireWaiting, aMessageWakesASleeper) {
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

TEST_F(AcquireWaiting, aMessageDuringAnAskMakesItsRefusalStale) {
  begin(AcquirePolicy::pubSub());
  at(0ms, Kind::Start);
  at(1ms, Kind::Refused);
  at(2ms, Kind::Subscribed);
  EXPECT_FALSE(at(3ms, Kind::Woken).ask) << "one ask at a time";
  EXPECT_TRUE(at(4ms, Kind::Refused).ask);
  EXPECT_FALSE(at(5ms, Kind::Refused).ask) << "but only once for one message";
}

TEST_F(AcquireWaiting, sleepsNoLongerThanTheHoldersLeaseAndTheCap) {
  begin(AcquirePolicy::pubSub(500ms));
  at(0ms, Kind::Start);
  at(1ms, Kind::Refused);
  at(2ms, Kind::Subscribed);
  EXPECT_EQ(at(3ms, Kind::Refused, 40ms).alarm, t(3ms) + 41ms);
  at(44ms, Kind::Alarm);
  EXPECT_EQ(at(45ms, Kind::Refused, 20s).alarm, t(45ms) + 500ms);
}

TEST_F(AcquireWaiting, pollsWhenSubscribingIsRefused) {
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

TEST_F(AcquireWaiting, asksThoughTheSubscriberLineIsSlow) {
  begin(AcquirePolicy::pubSub(500ms));
  at(0ms, Kind::Start);
  EXPECT_EQ(at(0ms, Kind::Refused).alarm, t(500ms));
  EXPECT_TRUE(at(500ms, Kind::Alarm).ask);
}

TEST_F(AcquireWaiting, sleepsAtOnceWhenMessagesWereHeardBeforeItAsked) {
  machine = AcquireMachine({.policy = AcquirePolicy::pubSub(500ms), .subscribed = true});
  at(0ms, Kind::Start);
  const auto asleep = at(1ms, Kind::Refused);
  EXPECT_TRUE(asleep.subscribe) << "others may stop listening before us";
  EXPECT_EQ(machine.state(), State::Sleeping);
  EXPECT_EQ(asleep.alarm, t(501ms));
  EXPECT_TRUE(at(2ms, Kind::Cancel).unsubscribe);
}

TEST_F(AcquireWaiting, standsInLineWithoutAskingAndAsksAtItsTurn) {
  begin(AcquirePolicy::backoff(), 5s);
  const auto inLine = at(0ms, Kind::WaitInQueue);
  EXPECT_FALSE(inLine.ask);
  EXPECT_EQ(inLine.alarm, t(5s));
  EXPECT_TRUE(at(1ms, Kind::Turn).ask);
}

TEST_F(AcquireWaiting, timesOutAndIsCancelledInLine) {
  begin(AcquirePolicy::backoff(), 5s);
  at(0ms, Kind::WaitInQueue);
  EXPECT_TRUE(at(5s, Kind::Alarm).report);
  EXPECT_EQ(machine.verdict(), Verdict::TimedOut);
  begin(AcquirePolicy::backoff(), 5s);
  at(0ms, Kind::WaitInQueue);
  EXPECT_TRUE(at(1s, Kind::Cancel).report);
  EXPECT_EQ(machine.verdict(), Verdict::Cancelled);
}

TEST_F(AcquireWaiting, firstInLineBehindOneOfItsOwnItSleepsUntilHeLeaves) {
  begin(AcquirePolicy::backoff());
  at(0ms, Kind::WaitInQueue);
  const auto turn = at(0ms, Kind::TurnWhileHeld);
  EXPECT_FALSE(turn.ask);
  EXPECT_NE(turn.alarm, AcquireActions::never) << "he may have lost it without knowing";
  EXPECT_TRUE(at(0ms, Kind::Woken).ask);
}

TEST_F(AcquireWaiting, yieldingItSleepsThroughItsOwnMessage) {
  begin(AcquirePolicy::pubSub());
  at(0ms, Kind::WaitInQueue);
  at(0ms, Kind::TurnWhileHeld);
  at(0ms, Kind::Subscribed);
  at(0ms, Kind::Refused);
  const auto yields = at(1ms, Kind::TurnAfterPause);
  EXPECT_FALSE(yields.ask);
  EXPECT_GE(yields.alarm, t(1ms) + AcquirePolicy::pubSub().pause / 2);
  EXPECT_LE(yields.alarm, t(1ms) + AcquirePolicy::pubSub().pause * 3 / 2);
  EXPECT_FALSE(at(1ms, Kind::Woken).ask);
  EXPECT_TRUE(machine.on({Kind::Alarm}, yields.alarm).ask);
}

TEST_F(AcquireWaiting, whoWasRefusedBeforeAReleaseArrivedAsksAgainOnceItIsConfirmed) {
  for (const auto policy : {AcquirePolicy::spin(1h), AcquirePolicy::backoff(1h, 1h), AcquirePolicy::pubSub(1h)}) {
    machine = AcquireMachine({.policy = policy, .subscribed = true});
    at(0ms, Kind::Start);
    at(1ms, Kind::Refused);
    ASSERT_EQ(machine.state(), State::Sleeping);
    EXPECT_TRUE(at(2ms, Kind::ReleaseConfirmed).ask);
  }
  begin(AcquirePolicy::pubSub(1h));
  at(0ms, Kind::Start);
  at(1ms, Kind::Refused);
  ASSERT_EQ(machine.state(), State::Subscribing);
  EXPECT_TRUE(at(2ms, Kind::ReleaseConfirmed).ask);
}

TEST_F(AcquireWaiting, aConfirmedReleaseMakesNoRefusalStaleThatComesAfterIt) {
  begin(AcquirePolicy::backoff());
  at(0ms, Kind::Start);
  EXPECT_FALSE(at(1ms, Kind::ReleaseConfirmed).ask);
  EXPECT_FALSE(at(2ms, Kind::Refused).ask) << "answers come in order: this one knew of the release";
}
