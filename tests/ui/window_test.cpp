// SPDX-License-Identifier: Apache-2.0
// The whole window on an engine that watches nothing: facts are handed to it as the engine would.
#include "ui/bridge/engine.h"
#include "ui/page/locks/details_pane.h"
#include "ui/page/locks/empty_page.h"
#include "ui/page/locks/lock_table_view.h"
#include "ui/page/locks/locks_page.h"
#include "ui/page/release/release_many_dialog.h"
#include "ui/page/release/release_many_flow.h"
#include "ui/page/window/main_window.h"
#include "ui/page/window/sidebar.h"
#include "ui/page/window/tool_bar.h"
#include "ui/widget/parts/action_button.h"
#include "ui/widget/parts/filter_box.h"
#include "ui/widget/parts/line_list.h"
#include "ui/widget/style/app_style.h"
#include "ui/widget/style/prose.h"
#include "ui/widget/style/theme.h"

#include "tests/unit/ui/sample_locks.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QScrollBar>
#include <QSet>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <gmock/gmock.h>

#include <algorithm>

namespace lockhouse::ui {
namespace {

using namespace Qt::StringLiterals;
using ::testing::HasSubstr;

LockRecordPtr lock(int number, unsigned renewals = 0) {
  LockRecord record = samples::held("lock:" + QString::number(number).rightJustified(5, u'0').toStdString());
  record.expiresAt = SteadyClock::now() + seconds(25);
  record.heldSince = SteadyClock::now() - seconds(3);
  record.renewals = renewals;
  return samples::share(std::move(record));
}

LockSnapshotPtr locks(int from, int to, unsigned renewals = 0) {
  std::vector<LockRecordPtr> made;
  for (int number = from; number < to; ++number)
    made.push_back(lock(number, renewals));
  NodeStatus node = samples::liveNode();
  node.exactAsOf = node.scannedAt = SteadyClock::now();
  return samples::snapshot(std::move(made), {node});
}

class Window : public ::testing::Test {
protected:
  QTemporaryDir m_folder;
  Engine m_engine{{{}, true, m_folder.filePath(u"audit.sqlite"_s).toStdString()}};
  MainWindow m_window{m_engine};

  void SetUp() override {
    m_window.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&m_window));
  }
  void show(const LockSnapshotPtr &snapshot) {
    emit m_engine.snapshotReady(snapshot);
    QTest::qWait(1);
  }
  LockTableView &view() { return m_window.locks().view(); }
};

TEST_F(Window, showsRowsAndSelectsTheFirst) {
  show(locks(0, 50));
  EXPECT_EQ(m_window.locks().order().rowCount(), 50);
  ASSERT_TRUE(m_window.locks().current());
  EXPECT_THAT(m_window.locks().details().text().toStdString(), HasSubstr("has held this for"));
}

TEST_F(Window, selectionAndScrollSurviveUpdates) {
  show(locks(100, 1100));
  view().select(lock(600)->id);
  const QModelIndex top = view().indexAt({4, 4});
  const std::string topKey = m_window.locks().order().row(top.row()).record->id.key.bytes();
  ASSERT_GT(view().verticalScrollBar()->value(), 0);

  for (int step = 1; step <= 20; ++step) {
    show(locks(100 - step, 1100, static_cast<unsigned>(step))); // a new row above, every other row changed
    ASSERT_EQ(view().current(), lock(600)->id) << step;
    ASSERT_EQ(m_window.locks().order().row(view().indexAt({4, 4}).row()).record->id.key.bytes(), topKey) << step;
  }
}

TEST_F(Window, freezeHoldsTheTableAndCountsWhatWaits) {
  show(locks(0, 10));
  m_window.actions().freeze->trigger();
  emit m_engine.changesReady(std::vector<LockChange>(14), 0);
  show(locks(0, 30));
  EXPECT_EQ(m_window.locks().order().rowCount(), 10);
  EXPECT_EQ(m_window.locks().pendingChanges(), 14U);
  m_window.actions().freeze->trigger();
  EXPECT_EQ(m_window.locks().order().rowCount(), 30);
  EXPECT_FALSE(m_window.locks().pendingChanges());
}

