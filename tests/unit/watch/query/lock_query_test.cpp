// SPDX-License-Identifier: Apache-2.0
#include "core/watch/query/lock_query.h"

#include <gmock/gmock.h>

namespace lockhouse::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using Kind = QueryFault::Kind;

const SteadyTime start{1000s};

LockRecord sample() {
  LockRecord record;
  record.id = {NodeId("10.0.0.7:6379"), 0, LockName("order:{8841}:pay")};
  record.family = "redisson-lock";
  record.holders = {{.id = "web-3:17", .count = 3}};
  record.heldSince = start - 12s;
  record.expiresAt = start + 18s;
  record.waiters = 6;
  return record;
}

bool lets(const LockRecord &record, std::string_view text) {
  const auto query = LockQuery::parse(text);
  EXPECT_TRUE(query) << text << ": " << query.error().sentence();
  return query && query->matches(record, start);
}

TEST(LockQueryText, findsWordsInNamesHoldersAndFamilies) {
  for (const auto *text : {"8841", "WEB-3", "redisson", "order:{8841}", "name:order pay", "fam:redisson", "stock|order", "!stock", "node:10.0.0.7", ""})
    EXPECT_TRUE(lets(sample(), text)) << text;
  for (const auto *text : {"8842", "order:17", "order stock", "!order", "name:web-3", "node:10.0.0.8", "o*r", "10.0.0.7"})
    EXPECT_FALSE(lets(sample(), text)) << text;
}

TEST(LockQueryText, comparesTimesAndNumbers) {
  for (const auto *text : {"age>2s", "age>=12s", "age<0.5h", "ttl<=18s", "waiters>=3", "count>1", "count=3", "state:contended|suspect", "held<1MIN"})
    EXPECT_TRUE(lets(sample(), text)) << text;
  for (const auto *text : {"age>1m", "ttl<10s", "ttl:never", "waiters:unknown", "count<3", "state:held", "!state:contended"})
    EXPECT_FALSE(lets(sample(), text)) << text;
}

TEST(LockQueryText, takesUnknownWaitersForNoNumberAndAFreeLockForNoEndless) {
  auto record = sample();
  record.waiters.reset();
  EXPECT_FALSE(lets(record, "waiters<9"));
  EXPECT_TRUE(lets(record, "waiters:unknown"));
  record.holders.clear();
  record.expiresAt.reset();
  EXPECT_FALSE(lets(record, "ttl:never"));
  EXPECT_TRUE(lets(record, "state:waiting"));
}

TEST(LockQueryText, findsALockByAKeyBesideIt) {
  auto record = sample();
  record.id.key = LockName("tariff.writer");
  record.family = "distributedlock-rw";
  record.kind = LockKind::ReadWrite;
  for (const auto *text : {"tariff.readers", "TARIFF.READERS", "name:tariff.readers"})
    EXPECT_TRUE(lets(record, text)) << text;
  for (const auto *text : {"readers", ".readers", "tariff.r", "tariff.reader2", "holder:tariff.readers", "!tariff.readers"})
    EXPECT_FALSE(lets(record, text)) << text;
  record.id.key = LockName("report");
  record.family = "redisson-rw";
  for (const auto *text : {"redisson_lock_queue:{report}", "{report}:5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b05:5:rwlock_timeout:1"})
    EXPECT_TRUE(lets(record, text)) << text;
  for (const auto *text : {"redisson_lock_queue", "queue:{rep", "{report}:cache", "queue", "rwlock_timeout", "redisson_lock_queue:{reporting}"})
    EXPECT_FALSE(lets(record, text)) << text;
  record.family = "of a newer version";
  EXPECT_FALSE(lets(record, "redisson_lock_queue:{report}"));
}

TEST(LockQueryText, takesTheCommonestPrefixOfLocksForText) {
  auto record = sample();
  record.id.key = LockName("report:17");
  EXPECT_FALSE(lets(record, "lock:7")) << "what a filter lets through may be released";
  record.id.key = LockName("lock:7");
  EXPECT_TRUE(lets(record, "lock:7"));
}

