// SPDX-License-Identifier: Apache-2.0
// The audit log below the locks of a window of 1440 × 900: what tells one release from another is read whole, in every font.
#include "tests/ui/docks/fonts.h"
#include "tests/unit/ui/locks.h"
#include "ui/bridge/engine.h"
#include "ui/model/tables/audit_model.h"
#include "ui/page/audit/audit_dock.h"
#include "ui/page/window/main_window.h"
#include "ui/widget/parts/dock_table.h"
#include "ui/widget/style/theme.h"

#include <QDockWidget>
#include <QHeaderView>
#include <QScrollBar>
#include <QTemporaryDir>
#include <QTest>

#include <gmock/gmock.h>

namespace lockhouse::ui {
namespace {

using namespace Qt::StringLiterals;
using tests::Locks;

AuditRecord record(std::int64_t seq, const std::string &verdict, const std::string &reason) {
  AuditRecord made;
  made.seq = seq;
  made.id = "a-00000" + std::to_string(seq) + "-1f3c9d2e";
  made.who = "root@vm-228, pid 47110";
  made.node = "127.0.0.1:7001";
  made.key = "order:7:payment";
  made.holder = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:42";
  made.count = 1;
  made.reason = reason;
  made.verdict = verdict;
  return made;
}

class AuditLayout : public testing::Test {
protected:
  QTemporaryDir m_folder;
  Engine m_engine{Engine::Options{{}, true, m_folder.filePath(u"audit.sqlite"_s).toStdString()}};
  MainWindow m_window{m_engine};
  DockTable *m_table = m_window.findChild<AuditDock *>()->findChild<DockTable *>();

  void SetUp() override {
    m_window.resize(1440, 900);
    m_window.show();
    m_window.findChild<QDockWidget *>(u"audit"_s)->raise();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&m_window));
  }
  void show(const std::vector<AuditRecord> &records) {
    emit m_engine.auditLoaded(records, {});
    ASSERT_TRUE(QTest::qWaitFor([this] { return m_table->isVisible(); }));
    QTest::qWait(1);
  }
  bool isWhole(int row, AuditModel::Column column) const {
    const QModelIndex cell = m_table->model()->index(row, column);
    const auto font = cell.data(Qt::FontRole);
    const QFontMetrics metrics(font.isValid() ? font.value<QFont>() : m_table->font());
    return metrics.horizontalAdvance(cell.data().toString()) + 16 <= m_table->columnWidth(column);
  }
};

TEST_F(AuditLayout, ordinaryRecordsAreReadWithoutScrollingSideways) {
  show({record(1, "released", "x"), record(2, "read-only", "web-3 hangs since noon, orders wait; agreed with Jana")});
  for (const auto &family : tests::testFonts()) {
    const tests::FontFor font(family);
    QTest::qWait(1);
    EXPECT_EQ(m_table->horizontalScrollBar()->maximum(), 0) << family.toStdString();
    for (int row = 0; row < 2; ++row)
      for (const auto column : {AuditModel::Time, AuditModel::Verdict, AuditModel::Node, AuditModel::HolderColumn, AuditModel::Who, AuditModel::Id})
        EXPECT_TRUE(isWhole(row, column)) << m_table->model()->index(row, column).data().toString().toStdString() << ' ' << family.toStdString();
    EXPECT_GE(m_table->columnWidth(AuditModel::Reason), 100) << family.toStdString();
    EXPECT_EQ(m_table->horizontalHeader()->length(), m_table->viewport()->width()) << "the reason takes the rest";
  }
}

TEST_F(AuditLayout, noColumnMovesForContentsThatTakeLess) {
  show({record(1, "released", "x")});
  const int before = m_table->columnWidth(AuditModel::Reason);
  emit m_engine.snapshotReady(std::make_shared<LockSnapshot>(Locks::snapshot({Locks::node("127.0.0.1:7001")}, {})));
  EXPECT_EQ(m_table->model()->index(0, AuditModel::Node).data().toString(), u"a");
  EXPECT_EQ(m_table->columnWidth(AuditModel::Reason), before);
}

TEST_F(AuditLayout, longNamesGiveWayBeforeWhatIsShort) {
  AuditRecord lengthy = record(1, "read-only", "stuck");
  lengthy.key = std::string(200, 'k');
  lengthy.holder = std::string(60, 'h') + ":1234567890";
  lengthy.node = "/run/user/1000/some/deeply/nested/folder/redis-seven.sock";
  show({lengthy});
  EXPECT_EQ(m_table->horizontalScrollBar()->maximum(), 0);
  EXPECT_TRUE(isWhole(0, AuditModel::Verdict));
  EXPECT_TRUE(isWhole(0, AuditModel::Who));
  EXPECT_GE(m_table->columnWidth(AuditModel::Node) - 16, m_table->fontMetrics().horizontalAdvance(u"/run…n.sock"_s));
  EXPECT_TRUE(isWhole(0, AuditModel::Reason));
}

TEST_F(AuditLayout, columnsStayWhereSomebodyPutThem) {
  show({record(1, "released", "x")});
  m_table->horizontalHeader()->resizeSection(AuditModel::Lock, 60);
  show({record(1, "released", "x"), record(2, "in-doubt", "y")});
  EXPECT_EQ(m_table->columnWidth(AuditModel::Lock), 60);
  m_window.resize(1300, 900);
  QTest::qWait(1);
  EXPECT_EQ(m_table->columnWidth(AuditModel::Lock), 60);
}

TEST(ElidedBefore, keepsTheEndWhole) {
  const QFontMetrics metrics(fixedFont());
  const QString text = u"5b1c0a3e:1234567890 ×12"_s;
  EXPECT_EQ(elidedBefore(u" ×12"_s, text, metrics, Qt::ElideMiddle, metrics.horizontalAdvance(text)), text);
  const int width = metrics.horizontalAdvance(QString(14, u'0'));
  const QString narrow = elidedBefore(u" ×12"_s, text, metrics, Qt::ElideMiddle, width);
  EXPECT_TRUE(narrow.endsWith(u"0 ×12"_s)) << narrow.toStdString();
  EXPECT_TRUE(narrow.startsWith(u"5b1"_s)) << narrow.toStdString();
  EXPECT_LE(metrics.horizontalAdvance(narrow), width);
  EXPECT_EQ(elidedBefore({}, u"abc"_s, metrics, Qt::ElideMiddle, 1'000), u"abc"_s);
}

} // namespace
} // namespace lockhouse::ui
