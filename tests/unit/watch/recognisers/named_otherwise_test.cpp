// SPDX-License-Identifier: Apache-2.0
// Families whose bytes other data has too: what name, lease and company say for and against them.
#include "tests/unit/watch/corpus/lock_corpus.h"
#include "tests/unit/watch/recognise.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace lockhouse {
namespace {

using test::corpusTime;
using test::factsOf;
using test::recognise;
using testing::Contains;

TEST(RedissonPermits, areRandomBytes) {
  KeyFacts facts;
  facts.key = "job";
  facts.type = ValueType::String;
  facts.value = "3";
  facts.serverTime = corpusTime;
  const auto *family = FamilyRegistry::builtIn().find("redisson-permits");
  const auto permits = std::ranges::find(family->companion, Role::Permits, &CompanionKey::role);
  ASSERT_NE(permits, family->companion.end());
  const auto confidence = [&](const std::string &permit) {
    facts.companion = {{.form = &*permits, .value = {}, .members = {{permit, 1795300050000}}, .size = 1, .ttl = {}}};
    return recognise(facts)->confidence;
  };
  EXPECT_LT(confidence("AbCdEfGhIjKlMnOp"), shownConfidence);
  EXPECT_GE(confidence("AbCdEfGhIjKlMn\xf0p"), 0.9);
  EXPECT_GE(confidence("3f786850e387550fdab836ed7e6dc881"), 0.9) << "as they were before Redisson 3.17";
}

// Between HSET and EXPIRE its owner ended: it blocks for ever.
TEST(HandmadeCount, isAsGoodAsALockWithoutALeaseWhereNameAndOwnerSaySo) {
  const std::string uuid = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", hex32 = "3f786850e387550fdab836ed7e6dc881";
  const auto of = [](const char *key, const std::string &owner, const char *count) {
    return recognise(factsOf({"", ValueType::Hash, key, {{owner, count}}, false, ""}));
  };
  for (const auto &[key, owner, count] : {std::tuple("lock:h1", std::string("web-1:17"), "1"),
                                          {"myLock", uuid, "1"},
                                          {"lock:report", hex32, "2"},
                                          {"app:lock:import", uuid, "1"},
                                          {"order:7:lock", "web-1:4711", "2"},
                                          {"order:7:lock", "web-1", "1"},
                                          {"inventory:7:lock", uuid, "1"},
                                          {"lock:order:7", "worker-3", "2"}}) {
    const auto lock = of(key, owner, count);
    ASSERT_TRUE(lock) << key;
    EXPECT_EQ(lock->family, "handmade-count");
    EXPECT_GE(lock->confidence, shownConfidence) << key << " " << owner;
    EXPECT_THAT(englishOf(lock->evidence), Contains("it never expires"));
    EXPECT_EQ(stateAt(*lock, lock->seenAt), LockState::NeverExpires);
  }
  for (const auto &[key, owner, count] : {std::tuple("stock:lock", std::string("sku-7"), "3"),
                                          {"cart:lock", "sku-7", "1"},
                                          {"joblock", uuid, "1"},
                                          {"lock:7", "pin-1", "492817"},
                                          {"lock:stats", "web-1:22", "17"},
                                          {"door:lock:7", "web-1:22", "1"},
                                          {"session:lock:7", uuid, "1"},
                                          {"inventory:lock:5", uuid, "2"},
                                          {"stock", uuid, "1"}}) {
    const auto data = of(key, owner, count);
    EXPECT_LT(data ? data->confidence : 0, shownConfidence) << key << " " << owner;
  }
}

TEST(FamilyRegistry, ofLaravelAreNoPasswords) {
  KeyFacts facts;
  facts.key = "myapp_database_myapp_cache_:otp";
  facts.type = ValueType::String;
  facts.value = "AbC3eF9hIjK1mNoP";
  facts.ttl = seconds(20);
  EXPECT_LT(recognise(facts)->confidence, shownConfidence);
  facts.key = "myapp_database_myapp_cache_:report";
  EXPECT_EQ(recognise(facts)->family, "laravel");
  EXPECT_GE(recognise(facts)->confidence, 0.9);
}

TEST(FamilyRegistry, ofLaravelsFunnelAreKnownByItsPrefixAndTheirSlots) {
  for (const auto *key : {"laravel_database_funnel:rep1", "laravel_database_reports12", "app-database-mail3"}) {
    const auto lock = recognise(factsOf({"", ValueType::String, key, {{"aZ3kP9qL2mX7vB4nT6yU", ""}}, true, ""}));
    ASSERT_TRUE(lock) << key;
    EXPECT_EQ(lock->family, "laravel-funnel") << key;
    EXPECT_GE(lock->confidence, shownConfidence) << key;
  }
  for (const auto *key : {"laravel_database_session7", "laravel_database_reports", "mail3", "marketing:funnel:step3"}) {
    const auto lock = recognise(factsOf({"", ValueType::String, key, {{"aZ3kP9qL2mX7vB4nT6yU", ""}}, true, ""}));
    EXPECT_LT(lock ? lock->confidence : 0, shownConfidence) << key;
  }
}

TEST(ShedLock, saysThatItsJobMayBeOver) {
  KeyFacts facts;
  facts.key = "job-lock:default:nightly";
  facts.type = ValueType::String;
  facts.value = "ADDED:2026-11-21T22:00:00.123Z@host-1:5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01";
  facts.serverTime = corpusTime; // 26 minutes later
  const auto *words = "most of its lease has passed: its job may be over, and the lock kept for its least time (lockAtLeastFor)";
  facts.ttl = seconds(20);
  EXPECT_THAT(englishOf(recognise(facts)->evidence), Contains(words));
  facts.ttl = std::chrono::hours(1);
  EXPECT_THAT(englishOf(recognise(facts)->evidence), testing::Not(Contains(words)));
}

} // namespace
} // namespace lockhouse
