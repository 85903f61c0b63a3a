// SPDX-License-Identifier: Apache-2.0
#include "core/watch/mirror.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace lockhouse {
namespace {

struct MirrorTest : testing::Test {
  ChangeLog log;
  Mirror mirror{log};
  SteadyTime now{seconds(100)};
  WallTime wall{};

  Mirror::Sighting sighting(const std::string &key, std::optional<milliseconds> ttl = {}, double confidence = 0.9) const {
    Mirror::Sighting made;
    made.record.id = {NodeId("n"), 0, LockName(key)};
    made.record.family = "token";
    made.record.holders = {{"a", 1, HoldMode::Exclusive}};
    made.record.seenAt = now;
    made.record.confidence = confidence;
    if (ttl) {
      made.record.expiresAt = now + *ttl;
      made.end = LeaseEnd{now + *ttl, now + *ttl};
    }
    return made;
  }
  std::vector<std::string> keys() {
    std::vector<std::string> all;
    for (const auto &record : mirror.sorted())
      all.push_back(record->id.key.bytes());
    return all;
  }
};

TEST_F(MirrorTest, numbersChangesWithoutAGapOverAllNodes) {
  Mirror other(log);
  mirror.see(sighting("a"), wall);
  other.see(sighting("b"), wall);
  mirror.lose("a", false, now, wall);
  const auto changes = log.take();
  ASSERT_EQ(changes.size(), 3U);
  for (std::size_t i = 0; i < changes.size(); ++i)
    EXPECT_EQ(changes[i].seq, i + 1);
  EXPECT_EQ(changes[0].before, nullptr);
  EXPECT_EQ(changes[2].after, nullptr);
}

TEST_F(MirrorTest, waitsForNoEndThatIsPastInTheBytesOfALockThatStays) {
  mirror.see(sighting("a", seconds(1)), wall);
  ASSERT_TRUE(mirror.nextEnd());
  now += seconds(2);
  auto over = sighting("a", seconds(-1));
  over.record.isOver = true;
  EXPECT_EQ(mirror.see(over, wall), std::nullopt);
  EXPECT_FALSE(mirror.nextEnd()) << "it would be read again and again";
  EXPECT_EQ(mirror.find("a")->record->lease, seconds(1));
  log.take();
  mirror.lose("a", false, now, wall);
  EXPECT_EQ(log.take().at(0).cause, std::nullopt) << "its key had no lease to run out";
}

TEST_F(MirrorTest, keepsItsVectorSortedThroughAnything) {
  std::uint64_t seed = 7;
  std::vector<std::string> truth;
  for (int i = 0; i < 3000; ++i) {
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    const auto key = "k" + std::to_string((seed >> 33) % 200);
    if ((seed >> 20) % 3 == 0) {
      mirror.lose(key, false, now, wall);
      std::erase(truth, key);
    } else {
      mirror.see(sighting(key), wall);
      if (std::ranges::find(truth, key) == truth.end())
        truth.push_back(key);
    }
    if (i % 37 == 0) {
      std::ranges::sort(truth);
      ASSERT_EQ(keys(), truth) << i;
    }
  }
}

TEST_F(MirrorTest, tellsEachEndOfALeaseOnce) {
  mirror.see(sighting("a", seconds(5)), wall);
  mirror.see(sighting("b", seconds(3)), wall);
  EXPECT_EQ(mirror.nextEnd(), now + seconds(3));
  EXPECT_EQ(mirror.endedBy(now + seconds(4)), std::vector<std::string>{"b"});
  EXPECT_EQ(mirror.endedBy(now + seconds(4)), std::vector<std::string>{});
  EXPECT_EQ(mirror.nextEnd(), now + seconds(5));
}

TEST_F(MirrorTest, forgetsAReleaseThatDidNotComeInTime) {
  mirror.see(sighting("a", seconds(60)), wall);
  mirror.expectRelease(LockName("a"), now);
  mirror.lose("a", false, now + seconds(11), wall);
  EXPECT_EQ(log.take().back().cause, std::nullopt);
}

TEST_F(MirrorTest, namesNoCauseWhereNoneIsKnown) {
  mirror.see(sighting("a"), wall);
  log.take();
  mirror.lose("a", false, now, wall);
  EXPECT_EQ(log.take().back().cause, std::nullopt) << "deleted, evicted, or the server restarted without it";
}

TEST_F(MirrorTest, namesAnExpiryByTheLeaseAndElseNothing) {
  mirror.see(sighting("a", seconds(10)), wall);
  mirror.see(sighting("b", seconds(10)), wall);
  log.take();
  mirror.lose("a", false, now + seconds(9), wall);
  mirror.lose("b", false, now + seconds(10), wall);
  const auto changes = log.take();
  EXPECT_EQ(changes[0].cause, std::nullopt);
  EXPECT_EQ(changes[1].cause, ChangeCause::Expired);
}

TEST_F(MirrorTest, marksAllStaleAndBackRowByRow) {
  mirror.see(sighting("a"), wall);
  mirror.see(sighting("b"), wall);
  log.take();
  mirror.markStale(now, wall);
  mirror.markStale(now + seconds(1), wall);
  EXPECT_EQ(log.take().size(), 2U) << "once each";
  EXPECT_EQ(mirror.find("a")->record->staleSince, now);
  mirror.see(sighting("a"), wall);
  EXPECT_EQ(log.take().at(0).kind, ChangeKind::Live);
  EXPECT_EQ(mirror.find("a")->record->staleSince, std::nullopt);
  EXPECT_NE(mirror.find("b")->record->staleSince, std::nullopt);
}

TEST_F(MirrorTest, countsUncertainRecords) {
  mirror.see(sighting("a", {}, 0.4), wall);
  mirror.see(sighting("b"), wall);
  EXPECT_EQ(mirror.uncertain(), 1U);
  mirror.see(sighting("a", {}, 0.8), wall);
  EXPECT_EQ(mirror.uncertain(), 0U);
  mirror.see(sighting("b", {}, 0.4), wall);
  mirror.lose("b", false, now, wall);
  EXPECT_EQ(mirror.uncertain(), 0U);
}

} // namespace
} // namespace lockhouse
