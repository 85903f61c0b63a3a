// SPDX-License-Identifier: Apache-2.0
#include "core/lab/demo/demo.h"
#include "core/lab/sandbox/sandbox.h"
#include "core/lock/formats/stripe.h"
#include "core/lock/primitives/primitive.h"
#include "tests/server/lab/raw_redis.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <thread>

using namespace lockhouse;
using namespace std::chrono_literals;
using test::RawRedis;

namespace {

// Generous: the promise is two seconds on a free machine.
bool appears(auto &&condition) {
  const auto deadline = std::chrono::steady_clock::now() + 40s;
  while (std::chrono::steady_clock::now() < deadline) {
    if (condition())
      return true;
    std::this_thread::sleep_for(5ms);
  }
  return false;
}

struct DemoOnServers : testing::Test {
  DemoOnServers() : demo(std::move(Demo::start().value())), a(demo->nodes()[0].path), b(demo->nodes()[1].path) {}
  std::unique_ptr<Demo> demo;
  RawRedis a, b;
};

// Whose formats are those of Mutexes, so that metrics do not tell them apart; seen on the servers instead.
bool isBuiltOnSight(std::string_view name) { return name == "RedLock" || name == "StripedLock" || name == "FallbackLock"; }

long serverPid(RawRedis &redis) {
  const auto info = redis({"INFO", "server"});
  return std::stol(info.substr(info.find("process_id:") + 11));
}

long subscribers(RawRedis &redis, const std::string &channel) {
  const auto lines = redis.lines({"PUBSUB", "NUMSUB", channel});
  return lines.size() == 2 ? std::stol(lines[1]) : -1;
}

} // namespace

TEST_F(DemoOnServers, hasAReentrantLockThreeDeep) {
  EXPECT_TRUE(appears([&] { return a({"HVALS", "stock:sku-204"}) == "3"; }));
  EXPECT_GT(a.number({"PTTL", "stock:sku-204"}), 0);
}

TEST_F(DemoOnServers, hasAContendedLockWhoseWaitersListen) {
  EXPECT_TRUE(appears([&] { return a({"TYPE", "cache:warm:home"}) == "hash" && subscribers(a, "redisson_lock__channel:{cache:warm:home}") >= 2; }));
}

TEST_F(DemoOnServers, hasAFairQueueOfSixThatMovesOnAndFillsUpAgain) {
  const std::string name = "order:{8841}:pay", queue = "redisson_lock_queue:" + name, deadlines = "redisson_lock_timeout:" + name;
  ASSERT_TRUE(appears([&] { return a.number({"LLEN", queue}) == 6 && a.number({"HLEN", name}) == 1; }));
  EXPECT_EQ(a.number({"ZCARD", deadlines}), 6);
  const auto head = a({"LINDEX", queue, "0"});
  const auto next = a({"LINDEX", queue, "1"});
  const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  EXPECT_GT(a.number({"ZSCORE", deadlines, head}), now);
  EXPECT_TRUE(appears([&] { return a({"HKEYS", name}) == head; })) << "the head gets its turn";
  EXPECT_TRUE(appears([&] { return a.number({"LLEN", queue}) == 6; }));
  EXPECT_TRUE(appears([&] { return a({"HKEYS", name}) == next; })) << "and then the one behind it";
}

TEST_F(DemoOnServers, fairQueueReactsToAReleaseFromOutside) {
  const std::string name = "order:{8841}:pay", queue = "redisson_lock_queue:" + name;
  ASSERT_TRUE(appears([&] { return a.number({"LLEN", queue}) == 6; }));
  const auto head = a({"EVAL",
                       "redis.call('del', KEYS[1]) local head = redis.call('lindex', KEYS[2], 0) redis.call('publish', 'redisson_lock__channel:' .. KEYS[1] .. "
                       "':' .. head, '0') return head",
                       "2", name, queue});
  EXPECT_TRUE(appears([&] { return a({"HKEYS", name}) == head; }));
}

TEST_F(DemoOnServers, hasReadersAndAWaitingWriterWhoGetsInAtLast) {
  EXPECT_TRUE(appears([&] { return b({"HGET", "report:daily", "mode"}) == "read" && b.number({"HLEN", "report:daily"}) >= 3; }));
  EXPECT_TRUE(appears([&] { return subscribers(b, "redisson_rwlock:{report:daily}") == 1; }));
  EXPECT_TRUE(appears([&] { return !b({"KEYS", "{report:daily}:*:rwlock_timeout:1"}).empty(); }));
  EXPECT_TRUE(appears([&] { return b({"HGET", "report:daily", "mode"}) == "write"; }));
}

TEST_F(DemoOnServers, hasALockThatNeverExpires) {
  EXPECT_TRUE(appears([&] { return b({"GET", "lock:batch:reindex"}).size() == 32 && b.number({"PTTL", "lock:batch:reindex"}) == -1; }));
}

TEST_F(DemoOnServers, hasALockWhoseHolderStopsRenewing) {
  const auto left = [&] { return a.number({"PTTL", "invoice:settle"}); };
  long least = 0, renewals = 0;
  EXPECT_TRUE(appears([&] {
    const auto now = left();
    if (now > least && least > 0)
      ++renewals;
    least = now;
    return renewals >= 2;
  }));
  EXPECT_TRUE(appears([&] { return left() > 0 && left() < 41000; })) << "four seconds without a renewal, where one came every 0.4 s";
  EXPECT_EQ(subscribers(a, "redisson_lock__channel:{invoice:settle}"), 1);
}

