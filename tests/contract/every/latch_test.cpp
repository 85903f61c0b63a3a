// SPDX-License-Identifier: Apache-2.0
// CountDownLatch: what the contract asks of locks, as far as it makes sense of what excludes nobody. Its format and its answers are in
// tests/server/client/count_down_latch_test.cpp.
#include "tests/contract/world/latch_house.h"

using namespace lockhouse;
using namespace lockhouse::test;

class Latch : public LatchHouse {};
INSTANTIATE_TEST_SUITE_P(Every, Latch, testing::ValuesIn(latchTopologies({Topology::UnixSocket, Topology::Tcp, Topology::Tls, Topology::Replicas})), latchName);

TEST_P(Latch, opensForAllWhoWaitWhereverTheyAre) {
  auto near = latchOf(client());
  auto far = latchOf(client());
  EXPECT_TRUE(valueOf(near.wait())) << "without a count it is open";
  ASSERT_TRUE(valueOf(near.trySetCount(2)));
  std::vector<std::future<Result<bool>>> waits;
  for (int i = 0; i < 5; ++i) {
    waits.push_back(startWait(near));
    waits.push_back(startWait(far));
  }
  ASSERT_TRUE(eventually([&] { return probe().subscriptions() == 1; }));
  EXPECT_EQ(valueOf(near.countDown()), 1);
  EXPECT_EQ(waits.front().wait_for(50ms), std::future_status::timeout);
  EXPECT_EQ(valueOf(far.countDown()), 0);
  for (auto &wait : waits)
    EXPECT_TRUE(isOpened(wait)) << "long before a poll";
}

TEST_P(Latch, isCountedDownOnceByEach) {
  constexpr int clients = 3;
  constexpr int each = 40;
  std::vector<CountDownLatch> latches;
  for (int i = 0; i < clients; ++i)
    latches.push_back(latchOf(client()));
  ASSERT_TRUE(valueOf(latches.front().trySetCount(clients * each)));
  auto waiting = startWait(latches.front());
  std::vector<std::future<std::vector<std::int64_t>>> counts;
  for (auto &latch : latches)
    counts.push_back(std::async(std::launch::async, [&latch] {
      std::vector<std::int64_t> left;
      for (int i = 0; i < each; ++i)
        left.push_back(valueOf(latch.countDown()));
      return left;
    }));
  std::set<std::int64_t> all;
  for (auto &count : counts)
    for (const auto left : count.get())
      EXPECT_TRUE(all.insert(left).second) << left << " twice";
  EXPECT_EQ(all.size(), std::size_t(clients * each));
  EXPECT_TRUE(all.contains(0));
  EXPECT_TRUE(isOpened(waiting));
}

TEST_P(Latch, isWaitedForNoLongerThanTheLimit) {
  auto latch = latchOf(client());
  ASSERT_TRUE(valueOf(latch.trySetCount(1)));
  for (const auto limit : {-5ms, 0ms, 1ms, 120ms}) {
    const auto began = SteadyClock::now();
    EXPECT_FALSE(valueOf(latch.wait(limit)));
    EXPECT_GE(SteadyClock::now() - began, limit);
  }
  expectNobodyThere();
  server->pause();
  auto silent = startWait(latch, 100ms);
  EXPECT_TRUE(isRefused(silent)) << "though the server is silent";
  server->resume();
  EXPECT_EQ(valueOf(latch.count()), 1);
  EXPECT_EQ(valueOf(latch.countDown()), 0);
}

TEST_P(Latch, cancelledBeforeItsStartOrWithItsAskUnderWayLeavesNothing) {
  auto latch = latchOf(client());
  ASSERT_TRUE(valueOf(latch.trySetCount(1)));
  std::stop_source early;
  early.request_stop();
  EXPECT_FALSE(valueOf(latch.wait({}, early.get_token())));
  for (int waiters = 1; waiters <= 3; ++waiters) {
    server->pause();
    std::stop_source stop;
    std::vector<std::future<Result<bool>>> waits;
    for (int i = 0; i < waiters; ++i)
      waits.push_back(startWait(latch, {}, stop.get_token()));
    EXPECT_EQ(waits.front().wait_for(20ms), std::future_status::timeout);
    stop.request_stop();
    for (auto &wait : waits)
      EXPECT_TRUE(isRefused(wait));
    server->resume();
    expectNobodyThere();
  }
  EXPECT_EQ(valueOf(latch.countDown()), 0) << "nobody counted by asking";
}

