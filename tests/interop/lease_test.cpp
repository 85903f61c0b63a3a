// SPDX-License-Identifier: Apache-2.0
// A hold that nobody gives back, one that is not the owner's any more, and one that is entered again.
#include "tests/interop/meeting.h"

#include <gmock/gmock.h>

#include <csignal>

using namespace lockhouse;
using namespace lockhouse::test;

class Lease : public Meeting {};
INSTANTIATE_TEST_SUITE_P(Every, Lease, testing::ValuesIn(formats()), formatName);

TEST_P(Lease, ofAHolderWhoseProcessEndedIsWaitedForAndNoLonger) {
  ASSERT_TRUE(takeTheirs("one", 3s).ok());
  auto waiting = whenWaiting([&] { return waitOurs(); });
  const auto left = milliseconds(probe().number({"PTTL", key()}));
  const auto ended = SharedClock::now();
  foreign().kill();
  auto held = waiting.get();
  ASSERT_TRUE(held) << held.error().sentence();
  EXPECT_LT(SharedClock::now() - ended, left + farBelowTheLease);
  EXPECT_EQ(held->release(), ReleaseOutcome::Released);
}

TEST_P(Lease, ofOursThatEndedLetsThemInAndOurReleaseTouchesNothing) {
  auto held = ours({.lease = 1s, .renew = false}).acquire();
  ASSERT_TRUE(held) << held.error().sentence();
  const auto taken = whenWaiting([&] { return waitTheirs("one", 5s); }).get(); // python-redis-lock looks again when its limit is over
  ASSERT_TRUE(taken.ok()) << taken.text;
  EXPECT_TRUE(eventually([&] { return held->lossReason().has_value(); }));
  const auto theirs = holder();
  EXPECT_EQ(held->release(), ReleaseOutcome::NotOwner);
  EXPECT_EQ(holder(), theirs);
  EXPECT_TRUE(giveTheirs().ok());
}

TEST_P(Lease, ofTheirsThatEndedLetsUsInAndTheirReleaseTouchesNothing) {
  ASSERT_TRUE(takeTheirs("one", 1s).ok());
  auto held = ours().acquireFor(25s);
  ASSERT_TRUE(held) << held.error().sentence();
  EXPECT_FALSE(giveTheirs().ok());
  EXPECT_EQ(holder(), held->token().bytes());
  EXPECT_EQ(held->release(), ReleaseOutcome::Released);
}

TEST_P(Lease, ofOursIsRenewedWhileTheyWait) {
  auto held = ours({.lease = 1s}).acquire();
  ASSERT_TRUE(held) << held.error().sentence();
  auto waiting = whenWaiting([&] { return waitTheirs(); });
  EXPECT_EQ(waiting.wait_for(3s), std::future_status::timeout) << "in, although the lease was renewed";
  EXPECT_TRUE(held->isHeld());
  EXPECT_EQ(held->release(), ReleaseOutcome::Released);
  EXPECT_TRUE(waiting.get().ok());
  EXPECT_TRUE(giveTheirs().ok());
}

class Reentry : public Meeting {
protected:
  std::string count() { return probe().text({"HGET", key(), holder() + format().mark}); }
};
INSTANTIATE_TEST_SUITE_P(Every, Reentry, testing::ValuesIn(formatsThat([](const Format &format) { return format.isReentrant(); })), formatName);

TEST_P(Reentry, ofTheirsIsGivenBackAsOftenAsItWasTaken) {
  ASSERT_TRUE(takeTheirs().ok());
  ASSERT_TRUE(takeTheirs().ok());
  EXPECT_EQ(count(), "2");
  auto waiting = whenWaiting([&] { return waitOurs(); });
  EXPECT_TRUE(giveTheirs().ok());
  EXPECT_EQ(count(), "1");
  EXPECT_EQ(waiting.wait_for(100ms), std::future_status::timeout) << "in after the first of two";
  EXPECT_TRUE(giveTheirs().ok());
  auto held = waiting.get();
  ASSERT_TRUE(held) << held.error().sentence();
  EXPECT_TRUE(giveTheirs().no()) << "it is not theirs any more";
  EXPECT_EQ(held->release(), ReleaseOutcome::Released);
}

TEST_P(Reentry, ofOursIsGivenBackAsOftenAsItWasTaken) {
  auto held = ours().acquire();
  ASSERT_TRUE(held) << held.error().sentence();
  ASSERT_TRUE(std::holds_alternative<Acquired>(held->acquireAgain()));
  EXPECT_EQ(count(), "2");
  auto waiting = whenWaiting([&] { return waitTheirs(); });
  EXPECT_EQ(held->release(), ReleaseOutcome::StillHeld);
  EXPECT_EQ(count(), "1");
  EXPECT_EQ(waiting.wait_for(100ms), std::future_status::timeout) << "in after the first of two";
  EXPECT_EQ(held->release(), ReleaseOutcome::Released);
  EXPECT_TRUE(waiting.get().ok());
  EXPECT_TRUE(giveTheirs().ok());
}