TEST_F(Window, doubtfulRowsAreShownWhereTheyAreAskedForButNotReleasedWithAllOthers) {
  auto all = *locks(0, 2);
  auto doubtful = *all.locks.front();
  doubtful.confidence = 0.4;
  all.locks.front() = samples::share(doubtful);
  show(std::make_shared<const LockSnapshot>(all));
  EXPECT_EQ(m_window.locks().order().rowCount(), 1);
  m_window.actions().doubtful->trigger();
  EXPECT_EQ(m_window.locks().order().rowCount(), 2);
  EXPECT_EQ(m_window.locks().shown().size(), 1U);
  EXPECT_EQ(m_window.locks().heldBy(doubtful.holders.front().id).size(), 1U) << "both have this holder";
  m_window.actions().doubtful->trigger();
  EXPECT_EQ(m_window.locks().order().rowCount(), 1);
  m_window.locks().select(all.locks.back()->id);
  m_window.actions().releaseHolder->trigger();
  auto *dialog = m_window.findChild<ReleaseManyDialog *>();
  ASSERT_TRUE(dialog) << "of one lock alone too, for there is more to be said";
  EXPECT_EQ(dialog->findChild<ReleaseManyFlow *>()->leftOut().size(), 1U) << "that which is not shown either";
}

TEST_F(Window, whatIsShownIsNotOfferedWhileItIsNotWhatTheFilterSays) {
  show(locks(0, 3));
  EXPECT_TRUE(m_window.actions().releaseShown->isEnabled());
  m_window.locks().setFilterError(QStringLiteral("suspekt is no state"));
  EXPECT_FALSE(m_window.actions().releaseShown->isEnabled());
  m_window.locks().setFilterError({});
  EXPECT_TRUE(m_window.actions().releaseShown->isEnabled());
}

TEST_F(Window, whatIsOfManyIsNotOfferedForDoubtfulRows) {
  auto all = *locks(0, 1);
  auto doubtful = *all.locks.front();
  show(std::make_shared<const LockSnapshot>(all));
  m_window.locks().select(doubtful.id);
  m_window.actions().doubtful->trigger();
  doubtful.confidence = 0.4;
  all.locks.front() = samples::share(doubtful);
  show(std::make_shared<const LockSnapshot>(all));
  EXPECT_TRUE(m_window.actions().release->isEnabled()) << "by itself it may be released";
  EXPECT_FALSE(m_window.actions().releaseShown->isEnabled());
  EXPECT_FALSE(m_window.actions().releaseHolder->isEnabled());
  EXPECT_TRUE(m_window.actions().releaseHolder->toolTip().contains(u"looks more like data")) << "and it says why";
  doubtful.confidence = 1;
  all.locks.front() = samples::share(doubtful);
  show(std::make_shared<const LockSnapshot>(all));
  EXPECT_TRUE(m_window.actions().releaseShown->isEnabled());
  EXPECT_TRUE(m_window.actions().releaseHolder->isEnabled());
  EXPECT_FALSE(m_window.actions().releaseHolder->toolTip().contains(u"looks more like data"));
}

TEST_F(Window, theFilterBoxKeepsTheLastGoodFilterAndSaysWhatIsWrong) {
  show(locks(0, 100));
  FilterBox &box = *m_window.findChild<FilterBox *>();
  QTest::keyClick(&m_window, Qt::Key_Slash);
  EXPECT_TRUE(box.hasFocus());
  QTest::keyClicks(&box, u"name:lock:0001"_s);
  EXPECT_TRUE(QTest::qWaitFor([&] { return m_window.locks().order().rowCount() == 10; }));
  QTest::keyClicks(&box, u" age>2"_s);
  EXPECT_TRUE(QTest::qWaitFor([&] { return box.error().has_value(); }));
  EXPECT_THAT(box.accessibleDescription().toStdString(), HasSubstr("“age>2” needs a time"));
  EXPECT_EQ(m_window.locks().order().rowCount(), 10);
  QTest::keyClick(&box, Qt::Key_Escape);
  EXPECT_TRUE(QTest::qWaitFor([&] { return m_window.locks().order().rowCount() == 100; }));
}

