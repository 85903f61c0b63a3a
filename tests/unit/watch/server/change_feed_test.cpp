// SPDX-License-Identifier: Apache-2.0
#include "core/watch/server/change_feed.h"

#include <gtest/gtest.h>

namespace lockhouse {
namespace {

struct FeedLineTest : testing::Test {
  ChangeFeed feed{milliseconds(1000), 1};
  FeedActions orders;
  SteadyTime now{seconds(100)};
  const Error lost{ErrorCode::Unreachable, Message::verbatim("lost"), {}, {}};

  FeedActions take() { return std::exchange(orders, {}); }
  void up() {
    feed.open(now, orders);
    feed.onUp({}, now, orders);
    take();
  }
};

TEST_F(FeedLineTest, provesByTheSecondPongWhatWasThereBeforeTheFirstPing) {
  up();
  feed.tick(now, orders);
  const auto firstSent = now;
  const auto first = take().ping;
  ASSERT_TRUE(first);
  now += milliseconds(3);
  EXPECT_FALSE(feed.onPong(*first, now));
  feed.tick(now, orders);
  const auto second = take().ping;
  ASSERT_TRUE(second) << "the second of a pair goes out at once";
  now += milliseconds(3);
  EXPECT_EQ(feed.onPong(*second, now), firstSent);
  feed.tick(now, orders);
  EXPECT_FALSE(take().ping) << "the next pair waits for its beat";
  EXPECT_EQ(feed.dueAt(), firstSent + milliseconds(1003));
}

TEST_F(FeedLineTest, neverHasTwoPingsOutstanding) {
  up();
  feed.tick(now, orders);
  ASSERT_TRUE(take().ping);
  for (int i = 0; i < 20; ++i) {
    now += milliseconds(100);
    feed.tick(now, orders);
    EXPECT_FALSE(take().ping);
  }
}

TEST_F(FeedLineTest, ignoresAPongOfAnotherPing) {
  up();
  feed.tick(now, orders);
  const auto ping = *take().ping;
  EXPECT_FALSE(feed.onPong(ping + 1, now));
  feed.tick(now, orders);
  EXPECT_FALSE(take().ping) << "the real one is still outstanding";
}

TEST_F(FeedLineTest, endsWhenItIsSilentForThreeBeats) {
  up();
  feed.tick(now, orders);
  take();
  EXPECT_FALSE(feed.tick(now + milliseconds(2999), orders));
  EXPECT_TRUE(feed.tick(now + milliseconds(3000), orders));
  EXPECT_TRUE(take().close);
  EXPECT_EQ(feed.state(), ChangeFeed::State::Closed);
}

TEST_F(FeedLineTest, triesAgainWithGrowingPauses) {
  feed.open(now, orders);
  EXPECT_FALSE(feed.onDown(lost, now, orders));
  const auto due = feed.dueAt();
  EXPECT_LE(due - now, milliseconds(50));
  take();
  feed.tick(due, orders);
  EXPECT_TRUE(take().open);
}

TEST_F(FeedLineTest, pollsWhenNoConnectionCanBeMade) {
  feed.open(now, orders);
  for (int i = 0; i < 3; ++i) {
    feed.onDown(lost, now, orders);
    now = feed.dueAt();
    if (i < 2)
      feed.tick(now, orders);
  }
  EXPECT_EQ(feed.kind(), FeedKind::Poll);
  EXPECT_EQ(feed.state(), ChangeFeed::State::Ready);
}

TEST_F(FeedLineTest, givesUpOnAConnectionThatNeverComesUp) {
  feed.open(now, orders);
  take();
  EXPECT_FALSE(feed.tick(now + seconds(10), orders));
  EXPECT_TRUE(take().close);
}

TEST_F(FeedLineTest, takesKeyspaceEventsOnlyWithTheFlagsThatLocksNeed) {
  for (const auto &[flags, kind] : {std::pair{"AKE", FeedKind::Keyspace},
                                    {"AE", FeedKind::Keyspace},
                                    {"g$lshzxeE", FeedKind::Keyspace},
                                    {"g$lshzxE", FeedKind::Poll}, // evictions are not told
                                    {"g$lhzxeE", FeedKind::Poll},
                                    {"AK", FeedKind::Poll},
                                    {"Ex", FeedKind::Poll},
                                    {"", FeedKind::Poll}}) {
    ChangeFeed each(milliseconds(1000), 1);
    each.open(now, orders);
    each.onUp(lost, now, orders);
    each.onSubscribed({}, now, orders);
    Reply::Array answer;
    answer.emplace_back(std::string("notify-keyspace-events"));
    answer.emplace_back(std::string(flags));
    each.onFlags(Reply(std::move(answer)), now);
    EXPECT_EQ(each.kind(), kind) << flags;
  }
}

} // namespace
} // namespace lockhouse
