// SPDX-License-Identifier: Apache-2.0
#include "core/watch/node/lock_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace lockhouse {
namespace {

struct MirrorTest : testing::Test {
  ChangeLog log;
  LockCache cache{log};
  SteadyTime now{seconds(100)};
  WallTime wall{};

  LockCache::Observation observation(const std::string &key, std::optional<milliseconds> ttl = {}, double confidence = 0.9) const {
    LockCache::Observation made;
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
    for (const auto &record : cache.sorted())
      all.push_back(record->id.key.bytes());
    return all;
  }
};

TEST_F(MirrorTest, numbersChangesWithoutAGapOverAllNodes) {
  LockCache other(log);
  cache.see(observation("a"), wall);
  other.see(observation("b"), wall);
  cache.lose("a", false, now, wall);
  const auto changes = log.take();
  ASSERT_EQ(changes.size(), 3U);
  for (std::size_t i = 0; i < changes.size(); ++i)
    EXPECT_EQ(changes[i].seq, i + 1);
  EXPECT_EQ(changes[0].before, nullptr);
  EXPECT_EQ(changes[2].after, nullptr);
}

// A lease that is lengthened beyond what its name is trusted with.
TEST_F(MirrorTest, keepsForALockWhatHasBeenOneWhileItsHolderIsTheSame) {
  cache.see(observation("a", seconds(20)), wall);
  log.take();
  for (int i = 0; i < 3; ++i) {
    now += seconds(1);
    cache.see(observation("a", seconds(600), 0.45), wall);
    EXPECT_EQ(cache.find("a")->record->confidence, 0.9);
    EXPECT_THAT(englishOf(cache.find("a")->record->evidence), testing::ElementsAre("it has been seen as a lock before, and its holder is the same"));
  }
  EXPECT_EQ(cache.uncertain(), 0U);
  auto other = observation("a", seconds(600), 0.45);
  other.record.holders[0].id = "b";
  cache.see(other, wall);
  EXPECT_EQ(cache.find("a")->record->confidence, 0.45) << "another's is looked at anew";
}

TEST_F(MirrorTest, keepsForALockWhatGotItsLeaseInASecondCommand) {
  cache.see(observation("a", {}, 0.45), wall);
  cache.see(observation("a", seconds(20)), wall);
  cache.see(observation("a", seconds(600), 0.45), wall);
  EXPECT_EQ(cache.find("a")->record->confidence, 0.9);
}

TEST_F(MirrorTest, doubtsAgainWhatLookedLikeDataBefore) {
  cache.see(observation("a", seconds(3600), 0.45), wall);
  cache.see(observation("a", seconds(200)), wall);
  EXPECT_EQ(cache.find("a")->record->confidence, 0.9);
  cache.see(observation("a", seconds(3600), 0.45), wall);
  EXPECT_EQ(cache.find("a")->record->confidence, 0.45) << "it is kept on for who comes again";
}

TEST_F(MirrorTest, waitsForNoEndThatIsPastInTheBytesOfALockThatStays) {
  cache.see(observation("a", seconds(1)), wall);
  ASSERT_TRUE(cache.nextEnd());
  now += seconds(2);
  auto over = observation("a", seconds(-1));
  over.record.isOver = true;
  EXPECT_EQ(cache.see(over, wall), std::nullopt);
  EXPECT_FALSE(cache.nextEnd()) << "it would be read again and again";
  EXPECT_EQ(cache.find("a")->record->lease, seconds(1));
  log.take();
  cache.lose("a", false, now, wall);
  EXPECT_EQ(log.take().at(0).cause, std::nullopt) << "its key had no lease to run out";
}

// Of a lock that is several keys a sweep meets one after the other.
TEST_F(MirrorTest, tellsWhatASweepMetByHalfWhenItIsOver) {
  const auto scanned = [&](std::optional<milliseconds> ttl, std::uint64_t others, bool isHalf = true) {
    auto made = observation("a", ttl);
    made.scanned = true;
    made.isHalf = isHalf;
    made.companion.others = others;
    return made;
  };
  cache.beginScan();
  cache.see(scanned({}, 0), wall);
  EXPECT_EQ(keys(), std::vector<std::string>{"a"}) << "it is a row at once";
  cache.see(scanned(seconds(9), 1), wall);
  EXPECT_TRUE(log.empty());
  EXPECT_FALSE(cache.find("a")->record->isShortened);
  EXPECT_EQ(cache.find("a")->record->lease, seconds(9));
  cache.endScan(wall);
  const auto changes = log.take();
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].kind, ChangeKind::Appeared);
  EXPECT_EQ(changes[0].after, cache.find("a")->record);
  cache.endScan(wall);
  EXPECT_TRUE(log.empty());
  cache.see(observation("a", seconds(3)), wall);
  EXPECT_EQ(log.take().at(0).kind, ChangeKind::Shortened) << "of what was told";
}