TEST_F(Window, theFilterBoxDoubtsQuietlyAndUntilALockHasThatText) {
  show(locks(0, 10));
  FilterBox &box = *m_window.findChild<FilterBox *>();
  const auto *remark = box.findChild<QLabel *>();
  const auto ink = [&] { return remark->palette().color(remark->foregroundRole()); };
  box.setText(u"lcok:0001"_s);
  ASSERT_TRUE(QTest::qWaitFor([&] { return remark->isVisible(); }));
  EXPECT_THAT(remark->text().toStdString(), ::testing::StartsWith("“lcok:” is no word of a filter"));
  EXPECT_FALSE(box.error());
  EXPECT_EQ(ink(), Theme::of(box.palette()).soft);
  box.setText(u"lcok:0001 age>"_s);
  ASSERT_TRUE(QTest::qWaitFor([&] { return box.error().has_value(); }));
  EXPECT_EQ(ink(), Theme::of(box.palette()).danger.ink);
  box.setText(u"lock:0000"_s);
  EXPECT_TRUE(QTest::qWaitFor([&] { return !remark->isVisible(); }));
  EXPECT_EQ(box.accessibleDescription(), QString());
  box.setText(u"order:88"_s);
  ASSERT_TRUE(QTest::qWaitFor([&] { return remark->isVisible(); }));
  show(samples::snapshot({samples::share(samples::held("order:8841"))}));
  EXPECT_FALSE(remark->isVisible());
}

TEST_F(Window, spaceInTheFilterBoxTypesASpace) {
  show(locks(0, 10));
  FilterBox &box = *m_window.findChild<FilterBox *>();
  box.setFocus();
  QTest::keyClicks(&box, u"a b"_s);
  EXPECT_EQ(box.text(), u"a b"_s);
  EXPECT_FALSE(m_window.actions().freeze->isChecked());
  view().setFocus();
  QTest::keyClick(&view(), Qt::Key_Space);
  EXPECT_TRUE(m_window.actions().freeze->isChecked());
}

TEST_F(Window, f6VisitsEveryPaneAndComesBack) {
  show(locks(0, 10));
  view().setFocus();
  QSet<QWidget *> visited;
  for (int i = 0; i < 6; ++i) {
    QTest::keyClick(&m_window, Qt::Key_F6);
    visited.insert(QApplication::focusWidget());
  }
  EXPECT_GE(visited.size(), 4);
  EXPECT_FALSE(visited.contains(nullptr));
}

TEST_F(Window, everyActionHasTextTipAndAKeyOfItsOwn) {
  QSet<QString> used;
  for (const QAction *action : m_window.actions().all()) {
    EXPECT_FALSE(action->text().isEmpty());
    EXPECT_FALSE(action->statusTip().isEmpty()) << action->text().toStdString();
    if (action->shortcut().isEmpty())
      continue;
    const QString key = action->shortcut().toString();
    EXPECT_FALSE(used.contains(key)) << key.toStdString();
    used.insert(key);
  }
  EXPECT_GE(used.size(), 14);
}

TEST_F(Window, readOnlyIsTheBeginningAndTheToggleObeysTheEngine) {
  EXPECT_TRUE(m_window.actions().readOnly->isChecked());
  EXPECT_FALSE(m_engine.isUnlocked());
  m_window.actions().readOnly->trigger();
  EXPECT_TRUE(m_engine.isUnlocked());
  EXPECT_FALSE(m_window.actions().readOnly->isChecked());
  m_window.actions().readOnly->trigger();
  EXPECT_FALSE(m_engine.isUnlocked());
  EXPECT_TRUE(m_window.actions().readOnly->isChecked());
}

