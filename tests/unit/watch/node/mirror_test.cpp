// SPDX-License-Identifier: Apache-2.0
#include "core/watch/node/mirror.h"

#include <gmock/gmock.h>
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

// A lease that is lengthened beyond what its name is trusted with.
TEST_F(MirrorTest, keepsForALockWhatHasBeenOneWhileItsHolderIsTheSame) {
  mirror.see(sighting("a", seconds(20)), wall);
  log.take();
  for (int i = 0; i < 3; ++i) {
    now += seconds(1);
    mirror.see(sighting("a", seconds(600), 0.45), wall);
    EXPECT_EQ(mirror.find("a")->record->confidence, 0.9);
    EXPECT_THAT(mirror.find("a")->record->evidence, testing::ElementsAre("it has been seen as a lock before, and its holder is the same"));
  }
  EXPECT_EQ(mirror.uncertain(), 0U);
  auto other = sighting("a", seconds(600), 0.45);
  other.record.holders[0].id = "b";
  mirror.see(other, wall);
  EXPECT_EQ(mirror.find("a")->record->confidence, 0.45) << "another's is looked at anew";
}

TEST_F(MirrorTest, keepsForALockWhatGotItsLeaseInASecondCommand) {
  mirror.see(sighting("a", {}, 0.45), wall);
  mirror.see(sighting("a", seconds(20)), wall);
  mirror.see(sighting("a", seconds(600), 0.45), wall);
  EXPECT_EQ(mirror.find("a")->record->confidence, 0.9);
}

TEST_F(MirrorTest, doubtsAgainWhatLookedLikeDataBefore) {
  mirror.see(sighting("a", seconds(3600), 0.45), wall);
  mirror.see(sighting("a", seconds(200)), wall);
  EXPECT_EQ(mirror.find("a")->record->confidence, 0.9);
  mirror.see(sighting("a", seconds(3600), 0.45), wall);
  EXPECT_EQ(mirror.find("a")->record->confidence, 0.45) << "it is kept on for who comes again";
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

// Of a lock that is several keys a sweep meets one after the other.
TEST_F(MirrorTest, tellsWhatASweepMetByHalfWhenItIsOver) {
  const auto swept = [&](std::optional<milliseconds> ttl, std::uint64_t others, bool isHalf = true) {
    auto made = sighting("a", ttl);
    made.swept = true;
    made.isHalf = isHalf;
    made.beside.others = others;
    return made;
  };
  mirror.beginSweep();
  mirror.see(swept({}, 0), wall);
  EXPECT_EQ(keys(), std::vector<std::string>{"a"}) << "it is a row at once";
  mirror.see(swept(seconds(9), 1), wall);
  EXPECT_TRUE(log.empty());
  EXPECT_FALSE(mirror.find("a")->record->isShortened);
  EXPECT_EQ(mirror.find("a")->record->lease, seconds(9));
  mirror.endSweep(wall);
  const auto changes = log.take();
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].kind, ChangeKind::Appeared);
  EXPECT_EQ(changes[0].after, mirror.find("a")->record);
  mirror.endSweep(wall);
  EXPECT_TRUE(log.empty());
  mirror.see(sighting("a", seconds(3)), wall);
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
    auto made = sighting("a", seconds(9));
    made.swept = made.isHalf = true;
    return made;
  };
  mirror.see(half(), wall);
  auto other = sighting("a", seconds(9));
  other.record.holders.front().id = "b";
  mirror.see(other, wall);
  EXPECT_EQ(kinds(), (std::vector{ChangeKind::Appeared, ChangeKind::Holder}));
  mirror.lose("a", false, now, wall);
  log.take();
  mirror.see(half(), wall);
  mirror.lose("a", false, now, wall);
  EXPECT_EQ(kinds(), (std::vector{ChangeKind::Appeared, ChangeKind::Vanished}));
  mirror.see(half(), wall);
  mirror.lose("a", true, now, wall);
  EXPECT_TRUE(log.empty()) << "it was a part of another lock";
  mirror.see(half(), wall);
  mirror.markStale(now, wall);
  EXPECT_EQ(kinds(), (std::vector{ChangeKind::Appeared, ChangeKind::Stale}));
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

// Else it came when its lease ran short, and went when that was renewed, with the same holder all the while.
TEST_F(MirrorTest, whatIsDataByTheLengthOfItsLeaseRemainsItUntilSomebodyWaits) {
  const auto of = [this](double confidence, std::optional<std::uint64_t> waiters) {
    auto made = sighting("cart:17", seconds(confidence < shownConfidence ? 900 : 20), confidence);
    made.record.family = "redisson-lock";
    made.record.waiters = waiters;
    mirror.see(std::move(made), wall);
    return mirror.find("cart:17")->record->confidence;
  };
  EXPECT_EQ(of(0.45, std::nullopt), 0.45);
  EXPECT_EQ(of(0.95, std::nullopt), 0.45);
  EXPECT_EQ(of(0.95, 0), 0.45);
  EXPECT_THAT(mirror.find("cart:17")->record->evidence, testing::Contains("its lease has been longer than a lock's before, and its holder is the same"));
  EXPECT_EQ(of(0.95, 2), 0.95) << "a lock is waited for";
  EXPECT_EQ(of(0.45, 0), 0.95) << "and remains one";
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

TEST_F(MirrorTest, aFairLockWhoseQueueCouldNotBeReadHasNotNobodyWaiting) {
  auto fair = sighting("lock:f", seconds(30));
  fair.record.family = "redisson-fair";
  fair.record.kind = LockKind::Fair;
  fair.record.waiters = 2;
  mirror.see(std::move(fair), wall);
  const auto seeAsPlain = [this](bool isOdd) {
    auto plain = sighting("lock:f", seconds(30));
    plain.record.family = "redisson-lock";
    plain.record.waiters = 0; // who listen: a fair lock's are in its queue
    plain.beside.queue = isOdd;
    mirror.see(std::move(plain), wall);
    return mirror.find("lock:f")->record;
  };
  EXPECT_EQ(seeAsPlain(true)->family, "redisson-fair");
  EXPECT_EQ(seeAsPlain(true)->waiters, std::nullopt) << "its queue is refused";
  EXPECT_EQ(seeAsPlain(false)->waiters, 0U) << "its queue is empty";
}

} // namespace
} // namespace lockhouse
