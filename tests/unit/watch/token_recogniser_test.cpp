// SPDX-License-Identifier: Apache-2.0
#include "core/watch/recognisers/recogniser.h"
#include "core/watch/token_shape.h"

#include <gmock/gmock.h>

namespace lockhouse {
namespace {

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

TEST(Recognisers, tellTheTypeOfEveryFamilysKeyWhileItIsHeld) {
  for (const auto &recogniser : recognisers()) {
    EXPECT_TRUE(recogniser.type == ValueType::String || recogniser.type == ValueType::Hash) << recogniser.family;
    LockRecord record;
    record.family = recogniser.family;
    EXPECT_EQ(typeOf(record), ValueType::Unknown) << "only its queue is there";
    record.holders.push_back({"x", 1, HoldMode::Exclusive});
    EXPECT_EQ(typeOf(record), recogniser.type) << recogniser.family;
  }
}

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
      {"laravel", "aZ3kP9qL2mX7vB4n"},
      {"redis-plus-plus", "aZ3kP9qL2mX7vB4nT6yU"},
      {"php-lock", hex32 + hex32},
      {"redlock-php", "65f1c2a9b3d7e"},
      {"40 hex", hex32 + "3f786850"},
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

TEST(TokenMutex, isKnownUnderTheNamesThatLibrariesGive) {
  for (const auto *name : {"lock:a", "redlock:res", "mutex:res", "CSRedisClientLock:x", "RedisClientLock:x", "SINGLETONLOCK_3f786850", "lock4j:order",
                           "rueidislock:0:x", "job-lock:default:x", "php-malkusch-lock:x", "bull:mail:17:lock", "PHPREDIS_SESSION:abc_LOCK", "unacked_mutex",
                           "redbeat::lock", "lock||app||x", "_lockcache", "LOCK:A", "my.locks.a"})
    EXPECT_GE(confidence(name, hex32), shownConfidence) << name;
}

TEST(TokenMutex, withoutALeaseIsLessSure) {
  EXPECT_GE(confidence("lock:a", hex32, std::nullopt), shownConfidence) << "redis-py's default";
  EXPECT_LT(confidence("lock:a", hex32, std::nullopt), confidence("lock:a", hex32));
}

TEST(TokenMutex, ofShedLockIsKnownUnderAnyName) { EXPECT_GE(confidence("nightly", "ADDED:2026-11-20T10:00:00.123Z@host-1:" + uuid), 0.9); }

TEST(TokenMutex, writtenByHandIsKnownByNameAndLease) {
  EXPECT_GE(confidence("lock:import", "1"), shownConfidence);
  EXPECT_GE(confidence("import:lock", "locked"), shownConfidence);
  EXPECT_LT(confidence("lock:import", "1", std::nullopt), shownConfidence) << "it may be a flag";
  EXPECT_GE(confidence("books~lock", ""), shownConfidence) << "Spring Data writes nothing";
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
  for (const auto *name : {"lock", "lock:a", "a:lock", "jobLock", "JobLOCK", "locks/1", "xlock", "mutex.1", "my_redlock"})
    EXPECT_TRUE(nameEvidence(name).lock && maySpeakOfLock(name)) << name;
  for (const auto *name : {"lck", "mtx", "dlm", "MUTEX", "locking", "locker"})
    EXPECT_TRUE(nameEvidence(name).lock && maySpeakOfLock(name)) << name;
  EXPECT_FALSE(maySpeakOfLock("key:123"));
  for (const auto *name : {"stock", "block:1", "clock", "unlock:1", "lockout:1", "blockchain", "locksmith", "locked_until", "location", "clocks", "blocks:9",
                           "pocket", "", "flock", "deadlocks"})
    EXPECT_FALSE(nameEvidence(name).lock) << name;
}

TEST(NameEvidence, bearsAnyBytes) {
  EXPECT_TRUE(nameEvidence(std::string("lock:\xff\xfe\0x", 8)).lock);
  EXPECT_TRUE(nameEvidence("lock:" + std::string(1 << 20, 'k')).lock);
  EXPECT_FALSE(nameEvidence(std::string(1 << 20, '\n')).lock);
}

TEST(TokenShape, hasALongestLength) {
  EXPECT_EQ(tokenShape(std::string(longestToken + 1, 'a')).kind, TokenShape::Class::None);
  EXPECT_EQ(tokenShape(std::string(4000, 'x')).kind, TokenShape::Class::None);
}

} // namespace
} // namespace lockhouse
