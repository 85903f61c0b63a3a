// SPDX-License-Identifier: Apache-2.0
// What a watcher finds on a real server.
#include "tests/server/watch/watch_house.h"

#include <fmt/format.h>

#include <algorithm>

namespace lockhouse::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::UnorderedElementsAre;
using testing::UnorderedElementsAreArray;

using WatchLists = WatchHouse;

TEST_F(WatchLists, nothingOnAnEmptyKeyspace) {
  Watched watched({uri()});
  ASSERT_TRUE(watched.becomesLive());
  EXPECT_THAT(watched.keys(), ElementsAre());
  EXPECT_EQ(watched.status().feed, FeedKind::Tracking);
  EXPECT_EQ(watched.status().role, "master");
  EXPECT_FALSE(watched.status().runId.empty());
  EXPECT_TRUE(watched.status().scanComplete);
}

TEST_F(WatchLists, tokenMutexesWithHolderAndLease) {
  const std::map<std::string, std::string> tokens{{"lock:py", std::string(hex32)},
                                                  {"lock:uuid", std::string(uuid1)},
                                                  {"lock:redsync", "AAECAwQFBgcICQoLDA0ODw=="},
                                                  {"lock:long", std::string(hex32) + "3f786850"}};
  for (const auto &[key, token] : tokens)
    redis({"SET", key, token, "NX", "PX", "20000"});
  Watched watched({uri()});
  ASSERT_TRUE(watched.becomesLive());
  EXPECT_EQ(watched.keys().size(), tokens.size());
  for (const auto &[key, token] : tokens) {
    const auto lock = watched.lock(key);
    ASSERT_TRUE(lock) << key;
    EXPECT_EQ(lock->family, "token");
    EXPECT_EQ(lock->holders, (std::vector<Holder>{{token, 1, HoldMode::Exclusive}}));
    EXPECT_LE(*timeLeft(*lock, SteadyClock::now()), seconds(20));
    EXPECT_GT(*timeLeft(*lock, SteadyClock::now()), seconds(5));
    EXPECT_EQ(lock->waiters, std::nullopt);
  }
}

TEST_F(WatchLists, ordinaryDataIsNoLock) {
  const std::map<std::string, std::string> data{
      {"session:1", "{\"user\":1}"},       {"page:home", "<html></html>"},   {"counter", "17"},  {"price", "12.50"}, {"flag", "true"},
      {"cache:1", std::string(4000, 'x')}, {"date", "2026-11-20T10:00:00Z"}, {"ip", "10.0.0.7"}, {"empty", ""},      {"mail", "a@example.org"},
      {"blob", std::string("\0\1\2", 3)}};
  for (const auto &[key, value] : data)
    redis({"SET", key, value, "PX", "30000"});
  redis({"HSET", "user:1", "name", "Alice", "age", "30"});
  redis({"HSET", "one", "field", "1"});
  redis({"RPUSH", "jobs", "1", "2"});
  redis({"ZADD", "board", "1", "alice"});
  redis({"SADD", "tags", "a"});
  redis({"XADD", "log", "*", "a", "b"});
  Watched watched({uri()});
  ASSERT_TRUE(watched.becomesLive());
  EXPECT_THAT(watched.keys(), ElementsAre());
  EXPECT_EQ(watched.status().keysScanned, data.size() + 6);
}

