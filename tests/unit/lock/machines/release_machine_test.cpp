// SPDX-License-Identifier: Apache-2.0
#include "core/lock/machines/release_machine.h"
#include "tests/unit/lock/manual_time.h"

#include <gtest/gtest.h>

using namespace lockhouse;
using namespace lockhouse::test;

namespace {

class ReleaseDialogue : public testing::Test {
protected:
  ReleaseActions at(std::chrono::nanoseconds when, ReleaseEvent event) { return machine.on(event, t(when)); }

  ReleaseMachine machine{{.leaseEnds = t(20s), .keyGone = t(30s), .reportBy = t(3s)}};
  ReleaseMachine givesBack{{.leaseEnds = t(20s), .keyGone = t(30s), .reportBy = t(3s), .doubtful = true}};
};

} // namespace

TEST_F(ReleaseDialogue, everyAnswerIsTheOutcome) {
  const std::pair<ReleaseEvent, ReleaseOutcome> table[] = {{ReleaseEvent::Released, ReleaseOutcome::Released},
                                                           {ReleaseEvent::StillHeld, ReleaseOutcome::StillHeld},
                                                           {ReleaseEvent::NotOwner, ReleaseOutcome::NotOwner},
                                                           {ReleaseEvent::Rejected, ReleaseOutcome::Failed}};
  for (const auto &[answer, outcome] : table) {
    ReleaseMachine one{{.leaseEnds = t(20s), .keyGone = t(30s), .reportBy = t(3s)}};
    EXPECT_TRUE(one.on(ReleaseEvent::Start, t(0s)).send);
    EXPECT_TRUE(one.on(answer, t(1ms)).report);
    EXPECT_EQ(one.outcome(), outcome);
    EXPECT_TRUE(one.settled());
  }
}

// The node answers: however long it was away before, there is no reason to ask it less often.
TEST_F(ReleaseDialogue, looksAgainAfterItsTimeHoweverLongTheNodeWasAway) {
  givesBack.on(ReleaseEvent::Start, t(0s));
  for (int i = 0; i < 12; ++i) {
    givesBack.on(ReleaseEvent::Unanswered, t(2s));
    ASSERT_TRUE(givesBack.on(ReleaseEvent::Reconnected, t(2s)).send);
  }
  givesBack.on(ReleaseEvent::Alarm, t(3s)); // reported: that alarm is not what is looked at here
  EXPECT_EQ(givesBack.on(ReleaseEvent::NotOwner, t(3s)).alarm, t(3500ms));
}

TEST_F(ReleaseDialogue, isSentAgainWhenItsReplyIsLost) {
  at(0s, ReleaseEvent::Start);
  const auto lost = at(1s, ReleaseEvent::Unanswered);
  EXPECT_FALSE(lost.report);
  EXPECT_TRUE(at(lost.alarm - t(0s), ReleaseEvent::Alarm).send);
  EXPECT_TRUE(at(2s, ReleaseEvent::Released).report);
  EXPECT_EQ(machine.outcome(), ReleaseOutcome::Released);
}

TEST_F(ReleaseDialogue, alreadyGoneAfterALostReplyMeansTheFirstTryWorked) {
  at(0s, ReleaseEvent::Start);
  at(1s, ReleaseEvent::Unanswered);
  at(2s, ReleaseEvent::Reconnected);
  at(2s, ReleaseEvent::NotOwner);
  EXPECT_EQ(machine.outcome(), ReleaseOutcome::Released);
}

TEST_F(ReleaseDialogue, alreadyGoneAfterTheLeaseMayHaveEndedIsInDoubt) {
  machine = ReleaseMachine({.leaseEnds = t(2s), .keyGone = t(30s), .reportBy = t(25s)});
  at(0s, ReleaseEvent::Start);
  at(1s, ReleaseEvent::Unanswered);
  at(2s, ReleaseEvent::Reconnected);
  at(3s, ReleaseEvent::NotOwner);
  EXPECT_EQ(machine.outcome(), ReleaseOutcome::InDoubt);
}

