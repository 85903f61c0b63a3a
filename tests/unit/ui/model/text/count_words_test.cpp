// SPDX-License-Identifier: Apache-2.0
// What the number in the column of counts is of, for every kind of lock.
#include "ui/model/locks/lock_table_model.h"
#include "ui/model/text/count_words.h"

#include "tests/unit/ui/sample_locks.h"

#include <gtest/gtest.h>

namespace lockhouse::ui {
namespace {

using namespace Qt::StringLiterals;

LockRecord heldBy(std::vector<Holder> holders, LockKind kind) {
  LockRecord record = samples::held("a");
  record.kind = kind;
  record.holders = std::move(holders);
  return record;
}

LockRecord number(std::int64_t value, LockKind kind) {
  LockRecord record = heldBy({}, kind);
  record.number = value;
  return record;
}

TEST(CountWords, ofOneHolderItIsTheDepth) {
  EXPECT_EQ(countCell(heldBy({{"a", 1}}, LockKind::Reentrant)), u"1");
  EXPECT_EQ(countCell(heldBy({{"a", 3}}, LockKind::Reentrant)), u"×3");
  EXPECT_EQ(countMeaning(heldBy({{"a", 3}}, LockKind::Fair)), u"Re-entrancy depth: 3");
  EXPECT_EQ(countMeaning(heldBy({{"a", 1}}, LockKind::Mutex)), u"Held once") << "nobody enters that one twice";
  EXPECT_EQ(countMeaning(heldBy({{"a", 2, HoldMode::Write}}, LockKind::ReadWrite)), u"Re-entrancy depth: 2");
}

TEST(CountWords, ofReadersItIsHowManyThereAre) {
  const auto two = heldBy({{"a", 1, HoldMode::Read}, {"b", 4, HoldMode::Read}}, LockKind::ReadWrite);
  EXPECT_EQ(countCell(two), u"2");
  EXPECT_EQ(countMeaning(two), u"Readers: 2");
  const auto deep = heldBy({{"a", 2, HoldMode::Read}}, LockKind::ReadWrite);
  EXPECT_EQ(countCell(deep), u"×2");
  EXPECT_EQ(countMeaning(deep), u"Re-entrancy depth: 2");
  const auto unnamed = heldBy({{"", 4, HoldMode::Read}}, LockKind::Mutex); // Nextcloud: a number of readers that nobody can name
  EXPECT_EQ(countCell(unnamed), u"4");
  EXPECT_EQ(countMeaning(unnamed), u"Readers: 4");
}

TEST(CountWords, ofASemaphoreItIsThePermitsThatAreTaken) {
  auto permits = heldBy({{"a", 1}, {"b", 2}}, LockKind::Semaphore);
  EXPECT_EQ(countCell(permits), u"3");
  EXPECT_EQ(countMeaning(permits), u"Permits taken: 3");
  permits.extras = {{"free", "5"}};
  EXPECT_EQ(countCell(permits), u"3 of 8");
  EXPECT_EQ(countMeaning(permits), u"Permits: 3 taken, 5 free");
  permits.unread = 7;
  EXPECT_EQ(countCell(permits), u"≥\u20093") << "of all would be a guess";
  EXPECT_EQ(countCell(heldBy({{"a", 2}}, LockKind::Semaphore)), u"2") << "no depth";
}

TEST(CountWords, ofANumberItIsWhatIsFreeOrLeft) {
  EXPECT_EQ(countCell(number(5, LockKind::Semaphore)), u"5 free");
  EXPECT_EQ(countCell(number(-2, LockKind::Semaphore)), u"-2 free") << "as the evidence and JSON say";
  EXPECT_EQ(countMeaning(number(5, LockKind::Semaphore)), u"Free permits: 5; how many are taken is not known");
  EXPECT_EQ(countCell(number(1200, LockKind::Latch)), u"1\u2009200 left");
  EXPECT_EQ(countMeaning(number(3, LockKind::Latch)), u"Left to count down: 3");
}

TEST(CountWords, ofNoNumberItSaysSo) {
  EXPECT_EQ(countCell(heldBy({{"a", 0}}, LockKind::Reentrant)), u"?");
  EXPECT_FALSE(countMeaning(heldBy({{"a", 0}}, LockKind::Reentrant)).isEmpty());
  EXPECT_EQ(countCell(heldBy({}, LockKind::Fair)), u"—");
  EXPECT_TRUE(countMeaning(heldBy({}, LockKind::Fair)).isEmpty());
}

TEST(CountWords, aChangeOfItIsToldAsWhatItIs) {
  const auto latch = number(2, LockKind::Latch), semaphore = number(4, LockKind::Semaphore), lock = heldBy({{"a", 2}}, LockKind::Reentrant);
  EXPECT_EQ(countChanged(&latch), u"left to count down: 2");
  EXPECT_EQ(countChanged(&semaphore), u"free permits now 4");
  EXPECT_EQ(countChanged(&lock), u"count now 2");
  EXPECT_EQ(countChanged(nullptr), u"count now 0");
}

TEST(CountWords, standInTheTableWithTheirMeaningInTheTip) {
  LockTableModel table;
  table.apply(samples::snapshot({samples::share(number(5, LockKind::Semaphore))}), samples::start);
  const auto cell = table.index(0, LockTableModel::Count);
  EXPECT_EQ(cell.data().toString(), u"5 free");
  EXPECT_TRUE(cell.data(Qt::ToolTipRole).toString().contains(u"Free permits: 5"));
  EXPECT_TRUE(table.headerData(LockTableModel::Count, Qt::Horizontal, Qt::ToolTipRole).toString().contains(u"permits"));
}

} // namespace
} // namespace lockhouse::ui
