// SPDX-License-Identifier: Apache-2.0
// One lock, one row: what lies beside a lock has none of its own, though it looks like a lock of another family.
#include "tests/unit/watch/desk.h"

#include <gmock/gmock.h>

namespace lockhouse::test {
namespace {

struct BesideRows : testing::Test {
  static constexpr auto number = "lock:perm", permits = "{lock:perm}:timeout";
  static constexpr milliseconds serverAhead{1'700'000'000'000}; // as its clock is
  Desk desk;
  void putPermits() {
    const double end = static_cast<double>(std::chrono::duration_cast<milliseconds>(desk.now().time_since_epoch() + serverAhead + seconds(90)).count());
    desk.zset(permits, {{std::string("\xfe\x86\x9b\x92o8\x9eI\xa5h\x81J\xce\x8c\x36\xc6"), end}});
  }
};

TEST_F(BesideRows, haveNoneWhereASweepMeetsBoth) {
  desk.string(number, "3");
  putPermits();
  desk.connect();
  ASSERT_TRUE(desk.lock(number));
  EXPECT_EQ(desk.lock(number)->family, "redisson-permits");
  EXPECT_FALSE(desk.lock(permits)) << "its name speaks of a lock, and its members have ends";
}

TEST_F(BesideRows, loseTheirsWhereTheLockIsSeenLater) {
  constexpr auto grabbed = "SEMAPHORE:lock:7:GRABBED", exists = "SEMAPHORE:lock:7:EXISTS";
  desk.string(exists, "1");
  desk.connect();
  ASSERT_TRUE(desk.lock(exists)) << "a mark of SETNX, as far as is known";
  desk.hash(grabbed, {{"0", "1795271640.4"}});
  desk.hint({grabbed});
  desk.serve();
  EXPECT_TRUE(desk.lock(grabbed));
  EXPECT_FALSE(desk.lock(exists));
}

TEST_F(BesideRows, keepTheirsBesideALockOfAnotherFamily) {
  desk.string(number, std::string(32, 'a').replace(0, 4, "7f3e"), seconds(30));
  putPermits();
  desk.connect();
  ASSERT_TRUE(desk.lock(number));
  EXPECT_EQ(desk.lock(number)->family, "token");
  EXPECT_TRUE(desk.lock(permits));
}

TEST_F(BesideRows, keepTheirsWhereAStringOfThatNameHasAnOwner) {
  constexpr auto owner = "lock:owner:orders", end = "lock:expire:orders";
  desk.string(owner, "web-0:4711");
  desk.string(end, "7f3e6850e387550fdab836ed7e6dc881", seconds(30));
  desk.connect();
  EXPECT_TRUE(desk.lock(owner));
  ASSERT_TRUE(desk.lock(end)) << "the gem keeps a time there, and no lease";
  EXPECT_EQ(desk.lock(end)->family, "token");
}

TEST_F(BesideRows, ofALockByHandAreItsQueueAndItsNotes) {
  constexpr auto lock = "lock:orders", job = "lock:orders:sync";
  desk.list("lock:orders:queue", {"4f786850-e387-450f-8aba-6ed7e6dc8811"});
  desk.string("lock:orders:last_holder", "web-7");
  desk.string(job, "web-7", seconds(30));
  desk.connect();
  EXPECT_TRUE(desk.lock("lock:orders:queue")) << "of a lock of orders nothing is known";
  EXPECT_TRUE(desk.lock("lock:orders:last_holder"));
  desk.string(lock, "3f786850e387550fdab836ed7e6dc881", seconds(30));
  desk.hint({lock});
  desk.serve();
  EXPECT_TRUE(desk.lock(lock));
  EXPECT_TRUE(desk.lock(job));
  EXPECT_FALSE(desk.lock("lock:orders:queue"));
  EXPECT_FALSE(desk.lock("lock:orders:last_holder"));
  desk.string("lock:memo", "<p>what to do</p>", seconds(30)); // a row, though not one that is shown
  desk.string("lock:memo:owner", "web-7");
  desk.hint({"lock:memo", "lock:memo:owner"});
  desk.serve();
  ASSERT_TRUE(desk.lock("lock:memo") && desk.lock("lock:memo")->isDoubtful());
  EXPECT_TRUE(desk.lock("lock:memo:owner"));
  desk.string("lock:orders:owner", "web-7");
  desk.hint({"lock:orders:owner"});
  desk.serve();
  EXPECT_FALSE(desk.lock("lock:orders:owner"));
}

// npm's redis-lock calls a lock of events as walrus calls the list beside a lock of its own.
TEST_F(BesideRows, keepTheirsWhereAnotherTypeHasAnybodysName) {
  constexpr auto event = "lock.event:17", met = "lock-signal:7", list = "lock.event:18";
  desk.string(event, "1795827573010", seconds(20));
  desk.list(list, {"1"});
  desk.connect();
  EXPECT_TRUE(desk.lock(event));
  EXPECT_FALSE(desk.lock(list));
  desk.hash(met, {{owner1, "1"}}, seconds(30));
  desk.hint({met});
  desk.serve();
  EXPECT_TRUE(desk.lock(met));
}

// A key of each that the sweep meets in a page, and the other pages later.
TEST_F(BesideRows, areToldAsOneLockThatAppearsWhereverTheSweepMeetsThem) {
  const auto fill = [this](const std::string &between) {
    for (int i = 0; i < 9; ++i)
      desk.hash(between + std::to_string(i), {{"colour", "red"}});
  };
  const std::string digest = "uniquejobs:0123456789abcdef0123456789abcdef", job(24, 'a');
  desk.hash(digest + ":LOCKED", {{job, "1795271640.4"}});
  fill(digest + ":M");
  desk.list(digest + ":QUEUED", {std::string(24, 'b')});
  desk.string("lock:expire:orders", "1795300300");
  fill("lock:f");
  desk.string("lock:owner:orders", "web-0:4711");
  desk.hash("fair", {{owner1, "1"}}, seconds(30));
  fill("g");
  desk.list("redisson_lock_queue:{fair}", {owner2});
  desk.connect();
  EXPECT_EQ(desk.lock("fair")->waiters, 1U);
  auto told = desk.story();
  EXPECT_EQ(told, "appeared fair, appeared lock:owner:orders, appeared " + digest + ":LOCKED");
  desk.list("redisson_lock_queue:{fair}", {owner2, owner1});
  desk.hint({"redisson_lock_queue:{fair}"});
  desk.serve();
  EXPECT_EQ(desk.story(), "waiters fair");
}

} // namespace
} // namespace lockhouse::test
