// SPDX-License-Identifier: Apache-2.0
// ReentrantLock against what a Redisson RLock leaves in Redis and says on its channel, byte by byte.
#include "tests/contract/world/lock_world.h"

#include <gmock/gmock.h>

#include <regex>

using namespace lockhouse;
using namespace lockhouse::test;
using testing::ElementsAre;

namespace {

constexpr const char *redissonField = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:42";

} // namespace

class RedissonTrace : public LockContract {
protected:
  std::vector<std::string> hash(std::string_view key) {
    std::vector<std::string> all;
    const Reply reply = probe()({"HGETALL", key});
    for (const auto &part : reply.array())
      all.emplace_back(part.text().value_or(""));
    return all;
  }
};
INSTANTIATE_TEST_SUITE_P(Every, RedissonTrace, testing::Combine(testing::Values("ReentrantLock"), testing::Values(Topology::UnixSocket)), contractName);

TEST_P(RedissonTrace, aHoldIsOneFieldOfTheFormUuidColonNumber) {
  auto &one = party().owner(primitive(), "stock");
  const auto outcome = one.tryAcquire();
  ASSERT_TRUE(std::holds_alternative<Acquired>(outcome));
  const auto held = hash("stock");
  ASSERT_EQ(held.size(), 2U);
  EXPECT_EQ(held[0], std::get<Acquired>(outcome).token.bytes());
  EXPECT_TRUE(std::regex_match(held[0], std::regex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}:[0-9]+"))) << held[0];
  EXPECT_EQ(held[1], "1");
  const auto left = probe().number({"PTTL", "stock"});
  EXPECT_TRUE(left > 20'000 && left <= 30'000) << left;
  EXPECT_EQ(probe().number({"DBSIZE"}), 1) << "no companion keys";
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
}

TEST_P(RedissonTrace, aShorterLeaseOfAnInnerAcquireShortensNothing) {
  auto &one = party().owner(primitive(), "stock", {.lease = 60s});
  ASSERT_TRUE(one.takes());
  const LockName key("stock");
  const LockToken owner(hash("stock")[0]);
  for (const auto &command : {primitive().acquire({key, owner, 1s, 2}, false), primitive().release({key, owner, 1s, 1}, false)}) {
    const Reply reply = probe()({"EVAL", command.script()->body, "1", command[3], command[4], command[5], command[6], command.size() > 7 ? command[7] : "",
                                 command.size() > 8 ? command[8] : ""});
    EXPECT_GE(reply.integer(), 1);
    EXPECT_GT(probe().number({"PTTL", "stock"}), 50'000);
  }
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
}

TEST_P(RedissonTrace, onlyTheLastReleasePublishesZeroOnTheLocksChannel) {
  probe().listenToAll();
  auto &one = party().owner(primitive(), "stock");
  ASSERT_TRUE(one.takes());
  ASSERT_TRUE(one.takes());
  EXPECT_EQ(hash("stock")[1], "2");
  EXPECT_EQ(one.release(), ReleaseOutcome::StillHeld);
  EXPECT_EQ(hash("stock")[1], "1");
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
  probe()({"PUBLISH", "end", "of-test"});
  EXPECT_TRUE(eventually([&] { return probe().heard().size() == 2; }));
  EXPECT_THAT(probe().heard(), ElementsAre("redisson_lock__channel:{stock} 0", "end of-test"));
}

TEST_P(RedissonTrace, aNameWithBracesIsPutIntoTheChannelAsItIs) {
  probe().listenToAll();
  auto &one = party().owner(primitive(), "order:{7}:pay");
  ASSERT_TRUE(one.takes());
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
  EXPECT_TRUE(eventually([&] { return !probe().heard().empty(); }));
  EXPECT_THAT(probe().heard(), ElementsAre("redisson_lock__channel:order:{7}:pay 0"));
}

TEST_P(RedissonTrace, aReleaseByANonOwnerPublishesNothing) {
  probe()({"HSET", "stock", redissonField, "1"});
  probe().listenToAll();
  auto &one = party().owner(primitive(), "stock");
  EXPECT_FALSE(one.takes());
  EXPECT_EQ(one.release(), ReleaseOutcome::NotOwner);
  probe()({"PUBLISH", "end", "of-test"});
  EXPECT_TRUE(eventually([&] { return !probe().heard().empty(); }));
  EXPECT_THAT(probe().heard(), ElementsAre("end of-test"));
  probe()({"DEL", "stock"});
}

TEST_P(RedissonTrace, waitsForARedissonHolderAndIsWokenByItsMessage) {
  probe()({"HSET", "stock", redissonField, "2"});
  probe()({"PEXPIRE", "stock", "30000"});
  auto &one = party().owner(primitive(), "stock");
  const auto tried = one.tryAcquire();
  ASSERT_TRUE(std::holds_alternative<Contended>(tried));
  EXPECT_EQ(std::get<Contended>(tried).holder, redissonField);
  EXPECT_GT(std::get<Contended>(tried).timeLeft, 20s);
  auto waiting = one.start(AcquirePolicy::pubSub(1h));
  ASSERT_TRUE(eventually([&] { return probe()({"PUBSUB", "NUMSUB", "redisson_lock__channel:{stock}"}).array().at(1).integer() == 1; }));
  // What RLock.unlock() does at the end, as its script does it.
  probe()({"EVAL", "redis.call('del', KEYS[1]); redis.call('publish', KEYS[2], ARGV[1]); return 1", "2", "stock", "redisson_lock__channel:{stock}", "0"});
  ASSERT_EQ(waiting.wait_for(20s), std::future_status::ready);
  EXPECT_TRUE(std::holds_alternative<Acquired>(waiting.get()));
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
}

TEST_P(RedissonTrace, aLockOfRedissonThatNeverExpiresIsNotTaken) {
  probe()({"HSET", "stock", redissonField, "1"});
  auto &one = party().owner(primitive(), "stock");
  const auto tried = one.tryAcquire();
  ASSERT_TRUE(std::holds_alternative<Contended>(tried));
  EXPECT_FALSE(std::get<Contended>(tried).timeLeft);
  EXPECT_TRUE(std::holds_alternative<TimedOut>(one.start(AcquirePolicy::pubSub(), 50ms).get()));
  probe()({"DEL", "stock"});
}

TEST_P(RedissonTrace, aReadWriteLockOfRedissonIsNotTaken) {
  probe()({"HSET", "stock", "mode", "read", redissonField, "1"});
  auto &one = party().owner(primitive(), "stock");
  const auto tried = one.tryAcquire();
  ASSERT_TRUE(std::holds_alternative<Contended>(tried));
  EXPECT_FALSE(std::get<Contended>(tried).holder) << "it has no single holder field";
  EXPECT_THAT(hash("stock"), testing::UnorderedElementsAre("mode", "read", redissonField, "1"));
  probe()({"DEL", "stock"});
}
