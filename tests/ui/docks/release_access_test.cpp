// SPDX-License-Identifier: Apache-2.0
// The releasing dialogs by keyboard and screen reader, and under names that nobody would choose.
#include "tests/ui/docks/live_engine.h"
#include "ui/page/release_dialog.h"
#include "ui/page/release_flow.h"
#include "ui/page/release_many_dialog.h"
#include "ui/page/release_many_flow.h"
#include "ui/page/release_script.h"
#include "ui/page/risk_box.h"
#include "ui/page/verb_button.h"
#include "ui/widget/house_style.h"
#include "ui/widget/theme.h"

#include <QAccessible>
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>

#include <set>

namespace lockhouse::ui {
namespace {

class ReleaseAccess : public tests::LiveEngine {
protected:
  QPointer<QDialog> m_dialog;

  void TearDown() override { delete m_dialog; }

  std::vector<LockRecordPtr> waitForAll(std::size_t many) {
    EXPECT_TRUE(QTest::qWaitFor([&] { return m_snapshot && m_snapshot->locks.size() == many; }, patience));
    return m_snapshot->locks;
  }
  void open(QDialog *dialog) {
    m_dialog = dialog;
    m_dialog->open();
    m_dialog->activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(m_dialog));
  }
  void openOne(const LockRecordPtr &lock) {
    auto *dialog = new ReleaseDialog(*m_engine, lock);
    open(dialog);
    auto *flow = dialog->findChild<ReleaseFlow *>();
    ASSERT_TRUE(QTest::qWaitFor([&] { return flow->phase() == ReleaseFlow::Phase::Planned; }, patience));
  }
  void openMany(const std::vector<LockRecordPtr> &locks) {
    open(new ReleaseManyDialog(*m_engine, holdsToRelease(locks), NodeNames(m_snapshot->nodes)));
    auto *flow = m_dialog->findChild<ReleaseManyFlow *>();
    ASSERT_TRUE(QTest::qWaitFor([&] { return flow->phase() == ReleaseManyFlow::Phase::Planned; }, patience));
    for (const ReleaseResult &result : flow->results())
      ASSERT_TRUE(result.plan && !result.verdict) << result.detail;
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
      applying += button && button->text().contains(u"and release") ? 1 : 0;
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

TEST_F(ReleaseAccess, everyRiskOfManyIsReadByKeyboard) {
  RiskBox box;
  QStringList risks;
  for (int i = 0; i < 40; ++i)
    risks << QStringLiteral("Risk %1 of many, in a sentence that is long enough to say something.").arg(i);
  box.setSentences(risks);
  box.resize(600, box.height());
  box.show();
  box.activateWindow();
  ASSERT_TRUE(QTest::qWaitForWindowActive(&box));
  EXPECT_LT(box.height(), box.widget()->height()) << "a part of them is out of sight";
  QTest::keyClick(&box, Qt::Key_Down);
  EXPECT_GT(box.verticalScrollBar()->value(), 0);
  for (int i = 0; i < 40; ++i)
    QTest::keyClick(&box, Qt::Key_PageDown);
  EXPECT_EQ(box.verticalScrollBar()->value(), box.verticalScrollBar()->maximum());
  const QLabel *last = box.findChildren<QLabel *>().back();
  EXPECT_EQ(last->text(), risks.back());
  EXPECT_TRUE(box.viewport()->rect().contains(last->geometry().translated(box.widget()->pos())));
  box.setSentences({risks.front()});
  EXPECT_TRUE(QTest::qWaitFor([&] { return !box.verticalScrollBar()->isVisible() && box.widget()->height() <= box.viewport()->height(); }));
}

TEST_F(ReleaseAccess, whatScrollsShowsThatItHasTheFocus) {
  HouseStyle style;
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
  expectRing(*m_dialog->findChild<ReleaseScript *>());
  delete m_dialog;
  openMany(locks);
  expectRing(*m_dialog->findChild<RiskBox *>());
  delete m_dialog;
}

TEST_F(ReleaseAccess, noNameBreaksTheLayout) {
  const std::string tenThousand(10'240, 'x');
  const std::vector<std::string> names{"lock:" + tenThousand, "lock:" + std::string("\x00\x01\xff\xfe", 4) + std::string(300, '\xab'),
                                       "lock:line\nline\r\n" + std::string(200, '\n'), "lock:\xe2\x80\xae" + std::string(120, 'z') + "\xe2\x81\xa6",
                                       "lock:<b>" + std::string(400, '<') + "</b>&amp;"};
  for (const std::string &name : names)
    takeLock(name);
  const auto locks = waitForAll(names.size());
  for (const LockRecordPtr &lock : locks) {
    openOne(lock);
    auto *scroll = m_dialog->findChild<QScrollArea *>();
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
