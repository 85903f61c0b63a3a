// SPDX-License-Identifier: Apache-2.0
// The tables of the docks: every column in sight in every font, whole rows, one baseline.
#include "tests/ui/docks/fonts.h"
#include "tests/unit/ui/locks.h"
#include "ui/bridge/engine.h"
#include "ui/model/tables/audit_model.h"
#include "ui/page/audit/audit_dock.h"
#include "ui/page/monitor/events_dock.h"
#include "ui/page/monitor/nodes_page.h"
#include "ui/widget/parts/dock_table.h"
#include "ui/widget/style/theme.h"

#include <QHeaderView>
#include <QStandardItemModel>
#include <QTemporaryDir>
#include <QTest>

#include <gmock/gmock.h>

namespace lockhouse::ui {
namespace {

using tests::Locks;

constexpr QSize dock{870, 266};

std::vector<LockChange> someChanges(int count) {
  std::vector<LockChange> changes;
  for (int i = 0; i < count; ++i)
    changes.push_back(Locks::change(ChangeKind::Appeared, nullptr, Locks::share(Locks::record("lock:" + std::to_string(i), {"h"}))));
  return changes;
}

/// The lowest row of pixels that holds ink, in a cell.
int lowestInk(const QImage &picture, const QRect &cell, const QColor &ground) {
  for (int y = cell.bottom() - 2; y > cell.top(); --y)
    for (int x = cell.left(); x < cell.right(); ++x)
      if (std::abs(picture.pixelColor(x, y).lightness() - ground.lightness()) > 96)
        return y;
  return -1;
}

TEST(QuietTables, eventsShowEveryColumnInEveryFont) {
  for (const QString &family : tests::testFonts()) {
    const tests::FontFor font(family);
    Engine engine{Engine::Options{}};
    EventsDock list(engine);
    list.resize(dock);
    list.show();
    emit engine.changesReady(someChanges(3), 0);
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&list));
    auto *table = list.findChild<DockTable *>();
    EXPECT_LE(table->horizontalHeader()->length(), table->viewport()->width()) << family.toStdString();
    const QModelIndex time = table->model()->index(0, 0);
    EXPECT_GE(table->columnWidth(0) - 16, QFontMetrics(fixedFont()).horizontalAdvance(time.data().toString())) << family.toStdString();
  }
}

TEST(QuietTables, auditShowsTheReasonInEveryFont) {
  for (const QString &family : tests::testFonts()) {
    const tests::FontFor font(family);
    const QTemporaryDir folder;
    Engine engine{Engine::Options{{}, false, folder.filePath(QStringLiteral("audit.sqlite")).toStdString()}};
    AuditDock audit(engine);
    audit.resize(dock);
    audit.show();
    AuditRecord record;
    record.seq = 1;
    record.id = "a-000001";
    record.reason = "stuck";
    emit engine.auditLoaded({record}, {});
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&audit));
    const auto *table = audit.findChild<DockTable *>();
    const int left = table->columnViewportPosition(AuditModel::Reason);
    EXPECT_LE(left + table->columnWidth(AuditModel::Reason), table->viewport()->width()) << family.toStdString();
    EXPECT_GE(table->columnWidth(AuditModel::Reason), 120) << family.toStdString();
  }
}

TEST(QuietTables, rowsAreAsHighAsThoseOfTheLocks) {
  for (const QString &family : tests::testFonts()) {
    const tests::FontFor font(family);
    Engine engine{Engine::Options{}};
    EventsDock list(engine);
    NodesPage nodes;
    for (QWidget *widget : std::initializer_list<QWidget *>{&list, &nodes})
      EXPECT_LE(widget->findChild<DockTable *>()->verticalHeader()->defaultSectionSize(), 29) << family.toStdString();
  }
}

TEST(QuietTables, theFirstRowOfTheEventsIsWholeAtTheEnd) {
  Engine engine{Engine::Options{}};
  EventsDock list(engine);
  for (const int height : {266, 251, 240, 233}) {
    list.resize(dock.width(), height);
    list.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&list));
    emit engine.changesReady(someChanges(40), 0);
    const auto *table = list.findChild<DockTable *>();
    const auto isAtTheEnd = [table] { return table->rowAt(table->viewport()->height() - 1) == table->model()->rowCount() - 1; };
    EXPECT_TRUE(QTest::qWaitFor([&] { return isAtTheEnd() && table->rowViewportPosition(table->rowAt(0)) == 0; })) << height;
  }
}

TEST(QuietTables, namesAndWordsStandOnOneLine) {
  for (const QString &family : tests::testFonts()) {
    const tests::FontFor font(family);
    DockTable table;
    QStandardItemModel model(1, 2);
    model.setData(model.index(0, 0), QStringLiteral("HxEnH"));
    model.setData(model.index(0, 0), fixedFont(), Qt::FontRole);
    model.setData(model.index(0, 1), QStringLiteral("HxEnH"));
    table.setModel(&model);
    table.setPalette(Theme::tokens(Theme::Kind::Light).palette());
    table.setFocusPolicy(Qt::NoFocus); // the frame of a current row is ink too
    table.resize(400, 120);
    table.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&table));
    const QImage picture = table.viewport()->grab().toImage();
    const QColor ground = Theme::tokens(Theme::Kind::Light).base;
    EXPECT_NEAR(lowestInk(picture, table.visualRect(model.index(0, 0)), ground), lowestInk(picture, table.visualRect(model.index(0, 1)), ground), 1)
        << family.toStdString();
  }
}

} // namespace
} // namespace lockhouse::ui
