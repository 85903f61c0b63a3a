// SPDX-License-Identifier: Apache-2.0
// More locks than ReadQueue takes at once: here since their names are long.
#include "tests/unit/watch/desk.h"

#include <gmock/gmock.h>

namespace lockhouse::test {
namespace {

const Error lost{ErrorCode::Unreachable, Message::verbatim("the connection was lost"), "node:1", {}};

struct Many : testing::Test {
  static constexpr int locks = 80;
  static constexpr std::size_t size = 512 * 1024; // bytes of a name: all of them are more than ReadQueue takes
  Desk desk;

  void fill() {
    for (int i = 0; i < locks; ++i)
      desk.string(std::to_string(i) + std::string(size, 'x') + ":lock", hex32);
  }
  // What became of them since the last call: their names would be a long story.
  std::map<ChangeKind, int> told() {
    std::map<ChangeKind, int> kinds;
    for (const auto &change : desk.changes())
      ++kinds[change.kind];
    return kinds;
  }
  bool areLive() {
    bool areLive = true;
    desk.watch.cache().each([&](const auto &, const LockCache::Known &known) { areLive &= !known.record->staleSince; });
    return areLive && desk.status().state == NodeState::Live;
  }
  void turns(int seconds) {
    for (int i = 0; i < seconds; ++i) {
      desk.pass(lockhouse::seconds(1));
      desk.serve();
      desk.pong();
    }
  }
};

using Told = std::map<ChangeKind, int>;

TEST_F(Many, areAllReadAgainAfterAFeedWasLost) {
  fill();
  desk.connect();
  ASSERT_EQ(told(), (Told{{ChangeKind::Appeared, locks}}));
  desk.event(watching::FeedDown{lost});
  EXPECT_EQ(told(), (Told{{ChangeKind::Stale, locks}}));
  desk.pass(seconds(1));
  desk.serve();
  desk.event(watching::FeedUp{});
  desk.serve();
  EXPECT_TRUE(areLive());
  EXPECT_EQ(told(), (Told{{ChangeKind::Live, locks}}));
}

TEST_F(Many, areAllReadBeforeTheSweepThatFollowsIsCalledComplete) {
  fill();
  desk.connect();
  desk.event(watching::FeedDown{lost});
  desk.pass(seconds(1));
  desk.serve();
  desk.clear(); // else the sweep meets them
  desk.event(watching::FeedUp{});
  while (!desk.status().scanComplete && desk.answerOne())
    ;
  EXPECT_TRUE(desk.status().scanComplete);
  EXPECT_EQ(desk.watch.cache().size(), 0U);
}

TEST_F(Many, areAllReadAfterAFlush) {
  fill();
  desk.connect();
  told();
  desk.clear();
  desk.event(watching::AllInvalidated{});
  EXPECT_EQ(desk.status().state, NodeState::Live);
  desk.serve();
  EXPECT_EQ(told(), (Told{{ChangeKind::Vanished, locks}}));
  turns(3);
  EXPECT_EQ(desk.status().divergences, 0U) << "the word of it came before the reads";
}

// What a PONG proves: that everything hinted before it has been read.
TEST_F(Many, areNotProvenExactWhileSomeWaitForRoom) {
  fill();
  desk.connect();
  desk.pong();
  desk.pass(seconds(1));
  desk.serve();
  desk.pong();
  desk.serve();
  const auto before = desk.status().exactAsOf;
  desk.clear();
  desk.event(watching::AllInvalidated{});
  const auto flushed = desk.now();
  while (desk.watch.cache().size() > locks / 2 && desk.answerOne())
    ;
  for (int i = 0; i < 3; ++i) {
    desk.pass(milliseconds(400));
    desk.pong();
    desk.answerOne();
  }
  ASSERT_GT(desk.watch.cache().size(), 0U);
  EXPECT_TRUE(desk.status().exactAsOf == before || *desk.status().exactAsOf <= flushed);
  desk.serve();
  turns(3);
  EXPECT_GT(*desk.status().exactAsOf, flushed);
}

TEST_F(Many, areAllReadWhereAServerIsPolled) {
  fill();
  desk.event(watching::CommandsUp{});
  desk.serve();
  desk.event(watching::FeedUp{lost});
  desk.event(watching::FeedSubscribed{std::unexpected(lost)});
  desk.serve();
  ASSERT_EQ(desk.status().feed, FeedKind::Poll);
  ASSERT_EQ(told(), (Told{{ChangeKind::Appeared, locks}}));
  desk.clear();
  turns(5);
  EXPECT_EQ(desk.status().state, NodeState::Live);
  EXPECT_EQ(told(), (Told{{ChangeKind::Vanished, locks}}));
}

} // namespace
} // namespace lockhouse::test
