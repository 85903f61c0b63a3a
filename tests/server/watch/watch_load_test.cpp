// SPDX-License-Identifier: Apache-2.0
// What watching costs the server, by its own account.
#include "tests/server/watch/watch_house.h"

#include <set>

namespace lockhouse::test {
namespace {

using WatchLoad = WatchHouse;

TEST_F(WatchLoad, isReadingOnlyAndOnlyWhatTheContractNames) {
  fairLock("f", {owner2});
  redis({"SET", "lock:a", hex32, "PX", "600000"});
  redis({"HSET", "report", "mode", "read", owner1, "1"});
  redis({"CONFIG", "RESETSTAT"});
  {
    Watched watched({uri()});
    ASSERT_TRUE(watched.becomesLive());
    ASSERT_TRUE(watched.catchesUp());
  }
  const std::set<std::string> named{"info",           "scan",
                                    "type",           "getrange",
                                    "strlen",         "pttl",
                                    "hlen",           "hget",
                                    "hscan",          "llen",
                                    "lrange",         "zrange",
                                    "time",           "hrandfield",
                                    "ping",           "subscribe",
                                    "psubscribe",     "select",
                                    "auth",           "hello",
                                    "config|get",     "config|resetstat",
                                    "client|id",      "client|setname",
                                    "client|setinfo", "client|tracking",
                                    "pubsub|numsub",  "pubsub|channels",
                                    "zcard",          "scard",
                                    "sscan",          "client",
                                    "memory|usage",   "hstrlen"};
  for (const auto &[command, count] : calls())
    EXPECT_TRUE(named.contains(command)) << command << " " << count;
}

TEST_F(WatchLoad, atRestIsOneInfoAndTwoPingsASecond) {
  for (int i = 0; i < 1000; ++i)
    redis({"SET", "lock:" + std::to_string(i), hex32});
  WatcherOptions options;
  options.reconcileEvery = std::chrono::hours(1); // a sweep is no rest
  Watched watched({uri()}, options);
  ASSERT_TRUE(watched.becomesLive());
  ASSERT_TRUE(watched.catchesUp());
  redis({"CONFIG", "RESETSTAT"});
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(watched.catchesUp());
  auto counts = calls();
  const auto beats = counts["info"]; // however long the machine took for them
  EXPECT_GE(beats, 3U);
  EXPECT_LE(counts["ping"], 2 * beats + 2) << "those of a beat may be counted before its INFO";
  EXPECT_LE(counts["pubsub|channels"], 2U) << "once, for the channels of our own feed";
  for (const auto *known : {"info", "ping", "config|resetstat", "pubsub|channels"})
    counts.erase(known);
  EXPECT_THAT(counts, testing::IsEmpty());
  EXPECT_LT(watched.status().load, 0.02);
}

TEST_F(WatchLoad, hotForeignKeysAreNotReadForEveryChange) {
  Watched watched({uri()});
  ASSERT_TRUE(watched.becomesLive());
  redis({"CONFIG", "RESETSTAT"});
  constexpr int rounds = 200, keys = 100;
  for (int round = 0; round < rounds; ++round) {
    std::vector<Command> commands;
    for (int i = 0; i < keys; ++i)
      commands.push_back(Command{"SET", "counter:" + std::to_string(i), std::to_string(round)});
    m_redis->pipeline(std::move(commands));
  }
  ASSERT_TRUE(watched.catchesUp());
  auto counts = calls();
  EXPECT_LT(counts["getrange"] + counts["type"], rounds * keys / 4U) << "for 20 000 changes";
}

TEST_F(WatchLoad, aSweepMeetsEveryKeyAndFewErrors) {
  std::vector<Command> fill;
  for (int i = 0; i < 5000; ++i) {
    const auto number = std::to_string(i);
    fill.push_back(Command{"SET", "page:" + number, "<html>"});
    fill.push_back(Command{"HSET", "user:" + number, "name", "x", "age", "7"});
    fill.push_back(Command{"RPUSH", "jobs:" + number, "x"});
    fill.push_back(Command{"ZADD", "board:" + number, "1", "x"});
    fill.push_back(i % 2 ? Command{"SET", "mixed:" + number, "x"} : Command{"HSET", "mixed:" + number, "a", "b", "c", "d"});
  }
  m_redis->pipeline(std::move(fill));
  redis({"SET", "lock:a", hex32});
  redis({"HSET", "stock", owner1, "1"});
  redis({"CONFIG", "RESETSTAT"});
  Watched watched({uri()}, onceOnly());
  ASSERT_TRUE(watched.becomesLive());
  EXPECT_THAT(watched.keys(), testing::ElementsAre("lock:a", "stock"));
  EXPECT_EQ(watched.status().keysScanned, 25'002U);
  auto counts = calls();
  const auto reads = counts["type"] + counts["getrange"] + counts["hlen"] + counts["hget"];
  EXPECT_LT(reads, 25'002U * 16 / 10) << "little more than one read a key, hashes two";
  const auto stats = redis({"INFO", "errorstats"});
  const auto text = std::string(stats.text().value_or(""));
  const auto at = text.find("WRONGTYPE:count=");
  EXPECT_LT(at == text.npos ? 0 : std::stoi(text.substr(at + 16)), 60);
}

} // namespace
} // namespace lockhouse::test
