// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/ui/locks.h"
#include "ui/model/locks/cell_roles.h"
#include "ui/model/tables/audit_model.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>

#include <gmock/gmock.h>

namespace lockhouse::ui {
namespace {

AuditRecord intent(std::int64_t seq, const std::string &key) {
  AuditRecord record;
  record.seq = seq;
  record.id = "a-" + std::to_string(seq);
  record.key = key;
  record.node = "127.0.0.1:7001";
  record.holder = "h";
  record.count = 2;
  record.reason = "stuck";
  record.verdict = "intent";
  return record;
}

AuditRecord outcome(std::int64_t seq, std::int64_t of, const std::string &verdict) {
  AuditRecord record = intent(seq, "");
  record.subject = "a-" + std::to_string(of);
  record.verdict = verdict;
  return record;
}

class AuditModelTest : public testing::Test {
protected:
  AuditModel m_model;
  QAbstractItemModelTester m_tester{&m_model, QAbstractItemModelTester::FailureReportingMode::Fatal};

  QString text(int row, AuditModel::Column column) const { return m_model.index(row, column).data().toString(); }
};

TEST_F(AuditModelTest, putsAnIntentAndItsOutcomeIntoOneRowNewestFirst) {
  m_model.take({intent(1, "first"), outcome(2, 1, "released"), intent(3, "second"), outcome(4, 3, "changed")});
  ASSERT_EQ(m_model.rowCount(), 2);
  EXPECT_EQ(text(0, AuditModel::Lock), u"second");
  EXPECT_EQ(text(0, AuditModel::Verdict), u"changed, not released");
  EXPECT_EQ(text(1, AuditModel::Lock), u"first");
  EXPECT_EQ(text(1, AuditModel::Verdict), u"released");
  EXPECT_EQ(text(1, AuditModel::HolderColumn), u"h ×2");
  AuditRecord shortening = intent(5, "third");
  shortening.action = "shorten";
  m_model.take({shortening, outcome(6, 5, "changed")});
  EXPECT_EQ(text(0, AuditModel::Verdict), u"changed, not shortened");
}

TEST_F(AuditModelTest, locksThatWereSentTogetherAreOneRow) {
  AuditRecord many = intent(1, "");
  many.action = "release-many";
  many.count = 3;
  many.holder.clear();
  many.node.clear();
  many.before =
      R"([{"key":"lock:<a>","node":"n","holder":"h","db":0,"count":1,"family":"token"},{"key":"lock:b","node":"n","holder":"h"},{"key":"lock:c","node":"m","holder":"h"}])";
  AuditRecord came = outcome(2, 1, "mixed");
  came.before = R"([{"key":"lock:b","node":"n","holder":"h","verdict":"changed","most":"released"}])";
  m_model.take({many, came});
  ASSERT_EQ(m_model.rowCount(), 1);
  EXPECT_EQ(text(0, AuditModel::Lock), u"lock:<a> +2");
  EXPECT_EQ(m_model.index(0, AuditModel::Lock).data(wholeEndRole).toString(), u" +2") << "a name is cut before a number";
  EXPECT_EQ(text(0, AuditModel::HolderColumn), u"—");
  EXPECT_EQ(text(0, AuditModel::Node), u"m n");
  EXPECT_EQ(text(0, AuditModel::Verdict), u"several verdicts");
  const auto whole = [this](AuditModel::Column column) { return m_model.index(0, column).data(Qt::AccessibleTextRole).toString(); };
  EXPECT_EQ(whole(AuditModel::Lock), u"lock:<a> +2\nlock:<a> on n: released\nlock:b on n: changed, not released\nlock:c on m: released");
  EXPECT_TRUE(whole(AuditModel::Verdict).startsWith(u"several verdicts\nlock:<a> on n: released\n"));
  EXPECT_FALSE(m_model.index(0, AuditModel::Lock).data(Qt::ToolTipRole).toString().contains(u"<a>"));
}

TEST_F(AuditModelTest, oneLockOnSeveralMastersIsOneLock) {
  AuditRecord many = intent(1, "");
  many.action = "release-many";
  many.count = 3;
  many.node.clear();
  many.before = R"([{"key":"redlock","node":"c","holder":"h"},{"key":"redlock","node":"a","holder":"h"},{"key":"redlock","node":"b","holder":"h"}])";
  AuditRecord came = outcome(2, 1, "mixed");
  came.before = R"([{"key":"redlock","node":"c","holder":"h","verdict":"unreachable","most":"released"}])";
  m_model.take({many, came});
  EXPECT_EQ(text(0, AuditModel::Lock), u"redlock");
  EXPECT_EQ(text(0, AuditModel::Node), u"a b c");
  const auto said = m_model.index(0, AuditModel::Verdict).data(Qt::AccessibleTextRole).toString();
  EXPECT_EQ(said, u"several verdicts\nredlock on c: node unreachable\nredlock on a: released\nredlock on b: released");
}

TEST_F(AuditModelTest, showsWhatIsInTheFileNowAndWhichRecordDoesNotFit) {
  m_model.take({intent(1, "first"), outcome(2, 1, "released"), intent(3, "second")});
  AuditRecord altered = intent(1, "first");
  altered.reason = "nothing of note";
  QSignalSpy reset(&m_model, &AuditModel::modelReset);
  m_model.take({altered, outcome(2, 1, "released"), intent(3, "second")});
  EXPECT_EQ(text(1, AuditModel::Reason), u"nothing of note");
  EXPECT_EQ(reset.count(), 0);
  m_model.setMisfit(1);
  EXPECT_EQ(text(1, AuditModel::Verdict), u"does not fit: released");
  EXPECT_TRUE(m_model.index(1, AuditModel::Reason).data(amissRole).toBool());
  EXPECT_FALSE(m_model.index(0, AuditModel::Reason).data(amissRole).toBool());
  m_model.setMisfit(2);
  EXPECT_TRUE(m_model.index(1, AuditModel::Reason).data(amissRole).toBool()) << "its outcome";
  m_model.setMisfit({});
  m_model.take({intent(3, "second")});
  EXPECT_EQ(m_model.rowCount(), 2) << "older ones were not loaded";
  m_model.take({intent(1, "first"), intent(4, "third")});
  ASSERT_EQ(m_model.rowCount(), 2);
  EXPECT_EQ(text(0, AuditModel::Lock), u"third");
  m_model.take({});
  EXPECT_EQ(m_model.rowCount(), 0);
}

TEST_F(AuditModelTest, namesTheLockThatWasSentAlone) {
  AuditRecord one = intent(1, "");
  one.action = "release-many";
  one.count = 1;
  one.before = R"([{"key":"lock:a","holder":"h"}])";
  m_model.take({one});
  EXPECT_EQ(text(0, AuditModel::Lock), u"lock:a");
}

TEST_F(AuditModelTest, saysThatATokenIsEmpty) {
  AuditRecord one = intent(1, "");
  one.action = "release-many";
  one.count = 1;
  one.before = R"([{"key":"lock:a","holder":""}])";
  m_model.take({one});
  EXPECT_TRUE(m_model.report(0).contains(u"held by an empty token: ")) << m_model.report(0).toStdString();
}

TEST_F(AuditModelTest, cellsAreShortAndTooltipsWhole) {
  AuditRecord record = intent(1, "order:7");
  record.id = "a-000001-1f3c9d2e";
  record.who = "root@vm-228, pid 4711";
  record.holder = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:42";
  m_model.take({record});
  const auto tip = [this](AuditModel::Column column) { return m_model.index(0, column).data(Qt::ToolTipRole).toString(); };
  EXPECT_EQ(text(0, AuditModel::Id), u"a-000001");
  EXPECT_TRUE(tip(AuditModel::Id).contains(u"a-000001-1f3c9d2e"));
  EXPECT_EQ(text(0, AuditModel::Who), u"root@vm-228");
  EXPECT_TRUE(tip(AuditModel::Who).contains(u"pid 4711"));
  EXPECT_EQ(text(0, AuditModel::HolderColumn), u"5b1c0a3e:42 ×2");
  EXPECT_TRUE(tip(AuditModel::HolderColumn).contains(u"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:42, count 2"));
  EXPECT_TRUE(text(0, AuditModel::HolderColumn).endsWith(m_model.index(0, AuditModel::HolderColumn).data(wholeEndRole).toString()));
  m_model.setNodes(NodeNames({tests::Locks::node("127.0.0.1:7001")}));
  EXPECT_EQ(text(0, AuditModel::Node), u"a");
  EXPECT_TRUE(tip(AuditModel::Node).contains(u"127.0.0.1:7001"));
}

TEST_F(AuditModelTest, saysWhenAnOutcomeIsMissing) {
  m_model.take({intent(1, "first")});
  EXPECT_EQ(text(0, AuditModel::Verdict), u"no outcome recorded");
}

TEST_F(AuditModelTest, addsOnlyWhatIsNewAndKeepsRowsWhereTheyAre) {
  m_model.take({intent(1, "first"), outcome(2, 1, "released"), intent(3, "second")});
  const QPersistentModelIndex first(m_model.index(1, 0));
  QSignalSpy inserted(&m_model, &AuditModel::rowsInserted);
  QSignalSpy reset(&m_model, &AuditModel::modelReset);
  QSignalSpy changed(&m_model, &AuditModel::dataChanged);
  m_model.take({intent(1, "first"), outcome(2, 1, "released"), intent(3, "second"), outcome(4, 3, "already-free"), intent(5, "third")});
  EXPECT_EQ(inserted.count(), 1);
  EXPECT_EQ(changed.count(), 1);
  EXPECT_EQ(reset.count(), 0);
  EXPECT_EQ(first.row(), 2);
  EXPECT_EQ(text(0, AuditModel::Lock), u"third");
  EXPECT_EQ(text(1, AuditModel::Verdict), u"already free");
}

TEST_F(AuditModelTest, keepsAnOutcomeWhoseIntentIsTooOld) {
  m_model.take({outcome(9, 1, "released"), intent(10, "new")});
  ASSERT_EQ(m_model.rowCount(), 2);
  EXPECT_EQ(text(1, AuditModel::Verdict), u"released");
}

} // namespace
} // namespace lockhouse::ui
