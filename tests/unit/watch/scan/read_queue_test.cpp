// SPDX-License-Identifier: Apache-2.0
#include "core/watch/scan/read_queue.h"

#include <gtest/gtest.h>

namespace lockhouse {
namespace {

const SteadyTime start{seconds(10)};

struct DirtyKeysTest : testing::Test {
  ReadQueue readQueue;
  void mark(std::string_view key, ReadQueue::Mark how = {}) { ASSERT_TRUE(readQueue.mark(key, how, start)); }
  std::string next(SteadyTime now = start) { return readQueue.isReady(now) ? readQueue.next().key : ""; }
};

TEST_F(DirtyKeysTest, takesAKeyOnceHoweverOftenItIsMarked) {
  mark("a");
  mark("a");
  EXPECT_EQ(next(), "a");
  EXPECT_EQ(next(), "");
  readQueue.finish("a", true, start);
  EXPECT_EQ(readQueue.size(), 0U);
}

TEST_F(DirtyKeysTest, takesAKeyAgainThatWasMarkedWhileItWasRead) {
  mark("a");
  EXPECT_EQ(next(), "a");
  mark("a", {.hinted = true});
  EXPECT_EQ(next(), "") << "not two reads at a time";
  EXPECT_TRUE(readQueue.isHinted("a"));
  readQueue.finish("a", true, start);
  EXPECT_EQ(next(), "a");
}

// What a sweep saw may be gone, and what lies beside it is a lock then.
TEST_F(DirtyKeysTest, aHintAfterASweepForgetsTheTypeThatItSaw) {
  mark("a", {.type = ValueType::String, .scanned = true});
  mark("b", {.type = ValueType::String, .scanned = true});
  mark("b", {.hinted = true});
  for (const auto type : {ValueType::String, ValueType::Unknown}) {
    ASSERT_TRUE(readQueue.isReady(start));
    EXPECT_EQ(readQueue.next().mark.type, type);
  }
  mark("c", {.type = ValueType::String, .scanned = true});
  readQueue.hintAll();
  ASSERT_TRUE(readQueue.isReady(start));
  EXPECT_EQ(readQueue.next().mark.type, ValueType::Unknown);
}

TEST_F(DirtyKeysTest, takesUrgentKeysFirst) {
  mark("foreign");
  mark("lock:a", {.urgent = true});
  EXPECT_EQ(next(), "lock:a");
  EXPECT_EQ(next(), "foreign");
}

TEST_F(DirtyKeysTest, restsAfterReadingForeignDataRepeatedly) {
  auto now = start;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(readQueue.mark("hot", {}, now));
    EXPECT_EQ(next(now), "hot");
    readQueue.finish("hot", false, now);
  }
  ASSERT_TRUE(readQueue.mark("hot", {}, now));
  EXPECT_EQ(next(now), "");
  ASSERT_TRUE(readQueue.nextDeferred());
  EXPECT_LE(*readQueue.nextDeferred() - now, seconds(1));
  EXPECT_EQ(next(*readQueue.nextDeferred()), "hot");
}

TEST_F(DirtyKeysTest, neverRestsForLongerThanASecond) {
  auto now = start;
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(readQueue.mark("hot", {}, now));
    if (const auto due = readQueue.nextDeferred()) {
      EXPECT_LE(*due - now, seconds(1));
      now = *due;
    }
    EXPECT_EQ(next(now), "hot");
    readQueue.finish("hot", false, now);
  }
}

TEST_F(DirtyKeysTest, forgetsTheRestOfAKeyThatBecameALock) {
  for (int i = 0; i < 3; ++i) {
    mark("k");
    next();
    readQueue.finish("k", i == 2, start);
  }
  mark("k");
  EXPECT_EQ(next(), "k");
}

TEST_F(DirtyKeysTest, saysWhenItIsFull) {
  const std::string big(1024 * 1024, 'x');
  bool room = true;
  for (int i = 0; i < 64 && room; ++i)
    room = readQueue.mark(big + std::to_string(i), {}, start);
  EXPECT_FALSE(room);
  readQueue.clear();
  EXPECT_TRUE(readQueue.mark("a", {}, start));
}

TEST_F(DirtyKeysTest, knowsWhenAGenerationIsRead) {
  mark("a");
  ASSERT_TRUE(readQueue.closeGeneration());
  EXPECT_FALSE(readQueue.isClosedDone());
  mark("b"); // of the next
  EXPECT_EQ(next(), "a");
  readQueue.finish("a", true, start);
  EXPECT_TRUE(readQueue.isClosedDone());
  ASSERT_TRUE(readQueue.closeGeneration());
  EXPECT_FALSE(readQueue.isClosedDone());
  EXPECT_FALSE(readQueue.closeGeneration()) << "the one before is not read yet";
}

TEST_F(DirtyKeysTest, countsWhatASweepStillHasToRead) {
  mark("a", {.scanned = true});
  mark("a", {.scanned = true});
  mark("b");
  mark("b", {.scanned = true});
  EXPECT_EQ(readQueue.openScanned(), 2U);
  next();
  next();
  mark("a", {.scanned = true});
  EXPECT_EQ(readQueue.openScanned(), 3U);
  readQueue.finish("a", true, start);
  readQueue.finish("b", true, start);
  EXPECT_EQ(readQueue.openScanned(), 1U);
}

TEST_F(DirtyKeysTest, aHintForAllCoversWhatWaitsAndWhatIsBeingRead) {
  mark("read");
  ASSERT_EQ(next(), "read");
  mark("waits");
  readQueue.hintAll();
  EXPECT_TRUE(readQueue.isHinted("read")) << "its answer may be older than the hint";
  EXPECT_TRUE(readQueue.isHinted("waits"));
  readQueue.finish("read", true, start);
  ASSERT_TRUE(readQueue.isReady(start));
  const auto again = readQueue.next();
  EXPECT_EQ(again.key, "read");
  EXPECT_TRUE(again.mark.hinted);
  EXPECT_TRUE(readQueue.next().mark.hinted);
  readQueue.finish("read", true, start);
  readQueue.finish("waits", true, start);
  EXPECT_EQ(readQueue.size(), 0U);
  EXPECT_TRUE(readQueue.isClosedDone());
}

} // namespace
} // namespace lockhouse
