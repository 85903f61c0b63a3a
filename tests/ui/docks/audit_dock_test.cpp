// SPDX-License-Identifier: Apache-2.0
#include "ui/bridge/engine.h"
#include "ui/model/audit_model.h"
#include "ui/page/audit_dock.h"

#include <QAbstractItemModelTester>
#include <QLabel>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

#include <gmock/gmock.h>

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
  EXPECT_TRUE(QTest::qWaitFor([&] { return says(QStringLiteral("Nothing has been released from here yet")); }));
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

TEST_F(AuditDockTest, saysWhyTheLogCannotBeRead) {
  emit m_engine.auditLoaded({}, Error{ErrorCode::Storage, "the file is no database", {}, {}});
  EXPECT_TRUE(says(QStringLiteral("the file is no database")));
  EXPECT_FALSE(m_view->isVisible());
}

} // namespace
} // namespace lockhouse::ui
