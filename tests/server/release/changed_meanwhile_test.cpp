// SPDX-License-Identifier: Apache-2.0
// What may happen to a key between the plan and the release, and keys that are too big to be fetched.
#include "tests/server/release/operator_house.h"

#include <algorithm>

namespace lockhouse {
namespace {

using test::other;
using test::owner;
using test::token;
using testing::HasSubstr;

class ChangedMeanwhile : public test::OperatorHouse {
protected:
  std::string dump(std::string_view key) { return redis({"DUMP", key}).bulk() ? *redis({"DUMP", key}).bulk() : std::string(); }
  /// Of every kind of script one lock: its key, its holder.
  std::vector<std::pair<std::string, std::string>> locks() {
    const std::string uuid = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", pushed = "Zk9xT2w3dFp1R2hYc0pLbWJ2";
    const auto now = std::to_string(serverNow()), end = std::to_string(serverNow() / 1000 + 60);
    redis({"SET", "lock:orders", token});
    redis({"SET", "lock:stock", pushed});
    redis({"SET", "locks:prices", uuid, "PX", "60000"});
    redis({"SET", "lock:owner:ruby", "web-0:4711"});
    redis({"HSET", "reentrant", owner, "1"});
    fairLock("fair", {other});
    readLock("rw", {owner, other});
    redis({"ZADD", "semaphore:permits", now, uuid + "_0", now, uuid + "_1"});
    redis({"ZADD", "{pool}:time", end, "AzazbxO8rkgWaIITaAWn0b5enydoEP33INAzyk8uU8s="});
    redis({"ZADD", "{pool}:weight", "3", "AzazbxO8rkgWaIITaAWn0b5enydoEP33INAzyk8uU8s="});
    redis({"HSET", "SEMAPHORE:gate:GRABBED", "0", "1795300000.5"});
    return {{"lock:orders", token},
            {"lock:stock", pushed},
            {"locks:prices", uuid},
            {"lock:owner:ruby", "web-0:4711"},
            {"reentrant", owner},
            {"fair", owner},
            {"rw", owner},
            {"semaphore:permits", uuid},
            {"{pool}:time", "AzazbxO8rkgWaIITaAWn0b5enydoEP33INAzyk8uU8s="},
            {"SEMAPHORE:gate:GRABBED", "0"}};
  }
  /// What the server has sent since it started.
  std::int64_t bytesOut() {
    const auto reply = redis({"INFO", "stats"});
    const std::string_view text = *reply.text(), name = "total_net_output_bytes:";
    return std::stoll(std::string(text.substr(text.find(name) + name.size(), 20)));
  }
};

TEST_F(ChangedMeanwhile, aLockThatWasRenamedIsFreeUnderItsOldNameAndStaysUnderTheNew) {
  for (const auto &[key, holder] : locks()) {
    const auto plan = planNow(key, holder);
    const auto before = dump(key);
    redis({"RENAME", key, "{" + key + "}:elsewhere"});
    EXPECT_EQ(run(plan).verdict, Verdict::AlreadyFree) << key;
    EXPECT_EQ(dump("{" + key + "}:elsewhere"), before) << key;
  }
}

TEST_F(ChangedMeanwhile, aKeyOfAnotherTypeIsNoLockAnyMoreAndIsLeft) {
  for (const auto &[key, holder] : locks()) {
    const auto plan = planNow(key, holder);
    redis({"DEL", key});
    redis({"LPUSH", key, "a", "b"});
    const auto before = dump(key);
    EXPECT_EQ(run(plan).verdict, Verdict::NotALock) << key;
    EXPECT_EQ(dump(key), before) << key;
  }
}

TEST_F(ChangedMeanwhile, ofARubyLockAnotherEndTellsThatItWasAcquiredAgain) {
  const auto now = serverNow() / 1000;
  redis({"SET", "lock:owner:ruby", "web-0:4711"});
  redis({"SET", "lock:expire:ruby", std::to_string(now + 60)});
  const auto plan = planNow("lock:owner:ruby", "web-0:4711");
  redis({"SET", "lock:expire:ruby", std::to_string(now + 90)});
  const auto done = run(plan);
  EXPECT_EQ(done.verdict, Verdict::Changed) << done.detail.english();
  EXPECT_EQ(done.detail.english(), "changed: extended or acquired again since it was seen");
  redis({"DEL", "lock:expire:ruby"});
  EXPECT_EQ(run(planNow("lock:owner:ruby", "web-0:4711")).verdict, Verdict::Released) << "none was there when it was planned";
  redis({"SET", "lock:owner:ruby", "web-0:4711"});
  redis({"SET", "lock:expire:ruby", std::to_string(now + 90)});
  const auto timed = planNow("lock:owner:ruby", "web-0:4711");
  redis({"DEL", "lock:expire:ruby"});
  EXPECT_EQ(run(timed).verdict, Verdict::Changed) << "its end went meanwhile";
  redis({"SET", "lock:expire:ruby", std::to_string(now + 90)});
  EXPECT_EQ(redis({"EXISTS", "lock:owner:ruby", "lock:expire:ruby"}).integer(), 2);
  EXPECT_EQ(run(planNow("lock:owner:ruby", "web-0:4711")).verdict, Verdict::Released);
  EXPECT_EQ(redis({"DBSIZE"}).integer(), 0);
}

TEST_F(ChangedMeanwhile, whoAcquiredAgainWithAnotherCountKeepsIt) {
  redis({"HSET", "reentrant", owner, "1"});
  fairLock("fair", {other});
  readLock("rw", {owner, other});
  for (const auto *key : {"reentrant", "fair", "rw"}) {
    const auto plan = planNow(key, owner);
    redis({"HINCRBY", key, owner, "1"});
    const auto before = dump(key);
    const auto answer = run(plan);
    EXPECT_EQ(answer.verdict, Verdict::Changed) << key;
    EXPECT_THAT(answer.detail.english(), HasSubstr("count")) << key;
    EXPECT_EQ(dump(key), before) << key;
    EXPECT_EQ(apply(key, owner, 1).verdict, Verdict::Changed) << "the count that was seen";
    EXPECT_EQ(apply(key, owner).verdict, Verdict::Released);
  }
}

TEST_F(ChangedMeanwhile, whoAcquiredAgainWithAnotherTokenKeepsIt) {
  redis({"SET", "lock:a", token});
  const auto plan = planNow("lock:a", token);
  redis({"SET", "lock:a", "0123456789abcdef0123456789abcdef"});
  const auto answer = run(plan);
  EXPECT_EQ(answer.verdict, Verdict::Changed);
  EXPECT_THAT(answer.detail.english(), HasSubstr("0123456789abcdef"));
  EXPECT_EQ(redis({"EXISTS", "lock:a"}).integer(), 1);
}

TEST_F(ChangedMeanwhile, whoWasGivenTheSameNameAnewKeepsIt) {
  const std::string job = "4e1f0a9b3c7d5e6f8a9b0c1d", digest = "uniquejobs:3f786850e387550fdab836ed7e6dc881:LOCKED", many = "SEMAPHORE:many:GRABBED";
  for (int i = 0; i < 3000; ++i)
    redis({"HSET", many, std::to_string(i), "1795300000.5"});
  redis({"HSET", "SEMAPHORE:gate:GRABBED", "0", "1795300000.5"});
  redis({"HSET", digest, job, "1795300000.5"});
  for (const auto &[key, holder] : std::vector<std::pair<std::string, std::string>>{{"SEMAPHORE:gate:GRABBED", "0"}, {digest, job}, {many, "2999"}}) {
    const auto planned = plan(key, holder);
    ASSERT_TRUE(planned.plan) << key << ": " << planned.detail.english();
    redis({"HSET", key, holder, "1795300001.25"}); // given back, and taken by another
    const auto before = dump(key);
    const auto answer = run(*planned.plan);
    EXPECT_EQ(answer.verdict, Verdict::Changed) << key;
    EXPECT_EQ(answer.detail.english(), "changed: acquired again since it was seen") << key;
    EXPECT_EQ(dump(key), before) << key;
    EXPECT_EQ(apply(key, holder).verdict, Verdict::Released) << key;
  }
}

TEST_F(ChangedMeanwhile, whoLockedAValueAgainKeepsIt) {
  const std::string value = "bMgnV0oQDTk2UrBIDg8VRg", hold = value + ":" + owner, until = std::to_string(serverNow() + 60'000);
  const auto lockBy = [&](const std::string &who) {
    redis({"HSET", "group", value, who, value + ":" + who + ":expire_time", until, value + ":" + who + ":lock_count", "1"});
  };
  lockBy(owner);
  redis({"PEXPIRE", "group", "60000"});
  const auto plan = planNow("group", hold);
  redis({"HINCRBY", "group", hold + ":lock_count", "1"});
  const auto before = dump("group");
  const auto answer = run(plan);
  EXPECT_EQ(answer.verdict, Verdict::Changed);
  EXPECT_EQ(answer.detail.english(), "changed: acquired again since it was seen");
  EXPECT_EQ(dump("group"), before);
  EXPECT_EQ(apply("group", hold).verdict, Verdict::Released) << "as deep as he is now";
  lockBy(other);
  EXPECT_EQ(run(plan).detail.english(), std::string("changed: now held by ") + other);
  EXPECT_EQ(redis({"HLEN", "group"}).integer(), 3);
}

TEST_F(ChangedMeanwhile, whoLockedAValueWhoseCountIsNoNumberIsNamed) {
  const std::string value = "bMgnV0oQDTk2UrBIDg8VRg", hold = value + ":" + owner;
  redis({"HSET", "group", value, owner, hold + ":expire_time", std::to_string(serverNow() + 60'000), hold + ":lock_count", "x"});
  const auto plan = planNow("group", hold);
  redis({"HSET", "group", value, other});
  EXPECT_EQ(run(plan).detail.english(), std::string("changed: now held by ") + other);
  EXPECT_EQ(redis({"HLEN", "group"}).integer(), 3);
}

TEST_F(ChangedMeanwhile, aReaderWhoBecameTheWriterKeepsItAndSoDoesAWriterWhoOnlyReads) {
  const std::string holder = "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=", end = std::to_string(serverNow() + 60'000);
  redis({"ZADD", "lock:symfony", end, holder});
  redis({"PEXPIRE", "lock:symfony", "60000"});
  const auto reading = planNow("lock:symfony", holder);
  redis({"ZADD", "lock:symfony", end, "__write__"});
  EXPECT_EQ(run(reading).verdict, Verdict::Changed);
  EXPECT_EQ(redis({"ZCARD", "lock:symfony"}).integer(), 2) << "the mark alone would keep it closed";
  const auto writing = planNow("lock:symfony", holder);
  redis({"ZREM", "lock:symfony", "__write__"});
  EXPECT_EQ(run(writing).verdict, Verdict::Changed);
  EXPECT_EQ(redis({"ZCARD", "lock:symfony"}).integer(), 1);
  EXPECT_EQ(run(reading).verdict, Verdict::Released);
}

TEST_F(ChangedMeanwhile, aNumberOfPermitsThatRedisCannotCountUpIsLeftAndThePermitWithIt) {
  const std::string permit("\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\xff", 16);
  redis({"SET", "pool", "3"});
  redis({"ZADD", "{pool}:timeout", std::to_string(serverNow() + 60'000), permit});
  const auto plan = planNow("pool", permit);
  for (const auto *number : {"9223372036854775807", "9223372036854775808", "-9223372036854775809", "1.0", "1e3", " 5", "+5", "007", "0x10"}) {
    redis({"SET", "pool", number});
    EXPECT_EQ(run(plan).verdict, Verdict::NotALock) << number;
    EXPECT_EQ(redis({"ZCARD", "{pool}:timeout"}).integer(), 1) << number;
    EXPECT_EQ(redis({"GET", "pool"}).text(), number);
  }
  for (const auto *number : {"9223372036854775806", "0", "-1", "-9223372036854775808"}) {
    redis({"SET", "pool", number});
    redis({"ZADD", "{pool}:timeout", std::to_string(serverNow() + 60'000), permit});
    EXPECT_EQ(run(plan).verdict, Verdict::Released) << number;
  }
}

TEST_F(ChangedMeanwhile, aTokenOfTenMegabytesIsNeverFetchedWhole) {
  redis({"SET", "lock:a", token});
  const auto plan = planNow("lock:a", token);
  redis({"SET", "lock:a", std::string(10'000'000, 'x')});
  const auto before = bytesOut();
  const auto answer = run(plan);
  EXPECT_EQ(answer.verdict, Verdict::Changed);
  EXPECT_LT(answer.detail.english().size(), 1000U);
  const auto lock = read("lock:a");
  ASSERT_TRUE(lock);
  EXPECT_EQ(lock->holders.at(0).bytes, 10'000'000U);
  EXPECT_EQ(apply("lock:a", token).verdict, Verdict::NotALock);
  EXPECT_LT(bytesOut() - before, 1'000'000);
  EXPECT_EQ(redis({"STRLEN", "lock:a"}).integer(), 10'000'000);
}

TEST_F(ChangedMeanwhile, aHashOfAHundredThousandFieldsIsReadBounded) {
  for (int i = 0; i < 100; ++i) {
    Command hash{"HSET", "lock:huge", "mode", "read"};
    for (int j = 0; j < 1000; ++j)
      hash.arg("5b1c0a3e-6f0d-4f1a-9c58-" + std::to_string(100'000'000'000 + i * 1000 + j) + ":1").arg("1");
    ASSERT_FALSE(redis.send(std::move(hash))->isFailure());
  }
  const auto before = bytesOut();
  const auto lock = read("lock:huge");
  ASSERT_TRUE(lock);
  EXPECT_EQ(lock->family, "redisson-rw");
  EXPECT_LE(lock->holders.size(), 1300U);
  EXPECT_EQ(lock->unread + lock->holders.size() + 1, 100'001U) << "and the mode";
  EXPECT_LT(bytesOut() - before, 1'000'000) << "the whole is more than five million";
  EXPECT_EQ(calls("hgetall") + calls("hkeys") + calls("hvals"), 0);
  const std::string last = "5b1c0a3e-6f0d-4f1a-9c58-100000099999:1";
  EXPECT_EQ(apply("lock:huge", last).verdict, Verdict::Released);
  EXPECT_EQ(redis({"HLEN", "lock:huge"}).integer(), 100'000);
}

} // namespace
} // namespace lockhouse
