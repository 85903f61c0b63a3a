// SPDX-License-Identifier: Apache-2.0
// Whatever lies under the name of a key beside a lock, or does not: the lock's row stays, says which key is odd, and can be freed.
#include "tests/server/release/families_house.h"

#include "core/base/redisson_names.h"
#include "core/base/safe_text.h"

#include <algorithm>
#include <map>

namespace lockhouse {
namespace {

using test::LockState;
using test::other;
using test::owner;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

const std::string symfonyToken = "itGRndUan7bU1Qm6ZMjPaAPeUNg6Ls+661NCBxpIyy0=";
const std::string permit("\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\xff", 16);

class OddNeighbours : public test::FamiliesHouse {
protected:
  /// One state of each family that has keys beside its locks.
  static std::vector<LockState> states() {
    std::map<std::string_view, LockState> byFamily;
    for (const auto &state : test::lockCorpus())
      if (const auto *family = FamilyRegistry::builtIn().find(state.family); family && !family->companion.empty() && !family->releaseClass.contains('J'))
        byFamily.emplace(state.family, state);
    const auto in = std::to_string(test::corpusTime.count() / 1000 + 60);
    byFamily.insert_or_assign("symfony-semaphore", LockState{"symfony-semaphore", ValueType::SortedSet, "{pool}:time", {{symfonyToken, in}}, false, ""});
    byFamily.insert_or_assign("redisson-lock", LockState{"redisson-lock", ValueType::Hash, "stock", {{owner, "1"}}, true, ""});
    std::vector<LockState> all;
    for (const auto &[family, state] : byFamily)
      all.push_back(state);
    return all;
  }
  static std::vector<std::pair<std::string, ValueType>> besides(const LockState &state) {
    const auto *family = FamilyRegistry::builtIn().find(state.family);
    std::vector<std::pair<std::string, ValueType>> keys;
    for (const auto &companion : family->companion)
      if (const auto key = companion.role == Role::Support ? std::nullopt : companionName(*family, companion.key, state.key); key && *key != state.key)
        keys.emplace_back(*key, companion.type);
    if (state.family == "redisson-lock") {
      keys.emplace_back(redisson::queueKey(state.key), ValueType::List);
      keys.emplace_back(redisson::timeoutKey(state.key), ValueType::SortedSet);
    }
    return keys;
  }
  void putStranger(const std::string &key, ValueType type) {
    switch (type) {
    case ValueType::String: redis({"SET", key, "a stranger's"}); break;
    case ValueType::List: redis({"RPUSH", key, "a stranger's"}); break;
    case ValueType::Hash: redis({"HSET", key, "a", "stranger's"}); break;
    case ValueType::Set: redis({"SADD", key, "a stranger's"}); break;
    default: redis({"ZADD", key, "7", "a stranger's"}); break;
    }
  }
};

TEST_F(OddNeighbours, hideNoLockAreNamedAndKeepNoneFromBeingFreed) {
  unsigned met = 0;
  for (const auto &state : states())
    for (const auto &[key, own] : besides(state))
      for (const auto type : {ValueType::String, ValueType::List, ValueType::Hash, ValueType::Set, ValueType::SortedSet}) {
        if (type == own)
          continue;
        ++met;
        const auto about = std::string(state.family) + ": " + key + " as a " + std::string(name(type));
        write(state);
        putStranger(key, type);
        const auto before = *redis({"DUMP", key}).bulk();
        const auto lock = read(state.key);
        ASSERT_TRUE(lock && lock->isHeld()) << about;
        EXPECT_EQ(lock->family, state.family) << about;
        EXPECT_GE(lock->confidence, shownConfidence) << about;
        EXPECT_THAT(englishOf(lock->evidence), Contains(safeText(key, 120) + " beside it holds something else")) << about;
        const auto planned = plan(state.key, lock->holders.front().id);
        ASSERT_TRUE(planned.plan) << about << ": " << planned.detail.english();
        const auto done = apply(state.key, lock->holders.front().id);
        EXPECT_EQ(done.verdict, Verdict::Released) << about << ": " << done.detail.english();
        if (done.detail.english().contains(" beside it holds something else and was left")) {
          EXPECT_THAT(englishOf(planned.plan->warnings), Contains(HasSubstr(safeText(key, 80) + " "))) << about << ": it is told before, too";
        }
        EXPECT_EQ(*redis({"DUMP", key}).bulk(), before) << about << ": it is a stranger's";
      }
  EXPECT_GT(met, 80U);
}

TEST_F(OddNeighbours, insteadOfTheListThatWakesAreToldBeforeTheRelease) {
  const std::string random = "Zk9xT2w3dFp1R2hYc0pLbWJ2", job = "4e1f0a9b3c7d5e6f8a9b0c1d", digest = "uniquejobs:3f786850e387550fdab836ed7e6dc881";
  redis({"SET", "lock:stock", random});
  redis({"HSET", "SEMAPHORE:gate:GRABBED", "7", "1795300000.5"});
  redis({"HSET", digest + ":LOCKED", job, "1795300000.5"});
  const std::vector<std::array<std::string, 4>> cases{{{"lock:stock", random, "lock-signal:stock", "1"}},
                                                      {{"SEMAPHORE:gate:GRABBED", "7", "SEMAPHORE:gate:AVAILABLE", "7"}},
                                                      {{digest + ":LOCKED", job, digest + ":QUEUED", "1"}}};
  for (const auto &[key, holder, list, pushed] : cases) {
    EXPECT_THAT(englishOf(textsOf(plan(key, holder).plan->effects)), Contains(HasSubstr("one waiter that is blocked there"))) << key;
    redis({"HSET", list, "a", "stranger's"});
    const auto planned = plan(key, holder);
    EXPECT_THAT(englishOf(textsOf(planned.plan->effects)),
                AllOf(Contains("pushes nothing to " + list + ", which is no list: wakes nobody"), Not(Contains(HasSubstr("one waiter that is blocked there")))))
        << key;
    EXPECT_THAT(englishOf(planned.plan->warnings), Contains(AllOf(HasSubstr(list + " holds something else than the list by which who waits is woken"),
                                                                  HasSubstr("push " + pushed + " to a list of that name afterwards"))))
        << key;
    redis({"DEL", list});
  }
}

TEST_F(OddNeighbours, thatAreMissingHideNoLock) {
  for (const auto &state : states()) {
    write(state);
    const auto lock = read(state.key);
    ASSERT_TRUE(lock && lock->isHeld()) << state.family;
    EXPECT_EQ(lock->family, state.family);
    EXPECT_EQ(apply(state.key, lock->holders.front().id).verdict, Verdict::Released) << state.family;
  }
  redis({"ZADD", "{pool}:time", std::to_string(serverNow() / 1000 + 60), symfonyToken});
  EXPECT_THAT(englishOf(read("{pool}:time")->evidence), Contains("{pool}:weight beside it is missing"));
}

Command commandOf(const std::vector<std::string_view> &words) {
  Command command;
  for (const auto word : words)
    command.arg(word);
  return command;
}

TEST_F(OddNeighbours, ofASemaphoreItsPermitsStayThoughItsNumberIsMissingOrNone) {
  const auto out = [&] { ASSERT_FALSE(redis.send({"ZADD", "{pool}:timeout", std::to_string(serverNow() + 60'000), permit})->isFailure()); };
  out();
  const auto missing = read("pool");
  ASSERT_TRUE(missing);
  EXPECT_EQ(missing->family, "redisson-permits");
  EXPECT_EQ(missing->holders.size(), 1U);
  EXPECT_THAT(englishOf(missing->evidence), Contains("its number of free permits is missing"));
  EXPECT_THAT(englishOf(plan("pool", permit).plan->warnings), Contains(HasSubstr("begins anew")));
  EXPECT_EQ(apply("pool", permit).verdict, Verdict::Released);
  EXPECT_EQ(redis({"GET", "pool"}).text(), "1") << "as the library's own release leaves it";
  out();
  const std::string tooLong(1000, 'x');
  for (const auto &odd : {std::vector<std::string_view>{"SET", "pool", "many"},
                          {"SET", "pool", ""},
                          {"SET", "pool", tooLong},
                          {"SET", "pool", "-"},
                          {"SET", "pool", "--2"},
                          {"HSET", "pool", "a", "1"},
                          {"SADD", "pool", "a"},
                          {"RPUSH", "pool", "a"},
                          {"ZADD", "pool", "1", "a"},
                          {"XADD", "pool", "*", "a", "1"}}) {
    redis({"DEL", "pool"});
    ASSERT_FALSE(redis.send(commandOf(odd))->isFailure());
    const auto lock = read("pool");
    ASSERT_TRUE(lock) << odd[0];
    EXPECT_EQ(lock->family, "redisson-permits") << odd[0];
    EXPECT_THAT(englishOf(lock->evidence), Contains("its number of free permits is no number")) << odd[0];
    EXPECT_EQ(lock->holders, (std::vector<Holder>{{permit, 1, HoldMode::Exclusive}})) << odd[0];
    const auto done = apply("pool", permit);
    EXPECT_EQ(done.verdict, Verdict::Unreleasable) << odd[0] << ": no permit can be given back there";
    EXPECT_THAT(done.detail.english(),
                AllOf(HasSubstr("pool holds no number of free permits"), HasSubstr("in all less those that are out"), Not(HasSubstr("delete"))));
    EXPECT_EQ(redis({"ZCARD", "{pool}:timeout"}).integer(), 1);
  }
}

TEST_F(OddNeighbours, insteadOfAWriterHideNoReader) {
  const std::string first = "H_1_3f786850e387550fdab836ed7e6dc881", second = "H_2_9b74c9897bac770ffc029102a200c5de";
  for (const auto &odd : {std::vector<std::string_view>{"HSET", "w.writer", "a", "1"}, {"SET", "w.writer", "plain string"}, {"RPUSH", "w.writer", "a"}}) {
    redis({"DEL", "w.writer"});
    redis({"SADD", "w.readers", first, second});
    ASSERT_FALSE(redis.send(commandOf(odd))->isFailure());
    const auto lock = read("w.writer");
    ASSERT_TRUE(lock) << odd[0];
    EXPECT_EQ(lock->family, "distributedlock-rw") << odd[0];
    EXPECT_EQ(lock->holders.size(), 2U);
    EXPECT_THAT(englishOf(lock->evidence), Contains("its writer's key holds something else"));
    EXPECT_EQ(apply("w.writer", first).verdict, Verdict::Released) << odd[0];
    EXPECT_EQ(apply("w.writer", second).verdict, Verdict::Released) << odd[0];
    EXPECT_EQ(redis({"EXISTS", "w.writer", "w.readers"}).integer(), 1) << "a stranger's stays";
  }
}

TEST_F(OddNeighbours, scoresThatAreNoTimesHideNoHolder) {
  const std::string uuid = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01";
  const std::vector<std::array<std::string, 3>> cases{{{"lock:orders", symfonyToken, "symfony"}},
                                                      {{"semaphore:orders", uuid, "redis-semaphore"}},
                                                      {{"{pool}:time", symfonyToken, "symfony-semaphore"}},
                                                      {{"lock:slots", uuid, "handmade-zset"}}};
  for (const auto &[key, holder, family] : cases) {
    redis({"ZADD", key, "-inf", holder});
    const auto lapsed = read(key);
    EXPECT_FALSE(lapsed && lapsed->isHeld()) << key << ": it lapsed before all time";
    redis({"ZADD", key, "inf", holder});
    const auto lock = read(key);
    ASSERT_TRUE(lock) << key;
    EXPECT_EQ(lock->family, family);
    EXPECT_GE(lock->confidence, shownConfidence) << key;
    EXPECT_EQ(lock->holders, (std::vector<Holder>{{holder, 1, lock->holders.front().mode}}));
    EXPECT_THAT(englishOf(lock->evidence), Contains(family == "symfony" ? "holds without an end: 1" : "scores that are no times: 1")) << key;
    const auto done = apply(key, holder);
    EXPECT_EQ(done.verdict, Verdict::Released) << key << ": " << done.detail.english();
    EXPECT_EQ(redis({"EXISTS", key}).integer(), 0) << key;
  }
}

TEST_F(OddNeighbours, aFencingCounterThatIsNoneIsNamed) {
  redis({"HSET", "stock", owner, "1"});
  for (const auto &words : {std::vector<std::string_view>{"SET", "redisson_lock_token:{stock}", "x"}, {"SADD", "redisson_lock_token:{stock}", "x"}}) {
    redis({"DEL", "redisson_lock_token:{stock}"});
    redis({words[0], words[1], words[2]});
    const auto lock = read("stock");
    ASSERT_TRUE(lock);
    EXPECT_FALSE(lock->fence);
    EXPECT_THAT(englishOf(lock->evidence), Contains("redisson_lock_token:{stock} beside it holds something else"));
  }
}

} // namespace
} // namespace lockhouse
