// SPDX-License-Identifier: Apache-2.0
// The same dialog where it shortens a lease, and the way from one to the other.
#include "tests/ui/docks/release_dialog_house.h"
#include "ui/page/release/release_flow.h"

#include <QPlainTextEdit>

namespace lockhouse::ui {
namespace {

class ShortenDialogTest : public tests::ReleaseDialogHouse {};

TEST_F(ShortenDialogTest, turnsToShorteningTheLeaseAndBack) {
  openFor("lock:a");
  ASSERT_TRUE(isPlanned());
  QTest::keyClicks(reason(), QStringLiteral("holder hangs"));
  QPushButton *softer = button(QStringLiteral("Shorten lease to 10\u2009s instead"));
  ASSERT_TRUE(softer);
  softer->click();
  ASSERT_TRUE(comesToSay(QStringLiteral("Shorten the lease of lock:a to 10\u2009s?")));
  ASSERT_TRUE(isPlanned());
  EXPECT_EQ(m_dialog->focusWidget(), button(QStringLiteral("Cancel"))) << "nobody presses a verb by going on";
  EXPECT_FALSE(button(QStringLiteral("Unlock writing and release")));
  EXPECT_TRUE(button(QStringLiteral("Unlock writing and shorten"))->isEnabled()) << "the reason is kept";
  EXPECT_TRUE(m_dialog->findChild<QPlainTextEdit *>()->toPlainText().startsWith(u"EVAL shorten-lease 1\n"));
  button(QStringLiteral("Release it instead"))->click();
  ASSERT_TRUE(comesToSay(QStringLiteral("Release lock:a?")));
  ASSERT_TRUE(isPlanned());
  EXPECT_TRUE(button(QStringLiteral("Unlock writing and release"))->isEnabled());
  EXPECT_EQ((*m_redis)({"GET", "lock:a"}), token);
  EXPECT_GT(m_redis->number({"PTTL", "lock:a"}), 60'000) << "nothing was changed by looking";
}

TEST_F(ShortenDialogTest, shortensToTheLengthThatWasChosenAndCallsItGood) {
  openFor("lock:a", ReleaseFlow::usualLength);
  ASSERT_TRUE(isPlanned());
  EXPECT_EQ(m_dialog->windowTitle(), u"Shorten lease");
  auto *lengths = visibleCombo();
  ASSERT_TRUE(lengths);
  EXPECT_EQ(lengths->currentText(), u"10\u2009s");
  lengths->setFocus();
  QTest::keyClick(lengths, Qt::Key_Down);
  ASSERT_TRUE(comesToSay(QStringLiteral("to 30\u2009s?")));
  ASSERT_TRUE(isPlanned());
  QTest::keyClicks(reason(), QStringLiteral("holder hangs"));
  button(QStringLiteral("Unlock writing and shorten"))->click();
  EXPECT_TRUE(asked().contains(u"Shorten the lease of lock:a to 30\u2009s?") && !asked().contains(u"elease l")) << asked().toStdString();
  answer(QStringLiteral("Allow it once"));
  ASSERT_TRUE(comesToSay(QStringLiteral("Held afterwards by")));
  EXPECT_TRUE(said().contains(u"Shortened; unless its holder renews it, it ends then.")) << said().toStdString();
  EXPECT_TRUE(isGood());
  EXPECT_EQ((*m_redis)({"GET", "lock:a"}), token);
  EXPECT_LE(m_redis->number({"PTTL", "lock:a"}), 30'000);
}

TEST_F(ShortenDialogTest, callsALeaseThatEndsSoonerGoodToo) {
  m_engine->unlock();
  openFor("lock:a", ReleaseFlow::usualLength);
  ASSERT_TRUE(isPlanned());
  (*m_redis)({"PEXPIRE", "lock:a", "8000"});
  QTest::keyClicks(reason(), QStringLiteral("holder hangs"));
  button(QStringLiteral("Shorten lease to 10\u2009s"))->click();
  ASSERT_TRUE(comesToSay(QStringLiteral("Held afterwards by")));
  EXPECT_TRUE(said().contains(u"Kept: it ends sooner anyway, in ")) << said().toStdString();
  EXPECT_TRUE(isGood());
}

TEST_F(ShortenDialogTest, saysWhyShorteningIsNotOffered) {
  (*m_redis)({"RPUSH", "lock:queue", "ticket-1", "ticket-2"});
  const LockRecordPtr lock = waitForLock("lock:queue", "ticket-1");
  ASSERT_TRUE(lock);
  m_dialog = new ReleaseDialog(*m_engine, lock);
  m_dialog->open();
  ASSERT_TRUE(isPlanned());
  EXPECT_FALSE(button(QStringLiteral("Shorten lease to 10\u2009s instead")));
  EXPECT_TRUE(said().contains(u"Shortening the lease instead is not offered. It has no lease that could be shortened; release the hold."));
}

TEST_F(ShortenDialogTest, offersTheReleaseWhereALeaseCannotBeShortened) {
  (*m_redis)({"RPUSH", "lock:queue", "ticket-1", "ticket-2"});
  const LockRecordPtr lock = waitForLock("lock:queue", "ticket-1");
  ASSERT_TRUE(lock);
  m_dialog = new ReleaseDialog(*m_engine, lock, nullptr, ReleaseFlow::usualLength);
  m_dialog->open();
  ASSERT_TRUE(comesToSay(QStringLiteral("The lease of this hold cannot be shortened from outside")));
  EXPECT_TRUE(said().contains(u"There is no plan to shorten its lease. Nothing has been changed."));
  button(QStringLiteral("Release it instead"))->click();
  EXPECT_TRUE(isPlanned());
}

} // namespace
} // namespace lockhouse::ui