TEST_F(Window, viewsCountAndFilter) {
  std::vector<LockRecordPtr> made = locks(0, 5)->locks;
  LockRecord busy = *made.front();
  busy.waiters = 7;
  made.front() = samples::share(busy);
  show(samples::snapshot(made, locks(0, 1)->nodes));
  QTest::keyClick(&m_window, Qt::Key_2, Qt::AltModifier);
  EXPECT_EQ(m_window.locks().order().rowCount(), 1);
  EXPECT_THAT(m_window.locks().counts(), ::testing::ElementsAre(5, 1, 0, 0, 0, 1));
}

TEST_F(Window, anEmptyTableSaysWhyAndOffersTheWayOut) {
  show(locks(0, 0));
  const auto says = [&](const QString &text) {
    const auto labels = m_window.locks().findChildren<QLabel *>();
    return std::ranges::any_of(labels, [&](const QLabel *label) { return label->isVisible() && label->text() == text; });
  };
  EXPECT_TRUE(says(u"No locks now"_s));
  show(locks(0, 5));
  m_window.showView(4);
  EXPECT_TRUE(says(u"Nothing matches"_s));
}

TEST_F(Window, aViewOfAStateDoesNotCountRowsOfALostNodeAsNone) {
  auto all = *locks(0, 3);
  show(std::make_shared<const LockSnapshot>(all));
  const auto count = [this](int place) { return m_window.findChild<Sidebar *>()->item(place)->data(Qt::AccessibleTextRole).toString(); };
  EXPECT_EQ(count(2), u"Contended 0"_s);
  for (auto &lock : all.locks) {
    auto stale = *lock;
    stale.staleSince = SteadyClock::now();
    lock = samples::share(stale);
  }
  show(std::make_shared<const LockSnapshot>(all));
  ASSERT_TRUE(QTest::qWaitFor([&] { return count(2) == u"Contended —"_s; })) << count(2).toStdString();
  EXPECT_EQ(count(1), u"All 3"_s);
  m_window.showView(3);
  const auto proses = m_window.findChild<EmptyPage *>()->findChildren<Prose *>();
  EXPECT_EQ(proses.back()->text(), u"3 rows are of nodes that are not followed: whether they match is not known.");
}

TEST_F(Window, anEmptyTableIsReadWholeInALowWindow) {
  m_window.resize(900, 600);
  show(locks(0, 5));
  m_window.showView(4);
  const auto *empty = m_window.findChild<EmptyPage *>();
  const auto isWhole = [empty] {
    const auto proses = empty->findChildren<Prose *>();
    return std::ranges::all_of(proses, [](const Prose *prose) { return !prose->isVisible() || prose->height() >= prose->heightForWidth(prose->width()); });
  };
  EXPECT_TRUE(QTest::qWaitFor(isWhole));
}

TEST_F(Window, aFilterThatOnlyHiddenDoubtfulRowsMatchSaysSoAndShowsThem) {
  auto all = *locks(0, 3);
  for (const std::size_t place : {0U, 1U}) {
    auto doubtful = *all.locks[place];
    doubtful.confidence = 0.4;
    all.locks[place] = samples::share(doubtful);
  }
  show(std::make_shared<const LockSnapshot>(all));
  m_window.findChild<FilterBox *>()->setText(u"name:00000|00001"_s);
  ASSERT_TRUE(QTest::qWaitFor([&] { return m_window.locks().order().rowCount() == 0; }));
  const auto *empty = m_window.findChild<EmptyPage *>();
  const auto action = [empty](const QString &text) -> ActionButton * {
    for (auto *button : empty->findChildren<ActionButton *>())
      if (button->isVisible() && button->text() == text)
        return button;
    return nullptr;
  };
  EXPECT_EQ(empty->findChildren<Prose *>().back()->text(), u"2 doubtful rows match. They look more like data than like locks, and are hidden.");
  EXPECT_TRUE(action(u"Show all locks"_s));
  ASSERT_TRUE(action(u"Show doubtful rows"_s));
  action(u"Show doubtful rows"_s)->click();
  EXPECT_TRUE(m_window.actions().doubtful->isChecked());
  EXPECT_EQ(m_window.locks().order().rowCount(), 2);
  m_window.findChild<FilterBox *>()->setText(u"nothing like it"_s);
  ASSERT_TRUE(QTest::qWaitFor([&] { return m_window.locks().order().rowCount() == 0; }));
  EXPECT_FALSE(action(u"Show doubtful rows"_s));
}

