// SPDX-License-Identifier: Apache-2.0
// The mirror against the truth, whenever both stand still.
#include "tests/server/watch/watch_house.h"

#include "core/base/random.h"

#include <fmt/format.h>

#include <algorithm>

namespace lockhouse::test {
namespace {

struct WatchTruth : WatchHouse {
  Jitter chance{42};
  std::uint64_t below(std::uint64_t limit) { return chance.next() % limit; }

  Command step() {
    const auto key = fmt::format("lock:{}", below(40));
    const auto owner = fmt::format("{}:{}", uuid1, below(5));
    const auto token = fmt::format("{:032x}", chance.next());
    switch (below(14)) {
    case 0: return {"SET", key, token, "PX", "60000"};
    case 1: return {"SET", key, token, "PX", "25"};
    case 2: return {"SET", key, token};
    case 3: return {"DEL", key};
    case 4: return {"HSET", key, owner, "1"};
    case 5: return {"HINCRBY", key, owner, "1"};
    case 6: return {"PEXPIRE", key, "30000"};
    case 7: return {"PERSIST", key};
    case 8: return {"RPUSH", fmt::format("redisson_lock_queue:{{{}}}", key), owner};
    case 9: return {"LPOP", fmt::format("redisson_lock_queue:{{{}}}", key)};
    case 10: return {"RENAME", key, fmt::format("lock:{}", below(40))};
    case 11: return {"SET", key, "two words"};
    case 12: return {"HSET", key, "mode", "read", owner, "1"};
    default: return below(60) == 0 ? Command{"FLUSHALL"} : Command{"SET", fmt::format("foreign:{}", below(200)), "x"};
    }
  }

  static std::string shown(const LockRecord &record) {
    auto text = fmt::format("{} ", record.id.key.bytes());
    auto holders = record.holders;
    std::ranges::sort(holders, {}, &Holder::id);
    for (const auto &holder : holders)
      text += fmt::format("[{} {} {}]", holder.id, holder.count, name(holder.mode));
    for (const auto &waiter : record.queue)
      text += fmt::format("<{}>", waiter.id);
    return text + (record.expiresAt ? " leased" : " forever");
  }
  static std::vector<std::string> all(const LockSnapshot &snapshot) {
    std::vector<std::string> rows;
    for (const auto &record : snapshot.locks) {
      EXPECT_FALSE(record->staleSince);
      rows.push_back(shown(*record));
    }
    return rows;
  }
  void expectCacheOfTruth(const Watched &watched, int round) {
    ASSERT_TRUE(watched.catchesUp());
    Watched truth({uri()}, onceOnly());
    ASSERT_TRUE(truth.becomesLive());
    EXPECT_EQ(all(*watched.snapshot()), all(*truth.snapshot())) << "round " << round;
  }
};

TEST_F(WatchTruth, isTheMirrorAfterEveryRoundOfARandomWorkload) {
  Watched watched({uri()});
  ASSERT_TRUE(watched.becomesLive());
  for (int round = 0; round < 12 && !HasFailure(); ++round) {
    for (int batch = 0; batch < 20; ++batch) {
      std::vector<Command> commands;
      for (int i = 0; i < 50; ++i)
        commands.push_back(step());
      m_redis->pipeline(std::move(commands));
    }
    // What lives for 25 ms has to be gone before mirror and truth can be compared.
    ASSERT_TRUE(eventually([&] {
      std::vector<Command> reads;
      for (int i = 0; i < 40; ++i)
        reads.push_back(Command{"PTTL", fmt::format("lock:{}", i)});
      return std::ranges::none_of(m_redis->pipeline(std::move(reads)), [](const Reply &left) { return left.integer() >= 0 && left.integer() < 1000; });
    }));
    expectCacheOfTruth(watched, round);
  }
  EXPECT_EQ(watched.status().divergences, 0U);
}

TEST_F(WatchTruth, isReachedAgainAfterEveryLossOfTheFeed) {
  Watched watched({uri()});
  ASSERT_TRUE(watched.becomesLive());
  for (int round = 0; round < 6 && !HasFailure(); ++round) {
    for (int batch = 0; batch < 10; ++batch) {
      std::vector<Command> commands;
      for (int i = 0; i < 50; ++i)
        commands.push_back(step());
      m_redis->pipeline(std::move(commands));
      if (batch == 5)
        redis({"CLIENT", "KILL", "TYPE", "pubsub"});
    }
    ASSERT_TRUE(eventually([&] {
      std::vector<Command> reads;
      for (int i = 0; i < 40; ++i)
        reads.push_back(Command{"PTTL", fmt::format("lock:{}", i)});
      return std::ranges::none_of(m_redis->pipeline(std::move(reads)), [](const Reply &left) { return left.integer() >= 0 && left.integer() < 1000; });
    }));
    expectCacheOfTruth(watched, round);
  }
}

} // namespace
} // namespace lockhouse::test
