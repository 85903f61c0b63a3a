// SPDX-License-Identifier: Apache-2.0
// What was seen and what was not: why a lock went, how long it was held at least.
#include "ui/model/locks/lock_filter_sort_model.h"
#include "ui/model/locks/lock_history.h"
#include "ui/model/locks/lock_summary.h"
#include "ui/model/locks/lock_table_model.h"
#include "ui/model/text/formatting.h"
#include "ui/model/text/strong_text.h"
#include "ui/widget/parts/line_list.h"
#include "ui/widget/style/prose.h"
#include "ui/widget/style/theme.h"

#include "tests/unit/ui/sample_locks.h"

#include <QDateTime>
#include <QVBoxLayout>

#include <gmock/gmock.h>

namespace lockhouse::ui {
namespace {

using namespace std::chrono_literals;
using samples::held;
using samples::share;
using samples::snapshot;
using samples::start;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string plain(QString text) { return withoutStrong(text).replace(QChar(0x2009), QLatin1Char(' ')).toStdString(); }

LockChange vanished(const std::string &key, std::optional<ChangeCause> cause) {
  LockChange change;
  change.kind = ChangeKind::Vanished;
  change.id = held(key).id;
  change.cause = cause;
  return change;
}

class GoneRow : public ::testing::Test {
protected:
  LockTableModel m_table;
  void SetUp() override { m_table.apply(snapshot({share(held("a"))}), start); }
  void goes(std::optional<ChangeCause> cause) {
    m_table.note({vanished("a", cause)});
    m_table.apply(snapshot({}), start + 1s);
  }
  std::string word() const { return m_table.text(m_table.row(0), LockTableModel::State).toStdString(); }
  std::string sentence() const { return plain(lockSentence(m_table.row(0), start + 3s)); }
};

TEST_F(GoneRow, saysThatItsLeaseRanOut) {
  goes(ChangeCause::Expired);
  EXPECT_EQ(word(), "Expired");
  EXPECT_THAT(sentence(), HasSubstr("expired 2.0 s ago"));
  EXPECT_THAT(sentence(), HasSubstr("held by web-3:17"));
}

TEST_F(GoneRow, keepsWhatItWasToldWhileTheSameHoldIsStillInSight) { // a Redlock whose masters go one by one
  m_table.note({vanished("a", ChangeCause::Released)});
  LockRecord fewer = held("a");
  fewer.evidence.push_back(Message::verbatim("its token lies on 1 of 3 masters"));
  m_table.apply(snapshot({share(fewer)}), start + 1s);
  m_table.apply(snapshot({}), start + 1s);
  EXPECT_EQ(word(), "Released");
}

TEST_F(GoneRow, saysWhyItWentWhereTheRestOfItIsTheRowOfAnotherMaster) {
  LockChange change;
  change.kind = ChangeKind::Members;
  change.before = share(held("a"));
  LockRecord rest = held("a");
  rest.id.node = NodeId("n2");
  change.after = share(rest);
  change.id = rest.id;
  change.cause = ChangeCause::Released;
  m_table.note({change});
  m_table.apply(snapshot({change.after}), start + 1s);
  EXPECT_EQ(word(), "Released");
  EXPECT_THAT(sentence(), HasSubstr("released from here 2.0 s ago"));
  LockHistory history;
  history.add({change});
  EXPECT_EQ(history.of(held("a").id, 10).size(), 1U);
  EXPECT_EQ(history.of(rest.id, 10).size(), 1U);
}

TEST_F(GoneRow, forgetsItWithAnotherHold) {
  m_table.note({vanished("a", ChangeCause::Released)});
  m_table.apply(snapshot({share(held("a", "web-9:1"))}), start + 1s);
  m_table.apply(snapshot({}), start + 1s);
  EXPECT_EQ(word(), "Gone");
}

TEST_F(GoneRow, tellsAReleaseFromHereFromADeletedKey) {
  goes(ChangeCause::Released);
  EXPECT_EQ(word(), "Released");
  EXPECT_THAT(sentence(), HasSubstr("released from here"));
  m_table.apply(snapshot({share(held("a"))}), start + 1s);
  goes(ChangeCause::Deleted);
  EXPECT_EQ(word(), "Deleted");
  EXPECT_THAT(sentence(), HasSubstr("released by its holder, or by hand"));
}

TEST_F(GoneRow, keepsItsCauseWhenTheNextHoldIsToldBeforeItIsShown) {
  LockChange again;
  again.kind = ChangeKind::Appeared;
  again.id = held("a").id;
  m_table.note({vanished("a", ChangeCause::Deleted), again});
  m_table.apply(snapshot({}), start + 1s);
  EXPECT_EQ(word(), "Deleted");
}

TEST_F(GoneRow, inventsNoCause) {
  goes(std::nullopt);
  EXPECT_EQ(word(), "Gone");
  EXPECT_THAT(sentence(), HasSubstr("why was not told"));
}

TEST_F(GoneRow, forgetsTheCauseOfAnEarlierEnd) {
  goes(ChangeCause::Expired);
  m_table.apply(snapshot({share(held("a", "web-9:1"))}), start + 2s);
  m_table.apply(snapshot({}), start + 3s);
  EXPECT_EQ(word(), "Gone");
}

TEST(LowerBound, isMarkedWhereTheArrivalWasNotSeen) {
  LockTableModel table;
  LockRecord found = held("a");
  found.heldSinceExact = false;
  table.apply(snapshot({share(found), share(held("b"))}), start);
  EXPECT_EQ(plain(table.text(table.row(0), LockTableModel::HeldFor)), "≥ 12.4 s");
  EXPECT_EQ(plain(table.text(table.row(1), LockTableModel::HeldFor)), "12.4 s");
}

TEST(LowerBound, givesWayToWhatTheHoldersOwnClockTells) {
  LockTableModel table;
  LockFilterSortModel order(table);
  LockRecord found = held("a");
  found.heldSinceExact = false;
  LockRecord told = found;
  told.id = held("b").id;
  const QDateTime since = QDateTime::currentDateTimeUtc().addSecs(-3 * 3600 - 600);
  told.extras = {{"since", since.toString(Qt::ISODateWithMs).toStdString()}};
  table.apply(snapshot({share(found), share(told)}), start);
  EXPECT_EQ(plain(table.text(table.row(1), LockTableModel::HeldFor)), "~ 3 h");
  EXPECT_TRUE(table.index(1, LockTableModel::HeldFor).data(Qt::ToolTipRole).toString().contains(u"own clock"));
  EXPECT_THAT(plain(withoutStrong(lockSentence(table.row(1), start))),
              AllOf(HasSubstr("has held this for at least 12.4 s"), HasSubstr("By its holder's own clock it was taken 3 h 10 min ago.")));
  order.sort(LockTableModel::HeldFor, Qt::DescendingOrder);
  EXPECT_EQ(order.row(0).key, u"b");
}

TEST(LowerBound, isNeverRoundedUp) {
  EXPECT_EQ(plain(atLeast(3990ms)), "≥ 3.9 s");
  EXPECT_EQ(plain(atLeast(59'990ms)), "≥ 59.9 s");
  EXPECT_EQ(plain(atLeast(119s)), "≥ 1 min");
  EXPECT_EQ(plain(atLeast(7199s)), "≥ 1 h");
  EXPECT_EQ(plain(atLeast(76h)), "≥ 3 d");
  EXPECT_EQ(plain(atLeast(-5s)), "≥ 0.0 s");
}

TEST(BriefTime, hasAtMostThreeDigits) {
  EXPECT_EQ(plain(brief(21'600ms)), "21.6 s");
  EXPECT_EQ(plain(brief(9min + 36s)), "9 min 36 s");
  EXPECT_EQ(plain(brief(49min + 53s)), "49 min");
  EXPECT_EQ(plain(brief(5h + 3min)), "5 h 3 min");
  EXPECT_EQ(plain(brief(23h + 59min)), "23 h");
  EXPECT_EQ(plain(brief(76h)), "3 d 4 h");
  EXPECT_EQ(plain(brief(24h * 12 + 3h)), "12 d");
}

TEST(History, saysFoundOfALockThatWasThereBefore) {
  LockRecord found = held("a");
  found.heldSinceExact = false;
  LockChange change;
  change.after = share(found);
  EXPECT_EQ(changeText(change).toStdString(), "found, held by web-3:17");
}

TEST(SharedHold, isSpokenOfAsAWhole) {
  LockTableModel table;
  LockRecord shared = held("a");
  shared.holders = {{"r:1", 1, HoldMode::Read}, {"r:2", 1, HoldMode::Read}};
  LockRecord found = shared;
  found.id.key = LockName("b");
  found.heldSinceExact = false;
  table.apply(snapshot({share(shared), share(found)}), start);
  EXPECT_THAT(plain(lockSentence(table.row(0), start)), HasSubstr("have shared this for 12.4 s."));
  EXPECT_THAT(plain(lockSentence(table.row(1), start)), HasSubstr("have shared this for at least 12.4 s."));
}

TEST(UnknownWaiters, areExplainedByFamily) {
  LockRecord lock = held("a");
  lock.waiters.reset();
  const auto explained = [&lock](const char *family) {
    lock.family = family;
    LockTableModel table;
    table.apply(snapshot({share(lock)}), start);
    return waitersUnknown(table.row(0)).toStdString();
  };
  for (const char *family : {"redisson-lock", "redisson-rw", "redisson-multilock"})
    EXPECT_THAT(explained(family), HasSubstr("subscribers of its channel")) << family;
  for (const char *family : {"python-redis-lock", "walrus", "lockhouse-blocking"})
    EXPECT_THAT(explained(family), HasSubstr("wait blocked on a list")) << family;
  for (const char *family : {"shedlock", "bullmq-job"})
    EXPECT_THAT(explained(family), HasSubstr("Nobody waits for it")) << family;
  for (const char *family : {"lockhouse-rw", "distributedlock-rw"})
    EXPECT_THAT(explained(family), HasSubstr("no queue lies beside it")) << family;
  EXPECT_THAT(explained("redisson-fair"), HasSubstr("could not be read"));
  for (const char *family : {"token", "nobody-knows"})
    EXPECT_THAT(explained(family), HasSubstr("no trace")) << family;
  lock.moreMayWait = true;
  EXPECT_THAT(explained("redisson-fair"), HasSubstr("their clients may wait still"));
}

TEST(LockFilterSortModel, saysBeforeFadedRowsGoAndAfter) {
  LockTableModel table;
  LockFilterSortModel order(table);
  table.apply(snapshot({share(held("a")), share(held("b")), share(held("c"))}), start);
  table.apply(snapshot({share(held("b"))}), start);
  QStringList heard;
  QObject::connect(&order, &LockFilterSortModel::aboutToSettle, [&] { heard << QStringLiteral("about %1").arg(order.rowCount()); });
  QObject::connect(&order, &LockFilterSortModel::rowsRemoved, [&] { heard << QStringLiteral("gone"); });
  QObject::connect(&order, &LockFilterSortModel::settled, [&] { heard << QStringLiteral("settled %1").arg(order.rowCount()); });
  table.tick(start + LockTableModel::fade);
  EXPECT_EQ(heard.join(u' ').toStdString(), "about 3 gone gone settled 1");
}

TEST(LineList, wrapsWhatIsNotToBeCut) {
  LineList list;
  const QString fact = QStringLiteral("value is random letters and digits, as Laravel, redis-plus-plus or redlock-py write");
  list.setLines({{.left = {fact}, .middle = {}, .right = {}, .beforeRight = {}, .wraps = false}});
  const int cut = list.heightForWidth(200);
  list.setLines({{.left = {fact}, .middle = {}, .right = {}, .beforeRight = {}, .wraps = true}});
  EXPECT_EQ(list.heightForWidth(4000), cut);
  EXPECT_GT(list.heightForWidth(200), cut);
  EXPECT_EQ(list.accessibleDescription(), fact);
}

TEST(LineList, wrapsAWordThatIsAloneBesideWhatStandsOnItsRight) {
  LineList list;
  const QString host = QStringLiteral("checkout-payments-orchestrator-7f9c6d5b8-x2x9q.checkout.svc.cluster.local");
  list.setLines({{.left = {host, LineList::Look::Fixed}, .middle = {}, .right = {}, .beforeRight = {}, .wraps = true}});
  const int room = QFontMetrics(fixedFont()).horizontalAdvance(host) + 4, one = list.heightForWidth(room);
  list.setLines(
      {{.left = {host, LineList::Look::Fixed}, .middle = {}, .right = {QStringLiteral("×2")}, .beforeRight = {QStringLiteral("reads")}, .wraps = true}});
  EXPECT_GT(list.heightForWidth(room), one) << "it does not run under them";
}

TEST(Prose, keepsAUnitBesideItsNumber) {
  Prose prose;
  prose.setText(QStringLiteral("for"));
  const int line = prose.heightForWidth(4000);
  prose.setText(QStringLiteral("for 11.4\u2009s abcd"));
  EXPECT_EQ(prose.heightForWidth(4000), line);
  EXPECT_EQ(prose.heightForWidth(prose.fontMetrics().horizontalAdvance(QStringLiteral("for 11.4")) + 2), 3 * line) << "for · 11.4 s · abcd";
}

TEST(LineList, keepsTheNameOfAValueThatIsCut) {
  const auto named = [](const QString &value) {
    LineList list;
    list.setLines({{.left = {QStringLiteral("Instance"), LineList::Look::Soft}, .middle = {}, .right = {value, LineList::Look::Fixed}, .beforeRight = {}}});
    list.resize(240, list.heightForWidth(240));
    return list.grab(QRect(0, 0, list.fontMetrics().horizontalAdvance(QStringLiteral("Instance")), list.height())).toImage();
  };
  EXPECT_EQ(named(QStringLiteral("5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b03")), named(QStringLiteral("5b1c")));
}

TEST(LineList, asksForItsHeightAgainWhenItsWordsChangeWhileItIsHidden) {
  QWidget box;
  auto *column = new QVBoxLayout(&box);
  auto *list = new LineList;
  column->addWidget(list);
  const auto with = [](const QString &text) {
    return std::vector<LineList::Line>{{.left = {text}, .middle = {}, .right = {}, .beforeRight = {}, .wraps = true}};
  };
  list->setLines(with(QStringLiteral("short")));
  const int before = column->totalHeightForWidth(160);
  list->setLines(with(QStringLiteral("short enough for a wide window, too long for a narrow one")));
  EXPECT_GT(column->totalHeightForWidth(160), before);
}

} // namespace
} // namespace lockhouse::ui
