// SPDX-License-Identifier: Apache-2.0
// Many locks released as one, on a real server.
#include "core/net/address/digest.h"
#include "core/store/audit_log.h"
#include "tests/ui/docks/release_many_house.h"
#include "ui/page/release/script_view.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPointer>
#include <QPushButton>
#include <QScrollBar>
#include <QTableView>

#include <algorithm>
#include <map>

namespace lockhouse::ui {
namespace {

using Phase = ReleaseManyFlow::Phase;
using testing::ElementsAre;

using ReleaseManyTest = tests::ReleaseManyHouse;

TEST_F(ReleaseManyTest, previewsWithoutWritingAndPutsTheFocusOnCancel) {
  const auto locks = take(3);
  open(locks);
  ASSERT_TRUE(reaches(Phase::Planned));
  EXPECT_TRUE(said().contains(u"Release 3 locks?")) << said().toStdString();
  EXPECT_TRUE(said().contains(u"3 locks would be freed. Nothing has been changed."));
  EXPECT_TRUE(said().contains(u"The evicted holder is not told")) << "risks in words";
  EXPECT_EQ(m_dialog->focusWidget(), button(QStringLiteral("Cancel")));
  QPushButton *action = button(QStringLiteral("Unlock writing and release 3"));
  ASSERT_TRUE(action);
  EXPECT_FALSE(action->isEnabled()) << "without a reason";
  reason()->setFocus();
  QTest::keyClicks(reason(), QStringLiteral("host is gone"));
  EXPECT_TRUE(action->isEnabled());
  QTest::keyClick(reason(), Qt::Key_Return);
  EXPECT_TRUE(m_dialog->isVisible());
  EXPECT_EQ(left(), 3);
}

TEST_F(ReleaseManyTest, passesTheFigureOfOneLockForThatOfNoOther) {
  (*m_redis)({"SET", "lock:long", token, "PX", "36000000"});
  (*m_redis)({"SET", "lock:short", token, "PX", "600000"});
  open(waitForAll(2));
  ASSERT_TRUE(reaches(Phase::Planned));
  EXPECT_TRUE(said().contains(u"the holder may still be working (and the like).")) << said().toStdString();
  EXPECT_EQ(said().count(u"only a fencing token protects what it writes."), 2) << "of all, and of the current row";
}

TEST_F(ReleaseManyTest, saysWhoseARiskIsAndOfTheCurrentRowItsOwn) {
  (*m_redis)({"SET", "lock:long", token, "PX", "36000000"});
  (*m_redis)({"SET", "lock:never", token});
  (*m_redis)({"SET", "lock:never-too", token});
  open(waitForAll(3));
  ASSERT_TRUE(reaches(Phase::Planned));
  const auto ofEnd = QStringLiteral("The lock never expires");
  EXPECT_TRUE(said().contains(QStringLiteral("About lock:never, lock:never-too: ") + ofEnd)) << said().toStdString();
  EXPECT_TRUE(said().contains(u"About lock:long: The lease still runs")) << said().toStdString();
  const auto choose = [this](const QString &key) {
    auto *table = m_dialog->findChild<QTableView *>();
    for (int row = 0; row < table->model()->rowCount(); ++row)
      if (table->model()->index(row, ReleaseTableModel::Lock).data() == key)
        table->setCurrentIndex(table->model()->index(row, 0));
  };
  const auto comesToSay = [&](int times) { return QTest::qWaitFor([&] { return said().count(ofEnd) == times; }, patience); };
  choose(QStringLiteral("lock:never"));
  EXPECT_TRUE(comesToSay(2)) << said().toStdString();
  choose(QStringLiteral("lock:long"));
  EXPECT_TRUE(comesToSay(1)) << said().toStdString();
}

TEST_F(ReleaseManyTest, saysFirstThatThisUserMayNot) {
  const auto locks = take(3);
  (*m_redis)({"ACL", "SETUSER", "default", "-del"});
  open(locks);
  ASSERT_TRUE(reaches(Phase::Planned));
  const auto refused = said().indexOf(u"lacks rights");
  EXPECT_GE(refused, 0) << said().toStdString();
  EXPECT_LT(refused, said().indexOf(u"The lease still runs")) << said().toStdString();
  EXPECT_FALSE(said().contains(u"would be freed")) << said().toStdString();
  EXPECT_THAT(outcomes(), testing::Each(testing::HasSubstr("this would be refused: DEL lock:")));
}

TEST_F(ReleaseManyTest, releasesAllWithOneConsentAndReportsEach) {
  open(take(7));
  ASSERT_TRUE(reaches(Phase::Planned));
  QTest::keyClicks(reason(), QStringLiteral("host is gone"));
  button(QStringLiteral("Unlock writing and release 7"))->click();
  EXPECT_TRUE(asked().contains(u"Release 7 locks?") && asked().contains(u"this once")) << asked().toStdString();
  EXPECT_EQ(left(), 7);
  answer(QStringLiteral("Allow it once"));
  ASSERT_TRUE(reaches(Phase::Done));
  EXPECT_EQ(left(), 0);
  EXPECT_TRUE(said().contains(u"7 of 7 locks released")) << said().toStdString();
  EXPECT_FALSE(m_engine->isUnlocked()) << "it was for this one";
  EXPECT_EQ(m_dialog->focusWidget(), button(QStringLiteral("Close")));
  button(QStringLiteral("Copy report"))->click();
  const QString report = QGuiApplication::clipboard()->text();
  EXPECT_EQ(report.count(u"Released"), 8) << report.toStdString();
  EXPECT_TRUE(report.contains(u"host is gone") && report.contains(QString::fromStdString(nameOf(6))) && report.contains(u"a-0"));
}

TEST_F(ReleaseManyTest, refusesByItsScriptWhatChangedAtTheLastMoment) {
  m_engine->unlock();
  open(take(3));
  ASSERT_TRUE(reaches(Phase::Planned));
  QTest::keyClicks(reason(), QStringLiteral("host is gone"));
  takeLock(nameOf(1), otherToken); // the watcher has not told of it yet
  button(QStringLiteral("Release 3 locks"))->click();
  ASSERT_TRUE(reaches(Phase::Done));
  EXPECT_EQ(left(), 1);
  EXPECT_EQ((*m_redis)({"GET", nameOf(1)}), otherToken);
  EXPECT_TRUE(said().contains(u"2 of 3 locks released")) << said().toStdString();
  EXPECT_TRUE(said().contains(u"Changed meanwhile, not released"));
  EXPECT_THAT(outcomes().front(), testing::StartsWith("Changed: now held by 89e6c98d92887913cadf06b2adb97f26, count 1."));
}

TEST_F(ReleaseManyTest, showsWhatIsSentForTheCurrentRow) {
  open(take(3));
  ASSERT_TRUE(reaches(Phase::Planned));
  auto *script = m_dialog->findChild<ScriptView *>();
  auto *table = m_dialog->findChild<QTableView *>();
  ASSERT_TRUE(script && table);
  EXPECT_TRUE(script->isVisible());
  const auto nameAt = [&](int row) { return table->model()->index(row, ReleaseTableModel::Lock).data().toString(); };
  EXPECT_TRUE(script->toPlainText().startsWith(u"EVAL release-")) << script->toPlainText().toStdString();
  EXPECT_TRUE(script->toPlainText().contains(nameAt(0)));
  table->setFocus();
  table->setCurrentIndex(table->model()->index(0, 0));
  QTest::keyClick(table, Qt::Key_Down);
  EXPECT_TRUE(script->toPlainText().contains(nameAt(1))) << script->toPlainText().toStdString();
  EXPECT_FALSE(script->toPlainText().contains(nameAt(0)));
}

TEST_F(ReleaseManyTest, dropsFromThePreviewWhatTheWatcherSeesChanged) {
  m_engine->unlock();
  open(take(3));
  ASSERT_TRUE(reaches(Phase::Planned));
  (*m_redis)({"DEL", nameOf(0)});
  ASSERT_TRUE(QTest::qWaitFor([&] { return flow().openLocks() == 2; }, patience));
  EXPECT_TRUE(said().contains(u"2 locks would be freed. Nothing has been changed. 1 would stay as they are")) << said().toStdString();
  EXPECT_TRUE(said().contains(u"Release 2 locks?")) << "as many as the verb does";
  EXPECT_EQ(outcomes().front(), "Already free: the key is gone, or holds something else now.");
  takeLock(nameOf(0)); // by the same holder with the same token: the script could not tell
  QTest::keyClicks(reason(), QStringLiteral("host is gone"));
  button(QStringLiteral("Release 2 locks"))->click();
  ASSERT_TRUE(reaches(Phase::Done));
  EXPECT_EQ((*m_redis)({"GET", nameOf(0)}), token) << "nobody saw that hold";
  EXPECT_EQ(left(), 1);
}

TEST_F(ReleaseManyTest, tellsOfWhenThePlansAreAndHowManyWereRenewedSince) {
  open(take(3));
  ASSERT_TRUE(reaches(Phase::Planned));
  EXPECT_TRUE(said().contains(u"The locks were read at ")) << said().toStdString();
  EXPECT_FALSE(said().contains(u"Since then"));
  (*m_redis)({"PEXPIRE", nameOf(1), "900000"});
  EXPECT_TRUE(QTest::qWaitFor([&] { return said().contains(u"Since then 1 of them were renewed."); }, patience)) << said().toStdString();
}

TEST_F(ReleaseManyTest, freesWhatSomebodyWaitsForAfterTheOthers) {
  m_engine->unlock();
  const std::string waiter = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:4";
  (*m_redis)({"HSET", "a:awaited", "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b02:17", "1"});
  (*m_redis)({"PEXPIRE", "a:awaited", "600000"});
  (*m_redis)({"RPUSH", "redisson_lock_queue:{a:awaited}", waiter});
  (*m_redis)({"ZADD", "redisson_lock_timeout:{a:awaited}", "9999999999999", waiter});
  takeLock("lock:z");
  open(waitForAll(2));
  ASSERT_TRUE(reaches(Phase::Planned));
  QTest::keyClicks(reason(), QStringLiteral("host is gone"));
  button(QStringLiteral("Release 2 locks"))->click();
  ASSERT_TRUE(reaches(Phase::Done));
  ASSERT_EQ(verdicts()[Verdict::Released], 2);
  const auto log = AuditLog::open(m_folder.filePath(QStringLiteral("audit.sqlite")).toStdString(), sha256);
  ASSERT_TRUE(log);
  const auto records = log->latest(10);
  ASSERT_TRUE(records);
  std::vector<std::string> written;
  for (const AuditRecord &record : *records)
    written.push_back(record.verdict + " " + record.before);
  using testing::AllOf, testing::HasSubstr, testing::StartsWith;
  EXPECT_THAT(written, ElementsAre(AllOf(StartsWith("intent"), HasSubstr("lock:z")), StartsWith("released"),
                                   AllOf(StartsWith("intent"), HasSubstr("a:awaited")), StartsWith("released")));
}

TEST_F(ReleaseManyTest, asksForAHolderWhereNotAllWereRead) {
  constexpr int readers = 3'000;
  const auto reader = [](int number) { return "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:" + std::to_string(number); };
  for (const char *key : {"rw:his", "rw:others"}) {
    (*m_redis)({"HSET", key, "mode", "read"});
    for (int i = 0; i < readers; ++i)
      (*m_redis)({"HSET", key, reader(i), "1"});
    (*m_redis)({"PEXPIRE", key, "600000"});
  }
  const auto isWhole = [](const LockRecordPtr &lock) { return lock->holders.size() + lock->unread == readers; };
  ASSERT_TRUE(QTest::qWaitFor([&] { return m_snapshot && std::ranges::count_if(m_snapshot->locks, isWhole) == 2; }, patience));
  const auto locks = m_snapshot->locks;
  int last = readers - 1; // whose hold neither row shows
  const auto isShown = [&](const LockRecordPtr &lock) { return std::ranges::find(lock->holders, reader(last), &Holder::id) != lock->holders.end(); };
  while (std::ranges::any_of(locks, isShown))
    --last;
  const std::string his = reader(last);
  (*m_redis)({"HDEL", "rw:others", his});
  (*m_redis)({"HSET", "lock:his", his, "1"});
  (*m_redis)({"PEXPIRE", "lock:his", "600000"});
  m_engine->unlock();
  m_dialog = new ReleaseManyDialog(*m_engine, holdsToRelease(waitForAll(3), his), NodeNames(m_snapshot->nodes), nullptr, ReleaseManyFlow::OfHolder{his, {}});
  m_dialog->open();
  ASSERT_TRUE(reaches(Phase::Planned));
  EXPECT_TRUE(said().contains(u"This holder's holds of 2 locks would be ended. Nothing has been changed.")) << said().toStdString();
  EXPECT_TRUE(said().contains(u"The holder is ")) << "and who that is";
  QTest::keyClicks(reason(), QStringLiteral("host is gone"));
  const auto seen = m_snapshot->at;
  ASSERT_TRUE(QTest::qWaitFor([&] { return m_snapshot->at - seen > 2 * ReleaseManyFlow::reviewEvery; }, patience)) << "what is read of the row changes nothing";
  button(QStringLiteral("Release holds of 2 locks"))->click();
  ASSERT_TRUE(reaches(Phase::Done));
  EXPECT_TRUE(said().contains(u"This holder's holds released: of 2 of 2 locks")) << said().toStdString();
  EXPECT_EQ(m_redis->number({"HEXISTS", "rw:his", his}), 0);
  EXPECT_EQ(m_redis->number({"HLEN", "rw:his"}), readers);
  EXPECT_EQ(m_redis->number({"HLEN", "rw:others"}), readers);
}

TEST_F(ReleaseManyTest, saysWhereAHolderCannotBeAskedFor) {
  const auto locks = take(2);
  m_dialog =
      new ReleaseManyDialog(*m_engine, holdsToRelease(locks, token), NodeNames(m_snapshot->nodes), nullptr, ReleaseManyFlow::OfHolder{token, {locks.front()}});
  m_dialog->open();
  ASSERT_TRUE(reaches(Phase::Planned));
  EXPECT_TRUE(said().contains(u"not every hold was read: whether some of the rest are of this holder is not known")) << said().toStdString();
}

TEST_F(ReleaseManyTest, saysHowManyHoldsStayOfALockWithMoreThanAreRead) {
  (*m_redis)({"SET", "permits", "0"});
  (*m_redis)({"EVAL", "for i = 1, 1500 do redis.call('ZADD', '{permits}:timeout', '1895300000000', string.format('%015d\\255', i)) end", "0"});
  takeLock("lock:a");
  m_engine->unlock();
  open(waitForAll(2));
  ASSERT_TRUE(reaches(Phase::Planned));
  const auto sentence = QStringLiteral("and those that were not stay: release these locks again. The first is permits, with 500 of them.");
  EXPECT_TRUE(said().contains(sentence)) << said().toStdString();
  EXPECT_TRUE(said().contains(u"1 locks would be freed. Nothing has been changed. Of 1 more only some holds would be ended, and the rest stay."))
      << said().toStdString();
  QTest::keyClicks(reason(), QStringLiteral("host is gone"));
  button(QStringLiteral("Release 2 locks"))->click();
  ASSERT_TRUE(reaches(Phase::Done));
  EXPECT_EQ(verdicts()[Verdict::Released], 1'001);
  EXPECT_TRUE(said().contains(u"1 of 2 locks released")) << said().toStdString();
  EXPECT_TRUE(said().contains(sentence)) << said().toStdString();
  EXPECT_EQ(m_redis->number({"ZCARD", "{permits}:timeout"}), 500);
}

TEST_F(ReleaseManyTest, stopsBetweenTwoBatchesAndSaysWhatWasNotTried) {
  constexpr int many = 3'000;
  m_engine->unlock();
  open(take(many));
  ASSERT_TRUE(reaches(Phase::Planned));
  QTest::keyClicks(reason(), QStringLiteral("host is gone"));
  (*m_redis)({"CLIENT", "PAUSE", "600000", "WRITE"}); // so that it is stopped amid them, however fast the server is
  button(QStringLiteral("Release 3\u2009000 locks"))->click();
  EXPECT_EQ(flow().phase(), Phase::Applying);
  m_dialog->reject(); // Esc stops first
  EXPECT_TRUE(m_dialog->isVisible());
  EXPECT_TRUE(said().contains(u"Stopping"));
  (*m_redis)({"CLIENT", "UNPAUSE"});
  ASSERT_TRUE(reaches(Phase::Done));
  auto counts = verdicts();
  EXPECT_GT(counts[Verdict::Stopped], 0);
  EXPECT_EQ(counts[Verdict::Released] + counts[Verdict::Stopped], many);
  EXPECT_EQ(left(), counts[Verdict::Stopped]);
  button(QStringLiteral("Plan the rest again"))->click();
  ASSERT_TRUE(reaches(Phase::Planned));
  EXPECT_EQ(flow().openLocks(), static_cast<std::size_t>(counts[Verdict::Stopped]));
}

TEST_F(ReleaseManyTest, neverKeepsTheWindowBusy) {
  constexpr int many = 10'000;
  m_engine->unlock();
  const auto locks = take(many);
  std::chrono::nanoseconds longest{0};
  auto last = SteadyClock::now();
  QTimer beat;
  QObject::connect(&beat, &QTimer::timeout, [&] {
    const auto now = SteadyClock::now();
    longest = std::max<std::chrono::nanoseconds>(longest, now - last);
    last = now;
  });
  beat.start(1);
  open(locks);
  ASSERT_TRUE(reaches(Phase::Planned));
  reason()->setText(QStringLiteral("host is gone"));
  button(QStringLiteral("Release 10\u2009000 locks"))->click();
  ASSERT_TRUE(reaches(Phase::Done));
  EXPECT_EQ(left(), 0);
  EXPECT_LT(longest, std::chrono::seconds(2)) << "of a machine under load";
  RecordProperty("longest_ms", static_cast<int>(longest / std::chrono::milliseconds(1)));
}

TEST_F(ReleaseManyTest, shortensManyLeases) {
  m_engine->unlock();
  open(take(3), milliseconds(10'000));
  ASSERT_TRUE(reaches(Phase::Planned));
  EXPECT_TRUE(said().contains(u"Shorten the leases of 3 locks to 10\u2009s?")) << said().toStdString();
  QTest::keyClicks(reason(), QStringLiteral("host is gone"));
  EXPECT_FALSE(button(QStringLiteral("Release 3 locks")));
  button(QStringLiteral("Shorten 3 leases"))->click();
  ASSERT_TRUE(reaches(Phase::Done));
  EXPECT_EQ(verdicts()[Verdict::Shortened], 3);
  EXPECT_LE(m_redis->number({"PTTL", nameOf(0)}), 10'000);
}

TEST_F(ReleaseManyTest, copiesCommandsThatDoTheSame) {
  open(take(2));
  ASSERT_TRUE(reaches(Phase::Planned));
  QTest::keyClicks(reason(), QStringLiteral("host is gone"));
  button(QStringLiteral("Copy as commands"))->click();
  const QStringList lines = QGuiApplication::clipboard()->text().split(u'\n');
  ASSERT_EQ(lines.size(), 2);
  EXPECT_TRUE(lines[0].startsWith(u"lockhousectl --url unix://")) << lines[0].toStdString();
  EXPECT_TRUE(lines[0].endsWith(u" --count 1 --type string --reason='host is gone' --apply -- lock:10000")) << lines[0].toStdString();
}

TEST_F(ReleaseManyTest, closesAtOnceWhileItPlans) {
  const auto locks = take(2);
  m_server->pause();
  m_dialog = new ReleaseManyDialog(*m_engine, holdsToRelease(locks), NodeNames(m_snapshot->nodes));
  m_dialog->open();
  EXPECT_EQ(flow().phase(), Phase::Planning);
  button(QStringLiteral("Cancel"))->click();
  EXPECT_TRUE(QTest::qWaitFor([&] { return m_dialog.isNull(); }));
  m_server->resume();
}

TEST_F(ReleaseManyTest, closesTheSecondTimeWhereTheServerDoesNotAnswer) {
  m_engine->unlock();
  open(take(2));
  ASSERT_TRUE(reaches(Phase::Planned));
  m_server->pause();
  QTest::keyClicks(reason(), QStringLiteral("host is gone"));
  button(QStringLiteral("Release 2 locks"))->click();
  m_dialog->reject();
  ASSERT_TRUE(m_dialog && m_dialog->isVisible());
  m_dialog->reject();
  EXPECT_TRUE(QTest::qWaitFor([&] { return m_dialog.isNull(); }));
  m_server->resume();
}

TEST_F(ReleaseManyTest, isReadWithoutScrollingSideways) {
  open(take(60));
  ASSERT_TRUE(reaches(Phase::Planned));
  auto *table = m_dialog->findChild<QTableView *>();
  EXPECT_TRUE(QTest::qWaitFor([&] { return table->verticalScrollBar()->maximum() > 0; }));
  EXPECT_EQ(table->horizontalScrollBar()->maximum(), 0);
  EXPECT_GE(table->viewport()->height(), 3 * table->rowHeight(0));
}

TEST_F(ReleaseManyTest, showsHostileNamesAsPlainText) {
  takeLock("lock:<b>bold</b>\x1b[31m");
  takeLock("lock:b");
  open(waitForAll(2));
  ASSERT_TRUE(reaches(Phase::Planned));
  for (const QLabel *label : m_dialog->findChildren<QLabel *>())
    EXPECT_EQ(label->textFormat(), Qt::PlainText) << label->text().toStdString();
  const auto *model = m_dialog->findChild<QTableView *>()->model();
  EXPECT_EQ(model->index(0, ReleaseTableModel::Lock).data().toString(), u"lock:<b>bold</b>\\x1b[31m");
  EXPECT_FALSE(model->index(0, ReleaseTableModel::Lock).data(Qt::ToolTipRole).toString().contains(u"<b>"));
}

} // namespace
} // namespace lockhouse::ui
