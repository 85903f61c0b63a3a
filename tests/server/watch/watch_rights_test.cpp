// SPDX-License-Identifier: Apache-2.0
// Watching with few rights, and saying so.
#include "tests/server/watch/watch_house.h"

namespace lockhouse::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct WatchRights : WatchHouse {
  void user(const std::string &name, const std::vector<std::string_view> &rules) {
    Command command{"ACL", "SETUSER", name, "on", ">pw"};
    for (const auto rule : rules)
      command.arg(rule);
    ASSERT_TRUE(m_redis->send(std::move(command)).isOk());
  }
  // The life of one lock, seen with the rights of `name`.
  void expectWatching(const std::string &name, FeedKind feed) {
    redis({"SET", "lock:old", hex32, "PX", "600000"});
    redis({"SET", "session:1", "foreign"});
    Watched watched({uri(name, "pw")});
    ASSERT_TRUE(watched.becomesLive()) << name;
    EXPECT_EQ(watched.status().feed, feed);
    EXPECT_EQ(watched.status().error.has_value(), feed != FeedKind::Tracking) << "a lesser feed is explained";
    EXPECT_THAT(watched.keys(), ElementsAre("lock:old"));
    redis({"SET", "lock:new", hex32, "PX", "600000"});
    EXPECT_TRUE(eventually([&] { return watched.lock("lock:new"); }));
    redis({"DEL", "lock:old"});
    EXPECT_TRUE(eventually([&] { return !watched.lock("lock:old"); }));
  }
};

// With the patterns of somebody whose locks are called "lock:…".
const std::vector<std::string_view> leastRights{
    // clang-format off
    "resetchannels", "&__keyevent@*__:*", "&__keyspace@*__:*", "&lockmon:*", "&__redis__:invalidate", "~lock:*",
    "-@all", "+ping", "+hello", "+auth", "+info", "+scan", "+type", "+pttl", "+pexpiretime", "+get", "+strlen",
    "+getrange", "+hlen", "+hscan", "+hget", "+llen", "+lrange", "+zcard", "+zrange", "+scard", "+dbsize",
    "+time", "+role", "+select", "+subscribe", "+psubscribe", "+unsubscribe", "+punsubscribe", "+client|id",
    "+client|setname", "+client|tracking", "+client|no-evict", "+cluster|slots", "+cluster|shards"
    // clang-format on
};

TEST_F(WatchRights, theLeastThatWeAskForAreEnough) {
  user("lockmon", leastRights);
  redis({"HSET", "lock:r", owner1, "1"});
  redis({"HSET", "stock", owner1, "1"});
  {
    Watched watched({uri("lockmon", "pw")});
    ASSERT_TRUE(watched.becomesLive());
    EXPECT_THAT(watched.keys(), ElementsAre("lock:r")) << "keys outside the user's patterns are skipped, not fatal";
  }
  redis({"DEL", "lock:r"});
  expectWatching("lockmon", FeedKind::Tracking);
}

TEST_F(WatchRights, withoutAccessToTheQueueTheLockIsStillShown) {
  user("narrow", {"&*", "~lock:*", "+@read", "+@connection", "+subscribe", "+psubscribe", "+info"});
  fairLock("lock:f", {owner2});
  Watched watched({uri("narrow", "pw")});
  ASSERT_TRUE(watched.becomesLive());
  ASSERT_THAT(watched.keys(), ElementsAre("lock:f"));
  EXPECT_EQ(watched.lock("lock:f")->waiters, std::nullopt) << "unknown, not zero";
}

TEST_F(WatchRights, readersRightsAreEnough) {
  user("eye", {"~*", "&*", "+@read", "+@connection", "+ping", "+info", "+subscribe", "+psubscribe", "+pubsub", "-@dangerous", "+info"});
  expectWatching("eye", FeedKind::Tracking);
}

TEST_F(WatchRights, withoutTrackingKeyspaceEventsServe) {
  redis({"CONFIG", "SET", "notify-keyspace-events", "AE"});
  user("plain", {"~*", "&*", "+@read", "+@connection", "-client|tracking", "+info", "+subscribe", "+psubscribe", "+config|get"});
  expectWatching("plain", FeedKind::Keyspace);
}

// What such a feed leaves out would be shown as live until the next sweep.
TEST_F(WatchRights, keyspaceEventsAreNotTrustedWhereTheirFlagsOrInfoAreRefused) {
  redis({"CONFIG", "SET", "notify-keyspace-events", "AE"});
  user("flagless", {"~*", "&*", "+@read", "+@connection", "-client|tracking", "+info", "+subscribe", "+psubscribe"});
  expectWatching("flagless", FeedKind::Poll);
  user("blind", {"~*", "&*", "+@read", "+@connection", "-client|tracking", "+subscribe", "+psubscribe", "+config|get"});
  Watched watched({uri("blind", "pw")});
  EXPECT_TRUE(eventually([&] { return watched.isLive() && watched.status().feed == FeedKind::Poll; }));
  EXPECT_FALSE(watched.status().exactAsOf);
}

