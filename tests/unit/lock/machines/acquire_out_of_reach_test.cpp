// SPDX-License-Identifier: Apache-2.0
// A node that cannot be reached, or cannot answer now.
#include "tests/unit/lock/acquire_dialogue.h"

using namespace lockhouse;
using namespace lockhouse::test;

using AcquireOutOfReach = AcquireDialogue;

TEST_F(AcquireOutOfReach, bearsALostNodeUntilItsDeadline) {
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

TEST_F(AcquireOutOfReach, withoutADeadlineItsPatienceEnds) {
  begin(AcquirePolicy::backoff());
  at(0ms, Kind::Start);
  EXPECT_FALSE(at(0ms, Kind::Unsent).report);
  at(9s, Kind::Alarm);
  EXPECT_FALSE(at(9s, Kind::Unsent).report);
  at(10s, Kind::Alarm);
  EXPECT_TRUE(at(10s, Kind::Unsent).report);
  EXPECT_EQ(machine.verdict(), Verdict::Unreachable);
}

TEST_F(AcquireOutOfReach, patienceBeginsAnewWhenTheNodeAnswers) {
  begin(AcquirePolicy::backoff());
  at(0ms, Kind::Start);
  at(0ms, Kind::Unsent);
  at(9s, Kind::Alarm);
  at(9s, Kind::Refused);
  at(18s, Kind::Alarm);
  EXPECT_FALSE(at(18s, Kind::Unsent).report);
}

TEST_F(AcquireOutOfReach, aBusyNodeIsAskedAgainByThoseWhoWait) {
  begin(AcquirePolicy::backoff());
  at(0ms, Kind::Start);
  EXPECT_FALSE(at(1ms, Kind::Busy).report);
  EXPECT_TRUE(at(1s, Kind::Alarm).ask);
  begin(AcquirePolicy::tryOnce());
  at(0ms, Kind::Start);
  EXPECT_TRUE(at(1ms, Kind::Busy).report);
  EXPECT_EQ(machine.verdict(), Verdict::Rejected);
}

TEST_F(AcquireOutOfReach, hardlyAsksWhateverThePolicySays) {
  for (const auto policy : {AcquirePolicy::spin(0us), AcquirePolicy::spin(1us), AcquirePolicy::backoff(0us, 0us), AcquirePolicy::backoff(1us, 2us),
                            AcquirePolicy::pubSub(0us), AcquirePolicy::pubSub(1us)})
    for (const auto answer : {Kind::Unsent, Kind::Busy}) {
      SCOPED_TRACE(policy.name());
      begin(policy, 60s);
      auto when = t(0ms);
      auto actions = at(0ms, Kind::Start);
      while (!actions.report && machine.asks() < 10'000) {
        when = actions.ask ? when : actions.alarm;
        actions = machine.on({actions.ask ? answer : Kind::Alarm}, when);
      }
      EXPECT_EQ(machine.verdict(), Verdict::TimedOut);
      EXPECT_LT(machine.asks(), 500U) << "in a minute";
      EXPECT_GT(machine.asks(), 60U) << "each pause is bounded";
    }
}

TEST_F(AcquireOutOfReach, asksAtOnceWhenTheNodeIsBack) {
  begin(AcquirePolicy::spin(1us));
  at(0ms, Kind::Start);
  EXPECT_FALSE(at(0ms, Kind::Unsent).ask);
  EXPECT_TRUE(at(1us, Kind::Woken).ask);
}

TEST_F(AcquireOutOfReach, losesItsPatienceInTimeHoweverLongThePausesOfItsPolicy) {
  for (const auto policy : {AcquirePolicy::spin(1h), AcquirePolicy::backoff(1h, 1h), AcquirePolicy::pubSub(1h)}) {
    machine = AcquireMachine({.policy = policy, .patience = 100ms});
    auto actions = at(0ms, Kind::Start);
    auto when = t(0ms);
    while (!actions.report) {
      when = actions.ask ? when : actions.alarm;
      ASSERT_LE(when, t(100ms));
      actions = machine.on({actions.ask ? Kind::Unsent : Kind::Alarm}, when);
    }
    EXPECT_EQ(machine.verdict(), Verdict::Unreachable);
  }
}

TEST_F(AcquireOutOfReach, patienceMayBeWithoutEnd) {
  machine = AcquireMachine({.policy = AcquirePolicy::backoff(), .patience = milliseconds::max()});
  at(0ms, Kind::Start);
  EXPECT_FALSE(at(0ms, Kind::Unsent).report);
  at(1000h, Kind::Alarm);
  EXPECT_FALSE(at(1000h, Kind::Unsent).report);
}

TEST_F(AcquireOutOfReach, patienceMayBeNone) {
  for (const auto patience : {0ms, -1ms, milliseconds::min()}) {
    machine = AcquireMachine({.policy = AcquirePolicy::backoff(), .patience = patience});
    at(0ms, Kind::Start);
    EXPECT_TRUE(at(0ms, Kind::Unsent).report);
  }
}
