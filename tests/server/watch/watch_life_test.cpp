// SPDX-License-Identifier: Apache-2.0
// What a watcher tells about locks that come, change and go.
#include "core/net/connection/subscriber.h"
#include "tests/server/watch/watch_house.h"

namespace lockhouse::test {
namespace {

using testing::HasSubstr;

struct WatchLife : WatchHouse {
  Watched watched{{uri()}};
  void SetUp() override { ASSERT_TRUE(watched.becomesLive()); }
};

TEST_F(WatchLife, ofALockWithCauses) {
  redis({"HSET", "stock", owner1, "1"});
  redis({"PEXPIRE", "stock", "30000"});
  ASSERT_TRUE(eventually([&] { return watched.story("stock").starts_with("appeared") && watched.lock("stock") && watched.lock("stock")->expiresAt; }));
  redis({"HINCRBY", "stock", owner1, "1"});
  ASSERT_TRUE(eventually([&] { return watched.story("stock").ends_with("count"); }));
  redis({"DEL", "stock"});
  ASSERT_TRUE(eventually([&] { return watched.story("stock").ends_with("vanished"); }));
  const auto changes = watched.changes();
  EXPECT_EQ(changes.back().before->holders.at(0).count, 2);
  EXPECT_EQ(changes.back().after, nullptr);
  redis({"SET", "lock:e", hex32, "PX", "300"});
  EXPECT_TRUE(watched.tells("lock:e", "appeared, vanished (expired)"));
  std::uint64_t seq = 0;
  for (const auto &change : watched.changes())
    EXPECT_EQ(change.seq, ++seq);
}

TEST_F(WatchHouse, showsWhatTheFirstSweepFoundHoweverLongSnapshotsRest) {
  redis({"SET", "lock:a", hex32});
  WatcherOptions options;
  options.publishEvery = std::chrono::hours(1);
  Watched watched({uri()}, options);
  ASSERT_TRUE(watched.becomesLive());
  EXPECT_EQ(watched.keys(), std::vector<std::string>{"lock:a"});
}

TEST_F(WatchHouse, showsAServerThatIsNamedTwiceOnce) {
  const auto server = startServer({.tcp = true, .config = {}});
  RawRedis other(server.unixUri());
  other({"SET", "lock:a", hex32, "PX", "60000"});
  auto name = server.tcpUri();
  name.host = "localhost";
  const Watched both({server.unixUri(), server.tcpUri(), name});
  ASSERT_TRUE(eventually([&] {
    return both.status(0).state != NodeState::Connecting && both.status(1).state != NodeState::Connecting && both.status(2).state != NodeState::Connecting &&
           both.lock("lock:a");
  }));
  EXPECT_EQ(both.keys(), std::vector<std::string>{"lock:a"});
  EXPECT_TRUE(eventually([&] { return both.story("lock:a") == "appeared"; })) << both.story("lock:a");
  int down = 0;
  for (const std::size_t node : {0U, 1U, 2U})
    if (const auto status = both.status(node); status.state == NodeState::Down) {
      ++down;
      EXPECT_THAT(status.error.value().sentence(), HasSubstr("the same database of the same server as"));
    }
  EXPECT_EQ(down, 2);
  EXPECT_NE(both.status(0).state, NodeState::Down) << "the first that was named watches";
  EXPECT_EQ(both.status(2).twin, both.status(0).id);
  for (int cut = 0; cut < 5; ++cut) {
    other({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
    other({"CLIENT", "KILL", "TYPE", "pubsub"});
    other({"SET", "lock:" + std::to_string(cut), hex32, "PX", "60000"});
    ASSERT_TRUE(eventually([&] { return both.isLive(0) && both.lock("lock:" + std::to_string(cut)); }));
    EXPECT_TRUE(eventually([&] { return both.status(1).twin == both.status(0).id && both.status(2).twin == both.status(0).id; }));
    EXPECT_EQ(both.keys().size(), static_cast<std::size_t>(cut + 2));
  }
}

TEST_F(WatchLife, whoseWaitersListen) {
  redis({"HSET", "stock", owner1, "1"});
  redis({"HSET", "report", "mode", "read", owner1, "1"});
  const auto waiters = [&](const char *key) {
    const auto lock = watched.lock(key);
    return lock ? lock->waiters : std::nullopt;
  };
  ASSERT_TRUE(eventually([&] { return watched.lock("stock") && watched.lock("report"); }));
  EXPECT_EQ(waiters("stock"), std::nullopt) << "nobody listening does not mean that nobody waits";
  {
    Loop loop;
    auto subscriber = std::make_unique<Subscriber>(loop, uri(), ConnectionOptions{});
    loop.call([&] {
      subscriber->subscribe(Channel("redisson_lock__channel:{stock}"));
      subscriber->subscribe(Channel("redisson_rwlock:{report}"));
      subscriber->open();
    });
    EXPECT_TRUE(eventually([&] { return waiters("stock") == 1U && waiters("report") == 1U; }));
    loop.call([&] { subscriber.reset(); });
  }
  EXPECT_TRUE(eventually([&] { return waiters("stock") == std::nullopt; }));
  EXPECT_EQ(watched.story("stock"), "appeared, waiters, waiters");
  EXPECT_TRUE(watched.catchesUp());
  EXPECT_EQ(watched.status().divergences, 0U);
}

// Keyspace notifications name the end of a key beside tracking too.
TEST_F(WatchLife, thatEndedByADeletionThatIsAnnounced) {
  redis({"CONFIG", "SET", "notify-keyspace-events", "KEA"});
  redis({"SET", "lock:a", hex32, "PX", "60000"});
  ASSERT_TRUE(watched.tells("lock:a", "appeared"));
  redis({"DEL", "lock:a"});
  EXPECT_TRUE(watched.tells("lock:a", "appeared, vanished (deleted)"));
}

TEST_F(WatchLife, whoseOwnEndPassesWhileItsKeyStays) {
  const auto end = std::chrono::floor<seconds>(std::chrono::system_clock::now().time_since_epoch()) + seconds(3);
  constexpr std::string_view key = "resque:lock:Import-[5]";
  const auto state = [&] {
    const auto lock = watched.lock(key);
    return lock ? std::optional(stateAt(*lock, SteadyClock::now())) : std::nullopt;
  };
  redis({"SET", key, std::to_string(end.count())});
  ASSERT_TRUE(eventually([&] { return state() == LockState::Held; }));
  ASSERT_TRUE(eventually([&] { return state() == LockState::Suspect; }));
  const auto lock = watched.lock(key);
  EXPECT_TRUE(lock->isOver);
  EXPECT_EQ(lock->family, "resque-lock");
  EXPECT_GE(lock->confidence, shownConfidence);
}

TEST_F(WatchLife, ofAQueue) {
  fairLock("f", {});
  ASSERT_TRUE(eventually([&] { return watched.lock("f"); }));
  redis({"RPUSH", "redisson_lock_queue:{f}", owner2});
  ASSERT_TRUE(eventually([&] { return watched.lock("f")->waiters == 1U; }));
  EXPECT_EQ(watched.lock("f")->family, "redisson-fair");
  redis({"DEL", "f"});
  ASSERT_TRUE(eventually([&] { return watched.lock("f") && !watched.lock("f")->isHeld(); }));
  redis({"LPOP", "redisson_lock_queue:{f}"});
  ASSERT_TRUE(eventually([&] { return !watched.lock("f"); }));
  EXPECT_EQ(watched.status().divergences, 0U);
}

TEST_F(WatchLife, thatEndedByOurOwnRelease) {
  redis({"SET", "lock:a", hex32, "PX", "60000"});
  ASSERT_TRUE(watched.tells("lock:a", "appeared"));
  watched.watcher().expectRelease({NodeId(uri().address()), 0, LockName("lock:a")});
  redis({"DEL", "lock:a"});
  EXPECT_TRUE(watched.tells("lock:a", "appeared, vanished (released)"));
}

TEST_F(WatchLife, thatEndedByAFlush) {
  redis({"SET", "lock:a", hex32, "PX", "60000"});
  ASSERT_TRUE(watched.tells("lock:a", "appeared"));
  redis({"FLUSHALL"});
  EXPECT_TRUE(watched.tells("lock:a", "appeared, vanished (flushed)"));
  EXPECT_TRUE(watched.catchesUp());
  EXPECT_EQ(watched.status().divergences, 0U);
}

TEST_F(WatchLife, thatWasReplacedByOtherData) {
  redis({"HSET", "stock", owner1, "1"});
  ASSERT_TRUE(watched.tells("stock", "appeared"));
  redis({"SET", "stock", "42"});
  EXPECT_TRUE(watched.tells("stock", "appeared, vanished (replaced)"));
}

TEST_F(WatchLife, thatWasRenamed) {
  redis({"SET", "lock:a", hex32});
  ASSERT_TRUE(watched.tells("lock:a", "appeared"));
  redis({"RENAME", "lock:a", "lock:b"});
  EXPECT_TRUE(watched.tells("lock:a", "appeared, vanished"));
  EXPECT_TRUE(watched.tells("lock:b", "appeared"));
}

TEST_F(WatchLife, thatWasEvicted) {
  redis({"CONFIG", "SET", "notify-keyspace-events", "AKE"});
  redis({"SET", "lock:a", hex32, "PX", "600000"});
  ASSERT_TRUE(watched.tells("lock:a", "appeared"));
  redis({"CONFIG", "SET", "maxmemory-policy", "volatile-ttl"});
  redis({"CONFIG", "SET", "maxmemory", "1"});
  redis({"SET", "x", "y"});
  EXPECT_TRUE(watched.tells("lock:a", "appeared, vanished (evicted)"));
}

TEST_F(WatchLife, thatSwapdbTookAway) {
  redis({"SET", "lock:a", hex32, "PX", "60000"});
  ASSERT_TRUE(watched.tells("lock:a", "appeared"));
  ASSERT_TRUE(watched.catchesUp());
  redis({"SWAPDB", "0", "1"}); // tells nobody
  EXPECT_TRUE(eventually([&] { return !watched.lock("lock:a"); }));
}

TEST_F(WatchLife, whoseServerHoldsItsExpiryBack) {
  redis({"DEBUG", "SET-ACTIVE-EXPIRE", "0"});
  redis({"SET", "lock:a", hex32, "PX", "400"});
  EXPECT_TRUE(watched.tells("lock:a", "appeared, vanished (expired)")) << "read again at its deadline, though the server says nothing";
}

TEST_F(WatchLife, inAnotherDatabaseIsNotOurs) {
  RawRedis other(uri());
  other({"SELECT", "5"});
  other({"SET", "lock:a", hex32});
  redis({"SET", "lock:b", hex32});
  ASSERT_TRUE(watched.tells("lock:b", "appeared"));
  EXPECT_EQ(watched.story("lock:a"), "");
}

} // namespace
} // namespace lockhouse::test
