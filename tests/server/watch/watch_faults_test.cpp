// SPDX-License-Identifier: Apache-2.0
// A watcher whose server or connections fail: nothing is shown as live that may be wrong.
#include "tests/server/watch/watch_house.h"

#include <algorithm>

namespace lockhouse::test {
namespace {

struct WatchFaults : WatchHouse {
  Watched watched{{uri()}};
  void SetUp() override {
    redis({"SET", "lock:a", hex32, "PX", "600000"});
    ASSERT_TRUE(eventually([&] { return watched.isLive() && watched.lock("lock:a"); }));
  }
  bool returns() {
    return eventually([&] { return watched.isLive() && watched.story("lock:a").ends_with("live"); });
  }
};

TEST_F(WatchFaults, aFeedThatIsKilledMakesRowsStaleUntilReadAgain) {
  redis({"CLIENT", "KILL", "TYPE", "pubsub"});
  ASSERT_TRUE(eventually([&] { return watched.story("lock:a").starts_with("appeared, stale"); }));
  EXPECT_TRUE(returns());
  redis({"DEL", "lock:a"});
  EXPECT_TRUE(eventually([&] { return !watched.lock("lock:a"); })) << "the new feed works";
}

TEST_F(WatchFaults, allConnectionsKilledAtOnce) {
  redis({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
  redis({"CLIENT", "KILL", "TYPE", "pubsub"});
  ASSERT_TRUE(eventually([&] { return watched.story("lock:a").starts_with("appeared, stale"); }));
  EXPECT_TRUE(returns());
}

TEST_F(WatchFaults, aServerThatStandsStillIsStaleAndComesBack) {
  m_server.pause();
  ASSERT_TRUE(eventually([&] { return watched.story("lock:a") == "appeared, stale"; }));
  EXPECT_TRUE(eventually([&] { return !watched.isLive() && watched.status().staleSince; }));
  m_server.resume();
  EXPECT_TRUE(returns());
}

TEST_F(WatchFaults, aKilledServersLocksAreStaleBeforeTheyAreKnownToBeGone) {
  const auto runId = watched.status().runId;
  m_redis.reset();
  m_server.kill();
  ASSERT_TRUE(watched.tells("lock:a", "appeared, stale"));
  EXPECT_TRUE(eventually([&] { return watched.lock("lock:a") && stateAt(*watched.lock("lock:a"), SteadyClock::now()) == LockState::Stale; }));
  ASSERT_TRUE(m_server.restart());
  m_redis = std::make_unique<RawRedis>(uri());
  redis({"SET", "lock:b", hex32, "PX", "60000"});
  ASSERT_TRUE(watched.tells("lock:b", "appeared"));
  ASSERT_TRUE(eventually([&] { return watched.story("lock:a").starts_with("appeared, stale, vanished"); }));
  ASSERT_TRUE(watched.becomesLive());
  EXPECT_NE(watched.status().runId, runId);
}

TEST_F(WatchFaults, aServerThatIsSlowWithinTheLimitIsNotLost) {
  WatcherOptions options;
  options.connection.commandTimeout = std::chrono::minutes(2);
  Watched patient({uri()}, options);
  ASSERT_TRUE(eventually([&] { return patient.isLive() && patient.lock("lock:a"); }));
  redis({"DEBUG", "SLEEP", "1.5"}); // longer than a beat
  redis({"SET", "lock:b", otherHex32});
  EXPECT_TRUE(patient.tells("lock:b", "appeared"));
  EXPECT_EQ(patient.story("lock:a"), "appeared");
}

TEST_F(WatchFaults, scriptsThatHogTheServerAreOutlived) {
  redis({"EVAL", "local t = redis.call('TIME')[1] while redis.call('TIME')[1] - t < 2 do end return 1", "0"});
  redis({"SET", "lock:b", hex32});
  EXPECT_TRUE(eventually([&] { return watched.isLive() && watched.lock("lock:b"); }));
}

TEST_F(WatchFaults, aFullResynchronisationIsFollowed) {
  redis({"DEBUG", "RELOAD"});
  redis({"SET", "lock:b", hex32});
  EXPECT_TRUE(watched.tells("lock:b", "appeared"));
  EXPECT_TRUE(watched.catchesUp());
  EXPECT_TRUE(watched.lock("lock:a"));
}

TEST_F(WatchFaults, oneMoreFloodThanTheServerBuffersEndsTheEpochAndHeals) {
  redis({"CONFIG", "SET", "client-output-buffer-limit", "pubsub 65536 0 0"});
  for (int round = 0; round < 5; ++round) {
    std::vector<Command> flood;
    for (int i = 0; i < 20000; ++i)
      flood.push_back(Command{"SET", "key:" + std::to_string(i), "x"});
    m_redis->pipeline(std::move(flood));
  }
  redis({"SET", "lock:b", hex32});
  ASSERT_TRUE(eventually([&] { return watched.isLive() && watched.lock("lock:b") && watched.lock("lock:a"); }));
}

TEST_F(WatchFaults, closingInTheMidstOfTrouble) {
  for (int i = 0; i < 10; ++i) {
    Watched brief({uri(), uri()});
    if (i % 2)
      redis({"CLIENT", "KILL", "TYPE", "pubsub"});
    if (i % 3 == 0)
      eventually([&] { return brief.isLive(); }, milliseconds(20));
  }
  // Every one is gone: what is left are this test's own connections and the fixture's two.
  EXPECT_TRUE(eventually([&] {
    const auto list = redis({"CLIENT", "LIST"});
    return std::ranges::count(list.text().value_or(""), '\n') == 3;
  }));
  EXPECT_TRUE(returns()) << "and the one beside them has it all";
}

} // namespace
} // namespace lockhouse::test
