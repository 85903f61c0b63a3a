// SPDX-License-Identifier: Apache-2.0
// One entry that a library did not write hides no lock of its; where nothing else speaks for one, it is none.
#include "tests/unit/watch/corpus/lock_corpus.h"
#include "tests/unit/watch/recognise.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace lockhouse {
namespace {

using test::LockState;
using test::recognise;
using testing::Contains;
using testing::HasSubstr;

const std::string a = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:1", b = "0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02:5";

std::optional<LockRecord> hash(std::string_view key, const std::vector<std::pair<std::string, std::string>> &fields,
                               std::optional<milliseconds> ttl = seconds(30)) {
  KeyFacts facts;
  facts.key = key;
  facts.type = ValueType::Hash;
  facts.fields = fields;
  facts.size = fields.size();
  facts.ttl = ttl;
  return recognise(facts);
}

void expectUnexpectedEntries(const std::optional<LockRecord> &lock, std::string_view family, std::size_t holders, std::uint64_t unexpectedEntries) {
  ASSERT_TRUE(lock) << family;
  EXPECT_EQ(lock->family, family);
  EXPECT_EQ(lock->holders.size(), holders);
  EXPECT_EQ(lock->unexpectedEntries, unexpectedEntries);
  EXPECT_GE(lock->confidence, shownConfidence);
  EXPECT_LT(lock->confidence, 0.9) << "less sure than of a whole one";
  EXPECT_THAT(englishOf(lock->evidence), Contains("entries that are not what its library writes: " + std::to_string(unexpectedEntries)));
}

TEST(StrayEntries, besideAnOwnerOfRedissonsHideNoLock) {
  expectUnexpectedEntries(hash("stock", {{a, "2"}, {"note", "x"}}), "redisson-lock", 1, 1);
  expectUnexpectedEntries(hash("stock", {{"note", "x"}, {a, "2"}}), "redisson-lock", 1, 1);
  EXPECT_EQ(hash("stock", {{"note", "x"}, {a, "2"}})->holders.front(), (Holder{a, 2, HoldMode::Exclusive}));
}

// What is counted for one client so far, with a total or a version: no watchdog renews it.
TEST(StrayEntries, besideAnOwnerAreARecordWhereNothingElseSpeaksOfALock) {
  for (const auto *key : {"attendance:lesson-5", "reservations:r9", "checkins:2026-11-28", "stock"})
    for (const std::optional<milliseconds> &ttl : {std::optional<milliseconds>(seconds(31)), {seconds(3600)}, {seconds(604800)}, {}}) {
      const auto lock = hash(key, {{a, "1"}, {"total", "1"}}, ttl);
      EXPECT_LT(lock ? lock->confidence : 0, shownConfidence) << key;
    }
  expectUnexpectedEntries(hash("lock:stock", {{a, "2"}, {"note", "x"}}, seconds(3600)), "redisson-lock", 1, 1);
  EXPECT_THAT(englishOf(hash("lock:stock", {{a, "2"}, {"note", "x"}})->evidence),
              Contains("hash with a field of one Redisson client and thread, with its count"));
}

TEST(StrayEntries, ofACountThatIsNoNumberTheNameOrAKeyBesideItDecides) {
  expectUnexpectedEntries(hash("lock:stock", {{a, "x"}}), "redisson-lock", 1, 1);
  EXPECT_EQ(hash("lock:stock", {{a, "x"}})->holders.front().count, 0);
  EXPECT_LT(hash("stock", {{a, "x"}})->confidence, shownConfidence) << "connections of clients are kept so too";
  EXPECT_THAT(englishOf(hash("stock", {{a, "x"}})->evidence), Contains("its count is no number"));
  for (const auto *count : {"0", "-1", "1.5", "99999999999999999999"})
    expectUnexpectedEntries(hash("stock", {{a, count}}), "redisson-lock", 1, 1);
  const std::vector<std::pair<std::string, std::string>> fields{{a, "x"}};
  KeyFacts fair;
  fair.key = "stock";
  fair.type = ValueType::Hash;
  fair.fields = fields;
  fair.size = 1;
  fair.queue = {b};
  fair.queueLength = 1;
  expectUnexpectedEntries(recognise(fair), "redisson-fair", 1, 1);
}

TEST(StrayEntries, ofACountTellWhatItIs) {
  for (const auto &[count, words] : {std::pair("0", "its count is 0, which its library never writes"),
                                     {"-1", "its count is -1, which its library never writes"},
                                     {"99999999999999999999", "its count is 99999999999999999999, more than a count can be"},
                                     {"1.5", "its count is no number"},
                                     {"", "its count is no number"}}) {
    EXPECT_THAT(englishOf(hash("lock:stock", {{a, count}})->evidence), Contains(words)) << count;
    EXPECT_THAT(englishOf(hash("lock:rw", {{"mode", "read"}, {a, count}})->evidence), Contains(words)) << count;
  }
}

TEST(StrayEntries, amongReadersAndWritersAreCounted) {
  expectUnexpectedEntries(hash("rw", {{"mode", "read"}, {a, "1"}, {b, "x"}}), "redisson-rw", 2, 1);
  expectUnexpectedEntries(hash("rw", {{"mode", "read"}, {a, "1"}, {"note", "x"}}), "redisson-rw", 1, 1);
  expectUnexpectedEntries(hash("rw-lock", {{"mode", "read"}, {a, "x"}}), "redisson-rw", 1, 1);
  expectUnexpectedEntries(hash("rw", {{"mode", "read"}, {a, "-3"}}), "redisson-rw", 1, 1);
  EXPECT_FALSE(hash("acl", {{"mode", "write"}, {"alice", "1"}})) << "without a holder it is none";
  EXPECT_FALSE(hash("acl", {{"mode", "write"}, {a, "1"}, {"x", "1"}, {"y", "1"}, {"z", "1"}})) << "strangers prevail";
}

std::optional<LockRecord> members(ValueType type, const std::string &key, std::vector<std::pair<std::string, std::string>> parts) {
  const LockState state{"", type, key, std::move(parts), true, ""};
  return recognise(test::factsOf(state));
}

const std::string c = "9b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b09";

TEST(StrayEntries, amongTheMembersOfASortedSetHideNoLock) {
  const auto x = a.substr(0, 36), y = b.substr(0, 36);
  expectUnexpectedEntries(members(ValueType::SortedSet, "semaphore:orders", {{x, "1795300000000"}, {y, "7"}}), "redis-semaphore", 1, 1);
  const std::string token = "itGRndUan7bU1Qm6ZMjPaAPeUNg6Ls+661NCBxpIyy0=";
  expectUnexpectedEntries(members(ValueType::SortedSet, "orders", {{token, "1795300290000"}, {"__write__", "1795300290000"}, {"note", "1"}}), "symfony", 1, 1);
  EXPECT_EQ(members(ValueType::SortedSet, "orders", {{token, "1795300290000"}, {"__write__", "1795300290000"}, {"note", "1"}})->holders.front().mode,
            HoldMode::Write);
  expectUnexpectedEntries(members(ValueType::SortedSet, "lock:orders", {{x, "1795300290000"}, {y, "1795300290000"}, {c, "12"}}), "handmade-zset", 2, 1);
  const auto alone = members(ValueType::SortedSet, "orders", {{token, "1795300290000"}, {"note", "1"}});
  EXPECT_LT(alone ? alone->confidence : 0, shownConfidence) << "no name, no majority";
}

TEST(StrayEntries, isNobodyWhoNamesHimselfAmongRandomIdsOfASemaphore) {
  const auto lock = members(ValueType::SortedSet, "semaphore:orders", {{a.substr(0, 36), "1795300000000"}, {"worker-4", "1795300000000"}});
  ASSERT_TRUE(lock);
  EXPECT_EQ(lock->family, "redis-semaphore");
  EXPECT_EQ(lock->holders.size(), 2U);
  EXPECT_EQ(lock->unexpectedEntries, 0U);
  EXPECT_GE(lock->confidence, 0.9);
}

TEST(StrayEntries, amongTheTicketsOfAListAreCounted) {
  expectUnexpectedEntries(members(ValueType::List, "lock:orders", {{a.substr(0, 36), ""}, {c, ""}, {std::string(200, ' '), ""}}), "handmade-list", 1, 1);
}

// Tickets that a counter gave, or bare names: what of lists may be many another thing has a row only among all.
TEST(Tickets, ofNoOwnersFormAreDoubtful) {
  for (const auto &[type, parts] : std::vector<std::pair<ValueType, std::vector<std::pair<std::string, std::string>>>>{
           {ValueType::List, {{"17", ""}, {"18", ""}}}, {ValueType::List, {{"alice", ""}}}, {ValueType::Hash, {{"alice", "1"}}}}) {
    const auto lock = members(type, "lock:printer", parts);
    ASSERT_TRUE(lock);
    EXPECT_TRUE(lock->isDoubtful());
    EXPECT_EQ(lock->holders.front().id, parts.front().first);
  }
}

// Of a list so many tickets are read, and whoever lies behind them waits too.
TEST(Tickets, beyondThoseThatAreReadAreWaiters) {
  for (const std::uint64_t size : {1001U, 1500U, 200'000U}) {
    auto state = LockState{"", ValueType::List, "queue:lock:q", {}, true, ""};
    for (int i = 1; i <= 1000; ++i)
      state.parts.emplace_back(fmt::format("{:08}-1111-4111-8111-111111111111", i), "");
    auto facts = test::factsOf(state);
    facts.size = size;
    const auto lock = recognise(facts);
    ASSERT_TRUE(lock);
    EXPECT_EQ(lock->family, "handmade-list");
    EXPECT_EQ(lock->holders, (std::vector<Holder>{{"00000001-1111-4111-8111-111111111111", 1, HoldMode::Exclusive}}));
    EXPECT_EQ(lock->unread, 0U) << "nobody who was not read holds it";
    EXPECT_EQ(lock->queue.size(), 999U);
    EXPECT_EQ(lock->waiters, size - 1);
    EXPECT_THAT(englishOf(lock->evidence), Contains(fmt::format("{} wait, of whom 999 were read", size - 1)));
  }
}

TEST(Permits, ofOneHolderAreOneHold) {
  const auto x = a.substr(0, 36), y = b.substr(0, 36);
  const auto lock = members(ValueType::SortedSet, "semaphore:orders", {{x + "_0", "1795299999900"}, {y + "_0", "1795299999900"}, {x + "_1", "1795299999900"}});
  ASSERT_TRUE(lock);
  EXPECT_EQ(lock->family, "redis-semaphore");
  EXPECT_EQ(lock->holders, (std::vector<Holder>{{x, 2, HoldMode::Exclusive}, {y, 1, HoldMode::Exclusive}}));
}

TEST(KeysBeside, aNameThatAnybodysLockMayHaveIsNeverTakenForOneUnseen) {
  const auto owners = FamilyRegistry::builtIn().ownersOf("lock:expire:orders");
  ASSERT_FALSE(owners.empty());
  for (const auto &owner : owners)
    EXPECT_FALSE(owner.isCertain) << owner.lock;
}

TEST(StrayEntries, ofADigestsJobWhoseTimeIsNoneIsShown) {
  const std::string digest = "uniquejobs:3f786850e387550fdab836ed7e6dc881", job = "4e1f0a9b3c7d5e6f8a9b0c1d";
  const auto alone = hash(digest + ":LOCKED", {{job, "soon"}});
  expectUnexpectedEntries(alone, "sidekiq-unique-jobs", 1, 1);
  ASSERT_TRUE(alone);
  EXPECT_EQ(alone->holders.front().id, job);
  EXPECT_THAT(englishOf(alone->evidence), Contains("values that are no times: 1"));
  expectUnexpectedEntries(hash(digest + ":RUN:LOCKED", {{job, "1795300000.5"}, {"aa786850e387550fdab836ed", ""}}), "sidekiq-unique-jobs", 2, 1);
  EXPECT_EQ(hash(digest + ":LOCKED", {{job, R"({"at":1795300000.5})"}})->family, "sidekiq-unique-jobs-9");
  EXPECT_FALSE(hash(digest + ":LOCKED", {{"total", "soon"}})) << "no job";
}

TEST(StrayEntries, ofALockedValueWhoseEndOrCountIsNoNumberIsShown) {
  const std::string value = "Zm9vYmFyYmF6cXV4MTIzNA", hold = value + ":" + a;
  const auto locked = [&](const char *end, const char *count) { return hash("ML", {{value, a}, {hold + ":expire_time", end}, {hold + ":lock_count", count}}); };
  const auto endless = locked("soon", "2");
  ASSERT_TRUE(endless);
  EXPECT_EQ(endless->family, "redisson-multilock");
  EXPECT_EQ(endless->holders, std::vector<Holder>({{hold, 2, HoldMode::Exclusive}}));
  EXPECT_THAT(englishOf(endless->evidence), Contains("ends that are no times: 1"));
  const auto uncounted = locked("1895300000000", "x");
  ASSERT_TRUE(uncounted);
  EXPECT_EQ(uncounted->holders, std::vector<Holder>({{hold, 0, HoldMode::Exclusive}}));
  EXPECT_THAT(englishOf(uncounted->evidence), Contains("its count is no number"));
  EXPECT_FALSE(locked("0", "1")) << "it has lapsed";
}

TEST(StrayEntries, anEndBesideTheLockThatIsNoTimeIsNamed) {
  KeyFacts facts;
  facts.key = "lock:owner:a";
  facts.type = ValueType::String;
  facts.value = "web-0:4711";
  facts.size = facts.value.size();
  facts.companion = {{.form = &FamilyRegistry::builtIn().find("mlanett-redis-lock")->companion.front(), .value = "soon", .members = {}, .size = 4, .ttl = {}}};
  const auto lock = recognise(facts);
  ASSERT_TRUE(lock);
  EXPECT_EQ(lock->family, "mlanett-redis-lock");
  EXPECT_THAT(englishOf(lock->evidence), Contains("its end, in a key of its own, is no time: soon"));
}

} // namespace
} // namespace lockhouse
