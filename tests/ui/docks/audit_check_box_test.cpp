// SPDX-License-Identifier: Apache-2.0
// The line above the audit log that says whether its chain is sound, against real files.
#include "ui/page/audit/audit_check_box.h"

#include "core/net/address/digest.h"
#include "core/store/audit_log.h"
#include "core/store/database.h"
#include "tests/ui/docks/live_engine.h"
#include "ui/page/audit/audit_dock.h"
#include "ui/widget/style/theme.h"

#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>

namespace lockhouse::ui {
namespace {

using namespace Qt::StringLiterals;

class AuditCheckBoxTest : public testing::Test {
protected:
  static constexpr int patience = 20'000;
  QTemporaryDir m_folder;
  std::string m_path = m_folder.filePath(u"audit.sqlite"_s).toStdString();
  std::unique_ptr<Engine> m_engine;
  std::unique_ptr<AuditDock> m_dock;
  AuditCheckBox *m_chain = nullptr;

  void write(int records) {
    auto log = AuditLog::open(m_path, sha256);
    ASSERT_TRUE(log) << log.error().sentence();
    for (int i = 0; i < records; ++i) {
      AuditRecord record;
      record.key = "order:7";
      record.reason = "holder hangs";
      record.verdict = "intent";
      ASSERT_TRUE(log->append(record));
    }
  }
  void tamper(const std::string &sql) {
    auto database = Database::open(m_path);
    ASSERT_TRUE(database);
    const auto ran = database->run(("DROP TRIGGER record_update; DROP TRIGGER record_delete;" + sql).c_str());
    ASSERT_TRUE(ran) << ran.error().sentence();
  }
  void open() {
    m_engine = std::make_unique<Engine>(Engine::Options{{}, false, m_path});
    m_dock = std::make_unique<AuditDock>(*m_engine);
    m_chain = m_dock->findChild<AuditCheckBox *>();
    m_dock->show();
  }
  bool comesToSay(const QString &text) {
    return QTest::qWaitFor([&] { return m_chain->isVisible() && m_chain->text().contains(text); }, patience);
  }
  QPushButton *check() const { return m_chain->findChild<QPushButton *>(); }
  bool isRed() const {
    const auto *label = m_chain->findChild<QLabel *>();
    return label->palette().color(label->foregroundRole()) == Theme::of(m_chain->palette()).danger.ink;
  }
};

TEST_F(AuditCheckBoxTest, isCheckedAtTheStart) {
  write(3);
  open();
  ASSERT_TRUE(comesToSay(u"Chain sound: 3 records checked at "_s)) << m_chain->text().toStdString();
  EXPECT_FALSE(isRed());
}

TEST_F(AuditCheckBoxTest, saysNothingWhereThereIsNoLog) {
  open();
  QSignalSpy checked(m_engine.get(), &Engine::auditChecked);
  ASSERT_TRUE(QTest::qWaitFor([&] { return checked.count() > 0; }, patience));
  EXPECT_FALSE(m_chain->isVisible());
  EXPECT_FALSE(QFile::exists(QString::fromStdString(m_path))) << "looking makes none";
}

TEST_F(AuditCheckBoxTest, namesInRedTheLinkThatIsBrokenAndKeepsItTold) {
  write(3);
  tamper("UPDATE record SET reason = CAST('nothing of it' AS BLOB) WHERE seq = 2");
  open();
  ASSERT_TRUE(comesToSay(u"Record 2 was altered after it was written."_s)) << m_chain->text().toStdString();
  EXPECT_TRUE(isRed());
  ASSERT_TRUE(QTest::qWaitFor([&] { return m_dock->findChild<QTableView *>()->isVisible(); }, patience)) << "its records are shown all the same";
  emit m_engine->auditLoaded({AuditRecord{}}, {});
  EXPECT_TRUE(m_chain->isVisible() && isRed()) << "and do not take its place";
}

TEST_F(AuditCheckBoxTest, isCheckedWhenSomebodyAsks) {
  write(2);
  open();
  ASSERT_TRUE(comesToSay(u"2 records"_s));
  tamper("DELETE FROM record WHERE seq = 1");
  QTest::keyClick(check(), Qt::Key_Return);
  EXPECT_TRUE(check()->isEnabled()) << "or the keyboard would go elsewhere";
  ASSERT_TRUE(comesToSay(u"Record 1 is missing."_s)) << m_chain->text().toStdString();
  EXPECT_TRUE(check()->isEnabled());
}

TEST_F(AuditCheckBoxTest, noticesAnOlderCopyInThePlaceOfTheLog) {
  write(2);
  open();
  ASSERT_TRUE(comesToSay(u"2 records"_s));
  for (const char *end : {"", "-wal", "-shm"})
    QFile::remove(QString::fromStdString(m_path + end));
  write(1);
  check()->click();
  ASSERT_TRUE(comesToSay(u"The audit log is shorter than it was: 2 records at "_s)) << m_chain->text().toStdString();
  EXPECT_TRUE(isRed());
}

TEST_F(AuditCheckBoxTest, saysWhyALogThatIsNoneCannotBeChecked) {
  QFile file(QString::fromStdString(m_path));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write(QByteArray(4096, 'x'));
  file.close();
  open();
  ASSERT_TRUE(comesToSay(u"The audit log could not be checked at "_s)) << "nothing is known of a chain";
  EXPECT_TRUE(isRed());
}

TEST_F(AuditCheckBoxTest, walksOnceForAllThatIsAskedMeanwhile) {
  write(500);
  open();
  ASSERT_TRUE(comesToSay(u"500 records"_s));
  QSignalSpy checked(m_engine.get(), &Engine::auditChecked);
  for (int i = 0; i < 100; ++i)
    m_engine->checkAudit(); // returns before the disk has
  EXPECT_EQ(checked.count(), 0);
  ASSERT_TRUE(QTest::qWaitFor([&] { return checked.count() == 2; }, patience)) << "the one that was under way, and one more";
  m_engine->checkAudit();
  ASSERT_TRUE(QTest::qWaitFor([&] { return checked.count() > 2; }, patience));
  EXPECT_EQ(checked.count(), 3);
}

class AuditCheckBoxOfReleases : public tests::LiveEngine {};

TEST_F(AuditCheckBoxOfReleases, isCheckedAfterEachRelease) {
  AuditDock dock(*m_engine);
  dock.show();
  const auto *chain = dock.findChild<AuditCheckBox *>();
  m_engine->unlock();
  for (const auto &[key, records] : {std::pair("lock:a", u"2 records"_s), std::pair("lock:b", u"4 records"_s)}) {
    takeLock(key);
    const LockRecordPtr lock = waitForLock(key);
    ASSERT_TRUE(lock);
    m_engine->apply({lock->id, token, 1, "holder hangs"});
    EXPECT_TRUE(QTest::qWaitFor([&] { return chain->text().contains(records); }, patience)) << chain->text().toStdString();
  }
}

} // namespace
} // namespace lockhouse::ui
