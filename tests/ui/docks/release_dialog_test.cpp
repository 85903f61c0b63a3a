// SPDX-License-Identifier: Apache-2.0
#include "ui/page/release/release_dialog.h"

#include "tests/ui/docks/release_dialog_house.h"
#include "ui/model/text/holder_names.h"
#include "ui/page/release/before_after.h"
#include "ui/page/release/release_flow.h"
#include "ui/widget/style/prose.h"
#include "ui/widget/style/theme.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QLayout>
#include <QPlainTextEdit>
#include <QScreen>
#include <QScrollArea>
#include <QScrollBar>

#include <algorithm>

namespace lockhouse::ui {
namespace {

class ReleaseDialogTest : public tests::ReleaseDialogHouse {};

/// Where a window lies when it is about to come up.
class Watched : public QObject {
public:
  explicit Watched(QWidget &window) : m_window(window) { window.installEventFilter(this); }
  QRect whenShown;

protected:
  bool eventFilter(QObject *, QEvent *event) override {
    if (event->type() == QEvent::Show)
      whenShown = m_window.geometry();
    return false;
  }

private:
  QWidget &m_window;
};

TEST_F(ReleaseDialogTest, putsTheFocusOnCancelAndAsksForAReason) {
  openFor("lock:a");
  ASSERT_TRUE(isPlanned());
  EXPECT_EQ(m_dialog->focusWidget(), button(QStringLiteral("Cancel")));
  QPushButton *action = button(QStringLiteral("Unlock writing and release"));
  ASSERT_TRUE(action);
  EXPECT_FALSE(action->isEnabled());
  reason()->setFocus();
  QTest::keyClicks(reason(), QStringLiteral("holder hangs"));
  EXPECT_TRUE(action->isEnabled());
  QTest::keyClick(reason(), Qt::Key_Return);
  QTest::keyClick(reason(), Qt::Key_Return);
  EXPECT_TRUE(m_dialog->isVisible()) << "Return neither cancels nor releases";
  EXPECT_EQ(m_dialog->focusWidget(), reason());
  EXPECT_EQ((*m_redis)({"GET", "lock:a"}), token);
}

TEST_F(ReleaseDialogTest, pressesTheVerbThatHasTheKeyboardByReturn) {
  openFor("lock:a");
  ASSERT_TRUE(isPlanned());
  m_engine->unlock();
  QTest::keyClicks(reason(), QStringLiteral("holder hangs"));
  QPushButton *action = button(QStringLiteral("Release 1 lock"));
  ASSERT_TRUE(action);
  action->setFocus(Qt::TabFocusReason);
  QKeyEvent held(QEvent::KeyPress, Qt::Key_Return, Qt::NoModifier, QStringLiteral("\r"), true);
  QApplication::sendEvent(action, &held);
  EXPECT_EQ((*m_redis)({"GET", "lock:a"}), token) << "a key that is still down since before";
  QTest::keyClick(action, Qt::Key_Return);
  EXPECT_TRUE(comesToSay(QStringLiteral("Held now by")));
}

TEST_F(ReleaseDialogTest, staysOpenAtAReturnWhileItsVerbIsDead) {
  openFor("lock:a");
  ASSERT_TRUE(isPlanned());
  reason()->setFocus();
  QTest::keyClick(reason(), Qt::Key_Return);
  EXPECT_TRUE(m_dialog->isVisible()) << "no reason was given";
  EXPECT_EQ(m_dialog->focusWidget(), reason());
  QTest::keyClicks(reason(), QStringLiteral("holder hangs"));
  QPushButton *action = button(QStringLiteral("Unlock writing and release"));
  action->setFocus(Qt::TabFocusReason);
  (*m_redis)({"SET", "lock:a", "7e1c0a3e6f0d4f1a9c582f4f0e7a1b01", "PX", "60000"}); // another's
  ASSERT_TRUE(comesToSay(QStringLiteral("The lock has changed since this plan was made")));
  EXPECT_FALSE(action->isEnabled());
  EXPECT_EQ(m_dialog->focusWidget(), button(QStringLiteral("Plan again")));
  QTest::keyClick(reason(), Qt::Key_Return);
  EXPECT_TRUE(m_dialog->isVisible());
  EXPECT_EQ(reason()->text(), u"holder hangs");
}

TEST_F(ReleaseDialogTest, showsExactlyWhatWouldBeSent) {
  openFor("lock:a");
  ASSERT_TRUE(isPlanned());
  const QString script = m_dialog->findChild<QPlainTextEdit *>()->toPlainText();
  EXPECT_TRUE(script.startsWith(u"EVAL release-token 1\n  lock:a\n")) << script.toStdString();
  EXPECT_TRUE(script.contains(QString::fromLatin1(token)));
}

TEST_F(ReleaseDialogTest, releasesAndReportsIt) {
  openFor("lock:a");
  ASSERT_TRUE(isPlanned());
  QTest::keyClicks(reason(), QStringLiteral("holder hangs"));
  releaseAndAllow();
  ASSERT_TRUE(comesToSay(QStringLiteral("Held now by")));
  EXPECT_EQ(said().count(QStringLiteral("released"), Qt::CaseInsensitive), 1) << said().toStdString();
  EXPECT_TRUE(said().contains(u"nobody"));
  EXPECT_EQ(m_redis->number({"EXISTS", "lock:a"}), 0);
  EXPECT_EQ(m_dialog->focusWidget(), button(QStringLiteral("Close")));
  button(QStringLiteral("Copy report"))->click();
  const QString report = QGuiApplication::clipboard()->text();
  EXPECT_TRUE(report.contains(u"lock:a") && report.contains(u"holder hangs") && report.contains(u"a-")) << report.toStdString();
  button(QStringLiteral("Close"))->click();
  EXPECT_TRUE(QTest::qWaitFor([&] { return m_dialog.isNull(); }));
}

TEST_F(ReleaseDialogTest, writesOnlyAfterConsentAndForThisReleaseAlone) {
  openFor("lock:a");
  ASSERT_TRUE(isPlanned());
  QTest::keyClicks(reason(), QStringLiteral("holder hangs"));
  button(QStringLiteral("Unlock writing and release"))->click();
  auto *box = m_dialog->findChild<QMessageBox *>();
  ASSERT_TRUE(box);
  EXPECT_EQ(box->defaultButton()->text(), u"Stay read-only");
  box->defaultButton()->click();
  EXPECT_TRUE(QTest::qWaitFor([&] { return m_dialog->findChild<QMessageBox *>() == nullptr; }));
  EXPECT_FALSE(m_engine->isUnlocked());
  EXPECT_EQ((*m_redis)({"GET", "lock:a"}), token);
  releaseAndAllow();
  ASSERT_TRUE(comesToSay(QStringLiteral("Held now by")));
  EXPECT_EQ(m_redis->number({"EXISTS", "lock:a"}), 0);
  EXPECT_FALSE(m_engine->isUnlocked()) << "it was for one release";
}

TEST_F(ReleaseDialogTest, leavesAConsoleUnlockedThatWasUnlockedBefore) {
  m_engine->unlock();
  openFor("lock:a");
  ASSERT_TRUE(isPlanned());
  QTest::keyClicks(reason(), QStringLiteral("holder hangs"));
  button(QStringLiteral("Release 1 lock"))->click();
  ASSERT_TRUE(comesToSay(QStringLiteral("Held now by")));
  EXPECT_TRUE(m_engine->isUnlocked());
}

TEST_F(ReleaseDialogTest, isHighEnoughForItsPlanWhereTheScreenIs) {
  openFor("lock:a");
  ASSERT_TRUE(isPlanned());
  auto *scroll = m_dialog->findChild<QScrollArea *>();
  ASSERT_TRUE(scroll);
  EXPECT_TRUE(QTest::qWaitFor([&] { return scroll->verticalScrollBar()->maximum() == 0; })) << scroll->verticalScrollBar()->maximum();
  EXPECT_LE(scroll->height(), scroll->widget()->layout()->totalHeightForWidth(scroll->width()) + 60) << "and little higher than that";
}

TEST_F(ReleaseDialogTest, staysOnTheScreenWithItsButtonsWhateverThereIsToRead) {
  openFor("lock:" + std::string(100'000, 'x'));
  ASSERT_TRUE(isPlanned());
  const QRect room = m_dialog->screen()->availableGeometry();
  const auto isWithin = [&] { return room.contains(m_dialog->frameGeometry()); };
  EXPECT_TRUE(QTest::qWaitFor(isWithin));
  m_dialog->move(room.right() - 40, room.bottom() - 40);
  m_dialog->setFont(scaledFont(m_dialog->font(), 1.6)); // and everything in it grows
  EXPECT_TRUE(QTest::qWaitFor(isWithin)) << m_dialog->height();
  QPushButton *cancel = button(QStringLiteral("Cancel"));
  ASSERT_TRUE(cancel);
  EXPECT_TRUE(m_dialog->rect().contains(QRect(cancel->mapTo(m_dialog, QPoint(0, 0)), cancel->size())));
}

TEST_F(ReleaseDialogTest, isInItsPlaceBeforeItIsShownAndComesBackOntoTheScreen) {
  QWidget window;
  window.setGeometry(40, 30, 600, 500);
  window.show();
  takeLock("lock:a");
  const LockRecordPtr lock = waitForLock("lock:a");
  ASSERT_TRUE(lock);
  m_dialog = new ReleaseDialog(*m_engine, lock, &window, seconds(10));
  Watched place(*m_dialog);
  m_dialog->open();
  EXPECT_EQ(place.whenShown, m_dialog->geometry()) << "nothing moves it while it comes up";
  const QRect room = m_dialog->screen()->availableGeometry();
  m_dialog->move(room.center());
  EXPECT_TRUE(QTest::qWaitFor([&] { return room.contains(m_dialog->frameGeometry()); })) << "whoever has put it there";
}

TEST_F(ReleaseDialogTest, asksForNoUnlockingWhenWritingIsUnlocked) {
  m_engine->unlock();
  openFor("lock:a");
  ASSERT_TRUE(isPlanned());
  EXPECT_TRUE(button(QStringLiteral("Release 1 lock")));
  EXPECT_FALSE(said().contains(u"read-only"));
}

TEST_F(ReleaseDialogTest, stopsAtALockThatHasChanged) {
  openFor("lock:a");
  ASSERT_TRUE(isPlanned());
  QTest::keyClicks(reason(), QStringLiteral("holder hangs"));
  takeLock("lock:a", otherToken);
  ASSERT_TRUE(comesToSay(QStringLiteral("The lock has changed since this plan was made")));
  EXPECT_FALSE(button(QStringLiteral("Unlock writing and release"))->isEnabled());
  EXPECT_FALSE(button(QStringLiteral("Shorten lease to 10\u2009s instead"))) << "it would be refused too";
  for (const QPushButton *each : m_dialog->findChildren<QPushButton *>())
    EXPECT_TRUE(!each->isVisible() || each->width() >= each->sizeHint().width()) << each->text().toStdString();
  button(QStringLiteral("Plan again"))->click();
  ASSERT_TRUE(isPlanned());
  EXPECT_TRUE(m_dialog->findChild<QPlainTextEdit *>()->toPlainText().contains(QString::fromLatin1(otherToken)));
  EXPECT_EQ(reason()->text(), u"holder hangs") << "what was typed is kept";
}

TEST_F(ReleaseDialogTest, saysOfAHoldThatChangedWhatIsSoNow) {
  const std::string thread = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b05:5";
  (*m_redis)({"HSET", "report", thread, "1"});
  (*m_redis)({"PEXPIRE", "report", "600000"});
  const LockRecordPtr lock = waitForLock("report", thread.c_str());
  ASSERT_TRUE(lock);
  m_dialog = new ReleaseDialog(*m_engine, lock);
  m_dialog->open();
  ASSERT_TRUE(isPlanned());
  ASSERT_TRUE(said().contains(u"The lease still runs for")) << said().toStdString();
  (*m_redis)({"HINCRBY", "report", thread, "1"});
  EXPECT_TRUE(comesToSay(QStringLiteral("5b1c0a3e:5 still holds it, but its count is 2 now."))) << said().toStdString();
  (*m_redis)({"DEL", "report"});
  EXPECT_TRUE(comesToSay(QStringLiteral("No lock is there now: its key is gone, or holds something that is none.")));
  EXPECT_FALSE(said().contains(u"The lease still runs for")) << said().toStdString();
  EXPECT_FALSE(said().contains(u"This is what would happen."));
  EXPECT_FALSE(m_dialog->findChild<BeforeAfter *>()->isEnabled());
}

TEST_F(ReleaseDialogTest, tellsOfWhenThePlanIsAndWhatGoesOnSince) {
  const std::string thread = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b05:5";
  (*m_redis)({"HSET", "report", thread, "1"});
  (*m_redis)({"PEXPIRE", "report", "30000"});
  const LockRecordPtr lock = waitForLock("report", thread.c_str());
  ASSERT_TRUE(lock);
  m_dialog = new ReleaseDialog(*m_engine, lock);
  m_dialog->open();
  ASSERT_TRUE(isPlanned());
  EXPECT_TRUE(said().contains(u"The lock was read at ")) << said().toStdString();
  EXPECT_FALSE(said().contains(u"Since then"));
  const QString warnings = saidIn(*m_dialog->findChild<Banner *>());
  (*m_redis)({"PEXPIRE", "report", "60000"});
  EXPECT_TRUE(comesToSay(QStringLiteral("Since then its holder has renewed it, the last time at "))) << said().toStdString();
  EXPECT_EQ(saidIn(*m_dialog->findChild<Banner *>()), warnings) << "what is read does not move";
  EXPECT_TRUE(button(QStringLiteral("Unlock writing and release"))) << "it is the same hold";
}

TEST_F(ReleaseDialogTest, stopsWhereTheNodeIsNotFollowedAnyMore) {
  openFor("lock:a");
  ASSERT_TRUE(isPlanned());
  QTest::keyClicks(reason(), QStringLiteral("holder hangs"));
  m_server->kill();
  ASSERT_TRUE(comesToSay(QStringLiteral("is not followed any more: whether the lock is still what this plan says is not known.")));
  EXPECT_FALSE(button(QStringLiteral("Unlock writing and release"))->isEnabled());
  EXPECT_TRUE(button(QStringLiteral("Plan again")));
}

TEST_F(ReleaseDialogTest, saysThatTheOwnerCameBackSinceThePlan) {
  openFor("lock:a");
  ASSERT_TRUE(isPlanned());
  QTest::keyClicks(reason(), QStringLiteral("holder hangs"));
  (*m_redis)({"DEL", "lock:a"});
  ASSERT_TRUE(comesToSay(QStringLiteral("No lock is there now: ")));
  takeLock("lock:a");
  ASSERT_TRUE(comesToSay(QStringLiteral("It was acquired again since this plan was made: the hold that you saw is over.")));
  EXPECT_FALSE(button(QStringLiteral("Unlock writing and release"))->isEnabled());
  button(QStringLiteral("Plan again"))->click();
  ASSERT_TRUE(isPlanned());
  EXPECT_TRUE(button(QStringLiteral("Unlock writing and release"))->isEnabled());
}

TEST_F(ReleaseDialogTest, cancelsAtAnyTimeEvenWhenTheServerDoesNotAnswer) {
  openFor("lock:a");
  ASSERT_TRUE(isPlanned());
  m_server->pause();
  QTest::keyClicks(reason(), QStringLiteral("holder hangs"));
  releaseAndAllow();
  ASSERT_TRUE(comesToSay(QStringLiteral("under way")));
  button(QStringLiteral("Close"))->click();
  EXPECT_TRUE(QTest::qWaitFor([&] { return m_dialog.isNull(); }));
  m_server->resume();
}

TEST_F(ReleaseDialogTest, saysInWordsThatTheServerIsGone) {
  takeLock("lock:a");
  const LockRecordPtr lock = waitForLock("lock:a");
  ASSERT_TRUE(lock);
  m_server->kill();
  m_dialog = new ReleaseDialog(*m_engine, lock);
  m_dialog->open();
  ASSERT_TRUE(comesToSay(QStringLiteral("The node could not be reached, or was not ready")));
  EXPECT_TRUE(said().contains(u"Nothing has been changed"));
  EXPECT_TRUE(button(QStringLiteral("Plan again")));
  EXPECT_TRUE(button(QStringLiteral("Close")));
}

TEST_F(ReleaseDialogTest, copiesACommandThatDoesTheSameAndHoldsNoSecret) {
  openFor("lock:a");
  ASSERT_TRUE(isPlanned());
  QTest::keyClicks(reason(), QStringLiteral("it's stuck"));
  button(QStringLiteral("Copy as command"))->click();
  const QString command = QGuiApplication::clipboard()->text();
  const QString expected =
      QStringLiteral("lockhousectl --url unix://%1 release --holder=%2 --count 1 --type string --reason='it'\\''s stuck' --apply -- lock:a")
          .arg(QString::fromStdString(m_server->unixUri().path), QString::fromLatin1(token));
  EXPECT_EQ(command, expected);
}

TEST_F(ReleaseDialogTest, saysThatThereIsNoPlanForALockThatIsStillHeld) {
  openFor("bull:mail:42:lock", {}, "89326ffa-9492-4dee-ae3c-669f2bf20894:0");
  ASSERT_TRUE(comesToSay(QStringLiteral("This lock cannot be freed honestly from outside")));
  EXPECT_TRUE(said().contains(u"There is no plan to release it. Nothing has been changed.")) << said().toStdString();
  EXPECT_TRUE(QTest::qWaitFor([&] { return m_dialog->height() < 300; })) << "no room is kept for a plan that there is not";
}

TEST_F(ReleaseDialogTest, showsTheWholeOfARefusal) {
  openFor("bull:mail:42:lock", {}, "89326ffa-9492-4dee-ae3c-669f2bf20894:0");
  ASSERT_TRUE(comesToSay(QStringLiteral("This lock cannot be freed honestly from outside")));
  const QLabel *told = nullptr;
  for (const QLabel *label : m_dialog->findChildren<QLabel *>())
    if (label->isVisible() && label->text().contains(u"BullMQ"))
      told = label;
  ASSERT_TRUE(told) << said().toStdString();
  const auto isWhole = [&] { return told->height() >= told->heightForWidth(told->width()) && told->visibleRegion().boundingRect() == told->rect(); };
  EXPECT_TRUE(QTest::qWaitFor(isWhole)) << told->height() << " of " << told->heightForWidth(told->width());
  m_dialog->resize(m_dialog->width(), 160);
  const auto *scroll = m_dialog->findChild<QScrollArea *>();
  EXPECT_TRUE(QTest::qWaitFor([&] { return isWhole() || scroll->verticalScrollBar()->maximum() > 0; })) << "what there is no room for scrolls";
  EXPECT_GE(told->height(), told->heightForWidth(told->width()));
}

TEST_F(ReleaseDialogTest, letsNobodyInWhereOthersHoldItToo) {
  const std::string reader = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b05:5";
  (*m_redis)({"HSET", "report", "mode", "read", reader, "1", "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b06:7", "1"});
  (*m_redis)({"PEXPIRE", "report", "600000"});
  const LockRecordPtr lock = waitForLock("report", reader.c_str());
  ASSERT_TRUE(lock);
  m_dialog = new ReleaseDialog(*m_engine, lock);
  m_dialog->open();
  ASSERT_TRUE(isPlanned());
  const auto told = m_dialog->findChildren<Prose *>();
  const auto says = [&](const QString &text) { return std::ranges::any_of(told, [&](const Prose *prose) { return prose->text() == text; }); };
  EXPECT_TRUE(says(QStringLiteral("this hold ends; those of others stay")));
  EXPECT_FALSE(says(QStringLiteral("whoever tries first gets it")));
}

TEST_F(ReleaseDialogTest, showsAHostileNameAsPlainText) {
  openFor("lock:<b>bold</b>\x1b[31m");
  ASSERT_TRUE(isPlanned());
  EXPECT_TRUE(said().contains(u"<b>bold</b>\\x1b[31m") || said().contains(u"<b>bold</b>\\x1B[31m")) << said().toStdString();
  for (const QLabel *label : m_dialog->findChildren<QLabel *>())
    EXPECT_EQ(label->textFormat(), Qt::PlainText) << label->text().toStdString();
}

TEST_F(ReleaseDialogTest, namesInConsentWhoseHoldItIsAndAnotherHolderWhereThatOneIsGone) {
  openFor("lock:a");
  ASSERT_TRUE(isPlanned());
  takeLock("lock:a", otherToken);
  ASSERT_TRUE(comesToSay(QStringLiteral("The lock has changed since this plan was made")));
  button(QStringLiteral("Plan again"))->click();
  ASSERT_TRUE(comesToSay(QStringLiteral("Whoever this was planned for holds it no more: this plan is for ") + holderName(otherToken)));
  QTest::keyClicks(reason(), QStringLiteral("holder hangs"));
  button(QStringLiteral("Unlock writing and release"))->click();
  EXPECT_TRUE(asked().contains(QStringLiteral("Release lock:a?\nThe hold is that of ") + holderName(otherToken) + QStringLiteral(", count 1.")))
      << asked().toStdString();
}

TEST_F(ReleaseDialogTest, speaksOfOneScriptWhereThereIsOne) {
  takeLock("lock:a");
  const LockRecordPtr lock = waitForLock("lock:a");
  ASSERT_TRUE(lock);
  openDialog(new ReleaseDialog(*m_engine, lock));
  ASSERT_TRUE(isPlanned());
  const auto says = [this](const QString &text) {
    const auto told = m_dialog->findChild<BeforeAfter *>()->findChildren<Prose *>();
    return std::ranges::any_of(told, [&](const Prose *prose) { return prose->text().contains(text); });
  };
  EXPECT_TRUE(says(QStringLiteral("one script that does all of it or nothing")));
  ReleaseResult result = m_dialog->findChild<ReleaseFlow *>()->answer();
  result.plan->parts = {*result.plan};
  m_dialog->findChild<ReleaseFlow *>()->planAgain();
  for (quint64 request = 1; request < 10; ++request) // whichever it is
    emit m_engine->planned(request, result);
  EXPECT_FALSE(says(QStringLiteral("one script that does all of it or nothing")));
  EXPECT_TRUE(says(QStringLiteral("scripts one after the other")));
}

} // namespace
} // namespace lockhouse::ui
