// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/ui/locks.h"
#include "ui/plot/held_series.h"
#include "ui/plot/rate_series.h"
#include "ui/plot/time_series.h"

#include <gmock/gmock.h>

#include <cmath>

namespace lockhouse::ui {
namespace {

using testing::IsNan;
using tests::Locks;

SteadyTime at(double inSeconds) { return SteadyTime(std::chrono::round<std::chrono::nanoseconds>(std::chrono::duration<double>(inSeconds))); }

WallTime wall(double inSeconds) { return WallTime(std::chrono::round<microseconds>(std::chrono::duration<double>(inSeconds))); }

TEST(TimeSeries, keepsTheNewestAndForgetsTheRest) {
  TimeSeries series(seconds(1), 3);
  for (int second = 10; second < 15; ++second)
    series.set(second, second);
  EXPECT_THAT(series.at(11), IsNan());
  EXPECT_EQ(series.at(12), 12);
  EXPECT_EQ(series.at(14), 14);
  EXPECT_THAT(series.at(15), IsNan());
  EXPECT_EQ(series.newestValue(), 14);
  EXPECT_EQ(series.highest(), 14);
}

TEST(TimeSeries, showsSkippedBucketsAsGaps) {
  TimeSeries series(seconds(1), 5);
  series.set(1, 7);
  series.set(4, 9);
  EXPECT_EQ(series.at(1), 7);
  EXPECT_THAT(series.at(2), IsNan());
  EXPECT_THAT(series.at(3), IsNan());
  series.set(400, 1);
  EXPECT_THAT(series.at(399), IsNan());
  EXPECT_EQ(series.highest(), 1);
}

TEST(TimeSeries, addsIntoOldBucketsButNotIntoForgottenOnes) {
  TimeSeries series(seconds(1), 3);
  series.add(10, 1);
  series.add(12, 1);
  series.add(10, 2);
  series.add(9, 50);
  EXPECT_EQ(series.at(10), 3);
  EXPECT_EQ(series.at(12), 1);
  EXPECT_EQ(series.highest(), 3);
}

TEST(TimeSeries, cutsTimeIntoBuckets) {
  const TimeSeries series(milliseconds(100), 3);
  EXPECT_EQ(series.bucketOf(at(1.25)), 12);
  EXPECT_EQ(TimeSeries().bucketOf(at(1.25)), 1);
}

TEST(HeldSeries, countsHeldLocksAndKnownWaiters) {
  LockRecord contended = Locks::record("x", {"h"});
  contended.waiters = 4;
  LockRecord free = Locks::record("y", {});
  free.waiters = 2;
  LockRecord doubtful = Locks::record("z", {"h"});
  doubtful.confidence = 0.4;
  HeldSeries series;
  series.take(Locks::snapshot({Locks::node("a")}, {Locks::share(contended), Locks::share(free), Locks::share(doubtful)}), at(5));
  EXPECT_EQ(series.held().newestValue(), 1);
  EXPECT_EQ(series.waiters().newestValue(), 6);
}

TEST(HeldSeries, hasNoWaitersWhereTheyAreKnownOfNoLock) {
  LockRecord token = Locks::record("x", {"h"});
  token.waiters.reset();
  HeldSeries series;
  series.take(Locks::snapshot({Locks::node("a")}, {Locks::share(token)}), at(5));
  EXPECT_TRUE(std::isnan(series.waiters().at(5))) << "that nobody waits is more than is known";
  series.take(Locks::snapshot({Locks::node("a")}, {}), at(6));
  EXPECT_EQ(series.waiters().at(6), 0);
}

TEST(HeldSeries, carriesASnapshotOnUntilTheNext) {
  HeldSeries series;
  series.take(Locks::snapshot({Locks::node("a")}, {Locks::share(Locks::record("x", {"h"}))}), at(5));
  series.tick(at(8));
  EXPECT_EQ(series.held().at(7), 1);
  series.take(Locks::snapshot({Locks::node("a")}, {}), at(10.5));
  EXPECT_EQ(series.held().at(9), 1);
  EXPECT_EQ(series.held().at(10), 0);
}

TEST(HeldSeries, isAGapWhileANodeIsStaleAndDoesNotJoinDifferentFleets) {
  HeldSeries series;
  const LockRecordPtr lock = Locks::share(Locks::record("x", {"h"}));
  series.take(Locks::snapshot({Locks::node("a"), Locks::node("b")}, {lock}), at(5));
  series.take(Locks::snapshot({Locks::node("a"), Locks::node("b", NodeState::Stale)}, {lock}), at(7));
  series.tick(at(9));
  EXPECT_EQ(series.held().at(6), 1);
  EXPECT_THAT(series.held().at(7), IsNan());
  EXPECT_THAT(series.held().at(9), IsNan());
  EXPECT_TRUE(series.coverage().resyncing);

  series.take(Locks::snapshot({Locks::node("a"), Locks::node("b", NodeState::Down)}, {lock}), at(10));
  series.take(Locks::snapshot({Locks::node("a"), Locks::node("b")}, {lock}), at(13));
  series.tick(at(14));
  EXPECT_EQ(series.held().at(12), 1) << "a node that is down is counted out";
  EXPECT_THAT(series.held().at(13), IsNan()) << "one node's total and two nodes' total are not joined";
  EXPECT_EQ(series.held().at(14), 1);
}

TEST(HeldSeries, givesNoTotalBeforeTheFirstSweepHasEnded) {
  HeldSeries series;
  NodeStatus scanning = Locks::node("a");
  scanning.scanComplete = false;
  series.take(Locks::snapshot({scanning}, {Locks::share(Locks::record("x", {"h"}))}), at(5));
  EXPECT_FALSE(series.held().newestValue());
}

TEST(HeldSeries, doesNotCountRowsThatMayHaveChanged) {
  LockRecord stale = Locks::record("x", {"h"}, "b");
  stale.staleSince = at(1);
  HeldSeries series;
  series.take(Locks::snapshot({Locks::node("a"), Locks::node("b", NodeState::Down)}, {Locks::share(stale)}), at(5));
  EXPECT_EQ(series.held().newestValue(), 0);
}

LockRecord watched(LockRecord lock, SteadyTime since) {
  lock.heldSinceExact = true;
  lock.heldSince = since;
  return lock;
}

TEST(TrafficOf, countsAHoldThatBeganButNotOneThatWasFound) {
  const auto began = Locks::share(watched(Locks::record("x", {"h"}), at(1)));
  const auto found = Locks::share(Locks::record("x", {"h"}));
  EXPECT_EQ(trafficOf(Locks::change(ChangeKind::Appeared, nullptr, began), at(1)).acquired, 1U);
  EXPECT_EQ(trafficOf(Locks::change(ChangeKind::Appeared, nullptr, found), at(1)).acquired, 0U);
}

TEST(TrafficOf, countsEveryNewHolderAndNoReentry) {
  const auto one = Locks::share(Locks::record("x", {"r1"}));
  const auto three = Locks::share(Locks::record("x", {"r1", "r2", "r3"}));
  LockRecord deeper = Locks::record("x", {"r1"});
  deeper.holders.front().count = 2;
  EXPECT_EQ(trafficOf(Locks::change(ChangeKind::Holder, one, three), at(1)).acquired, 2U);
  EXPECT_EQ(trafficOf(Locks::change(ChangeKind::Holder, three, one), at(1)).acquired, 0U);
  EXPECT_EQ(trafficOf(Locks::change(ChangeKind::Count, one, Locks::share(deeper)), at(1)).acquired, 0U);
}

TEST(TrafficOf, countsWhoJoinedTheQueueEvenWhenItDidNotGrow) {
  LockRecord before = Locks::record("x", {"h"});
  before.queue = {{"w1", {}}, {"w2", {}}};
  before.waiters = 2;
  LockRecord after = before;
  after.queue = {{"w2", {}}, {"w3", {}}};
  EXPECT_EQ(trafficOf(Locks::change(ChangeKind::Waiters, Locks::share(before), Locks::share(after)), at(1)).contended, 1U);
}

TEST(TrafficOf, countsTheGrowthWhereOnlyANumberIsKnown) {
  LockRecord few = Locks::record("x", {"h"});
  few.waiters = 2;
  LockRecord more = few;
  more.waiters = 5;
  const LockRecord unknown = Locks::record("x", {"h"});
  const auto contended = [&](const LockRecord &before, const LockRecord &after) {
    return trafficOf(Locks::change(ChangeKind::Waiters, Locks::share(before), Locks::share(after)), at(1)).contended;
  };
  EXPECT_EQ(contended(few, more), 3U);
  EXPECT_EQ(contended(more, few), 0U);
  EXPECT_EQ(contended(unknown, more), 0U);
}

TEST(TrafficOf, measuresOnlyHoldsWhoseBeginningWasSeen) {
  const auto seen = Locks::share(watched(Locks::record("x", {"h"}), at(1)));
  const auto unseen = Locks::share(Locks::record("x", {"h"}));
  EXPECT_EQ(trafficOf(Locks::change(ChangeKind::Vanished, seen, nullptr), at(3)).heldFor, seconds(2));
  EXPECT_FALSE(trafficOf(Locks::change(ChangeKind::Vanished, unseen, nullptr), at(3)).heldFor);
  EXPECT_FALSE(trafficOf(Locks::change(ChangeKind::Lease, seen, seen), at(3)).heldFor);
}

TEST(TrafficOf, readsNothingIntoStaleAndLive) {
  const auto lock = Locks::share(watched(Locks::record("x", {"h"}), at(1)));
  const Traffic traffic = trafficOf(Locks::change(ChangeKind::Live, nullptr, lock), at(3));
  EXPECT_EQ(traffic.acquired, 0U);
  EXPECT_FALSE(traffic.heldFor);
}

class RateSeriesTest : public testing::Test {
protected:
  RateSeries m_rates;

