// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/ui/locks.h"
#include "ui/model/tables/event_list_model.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

#include <gmock/gmock.h>

namespace lockhouse::ui {
namespace {

using tests::Locks;

std::vector<LockChange> changes(std::size_t count, std::size_t from = 0) {
  std::vector<LockChange> made;
  for (std::size_t i = from; i < from + count; ++i)
    made.push_back(Locks::change(ChangeKind::Appeared, nullptr, Locks::share(Locks::record("lock:" + std::to_string(i), {"h"}))));
  return made;
}

QString lockIn(const EventListModel &model, int row) { return model.index(row, EventListModel::Lock).data().toString(); }

class EventListModelTest : public testing::Test {
protected:
  EventListModel m_model;
  QAbstractItemModelTester m_tester{&m_model, QAbstractItemModelTester::FailureReportingMode::Fatal};
};

TEST_F(EventListModelTest, appendsWhatHappened) {
  m_model.take(changes(2), 0);
  m_model.take(changes(1, 2), 0);
  ASSERT_EQ(m_model.rowCount(), 3);
  EXPECT_EQ(lockIn(m_model, 0), u"lock:0");
  EXPECT_EQ(lockIn(m_model, 2), u"lock:2");
}

TEST_F(EventListModelTest, insertsABurstInBatches) {
  QSignalSpy inserted(&m_model, &EventListModel::rowsInserted);
  m_model.take(changes(5'000), 0);
  EXPECT_EQ(m_model.rowCount(), static_cast<int>(EventListModel::batch)) << "the rest comes in later turns of the event loop";
  ASSERT_TRUE(QTest::qWaitFor([&] { return m_model.rowCount() == 5'000; }));
  EXPECT_EQ(inserted.count(), 3);
  EXPECT_EQ(lockIn(m_model, 4'999), u"lock:4999");
  EXPECT_EQ(m_model.dropped(), 0U);
}

TEST_F(EventListModelTest, keepsTheNewestTwentyThousand) {
  for (std::size_t from = 0; from < 26'000; from += EventListModel::batch)
    m_model.take(changes(EventListModel::batch, from), 0);
  EXPECT_EQ(m_model.rowCount(), static_cast<int>(EventListModel::most));
  EXPECT_EQ(lockIn(m_model, 0), u"lock:6000");
  EXPECT_EQ(lockIn(m_model, m_model.rowCount() - 1), u"lock:25999");
}

TEST_F(EventListModelTest, forgetsEarlierWhenNamesAreHuge) {
  constexpr std::size_t big = std::size_t{8} << 20;
  for (int i = 0; i < 20; ++i)
    m_model.take({Locks::change(ChangeKind::Appeared, nullptr, Locks::share(Locks::record(std::string(big, 'k') + std::to_string(i), {"h"})))}, 0);
  EXPECT_LT(m_model.rowCount(), 9);
  EXPECT_GT(m_model.rowCount(), 5);
  EXPECT_LT(lockIn(m_model, 0).size(), 200);
}

TEST_F(EventListModelTest, holdsStillWhilePausedAndCatchesUp) {
  m_model.take(changes(1), 0);
  m_model.setPaused(true);
  m_model.take(changes(10, 1), 0);
  EXPECT_EQ(m_model.rowCount(), 1);
  EXPECT_EQ(m_model.waiting(), 10U);
  m_model.setPaused(false);
  EXPECT_EQ(m_model.rowCount(), 11);
  EXPECT_EQ(m_model.waiting(), 0U);
}

TEST_F(EventListModelTest, countsWhatItHasNoRoomForWhilePaused) {
  m_model.setPaused(true);
  m_model.take(changes(EventListModel::most), 3);
  m_model.take(changes(100, EventListModel::most), 0);
  EXPECT_EQ(m_model.waiting(), EventListModel::most);
  EXPECT_EQ(m_model.dropped(), 103U);
  m_model.setPaused(false);
  ASSERT_TRUE(QTest::qWaitFor([&] { return m_model.waiting() == 0; }));
  EXPECT_EQ(lockIn(m_model, 0), u"lock:100");
}

TEST_F(EventListModelTest, showsHostileNamesAsPlainBoundedText) {
  const std::string hostile = std::string("lock:<b>\x1b[31m") + "\xff" + std::string(100'000, 'x');
  m_model.take({Locks::change(ChangeKind::Appeared, nullptr, Locks::share(Locks::record(hostile, {"h"})))}, 0);
  const QString text = lockIn(m_model, 0);
  EXPECT_LE(text.size(), 200);
  EXPECT_TRUE(text.contains(u"\\x1b") || text.contains(u"\\x1B")) << text.toStdString();
  EXPECT_EQ(m_model.change(0).id.key.bytes(), hostile) << "identity is the bytes";
  const QString tip = m_model.index(0, EventListModel::Lock).data(Qt::ToolTipRole).toString();
  EXPECT_FALSE(tip.contains(u"<b>"));
}

TEST_F(EventListModelTest, namesTheHolderThatLeft) {
  const auto held = Locks::share(Locks::record("x", {"7f3a9c"}));
  m_model.take({Locks::change(ChangeKind::Vanished, held, nullptr)}, 0);
  EXPECT_EQ(m_model.index(0, EventListModel::HolderColumn).data().toString(), u"7f3a9c");
  EXPECT_TRUE(m_model.index(0, EventListModel::HolderColumn).data(Qt::ToolTipRole).toString().contains(u"7f3a9c"));
}

TEST_F(EventListModelTest, namesNodesByTheirLetter) {
  m_model.take({Locks::change(ChangeKind::Appeared, nullptr, Locks::share(Locks::record("x", {"h"}, "127.0.0.1:7002")))}, 0);
  m_model.setNodes(NodeNames({Locks::node("127.0.0.1:7001"), Locks::node("127.0.0.1:7002")}));
  EXPECT_EQ(m_model.index(0, EventListModel::Node).data().toString(), u"b");
}

} // namespace
} // namespace lockhouse::ui