TEST_F(WatchRights, withoutTrackingAndNotificationsItPolls) {
  user("reader", {"~*", "&*", "+@read", "+@connection", "-client|tracking", "+info", "+subscribe", "+psubscribe", "+config|get"});
  expectWatching("reader", FeedKind::Poll);
}

TEST_F(WatchRights, withoutSubscriptionsItPolls) {
  user("poor", {"~*", "&*", "+@read", "+ping", "+info", "+hello", "+client|setname", "+select"});
  expectWatching("poor", FeedKind::Poll);
}

TEST_F(WatchRights, withoutInfoItStillWatches) {
  user("blind", {"~*", "&*", "+@read", "+@connection", "+subscribe", "+psubscribe"});
  expectWatching("blind", FeedKind::Tracking);
}

TEST_F(WatchRights, notificationsThatAreSwitchedOffAreMissed) {
  redis({"CONFIG", "SET", "notify-keyspace-events", "AE"});
  user("plain", {"~*", "&*", "+@read", "+@connection", "-client|tracking", "+info", "+subscribe", "+psubscribe", "+config|get"});
  Watched watched({uri("plain", "pw")});
  ASSERT_TRUE(watched.becomesLive());
  ASSERT_EQ(watched.status().feed, FeedKind::Keyspace);
  redis({"CONFIG", "SET", "notify-keyspace-events", ""});
  redis({"SET", "lock:a", hex32, "PX", "600000"});
  EXPECT_TRUE(eventually([&] { return watched.lock("lock:a"); }));
  int i = 0;
  EXPECT_TRUE(eventually([&] {
    redis({"SET", "x", std::to_string(i++)});
    return watched.status().feed == FeedKind::Poll;
  }));
  EXPECT_THAT(watched.status().error->what.english(), HasSubstr("keyspace notifications"));
  redis({"DEL", "lock:a"});
  EXPECT_TRUE(eventually([&] { return !watched.lock("lock:a"); }));
}

// Under traffic no counter of INFO tells them from what is announced.
TEST_F(WatchRights, whatKeyspaceEventsDoNotTellIsNoticedAmongOtherChanges) {
  redis({"CONFIG", "SET", "notify-keyspace-events", "AE"});
  user("plain", {"~*", "&*", "+@read", "+@connection", "-client|tracking", "+info", "+subscribe", "+psubscribe", "+config|get"});
  Watched watched({uri("plain", "pw")});
  ASSERT_TRUE(watched.becomesLive());
  ASSERT_EQ(watched.status().feed, FeedKind::Keyspace);
  int i = 0;
  const auto amongOthers = [&](auto condition) {
    return eventually([&] {
      redis({"SET", "data:" + std::to_string(++i % 100), "v"});
      return condition();
    });
  };
  const auto lock = [&] {
    redis({"SET", "lock:a", hex32, "PX", "600000"});
    ASSERT_TRUE(amongOthers([&] { return watched.lock("lock:a") != nullptr; }));
  };
  lock();
  redis({"FLUSHALL"});
  ASSERT_TRUE(amongOthers([&] { return watched.lock("lock:a") == nullptr; }));
  EXPECT_TRUE(watched.story("lock:a").ends_with("vanished (flushed)")) << watched.story("lock:a");
  lock();
  redis({"SWAPDB", "0", "5"});
  ASSERT_TRUE(amongOthers([&] { return watched.lock("lock:a") == nullptr; }));
  lock();
  redis({"CONFIG", "SET", "notify-keyspace-events", "Ex"});
  ASSERT_TRUE(amongOthers([&] { return watched.status().feed == FeedKind::Poll; }));
  EXPECT_THAT(watched.status().error->what.english(), HasSubstr("narrowed"));
  redis({"DEL", "lock:a"});
  EXPECT_TRUE(amongOthers([&] { return watched.lock("lock:a") == nullptr; }));
}

TEST_F(WatchRights, aRowWhoseKeyMayNotBeReadAnyMoreIsStale) {
  user("eye", {"~*", "&*", "+@all"});
  redis({"SET", "lock:a", hex32, "PX", "600000"});
  redis({"SET", "lock:b", otherHex32, "PX", "600000"});
  Watched watched({uri("eye", "pw")});
  ASSERT_TRUE(watched.becomesLive());
  EXPECT_EQ(watched.status().keysRefused, 0U);
  redis({"ACL", "SETUSER", "eye", "resetkeys", "~*:b"});
  redis({"DEL", "lock:a"});
  EXPECT_TRUE(watched.tells("lock:a", "appeared, stale"));
  EXPECT_TRUE(eventually([&] { return watched.lock("lock:a")->staleSince.has_value(); }));
  EXPECT_FALSE(watched.lock("lock:b")->staleSince);
}