TEST_P(Latch, cancelledBetweenTwoAsksLeavesNothing) {
  auto &own = client();
  auto latch = latchOf(own);
  ASSERT_TRUE(valueOf(latch.trySetCount(1)));
  const auto before = own.commandsSent();
  std::stop_source one;
  std::stop_source two;
  auto first = startWait(latch, {}, one.get_token());
  auto second = startWait(latch, {}, two.get_token());
  ASSERT_TRUE(eventually([&] { return own.commandsSent() >= before + 3; })); // its SUBSCRIBE counts too
  one.request_stop();
  EXPECT_TRUE(isRefused(first));
  EXPECT_EQ(second.wait_for(20ms), std::future_status::timeout) << "it was not meant";
  two.request_stop();
  EXPECT_TRUE(isRefused(second));
  expectNobodyThere();
  EXPECT_EQ(valueOf(latch.countDown()), 0);
}

TEST_P(Latch, sendsScriptsAgainThatTheServerForgot) {
  auto latch = latchOf(client());
  for (int i = 0; i < 3; ++i) {
    everywhere({"SCRIPT", "FLUSH"});
    EXPECT_TRUE(valueOf(latch.trySetCount(2)));
    auto waiting = startWait(latch);
    ASSERT_TRUE(eventually([&] { return probe().subscriptions() == 1; }));
    everywhere({"SCRIPT", "FLUSH"});
    EXPECT_EQ(valueOf(latch.countDown()), 1);
    everywhere({"SCRIPT", "FLUSH"});
    EXPECT_EQ(valueOf(latch.countDown()), 0);
    EXPECT_TRUE(isOpened(waiting));
  }
}

TEST_P(Latch, isOpenAtAServerThatWasRestartedEmpty) {
  auto latch = latchOf(client(quick(5s)));
  ASSERT_TRUE(valueOf(latch.trySetCount(3)));
  auto waiting = startWait(latch);
  ASSERT_TRUE(eventually([&] { return probe().subscriptions() == 1; }));
  server->kill();
  EXPECT_FALSE(latch.countDown()) << "nobody is there to count";
  ASSERT_TRUE(server->restart());
  renewProbes();
  EXPECT_TRUE(isOpened(waiting));
  EXPECT_TRUE(eventually([&] { return latch.count() == Result<std::int64_t>(0); }));
  EXPECT_TRUE(eventually([&] { return latch.trySetCount(1).value_or(false); })) << "and may be closed again";
  EXPECT_EQ(valueOf(latch.countDown()), 0);
}

TEST_P(Latch, isHeardThoughTheSubscriptionWasLost) {
  auto latch = latchOf(client());
  ASSERT_TRUE(valueOf(latch.trySetCount(1)));
  auto waiting = startWait(latch);
  ASSERT_TRUE(eventually([&] { return probe().subscriptions() == 1; }));
  probe()({"CLIENT", "KILL", "TYPE", "pubsub"});
  EXPECT_EQ(valueOf(latch.countDown()), 0);
  EXPECT_TRUE(isOpened(waiting));
}

TEST_P(Latch, isPolledWithoutTheRightToListen) {
  probe()({"ACL", "SETUSER", "deaf", "on", ">pw", "~*", "resetchannels", "+@all"});
  auto uri = server->nodes().front();
  uri.user = "deaf";
  uri.password = "pw";
  auto latch = latchOf(clientAt(uri));
  ASSERT_TRUE(valueOf(latch.trySetCount(1)));
  auto waiting = startWait(latch);
  EXPECT_EQ(waiting.wait_for(50ms), std::future_status::timeout);
  EXPECT_EQ(valueOf(latch.countDown()), 0) << "who may not publish has opened it all the same";
  EXPECT_TRUE(isOpened(waiting));
}