TEST_F(WatchLists, redissonLocksOfEveryKind) {
  redis({"HSET", "stock", owner1, "3"});
  redis({"PEXPIRE", "stock", "30000"});
  redis({"HSET", "stuck", owner2, "1"});
  redis({"SET", "redisson_lock_token:{stuck}", "33"});
  fairLock("plain", {owner2, owner1});
  fairLock("order:{7}:pay", {owner2});
  redis({"HSET", "report", "mode", "read", owner1, "1", owner2, "2"});
  redis({"SET", "{report}:" + owner1 + ":rwlock_timeout:1", "1", "PX", "30000"});
  redis({"HSET", "ledger", "mode", "write", owner1 + ":write", "1"});
  Watched watched({uri()});
  ASSERT_TRUE(watched.becomesLive());
  EXPECT_THAT(watched.keys(), ElementsAre("ledger", "order:{7}:pay", "plain", "report", "stock", "stuck"));
  EXPECT_EQ(watched.lock("stock")->family, "redisson-lock");
  EXPECT_EQ(watched.lock("stock")->holders.at(0).count, 3);
  EXPECT_EQ(stateAt(*watched.lock("stuck"), SteadyClock::now()), LockState::NeverExpires);
  EXPECT_EQ(watched.lock("stuck")->fence, Fence{33});
  const auto fair = watched.lock("plain");
  EXPECT_EQ(fair->family, "redisson-fair");
  EXPECT_EQ(fair->waiters, 2U);
  ASSERT_EQ(fair->queue.size(), 2U);
  EXPECT_EQ(fair->queue[0].id, owner2);
  ASSERT_TRUE(fair->queue[0].leavesAt);
  const auto left = *fair->queue[0].leavesAt - SteadyClock::now();
  EXPECT_GT(left, seconds(250));
  EXPECT_LE(left, seconds(301));
  EXPECT_EQ(watched.lock("report")->holders.size(), 2U);
  EXPECT_EQ(watched.lock("ledger")->holders.at(0).mode, HoldMode::Write);
}

TEST_F(WatchLists, eachReadersLeaseAsItIsRenewedOrLapses) {
  const auto lease = [](const std::string &reader) { return "{rw}:" + reader + ":rwlock_timeout:1"; };
  redis({"HSET", "rw", "mode", "read", owner1, "1", owner2, "1"});
  redis({"PEXPIRE", "rw", "90000"});
  redis({"SET", lease(owner1), "1", "PX", "60000"});
  redis({"SET", lease(owner2), "1", "PX", "60000"});
  Watched watched({uri()});
  ASSERT_TRUE(watched.becomesLive());
  const auto left = [&](const std::string &reader) {
    const auto row = watched.lock("rw");
    const auto holder = std::ranges::find(row->holders, reader, &Holder::id);
    return holder == row->holders.end() || !holder->expiresAt ? seconds(-1) : std::chrono::round<seconds>(*holder->expiresAt - row->seenAt);
  };
  EXPECT_TRUE(left(owner1) > seconds(0) && left(owner1) <= seconds(60));
  redis({"PEXPIRE", lease(owner2), "80000"});
  EXPECT_TRUE(eventually([&] { return left(owner2) > seconds(60); }));
  redis({"PEXPIRE", lease(owner1), "1"});
  EXPECT_TRUE(eventually([&] { return left(owner1) == seconds(0); }));
  EXPECT_GT(left(owner2), seconds(60));
}

std::string epoch(seconds ahead) { return std::to_string(std::chrono::floor<milliseconds>((wallNow() + ahead).time_since_epoch()).count()); }

TEST_F(WatchLists, holdsThatEndBeforeTheirKeyDoes) {
  redis({"ZADD", "pool", epoch(seconds(20)), "web-1_4711_3f786850e387550fdab836ed7e6dc881"});
  redis({"PEXPIRE", "pool", "90000"});
  redis({"ZADD", "short", epoch(seconds(90)), "web-1_4711_3f786850e387550fdab836ed7e6dc881"});
  redis({"PEXPIRE", "short", "20000"});
  Watched watched({uri()});
  ASSERT_TRUE(watched.becomesLive());
  for (const auto *key : {"pool", "short"}) {
    ASSERT_TRUE(watched.lock(key)) << key;
    const auto left = timeLeft(*watched.lock(key), SteadyClock::now());
    ASSERT_TRUE(left) << key;
    EXPECT_LE(*left, seconds(21)) << key;
    EXPECT_GT(*left, seconds(5)) << key;
  }
}

