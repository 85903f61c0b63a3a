// SPDX-License-Identifier: Apache-2.0
// Which holds the window's releasing commands mean, by what the filter names.
#include "tests/ui/window_house.h"
#include "ui/page/release/release_dialog.h"
#include "ui/page/release/release_flow.h"
#include "ui/page/release/release_many_dialog.h"
#include "ui/page/release/release_many_flow.h"

#include <QAction>
#include <QComboBox>
#include <QContextMenuEvent>
#include <QInputDialog>
#include <QMenu>
#include <QToolTip>

namespace lockhouse::ui {
namespace {

using namespace Qt::StringLiterals;

class MeantHolds : public tests::WindowHouse {
protected:
  void SetUp() override {
    WindowHouse::SetUp();
    LockRecord shared = *lockOf("lock:pool");
    shared.kind = LockKind::Semaphore;
    shared.holders = {{"web-1"}, {"web-2"}};
    LockRecord single = *lockOf("lock:single");
    single.holders = {{"web-3"}};
    m_locks = {samples::share(shared), samples::share(single)};
    showThem();
  }
  void filter(const QString &text) { page().setFilter(*LockQuery::parse(text)); }
  void selectMarked() { // held by whoever took it
    LockRecord marked = *lockOf("lock:nightly");
    marked.holders = {{"1"}};
    m_locks.push_back(samples::share(marked));
    showThem();
    view().select(marked.id);
  }
  std::vector<std::string> ofAllShown() {
    m_window.actions().releaseShown->trigger();
    const std::unique_ptr<ReleaseManyDialog> dialog(m_window.findChild<ReleaseManyDialog *>());
    std::vector<std::string> holders;
    for (const HoldToRelease &hold : dialog ? dialog->findChild<ReleaseManyFlow *>()->holds() : std::vector<HoldToRelease>())
      holders.push_back(hold.intent.holder);
    return holders;
  }
};

TEST_F(MeantHolds, areAllWhereTheFilterNamesNoHolder) {
  EXPECT_THAT(ofAllShown(), testing::UnorderedElementsAre("web-1", "web-2", "web-3"));
  filter(u"lock"_s);
  EXPECT_THAT(ofAllShown(), testing::UnorderedElementsAre("web-1", "web-2", "web-3"));
}

TEST_F(MeantHolds, areThoseOfTheHoldersThatTheFilterNames) {
  filter(u"holder:web-2|web-3"_s);
  EXPECT_THAT(ofAllShown(), testing::UnorderedElementsAre("web-2", "web-3"));
  filter(u"web-2|single"_s);
  EXPECT_THAT(ofAllShown(), testing::UnorderedElementsAre("web-2", "web-3"));
}

TEST_F(MeantHolds, ofOneLockBeginWithTheHolderThatTheFilterNames) {
  filter(u"holder:web-2"_s);
  view().select(m_locks.front()->id);
  m_window.actions().release->trigger();
  const auto *dialog = m_window.findChild<ReleaseDialog *>();
  ASSERT_TRUE(dialog);
  EXPECT_EQ(dialog->findChild<ReleaseFlow *>()->intent().holder, "web-2");
}

// Each of them on all of the masters; a vote that nobody won is planned as one.
TEST_F(MeantHolds, ofALockOfSeveralOnSeveralMastersAreThoseOfTheOneWhoIsChosen) {
  LockRecord pool = *m_locks.front();
  pool.id.key = LockName("semaphore:pool");
  pool.masters = 3;
  pool.sharedOn = 3;
  for (const char *node : {"a", "b", "c"})
    pool.members.push_back({NodeId(node), 0, {}, {}});
  m_locks.push_back(samples::share(pool));
  showThem();
  view().select(pool.id);
  const auto planned = [&](int choice) {
    m_window.actions().release->trigger();
    const std::unique_ptr<QInputDialog> asked(m_window.findChild<QInputDialog *>());
    if (asked) {
      EXPECT_EQ(asked->comboBoxItems(), (QStringList{u"web-1, count 1"_s, u"web-2, count 1"_s, u"all of them"_s}));
      asked->findChild<QComboBox *>()->setCurrentIndex(choice);
      asked->accept();
    }
    const std::unique_ptr<ReleaseManyDialog> dialog(m_window.findChild<ReleaseManyDialog *>());
    std::vector<std::string> holders;
    for (const HoldToRelease &hold : dialog ? dialog->findChild<ReleaseManyFlow *>()->holds() : std::vector<HoldToRelease>())
      holders.push_back(hold.intent.holder);
    EXPECT_EQ(asked != nullptr, choice >= 0);
    return holders;
  };
  EXPECT_THAT(planned(1), testing::ElementsAre("web-2", "web-2", "web-2"));
  EXPECT_EQ(planned(2).size(), 6U);
  filter(u"holder:web-1"_s);
  EXPECT_THAT(planned(-1), testing::ElementsAre("web-1", "web-1", "web-1")) << "whom the filter means";
}

TEST_F(MeantHolds, areNotLookedForByAMark) {
  selectMarked();
  EXPECT_TRUE(m_window.actions().release->isEnabled());
  EXPECT_FALSE(m_window.actions().releaseHolder->isEnabled());
  EXPECT_TRUE(m_window.actions().releaseHolder->toolTip().contains(u"names nobody"));
  view().select(m_locks[1]->id);
  EXPECT_TRUE(m_window.actions().releaseHolder->isEnabled());
}

TEST_F(MeantHolds, ofNothingAndOfSeveralSayWhatToSelect) {
  const auto tip = [](const QAction *action) { return action->toolTip(); };
  const auto &actions = m_window.actions();
  view().clearSelection();
  QTest::qWait(1);
  for (const QAction *action : {actions.release, actions.shorten, actions.releaseHolder}) {
    EXPECT_FALSE(action->isEnabled());
    EXPECT_TRUE(tip(action).contains(u"Select a lock that is held first.")) << tip(action).toStdString();
  }
  view().select(m_locks.front()->id);
  EXPECT_TRUE(tip(actions.releaseSelected).contains(u"Select several locks first."));
  EXPECT_FALSE(tip(actions.release).contains(u"first"));
  view().selectAll();
  EXPECT_TRUE(tip(actions.releaseHolder).contains(u"Select one lock alone")) << tip(actions.releaseHolder).toStdString();
  EXPECT_TRUE(actions.releaseSelected->isEnabled());
}

// Where the verb is offered: in the menu of the window and in that of the table.
TEST_F(MeantHolds, thatAreNotLookedForSayWhyInEachMenu) {
  selectMarked();
  QContextMenuEvent asked(QContextMenuEvent::Mouse, QPoint(20, 20), view().viewport()->mapToGlobal(QPoint(20, 20)));
  QCoreApplication::sendEvent(view().viewport(), &asked);
  QAction *action = m_window.actions().releaseHolder;
  int menus = 0;
  for (auto *menu : m_window.findChildren<QMenu *>()) {
    if (!menu->actions().contains(action))
      continue;
    ++menus;
    menu->popup(QPoint(0, 0));
    const QPoint place = menu->actionGeometry(action).center();
    QHelpEvent pointed(QEvent::ToolTip, place, menu->mapToGlobal(place));
    QCoreApplication::sendEvent(menu, &pointed);
    EXPECT_TRUE(QToolTip::text().contains(u"names nobody")) << QToolTip::text().toStdString();
    QToolTip::hideText();
    menu->close();
  }
  EXPECT_EQ(menus, 2);
}

} // namespace
} // namespace lockhouse::ui
