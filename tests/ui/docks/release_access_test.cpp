// SPDX-License-Identifier: Apache-2.0
// The releasing dialogs by keyboard and screen reader, and under names that nobody would choose.
#include "tests/ui/docks/dialog_house.h"
#include "ui/page/release/release_dialog.h"
#include "ui/page/release/release_flow.h"
#include "ui/page/release/release_many_dialog.h"
#include "ui/page/release/release_many_flow.h"
#include "ui/page/release/script_view.h"
#include "ui/widget/parts/action_button.h"
#include "ui/widget/parts/banner.h"
#include "ui/widget/parts/scroll_pane.h"
#include "ui/widget/style/app_style.h"
#include "ui/widget/style/theme.h"

#include <QAccessible>
#include <QComboBox>
#include <QLabel>
#include <QLayout>
#include <QPushButton>
#include <QScrollBar>
#include <QTableView>

#include <algorithm>
#include <set>

namespace lockhouse::ui {
namespace {

class ReleaseAccess : public tests::DialogHouse<QDialog> {
protected:
  void openOne(const LockRecordPtr &lock) {
    auto *dialog = new ReleaseDialog(*m_engine, lock);
    openDialog(dialog);
    auto *flow = dialog->findChild<ReleaseFlow *>();
    ASSERT_TRUE(QTest::qWaitFor([&] { return flow->phase() == ReleaseFlow::Phase::Planned; }, patience));
  }
  void openMany(const std::vector<LockRecordPtr> &locks) {
    openDialog(new ReleaseManyDialog(*m_engine, holdsToRelease(locks), NodeNames(m_snapshot->nodes)));
    auto *flow = m_dialog->findChild<ReleaseManyFlow *>();
    ASSERT_TRUE(QTest::qWaitFor([&] { return flow->phase() == ReleaseManyFlow::Phase::Planned; }, patience));
    for (const ReleaseResult &result : flow->results())
      ASSERT_TRUE(result.plan && !result.verdict) << result.detail.english();
  }
  /// Every widget that Tab comes to, from where the focus is, once round.
  std::vector<QWidget *> round() const {
    std::vector<QWidget *> visited;
    std::set<QWidget *> seen;
    while (seen.insert(m_dialog->focusWidget()).second) {
      visited.push_back(m_dialog->focusWidget());
      QTest::keyClick(m_dialog->focusWidget(), Qt::Key_Tab);
    }
    return visited;
  }
  static QString nameOf(QWidget *widget) { return QAccessible::queryAccessibleInterface(widget)->text(QAccessible::Name); }
  void expectSafeKeys() {
    QLineEdit *reason = m_dialog->findChild<QLineEdit *>();
    reason->setText(QStringLiteral("host is gone"));
    const auto visited = round();
    EXPECT_TRUE(std::ranges::find(visited, reason) != visited.end());
    int buttons = 0, applying = 0;
    QStringList names;
    for (QWidget *widget : visited) {
      names << nameOf(widget);
      EXPECT_FALSE(nameOf(widget).isEmpty()) << widget->metaObject()->className();
      const auto *button = qobject_cast<QPushButton *>(widget);
      buttons += button ? 1 : 0;
      applying += button && button->text().startsWith(u"Unlock writing and") ? 1 : 0;
      EXPECT_FALSE(button && button->isDefault() && button->text().contains(u"elease")) << "Return never releases";
    }
    EXPECT_GE(buttons, 3) << "copy, release and cancel, of " << names.join(u'|').toStdString();
    EXPECT_EQ(applying, 1) << names.join(u'|').toStdString();
    for (std::size_t i = 1; i < visited.size(); ++i) { // in the order of reading, but for where it begins anew
      const auto place = [this](QWidget *widget) { return widget->mapTo(m_dialog.data(), QPoint(0, widget->height() / 2)); };
      const QPoint before = place(visited[i - 1]), now = place(visited[i]);
      EXPECT_TRUE(now.y() > before.y() + 8 || (std::abs(now.y() - before.y()) <= 8 && now.x() > before.x()) || visited[i - 1] == visited.front())
          << nameOf(visited[i - 1]).toStdString() << " -> " << nameOf(visited[i]).toStdString();
    }
    QTest::keyClick(m_dialog, Qt::Key_Escape);
    EXPECT_TRUE(QTest::qWaitFor([&] { return m_dialog.isNull(); }, patience));
  }
};

TEST_F(ReleaseAccess, oneLockByKeyboardAndScreenReader) {
  takeLock("lock:a");
  openOne(waitForLock("lock:a"));
  expectSafeKeys();
}

TEST_F(ReleaseAccess, manyLocksByKeyboardAndScreenReader) {
  takeLock("lock:a");
  takeLock("lock:b");
  openMany(waitForAll(2));
  expectSafeKeys();
}

/// The colour of the left edge of `widget`, half way down.
QColor edgeOf(QWidget &widget) { return widget.grab().toImage().pixelColor(0, widget.height() / 2); }

TEST_F(ReleaseAccess, everyPartOfManyPlansIsReadByKeyboardInOnePiece) {
  for (int i = 0; i < 30; ++i)
    takeLock("lock:" + std::to_string(i));
  openMany(waitForAll(30));
  m_dialog->resize(700, 620);
  auto *pane = m_dialog->findChild<ScrollPane *>();
  QScrollBar *bar = pane->verticalScrollBar();
  ASSERT_TRUE(QTest::qWaitFor([&] { return bar->maximum() > 0; }));
  EXPECT_EQ(round()[1], pane) << "the first that Tab comes to, for there is more of it than can be seen";
  auto *warnings = pane->findChild<Banner *>();
  EXPECT_GE(warnings->height(), warnings->layout()->totalHeightForWidth(warnings->width())) << "no box of its own cuts what is risked";
  auto *script = pane->findChild<ScriptView *>();
  EXPECT_EQ(script->verticalScrollBar()->maximum(), 0);
  pane->setFocus(Qt::TabFocusReason);
  QTest::keyClick(pane, Qt::Key_End);
  EXPECT_EQ(bar->value(), bar->maximum());
  EXPECT_TRUE(pane->viewport()->rect().contains(script->mapTo(pane->viewport(), script->rect().bottomLeft())));
  QTest::keyClick(script, Qt::Key_PageUp);
  EXPECT_LT(bar->value(), bar->maximum()) << "from within the script, too";
  auto *table = pane->findChild<QTableView *>();
  EXPECT_EQ(table->verticalScrollBar()->maximum(), 0) << "one bar for all";
  table->setFocus(Qt::TabFocusReason);
  for (int i = 0; i < 30; ++i) {
    QTest::keyClick(table, Qt::Key_Down);
    const QRect row = table->visualRect(table->currentIndex());
    EXPECT_TRUE(pane->viewport()->rect().contains(QRect(table->viewport()->mapTo(pane->viewport(), row.topLeft()), QSize(1, row.height())))) << i;
  }
}

TEST_F(ReleaseAccess, theScriptIsSeenWhereTabComesToIt) {
  (*m_redis)({"HSET", "long", "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b05:2", "1"});
  ASSERT_TRUE(waitForLock("long", "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b05:2"));
  openOne(m_snapshot->locks.front());
  auto *pane = m_dialog->findChild<ScrollPane *>();
  auto *script = m_dialog->findChild<ScriptView *>();
  m_dialog->resize(m_dialog->width(), m_dialog->height() - pane->height() + script->height() + 20);
  ASSERT_TRUE(QTest::qWaitFor([&] { return pane->verticalScrollBar()->maximum() > 0; }));
  for (const auto &[key, from] : {std::pair<Qt::Key, QWidget *>(Qt::Key_Tab, pane), {Qt::Key_Backtab, m_dialog->findChild<QLineEdit *>()}}) {
    pane->verticalScrollBar()->setValue(0);
    from->setFocus(Qt::OtherFocusReason);
    for (int i = 0; i < 6 && !script->hasFocus(); ++i)
      QTest::keyClick(m_dialog->focusWidget(), key);
    ASSERT_TRUE(script->hasFocus());
    EXPECT_EQ(script->visibleRegion().boundingRect(), script->rect());
  }
}

TEST_F(ReleaseAccess, theScriptShowsAllOfALongName) {
  takeLock("laravel_database_laravel_cache_:laravel_unique_job:App\\Jobs\\Billing\\Reconciliation\\SynchroniseCustomerInvoices:租户:tenant-0042");
  openOne(waitForAll(1).front());
  auto *script = m_dialog->findChild<ScriptView *>();
  const QString whole = script->toPlainText();
  const auto hiddenAt = [&] { // the first place in the text that is out of sight
    QTextCursor at(script->document());
    for (int i = 0; i <= whole.size(); ++i) {
      at.setPosition(i);
      if (!script->viewport()->rect().contains(script->cursorRect(at).center()))
        return i;
    }
    return -1;
  };
  for (const int wanted : {m_dialog->width(), 620, 1100}) {
    const int width = std::max(wanted, m_dialog->minimumWidth()); // which goes by the fonts that are there
    m_dialog->resize(width, m_dialog->height());
    ASSERT_TRUE(QTest::qWaitFor([&] { return m_dialog->width() == width && hiddenAt() < 0; }, patience))
        << width << ": " << whole.left(hiddenAt()).toStdString();
    EXPECT_EQ(script->horizontalScrollBar()->maximum(), 0) << width;
    EXPECT_EQ(script->verticalScrollBar()->maximum(), 0) << width;
    EXPECT_EQ(script->toPlainText(), whole) << "what is copied has the lines that it has";
  }
}

TEST_F(ReleaseAccess, whatIsToBeKnownBeforeTheVerbIsWholeOnALowScreen) {
  takeLock("lock:a");
  takeLock("lock:b");
  const auto locks = waitForAll(2);
  const auto expectWhole = [this](const QString &opening) {
    m_dialog->resize(700, 420);
    ASSERT_TRUE(QTest::qWaitFor([this] { return m_dialog->height() == 420; }));
    for (const QLabel *label : m_dialog->findChildren<QLabel *>())
      if (label->isVisible() && label->text().startsWith(opening)) {
        const auto *box = qobject_cast<const Banner *>(label->parentWidget());
        ASSERT_TRUE(box);
        EXPECT_TRUE(m_dialog->rect().contains(QRect(box->mapTo(m_dialog.data(), QPoint(0, 0)), box->size())));
        EXPECT_EQ(box->visibleRegion().boundingRect(), box->rect()) << "no scrolling hides a part of it";
        EXPECT_GE(box->height(), box->layout()->totalHeightForWidth(box->width()));
        return;
      }
    ADD_FAILURE() << opening.toStdString();
  };
  openOne(locks.front());
  expectWhole(QStringLiteral("This console is read-only."));
  delete m_dialog;
  openMany(locks);
  expectWhole(QStringLiteral("This console is read-only."));
}

TEST_F(ReleaseAccess, aReasonThatIsTypedInTheWrongPlaceChoosesNothing) {
  takeLock("lock:a");
  auto *dialog = new ReleaseDialog(*m_engine, waitForLock("lock:a"), nullptr, milliseconds(10'000));
  openDialog(dialog);
  auto *flow = dialog->findChild<ReleaseFlow *>();
  ASSERT_TRUE(QTest::qWaitFor([&] { return flow->phase() == ReleaseFlow::Phase::Planned; }, patience));
  QWidget *choice = nullptr;
  for (QComboBox *combo : dialog->findChildren<QComboBox *>())
    choice = combo->isVisible() ? combo : choice;
  ASSERT_TRUE(choice);
  choice->setFocus(Qt::TabFocusReason);
  QTest::keyClicks(choice, QStringLiteral("5 minutes late, 1 host is gone"));
  EXPECT_EQ(flow->intent().shortenTo, milliseconds(10'000));
  const QScrollBar *bar = dialog->findChild<ScrollPane *>()->verticalScrollBar();
  ASSERT_TRUE(QTest::qWaitFor([bar] { return bar->maximum() == 0; }, patience)) << "as high as its plan";
  expectSafeKeys();
}

TEST_F(ReleaseAccess, whatScrollsShowsThatItHasTheFocus) {
  AppStyle style;
  takeLock("lock:a");
  takeLock("lock:b");
  const auto locks = waitForAll(2);
  const auto expectRing = [&style](QWidget &widget) {
    widget.setStyle(&style);
    const QColor accent = Theme::of(widget.palette()).accent;
    EXPECT_NE(edgeOf(widget), accent) << widget.metaObject()->className();
    widget.setFocus(Qt::TabFocusReason);
    EXPECT_EQ(edgeOf(widget), accent) << widget.metaObject()->className();
  };
  openOne(locks.front());
  expectRing(*m_dialog->findChild<ScriptView *>());
  expectRing(*m_dialog->findChild<ScrollPane *>());
  delete m_dialog;
  openMany(locks);
  expectRing(*m_dialog->findChild<ScrollPane *>());
  delete m_dialog;
}

TEST_F(ReleaseAccess, noNameBreaksTheLayout) {
  const std::string tenThousand(10'240, 'x');
  const std::vector<std::string> names{"lock:" + tenThousand, "lock:" + std::string("\x00\x01\xff\xfe", 4) + std::string(300, '\xab'),
                                       "lock:line\nline\r\n" + std::string(200, '\n'), "lock:\xe2\x80\xae" + std::string(120, 'z') + "\xe2\x81\xa6",
                                       "lock:<b>" + std::string(400, '<') + "</b>&amp;"};
  for (const std::string &name : names)
    takeLock(name);
  const auto locks = waitForAll(static_cast<int>(names.size()));
  for (const LockRecordPtr &lock : locks) {
    openOne(lock);
    auto *scroll = m_dialog->findChild<ScrollPane *>();
    EXPECT_TRUE(QTest::qWaitFor([&] { return scroll->widget()->width() <= scroll->viewport()->width(); }, 2'000))
        << scroll->widget()->width() << " in " << scroll->viewport()->width() << ": " << lock->id.key.bytes().substr(0, 20);
    for (const QLabel *label : m_dialog->findChildren<QLabel *>())
      EXPECT_TRUE(!label->isVisible() || label->width() <= m_dialog->width()) << label->text().left(40).toStdString();
    EXPECT_LE(m_dialog->width(), 900);
    delete m_dialog;
  }
  openMany(locks);
  EXPECT_LE(m_dialog->minimumSizeHint().width(), m_dialog->width());
}

} // namespace
} // namespace lockhouse::ui