  LockChange acquiredAt(double inSeconds) const {
    return Locks::change(ChangeKind::Appeared, nullptr, Locks::share(watched(Locks::record("x", {"h"}), at(inSeconds))), wall(1000 + inSeconds));
  }
  LockChange endedAt(double began, double ended) const {
    return Locks::change(ChangeKind::Vanished, Locks::share(watched(Locks::record("x", {"h"}), at(began))), nullptr, wall(1000 + ended));
  }
  void take(std::vector<LockChange> changes, double now) { m_rates.take(changes, at(now), wall(1000 + now)); }
};

TEST_F(RateSeriesTest, countsIntoTheSecondInWhichItHappened) {
  m_rates.cover(at(9), true);
  m_rates.cover(at(10), true);
  take({acquiredAt(10.2), acquiredAt(10.9), acquiredAt(11.1)}, 11.2);
  m_rates.cover(at(13), true);
  EXPECT_EQ(m_rates.acquired().at(10), 2);
  EXPECT_EQ(m_rates.acquired().at(11), 1);
  EXPECT_EQ(m_rates.acquired().at(12), 0) << "nothing happened is a fact, not a gap";
}

TEST_F(RateSeriesTest, isAGapUntilTheFleetIsKnownAndWhileItIsNot) {
  m_rates.cover(at(10), false);
  take({acquiredAt(10.5)}, 10.6);
  EXPECT_THAT(m_rates.acquired().at(10), IsNan());
  m_rates.cover(at(11), true);
  m_rates.cover(at(13), true);
  EXPECT_THAT(m_rates.acquired().at(11), IsNan()) << "only part of that second was watched";
  EXPECT_EQ(m_rates.acquired().at(12), 0);
  m_rates.cover(at(15), false);
  m_rates.cover(at(16), true);
  EXPECT_EQ(m_rates.acquired().at(14), 0);
  EXPECT_THAT(m_rates.acquired().at(15), IsNan());
  EXPECT_THAT(m_rates.acquired().at(16), IsNan());
}

TEST_F(RateSeriesTest, survivesALongSleepOfTheWindow) {
  m_rates.cover(at(10), true);
  m_rates.cover(at(100'000'000), true);
  EXPECT_EQ(m_rates.acquired().at(99'999'999), 0);
  EXPECT_EQ(m_rates.acquired().newestBucket(), 100'000'000);
}

TEST_F(RateSeriesTest, doesNotBelieveTimesFromTheFuture) {
  m_rates.cover(at(9), true);
  m_rates.cover(at(10), true);
  take({acquiredAt(500)}, 10.5);
  EXPECT_EQ(m_rates.acquired().newestBucket(), 10);
  EXPECT_EQ(m_rates.acquired().at(10), 1);
}

TEST_F(RateSeriesTest, givesQuantilesOfTheHoldsOfTheLastTenSeconds) {
  m_rates.cover(at(99), true);
  m_rates.cover(at(100), true);
  for (int i = 0; i < 98; ++i)
    take({endedAt(100, 100.01)}, 100.5);
  take({endedAt(97, 100.4), endedAt(97, 100.4)}, 100.5);
  m_rates.cover(at(102), true);
  EXPECT_NEAR(m_rates.holdP50().at(100), 0.01, 0.001);
  EXPECT_NEAR(m_rates.holdP99().at(101), 3.4, 0.25);
  m_rates.cover(at(112), true);
  EXPECT_FALSE(std::isnan(m_rates.holdP50().at(109)));
  EXPECT_THAT(m_rates.holdP50().at(110), IsNan()) << "the hold that ended in second 100 has left the window";
}

} // namespace
} // namespace lockhouse::ui
