// SPDX-License-Identifier: Apache-2.0
#include "core/net/address/digest.h"
#include "core/store/audit_log.h"
#include "ui/bridge/engine.h"
#include "ui/model/tables/audit_model.h"
#include "ui/page/audit/audit_check_box.h"
#include "ui/page/audit/audit_dock.h"
#include "ui/page/audit/audit_record_dialog.h"

#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QFile>
#include <QGuiApplication>
#include <QLabel>
#include <QPlainTextEdit>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

#include <gmock/gmock.h>

#include <algorithm>

namespace lockhouse::ui {
namespace {

class AuditDockTest : public testing::Test {
protected:
  QTemporaryDir m_folder;
  Engine m_engine{Engine::Options{{}, false, m_folder.filePath(QStringLiteral("audit.sqlite")).toStdString()}};
  AuditDock m_dock{m_engine};
  QTableView *m_view = m_dock.findChild<QTableView *>();
  QAbstractItemModelTester m_tester{m_view->model(), QAbstractItemModelTester::FailureReportingMode::Fatal};

  void SetUp() override { m_dock.show(); }
  bool says(const QString &text) const {
    const auto labels = m_dock.findChildren<QLabel *>();
    return std::ranges::any_of(labels, [&](const QLabel *label) { return label->isVisible() && label->text().contains(text); });
  }
};

TEST_F(AuditDockTest, saysThatNothingHasBeenReleasedYet) {
  EXPECT_TRUE(QTest::qWaitFor([&] { return says(QStringLiteral("No release is recorded here")); }));
}

TEST_F(AuditDockTest, saysThatALogWithoutAByteIsNotSound) {
  QFile emptied(m_folder.filePath(QStringLiteral("audit.sqlite")));
  ASSERT_TRUE(emptied.open(QIODevice::WriteOnly));
  m_engine.checkAudit();
  EXPECT_TRUE(QTest::qWaitFor([&] { return says(QStringLiteral("The audit log is not sound")) && says(QStringLiteral("whatever was in it is gone")); }));
}

TEST(AuditDockWithoutAFolder, saysThatNothingCanBeReleased) {
  Engine engine{Engine::Options{{}, false, "/dev/null/lockhouse/audit.sqlite"}};
  AuditDock dock{engine};
  dock.show();
  const auto says = [&](const char *text) {
    return std::ranges::any_of(dock.findChildren<QLabel *>(),
                               [&](const QLabel *label) { return label->isVisible() && label->text().contains(QLatin1String(text)); });
  };
  EXPECT_TRUE(QTest::qWaitFor([&] { return says("without it nothing can be released: /dev/null") && says("could not be checked"); }));
  EXPECT_FALSE(says("No release is recorded"));
}

TEST_F(AuditDockTest, comesByTabToWhatStandsAboveTheTableFirst) {
  std::vector<const QWidget *> order;
  for (QWidget *next = m_dock.nextInFocusChain(); next != &m_dock; next = next->nextInFocusChain())
    order.push_back(next);
  const auto box = std::ranges::find(order, m_dock.findChild<AuditCheckBox *>());
  ASSERT_NE(box, order.end());
  EXPECT_LT(box, std::ranges::find(order, m_view));
}

TEST_F(AuditDockTest, showsTheRecordsThatTheEngineReads) {
  AuditRecord record;
  record.seq = 1;
  record.id = "a-000001";
  record.key = "order:{7}:pay";
  record.reason = "<b>stuck</b>";
  record.verdict = "intent";
  emit m_engine.auditLoaded({record}, {});
  ASSERT_TRUE(m_view->isVisible());
  EXPECT_EQ(m_view->model()->index(0, AuditModel::Reason).data().toString(), u"<b>stuck</b>");
}

TEST_F(AuditDockTest, showsWhatAnotherProgramWritesThere) {
  bool isRead = false;
  QObject::connect(&m_engine, &Engine::auditLoaded, &m_dock, [&] { isRead = true; });
  ASSERT_TRUE(QTest::qWaitFor([&] { return isRead; })) << "what is in the file, which is nothing";
  auto other = AuditLog::open(m_folder.filePath(QStringLiteral("audit.sqlite")).toStdString(), sha256);
  ASSERT_TRUE(other);
  for (const int records : {1, 2}) {
    AuditRecord record;
    record.id = "a-" + std::to_string(records);
    record.key = "lock:a";
    record.verdict = "intent";
    ASSERT_TRUE(other->append(record));
    EXPECT_TRUE(QTest::qWaitFor([&] { return m_view->model()->rowCount() == records; })) << records;
  }
}

TEST_F(AuditDockTest, tellsAllOfARecordByKeyboard) {
  AuditRecord many;
  many.seq = 1;
  many.id = "a-000001";
  many.action = "release-many";
  many.verdict = "intent";
  many.count = 30;
  many.before = "[";
  for (int i = 0; i < 30; ++i)
    many.before += std::string(i > 0 ? "," : "") + R"({"key":"bulk:)" + std::to_string(i) + R"(","node":"n","holder":"h"})";
  many.before += "]";
  AuditRecord came = many;
  came.seq = 2;
  came.subject = many.id;
  came.verdict = "mixed";
  came.before = R"([{"key":"bulk:29","node":"n","holder":"h","verdict":"changed","most":"released"}])";
  bool isRead = false;
  QObject::connect(&m_engine, &Engine::auditLoaded, &m_dock, [&] { isRead = true; });
  ASSERT_TRUE(QTest::qWaitFor([&] { return isRead; })) << "what is in the file, which is nothing";
  emit m_engine.auditLoaded({many, came}, {});
  m_dock.resize(1'200, 400);
  m_dock.activateWindow();
  ASSERT_TRUE(QTest::qWaitForWindowActive(&m_dock));
  m_view->setFocus();
  m_view->setCurrentIndex(m_view->model()->index(0, AuditModel::Lock));
  QTest::keyClick(m_view, Qt::Key_Return);
  auto *dialog = m_dock.findChild<AuditRecordDialog *>();
  ASSERT_TRUE(dialog);
  const QString told = dialog->findChild<QPlainTextEdit *>()->toPlainText();
  EXPECT_TRUE(told.contains(u"bulk:0 on n, held by h: released\n")) << told.toStdString();
  EXPECT_TRUE(told.endsWith(u"bulk:29 on n, held by h: changed, not released")) << told.toStdString();
  ASSERT_TRUE(QTest::qWaitForWindowActive(dialog));
  EXPECT_EQ(dialog->focusWidget(), dialog->findChild<QPlainTextEdit *>());
  QTest::keyClick(dialog->focusWidget(), Qt::Key_A, Qt::ControlModifier);
  QTest::keyClick(dialog->focusWidget(), Qt::Key_C, Qt::ControlModifier);
  EXPECT_EQ(QGuiApplication::clipboard()->text(), told);
  QTest::keyClick(dialog, Qt::Key_Escape);
  EXPECT_TRUE(QTest::qWaitFor([&] { return !m_dock.findChild<AuditRecordDialog *>(); }));
  const QPoint there = m_view->visualRect(m_view->currentIndex()).center();
  QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, there);
  QTest::mouseDClick(m_view->viewport(), Qt::LeftButton, {}, there);
  EXPECT_TRUE(m_dock.findChild<AuditRecordDialog *>());
}

TEST_F(AuditDockTest, saysWhyTheLogCannotBeRead) {
  emit m_engine.auditLoaded({}, Error{ErrorCode::Storage, Message::verbatim("the file is no database"), {}, {}});
  EXPECT_TRUE(says(QStringLiteral("the file is no database")));
  EXPECT_FALSE(m_view->isVisible());
}

} // namespace
} // namespace lockhouse::ui
