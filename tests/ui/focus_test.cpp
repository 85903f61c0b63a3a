// SPDX-License-Identifier: Apache-2.0
// Where the keyboard is, on a window whose engine watches nothing: it is seen, and it is what keys act on.
#include "tests/ui/window_house.h"
#include "ui/model/locks/lock_filter_sort_model.h"
#include "ui/page/locks/details_pane.h"
#include "ui/widget/parts/filter_box.h"
#include "ui/widget/style/app_style.h"
#include "ui/widget/style/theme.h"

#include <QApplication>
#include <QDockWidget>
#include <QHeaderView>
#include <QScrollBar>
namespace lockhouse::ui {
namespace {

using namespace Qt::StringLiterals;

class Focus : public tests::WindowHouse {
protected:
  void SetUp() override {
    WindowHouse::SetUp();
    showFirst(60);
  }
  /// Whether a frame of the focus' colour goes round it.
  static bool isRinged(QWidget &widget) {
    const QImage shot = widget.grab().toImage();
    const QColor accent = Theme::of(widget.palette()).accent;
    return shot.pixelColor(0, shot.height() / 2) == accent && shot.pixelColor(shot.width() / 2, 0) == accent;
  }
};

TEST_F(Focus, isSeenOnATableWithoutACurrentRow) {
  view().selectionModel()->clear();
  FilterBox &box = *m_window.findChild<FilterBox *>();
  box.setFocus();
  EXPECT_FALSE(isRinged(*view().viewport()));
  QTest::keyClick(&box, Qt::Key_Down);
  ASSERT_TRUE(view().hasFocus());
  EXPECT_FALSE(view().currentIndex().isValid()) << "only a person chooses";
  EXPECT_TRUE(isRinged(*view().viewport()));
  QTest::keyClick(&view(), Qt::Key_Down);
  EXPECT_TRUE(view().current());
  EXPECT_FALSE(isRinged(*view().viewport())) << "its row has it";
}

TEST_F(Focus, isSeenOnTheDetailsWhichF6ComesTo) {
  DetailsPane &details = m_window.locks().details();
  view().setFocus();
  EXPECT_FALSE(isRinged(details));
  for (int i = 0; i < 6 && !details.hasFocus(); ++i)
    QTest::keyClick(&m_window, Qt::Key_F6);
  ASSERT_TRUE(details.hasFocus());
  EXPECT_TRUE(isRinged(details));
}

TEST_F(Focus, goesRoundEveryDockThatIsInSightByF6) {
  for (const QString &name : {u"charts"_s, u"events"_s, u"audit"_s}) {
    auto *dock = m_window.locks().findChild<QDockWidget *>(name);
    dock->raise();
    ASSERT_TRUE(QTest::qWaitFor([&] { return m_window.locks().isInSight(*dock); }));
    view().setFocus();
    const auto isThere = [&] {
      const QWidget *focus = QApplication::focusWidget();
      return dock->isAncestorOf(focus) || focus == m_window.locks().tabsOf(*dock);
    };
    for (int i = 0; i < 6 && !isThere(); ++i)
      QTest::keyClick(&m_window, Qt::Key_F6);
    EXPECT_TRUE(isThere()) << name.toStdString();
  }
}

TEST_F(Focus, comesToNothingByTabThatIsNotShown) {
  view().setFocus();
  for (int i = 0; i < 30; ++i) {
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    const QWidget &focus = *QApplication::focusWidget();
    EXPECT_TRUE(m_window.rect().contains(focus.mapTo(&m_window, focus.rect().center()))) << focus.metaObject()->className();
  }
}

TEST_F(Focus, isNeverAwayFromWhatIsSelected) {
  view().setFocus();
  for (const auto &[key, modifiers] : {std::pair(Qt::Key_End, Qt::ControlModifier), {Qt::Key_Home, Qt::ControlModifier}, {Qt::Key_End, Qt::NoModifier}}) {
    QTest::keyClick(&view(), key, modifiers);
    EXPECT_EQ(view().currentIndex().row(), key == Qt::Key_End ? 59 : 0);
    EXPECT_THAT(view().selectedRows(), ::testing::ElementsAre(view().currentIndex().row()));
  }
}

TEST_F(Focus, theLastRowIsWholeAtAnyHeight) {
  view().setFocus();
  for (int height = 700; height < 730; ++height) {
    m_window.resize(1280, height);
    QTest::qWait(1);
    QTest::keyClick(&view(), Qt::Key_Home, Qt::ControlModifier);
    QTest::keyClick(&view(), Qt::Key_End, Qt::ControlModifier);
    const QRect last = view().visualRect(view().currentIndex());
    EXPECT_TRUE(last.top() >= 0 && last.bottom() < view().viewport()->height()) << height << ": " << last.bottom() << " in " << view().viewport()->height();
    for (int up = 0; up < 3; ++up)
      QTest::keyClick(&view(), Qt::Key_PageUp);
    for (int down = 0; down < 20; ++down) {
      QTest::keyClick(&view(), Qt::Key_Down);
      const QRect row = view().visualRect(view().currentIndex());
      EXPECT_LT(row.bottom(), view().viewport()->height()) << height;
    }
  }
}

TEST_F(Focus, theLastRowStaysWholeWhileOthersCome) {
  view().setFocus();
  for (int height = 700; height < 730; height += 3) {
    m_window.resize(1280, height);
    QTest::qWait(1);
    QTest::keyClick(&view(), Qt::Key_End);
    m_locks.push_back(lockOf("a:" + std::to_string(height))); // above it
    showThem();
    const QRect last = view().visualRect(view().currentIndex());
    EXPECT_EQ(view().currentIndex().row(), static_cast<int>(m_locks.size()) - 1);
    EXPECT_LT(last.bottom(), view().viewport()->height()) << height;
  }
}

TEST(NarrowTable, keepsTheNamesOfLocksReadable) {
  LockTableModel table;
  LockFilterSortModel order(table);
  LockTableView view(order);
  view.resize(420, 300);
  view.show();
  const int fourteen = QFontMetrics(fixedFont()).horizontalAdvance(QString(14, u'0'));
  EXPECT_GE(view.columnWidth(LockTableModel::Lock), fourteen);
  EXPECT_GT(view.horizontalScrollBar()->maximum(), 0) << "what there is no room for is scrolled to";
  view.resize(1200, 300);
  QTest::qWait(1);
  EXPECT_EQ(view.horizontalScrollBar()->maximum(), 0);
  EXPECT_EQ(view.horizontalHeader()->length(), view.viewport()->width()) << "it takes what room there is again";
  EXPECT_GE(view.columnWidth(LockTableModel::HolderColumn), QFontMetrics(fixedFont()).horizontalAdvance(u"1e88b3f0:12345678"_s)) << "and so does the holder";
}

} // namespace
} // namespace lockhouse::ui
