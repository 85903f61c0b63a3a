// SPDX-License-Identifier: Apache-2.0
// Standing in the server's line.
#include "core/lock/options/lock_options.h"
#include "tests/unit/lock/acquire_dialogue.h"

using namespace lockhouse;
using namespace lockhouse::test;

class AcquireQueue : public AcquireDialogue {
protected:
  static AcquireEvent queued(std::uint64_t fence = 100, std::optional<milliseconds> timeLeft = {}) {
    return {.kind = Kind::Refused, .timeLeft = timeLeft, .fence = fence, .queued = true};
  }
  AcquireEvent passedOn(std::uint64_t fence, std::chrono::nanoseconds until = 25s) const { return {.kind = Kind::PassedOn, .fence = fence, .until = t(until)}; }
  AcquireActions happens(std::chrono::nanoseconds when, const AcquireEvent &event) { return machine.on(event, t(when)); }
  /// Asleep at 3 ms, with a place and its ear open.
  void sleepInLine(std::optional<std::chrono::nanoseconds> deadline = {}) {
    begin(AcquirePolicy::fair(), deadline);
    at(0ms, Kind::Start);
    happens(1ms, queued());
    at(2ms, Kind::Subscribed);
    happens(3ms, queued());
    ASSERT_EQ(machine.state(), State::Sleeping);
  }
};

TEST_F(AcquireQueue, opensItsEarAndAsksAgainLestAMessageWasMissed) {
  begin(AcquirePolicy::fair());
  at(0ms, Kind::Start);
  EXPECT_TRUE(happens(1ms, queued()).subscribe);
  EXPECT_TRUE(at(2ms, Kind::Subscribed).ask);
}

TEST_F(AcquireQueue, pollsOftenEnoughToKeepItsPlaceWhateverThePolicysPause) {
  begin(AcquirePolicy::pubSub(1h));
  at(0ms, Kind::Start);
  happens(1ms, queued());
  at(2ms, Kind::Subscribed);
  EXPECT_EQ(happens(3ms, queued()).alarm, t(3ms + 10s)) << "a third of the lease";
}

TEST_F(AcquireQueue, isTheOwnerByAMessageWithoutAsking) {
  sleepInLine();
  const auto granted = happens(10ms, passedOn(164));
  EXPECT_TRUE(granted.report);
  EXPECT_TRUE(granted.unsubscribe);
  EXPECT_FALSE(granted.ask);
  EXPECT_FALSE(granted.giveBack);
  EXPECT_EQ(machine.verdict(), Verdict::Granted);
  EXPECT_EQ(machine.fence(), 164U);
  EXPECT_EQ(machine.validUntil(), t(25s)) << "the place's own end, not a lease from now";
}

TEST_F(AcquireQueue, neverBelievesInMoreThanItsOwnLease) {
  sleepInLine();
  happens(10ms, passedOn(164, 1h));
  EXPECT_EQ(machine.validUntil(), t(10ms) + 30s - driftOf(30s));
}

TEST_F(AcquireQueue, aMessageAboutAHoldThatIsOverIsNotTaken) {
  sleepInLine();
  EXPECT_FALSE(happens(10ms, passedOn(100)).report) << "the last answer told of a younger hold";
  EXPECT_EQ(machine.state(), State::Sleeping);
}

TEST_F(AcquireQueue, aMessageDuringAnAskCountsIfTheAnswerIsOlder) {
  sleepInLine();
  at(30s + 3ms, Kind::Alarm);
  ASSERT_EQ(machine.state(), State::Asking);
  EXPECT_FALSE(happens(30s + 4ms, passedOn(164, 50s)).report);
  EXPECT_TRUE(happens(30s + 5ms, queued(100)).report);
  EXPECT_EQ(machine.verdict(), Verdict::Granted);
}

TEST_F(AcquireQueue, aMessageDuringAnAskIsStaleIfTheAnswerIsYounger) {
  sleepInLine();
  at(30s + 3ms, Kind::Alarm);
  ASSERT_EQ(machine.state(), State::Asking);
  happens(30s + 4ms, passedOn(164, 50s));
  EXPECT_FALSE(happens(30s + 5ms, queued(228)).report) << "it was ours, and has passed on since";
}

TEST_F(AcquireQueue, aMessageThatComesTooLateIsAskedAbout) {
  sleepInLine();
  const auto late = happens(26s, passedOn(164));
  EXPECT_TRUE(late.ask);
  EXPECT_FALSE(late.report);
}

TEST_F(AcquireQueue, givesItsPlaceBackWhenItGivesUp) {
  sleepInLine();
  const auto cancelled = at(10ms, Kind::Cancel);
  EXPECT_TRUE(cancelled.giveBack);
  EXPECT_FALSE(cancelled.doubtful);
  EXPECT_EQ(machine.verdict(), Verdict::Cancelled);
}

