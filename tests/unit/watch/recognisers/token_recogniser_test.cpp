// SPDX-License-Identifier: Apache-2.0
#include "core/watch/detect/first_signs.h"
#include "core/watch/text/id_time.h"
#include "core/watch/text/name_classifier.h"
#include "core/watch/text/name_words.h"
#include "core/watch/text/token_format.h"
#include "tests/unit/watch/recognise.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace lockhouse {
namespace {

using test::recognise;

double confidence(std::string_view key, std::string value, std::optional<milliseconds> ttl = seconds(20)) {
  KeyFacts facts;
  facts.key = key;
  facts.type = ValueType::String;
  facts.value = std::move(value);
  facts.ttl = ttl;
  const auto lock = recognise(facts);
  return lock ? lock->confidence : 0;
}

const std::string uuid = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", hex32 = "3f786850e387550fdab836ed7e6dc881";

// What the libraries write, by their sources.
const std::vector<std::pair<const char *, std::string>> &libraryTokens() {
  static const std::vector<std::pair<const char *, std::string>> tokens{
      {"redis-py", "8f0c2f6a9d1b11efb1c30242ac120002"},
      {"node-redlock", hex32},
      {"uuid", uuid},
      {"bullmq", uuid + ":17"},
      {"redsync", "AAECAwQFBgcICQoLDA0ODw=="},
      {"redsync 2", "q83vEjRWeJCrze8SNFZ4kA=="},
      {"python-redis-lock", "Zk9xT2w3dFp1R2hYc0pLbWJ2"},
      {"redlock-py", "aB3dE5fG7hJ9kL1mN3pQ5r"},
      {"bsm/redislock", "q83v-jRWeJCrze8S_FZ4kA"},
      {"bsm/redislock with words", "q83v-jRWeJCrze8S_FZ4kAworker-3"},
      {"bsm/redislock with any words", "q83v-jRWeJCrze8S_FZ4kAworker 3 <\xe5\xb7\xa5\xe4\xba\xba>"},
      {"laravel", "aZ3kP9qL2mX7vB4n"},
      {"redis-plus-plus", "aZ3kP9qL2mX7vB4nT6yU"},
      {"php-lock", hex32 + hex32},
      {"redlock-php", "65f1c2a9b3d7e"},
      {"40 hex", hex32 + "3f786850"},
      {"cuid", "cjld2cjxh0000qzrmn831i7rn"},
      {"symfony before 5.2", "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA="},
      {"DistributedLock", "WEB-01_4242_" + hex32},
      {"phpredis", "web-1|4242"},
      {"resque-scheduler", "web-1.example.org:4242"},
      {"rslock", std::string("\x01\xff\x80\x03\x9a\xbc\xde\xf0\x11\x92\x13\xf4\x15\x96\x17\xf8\x19\xfa\x1b\xfc", 20)},
      {"rueidislock", std::string("\x01\xff\x80\x03\x9a\xbc\xde\xf0\x11\x92\x13\xf4\x15\x96\x17\xf8\x19\xfa\x1b\xfc\x1d\xfe\x1f\x90", 24)},
  };
  return tokens;
}

TEST(TokenMutex, isKnownByLibraryTokensUnderALocksName) {
  for (const auto &[library, token] : libraryTokens()) {
    EXPECT_GE(confidence("lock:order:7", token), shownConfidence) << library;
    EXPECT_GE(confidence("order:7:lock", token), shownConfidence) << library;
    EXPECT_GE(confidence("app:jobLock", token), shownConfidence) << library;
  }
}

TEST(TokenMutex, nameOfItsOwnersWordsWhateverTheyAre) {
  KeyFacts facts;
  facts.key = "lock:orders";
  facts.type = ValueType::String;
  facts.value = "q83v-jRWeJCrze8S_FZ4kAhost web-1";
  facts.ttl = seconds(20);
  EXPECT_THAT(recognise(facts)->mayBe, testing::Contains("bsm-redislock"));
  EXPECT_LT(confidence("notes:order:7", facts.value), shownConfidence) << "words alone are no token";
}

TEST(TokenMutex, ofAPartOfASettingIsNoSetting) {
  EXPECT_GE(confidence("lock:config:reload", hex32), shownConfidence);
  EXPECT_GE(confidence("lock:feature:rollout", uuid), shownConfidence);
  EXPECT_LT(confidence("lock:config", hex32), shownConfidence);
  EXPECT_LT(confidence("lock:config:reload", hex32, std::nullopt), shownConfidence);
  EXPECT_LT(confidence("lock:config:theme", "web-1"), shownConfidence);
  EXPECT_LT(confidence("door:lock:config:key", hex32), shownConfidence);
}

TEST(TokenMutex, isWhatIsLockedWhateverWordStandsBehindTheLock) {
  for (const auto *key : {"lock:status:7", "lock:token:refresh:7", "lock:count:7", "lock:version:7", "lock:stats:rollup", "mutex:state:7",
                          "redlock:hash:7:build", "lock:status", "lock:settings:7", "lock:config:reload", "lock:session:7", "status:7:lock"})
    for (const auto &value : {uuid, hex32, std::string("8f0c2f6a9d1b11efb1c30242ac120002"), std::string("q83vEjRWeJCrze8SNFZ4kA=="),
                              std::string("aZ3kP9qL2mX7vB4n"), std::string("aZ3kP9qL2mX7vB4nT6yU"), std::string("aB3dE5fG7hJ9kL1mN3pQ5r")}) {
      EXPECT_GE(confidence(key, value), shownConfidence) << key << " = " << value;
      EXPECT_TRUE(mayBeToken(key, value)) << key << " = " << value;
    }
}

TEST(TokenMutex, ofARecordWhoseLastWordExplainsItIsNone) {
  for (const auto *key : {"lock:12:access_token", "lock:12:session", "lock:version", "lock:hash", "lock:7:csrf", "lock:7:etag", "lock:firmware:checksum",
                          "lock:7:password", "lock:7:secret", "lock:7:nonce"})
    for (const auto &value : {uuid, hex32}) {
      EXPECT_LT(confidence(key, value), shownConfidence) << key;
      EXPECT_GE(confidence(key, value), lowestConfidence) << key << ": a row for who asks";
    }
}

TEST(TokenMutex, hasARowOfAnyStringUnderANameThatOpensWithALock) {
  for (const auto *key : {"lock:status:7", "lock:enabled", "mutex:count", "lock:config", "redlock:version", "lock_screen:7", "lock:job"})
    for (const auto &value : {uuid, std::string("1"), std::string("web-3:4711"), std::string("two words"), std::string("<html>"), std::string("[1,2]"),
                              std::string("\0\1\2", 3), std::string(300, '<'), std::string()})
      for (const auto ttl : {std::optional<milliseconds>(seconds(20)), std::optional<milliseconds>()}) {
        EXPECT_GE(confidence(key, value, ttl), lowestConfidence) << key << " = " << value;
        EXPECT_TRUE(mayBeToken(key, value)) << key << " = " << value;
      }
}

TEST(TokenMutex, hasARowOfATokenThatIsHeldLikeALockUnderAnyName) {
  for (const auto *key : {"my_resource", "user:7:price", "app-locks:status:7", "app-locks:token", "registry-lock:hash:7", "resource"})
    for (const auto &value : {uuid, hex32, std::string("q83vEjRWeJCrze8SNFZ4kA=="), std::string("aZ3kP9qL2mX7vB4nT6yU")}) {
      EXPECT_GE(confidence(key, value), lowestConfidence) << key;
      EXPECT_LT(confidence(key, value), shownConfidence) << key;
      EXPECT_TRUE(mayBeToken(key, value)) << key;
    }
  for (const auto *key : {"csrf:7", "otp:7", "etag:/index", "session:7"})
    EXPECT_FALSE(mayBeToken(key, uuid)) << key << ": they are many, and not each is read whole";
  for (const auto *key : {"csrf:7", "otp:7", "etag:/index", "session:7", "cache:7"})
    for (const auto &value : {uuid, std::string(hex32) + "3f786850", std::string("q83vEjRWeJCrze8SNFZ4kA==")}) {
      EXPECT_TRUE(mayBeToken(key, value, true)) << key;
      EXPECT_GE(confidence(key, value), lowestConfidence) << key << ": a row for who asks";
      EXPECT_LT(confidence(key, value, seconds(1800)), lowestConfidence) << key << ": no lock is held for so long";
      EXPECT_LT(confidence(key, value, std::nullopt), lowestConfidence) << key;
    }
  EXPECT_GE(confidence("my_resource_name", uuid, seconds(1800)), lowestConfidence);
}

TEST(TokenMutex, byHandMayBeWordsWithSpaces) {
  for (const auto *key : {"cron_lock", "lock:t", "lock:import:7", "jobLock"})
    for (const auto *value : {"locked by web-1", "a b", "worker 3 (web-1), pid 4711", "\xe5\xb7\xa5 web-1"}) {
      EXPECT_EQ(confidence(key, value), shownConfidence) << key << " = " << value;
      EXPECT_GE(confidence(key, value, std::nullopt), lowestConfidence) << key << " = " << value;
      EXPECT_LT(confidence(key, value, std::nullopt), shownConfidence) << key << " = " << value;
    }
  for (const auto *value : {"<b>a b</b>", "[1, 2]", "a\nb", "not before 2026-11-20 at noon"})
    EXPECT_LT(confidence("lock:t", value), shownConfidence) << value;
  EXPECT_LT(confidence("app:lock:t", "a b"), shownConfidence) << "amid other words";
  EXPECT_EQ(confidence("note:t", "a b"), 0);
}

TEST(TokenMutex, besideAWordThatExplainsItIsNone) {
  for (const auto *key : {"etag:/docs/mutex.html:v2", "csrf:lock-account:form", "user:lock.john:session", "asset:icons/lock.svg:hash", "gym:locker:7"})
    EXPECT_LT(confidence(key, hex32), shownConfidence) << key;
  for (const auto *key : {"lock:session:7", "token:refresh:lock", "cache:users:lock"})
    EXPECT_GE(confidence(key, hex32), shownConfidence) << key;
}

TEST(TokenMutex, tellsWhatItsBytesSay) {
  const auto extra = [](std::string value, std::string_view name) {
    KeyFacts facts;
    facts.key = "job:lock";
    facts.type = ValueType::String;
    facts.value = std::move(value);
    facts.ttl = seconds(20);
    facts.serverTime = milliseconds(1'795'500'000'000);
    const auto lock = recognise(facts);
    const auto found = std::ranges::find(lock->extras, name, &MetadataEntry::name);
    return found == lock->extras.end() ? std::string("nothing") : found->value;
  };
  EXPECT_EQ(extra("df1b9af0e6c711f1a73602fc00000001", "mac"), "02:fc:00:00:00:01");
  EXPECT_THAT(extra("df1b9af0e6c711f1a73602fc00000001", "since"), testing::StartsWith("2026-11-2"));
  EXPECT_EQ(extra("df1b9af0-e6c7-11f1-a736-02fc00000001", "mac"), "02:fc:00:00:00:01");
  EXPECT_THAT(extra("6b021aa04265b", "since"), testing::StartsWith("20"));
  EXPECT_EQ(extra(hex32, "since"), "nothing");
  EXPECT_EQ(extra("123456789012345678", "since"), "nothing") << "a number of another time is no Snowflake";
}

TEST(TokenMutex, ofRedisPyWithoutALeaseIsKnownUnderAnyNameForAWeekendAndThenByALocksNameAlone) {
  KeyFacts facts;
  facts.type = ValueType::String;
  facts.value = "df1b9af0e6c711f1a73602fc00000001";
  const auto made = timeOfUuid1(facts.value).value();
  const auto confidenceOf = [&](const char *key, milliseconds age) {
    facts.key = key;
    facts.serverTime = made + age;
    const auto lock = recognise(facts);
    return lock ? lock->confidence : 0;
  };
  EXPECT_EQ(confidenceOf("report-generation", std::chrono::hours(1)), shownConfidence);
  EXPECT_EQ(confidenceOf("report-generation", std::chrono::hours(62)), shownConfidence) << "from Friday evening to Monday morning";
  for (const auto *key : {"report-generation", "order:1001:customer", "sku:17:supplier", "ref:17"})
    EXPECT_LT(confidenceOf(key, std::chrono::days(40)), shownConfidence) << key << ": an id that is kept";
  EXPECT_GE(confidenceOf("lock:report", std::chrono::days(40)), shownConfidence);
}

TEST(TokenMutex, thatIsATimeIsDiscoursesByItsLease) {
  KeyFacts facts;
  facts.key = "post_mutex";
  facts.type = ValueType::String;
  facts.value = "1795300060";
  facts.serverTime = milliseconds(1'795'300'000'123);
  facts.ttl = milliseconds(60'880);
  EXPECT_EQ(recognise(facts)->family, "discourse");
  facts.ttl = milliseconds(61'780); // its script takes the server's whole seconds
  EXPECT_EQ(recognise(facts)->family, "discourse");
  facts.key = "default:notify_reviewable_job"; // Discourse's names need not speak of a lock, behind that of its site
  EXPECT_EQ(recognise(facts)->family, "discourse");
  EXPECT_GE(recognise(facts)->confidence, shownConfidence);
  facts.ttl = milliseconds(60'800); // less than a second later: as anybody has it who keeps a time as long as it lasts
  EXPECT_FALSE(recognise(facts));
  facts.ttl = milliseconds(61'780);
  facts.key = "notify_reviewable_job";
  EXPECT_FALSE(recognise(facts));
  facts.key = "post_mutex";
  facts.ttl = milliseconds(62'300);
  EXPECT_EQ(recognise(facts)->family, "setnx-legacy");
  facts.ttl = milliseconds(60'000);
  EXPECT_EQ(recognise(facts)->family, "setnx-legacy");
  facts.ttl = milliseconds(60'880);
  facts.key = "ratelimit:reset:7";
  const auto reset = recognise(facts);
  EXPECT_FALSE(reset && reset->confidence >= shownConfidence);
}

TEST(TokenMutex, isKnownUnderTheNamesThatLibrariesGive) {
  for (const auto *name : {"lock:a", "redlock:res", "mutex:res", "CSRedisClientLock:x", "RedisClientLock:x", "SINGLETONLOCK_3f786850", "lock4j:order",
                           "rueidislock:0:x", "job-lock:default:x", "php-malkusch-lock:x", "bull:mail:17:lock", "PHPREDIS_SESSION:abc_LOCK", "unacked_mutex",
                           "redbeat::lock", "lock||app||x", "_lockcache", "LOCK:A", "my.locks.a"})
    EXPECT_GE(confidence(name, hex32), shownConfidence) << name;
}

struct Held {
  const char *key;
  std::string value;
  bool leased;
};

// Keys, values and leases as the libraries leave them in Redis, by their sources and their documentation's names.
const std::vector<Held> &libraryStates() {
  static const std::string uuid1 = "8f0c2f6a9d1b11efb1c30242ac120002", alnum16 = "aZ3kP9qL2mX7vB4n";
  static const std::vector<Held> states{
      {"my-lock", uuid1, false},                                                         // redis-py
      {"lock:user:42", uuid1, false},                                                    // redis-py, no timeout
      {"user:42:lock", uuid1, false},                                                    // redis-py, no timeout
      {"lock:session:42", uuid1, false},                                                 // redis-py, no timeout
      {":1:import-lock", uuid1, false},                                                  // django-redis
      {"_lockapp.views:get_token_hash|1", uuid1, false},                                 // dogpile.cache
      {"redbeat::lock", uuid1, true},                                                    // RedBeat
      {"unacked_mutex", uuid1, true},                                                    // kombu
      {"redlock:stock", uuid, true},                                                     // pottery, RedLock.net
      {"lock:import", "Zk9xT2w3dFp1R2hYc0pLbWJ2", false},                                // python-redis-lock
      {"SINGLETONLOCK_3f786850e387550fdab8", uuid, false},                               // celery-singleton
      {"main:get_user-lock", uuid, true},                                                // aiocache
      {"mutex:stock", uuid, true},                                                       // redis-semaphore
      {"bull:verify-email:17:lock", uuid + ":3", true},                                  // BullMQ
      {"bull:session-cleanup:17:lock", uuid, true},                                      // Bull
      {"stock:lock", "q83vEjRWeJCrze8SNFZ4kA==", true},                                  // warlock
      {"lock.import", "1795271640123", true},                                            // npm redis-lock
      {"app:lock.import", "1795271640123", true},                                        // npm redis-lock behind a prefix
      {"lock||shop||stock", "worker-3", true},                                           // Dapr
      {"lock4j:com.example.Stock.take#7", hex32, true},                                  // Lock4j
      {"{hangfire}:recurring:dequeued:lock", uuid, true},                                // Hangfire
      {"CSRedisClientLock:refresh", uuid, true},                                         // CSRedis
      {"RedisClientLock:user", uuid, true},                                              // FreeRedis
      {"lock:stock", alnum16, true},                                                     // Foundatio, go-zero
      {"app-cache-lock:report", alnum16, false},                                         // Laravel, seconds = 0
      {"php-malkusch-lock:stock", hex32 + hex32, true},                                  // php-lock
      {"resque:resque_scheduler_master_lock", "web-1:4711", true},                       // resque-scheduler
      {"job-lock:default:state", "ADDED:2026-11-20T10:00:00.123Z@host-1:" + uuid, true}, // ShedLock
      {"lock:redlock-php", "65f1c2a9b3d7e", true},                                       // redlock-php
  };
  return states;
}

TEST(TokenMutex, isKnownAsLibrariesLeaveIt) {
  for (const auto &[key, value, leased] : libraryStates())
    EXPECT_GE(confidence(key, value, leased ? std::optional<milliseconds>(seconds(20)) : std::nullopt), shownConfidence) << key;
}

TEST(TokenMutex, withoutALeaseIsLessSure) {
  EXPECT_GE(confidence("lock:a", hex32, std::nullopt), shownConfidence) << "redis-py's default";
  EXPECT_LT(confidence("lock:a", hex32, std::nullopt), confidence("lock:a", hex32));
}

TEST(TokenMutex, ofShedLockIsKnownUnderAnyName) { EXPECT_GE(confidence("nightly", "ADDED:2026-11-20T10:00:00.123Z@host-1:" + uuid), 0.9); }

TEST(TokenMutex, writtenByHandIsKnownByNameAndLease) {
  EXPECT_GE(confidence("lock:import", "1"), shownConfidence);
  EXPECT_GE(confidence("import:lock", "locked"), shownConfidence);
  EXPECT_EQ(confidence("lock:import", "1", std::nullopt), shownConfidence) << "SETNX by hand sets no lease";
  EXPECT_LT(confidence("importlock", "1", std::nullopt), shownConfidence) << "it may be a flag";
  EXPECT_LT(confidence("user:7:lock", "1", std::nullopt), shownConfidence) << "it may be a flag";
  for (const auto *key : {"myapp:lock:import", "a:b:mutex:nightly"})
    EXPECT_EQ(confidence(key, "1", std::nullopt), shownConfidence) << key << ": a part of its own";
  for (const auto *key : {"settings:lock:enabled", "shop:lock:stock", "user:lock:7:color", "cart:lock:sums", "door:lock:7", "app:lock_x:7"})
    EXPECT_LT(confidence(key, "1", std::nullopt), shownConfidence) << key;
  EXPECT_GE(confidence("books~lock", ""), shownConfidence) << "Spring Data writes nothing";
}

TEST(TokenMutex, namesWithoutAGapAreReadToTheirLastWord) {
  for (const auto *key : {"joblock:17", "dblock", "cronjoblocks:17", "ordersynclock", "grpclock:7", "orderlock"})
    EXPECT_GE(confidence(key, uuid), shownConfidence) << key;
  for (const auto *key : {"timeclock:17", "contentblock:17", "badblock", "punchclocks:17", "adblock", "unblock:17"})
    EXPECT_LT(confidence(key, uuid), shownConfidence) << key << ": of a clock or a block";
}

// SET lock:job V NX PX 600000, V being what comes to hand.
TEST(TokenMutex, writtenByHandHasARowWhateverItsValue) {
  for (const auto *value : {"1795271640", "1795271640.123456", "1795271640123", "1795271640123456", "2026-11-20T10:00:00Z", "2026-11-20 10:00:00.5", "web-1",
                            "web.example.com", "alice@example.org", "10.0.0.7:4711", "web-1:4711", "1"}) {
    EXPECT_GE(confidence("lock:job", value), shownConfidence) << value << ": a time, a host or a worker";
    EXPECT_LE(confidence("lock:job", value), 0.6) << value;
    EXPECT_EQ(confidence("lock:job", value, std::nullopt), shownConfidence) << value << ": less sure";
    EXPECT_LT(confidence("joblock", value, std::nullopt), shownConfidence) << value;
    EXPECT_GE(confidence("joblock", value, std::nullopt), lowestConfidence) << value;
  }
  for (const auto *value : {"4711", "myhost", "alice", "owner", "{\"host\":\"a\",\"pid\":1}", "\"alice\""})
    for (const auto *key : {"lock:job", "job:lock", "app:lock:job", "jobLock"}) {
      EXPECT_EQ(confidence(key, value), shownConfidence) << key << " = " << value;
      EXPECT_GE(confidence(key, value, std::nullopt), lowestConfidence) << key << " = " << value;
      EXPECT_LT(confidence(key, value, std::nullopt), shownConfidence) << key << " = " << value << ": may be anything";
    }
  for (const auto *value : {"0", "17", "closed", "12.50", "{\"a\":1}", "release-2026-11-20"})
    for (const auto *key : {"lock:job", "job:lock", "app:lock:job", "jobLock", "user:42:lock"})
      for (const auto ttl : {std::optional<milliseconds>(seconds(600)), std::optional<milliseconds>()}) {
        EXPECT_GE(confidence(key, value, ttl), lowestConfidence) << key << " = " << value;
        EXPECT_LT(confidence(key, value, ttl), shownConfidence) << key << " = " << value << ": no owner";
      }
}

TEST(TokenMutex, mayBeTokenWheneverItIsRecognised) {
  for (const auto *value : {"1795271640", "4711", "alice", "{\"pid\":1}", "", "1", "web-1"}) {
    EXPECT_TRUE(mayBeToken("lock:job", value)) << value;
    EXPECT_FALSE(mayBeToken("job:7", value)) << value << " is anything where no name speaks of a lock";
  }
  EXPECT_FALSE(mayBeToken("job:7", "1795271640123")) << "a time in milliseconds is no uniqid";
}

std::string firstWords(std::string key, std::string value) {
  KeyFacts facts;
  facts.key = key;
  facts.type = ValueType::String;
  facts.value = std::move(value);
  const auto lock = recognise(facts);
  return lock && !lock->evidence.empty() ? englishOf(lock->evidence).front() : std::string();
}

TEST(TokenMutex, saysWhatItsValueLooksLike) {
  EXPECT_EQ(firstWords("lock:job", "1795271640"), "value is a time, as locks written by hand keep");
  EXPECT_EQ(firstWords("lock:job", "1795271640123"), "value is a time, as locks written by hand keep") << "of 13 hex digits too, but no uniqid";
  EXPECT_EQ(firstWords("lock:job", "65f1c2a9b3d7e"), "value has the form of a PHP uniqid, as redlock-php writes");
  EXPECT_EQ(firstWords("lock:job", "4711"), "value is a number: a process, or anything");
  EXPECT_EQ(firstWords("lock:job", "4711264711"), "value is a number: a process, or anything") << "no time of ours";
  EXPECT_EQ(firstWords("lock:job", "alice"), "value is a word: an owner, or anything");
  EXPECT_EQ(firstWords("lock:job", "{\"pid\":1}"), "value is JSON: an owner, or anything");
}

TEST(TokenMutex, hasTheExactTokenAsHolder) {
  KeyFacts facts;
  facts.key = "lock:a";
  facts.type = ValueType::String;
  facts.value = std::string("\x01\xff\x80\x03\x9a\xbc\xde\xf0\x11\x92\x13\xf4\x15\x96\x17\xf8", 16);
  const auto lock = recognise(facts);
  ASSERT_TRUE(lock);
  EXPECT_EQ(lock->holders.at(0).id, facts.value);
  EXPECT_EQ(lock->waiters, std::nullopt);
  EXPECT_EQ(lock->kind, LockKind::Mutex);
  EXPECT_FALSE(lock->evidence.empty());
}

TEST(NameEvidence, readsWordsNotLetters) {
  for (const auto *name : {"lock", "lock:a", "a:lock", "jobLock", "JobLOCK", "locks/1", "xlock", "mutex.1", "my_redlock", "asynclock", "dblock", "MUTEX"})
    EXPECT_TRUE(nameEvidence(name).lock && maySpeakOfLock(name)) << name;
  for (const auto &word : name_words::words) {
    if (WordLists(word.text).has(WordList::Locks)) {
      EXPECT_TRUE(nameEvidence(word.text).lock && maySpeakOfLock(word.text)) << word.text;
    }
  }
  EXPECT_FALSE(maySpeakOfLock("key:123"));
  for (const auto *name :
       {"stock",     "block:1",     "clock",        "unlock:1",  "lockout:1",  "blockchain", "locksmith",        "locker:7",       "locked_until", "location",
        "clocks",    "blocks:9",    "pocket",       "",          "flock",      "deadlocks",  "unblock:user:abc", "user:unblock:7", "deblock:7",    "bullock:4",
        "pollock:2", "wristlock:2", "goldilocks:3", "hillock:7", "genlock:cam"})
    EXPECT_FALSE(nameEvidence(name).lock) << name;
}

TEST(NameEvidence, wantsALeaseWhereAnotherWordExplainsTheValue) {
  for (const auto *name : {"lock:a", "a:lock", "jobLock", "lock:session:7", "user:7:lock", "cache:lock", "SINGLETONLOCK_3f", "_lockcsrf:hash", "redlock:state"})
    EXPECT_FALSE(nameEvidence(name).needsLease) << name;
  for (const auto *name : {"joblock", "session:lock", "csrf:lock", "lock:csrf", "state:lock", "door:lock:7"})
    EXPECT_TRUE(nameEvidence(name).needsLease) << name;
}

TEST(NameEvidence, bearsAnyBytes) {
  EXPECT_TRUE(nameEvidence(std::string("lock:\xff\xfe\0x", 8)).lock);
  EXPECT_TRUE(nameEvidence("lock:" + std::string(1 << 20, 'k')).lock);
  EXPECT_FALSE(nameEvidence(std::string(1 << 20, '\n')).lock);
}

TEST(TokenFormat, hasALongestLength) {
  EXPECT_EQ(tokenFormat(std::string(longestToken + 1, 'a')).kind, TokenFormat::Class::None);
  EXPECT_EQ(tokenFormat(std::string(4000, 'x')).kind, TokenFormat::Class::None);
}

} // namespace
} // namespace lockhouse