TEST_F(DemoOnServers, mutexesComeAndGoOnBothNodes) {
  for (auto *redis : {&a, &b}) {
    const char *key = redis == &a ? "lock:coupon:{9}:redeem" : "lock:seat:K-12";
    std::string first;
    EXPECT_TRUE(appears([&] { return (first = (*redis)({"GET", key})).size() == 32; }));
    EXPECT_TRUE(appears([&] {
      const auto other = (*redis)({"GET", key});
      return other.size() == 32 && other != first;
    }));
  }
}

// By the library's own count: taken, asked for in vain while somebody else had it, and given back.
TEST_F(DemoOnServers, everyPrimitiveIsTakenWantedByOthersAndGivenBack) {
  std::vector<std::string_view> names;
  for (const auto &info : primitiveInfos())
    if (!isBuiltOnSight(info.name))
      names.push_back(info.name);
  EXPECT_GT(names.size(), Primitive::all().size());
  for (const auto name : names)
    EXPECT_TRUE(appears([&] {
      std::uint64_t acquired = 0, refusals = 0, released = 0;
      for (const auto &metrics : demo->metrics())
        if (const auto *lock = metrics.of(name)) {
          acquired += lock->acquired;
          refusals += lock->refusals;
          released += lock->releasedAs(ReleaseOutcome::Released);
        }
      return acquired > 1 && refusals > 0 && released > 0;
    })) << name;
}

TEST_F(DemoOnServers, hasARedLockThatIsHeldAtAllNodesAndChangesHands) {
  RawRedis c(demo->nodes()[2].path);
  const auto holder = [&] {
    const auto token = a({"GET", "lock:payout:daily"});
    return token.size() == 32 && b({"GET", "lock:payout:daily"}) == token && c({"GET", "lock:payout:daily"}) == token ? token : std::string();
  };
  std::string first;
  EXPECT_TRUE(appears([&] { return !(first = holder()).empty(); }));
  EXPECT_TRUE(appears([&] {
    const auto next = holder();
    return !next.empty() && next != first;
  }));
}

TEST_F(DemoOnServers, hasAStripeThatChangesHands) {
  const auto key = "lock:accounts:stripe:" + std::to_string(stripeOf("account:4711", 4));
  std::string first;
  EXPECT_TRUE(appears([&] { return (first = b({"GET", key})).size() == 32; }));
  EXPECT_TRUE(appears([&] {
    const auto next = b({"GET", key});
    return next.size() == 32 && next != first;
  }));
}

TEST_F(DemoOnServers, hasAFallbackLockThatGoesOnWhileItsServiceHasNoWayToRedisAndComesBack) {
  RawRedis c(demo->nodes()[2].path);
  const auto made = [&c](const char *scope) { return std::atol(c({"GET", std::string("report:made:") + scope}).c_str()); };
  EXPECT_TRUE(appears([&] { return c({"GET", "lock:report:weekly"}).size() == 32; }));
  EXPECT_TRUE(appears([&] { return made("redis") >= 2; }));
  ASSERT_TRUE(appears([&] { return made("process") >= 2; }));
  const auto before = made("redis");
  EXPECT_TRUE(appears([&] { return made("redis") > before + 1; })) << "it binds all again once the way is back";
}

TEST_F(DemoOnServers, hasALockThatIsHeldOnlyWhenAReplicaHasItAndClosesThePortBehindIt) {
  RawRedis c(demo->nodes()[2].path);
  std::string first;
  EXPECT_TRUE(appears([&] { return (first = c({"GET", "lock:transfer:7"})).size() == 32; }));
  EXPECT_TRUE(appears([&] {
    const auto next = c({"GET", "lock:transfer:7"});
    return next.size() == 32 && next != first;
  }));
  // Nothing else is asked of that node's services than this lock.
  EXPECT_TRUE(appears([&] {
    const auto metrics = demo->metrics();
    const auto *lock = metrics[8].of("Mutex");
    return lock != nullptr && lock->acquired > 0;
  })) << "by the first service, once the replica had said so";
  EXPECT_TRUE(c({"INFO", "commandstats"}).contains("cmdstat_wait:"));
  EXPECT_TRUE(c({"INFO", "replication"}).contains("state=online"));
  EXPECT_TRUE(appears([&] { return c({"CONFIG", "GET", "port"}).ends_with("\n0"); }));
}

TEST_F(DemoOnServers, hasDataThatIsNoLock) {
  for (auto *redis : {&a, &b}) {
    EXPECT_TRUE(appears([&] { return (*redis)({"TYPE", "session:0007"}) == "string" && (*redis)({"TYPE", "user:7007"}) == "hash"; }));
    EXPECT_TRUE(appears([&] { return redis->number({"GET", "count:views"}) >= 2; }));
  }
}

TEST(Demo, leavesNothingBehind) {
  auto demo = Demo::start();
  ASSERT_TRUE(demo) << demo.error().sentence();
  std::vector<long> pids;
  std::vector<std::string> sockets;
  for (const auto &node : (*demo)->nodes()) {
    RawRedis redis(node.path);
    pids.push_back(serverPid(redis));
    sockets.push_back(node.path);
  }
  ASSERT_EQ(pids.size(), 3U);
  demo->reset();
  for (const auto pid : pids)
    EXPECT_FALSE(std::filesystem::exists("/proc/" + std::to_string(pid)));
  for (const auto &socket : sockets)
    EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(socket).parent_path()));
}

TEST(Demo, withoutRedisServerSaysSoInOneSentence) {
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", "/nonexistent", 1);
  const auto demo = Demo::start();
  ::setenv("PATH", path.c_str(), 1);
  ASSERT_FALSE(demo);
  EXPECT_EQ(demo.error().code, ErrorCode::Unreachable);
  EXPECT_NE(demo.error().sentence().find("redis-server was not found"), std::string::npos);
}
