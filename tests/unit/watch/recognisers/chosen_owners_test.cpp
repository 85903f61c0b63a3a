// SPDX-License-Identifier: Apache-2.0
// Owners whom a caller named, and tokens that read like words: which libraries may have written them.
#include "tests/unit/watch/corpus/lock_corpus.h"
#include "tests/unit/watch/recognise.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace lockhouse {
namespace {

using testing::Contains;
using testing::IsSupersetOf;
using testing::Not;

std::optional<LockRecord> lockOf(std::string key, std::string value, bool isLeased = true) {
  const test::LockState state{"", ValueType::String, std::move(key), {{std::move(value), ""}}, isLeased, ""};
  return test::recognise(test::factsOf(state));
}

TEST(ChosenOwner, underAPrefixOfLibrariesMayBeTheirs) {
  for (const auto *owner : {"web-1:4711", "alice", "worker 3", "4711", "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", "df1b9af0-e6c7-11f1-a736-02fc00000001",
                            "5b1c0a3e6f0d4f1a9c582f4f0e7a1b01"}) {
    for (const bool isLeased : {true, false}) {
      const auto lock = lockOf("lock:orders", owner, isLeased);
      ASSERT_TRUE(lock) << owner;
      EXPECT_THAT(lock->mayBe, IsSupersetOf({"python-redis-lock", "walrus"})) << owner;
    }
    EXPECT_THAT(lockOf("mutex:orders", owner)->mayBe, Not(Contains("walrus"))) << owner;
    const auto mutex = lockOf("mutex:orders", owner);
    EXPECT_TRUE(mutex->family == "redis-semaphore-mutex" || std::ranges::count(mutex->mayBe, "redis-semaphore-mutex") == 1) << owner;
  }
  for (const auto *mark : {"1", "locked", "true", "1795300000", "a54dca182530bb1d6d132cded6237b2e", "P3IfyxlxF0SU1kk8nVw0YA=="})
    EXPECT_THAT(lockOf("lock:orders", mark)->mayBe, Not(Contains("python-redis-lock"))) << mark << ": nobody calls himself so";
}

// Of these libraries a list that wakes has one element at most.
TEST(ChosenOwner, isNoLibrarysByAListOfSomebodysData) {
  const test::LockState state{"", ValueType::String, "lock:orders", {{"alice", ""}}, true, ""};
  for (const auto &[family, list] : {std::pair("walrus", "lock.event:orders"), {"python-redis-lock", "lock-signal:orders"}})
    for (const std::uint64_t size : {1U, 2U}) {
      auto facts = test::factsOf(state);
      const std::vector<Member> members(size, Member{"1", 0});
      facts.companion.push_back({&FamilyRegistry::builtIn().find(family)->companion.front(), list, {}, members, size, {}});
      const auto lock = test::recognise(facts);
      ASSERT_TRUE(lock) << list;
      EXPECT_EQ(lock->family == family, size == 1) << list << " " << size;
      EXPECT_TRUE(size == 1 || std::ranges::count(lock->mayBe, family) == 1) << list;
    }
}

// Of Str::random(16) and its like some change from one kind of letters to another seldom.
TEST(ChosenOwner, ofLettersOfBothCasesMayBeOfTheLibrariesWhoseTokensAreAsLong) {
  for (const auto &[token, libraries] : {std::pair("abcdefgHIJKLMNOP", std::vector<std::string>{"foundatio", "go-zero", "laravel"}),
                                         {"abcdefghijKLMNOPQRST", {"redis-plus-plus"}},
                                         {"abcdefghijkLMNOPQRSTUV", {"bsm-redislock", "redlock-py"}}})
    for (const auto *key : {"lock:orders", "orders-lock"}) {
      const auto lock = lockOf(key, token);
      ASSERT_TRUE(lock) << token;
      EXPECT_GE(lock->confidence, shownConfidence) << token;
      EXPECT_THAT(lock->mayBe, IsSupersetOf(libraries)) << key << " " << token;
    }
}

TEST(ChosenOwner, underLaravelsPrefixesIsLaravels) {
  for (const auto *key : {"laravel_cache_report", "laravel_cache:report:lock", "laravel-cache-report", "shop_laravel_cache_report:lock",
                          "app-database-app-cache-report", "app_database_app_cache_report:lock"}) {
    const auto lock = lockOf(key, "abcdefgHIJKLMNOP");
    ASSERT_TRUE(lock) << key;
    EXPECT_EQ(lock->family, "laravel") << key;
    EXPECT_GE(lock->confidence, 0.8) << key;
  }
  for (const auto *value : {"abcdefghijklmnop", "1795300000123456", "s:16:\"abcdefgHIJKLMNOP\";"}) {
    const auto data = lockOf("laravel_cache_report", value);
    EXPECT_LT(data ? data->confidence : 0, shownConfidence) << value;
  }
  const auto data = lockOf("laravel_cache_password_7", "abcdefgHIJKLMNOP");
  EXPECT_LT(data ? data->confidence : 0, shownConfidence);
}

TEST(ChosenOwner, thatIsATimeBasedUuidMayBeOfIoredisLock) {
  EXPECT_THAT(lockOf("orders-mutex", "df1b9af0-e6c7-11f1-a736-02fc00000001")->mayBe, Contains("ioredis-lock"));
  EXPECT_THAT(lockOf("orders-mutex", "df1b9af0-e6c7-21f1-a736-02fc00000001")->mayBe, Not(Contains("ioredis-lock")));
}

TEST(SpringIntegration, isNamedWhereItsPathsEndAsAiocachesNames) {
  const auto lock = lockOf("orders:7-lock", "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01");
  ASSERT_TRUE(lock);
  EXPECT_THAT(lock->mayBe, Contains("spring-integration"));
}

} // namespace
} // namespace lockhouse
