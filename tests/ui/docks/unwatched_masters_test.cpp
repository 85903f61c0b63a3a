// SPDX-License-Identifier: Apache-2.0
// Masters of a cluster that no node is: a plan of many says that what lies there stays, and the list of nodes names them.
#include "tests/support/cluster.h"
#include "ui/bridge/engine.h"
#include "ui/model/tables/holds_to_release.h"
#include "ui/page/monitor/nodes_page.h"
#include "ui/page/release/release_many_flow.h"
#include "ui/page/release/release_many_words.h"
#include "ui/page/window/health_bar.h"
#include "ui/page/window/main_window.h"
#include "ui/page/window/sidebar.h"
#include "ui/widget/style/prose.h"

#include <QLabel>
#include <QTemporaryDir>
#include <QTest>

#include <gmock/gmock.h>

namespace lockhouse::ui {
namespace {

TEST(UnwatchedMasters, areToldInThePlanAndAmongTheNodes) {
  constexpr int patience = 20'000;
  test::Cluster redis(2);
  ASSERT_TRUE(redis.isUp());
  QTemporaryDir folder;
  Engine engine({{redis.uri(0)}, false, folder.filePath(QStringLiteral("audit.sqlite")).toStdString()});
  LockSnapshotPtr seen;
  QObject::connect(&engine, &Engine::snapshotReady, &engine, [&seen](const LockSnapshotPtr &snapshot) { seen = snapshot; });
  MainWindow window(engine);
  window.show();
  const auto name = "lock:" + test::Cluster::nameWhere([&redis](const std::string &each) { return redis.ownerOf("lock:" + each) == 0; });
  redis({"SET", name, "3f786850e387550fdab836ed7e6dc881", "PX", "600000"});
  engine.start();
  ASSERT_TRUE(QTest::qWaitFor([&seen] { return seen && seen->locks.size() == 1; }, patience));
  const QString other = QString::fromStdString("Masters of this cluster that are not watched: " + redis.uri(1).address() + ".");

  ReleaseManyFlow flow(engine, holdsToRelease(seen->locks));
  EXPECT_TRUE(QTest::qWaitFor([&] { return manyRisks(flow).join(u'\n').contains(other); }, patience)) << manyRisks(flow).join(u'\n').toStdString();

  const auto health = [&window] {
    QStringList words;
    for (const QLabel *label : window.findChild<HealthBar *>()->findChildren<QLabel *>())
      words << label->text();
    return words.join(u'\n');
  };
  const QString part = QStringLiteral(" of the cluster not watched");
  EXPECT_TRUE(QTest::qWaitFor([&] { return health().contains(part); }, patience)) << health().toStdString();

  window.showView(Sidebar::nodes);
  const auto said = [&window] {
    QStringList words;
    for (const Prose *prose : window.findChild<NodesPage *>()->findChildren<Prose *>())
      words << prose->text();
    return words.join(u'\n');
  };
  EXPECT_TRUE(QTest::qWaitFor([&] { return said().contains(other); }, patience)) << said().toStdString();
}

} // namespace
} // namespace lockhouse::ui
