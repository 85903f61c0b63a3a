// SPDX-License-Identifier: Apache-2.0
// Keys beside a lock: whose they are, and what is shown of them.
#include "tests/unit/watch/desk.h"

#include <gmock/gmock.h>

namespace lockhouse::test {
namespace {

TEST(NodeWatchQueue, foldsAQueueIntoItsLock) {
  Desk desk;
  desk.hash("plain", {{owner1, "1"}}, seconds(30));
  desk.list("redisson_lock_queue:{plain}", {owner2, owner1});
  const auto lapses = static_cast<double>(desk.moment().wall.time_since_epoch().count()) / 1000 + 300'000;
  desk.zset("redisson_lock_timeout:{plain}", {{owner2, lapses}, {owner1, lapses + 5000}});
  desk.connect();
  ASSERT_EQ(desk.watch.cache().size(), 1U);
  const auto lock = desk.lock("plain");
  EXPECT_EQ(lock->family, "redisson-fair");
  EXPECT_EQ(lock->waiters, 2U);
  EXPECT_EQ(lock->queue.at(0).id, owner2);
  EXPECT_EQ(*lock->queue.at(0).leavesAt - desk.now(), seconds(300));
  EXPECT_EQ(stateAt(*lock, desk.now()), LockState::Contended);
}

TEST(NodeWatchQueue, doesNotCountWhosePlaceHasLapsedNorSayThatNobodyWaits) {
  Desk desk;
  const auto now = static_cast<double>(desk.moment().wall.time_since_epoch().count()) / 1000;
  const auto owner3 = std::string(uuid2) + ":6";
  desk.hash("f", {{owner1, "1"}}, seconds(30));
  desk.list("redisson_lock_queue:{f}", {owner2, owner3});
  desk.zset("redisson_lock_timeout:{f}", {{owner2, now - 5000}, {owner3, now + 1500}});
  desk.connect();
  auto lock = desk.lock("f");
  EXPECT_EQ(lock->waiters, 1U);
  EXPECT_EQ(lock->queue.size(), 2U) << "it is shown as lapsed";
  EXPECT_THAT(englishOf(lock->evidence), testing::Contains("places in its queue that have lapsed, and were not cleared away yet: 1"));
  EXPECT_EQ(stateAt(*lock, desk.now()), LockState::Contended);
  desk.story();
  desk.idle();
  desk.idle();
  lock = desk.lock("f");
  EXPECT_EQ(lock->waiters, std::nullopt);
  EXPECT_EQ(lock->queue.size(), 2U);
  EXPECT_EQ(stateAt(*lock, desk.now()), LockState::Held);
  EXPECT_EQ(desk.story(), "waiters f");
  for (int i = 0; i < 5; ++i)
    desk.idle();
  EXPECT_EQ(desk.status().state, NodeState::Live) << "it was no change that the feed has missed";
  desk.remove("f");
  desk.hint({"f"});
  desk.serve();
  EXPECT_EQ(desk.story(), "vanished f") << "what is left of its queue is nobody's";
}

TEST(NodeWatchQueue, tellsOfAHolderWhoseLeaseOfHisOwnIsOverWhenItIs) {
  Desk desk;
  const auto now = static_cast<double>(desk.moment().wall.time_since_epoch().count()) / 1000;
  const auto machine = [](int number) { return "web-" + std::to_string(number) + "_1_" + hex32; };
  desk.zset("pool", {{machine(1), now + 1500}, {machine(2), now + 20'000}});
  desk.pexpire("pool", seconds(60));
  desk.connect();
  ASSERT_TRUE(desk.lock("pool"));
  EXPECT_EQ(desk.lock("pool")->holders.size(), 2U);
  desk.story();
  desk.idle();
  EXPECT_EQ(desk.story(), "");
  desk.idle();
  EXPECT_EQ(desk.story(), "holder pool") << "and not by a sweep";
  EXPECT_EQ(desk.lock("pool")->holders.size(), 1U);
  for (int i = 0; i < 5; ++i)
    desk.idle();
  EXPECT_EQ(desk.story(), "");
  EXPECT_EQ(desk.status().divergences, 0U) << "it was no change that the feed has missed";
}

// Its key stays for two leases more.
TEST(NodeWatchQueue, holdersOfALibraryThatWereSeenToLapseAreNotTakenForOthers) {
  Desk desk;
  const auto now = static_cast<double>(desk.moment().wall.time_since_epoch().count()) / 1000;
  desk.zset("lock:imports", {{std::string("WEB01_4711_") + hex32, now + 1500.375}, {std::string("WEB02_4712_") + hex32, now + 3500.25}});
  desk.pexpire("lock:imports", seconds(60));
  desk.connect();
  ASSERT_TRUE(desk.lock("lock:imports"));
  EXPECT_EQ(desk.lock("lock:imports")->family, "distributedlock-semaphore");
  desk.story();
  for (int i = 0; i < 8; ++i)
    desk.idle();
  EXPECT_EQ(desk.story(), "holder lock:imports, vanished lock:imports (expired)");
  EXPECT_EQ(desk.status().divergences, 0U);
}

// Written by a client whose clock is a few milliseconds ahead of the server's; and the time to live comes a moment later.
TEST(NodeWatchQueue, timesOfTakingAFewMillisecondsAheadDoNotEnd) {
  for (const std::string key : {"lock:imports", "acme:semaphore:dl", "acme:semaphores"})
    for (const int ahead : {0, 3, 50, 400}) {
      Desk desk;
      desk.connect();
      const auto now = std::floor(static_cast<double>(desk.moment().wall.time_since_epoch().count()) / 1000);
      desk.zset(key, {{uuid1, now + ahead}});
      desk.hint({key});
      desk.serve();
      ASSERT_TRUE(desk.lock(key)) << key << " " << ahead;
      EXPECT_EQ(desk.lock(key)->family, "handmade-since") << key << " " << ahead;
      desk.pexpire(key, seconds(30));
      desk.hint({key});
      desk.serve();
      for (int i = 0; i < 3; ++i)
        desk.idle();
      ASSERT_TRUE(desk.lock(key)) << key << " " << ahead;
      EXPECT_EQ(desk.lock(key)->family, key == "acme:semaphore:dl" ? "redis-semaphore" : "handmade-since") << ahead;
      EXPECT_EQ(desk.lock(key)->holders.size(), 1U);
    }
}

// The key may have as little left as the clock is ahead, before somebody takes it anew.
TEST(NodeWatchQueue, timesOfTakingOfAKeyThatEndsInAMomentAreNotItsEnd) {
  for (const std::string key : {"lock:report", "app:semaphore:x", "semaphore:x"})
    for (const double unit : {1.0, 1000.0})
      for (const int left : {400, 1400})
        for (const bool isCompanionOfAnother : {false, true}) {
          const auto of = key + " " + std::to_string(unit) + " " + std::to_string(left);
          Desk desk;
          desk.connect();
          const auto at = [&desk, unit](int ms) { return (static_cast<double>(desk.moment().wall.time_since_epoch().count()) / 1000 + ms) / unit; };
          std::vector<std::pair<std::string, double>> taken{{uuid1, at(20)}};
          if (isCompanionOfAnother)
            taken.emplace_back(uuid2, at(-1600));
          desk.zset(key, taken);
          desk.pexpire(key, milliseconds(left));
          desk.hint({key});
          desk.serve();
          ASSERT_TRUE(desk.lock(key)) << of;
          EXPECT_EQ(desk.lock(key)->holders.size(), taken.size()) << of;
          const auto family = desk.lock(key)->family;
          desk.pexpire(key, seconds(10));
          desk.hint({key});
          desk.serve();
          for (int i = 0; i < 3; ++i)
            desk.idle();
          ASSERT_TRUE(desk.lock(key)) << of;
          EXPECT_EQ(desk.lock(key)->holders.size(), taken.size()) << of;
          EXPECT_EQ(desk.lock(key)->family, family) << of;
        }
}

// Under the textbook's name they would be times of refresh as soon as they are near.
TEST(NodeWatchQueue, leasesByHandRemainWhatTheyAreWhenTheyRunOut) {
  for (const double unit : {1.0, 1000.0}) {
    Desk desk;
    desk.connect();
    const auto in = [&desk, unit](int ms) { return std::floor((static_cast<double>(desk.moment().wall.time_since_epoch().count()) / 1000 + ms) / unit); };
    const auto first = in(10'000);
    desk.zset("semaphore:s", {{uuid1, first}, {uuid2, in(20'000)}});
    desk.hint({"semaphore:s"});
    desk.serve();
    ASSERT_TRUE(desk.lock("semaphore:s"));
    EXPECT_EQ(desk.lock("semaphore:s")->family, "handmade-zset");
    desk.story();
    for (int i = 0; i < 7; ++i)
      desk.idle();
    desk.zset("semaphore:s", {{uuid1, first}, {uuid2, in(20'000)}});
    desk.hint({"semaphore:s"});
    desk.serve();
    EXPECT_EQ(desk.lock("semaphore:s")->family, "handmade-zset");
    EXPECT_EQ(desk.story(), "lease semaphore:s");
    for (int i = 0; i < 5; ++i)
      desk.idle();
    ASSERT_TRUE(desk.lock("semaphore:s"));
    EXPECT_EQ(desk.lock("semaphore:s")->holders.size(), 1U);
    EXPECT_EQ(desk.story(), "holder semaphore:s");
    for (int i = 0; i < 18; ++i)
      desk.idle();
    EXPECT_EQ(desk.story(), "vanished semaphore:s (expired)");
    desk.zset("semaphore:s", {{uuid1, first}, {uuid2, in(20'000)}});
    desk.hint({"semaphore:s"});
    desk.serve();
    ASSERT_TRUE(desk.lock("semaphore:s"));
    EXPECT_EQ(desk.lock("semaphore:s")->holders.size(), 1U) << "who came again, beside one who has lapsed";
  }
}

TEST(NodeWatchQueue, readsALockWhosePlacesLapseNoOftenerThanTheyDo) {
  Desk desk;
  const auto now = static_cast<double>(desk.moment().wall.time_since_epoch().count()) / 1000;
  desk.hash("f", {{owner1, "1"}}, seconds(300));
  std::vector<std::string> queue;
  std::vector<std::pair<std::string, double>> places;
  for (int i = 0; i < 500; ++i) {
    queue.push_back(std::string(uuid2) + ":" + std::to_string(i));
    places.emplace_back(queue.back(), now + 1000 + i);
  }
  desk.list("redisson_lock_queue:{f}", queue);
  desk.zset("redisson_lock_timeout:{f}", places);
  desk.connect();
  EXPECT_EQ(desk.lock("f")->waiters, 500U);
  const auto before = desk.served["LRANGE"];
  for (int i = 0; i < 3000; ++i) {
    desk.pass(milliseconds(1));
    desk.serve();
  }
  EXPECT_EQ(desk.lock("f")->waiters, std::nullopt);
  EXPECT_LE(desk.served["LRANGE"] - before, 10U);
}

TEST(NodeWatchQueue, tellsHowManyPermitsAreFreeAsSoonAsTheirNumberChanges) {
  Desk desk;
  const auto free = [&desk] { return desk.lock("sem")->extras.front().value; };
  const auto lapses = static_cast<double>(desk.moment().wall.time_since_epoch().count()) / 1000 + 300'000;
  desk.string("sem", "3");
  desk.zset("{sem}:timeout", {{"\x01\xff\x80\x03\x9a\xbc\xde\xf0\x11\x92\x13\xf4\x15\x96\x17\xf8", lapses}});
  desk.connect();
  ASSERT_NE(desk.lock("sem"), nullptr);
  ASSERT_EQ(desk.lock("sem")->family, "redisson-permits");
  EXPECT_EQ(free(), "3");
  desk.story();
  desk.string("sem", "8"); // INCRBY sem 5: addPermits(5)
  desk.hint({"sem"});
  desk.serve();
  EXPECT_EQ(free(), "8");
  EXPECT_EQ(desk.story(), "count sem");
  desk.hint({"sem"});
  desk.serve();
  EXPECT_EQ(desk.story(), "") << "nothing has changed";
}

TEST(NodeWatchQueue, showsAFreeLockThatOthersWaitFor) {
  Desk desk;
  desk.list("redisson_lock_queue:{f}", {owner2});
  desk.connect();
  ASSERT_EQ(desk.watch.cache().size(), 1U);
  EXPECT_EQ(stateAt(*desk.lock("f"), desk.now()), LockState::Waiting);
  desk.hash("f", {{owner2, "1"}}, seconds(30));
  desk.remove("redisson_lock_queue:{f}");
  desk.hint({"redisson_lock_queue:{f}", "f"});
  desk.serve();
  EXPECT_EQ(desk.lock("f")->family, "redisson-fair") << "it stays what it was, even with nobody waiting";
  EXPECT_EQ(desk.lock("f")->waiters, 0U);
}

TEST(NodeWatchQueue, readsALockOnceForAllTheKeysThatTheSweepMeetsBesideIt) {
  Desk desk;
  for (int i = 0; i < 100; ++i) {
    const auto name = "f" + std::to_string(i);
    desk.hash(name, {{owner1, "1"}});
    desk.list("redisson_lock_queue:{" + name + "}", {owner2});
    desk.zset("redisson_lock_timeout:{" + name + "}", {{owner2, 1.9e12}});
  }
  desk.connect();
  EXPECT_EQ(desk.lock("f99")->waiters, 1U);
  EXPECT_EQ(desk.served["LRANGE"], 100U);
}

TEST(NodeWatchQueue, givesAQueueToTheBracedNameWhenTheLockIsThere) {
  Desk desk;
  desk.hash("{f}", {{owner1, "1"}}, seconds(30));
  desk.list("redisson_lock_queue:{f}", {owner2});
  desk.connect();
  EXPECT_EQ(desk.lock("f"), nullptr);
  EXPECT_EQ(desk.watch.cache().size(), 1U) << desk.story();
  EXPECT_EQ(desk.lock("{f}")->waiters, 1U);
}

TEST(NodeWatchQueue, showsWhoStillWaitsWhenOtherDataUnderTheNameGoes) {
  for (const auto *value : {hex32, "two words"}) {
    Desk desk;
    desk.connect();
    desk.string("lock:a", value);
    desk.list("redisson_lock_queue:{lock:a}", {owner2});
    desk.hint({"lock:a", "redisson_lock_queue:{lock:a}"});
    desk.serve();
    desk.remove("lock:a");
    desk.hint({"lock:a"});
    desk.serve();
    ASSERT_NE(desk.lock("lock:a"), nullptr) << value;
    EXPECT_EQ(desk.lock("lock:a")->waiters, 1U);
    desk.remove("redisson_lock_queue:{lock:a}");
    desk.hint({"redisson_lock_queue:{lock:a}"});
    desk.serve();
    EXPECT_EQ(desk.lock("lock:a"), nullptr);
  }
}

TEST(NodeWatchQueue, doesNotCallReplacedWhatWentWhileAnotherKeyLiesBesideIt) {
  Desk desk;
  const std::string holder = "abcdefghijklmnopqrstuvw1"; // of python-redis-lock, whose release leaves a list behind
  desk.string("lock:n", holder, seconds(30));
  desk.list("lock-signal:n", {"1"});
  desk.connect();
  ASSERT_NE(desk.lock("lock:n"), nullptr);
  desk.story();
  desk.remove("lock:n");
  desk.hint({"lock:n", "lock-signal:n"});
  desk.serve();
  EXPECT_EQ(desk.story(), "vanished lock:n");
}

TEST(NodeWatchQueue, doesNotCallReplacedASemaphoreWhosePermitsCameBack) {
  Desk desk;
  const std::string permit("\x01\xff\x80\x03\x9a\xbc\xde\xf0\x11\x92\x13\xf4\x15\x96\x17\xf8", 16);
  const auto take = [&] {
    desk.string("sem", "2");
    desk.zset("{sem}:timeout", {{permit, 1e15}});
    desk.hint({"sem", "{sem}:timeout"});
    desk.serve();
  };
  desk.connect();
  take();
  ASSERT_NE(desk.lock("sem"), nullptr);
  desk.story();
  desk.remove("{sem}:timeout");
  desk.string("sem", "3");
  desk.hint({"sem", "{sem}:timeout"});
  desk.serve();
  EXPECT_EQ(desk.story(), "vanished sem");
  take();
  desk.story();
  desk.remove("{sem}:timeout");
  desk.string("sem", "<html>");
  desk.hint({"sem", "{sem}:timeout"});
  desk.serve();
  EXPECT_EQ(desk.story(), "vanished sem (replaced)");
}

TEST(NodeWatchQueue, isNotBlindedByAWrongTypeUnderAQueueName) {
  Desk desk;
  desk.hash("f", {{owner1, "1"}}, seconds(30));
  desk.string("redisson_lock_queue:{f}", "not a list");
  desk.connect();
  ASSERT_NE(desk.lock("f"), nullptr);
  EXPECT_THAT(englishOf(desk.lock("f")->evidence), testing::Contains("redisson_lock_queue:{f} beside it holds something else"));
}

} // namespace
} // namespace lockhouse::test
