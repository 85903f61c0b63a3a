// SPDX-License-Identifier: Apache-2.0
#include "core/lock/machines/lease_watchdog.h"
#include "core/lock/options/lock_options.h"
#include "tests/unit/lock/manual_time.h"

#include <gtest/gtest.h>

using namespace lockhouse;
using namespace lockhouse::test;
using Kind = LeaseEvent::Kind;
using State = LeaseWatchdog::State;

namespace {

class LeaseDialogue : public testing::Test {
protected:
  static constexpr milliseconds lease{30s};

  LeaseActions begin(LeaseWatchdog::Renewals renew = LeaseWatchdog::Renewals::On) { return dog.start(t(0s), t(0s) + lease - driftOf(lease), lease, renew, 7); }
  LeaseActions at(std::chrono::nanoseconds when, Kind kind, bool restarted = false) { return dog.on({kind, restarted}, t(when)); }

  LeaseWatchdog dog;
};

} // namespace

TEST_F(LeaseDialogue, renewsAThirdOfTheLeaseInFiveToTenPercentEarly) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto first = dog.start(t(0s), t(29s), lease, LeaseWatchdog::Renewals::On, seed).alarm;
    EXPECT_GE(first, t(9s));
    EXPECT_LE(first, t(9500ms));
  }
}

TEST_F(LeaseDialogue, holdsTakenTogetherDoNotRenewTogether) {
  LeaseWatchdog other;
  EXPECT_NE(begin().alarm, other.start(t(0s), t(29s), lease, LeaseWatchdog::Renewals::On, 8).alarm);
}

TEST_F(LeaseDialogue, aRenewalCountsFromBeforeItsSend) {
  begin();
  EXPECT_TRUE(at(9900ms, Kind::Alarm).send);
  const auto renewed = at(12s, Kind::Renewed);
  EXPECT_EQ(dog.validUntil(), t(9900ms) + lease - driftOf(lease));
  EXPECT_LE(renewed.alarm, t(9900ms) + 10s);
}

TEST_F(LeaseDialogue, whatIsUnknownNeverProlongsBelief) {
  begin();
  const auto before = dog.validUntil();
  for (const auto unknown : {Kind::Unanswered, Kind::Unsent, Kind::Refused}) {
    at(10s, Kind::Verify);
    at(11s, unknown);
    EXPECT_EQ(dog.validUntil(), before);
    EXPECT_EQ(dog.state(), State::Resting);
  }
}

TEST_F(LeaseDialogue, aFailedRenewalIsTriedAgainAtLeastTwiceBeforeTheLeaseEnds) {
  auto actions = begin();
  int asks = 0;
  while (!actions.lost) {
    const auto when = actions.alarm - t(0s);
    actions = at(when, Kind::Alarm);
    if (!actions.send)
      continue;
    ++asks;
    actions = at(when + 100ms, Kind::Unanswered);
  }
  EXPECT_GE(asks, 3);
  EXPECT_EQ(dog.reason(), LossReason::LeaseEnded);
}

TEST_F(LeaseDialogue, isLostAtTheLocalDeadlineThoughARenewalIsUnderWay) {
  begin();
  const auto asking = at(10s, Kind::Alarm);
  EXPECT_EQ(asking.alarm, dog.validUntil()) << "the deadline stays set while the network is silent";
  const auto lost = dog.on({Kind::Alarm}, dog.validUntil());
  EXPECT_TRUE(lost.lost);
  EXPECT_EQ(dog.reason(), LossReason::LeaseEnded);
  EXPECT_FALSE(dog.isHeld(dog.validUntil()));
}

TEST_F(LeaseDialogue, aRenewalThatIsAnsweredAfterTheDeadlineRevivesNothing) {
  begin();
  at(10s, Kind::Alarm);
  dog.on({Kind::Alarm}, dog.validUntil());
  const auto late = at(31s, Kind::Renewed);
  EXPECT_FALSE(late.lost) << "told once";
  EXPECT_EQ(dog.state(), State::Lost);
  EXPECT_FALSE(dog.isHeld(t(31s)));
}

TEST_F(LeaseDialogue, beliefEndsByTheClockEvenIfNoAlarmCame) {
  begin();
  EXPECT_TRUE(dog.isHeld(dog.validUntil() - 1ns));
  EXPECT_FALSE(dog.isHeld(dog.validUntil()));
}

TEST_F(LeaseDialogue, everyReasonOfLossIsNamed) {
  begin();
  at(10s, Kind::Alarm);
  EXPECT_TRUE(at(11s, Kind::Gone).lost);
  EXPECT_EQ(dog.reason(), LossReason::Deleted);
  begin();
  at(10s, Kind::Alarm);
  EXPECT_TRUE(at(11s, Kind::TakenOver).lost);
  EXPECT_EQ(dog.reason(), LossReason::TakenOver);
  begin();
  EXPECT_TRUE(at(10s, Kind::Verify, true).send) << "a new connection is a reason to look at once";
  EXPECT_TRUE(at(11s, Kind::Gone).lost);
  EXPECT_EQ(dog.reason(), LossReason::ServerRestarted);
}

TEST_F(LeaseDialogue, aServerThatKeptTheKeyOverItsRestartLosesNothing) {
  begin();
  at(10s, Kind::Verify, true);
  EXPECT_FALSE(at(11s, Kind::Renewed).lost);
  at(20s, Kind::Verify);
  at(21s, Kind::Gone);
  EXPECT_EQ(dog.reason(), LossReason::Deleted) << "that restart is over";
}

TEST_F(LeaseDialogue, afterStopNothingIsSentWhateverHappens) {
  begin();
  at(9900ms, Kind::Alarm);
  at(9901ms, Kind::Stop);
  for (const auto kind : {Kind::Renewed, Kind::Gone, Kind::TakenOver, Kind::Refused, Kind::Unsent, Kind::Unanswered, Kind::Verify, Kind::Alarm, Kind::Stop}) {
    const auto actions = at(20s, kind, true);
    EXPECT_FALSE(actions.send);
    EXPECT_FALSE(actions.lost);
    EXPECT_EQ(actions.alarm, LeaseActions::never);
  }
}

TEST_F(LeaseDialogue, isRevivedForTheNextHoldAfterALoss) {
  begin();
  at(10s, Kind::Alarm);
  at(11s, Kind::Gone);
  EXPECT_LE(begin().alarm, t(10s));
  EXPECT_TRUE(at(10s, Kind::Alarm).send);
}

TEST_F(LeaseDialogue, withoutRenewalOnlyTheEndIsWatched) {
  const auto begun = begin(LeaseWatchdog::Renewals::None);
  EXPECT_EQ(begun.alarm, dog.validUntil());
  EXPECT_FALSE(at(10s, Kind::Alarm).send);
  EXPECT_FALSE(at(11s, Kind::Verify, true).send);
  EXPECT_TRUE(dog.on({Kind::Alarm}, dog.validUntil()).lost);
}

TEST_F(LeaseDialogue, aShorterInnerLeaseShortensNothing) {
  begin();
  const auto outer = dog.validUntil();
  dog.extend(t(2s), 1s);
  EXPECT_EQ(dog.validUntil(), outer);
  EXPECT_EQ(dog.lease(), lease);
  dog.extend(outer + 10s, 40s);
  EXPECT_EQ(dog.validUntil(), outer + 10s);
  EXPECT_EQ(dog.lease(), 40s);
}