TEST_F(WatchLists, theOneWhoHoldsItBehindThousandsWhoseLeaseIsOver) {
  Command pool{"ZADD", "pool"}, permits{"ZADD", "{permits}:timeout"};
  for (int i = 0; i < 2500; ++i) {
    pool.arg(epoch(seconds(-9000 + i))).arg(fmt::format("web-1_4711_{:032x}", i));
    permits.arg(epoch(seconds(-9000 + i))).arg(fmt::format("{:016x}", i));
  }
  pool.arg(epoch(seconds(60))).arg("web-9_4711_3f786850e387550fdab836ed7e6dc881");
  permits.arg(epoch(seconds(60))).arg("sixteenbyteslong");
  m_redis->send(std::move(pool));
  m_redis->send(std::move(permits));
  redis({"SET", "permits", "3"});
  Watched watched({uri()});
  ASSERT_TRUE(watched.becomesLive());
  for (const auto *key : {"pool", "permits"}) {
    const auto lock = watched.lock(key);
    ASSERT_TRUE(lock) << key;
    EXPECT_EQ(lock->holders.size(), 1U) << key;
    EXPECT_EQ(lock->unread, 0U) << key << ": all that were not read have lapsed too";
    EXPECT_LE(*timeLeft(*lock, SteadyClock::now()), seconds(61)) << key;
  }
}

TEST_F(WatchLists, aReadWriteLockOfAThousandReaders) {
  Command command{"HSET", "rw", "mode", "read"};
  for (int i = 0; i < 1000; ++i)
    command.arg(std::string(uuid1) + ":" + std::to_string(i)).arg("1");
  m_redis->send(std::move(command));
  Watched watched({uri()});
  ASSERT_TRUE(watched.becomesLive());
  ASSERT_TRUE(watched.lock("rw"));
  EXPECT_EQ(watched.lock("rw")->holders.size(), 1000U);
}

TEST_F(WatchLists, aQueueThatComesBesideALockOfOurOwn) {
  Watched watched({uri()});
  ASSERT_TRUE(watched.becomesLive());
  const std::string holder = std::string(uuid1) + ":1", waiter = std::string(uuid1) + ":2";
  for (const auto &[key, prefix, suffix] : {std::tuple("rw", "r/", ""), std::tuple("pool", "", "/1")}) {
    redis({"ZADD", key, "1895300000000", prefix + holder + suffix});
    EXPECT_TRUE(eventually([&] { return watched.lock(key) != nullptr; })) << key;
    redis({"ZADD", "lockhouse:queue:{" + std::string(key) + "}", "1", waiter});
    EXPECT_TRUE(eventually([&] { return watched.lock(key) && watched.lock(key)->waiters == 1; })) << key << ": whichever family a queue of that name may be of";
  }
}