TEST_F(Window, theDetailsSayWhatTheFamilyIsAndWhatReleasingItTakes) {
  show(locks(0, 1));
  QStringList said;
  for (const LineList *lines : m_window.locks().details().findChildren<LineList *>())
    if (lines->isVisible())
      said << lines->accessibleDescription();
  const std::string all = said.join(u'\n').toStdString();
  EXPECT_THAT(all, HasSubstr("Redisson RLock (Java)"));
  EXPECT_THAT(all, HasSubstr("A re-entrant lock of Redisson"));
  EXPECT_THAT(all, HasSubstr("Who waits listens to a channel and has to be told there."));
}

TEST_F(Window, hostileNamesStayPlainEverywhere) {
  LockRecord evil = samples::held("<h1>&amp;</h1>\x1b]0;x\x07\xff%1%n\n", "<img src='file:///etc/passwd'>:7");
  evil.evidence = {Message::verbatim("<b>fact</b>")};
  evil.queue = {{"<script>alert(1)</script>:3", {}}};
  evil.waiters = 1;
  show(samples::snapshot({samples::share(evil)}));
  for (const QLabel *label : m_window.findChildren<QLabel *>()) {
    EXPECT_TRUE(label->textFormat() == Qt::PlainText || !label->text().contains(u'<')) << label->text().toStdString();
    EXPECT_FALSE(label->text().contains(QChar(0x1b)));
  }
  for (const QWidget *widget : m_window.findChildren<QWidget *>())
    EXPECT_FALSE(widget->toolTip().contains(u"<h1>"_s) || widget->toolTip().contains(u"<img"_s)) << widget->toolTip().toStdString();
  m_window.actions().copy->trigger();
  const QString copied = QApplication::clipboard()->text();
  EXPECT_THAT(copied.toStdString(), HasSubstr("<h1>&amp;</h1>\\x1b]0;x\\x07\\xff%1%n\\n"));
  EXPECT_FALSE(m_window.grab().isNull());
}

TEST_F(Window, hundredKilobytesOfNameAreBounded) {
  show(samples::snapshot({samples::share(samples::held(std::string(100'000, 'x')))}));
  EXPECT_LE(m_window.locks().order().row(0).key.size(), 257);
  EXPECT_FALSE(m_window.grab().isNull());
}

TEST_F(Window, followsThePaletteFromLightToDark) {
  show(locks(0, 10));
  for (const Theme::Kind kind : {Theme::Kind::Dark, Theme::Kind::HighContrastLight, Theme::Kind::Light}) {
    const Theme theme = Theme::tokens(kind);
    QApplication::setPalette(theme.palette());
    QTest::qWait(1);
    const QImage picture = m_window.grab().toImage();
    const QPoint free = view().viewport()->mapTo(&m_window, QPoint(view().viewport()->width() / 2, view().viewport()->height() - 4));
    EXPECT_EQ(picture.pixelColor(free), theme.base) << static_cast<int>(kind);
  }
}

TEST_F(Window, everythingThatTakesTheKeyboardHasAName) {
  for (const QWidget *widget : m_window.findChildren<QWidget *>()) {
    if ((widget->focusPolicy() & Qt::TabFocus) == 0 || !widget->isVisible() || widget->objectName().startsWith(u"qt_"_s))
      continue;
    const bool named = !widget->accessibleName().isEmpty() || widget->property("text").toString().size() > 1 || widget->inherits("QTabBar");
    EXPECT_TRUE(named) << widget->metaObject()->className() << " in " << widget->parentWidget()->metaObject()->className();
  }
}

} // namespace
} // namespace lockhouse::ui