TEST_F(ReleaseDialogue, isSentAtOnceWhenTheConnectionIsBack) {
  at(0s, ReleaseEvent::Start);
  at(0s, ReleaseEvent::Unsent);
  EXPECT_TRUE(at(1s, ReleaseEvent::Reconnected).send);
}

// A thousand clients of a node that is away would otherwise keep a core busy with asking whether it is back.
TEST_F(ReleaseDialogue, isNotTriedAgainAndAgainWhileTheNodeIsOutOfReach) {
  at(0s, ReleaseEvent::Start);
  at(0s, ReleaseEvent::Unsent);
  at(3s, ReleaseEvent::Alarm);
  EXPECT_FALSE(at(4s, ReleaseEvent::Alarm).send);
  EXPECT_TRUE(at(4500ms, ReleaseEvent::Reconnected).send);
  EXPECT_TRUE(at(4500ms, ReleaseEvent::Unsent).alarm > t(9s));
}

TEST_F(ReleaseDialogue, tellsTheCallerInTimeAndGoesOnBehind) {
  at(0s, ReleaseEvent::Start);
  const auto late = at(3s, ReleaseEvent::Alarm);
  EXPECT_TRUE(late.report);
  EXPECT_EQ(machine.outcome(), ReleaseOutcome::InDoubt);
  EXPECT_FALSE(machine.settled());
  EXPECT_FALSE(at(4s, ReleaseEvent::Released).report) << "told once";
  EXPECT_TRUE(machine.settled());
}

TEST_F(ReleaseDialogue, whatWasNeverSentIsFailedNotInDoubt) {
  at(0s, ReleaseEvent::Start);
  auto actions = at(0s, ReleaseEvent::Unsent);
  while (!actions.report) {
    const auto when = actions.alarm - t(0s);
    actions = at(when, ReleaseEvent::Alarm);
    if (actions.send && !actions.report)
      actions = at(when, ReleaseEvent::Unsent);
  }
  EXPECT_EQ(machine.outcome(), ReleaseOutcome::Failed);
}

TEST_F(ReleaseDialogue, endsWhenTheServerMustHaveLetTheKeyExpire) {
  at(0s, ReleaseEvent::Start);
  at(0s, ReleaseEvent::Unsent);
  std::chrono::nanoseconds when = 0s;
  int sends = 0;
  while (!machine.settled()) {
    ASSERT_LT(when, 40s);
    when += 100ms;
    if (at(when, ReleaseEvent::Alarm).send) {
      ++sends;
      at(when, ReleaseEvent::Unsent);
    }
  }
  EXPECT_LE(when, 30s);
  EXPECT_GT(sends, 10);
}

TEST_F(ReleaseDialogue, aBusyNodeIsAskedAgain) {
  at(0s, ReleaseEvent::Start);
  const auto busy = at(0s, ReleaseEvent::Busy);
  EXPECT_FALSE(busy.report);
  EXPECT_TRUE(at(busy.alarm - t(0s), ReleaseEvent::Alarm).send);
}

TEST_F(ReleaseDialogue, givingBackLooksTwiceMoreForAnAcquireThatIsStillOnItsWay) {
  givesBack.on(ReleaseEvent::Start, t(0s));
  for (int look = 0; look < 2; ++look) {
    const auto notThere = givesBack.on(ReleaseEvent::NotOwner, t(0s));
    EXPECT_FALSE(notThere.report);
    EXPECT_EQ(notThere.alarm, t(500ms));
    EXPECT_FALSE(givesBack.on(ReleaseEvent::Reconnected, t(0s)).send) << "a new connection is no reason to hurry";
    EXPECT_TRUE(givesBack.on(ReleaseEvent::Alarm, t(500ms)).send);
  }
  EXPECT_TRUE(givesBack.on(ReleaseEvent::NotOwner, t(1s)).report);
  EXPECT_TRUE(givesBack.settled());
}

TEST_F(ReleaseDialogue, givingBackIsDoneWhenItFoundSomethingToGiveBack) {
  givesBack.on(ReleaseEvent::Start, t(0s));
  givesBack.on(ReleaseEvent::Released, t(1ms));
  EXPECT_TRUE(givesBack.settled());
}