TEST_F(MirrorTest, tellsOfALockThatWasMetByHalfAsSoonAsItChanges) {
  const auto kinds = [&] {
    std::vector<ChangeKind> all;
    for (const auto &change : log.take())
      all.push_back(change.kind);
    return all;
  };
  const auto half = [&] {
    auto made = observation("a", seconds(9));
    made.scanned = made.isHalf = true;
    return made;
  };
  cache.see(half(), wall);
  auto other = observation("a", seconds(9));
  other.record.holders.front().id = "b";
  cache.see(other, wall);
  EXPECT_EQ(kinds(), (std::vector{ChangeKind::Appeared, ChangeKind::Holder}));
  cache.lose("a", false, now, wall);
  log.take();
  cache.see(half(), wall);
  cache.lose("a", false, now, wall);
  EXPECT_EQ(kinds(), (std::vector{ChangeKind::Appeared, ChangeKind::Vanished}));
  cache.see(half(), wall);
  cache.lose("a", true, now, wall);
  EXPECT_TRUE(log.empty()) << "it was a part of another lock";
  cache.see(half(), wall);
  cache.markStale(now, wall);
  EXPECT_EQ(kinds(), (std::vector{ChangeKind::Appeared, ChangeKind::Stale}));
}

TEST_F(MirrorTest, keepsItsVectorSortedThroughAnything) {
  std::uint64_t seed = 7;
  std::vector<std::string> truth;
  for (int i = 0; i < 3000; ++i) {
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    const auto key = "k" + std::to_string((seed >> 33) % 200);
    if ((seed >> 20) % 3 == 0) {
      cache.lose(key, false, now, wall);
      std::erase(truth, key);
    } else {
      cache.see(observation(key), wall);
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
  cache.see(observation("a", seconds(5)), wall);
  cache.see(observation("b", seconds(3)), wall);
  EXPECT_EQ(cache.nextEnd(), now + seconds(3));
  EXPECT_EQ(cache.endedBy(now + seconds(4)), std::vector<std::string>{"b"});
  EXPECT_EQ(cache.endedBy(now + seconds(4)), std::vector<std::string>{});
  EXPECT_EQ(cache.nextEnd(), now + seconds(5));
}

TEST_F(MirrorTest, forgetsAReleaseThatDidNotComeInTime) {
  cache.see(observation("a", seconds(60)), wall);
  cache.expectRelease(LockName("a"), now);
  cache.lose("a", false, now + seconds(11), wall);
  EXPECT_EQ(log.take().back().cause, std::nullopt);
}

TEST_F(MirrorTest, namesNoCauseWhereNoneIsKnown) {
  cache.see(observation("a"), wall);
  log.take();
  cache.lose("a", false, now, wall);
  EXPECT_EQ(log.take().back().cause, std::nullopt) << "deleted, evicted, or the server restarted without it";
}

TEST_F(MirrorTest, namesAnExpiryByTheLeaseAndElseNothing) {
  cache.see(observation("a", seconds(10)), wall);
  cache.see(observation("b", seconds(10)), wall);
  log.take();
  cache.lose("a", false, now + seconds(9), wall);
  cache.lose("b", false, now + seconds(10), wall);
  const auto changes = log.take();
  EXPECT_EQ(changes[0].cause, std::nullopt);
  EXPECT_EQ(changes[1].cause, ChangeCause::Expired);
}

TEST_F(MirrorTest, marksAllStaleAndBackRowByRow) {
  cache.see(observation("a"), wall);
  cache.see(observation("b"), wall);
  log.take();
  cache.markStale(now, wall);
  cache.markStale(now + seconds(1), wall);
  EXPECT_EQ(log.take().size(), 2U) << "once each";
  EXPECT_EQ(cache.find("a")->record->staleSince, now);
  cache.see(observation("a"), wall);
  EXPECT_EQ(log.take().at(0).kind, ChangeKind::Live);
  EXPECT_EQ(cache.find("a")->record->staleSince, std::nullopt);
  EXPECT_NE(cache.find("b")->record->staleSince, std::nullopt);
}

// Else it came when its lease ran short, and went when that was renewed, with the same holder all the while.
TEST_F(MirrorTest, whatIsDataByTheLengthOfItsLeaseRemainsItUntilSomebodyWaits) {
  const auto of = [this](double confidence, std::optional<std::uint64_t> waiters) {
    auto made = observation("cart:17", seconds(confidence < shownConfidence ? 900 : 20), confidence);
    made.record.family = "redisson-lock";
    made.record.waiters = waiters;
    cache.see(std::move(made), wall);
    return cache.find("cart:17")->record->confidence;
  };
  EXPECT_EQ(of(0.45, std::nullopt), 0.45);
  EXPECT_EQ(of(0.95, std::nullopt), 0.45);
  EXPECT_EQ(of(0.95, 0), 0.45);
  EXPECT_THAT(englishOf(cache.find("cart:17")->record->evidence),
              testing::Contains("its lease has been longer than a lock's before, and its holder is the same"));
  EXPECT_EQ(of(0.95, 2), 0.95) << "a lock is waited for";
  EXPECT_EQ(of(0.45, 0), 0.95) << "and remains one";
}

TEST_F(MirrorTest, countsUncertainRecords) {
  cache.see(observation("a", {}, 0.4), wall);
  cache.see(observation("b"), wall);
  EXPECT_EQ(cache.uncertain(), 1U);
  cache.see(observation("a", {}, 0.8), wall);
  EXPECT_EQ(cache.uncertain(), 0U);
  cache.see(observation("b", {}, 0.4), wall);
  cache.lose("b", false, now, wall);
  EXPECT_EQ(cache.uncertain(), 0U);
}

TEST_F(MirrorTest, aFairLockWhoseQueueCouldNotBeReadHasNotNobodyWaiting) {
  auto fair = observation("lock:f", seconds(30));
  fair.record.family = "redisson-fair";
  fair.record.kind = LockKind::Fair;
  fair.record.waiters = 2;
  cache.see(std::move(fair), wall);
  const auto seeAsPlain = [this](bool isOdd) {
    auto plain = observation("lock:f", seconds(30));
    plain.record.family = "redisson-lock";
    plain.record.waiters = 0; // who listen: a fair lock's are in its queue
    plain.companion.queue = isOdd;
    cache.see(std::move(plain), wall);
    return cache.find("lock:f")->record;
  };
  EXPECT_EQ(seeAsPlain(true)->family, "redisson-fair");
  EXPECT_EQ(seeAsPlain(true)->waiters, std::nullopt) << "its queue is refused";
  EXPECT_EQ(seeAsPlain(false)->waiters, 0U) << "its queue is empty";
}

} // namespace
} // namespace lockhouse
