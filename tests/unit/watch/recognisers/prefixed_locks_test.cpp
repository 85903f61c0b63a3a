// SPDX-License-Identifier: Apache-2.0
// What the corpus cannot say of locks behind prefixes: what lies beside them, and what only looks like them.
#include "tests/unit/watch/corpus/lock_corpus.h"
#include "tests/unit/watch/recognise.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace lockhouse {
namespace {

using test::factsOf;
using test::LockState;
using test::recognise;
using testing::Contains;
using testing::HasSubstr;

const std::string uuid = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", token44 = "itGRndUan7bU1Qm6ZMjPaAPeUNg6Ls+661NCBxpIyy0=";

double confidenceOf(const LockState &state) {
  const auto lock = recognise(factsOf(state));
  return lock ? lock->confidence : 0;
}

const CompanionKey &companionOf(std::string_view slug, std::string_view key) {
  const auto *family = FamilyRegistry::builtIn().find(slug);
  return *std::ranges::find(family->companion, key, [](const CompanionKey &companion) { return std::string_view(companion.key.text()); });
}

TEST(PrefixedSemaphore, ofRedisSemaphoreHasALeaseAndTimesThatArePast) {
  const auto of = [](const char *key, std::string score, bool isLeased) {
    return recognise(factsOf({"", ValueType::SortedSet, key, {{uuid, std::move(score)}}, isLeased, ""}))->family;
  };
  EXPECT_EQ(of("acme:semaphore:dl", "1795300000000", true), "redis-semaphore");
  EXPECT_EQ(of("acme:semaphore:dl", "1795300000000", false), "handmade-since") << "its library gives it one";
  EXPECT_EQ(of("acme:semaphore:dl", "1795300300000", true), "handmade-zset");
  EXPECT_EQ(of("acme:semaphores", "1795300000000", true), "handmade-since");
}

// Of a job that has its arguments in its lock's name.
TEST(PrefixedLock, isKnownByALongName) {
  const auto familyOf = [](const std::string &key, const char *value, bool isLeased) {
    const auto lock = recognise(factsOf({"", ValueType::String, key, {{value, ""}}, isLeased, ""}));
    return lock ? lock->family : std::string("no row");
  };
  for (const std::size_t size : {100U, 1020U, 1100U, 12'000U}) {
    const std::string arguments(size, 'n');
    EXPECT_EQ(familyOf("lock:" + arguments, "q83vEjRWeJCrze8SNFZ4kKvN", true), "python-redis-lock") << size;
    EXPECT_EQ(familyOf(arguments + "~lock", "", false), "spring-data-cache") << size;
    EXPECT_EQ(familyOf("bull:mail:" + arguments + ":lock", (std::string(uuid) + ":1").c_str(), true), "bullmq-job") << size;
  }
}

TEST(PrefixedSession, ofPhpredisIsKnownByItsIdWithALeaseAndWithout) {
  const std::vector<std::string> prefixes{
      "acme:PHPREDIS_SESSION:", "PHPREDIS_SESSION:shop:", "acme:sess:", "shop:sessions:", "shop_sess:", "shop.sess.", "shop:", ""};
  const std::vector<std::string> ids{"5k2mq0v7c1h8r4t6b3n9s0", "3f786850e387550fdab836ed7e6dc881", "aZ3,P9qL2m-7vB4nQ0tY8w", "aZ3kP9qL2mX7vB4nQ0tY8wE1rU6i,Ko5",
                                     "-Z3kP9qL2mX7vB4nQ0tY8wE1rU6i,Ko5aZ3kP9qL2mX7vB4n"};
  for (const auto &prefix : prefixes)
    for (const auto &id : ids)
      for (const bool isLeased : {true, false}) {
        const auto lock = recognise(factsOf({"", ValueType::String, prefix + id + "_LOCK", {{"web-1|4711", ""}}, isLeased, ""}));
        ASSERT_TRUE(lock) << prefix << id;
        EXPECT_EQ(lock->family, "phpredis-session") << prefix << id;
        EXPECT_GE(lock->confidence, 0.9) << prefix << id;
        EXPECT_THAT(lock->extras, Contains(MetadataEntry{"session", id})) << prefix;
      }
  const auto dashed = recognise(factsOf({"", ValueType::String, "shop-sess-5k2mq0v7c1h8r4t6b3n9s0_LOCK", {{"web-1|4711", ""}}, false, ""}));
  EXPECT_THAT(dashed->extras, Contains(MetadataEntry{"session", "5k2mq0v7c1h8r4t6b3n9s0"}));
  for (const auto *key : {"shop:reconciliationofordersandinvoices_LOCK", "DEPLOY_LOCK", "shop:ImportOrders2FromShopNightly_LOCK", "shop:17_LOCK"})
    EXPECT_LE(confidenceOf({"", ValueType::String, key, {{"web-1|4711", ""}}, false, ""}), shownConfidence) << key;
}

TEST(PrefixedOwner, ofTheGemRedisLockEndsWhenTheKeyBesideItSays) {
  const LockState state{"", ValueType::String, "acme:lock:owner:x", {{"web-1:1234", ""}}, false, ""};
  auto facts = factsOf(state);
  EXPECT_EQ(recognise(facts)->family, "mlanett-redis-lock");
  EXPECT_EQ(recognise(facts)->expiresAt, std::nullopt);
  facts.companion = {
      {.form = &companionOf("mlanett-redis-lock", "{namespace:text}:lock:expire:{of}"), .value = "1795300010", .members = {}, .size = 10, .ttl = {}}};
  EXPECT_EQ(recognise(facts)->expiresAt, facts.seenAt + seconds(10));
  const auto owners = FamilyRegistry::builtIn().ownersOf("acme:lock:expire:x");
  EXPECT_THAT(owners, Contains(testing::Field(&FamilyRegistry::Owner::lock, "acme:lock:owner:x")));
  for (const auto *key : {"acme:unlock:owner:x", "acme:block:owner:x", "acme:lock:owners:x"})
    EXPECT_LT(confidenceOf({"", ValueType::String, key, {{"web-1:1234", ""}}, false, ""}), shownConfidence) << key;
}

TEST(PrefixedSemaphore, ofSymfonyIsKnownByItsTokensAndTheWeightsBesideIt) {
  const LockState state{"", ValueType::SortedSet, "acme:{sem}:time", {{token44, "1795300300"}}, true, ""};
  auto facts = factsOf(state);
  const auto alone = recognise(facts);
  ASSERT_TRUE(alone);
  EXPECT_EQ(alone->family, "symfony-semaphore");
  EXPECT_GE(alone->confidence, shownConfidence);
  EXPECT_THAT(englishOf(alone->evidence), Contains("acme:{sem}:weight beside it is missing"));
  facts.companion.push_back(
      {.form = &companionOf("symfony-semaphore", "{prefix:text}{{{tag}}}:weight"), .value = {}, .members = {{token44, 3}}, .size = 1, .ttl = {}});
  EXPECT_EQ(recognise(facts)->holders, (std::vector<Holder>{{token44, 3, HoldMode::Exclusive}}));
  EXPECT_LT(confidenceOf({"", ValueType::SortedSet, "acme:{sessions}:time", {{token44, "1795300300"}}, true, ""}), shownConfidence);
  EXPECT_LT(confidenceOf({"", ValueType::SortedSet, "acme:{feed}:time", {{"post-7", "1795300300"}}, true, ""}), shownConfidence);
}

TEST(PrefixedSession, ofPhpredisHasALongId) {
  const auto of = [](const char *key, const char *value, bool isLeased) { return confidenceOf({"", ValueType::String, key, {{value, ""}}, isLeased, ""}); };
  EXPECT_GE(of("sess:5k2mq0v7c1h8r4t6b3n9s0d2fa_LOCK", "web-1|123", true), 0.9);
  EXPECT_LT(of("sess:5k2mq0v7c1h8r4t6b3n9s0d2fa_LOCK", "alice", true), shownConfidence);
  EXPECT_LT(of("sess:5k2mq0v7c_LOCK", "web-1|123", true), shownConfidence) << "no session's id";
  const LockState state{"", ValueType::String, "sess:5k2mq0v7c1h8r4t6b3n9s0d2fa3f2c1a_LOCK", {{"web-1|123", ""}}, true, ""};
  EXPECT_THAT(recognise(factsOf(state))->extras, Contains(MetadataEntry{"session", "5k2mq0v7c1h8r4t6b3n9s0d2fa3f2c1a"}));
}

TEST(PrefixedTime, ofTheNpmPackageIsWhenItsLeaseEnds) {
  const auto of = [](const char *value, bool isLeased) {
    return recognise(factsOf({"", ValueType::String, "prod:lock.cron", {{value, ""}}, isLeased, ""})).value_or(LockRecord());
  };
  EXPECT_EQ(of("1795300020000", true).family, "npm-redis-lock");
  EXPECT_THAT(of("1795300020000", true).extras, Contains(testing::Field(&MetadataEntry::name, "until")));
  EXPECT_NE(of("1795290000000", true).family, "npm-redis-lock") << "a time, and no end";
  EXPECT_NE(of("1795300020000", false).family, "npm-redis-lock");
}

TEST(PrefixedName, ofDaprsLockMayHaveItsMarkToo) {
  const auto lock = recognise(factsOf({"", ValueType::String, "lock||my-app||order||7", {{uuid, ""}}, true, ""}));
  ASSERT_TRUE(lock);
  EXPECT_THAT(lock->extras, Contains(MetadataEntry{"app", "my-app"}));
}

// igbinary, msgpack or a compressor: the bytes as they lie there are what a release compares.
TEST(PackedOwner, ofLaravelIsTheWholeValue) {
  const std::string packed("\0\0\0\2\x11\x10QnYGCnaVJHy63AfE", 22);
  for (const auto *key : {"acme_database_framework/schedule-86f7e437faa5a7fce15d1ddcb9eaeaea377667b8", "laravel_unique_job:App\\Jobs\\X:17",
                          "acme_database_acme_cache_laravel_unique_job:App\\Jobs\\X:17", "acme_database_laravel-queue-overlap:App\\Jobs\\X:17"}) {
    const LockState state{"", ValueType::String, key, {{packed, ""}}, true, ""};
    const auto lock = recognise(factsOf(state));
    ASSERT_TRUE(lock) << key;
    EXPECT_EQ(lock->family, "laravel") << key;
    EXPECT_EQ(lock->holders, (std::vector<Holder>{{packed}})) << key;
  }
  const LockState named{"", ValueType::String, "orders:lock", {{packed, ""}}, true, ""};
  const auto lock = recognise(factsOf(named));
  ASSERT_TRUE(lock);
  EXPECT_EQ(lock->family, "token");
  EXPECT_GE(lock->confidence, 0.7) << "a token, as PHP packs it";
  EXPECT_LT(confidenceOf({"", ValueType::String, "promo:7", {{packed, ""}}, true, ""}), shownConfidence);
  EXPECT_LT(confidenceOf({"", ValueType::String, "orders:7:lock", {{std::string("\0\0\0\2\x11\x20QnYGCnaVJHy63AfE", 22), ""}}, true, ""}), shownConfidence)
      << "no such length";
}

TEST(PrefixedNames, ofOrdinaryDataAreNoLocks) {
  for (const auto &[key, value] : {std::pair("acme:recurring-jobs:locked", uuid),
                                   {"acme:activejob_uniqueness", uuid},
                                   {"acme:redlock:metrics:failures", "17"},
                                   {"acme:door:lock:7", "1795300060"},
                                   {"acme:lock:stats:7", "1795300060"},
                                   {"users:locked:7", "1795300060"},
                                   {"acme:session:lock:7", "1795300060"}})
    for (const bool isLeased : {true, false})
      EXPECT_LT(confidenceOf({"", ValueType::String, key, {{value, ""}}, isLeased, ""}), shownConfidence) << key;
}

} // namespace
} // namespace lockhouse
