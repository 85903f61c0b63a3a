// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/ui/locks.h"
#include "ui/bridge/engine.h"
#include "ui/page/monitor/events_dock.h"

#include <QLabel>
#include <QScrollBar>
#include <QTableView>
#include <QTest>
#include <QToolButton>

#include <gmock/gmock.h>

#include <algorithm>

namespace lockhouse::ui {
namespace {

using tests::Locks;

class EventListTest : public testing::Test {
protected:
  Engine m_engine{Engine::Options{}};
  EventsDock m_list{m_engine};
  QTableView *m_view = m_list.findChild<QTableView *>();
  QScrollBar *m_bar = m_view->verticalScrollBar();
  std::size_t m_made = 0;

  void SetUp() override {
    m_list.resize(860, 280);
    m_list.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&m_list));
  }

  void happen(std::size_t count, quint64 dropped = 0) {
    std::vector<LockChange> changes;
    for (std::size_t i = 0; i < count; ++i)
      changes.push_back(Locks::change(ChangeKind::Appeared, nullptr, Locks::share(Locks::record("lock:" + std::to_string(m_made++), {"h"}))));
    emit m_engine.changesReady(changes, dropped);
  }
  QToolButton *button(const QString &text) const {
    for (QToolButton *button : m_list.findChildren<QToolButton *>())
      if (button->text() == text)
        return button;
    return nullptr;
  }
  bool says(const QString &text) const {
    const auto labels = m_list.findChildren<QLabel *>();
    return std::ranges::any_of(labels, [&](const QLabel *label) { return label->isVisible() && label->text().contains(text); });
  }
  bool showsLast() {
    QCoreApplication::processEvents();
    return m_bar->value() == m_bar->maximum();
  }
  QString topLock() const { return m_view->model()->index(m_view->rowAt(2), 1).data().toString(); }
};

TEST_F(EventListTest, saysThatNothingHasHappenedYet) {
  EXPECT_TRUE(says(QStringLiteral("Nothing has happened yet")));
  happen(1);
  EXPECT_FALSE(says(QStringLiteral("Nothing has happened yet")));
  EXPECT_TRUE(m_view->isVisible());
}

TEST_F(EventListTest, followsTheNewest) {
  happen(100);
  EXPECT_TRUE(showsLast());
  happen(100);
  EXPECT_TRUE(showsLast());
  EXPECT_GT(m_bar->maximum(), 100);
}

TEST_F(EventListTest, stopsFollowingWhenSomebodyScrollsUpAndGoesOnAtTheEnd) {
  happen(200);
  ASSERT_TRUE(showsLast());
  m_bar->triggerAction(QAbstractSlider::SliderPageStepSub);
  EXPECT_FALSE(button(QStringLiteral("Follow"))->isChecked());
  const QString read = topLock();
  happen(50);
  EXPECT_FALSE(showsLast());
  EXPECT_EQ(topLock(), read);
  m_bar->triggerAction(QAbstractSlider::SliderToMaximum);
  EXPECT_TRUE(button(QStringLiteral("Follow"))->isChecked());
  happen(50);
  EXPECT_TRUE(showsLast());
}

TEST_F(EventListTest, keepsTheRowsThatAreReadInPlaceWhenTheOldestLeaveTheRing) {
  for (int i = 0; i < 10; ++i)
    happen(2'000);
  QCoreApplication::processEvents();
  button(QStringLiteral("Follow"))->setChecked(false);
  m_bar->setValue(15'000);
  QCoreApplication::processEvents();
  const QString read = topLock();
  happen(1'500);
  QCoreApplication::processEvents();
  EXPECT_EQ(m_view->model()->rowCount(), 20'000);
  EXPECT_EQ(topLock(), read);
}

TEST_F(EventListTest, holdsStillWhilePausedAndSaysHowMuchWaits) {
  happen(3);
  button(QStringLiteral("Pause"))->click();
  happen(42);
  EXPECT_EQ(m_view->model()->rowCount(), 3);
  EXPECT_TRUE(says(QStringLiteral("42 new")));
  button(QStringLiteral("Pause"))->click();
  EXPECT_EQ(m_view->model()->rowCount(), 45);
}

TEST_F(EventListTest, saysHowManyEventsWereLost) {
  happen(1, 1'234);
  EXPECT_TRUE(says(QStringLiteral("1\u2009234 not shown")));
}

TEST_F(EventListTest, choosesTheLockThatIsClicked) {
  std::vector<LockId> chosen;
  QObject::connect(&m_list, &EventsDock::lockChosen, &m_list, [&](const LockId &lock) { chosen.push_back(lock); });
  happen(5);
  QCoreApplication::processEvents();
  QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, m_view->visualRect(m_view->model()->index(3, 1)).center());
  ASSERT_FALSE(chosen.empty());
  EXPECT_EQ(chosen.front(), Locks::id("lock:3"));
  EXPECT_FALSE(button(QStringLiteral("Follow"))->isChecked()) << "who aims at a row does not want it to move";
}

} // namespace
} // namespace lockhouse::ui
