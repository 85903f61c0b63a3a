// SPDX-License-Identifier: Apache-2.0
#include "ui/model/locks/lock_table_model.h"
#include "ui/model/locks/row_query.h"

#include "tests/unit/ui/sample_locks.h"

#include <gmock/gmock.h>

namespace lockhouse::ui {
namespace {

using samples::held;
using samples::share;
using samples::start;

/// A table of one lock, and whether a filter lets it through.
class Filter : public ::testing::Test {
protected:
  bool lets(LockRecord record, const char *text) {
    LockTableModel table;
    table.apply(samples::snapshot({share(std::move(record))}), start);
    const auto query = LockQuery::parse(QString::fromUtf8(text));
    EXPECT_TRUE(query) << text << ": " << query.error().sentence.toStdString();
    return query && query->matches(table.row(0), start);
  }

  LockRecord contended() {
    LockRecord record = held("order:{8841}:pay");
    record.waiters = 6;
    return record;
  }
};

TEST_F(Filter, anEmptyFilterLetsEverythingThrough) {
  EXPECT_TRUE(lets(held("a"), ""));
  EXPECT_TRUE(lets(held("a"), "   "));
  EXPECT_TRUE(LockQuery::parse({})->isEmpty());
}

TEST_F(Filter, textThatLooksLikeAWordAndIsInNoLockIsDoubted) {
  LockTableModel table;
  table.apply(samples::snapshot({share(held("order:8841"))}), start);
  const auto doubt = [&](const char *text) { return LockQuery::parse(QString::fromUtf8(text))->doubt(table.rows()).toStdString(); };
  EXPECT_THAT(doubt("order nod:a"), ::testing::StartsWith("“nod:” is no word of a filter, and no lock has that text."));
  EXPECT_THAT(doubt("!nod:a"), ::testing::StartsWith("“nod:” is no word"));
  EXPECT_EQ(doubt("order:88"), "") << "a lock has it";
  EXPECT_EQ(doubt("\"nod:a\""), "") << "it says that it is text";
  EXPECT_EQ(doubt("node:zzz nothing"), "");
}

TEST_F(Filter, plainTextLooksInNameHolderAndFamily) {
  EXPECT_TRUE(lets(contended(), "8841"));
  EXPECT_TRUE(lets(contended(), "WEB-3"));
  EXPECT_TRUE(lets(contended(), "redisson"));
  EXPECT_FALSE(lets(contended(), "8842"));
}

TEST_F(Filter, thatNamesAHolderMeansHisHoldsAlone) {
  LockRecord record = held("order:7");
  record.holders = {{"web-1:4711", 1, HoldMode::Read}, {"web-2:4712", 1, HoldMode::Read}};
  LockTableModel table;
  table.apply(samples::snapshot({share(record)}), start);
  const auto meant = [&](const char *text) {
    std::string all;
    for (const auto &holder : record.holders)
      all += LockQuery::parse(QString::fromUtf8(text))->means(table.row(0), holder) ? "1" : "0";
    return all;
  };
  EXPECT_EQ(meant("holder:web-1"), "10");
  EXPECT_EQ(meant("web-2"), "01");
  EXPECT_EQ(meant("holder:web-1|web-2"), "11");
  EXPECT_EQ(meant("order:7 !holder:web-3"), "11");
  EXPECT_EQ(meant("readers"), "11") << "as the table has them all";
  record.holders = {{"8743c9c0-0795-4907-87fd-6c719a6b4586:31", 1, HoldMode::Read}};
  table.apply(samples::snapshot({share(record)}), start);
  EXPECT_EQ(meant("holder:8743c9c0:31"), "1") << "as the table shows him";
}

TEST_F(Filter, theNameOfAKeyBesideALockFindsIt) {
  LockRecord record = held("tariff.writer");
  record.family = "distributedlock-rw";
  EXPECT_TRUE(lets(record, "tariff.readers"));
  EXPECT_TRUE(lets(record, "name:tariff.readers"));
  EXPECT_FALSE(lets(record, "readers"));
}

TEST_F(Filter, namesWithColonsAreText) {
  EXPECT_TRUE(lets(contended(), "order:{8841}"));
  EXPECT_FALSE(lets(contended(), "order:17"));
}

TEST_F(Filter, allWordsMustHold) {
  EXPECT_TRUE(lets(contended(), "order pay"));
  EXPECT_FALSE(lets(contended(), "order stock"));
}

TEST_F(Filter, eitherOfTwoWords) {
  EXPECT_TRUE(lets(contended(), "stock|order"));
  EXPECT_TRUE(lets(contended(), "state:contended|suspect"));
  EXPECT_FALSE(lets(held("a"), "state:contended|suspect"));
}

TEST_F(Filter, exclamationTurnsAWordRound) {
  EXPECT_FALSE(lets(contended(), "!order"));
  EXPECT_TRUE(lets(held("a"), "!state:contended"));
}

TEST_F(Filter, comparesHowLongItIsHeld) {
  EXPECT_TRUE(lets(held("a"), "age>2s"));
  EXPECT_TRUE(lets(held("a"), "age>=12400ms"));
  EXPECT_FALSE(lets(held("a"), "age>1m"));
  EXPECT_TRUE(lets(held("a"), "age<0.5h"));
}

TEST_F(Filter, comparesWhatIsLeftOfTheLease) {
  EXPECT_FALSE(lets(held("a"), "ttl<10s"));
  EXPECT_TRUE(lets(held("a"), "ttl<=20s"));
  LockRecord forGood = held("a");
  forGood.expiresAt.reset();
  EXPECT_TRUE(lets(forGood, "ttl:never"));
  EXPECT_FALSE(lets(forGood, "ttl<10s"));
  EXPECT_FALSE(lets(held("a"), "ttl:never"));
}

TEST_F(Filter, aFreeLockNeverCountsAsNeverExpiring) {
  LockRecord queued = held("a");
  queued.holders.clear();
  queued.expiresAt.reset();
  queued.waiters = 2;
  EXPECT_FALSE(lets(queued, "ttl:never"));
  EXPECT_TRUE(lets(queued, "state:waiting"));
}

TEST_F(Filter, unknownWaitersAreNotZero) {
  LockRecord token = held("a");
  token.waiters.reset();
  EXPECT_FALSE(lets(token, "waiters<3"));
  EXPECT_FALSE(lets(token, "waiters=0"));
  EXPECT_TRUE(lets(token, "waiters:unknown"));
  EXPECT_TRUE(lets(contended(), "waiters>=3"));
}

TEST_F(Filter, comparesTheDepth) {
  LockRecord deep = held("a");
  deep.holders.front().count = 3;
  EXPECT_TRUE(lets(deep, "count>1"));
  EXPECT_FALSE(lets(held("a"), "count>1"));
}

TEST_F(Filter, knowsNodesByLetterAndAddress) {
  EXPECT_TRUE(lets(held("x"), "node:a"));
  EXPECT_TRUE(lets(held("x"), "node:n1"));
  EXPECT_FALSE(lets(held("x"), "node:b"));
}

TEST_F(Filter, looksAtTheWholeHolderNotTheShortForm) {
  LockRecord record = held("a", "8743c9c0-0795-4907-87fd-6c719a6b4586:31");
  EXPECT_TRUE(lets(record, "holder:4907-87fd"));
  EXPECT_FALSE(lets(record, "name:4907-87fd"));
}

TEST_F(Filter, quotesKeepSpacesAndSignsTogether) {
  EXPECT_TRUE(lets(held("two words"), "\"two words\""));
  EXPECT_FALSE(lets(held("twowords"), "\"two words\""));
  EXPECT_TRUE(lets(held("age>1"), "\"age>1\""));
}

TEST_F(Filter, textIsNeverAPattern) {
  EXPECT_FALSE(lets(held("order"), "o*r"));
  EXPECT_TRUE(lets(held("o*r[a]"), "*r[a"));
}

struct Wrong {
  const char *text;
  const char *part; ///< of the sentence
};

class WrongFilter : public ::testing::TestWithParam<Wrong> {};

TEST_P(WrongFilter, isRefusedWithASentenceThatNamesTheWord) {
  const auto query = LockQuery::parse(QString::fromUtf8(GetParam().text));
  ASSERT_FALSE(query);
  EXPECT_THAT(query.error().sentence.toStdString(), ::testing::HasSubstr(GetParam().part));
  EXPECT_TRUE(query.error().sentence.endsWith(QLatin1Char('.')));
  EXPECT_GT(query.error().length, 0);
}

INSTANTIATE_TEST_SUITE_P(Grammar, WrongFilter,
                         ::testing::Values(Wrong{"state:lost", "no state “lost”"}, Wrong{"age>2", "“age>2” needs a time"}, Wrong{"age>soon", "needs a time"},
                                           Wrong{"age>-2s", "needs a time"}, Wrong{"waiters>=many", "whole number"}, Wrong{"count:", "needs a value"},
                                           Wrong{"fam>redisson", "write fam:text"}, Wrong{"size>3", "nothing called “size”"}, Wrong{"ttl:nevr", "needs a time"},
                                           Wrong{"age>1e300d", "needs a time"}));

TEST(FilterErrors, pointAtTheirPlace) {
  const auto query = LockQuery::parse(QStringLiteral("order state:lost"));
  ASSERT_FALSE(query);
  EXPECT_EQ(query.error().position, 6);
}

} // namespace
} // namespace lockhouse::ui
