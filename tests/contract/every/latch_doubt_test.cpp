// SPDX-License-Identifier: Apache-2.0
// A latch whose answers are lost.
#include "tests/contract/world/latch_house.h"
#include "tests/support/proxy.h"

using namespace lockhouse;
using namespace lockhouse::test;

class LatchInDoubt : public LatchHouse {
protected:
  void SetUp() override {
    LatchHouse::SetUp();
    proxy.emplace(server->nodes().front());
    own = &clientAt(proxy->uri(), quick(200ms));
    ASSERT_TRUE(valueOf(latch().trySetCount(3)));
    ASSERT_EQ(valueOf(latch().countDown()), 2) << "the server knows the scripts";
  }
  CountDownLatch latch() { return latchOf(*own); }
  static bool isInDoubt(const auto &result) { return !result && (result.error().code == ErrorCode::InDoubt || result.error().code == ErrorCode::Timeout); }
  /// Sees the line up again.
  void expectCount(std::int64_t count) {
    EXPECT_TRUE(eventually([&] { return latch().count() == Result<std::int64_t>(count); }));
    EXPECT_EQ(probe().text({"GET", latchKey}), count == 0 ? "(nothing)" : std::to_string(count));
  }
  void openIt() { probe()({"DEL", latchKey}); }

  std::optional<Proxy> proxy;
  Client *own = nullptr;
};
// A proxy listens on a port: there is none in front of a Unix socket.
INSTANTIATE_TEST_SUITE_P(Every, LatchInDoubt, testing::ValuesIn(latchTopologies({Topology::Tcp, Topology::Tls, Topology::Replicas})), latchName);

TEST_P(LatchInDoubt, aCountDownWhoseReplyIsLostIsToldAndNotSentTwice) {
  const auto before = calls("decrby");
  proxy->cutInsteadOfReply(1);
  EXPECT_TRUE(isInDoubt(latch().countDown()));
  expectCount(1);
  EXPECT_EQ(calls("decrby"), before + 1);
  openIt();
}

TEST_P(LatchInDoubt, aCountDownThatIsSwallowedIsToldAndNotSentTwice) {
  const auto before = calls("decrby");
  proxy->dropReplies(true);
  EXPECT_TRUE(isInDoubt(latch().countDown()));
  proxy->dropReplies(false);
  proxy->cut();
  expectCount(1);
  EXPECT_EQ(calls("decrby"), before + 1);
  openIt();
}

TEST_P(LatchInDoubt, theLastCountOpensItThoughItsReplyIsLost) {
  EXPECT_EQ(valueOf(latch().countDown()), 1);
  auto waiting = startWait(latchOf(client()));
  ASSERT_TRUE(eventually([&] { return probe().subscriptions() == 1; }));
  proxy->cutInsteadOfReply(1);
  EXPECT_TRUE(isInDoubt(latch().countDown()));
  EXPECT_TRUE(isOpened(waiting));
  expectCount(0);
}

TEST_P(LatchInDoubt, aCountThatIsSetAndNotAnsweredStands) {
  openIt();
  proxy->cutInsteadOfReply(1);
  EXPECT_TRUE(isInDoubt(latch().trySetCount(7)));
  expectCount(7);
  EXPECT_FALSE(valueOf(latch().trySetCount(9))) << "it has a count already: its own";
  openIt();
}

TEST_P(LatchInDoubt, aWaitAsksAgainWhicheverReplyIsLost) {
  for (int n = 1; n <= 6; ++n) {
    SCOPED_TRACE(n);
    proxy->cutInsteadOfReply(n);
    auto waiting = startWait(latch());
    EXPECT_EQ(waiting.wait_for(100ms), std::future_status::timeout) << "in doubt it is closed";
    EXPECT_EQ(valueOf(latchOf(client()).countDown(2)), 0);
    EXPECT_TRUE(isOpened(waiting));
    proxy->cutInsteadOfReply(0);
    ASSERT_TRUE(eventually([&] { return latch().trySetCount(2).value_or(false); }));
  }
  openIt();
}

TEST_P(LatchInDoubt, aWaitEndsAtItsLimitThoughNothingIsAnswered) {
  proxy->blackHole(true);
  for (const auto limit : {0ms, 50ms, 500ms}) {
    auto waiting = startWait(latch(), limit);
    ASSERT_EQ(waiting.wait_for(20s), std::future_status::ready);
    const auto result = waiting.get();
    EXPECT_TRUE(!result || !*result);
  }
  proxy->blackHole(false);
  proxy->cut();
  expectCount(2);
  openIt();
}