TEST_F(WatchRights, keysThatMayNotBeReadAreCounted) {
  user("narrow", {"&*", "~lock:*", "+@read", "+@connection", "+subscribe", "+psubscribe", "+info"});
  redis({"SET", "lock:a", hex32, "PX", "600000"});
  redis({"HSET", "stock", owner1, "1"});
  Watched watched({uri("narrow", "pw")});
  ASSERT_TRUE(watched.becomesLive());
  EXPECT_EQ(watched.status().keysRefused, 1U);
  EXPECT_TRUE(mayHaveUnseen(watched.status(), "stock"));
  EXPECT_FALSE(mayHaveUnseen(watched.status(), "lock:a"));
  EXPECT_FALSE(mayHaveUnseen(watched.status(), "lock:b")) << "it is not there";
  EXPECT_FALSE(mayHaveUnseen(watched.status(), "order"));
  redis({"HSET", "order", owner1, "1"});
  EXPECT_TRUE(eventually([&] { return mayHaveUnseen(watched.status(), "order"); })) << "the feed tells of it, long before the next sweep";
  EXPECT_FALSE(mayHaveUnseen(watched.status(), "lock:b"));
}

// Its writer waits, and the readers who have it may not be read: it is not shown as free.
TEST_F(WatchRights, aLockWhoseReadersMayNotBeReadIsCountedAsUnread) {
  user("narrow", {"&*", "~*", "+@read", "-sscan", "+@connection", "+subscribe", "+psubscribe", "+info"});
  const std::string machine = "web-1_4711_" + std::string(hex32);
  redis({"SADD", "job.readers", machine});
  redis({"SET", "job.writer", machine + "_WRITERWAITING", "PX", "60000"});
  Watched watched({uri("narrow", "pw")});
  ASSERT_TRUE(watched.becomesLive());
  EXPECT_EQ(watched.lock("job.writer"), nullptr);
  EXPECT_TRUE(mayHaveUnseen(watched.status(), "job.writer"));
  redis({"SET", "job.writer", machine, "PX", "60000"});
  EXPECT_TRUE(eventually([&] { return watched.lock("job.writer") != nullptr; })) << "a writer has it alone";
  redis({"SET", "job.writer", machine + "_WRITERWAITING", "PX", "60000"});
  EXPECT_TRUE(eventually([&] { return watched.lock("job.writer") == nullptr; }));
  user("narrow", {"&*", "~*", "+@read", "+@connection", "+subscribe", "+psubscribe", "+info"});
  Watched all({uri("narrow", "pw")});
  ASSERT_TRUE(all.becomesLive());
  ASSERT_TRUE(all.lock("job.writer"));
  EXPECT_TRUE(all.lock("job.writer")->isHeld());
  EXPECT_EQ(all.lock("job.writer")->waiters, 1U);
}

TEST_F(WatchRights, rightsThatAreTakenAwayAreNoticed) {
  user("eye", {"~*", "&*", "+@read", "+@connection", "+info", "+subscribe", "+psubscribe"});
  redis({"SET", "lock:a", hex32});
  Watched watched({uri("eye", "pw")});
  ASSERT_TRUE(watched.becomesLive());
  redis({"ACL", "SETUSER", "eye", "resetchannels", "-subscribe", "-psubscribe"});
  redis({"SET", "lock:b", hex32});
  EXPECT_TRUE(eventually([&] { return watched.isLive() && watched.status().feed == FeedKind::Poll && watched.lock("lock:b"); }));
}

TEST_F(WatchRights, aWrongPasswordIsSaidAndNothingIsShown) {
  user("eye", {"~*", "+@read"});
  Watched watched({uri("eye", "wrong")});
  ASSERT_TRUE(eventually([&] { return watched.status().state == NodeState::Down && watched.status().error; }));
  EXPECT_EQ(watched.status().error->code, ErrorCode::AuthFailed);
  EXPECT_THAT(watched.status().error->sentence(), testing::Not(HasSubstr("wrong@")));
}

TEST_F(WatchRights, aUserWhoMayNotScanIsTold) {
  user("nobody", {"~*", "&*", "+ping", "+info", "+select"});
  Watched watched({uri("nobody", "pw")});
  ASSERT_TRUE(eventually(
      [&] { return watched.status().error && watched.status().error->code == ErrorCode::NotPermitted && watched.status().state == NodeState::Down; }));
}

} // namespace
} // namespace lockhouse::test