TEST_F(WatchLists, hostileNamesExactly) {
  std::vector<std::string> names{"lock:<b>bold</b><img src=x>",
                                 "lock:\x1b[31mred\x07",
                                 "lock:\u202egnp.exe",
                                 "lock:\xff\xfe",
                                 "lock:%s%n{}",
                                 "lock:*?[a]",
                                 "lock:" + std::string(100'000, 'k'),
                                 "lock:订单",
                                 std::string("lock:\0nul", 9),
                                 "lock:\r\n$3\r\nfoo"};
  for (const auto &name : names)
    redis({"SET", name, hex32, "PX", "60000"});
  redis({"SET", "lock:" + std::string(2'000'000, 'k'), hex32, "PX", "60000"}); // longer than the reader keeps: skipped, not fatal
  Watched watched({uri()});
  ASSERT_TRUE(watched.becomesLive());
  EXPECT_THAT(watched.keys(), UnorderedElementsAreArray(names));
  for (const auto &name : names)
    redis({"DEL", name});
  ASSERT_TRUE(eventually([&] { return watched.keys().empty(); }));
}

TEST_F(WatchLists, manyVeryLongNamesDoNotStopIt) {
  for (int i = 0; i < 30; ++i)
    redis({"SET", "lock:" + std::string(900'000, 'k') + std::to_string(i), hex32, "PX", "600000"});
  redis({"SET", "lock:a", hex32});
  Watched watched({uri()});
  ASSERT_TRUE(eventually([&] { return watched.isLive() && watched.lock("lock:a"); }, seconds(60)));
  EXPECT_EQ(watched.keys().size(), 31U);
}

TEST_F(WatchLists, nothingOfTenMegabytesIsFetchedWhateverHoldsIt) {
  const std::string huge(10'000'000, 'x');
  redis({"SET", "lock:text", huge});
  redis({"HSET", "lock:field", huge, "1"});
  redis({"HSET", "stock", owner1, "1", "note", huge});
  redis({"HSET", "count", owner1, huge});
  redis({"HSET", "lock:count", owner1, huge});
  redis({"HSET", "modes", "mode", huge, owner1, "1"});
  redis({"RPUSH", "lock:list", huge});
  redis({"SADD", "lock:set", huge});
  redis({"ZADD", "lock:zset", "1", huge});
  redis({"ZADD", "board", "1", huge});
  fairLock("fair", {owner2});
  redis({"LPUSH", "redisson_lock_queue:{fair}", huge});
  redis({"CONFIG", "RESETSTAT"});
  {
    Watched watched({uri()});
    ASSERT_TRUE(watched.becomesLive());
    redis({"HSET", "stock", owner1, "2"});
    redis({"RPUSH", "lock:list", "y"});
    EXPECT_TRUE(watched.catchesUp());
    ASSERT_TRUE(watched.lock("fair"));
    EXPECT_EQ(watched.lock("fair")->waiters, 2U);
  }
  EXPECT_LT(bytesSent(), 1'000'000U);
}

TEST_F(WatchLists, aLockOfAVeryLongNameIsShown) {
  const std::string name(200'000, 'n');
  redis({"HSET", name, owner1, "1"});
  redis({"PEXPIRE", name, "600000"});
  Watched watched({uri()});
  ASSERT_TRUE(watched.becomesLive());
  EXPECT_TRUE(watched.lock(name));
}

// On average its entries are small, as far as the server samples them: it is fetched once, and then no more.
TEST_F(WatchLists, oneLongEntryAmongManyShortOnesIsNotFetchedAgainAndAgain) {
  const std::string huge(2'000'000, 'x');
  fairLock("fair", {owner2});
  redis({"LPUSH", "redisson_lock_queue:{fair}", huge});
  redis({"RPUSH", "lock:list", huge});
  redis({"ZADD", "schedule", "1", huge});
  redis({"SADD", "book:1.readers", huge});
  redis({"HSET", "0a1b2c3d4e5f60718293a4b5c6d7e8f9:LOCKED", huge, "1795300000.5"});
  std::vector<Command> commands;
  for (int i = 0; i < 3'000; ++i) {
    const auto entry = fmt::format("entry-{}-{}", i, std::string(300, 'y'));
    commands.push_back({"RPUSH", "redisson_lock_queue:{fair}", entry});
    commands.push_back({"RPUSH", "lock:list", entry});
    commands.push_back({"ZADD", "schedule", std::to_string(i + 2), entry});
    commands.push_back({"SADD", "book:1.readers", entry});
    commands.push_back({"HSET", "0a1b2c3d4e5f60718293a4b5c6d7e8f9:LOCKED", entry, "1795300000.5"});
  }
  (void)m_redis->pipeline(std::move(commands));
  redis({"CONFIG", "RESETSTAT"});
  {
    Watched watched({uri()});
    ASSERT_TRUE(watched.becomesLive());
    EXPECT_TRUE(watched.catchesUp());
    ASSERT_TRUE(watched.lock("fair"));
    EXPECT_EQ(watched.lock("fair")->waiters, 3'002U);
  }
  EXPECT_LT(bytesSent(), 30'000'000U);
}

TEST_F(WatchLists, wrongTypesUnderTheNamesBesideALock) {
  fairLock("f", {});
  redis({"SET", "redisson_lock_queue:{f}", "not a list"});
  fairLock("g", {owner2});
  redis({"DEL", "redisson_lock_timeout:{g}"});
  redis({"SET", "redisson_lock_timeout:{g}", "not a zset"});
  redis({"HSET", "redisson_lock_token:{f}", "a", "b"});
  redis({"SET", "redisson_lock_queue:{h}", "not a list, and no lock"});
  Watched watched({uri()});
  ASSERT_TRUE(watched.becomesLive());
  EXPECT_THAT(watched.keys(), UnorderedElementsAre("f", "g"));
  EXPECT_EQ(watched.lock("g")->waiters, 1U);
}

TEST_F(WatchLists, severalNodesAndDatabases) {
  auto other = startServer({.tcp = true, .config = {}});
  RawRedis second(other.unixUri());
  redis({"SET", "lock:a", hex32});
  second({"SELECT", "3"});
  second({"SET", "lock:b", hex32});
  auto third = other.tcpUri();
  third.db = 3;
  Watched watched({uri(), third, other.tcpUri()});
  ASSERT_TRUE(watched.becomesLive());
  EXPECT_THAT(watched.keys(), UnorderedElementsAre("lock:a", "lock:b"));
  EXPECT_EQ(watched.lock("lock:b")->id.db, 3);
  EXPECT_EQ(watched.lock("lock:b")->id.node.bytes(), third.address() + "/3") << "one address, watched twice";
  EXPECT_EQ(watched.lock("lock:a")->id.node.bytes(), uri().address());
}

TEST_F(WatchLists, onceForAListing) {
  redis({"SET", "lock:a", hex32, "PX", "20000"});
  Watched watched({uri()}, onceOnly());
  ASSERT_TRUE(watched.becomesLive());
  EXPECT_THAT(watched.keys(), ElementsAre("lock:a"));
  EXPECT_TRUE(watched.status().scanComplete);
}

TEST_F(WatchLists, whatIsOddBesideALockWhicheverOfTheTwoIsMetFirst) {
  for (int i = 0; i < 40; ++i) {
    const auto lock = "stock:" + std::to_string(i);
    redis({"HSET", lock, owner1, "1"});
    redis({"RPUSH", "redisson_lock_token:{" + lock + "}", "x"});
  }
  Watched watched({uri()}, onceOnly());
  ASSERT_TRUE(watched.becomesLive());
  for (int i = 0; i < 40; ++i) {
    const auto lock = "stock:" + std::to_string(i);
    ASSERT_TRUE(watched.lock(lock)) << lock;
    EXPECT_THAT(englishOf(watched.lock(lock)->evidence), Contains("redisson_lock_token:{" + lock + "} beside it holds something else"));
  }
}

TEST_F(WatchLists, freshPastTheMirrorWhenAskedForOneLock) {
  fairLock("f", {owner2});
  Watched watched({uri()});
  ASSERT_TRUE(watched.becomesLive());
  for (const auto &[key, family] : {std::pair{"f", "redisson-fair"}, {"nothing", ""}}) {
    std::promise<Result<LockRecordPtr>> answer;
    watched.watcher().read({NodeId(uri().address()), 0, LockName(key)}, [&](Result<LockRecordPtr> record) { answer.set_value(std::move(record)); });
    const auto record = answer.get_future().get();
    ASSERT_TRUE(record);
    EXPECT_EQ(*record ? (*record)->family : "", family);
  }
}

TEST_F(WatchLists, aNodeThatIsDownBesideOneThatIsNot) {
  auto dead = startServer();
  dead.kill();
  redis({"SET", "lock:a", hex32});
  Watched watched({uri(), dead.unixUri()});
  ASSERT_TRUE(eventually([&] { return watched.isLive() && watched.status(1).state == NodeState::Down; }));
  EXPECT_THAT(watched.keys(), ElementsAre("lock:a"));
  EXPECT_EQ(watched.status(1).error->code, ErrorCode::Unreachable);
}

} // namespace
} // namespace lockhouse::test