TEST_F(AcquireQueue, givesItsPlaceBackAtItsLimit) {
  sleepInLine(50ms);
  const auto over = at(50ms, Kind::Alarm);
  EXPECT_TRUE(over.giveBack);
  EXPECT_EQ(machine.verdict(), Verdict::TimedOut);
}

TEST_F(AcquireQueue, cancelledWhileItAsksGivesBackWhatTheAnswerSaysItHas) {
  begin(AcquirePolicy::fair());
  at(0ms, Kind::Start);
  EXPECT_FALSE(at(1ms, Kind::Cancel).giveBack) << "not before the answer";
  EXPECT_TRUE(happens(2ms, queued()).giveBack);
  EXPECT_TRUE(machine.settled());
}

TEST_F(AcquireQueue, cancelledWhileItAsksAgainGivesItsPlaceBackThoughTheAskDidNotLeave) {
  sleepInLine();
  at(4ms, Kind::Woken);
  at(5ms, Kind::Cancel);
  EXPECT_TRUE(at(6ms, Kind::Unsent).giveBack);
}

TEST_F(AcquireQueue, aTryHasNoPlaceToGiveBack) {
  begin(AcquirePolicy::tryOnce());
  at(0ms, Kind::Start);
  const auto refused = at(1ms, Kind::Refused);
  EXPECT_FALSE(refused.giveBack);
  EXPECT_EQ(machine.verdict(), Verdict::Contended);
}

TEST_F(AcquireQueue, theFirstPollsAThirdOfTheLeaseAndTheOthersALease) {
  sleepInLine();
  EXPECT_EQ(at(4ms, Kind::ReleaseConfirmed).ask, true);
  EXPECT_EQ(happens(5ms, queued()).alarm, t(5ms) + 30s);
  EXPECT_EQ(at(1s, Kind::Turn).alarm, t(11s)) << "now it is the first of its client";
  EXPECT_TRUE(at(11s, Kind::Alarm).ask);
  EXPECT_EQ(happens(11s, queued()).alarm, t(21s));
}

TEST_F(AcquireQueue, theFirstLooksRightAfterTheHoldersLease) {
  sleepInLine();
  at(4ms, Kind::Turn);
  at(4ms, Kind::Woken);
  EXPECT_EQ(happens(5ms, queued(100, 40ms)).alarm, t(46ms));
}

TEST_F(AcquireQueue, withoutAnEarItPolls) {
  begin(AcquirePolicy::fair());
  at(0ms, Kind::Start);
  happens(1ms, queued());
  at(2ms, Kind::SubscribeFailed);
  EXPECT_TRUE(at(10ms, Kind::Alarm).ask);
  const auto asleep = happens(11ms, queued());
  EXPECT_FALSE(asleep.subscribe);
  EXPECT_LE(asleep.alarm, t(11ms) + 17ms);
}

TEST_F(AcquireQueue, inLineInsideTheClientItIsHandedTheLock) {
  begin(AcquirePolicy::cohort());
  at(0ms, Kind::WaitInQueue);
  const auto handed = happens(1ms, passedOn(7, 3s));
  EXPECT_TRUE(handed.report);
  EXPECT_EQ(machine.verdict(), Verdict::Granted);
  EXPECT_EQ(machine.validUntil(), t(3s));
}

TEST_F(AcquireQueue, endsAtOnceWhenTheHoldThatWasToBecomeMoreIsLost) {
  sleepInLine();
  const auto ended = at(10ms, Kind::HoldLost);
  EXPECT_TRUE(ended.report);
  EXPECT_TRUE(ended.giveBack) << "its place";
  EXPECT_TRUE(ended.unsubscribe);
  EXPECT_EQ(machine.verdict(), Verdict::Rejected);
  EXPECT_TRUE(machine.settled());
}

TEST_F(AcquireQueue, thatAsksWhenTheHoldIsLostGivesBackWhatTheAnswerBrings) {
  begin(AcquirePolicy::fair());
  at(0ms, Kind::Start);
  const auto ended = at(1ms, Kind::HoldLost);
  EXPECT_TRUE(ended.report);
  EXPECT_FALSE(ended.giveBack) << "not before the answer";
  EXPECT_EQ(machine.verdict(), Verdict::Rejected);
  EXPECT_FALSE(machine.settled());
  EXPECT_TRUE(at(2ms, Kind::Granted).giveBack);
  EXPECT_TRUE(machine.settled());
  EXPECT_FALSE(at(3ms, Kind::HoldLost).report) << "once";
}

TEST_F(AcquireQueue, hasNoHoldToLoseBeforeItBegins) {
  begin(AcquirePolicy::fair());
  EXPECT_FALSE(at(0ms, Kind::HoldLost).report);
  EXPECT_TRUE(at(1ms, Kind::Start).ask);
}
