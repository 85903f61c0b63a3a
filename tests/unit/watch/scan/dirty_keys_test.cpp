// SPDX-License-Identifier: Apache-2.0
#include "core/watch/scan/dirty_keys.h"

#include <gtest/gtest.h>

namespace lockhouse {
namespace {

const SteadyTime start{seconds(10)};

struct DirtyKeysTest : testing::Test {
  DirtyKeys dirty;
  void mark(std::string_view key, DirtyKeys::Mark how = {}) { ASSERT_TRUE(dirty.mark(key, how, start)); }
  std::string next(SteadyTime now = start) { return dirty.isReady(now) ? dirty.next().key : ""; }
};

TEST_F(DirtyKeysTest, takesAKeyOnceHoweverOftenItIsMarked) {
  mark("a");
  mark("a");
  EXPECT_EQ(next(), "a");
  EXPECT_EQ(next(), "");
  dirty.finish("a", true, start);
  EXPECT_EQ(dirty.size(), 0U);
}

TEST_F(DirtyKeysTest, takesAKeyAgainThatWasMarkedWhileItWasRead) {
  mark("a");
  EXPECT_EQ(next(), "a");
  mark("a", {.hinted = true});
  EXPECT_EQ(next(), "") << "not two reads at a time";
  EXPECT_TRUE(dirty.isHinted("a"));
  dirty.finish("a", true, start);
  EXPECT_EQ(next(), "a");
}

// What a sweep saw may be gone, and what lies beside it is a lock then.
TEST_F(DirtyKeysTest, aHintAfterASweepForgetsTheTypeThatItSaw) {
  mark("a", {.type = ValueType::String, .swept = true});
  mark("b", {.type = ValueType::String, .swept = true});
  mark("b", {.hinted = true});
  for (const auto type : {ValueType::String, ValueType::Unknown}) {
    ASSERT_TRUE(dirty.isReady(start));
    EXPECT_EQ(dirty.next().mark.type, type);
  }
  mark("c", {.type = ValueType::String, .swept = true});
  dirty.hintAll();
  ASSERT_TRUE(dirty.isReady(start));
  EXPECT_EQ(dirty.next().mark.type, ValueType::Unknown);
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
    ASSERT_TRUE(dirty.mark("hot", {}, now));
    EXPECT_EQ(next(now), "hot");
    dirty.finish("hot", false, now);
  }
  ASSERT_TRUE(dirty.mark("hot", {}, now));
  EXPECT_EQ(next(now), "");
  ASSERT_TRUE(dirty.nextDeferred());
  EXPECT_LE(*dirty.nextDeferred() - now, seconds(1));
  EXPECT_EQ(next(*dirty.nextDeferred()), "hot");
}

TEST_F(DirtyKeysTest, neverRestsForLongerThanASecond) {
  auto now = start;
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(dirty.mark("hot", {}, now));
    if (const auto due = dirty.nextDeferred()) {
      EXPECT_LE(*due - now, seconds(1));
      now = *due;
    }
    EXPECT_EQ(next(now), "hot");
    dirty.finish("hot", false, now);
  }
}

TEST_F(DirtyKeysTest, forgetsTheRestOfAKeyThatBecameALock) {
  for (int i = 0; i < 3; ++i) {
    mark("k");
    next();
    dirty.finish("k", i == 2, start);
  }
  mark("k");
  EXPECT_EQ(next(), "k");
}

TEST_F(DirtyKeysTest, saysWhenItIsFull) {
  const std::string big(1024 * 1024, 'x');
  bool room = true;
  for (int i = 0; i < 64 && room; ++i)
    room = dirty.mark(big + std::to_string(i), {}, start);
  EXPECT_FALSE(room);
  dirty.clear();
  EXPECT_TRUE(dirty.mark("a", {}, start));
}

TEST_F(DirtyKeysTest, knowsWhenAGenerationIsRead) {
  mark("a");
  ASSERT_TRUE(dirty.closeGeneration());
  EXPECT_FALSE(dirty.isClosedDone());
  mark("b"); // of the next
  EXPECT_EQ(next(), "a");
  dirty.finish("a", true, start);
  EXPECT_TRUE(dirty.isClosedDone());
  ASSERT_TRUE(dirty.closeGeneration());
  EXPECT_FALSE(dirty.isClosedDone());
  EXPECT_FALSE(dirty.closeGeneration()) << "the one before is not read yet";
}

TEST_F(DirtyKeysTest, countsWhatASweepStillHasToRead) {
  mark("a", {.swept = true});
  mark("a", {.swept = true});
  mark("b");
  mark("b", {.swept = true});
  EXPECT_EQ(dirty.openSwept(), 2U);
  next();
  next();
  mark("a", {.swept = true});
  EXPECT_EQ(dirty.openSwept(), 3U);
  dirty.finish("a", true, start);
  dirty.finish("b", true, start);
  EXPECT_EQ(dirty.openSwept(), 1U);
}

TEST_F(DirtyKeysTest, aHintForAllCoversWhatWaitsAndWhatIsBeingRead) {
  mark("read");
  ASSERT_EQ(next(), "read");
  mark("waits");
  dirty.hintAll();
  EXPECT_TRUE(dirty.isHinted("read")) << "its answer may be older than the hint";
  EXPECT_TRUE(dirty.isHinted("waits"));
  dirty.finish("read", true, start);
  ASSERT_TRUE(dirty.isReady(start));
  const auto again = dirty.next();
  EXPECT_EQ(again.key, "read");
  EXPECT_TRUE(again.mark.hinted);
  EXPECT_TRUE(dirty.next().mark.hinted);
  dirty.finish("read", true, start);
  dirty.finish("waits", true, start);
  EXPECT_EQ(dirty.size(), 0U);
  EXPECT_TRUE(dirty.isClosedDone());
}

} // namespace
} // namespace lockhouse