// Of a family's keys beside its locks all have some bytes in common with others' names.
TEST(LockQueryText, findsNoLockByWhatItsNeighbourIsCalled) {
  auto record = sample();
  for (const auto &[family, key, text] : {std::tuple("sidekiq-unique-jobs", "uniquejobs:3f786850e387550fdab836ed7e6dc881:LOCKED", "queue"),
                                          {"python-redis-lock", "lock:orders", "lock-"},
                                          {"walrus", "lock:wal", "lock."},
                                          {"rueidislock", "rueidislock:0:cron", "lock:1"}}) {
    record.family = family;
    record.id.key = LockName(key);
    EXPECT_FALSE(lets(record, std::string("name:") + text)) << key;
  }
}

TEST(LockQueryText, doesNotFindAnotherLockOfTheSameHolder) {
  auto record = sample();
  record.alsoUnder = {LockName("stock")};
  EXPECT_FALSE(lets(record, "stock")) << "that has a row of its own, and what is released by a filter is what it names";
}

TEST(LockQueryText, meansOfALockTheHoldsThatItNames) {
  auto record = sample();
  record.id.key = LockName("order:7");
  record.family = "redisson-rw";
  record.holders = {{"web-1:4711", 1, HoldMode::Read}, {"web-2:4712", 1, HoldMode::Read}};
  const auto meant = [&](std::string_view text) {
    std::string all;
    for (const auto &holder : record.holders)
      all += LockQuery::parse(text)->means(record, holder) ? "1" : "0";
    return all;
  };
  EXPECT_EQ(meant("holder:web-1"), "10");
  EXPECT_EQ(meant("web-2"), "01") << "nothing else of the lock is called so";
  EXPECT_EQ(meant("holder:web-1|web-2"), "11");
  EXPECT_EQ(meant("order:7"), "11");
  EXPECT_EQ(meant("redisson !holder:web-3"), "11");
  EXPECT_EQ(meant("order holder:web-2 state:held"), "01");
}

TEST(LockQueryText, findsAPermitAsItsClientsKnowIt) {
  auto record = sample();
  record.family = "redisson-permits";
  record.holders = {{std::string("\x0a\x9a\xfa\x03\x92o8\x9eI\xa5h\x81J\xce\x8c\x36", 16), 1}};
  EXPECT_TRUE(lets(record, "holder:0a9afa03926f389e"));
  EXPECT_TRUE(LockQuery::parse("holder:0a9afa03")->means(record, record.holders.front()));
}

TEST(LockQueryText, findsEveryMemberOfARedlock) {
  auto record = sample();
  record.members = {{NodeId("10.0.0.7:6379"), 0, {}, {}}, {NodeId("10.0.0.9:6379"), 0, {}, {}}};
  EXPECT_TRUE(lets(record, "node:10.0.0.9"));
}

TEST(LockQueryText, findsBytesThatAreNoTextAsTheyAreShown) {
  auto record = sample();
  record.id.key = LockName(std::string("lock:\xff\x01", 7));
  EXPECT_TRUE(lets(record, "\\xff"));
  EXPECT_TRUE(lets(record, std::string_view("lock:\xff", 6)));
}

TEST(LockQueryText, keepsQuotedWordsTogetherAndSplitsAtTheWideSpace) {
  auto record = sample();
  record.id.key = LockName("two words age>1");
  EXPECT_TRUE(lets(record, "\"two words\""));
  EXPECT_TRUE(lets(record, "\"age>1\""));
  EXPECT_TRUE(lets(record, "two\u3000words"));
  EXPECT_FALSE(lets(record, "\"words two\""));
}

TEST(LockQueryText, inQuotesABarIsABar) {
  auto record = sample();
  record.id.key = LockName("lock||app||key");
  for (const auto *text : {"\"lock||app||key\"", "name:\"lock||app||key\"", "!name:\"lock|app\"", "name:\"k||a\"|nothing", "nothing|\"k||a\"", "k\"||\"a"})
    EXPECT_TRUE(lets(record, text)) << text;
  for (const auto *text : {"\"app|lock\"", "name:\"app|lock\"", "!name:app|\"x|y\""})
    EXPECT_FALSE(lets(record, text)) << text;
}

