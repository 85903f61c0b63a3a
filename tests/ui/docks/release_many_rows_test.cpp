// SPDX-License-Identifier: Apache-2.0
// What the preview of many says of rows, and that all of it can be reached.
#include "tests/ui/docks/release_many_house.h"

#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>

namespace lockhouse::ui {
namespace {

using Phase = ReleaseManyFlow::Phase;
using ReleaseManyTest = tests::ReleaseManyHouse;

TEST_F(ReleaseManyTest, saysWhichOfTheRowsCannotBeReleasedAtAll) {
  open(take(2));
  ASSERT_TRUE(reaches(Phase::Planned));
  std::vector<LockRecordPtr> rows;
  for (const auto &[key, confidence] : {std::pair("latch:go", 1.0), std::pair("latch:on", 1.0), std::pair("data:x", 0.3), std::pair("data:y", 0.3)}) {
    LockRecord row;
    row.id.key = LockName(key);
    row.confidence = confidence;
    rows.push_back(std::make_shared<const LockRecord>(row));
  }
  m_dialog->setLeftOut(rows);
  EXPECT_TRUE(said().contains(u"2 rows have no holder to release (latch:go, latch:on).")) << said().toStdString();
  EXPECT_TRUE(said().contains(u"2 rows are doubtful, and are not released together with others (data:x, data:y).")) << said().toStdString();
}

TEST_F(ReleaseManyTest, saysWhatIsSoAfterAllHoldsOfALock) {
  const auto one = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:1", two = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:2";
  (*m_redis)({"HSET", "rw", "mode", "read", one, "1", two, "1"});
  (*m_redis)({"PEXPIRE", "rw", "600000"});
  open(waitForAll(1));
  ASSERT_TRUE(reaches(Phase::Planned));
  for (const auto &outcome : outcomes())
    EXPECT_THAT(outcome, testing::StartsWith("free after all 2 holds of it: "));
}

TEST_F(ReleaseManyTest, speaksOfOneHoldersHoldsWhereOthersKeepTheirs) {
  const auto one = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:1", two = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:2";
  (*m_redis)({"HSET", "rw", "mode", "read", one, "1", two, "1"});
  (*m_redis)({"PEXPIRE", "rw", "600000"});
  const auto locks = waitForAll(1);
  openDialog(new ReleaseManyDialog(*m_engine, holdsToRelease(locks, one), NodeNames(m_snapshot->nodes), nullptr, ReleaseManyFlow::OfHolder{one, {}}));
  ASSERT_TRUE(reaches(Phase::Planned));
  EXPECT_TRUE(said().contains(u"Release this holder's holds of rw?")) << said().toStdString();
  EXPECT_TRUE(said().contains(u"This holder's holds of 1 locks would be ended. Nothing has been changed.")) << said().toStdString();
  EXPECT_FALSE(said().contains(u"would be freed")) << said().toStdString();
  EXPECT_TRUE(button(QStringLiteral("Unlock writing and release holds of 1")));
  m_engine->unlock();
  QTest::keyClicks(reason(), QStringLiteral("host is gone"));
  button(QStringLiteral("Release holds of 1 locks"))->click();
  ASSERT_TRUE(reaches(Phase::Done));
  EXPECT_TRUE(said().contains(u"This holder's holds released: of 1 of 1 locks")) << said().toStdString();
  EXPECT_FALSE(said().contains(u"locks released")) << said().toStdString();
  EXPECT_EQ(m_redis->number({"HEXISTS", "rw", two}), 1);
  button(QStringLiteral("Copy report"))->click();
  EXPECT_TRUE(QGuiApplication::clipboard()->text().startsWith(u"This holder's holds released: of 1 of 1 locks"));
}

TEST_F(ReleaseManyTest, turnsIntoShorteningOfAnyLengthAndBack) {
  open(take(3));
  ASSERT_TRUE(reaches(Phase::Planned));
  auto *other = button(QStringLiteral("Shorten leases to 10\u2009s instead"));
  ASSERT_TRUE(other) << said().toStdString();
  other->click();
  ASSERT_TRUE(QTest::qWaitFor([&] { return flow().isShortening() && flow().phase() == Phase::Planned; }, patience));
  EXPECT_TRUE(said().contains(u"Shorten the leases of 3 locks to 10\u2009s?")) << said().toStdString();
  auto *lengths = m_dialog->findChild<QComboBox *>();
  ASSERT_TRUE(lengths && lengths->isVisible());
  lengths->setCurrentIndex(0);
  emit lengths->activated(0);
  ASSERT_TRUE(QTest::qWaitFor([&] { return flow().length() == seconds(5) && flow().phase() == Phase::Planned; }, patience));
  EXPECT_TRUE(said().contains(u"3 leases would end in 5\u2009s")) << said().toStdString();
  button(QStringLiteral("Release them instead"))->click();
  ASSERT_TRUE(QTest::qWaitFor([&] { return !flow().isShortening() && flow().phase() == Phase::Planned; }, patience));
  EXPECT_FALSE(lengths->isVisible());
  EXPECT_TRUE(said().contains(u"Release 3 locks?")) << said().toStdString();
}

TEST_F(ReleaseManyTest, callsNoLockFreedOfWhichAHoldStays) {
  const auto one = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:1", two = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:2";
  (*m_redis)({"HSET", "rw", "mode", "read", one, "1", two, "1"});
  (*m_redis)({"PEXPIRE", "rw", "600000"});
  open(waitForAll(1));
  ASSERT_TRUE(reaches(Phase::Planned));
  EXPECT_TRUE(said().contains(u"1 locks would be freed. Nothing has been changed.")) << said().toStdString();
  (*m_redis)({"HINCRBY", "rw", two, "1"}); // what was planned for that one is no longer so
  const QString part = QStringLiteral("Of 1 locks only some holds would be ended, and the rest stay. Nothing has been changed.");
  EXPECT_TRUE(comesToSay(part)) << said().toStdString();
  EXPECT_FALSE(said().contains(u"would be freed")) << said().toStdString();
}

TEST_F(ReleaseManyTest, staysOpenWhereTheResultsComeBeforeTheKeyThatWasToStopIt) {
  m_engine->unlock();
  open(take(2));
  ASSERT_TRUE(reaches(Phase::Planned));
  QTest::keyClicks(reason(), QStringLiteral("host is gone"));
  QObject::connect(&flow(), &ReleaseManyFlow::moved, m_dialog, [this] {
    if (flow().phase() == Phase::Done)
      QTest::keyClick(m_dialog, Qt::Key_Escape);
  });
  button(QStringLiteral("Release 2 locks"))->click();
  ASSERT_TRUE(QTest::qWaitFor([this] { return m_dialog.isNull() || flow().phase() == Phase::Done; }, patience));
  ASSERT_TRUE(m_dialog && m_dialog->isVisible());
  const auto closes = [this] {
    if (m_dialog)
      m_dialog->reject();
    return m_dialog.isNull();
  };
  EXPECT_TRUE(QTest::qWaitFor(closes, patience)) << "once they may have been read";
}

TEST_F(ReleaseManyTest, opensAtItsFirstRowAndCountsWhatWillBeDone) {
  m_engine->unlock();
  const auto locks = take(63);
  for (int taken = 0; taken < 60; ++taken)
    (*m_redis)({"SET", nameOf(taken), "0a4d55a8d778e5022fab701977c5d840", "PX", "600000"});
  open(locks);
  ASSERT_TRUE(reaches(Phase::Planned));
  auto *table = m_dialog->findChild<QTableView *>();
  EXPECT_EQ(table->model()->rowCount(), 63);
  EXPECT_EQ(table->indexAt({5, 5}).row(), 0) << "what stands in the way is read first";
  QTest::keyClicks(reason(), QStringLiteral("host is gone"));
  QStringList companion;
  QObject::connect(m_dialog->findChild<QProgressBar *>(), &QProgressBar::valueChanged, m_dialog, [&](int value) {
    for (const QLabel *label : m_dialog->findChildren<QLabel *>())
      if (value == 0)
        companion << label->text();
  });
  button(QStringLiteral("Release 3 locks"))->click();
  ASSERT_EQ(flow().phase(), Phase::Applying);
  EXPECT_TRUE(companion.contains(QStringLiteral("0 of 63"))) << "the bar is painted before this returns: " << companion.join(u'|').toStdString();
  EXPECT_TRUE(said().contains(u"Release 3 locks?"));
  EXPECT_TRUE(button(QStringLiteral("Release 3 locks")));
  ASSERT_TRUE(reaches(Phase::Done));
}

TEST_F(ReleaseManyTest, fitsALowScreen) {
  open(take(12));
  ASSERT_TRUE(reaches(Phase::Planned));
  EXPECT_LT(m_dialog->minimumSizeHint().height(), 500);
  m_dialog->resize(m_dialog->width(), 600);
  QCoreApplication::processEvents();
  EXPECT_LE(m_dialog->height(), 600);
  const QPushButton *cancel = button(QStringLiteral("Cancel"));
  EXPECT_TRUE(m_dialog->rect().contains(QRect(cancel->mapTo(m_dialog, QPoint()), cancel->size())));
}

} // namespace
} // namespace lockhouse::ui
