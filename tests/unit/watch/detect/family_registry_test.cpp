// SPDX-License-Identifier: Apache-2.0
#include "core/base/encoding.h"
#include "core/base/sealed_token.h"
#include "core/watch/detect/built_in_texts.h"
#include "core/watch/detect/family_parser.h"
#include "tests/unit/watch/corpus/lock_corpus.h"
#include "tests/unit/watch/recognise.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <random>

namespace lockhouse {
namespace {

using test::corpusTime;
using test::factsOf;
using test::lockCorpus;
using test::LockState;
using test::recognise;
using testing::Contains;
using testing::HasSubstr;

TEST(FamilyRegistry, knowEachLockOfTheCorpus) {
  for (const auto &state : lockCorpus()) {
    const auto lock = recognise(factsOf(state));
    ASSERT_TRUE(lock) << state.family << " " << state.key;
    EXPECT_EQ(lock->family, state.family) << state.key << " " << state.parts.front().first;
    EXPECT_GE(lock->confidence, shownConfidence) << state.family << " " << state.key;
    EXPECT_FALSE(lock->evidence.empty());
    if (!state.mayBe.empty()) {
      EXPECT_THAT(lock->mayBe, Contains(state.mayBe)) << state.key << " " << state.parts.front().first;
    }
  }
}

TEST(FamilyRegistry, knowTheirLocksUnderPrefixesOfOnesOwn) {
  const auto of = [](std::string_view key, std::string value, std::optional<milliseconds> ttl = seconds(20)) {
    KeyFacts facts;
    facts.key = key;
    facts.type = ValueType::String;
    facts.value = std::move(value);
    facts.ttl = ttl;
    facts.serverTime = corpusTime;
    const auto job = FamilyRegistry::builtIn().find("bullmq-job");
    CompanionFacts companion{.form = &job->companion.front(), .key = {}, .value = {}, .members = {}, .size = 3, .ttl = {}};
    facts.companion = {companion};
    const auto lock = recognise(facts);
    return lock && lock->confidence >= shownConfidence ? lock->family : std::string("nothing");
  };
  const std::string uuid = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01";
  for (const auto *key : {"bull:mail:1:lock", "我的:mail:1:lock", "{bull}:mail:j-12:lock", "my app:mail:1:lock", "a:b:mail:1:lock"})
    EXPECT_EQ(of(key, uuid + ":7"), "bullmq-job") << key;
  for (const auto *token : {"my-token", "1", "worker 3", "web-1:4711"})
    for (const auto *key : {"bull:email:88:lock", "{bull}:email:88:lock", "app:email:repeat:3f786850:1795300000000:lock"}) {
      EXPECT_EQ(of(key, token), "bullmq-job") << key << ": of a caller's own";
      EXPECT_NE(of(key, token, std::nullopt), "bullmq-job") << key << ": it has a lease";
    }
  EXPECT_EQ(of("bull:email:88:lock", uuid), "bull-job");
  EXPECT_EQ(of("{bull}:mail:stalled-check", "1795300000000"), "bull-stalled-check");
  for (const auto *key : {"lock:Jobs::Import-[5]", "resque:lock:MyJob-[1]", "lock:MyJob-[]", "myapp:lock:CleanUp-[]"})
    EXPECT_EQ(of(key, "1795300040", std::nullopt), "resque-lock") << key;
  EXPECT_EQ(of("laravel_database_laravel_cache_report-lock", "s:16:\"aB3dE6gH9jK2mN5p\";"), "laravel");
  EXPECT_EQ(of("php-malkusch-lock:y", "s:64:\"" + std::string(64, 'a') + "\";"), "php-lock");
  EXPECT_EQ(of("lastread:chat:5", uuid + ":42:7", std::nullopt), "nothing");
}

TEST(FamilyRegistry, nameOthersOnlyWhereTheBytesAreTheSame) {
  for (const auto &state : lockCorpus()) {
    if (state.family != "shedlock" && state.family != "redisson-lock" && !state.family.starts_with("sidekiq-unique-jobs"))
      continue;
    const auto lock = recognise(factsOf(state));
    EXPECT_TRUE(lock->mayBe.empty()) << state.family << ": " << lock->mayBe.front();
  }
}

TEST(FamilyRegistry, nameHangfireUnderAPrefixOfTheApplications) {
  KeyFacts facts;
  facts.key = "{myapp}:job:1:dequeued:lock";
  facts.type = ValueType::String;
  facts.value = "d9bd74fc-11ad-47b9-8a65-03952269fd66";
  facts.size = facts.value.size();
  facts.ttl = seconds(20);
  const auto lock = FamilyRegistry::builtIn().recognise(facts);
  ASSERT_TRUE(lock);
  EXPECT_THAT(lock->mayBe, Contains("hangfire"));
}

TEST(FamilyRegistry, nameAllWhoWriteSuchTokensUnderAWordThatAnyoneUses) {
  const auto namedCompanion = [](std::string_view key) {
    KeyFacts facts;
    facts.key = key;
    facts.type = ValueType::String;
    facts.value = "d9bd74fc-11ad-47b9-8a65-03952269fd66";
    facts.size = facts.value.size();
    facts.ttl = seconds(20);
    const auto lock = FamilyRegistry::builtIn().recognise(facts);
    EXPECT_TRUE(lock) << key;
    return lock ? *lock : LockRecord();
  };
  const std::vector<std::string> writers{"aioredlock", "redlock-rb", "sherlock"};
  const auto mutex = namedCompanion("mutex:report"), redlock = namedCompanion("redlock:report");
  EXPECT_EQ(mutex.family, "redis-semaphore-mutex");
  EXPECT_EQ(redlock.family, "redlock-net");
  for (const auto &lock : {namedCompanion("report-lock"), mutex, redlock})
    EXPECT_THAT(lock.mayBe, testing::IsSupersetOf(writers)) << lock.family;
  EXPECT_THAT(redlock.mayBe, Contains("pottery"));
}

TEST(FamilyRegistry, haveThreeStatesEachInTheCorpus) {
  std::map<std::string_view, unsigned> states;
  for (const auto &state : lockCorpus()) {
    ++states[state.family];
    ++states[state.mayBe];
  }
  // Known by what lies beside them; tested below.
  for (const auto *companion :
       {"redisson-fair", "symfony-semaphore", "redisson-semaphore", "redisson-permits", "redisson-latch", "lockhouse-list-fair", "lockhouse-zset-fair"})
    states[companion] += 3;
  states["discourse"] += 3; // known by its lease: see token_recogniser_test.cpp
  states["dramatiq"] += 3;  // without a mark of its own: never claimed
  for (const auto &family : FamilyRegistry::builtIn().all())
    EXPECT_GE(states[family.slug], 3U) << family.slug;
}

TEST(FamilyRegistry, areEachAFileOfTheirOwnName) {
  for (const auto &[file, text] : builtInTexts()) {
    const auto families = readFamilies(text, file);
    ASSERT_TRUE(families) << families.error().sentence();
    ASSERT_EQ(families->size(), 1U) << file;
    auto name = families->front().slug + ".toml";
    std::ranges::replace(name, '-', '_');
    if (name != file && families->front().slug != "cheprasov-php-redis-lock")
      ADD_FAILURE() << file << " holds " << families->front().slug;
    EXPECT_FALSE(families->front().about.empty()) << file;
    EXPECT_FALSE(families->front().source.empty()) << file;
  }
}

TEST(FamilyRegistry, tellWhatTheBytesSay) {
  std::map<std::string_view, LockRecord> first;
  for (const auto &state : lockCorpus())
    if (auto lock = recognise(factsOf(state)))
      first.try_emplace(state.mayBe.empty() ? state.family : state.mayBe, std::move(*lock));
  const auto extra = [&](std::string_view family, std::string_view name) {
    const auto &extras = first.at(family).extras;
    const auto found = std::ranges::find(extras, name, &MetadataEntry::name);
    return found == extras.end() ? std::string("nothing") : found->value;
  };
  EXPECT_EQ(extra("shedlock", "since"), "2026-11-22T10:00:00.123Z");
  EXPECT_THAT(extra("redbeat", "since"), HasSubstr("2026-11-2"));
  EXPECT_THAT(extra("redbeat", "mac"), testing::StartsWith("02:42:ac:"));
  EXPECT_THAT(extra("warlock", "mac"), testing::StartsWith("02:42:ac:"));
  EXPECT_EQ(extra("mlanett-redis-lock", "host"), "web-0");
  EXPECT_EQ(extra("mlanett-redis-lock", "pid"), "4711");
  EXPECT_EQ(extra("npm-redis-lock", "until"), "2026-11-21T22:26:44.000Z");
  EXPECT_EQ(extra("redisson-lock", "thread"), "1");
  EXPECT_EQ(extra("bullmq-job", "job"), "1");
}

KeyFacts number(std::string_view value) {
  KeyFacts facts;
  facts.key = "permits";
  facts.type = ValueType::String;
  facts.value = value;
  facts.serverTime = corpusTime;
  facts.seenAt = SteadyTime(seconds(50));
  return facts;
}

const CompanionKey &companionOf(std::string_view slug, Role role) {
  const auto *family = FamilyRegistry::builtIn().find(slug);
  return *std::ranges::find(family->companion, role, &CompanionKey::role);
}

TEST(RedissonSemaphore, isANumberThatSomebodyListensTo) {
  for (const auto *value : {"0", "3", "1000"}) {
    auto facts = number(value);
    EXPECT_FALSE(recognise(facts).has_value() && recognise(facts)->confidence >= shownConfidence) << "a bare number";
    facts.listeners = {.permits = 2};
    EXPECT_EQ(recognise(facts)->family, "redisson-semaphore");
    EXPECT_EQ(recognise(facts)->waiters, 2U);
    EXPECT_THAT(recognise(facts)->holders, testing::IsEmpty()) << "a number is nobody";
    EXPECT_EQ(recognise(facts)->number, std::stoi(value));
    EXPECT_EQ(recognise(facts)->extras, (std::vector<MetadataEntry>{{"free", value}}));
    facts.listeners = {.latch = 1};
    EXPECT_EQ(recognise(facts)->family, "redisson-latch");
    EXPECT_EQ(recognise(facts)->extras, (std::vector<MetadataEntry>{{"left", value}}));
  }
}

TEST(MlanettRedisLock, endsWhenTheKeyBesideItSays) {
  KeyFacts facts;
  facts.key = "lock:owner:a";
  facts.type = ValueType::String;
  facts.value = "web-1:4711";
  facts.serverTime = corpusTime;
  facts.seenAt = SteadyTime(seconds(50));
  facts.companion = {{.form = &companionOf("mlanett-redis-lock", Role::Part), .value = "1795300010", .members = {}, .size = 10, .ttl = {}}};
  EXPECT_EQ(recognise(facts)->expiresAt, facts.seenAt + seconds(10));
  EXPECT_EQ(recognise(facts)->family, "mlanett-redis-lock");
  EXPECT_THAT(recognise(facts)->extras,
              testing::ElementsAre(MetadataEntry{"host", "web-1"}, MetadataEntry{"pid", "4711"}, MetadataEntry{"until", "2026-11-21T22:26:50.000Z"}));
  facts.companion[0].value = "1795299990";
  EXPECT_EQ(recognise(facts)->confidence, 0.95);
  EXPECT_TRUE(recognise(facts)->isOver) << "its library takes it for free";
  for (const auto *value : {"", "soon", "99999999999999999999"}) {
    facts.companion[0].value = value;
    EXPECT_FALSE(recognise(facts)->expiresAt) << value;
    EXPECT_GE(recognise(facts)->confidence, shownConfidence) << value;
  }
}

TEST(FamilyRegistry, areTheSameOnceTheEndThatTheirBytesNameIsOver) {
  const auto of = [](std::string_view key, std::string_view value) {
    KeyFacts facts;
    facts.key = key;
    facts.type = ValueType::String;
    facts.value = value;
    facts.serverTime = corpusTime;
    facts.seenAt = SteadyTime(seconds(50));
    return *recognise(facts);
  };
  for (const auto &[key, runs, over] : {std::tuple("lock:ImportJob-[5]", "1795300060", "1795299940"),
                                        {"resque:lock:ImportJob-[5]", "1795300060", "1795299940"},
                                        {"loner:lock:ImportJob", "1795300060", "1795299940"},
                                        {"lock.orders", "1795300060123", "1795299940123"},
                                        {"lock:nightly", "1795300060", "1795299940"}}) {
    const auto before = of(key, runs), after = of(key, over);
    EXPECT_EQ(stateAt(before, before.seenAt), lockhouse::LockState::Held) << key;
    EXPECT_EQ(after.family, before.family) << key;
    EXPECT_EQ(after.confidence, before.confidence) << key;
    EXPECT_GE(after.confidence, shownConfidence) << key;
    EXPECT_EQ(stateAt(after, after.seenAt), lockhouse::LockState::Suspect) << key;
    EXPECT_EQ(timeLeft(after, after.seenAt), milliseconds(0)) << key;
    EXPECT_FALSE(before.isOver) << key;
  }
  EXPECT_THAT(englishOf(of("lock.orders", "1795299940123").evidence), Contains("the end that it names is over: whoever asks next may take it"));
}

TEST(RedissonPermits, areThoseWhoseLeaseLasts) {
  for (const std::size_t out : {1U, 2U, 5U}) {
    auto facts = number("3");
    CompanionFacts permits{.form = &companionOf("redisson-permits", Role::Permits), .value = {}, .members = {}, .size = out, .ttl = {}};
    for (std::size_t i = 0; i < out; ++i)
      permits.members.push_back({std::string(16, static_cast<char>('a' + i)), static_cast<double>(corpusTime.count()) + 1000.0 * static_cast<double>(i) - 500});
    facts.companion.push_back(permits);
    const auto lock = recognise(facts);
    ASSERT_EQ(lock.has_value(), out > 1) << "the first has lapsed";
    if (!lock)
      continue;
    EXPECT_EQ(lock->family, "redisson-permits");
    EXPECT_TRUE(std::ranges::is_sorted(lock->extras, {}, &MetadataEntry::name));
    EXPECT_EQ(lock->kind, LockKind::Semaphore);
    EXPECT_EQ(lock->holders.size(), out - 1) << "one has lapsed";
    EXPECT_EQ(std::ranges::find(lock->extras, "permit", &MetadataEntry::name)->value.substr(0, 32), "62626262626262626262626262626262");
    EXPECT_THAT(englishOf(lock->evidence), Contains("holders that have lapsed and were not cleared away yet: 1"));
  }
}

TEST(FamilyRegistry, holdForEverWhereAnEndIsNoTime) {
  auto facts = number("3");
  facts.companion.push_back(
      {.form = &companionOf("redisson-permits", Role::Permits), .value = {}, .members = {{std::string(16, 'a'), 922'337'203'685'477.0}}, .size = 1, .ttl = {}});
  ASSERT_TRUE(recognise(facts));
  EXPECT_EQ(recognise(facts)->holders.size(), 1U);
  EXPECT_EQ(recognise(facts)->expiresAt, std::nullopt) << "a permit without a lease";
  const std::string value = "q83vEjRWeJCrze8SNFZ4kA", owner = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:1", first = value + ":" + owner;
  LockState group{"redisson-multilock",
                  ValueType::Hash,
                  "group",
                  {{value, owner}, {first + ":expire_time", "9000000000000000000"}, {first + ":lock_count", "1"}},
                  false,
                  ""};
  ASSERT_TRUE(recognise(factsOf(group)));
  EXPECT_EQ(recognise(factsOf(group))->expiresAt, std::nullopt);
}

TEST(SymfonySemaphore, isKnownByItsTokensAndTheWeightsBesideIt) {
  for (const int holders : {1, 2, 3})
    for (const std::string form : {"holder-", "itGRndUan7bU1Qm6ZMjPaAPeUNg6Ls+661NCBxpIyy"}) {
      KeyFacts facts;
      facts.key = "{pool}:time";
      facts.type = ValueType::SortedSet;
      facts.serverTime = corpusTime;
      facts.seenAt = SteadyTime(seconds(50));
      for (int i = 0; i < holders; ++i)
        facts.members.push_back({form + std::to_string(i) + (form.size() > 9 ? "=" : ""), 1'795'300'060.0 + i});
      facts.size = facts.members.size();
      const bool areTokens = form.size() > 9;
      EXPECT_EQ(recognise(facts).has_value(), areTokens) << "any sorted set of times";
      facts.companion.push_back({.form = &companionOf("symfony-semaphore", Role::Part), .value = {}, .members = {}, .size = 1, .ttl = {}});
      const auto lock = recognise(facts);
      ASSERT_TRUE(lock);
      EXPECT_EQ(lock->family, "symfony-semaphore");
      EXPECT_EQ(lock->confidence >= shownConfidence, areTokens) << "any two sorted sets of one name";
      EXPECT_EQ(lock->holders.size(), static_cast<std::size_t>(holders));
    }
}

TEST(LockhouseLines, areKnownByTheirType) {
  for (const auto *slug : {"lockhouse-list-fair", "lockhouse-zset-fair"}) {
    auto facts = number("5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:7");
    const std::string waiter = "0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02:9";
    facts.companion.push_back({.form = &companionOf(slug, Role::Queue), .value = {}, .members = {{waiter, 1}}, .size = 1, .ttl = {}});
    facts.companion.push_back({.form = &companionOf(slug, Role::Deadlines),
                               .value = {},
                               .members = {{waiter.substr(0, 36), static_cast<double>(corpusTime.count()) + 7000}},
                               .size = 1,
                               .ttl = {}});
    const auto lock = recognise(facts);
    ASSERT_TRUE(lock);
    EXPECT_EQ(lock->family, slug);
    EXPECT_EQ(lock->waiters, 1U);
    ASSERT_EQ(lock->queue.size(), 1U);
    EXPECT_EQ(lock->queue[0].id, waiter);
    EXPECT_EQ(lock->queue[0].leavesAt, facts.seenAt + seconds(7));
  }
}

TEST(FamilyRegistry, knowWhoseAKeyBesideALockIs) {
  const auto owner = [](std::string_view key) {
    const auto owners = FamilyRegistry::builtIn().ownersOf(key);
    return owners.empty() ? std::string() : owners.front().lock;
  };
  EXPECT_EQ(owner("lock-signal:stock"), "lock:stock");
  EXPECT_EQ(owner("lock.event:stock"), "lock:stock");
  const std::string digest = "uniquejobs:1f836320adb98bab1686a28d9801210c";
  EXPECT_EQ(owner(digest + ":QUEUED"), digest + ":LOCKED");
  EXPECT_EQ(owner(digest + ":RUN:QUEUED"), digest + ":RUN:LOCKED");
  EXPECT_EQ(owner("rueidislock:8:a"), "rueidislock:0:a");
  EXPECT_EQ(owner("lock:expire:a"), "lock:owner:a");
  EXPECT_EQ(owner("rueidislock:2:a"), "rueidislock:0:a");
  EXPECT_EQ(owner("a.readers"), "a.writer");
  EXPECT_EQ(owner("{stock}:timeout"), "stock");
  EXPECT_EQ(owner("lockhouse:queue:{a}"), "a");
  EXPECT_EQ(owner("lockhouse:queue::{a}b"), "{a}b");
  EXPECT_EQ(owner("session:7"), "");
}

TEST(FamilyRegistry, ofPythonRedisLockAreKnownByEveryTokenThatItMayWrite) {
  std::mt19937 random(18);
  KeyFacts facts;
  facts.key = "lock:orders";
  facts.type = ValueType::String;
  facts.serverTime = corpusTime;
  std::size_t digitless = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes;
    for (int byte = 0; byte < 18; ++byte)
      bytes += static_cast<char>(random() & 0xffU);
    facts.value = base64(bytes);
    digitless += facts.value.find_first_of("0123456789") == std::string::npos;
    const auto lock = recognise(facts);
    ASSERT_TRUE(lock && lock->confidence >= shownConfidence) << facts.value;
    ASSERT_EQ(lock->family, "python-redis-lock") << facts.value;
  }
  EXPECT_GT(digitless, 100U);
}

TEST(FamilyRegistry, ofBlockingLockAreKnownByTokenAndLeaseOrByTheList) {
  const auto family = [](std::string_view key, std::string value, std::optional<milliseconds> ttl, bool isSignalled = false) {
    KeyFacts facts;
    facts.key = key;
    facts.type = ValueType::String;
    facts.value = std::move(value);
    facts.ttl = ttl;
    facts.serverTime = corpusTime;
    if (isSignalled)
      facts.companion.push_back({.form = &companionOf("lockhouse-blocking", Role::Signal), .value = {}, .members = {{"1", 0}}, .size = 1, .ttl = {}});
    const auto lock = recognise(facts);
    return lock && lock->confidence >= shownConfidence ? lock->family : std::string("none");
  };
  const std::string token = "Zk9xT2w3dFp1R2hYc0pLbWJ2", other = "3f786850e387550fdab836ed7e6dc881";
  const auto own = sealedToken()->bytes();
  for (const auto *key : {"stress:7", "checkout:7", "session:7"})
    EXPECT_EQ(family(key, own, seconds(20)), "lockhouse-blocking") << key << ": it checks itself";
  EXPECT_EQ(family("stress:7", token, seconds(20)), "none") << "one-time codes and the like have that form too";
  EXPECT_EQ(family("order:7:lock", token, seconds(20)), "lockhouse-blocking");
  EXPECT_EQ(family("lock:order", token, seconds(20)), "python-redis-lock");
  for (const auto *id : {"507f1f77bcf86cd799439011", "9f1c2d3e4b5a4c6d8e7f0a1b"}) // hex: of random letters of base64 none are
    EXPECT_NE(family("lock:order", id, seconds(20)), "python-redis-lock") << id;
  EXPECT_EQ(family("stress:7", other, seconds(20), true), "lockhouse-blocking") << "an owner of the caller's";
  for (const auto *key : {"session:7", "csrf:7", "nonce:7", "user:7", "lock_code:7"})
    EXPECT_EQ(family(key, token, seconds(20)), "none") << key;
  EXPECT_EQ(family("stress:7", token, std::chrono::minutes(30)), "none");
  EXPECT_EQ(family("stress:7", token, {}), "none");
  EXPECT_EQ(family("stress:7", "507f1f77bcf86cd799439011", seconds(20)), "none") << "MongoDB's ids";
}

} // namespace
} // namespace lockhouse
