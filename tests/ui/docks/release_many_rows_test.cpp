// SPDX-License-Identifier: Apache-2.0
// What the preview of many says of rows, and that all of it can be reached.
#include "tests/ui/docks/release_many_house.h"

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