TEST(LockQueryText, thatLooksLikeAWordOfAFilterAndIsNowhereIsDoubted) {
  auto record = std::make_shared<LockRecord>(sample());
  record->id.key = LockName("order:42");
  const std::vector<LockRecordPtr> locks{record};
  const auto doubt = [&](std::string_view text) { return LockQuery::parse(text)->doubt(locks); };
  EXPECT_EQ(doubt("order:42"), "") << "names are full of colons";
  EXPECT_EQ(doubt("order:4"), "");
  for (const auto *text : {"bogus:xx", "!bogus:xx", "state:held bogus:xx", "bogus=xx"})
    EXPECT_THAT(doubt(text), testing::AllOf(testing::HasSubstr("\"bogus\" is no word"), testing::HasSubstr("family"), testing::HasSubstr("quotes"))) << text;
  for (const auto *text : {"\"bogus:xx\"", "!\"bogus:xx\"", "bogus", "7:xx", ":xx", "state:held", "a-b:c"})
    EXPECT_EQ(doubt(text), "") << text;
}

TEST(LockQueryText, mayMeanAHolderWhoWasNotRead) {
  const auto mayMean = [](const LockRecord &record, std::string_view text) { return LockQuery::parse(text)->mayMatchUnread(record, start); };
  auto record = sample();
  EXPECT_FALSE(mayMean(record, "holder:web-9")) << "all were read";
  record.unread = 200;
  EXPECT_TRUE(mayMean(record, "holder:web-9"));
  EXPECT_TRUE(mayMean(record, "order holder:web-9|web-8 fam:redisson"));
  for (const auto *text : {"holder:web-3", "stock holder:web-9", "web-9", "!holder:web-9", "!holder:web-3", ""})
    EXPECT_FALSE(mayMean(record, text)) << text;
}

struct Wrong {
  const char *text;
  Kind kind;
  std::size_t position;
};

class LockQueryFault : public testing::TestWithParam<Wrong> {};

TEST_P(LockQueryFault, saysWhichWordAndWhy) {
  const auto query = LockQuery::parse(GetParam().text);
  ASSERT_FALSE(query);
  EXPECT_EQ(query.error().kind, GetParam().kind);
  EXPECT_EQ(query.error().position, GetParam().position);
  EXPECT_GT(query.error().length, 0U);
  EXPECT_TRUE(query.error().sentence().ends_with('.'));
}

INSTANTIATE_TEST_SUITE_P(Grammar, LockQueryFault,
                         testing::Values(Wrong{"state:lost", Kind::UnknownState, 0}, Wrong{"a age>2", Kind::NeedsTime, 2}, Wrong{"age>-2s", Kind::NeedsTime, 0},
                                         Wrong{"age>1e99d", Kind::NeedsTime, 0}, Wrong{"waiters>=many", Kind::NeedsNumber, 0},
                                         Wrong{"waiters>=99999999999999999999", Kind::NeedsNumber, 0}, Wrong{"count:", Kind::NeedsValue, 0},
                                         Wrong{"\"\"", Kind::EmptyPart, 0}, Wrong{"x !\"\"", Kind::EmptyPart, 2}, Wrong{"a|", Kind::EmptyPart, 0},
                                         Wrong{"|a", Kind::EmptyPart, 0}, Wrong{"!a||b", Kind::EmptyPart, 0}, Wrong{"|", Kind::EmptyPart, 0},
                                         Wrong{"holder:a|", Kind::EmptyPart, 0}, Wrong{"state:|held", Kind::EmptyPart, 0}, Wrong{"name:|", Kind::EmptyPart, 0},
                                         Wrong{"name>x", Kind::NotComparable, 0}, Wrong{"size>3", Kind::UnknownField, 0}));

} // namespace
} // namespace lockhouse::test
