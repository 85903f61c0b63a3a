// SPDX-License-Identifier: Apache-2.0
// What the whole window owes whoever looks at it: one truth at a time, the way out of a broken state, and where the keyboard is.
#include "core/watch/detect/family_registry.h"
#include "tests/unit/ui/sample_locks.h"
#include "ui/bridge/engine.h"
#include "ui/page/locks/details_pane.h"
#include "ui/page/locks/empty_page.h"
#include "ui/page/locks/lock_table_view.h"
#include "ui/page/locks/locks_page.h"
#include "ui/page/monitor/charts_dock.h"
#include "ui/page/monitor/nodes_page.h"
#include "ui/page/stress/stress_page.h"
#include "ui/page/window/health_bar.h"
#include "ui/page/window/main_window.h"
#include "ui/page/window/status_line.h"
#include "ui/plot/live_chart.h"
#include "ui/widget/parts/action_button.h"
#include "ui/widget/parts/figure.h"
#include "ui/widget/parts/filter_box.h"
#include "ui/widget/parts/key_button.h"
#include "ui/widget/style/theme.h"

#include <QAction>
#include <QLabel>
#include <QTemporaryDir>
#include <QTest>
#include <QTranslator>

#include <gmock/gmock.h>

#include <algorithm>

namespace lockhouse::ui {
namespace {

using namespace Qt::StringLiterals;
using ::testing::HasSubstr;

LockSnapshotPtr awaited(std::uint64_t waiters) {
  LockRecord record = samples::held("order:{8841}:pay");
  record.expiresAt = SteadyClock::now() + seconds(25);
  record.heldSince = SteadyClock::now() - seconds(3);
  record.waiters = waiters;
  for (std::uint64_t i = 0; i < waiters; ++i)
    record.queue.push_back({"web-" + std::to_string(i) + ":1", {}});
  return samples::snapshot({samples::share(record)});
}

LockSnapshotPtr ofFamilies(const std::vector<std::string> &families) {
  std::vector<LockRecordPtr> locks;
  for (const std::string &family : families) {
    LockRecord record = samples::held("lock:" + family);
    record.family = family;
    locks.push_back(samples::share(std::move(record)));
  }
  return samples::snapshot(std::move(locks));
}

class Frame : public ::testing::Test {
protected:
  QTemporaryDir m_folder;
  Engine m_engine{{{}, true, m_folder.filePath(u"audit.sqlite"_s).toStdString()}};
  MainWindow m_window{m_engine};

  void SetUp() override {
    m_window.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&m_window));
  }
  QStringList figures() const {
    QStringList said;
    for (const Figure *figure : m_window.findChild<HealthBar *>()->findChildren<Figure *>())
      said << figure->accessibleName();
    return said;
  }
  QStringList charts() const {
    QStringList said;
    for (const LiveChart *chart : m_window.findChildren<LiveChart *>())
      said << chart->accessibleName();
    return said;
  }
  KeyButton *button(const QAction *action) const {
    for (KeyButton *found : m_window.findChildren<KeyButton *>())
      if (found->defaultAction() == action)
        return found;
    return nullptr;
  }
};

TEST_F(Frame, whateverIsPaintedNextComesFromOneSnapshot) {
  for (const std::uint64_t waiters : {5U, 6U, 3U, 7U}) {
    emit m_engine.snapshotReady(awaited(waiters)); // nothing else runs in between
    if (waiters == 5)
      m_window.locks().select(awaited(0)->locks.front()->id);
    EXPECT_TRUE(figures().contains(u"%1 waiters"_s.arg(waiters))) << figures().join(u'\n').toStdString();
    EXPECT_TRUE(charts().contains(u"Known waiters: %1"_s.arg(waiters))) << charts().join(u'\n').toStdString();
    EXPECT_THAT(m_window.locks().details().text().toStdString(), HasSubstr(std::to_string(waiters) + " wait"));
  }
}

TEST_F(Frame, aBrokenStateHasItsNextStepAsAButton) {
  auto *empty = m_window.findChild<EmptyPage *>();
  auto *action = empty->findChild<ActionButton *>();
  EXPECT_FALSE(action->isVisible()) << "while connecting there is nothing to do";
  NodeStatus down = samples::liveNode();
  down.state = NodeState::Down;
  down.error = Error{ErrorCode::AuthFailed, Message::verbatim("WRONGPASS"), "n1", Message::verbatim("check it")};
  emit m_engine.snapshotReady(samples::snapshot({}, {down}));
  ASSERT_TRUE(action->isVisible());
  EXPECT_TRUE(figures().contains(u"— locks"_s)) << "nobody looked; that is not none";
  QTest::qWait(1);
  EXPECT_GE(action->width(), action->fontMetrics().horizontalAdvance(action->text()) + 16);
  action->click();
  EXPECT_TRUE(m_window.findChild<NodesPage *>()->isVisible());

  m_window.showView(0);
  emit m_engine.snapshotReady(samples::snapshot({}));
  ASSERT_TRUE(action->isVisible());
  action->click();
  EXPECT_TRUE(m_window.findChild<StressPage *>()->isVisible());
}

TEST_F(Frame, theFamiliesAreReadWholeWhereNoneOfThemIsLong) {
  m_window.resize(1440, 900);
  emit m_engine.snapshotReady(ofFamilies({"redisson-lock", "token", "shedlock"}));
  QTest::qWait(1);
  LockTableView &view = m_window.locks().view();
  const auto wholly = [&](const QString &name) { return view.fontMetrics().horizontalAdvance(name) + 16 <= view.columnWidth(LockTableModel::Family); };
  EXPECT_TRUE(wholly(u"Redisson lock"_s) && wholly(u"Token mutex"_s)) << view.columnWidth(LockTableModel::Family);
  const int before = view.columnWidth(LockTableModel::Family);
  emit m_engine.snapshotReady(ofFamilies({"redisson-lock", "token", "shedlock", "distributedlock-semaphore", "redis-semaphore-mutex"}));
  QTest::qWait(1);
  EXPECT_GT(view.columnWidth(LockTableModel::Family), before) << "a longer one gets more room";
  EXPECT_TRUE(wholly(u"celery-once"_s));
  EXPECT_GE(view.columnWidth(LockTableModel::Lock), QFontMetrics(fixedFont()).horizontalAdvance(QString(21, u'0'))) << "the name has what it needs";
  EXPECT_GE(view.columnWidth(LockTableModel::HeldFor), view.fontMetrics().horizontalAdvance(u"≥ 59.9 s"_s) + 16);
}

TEST_F(Frame, everyFamilyThatIsKnownIsReadWholeInEitherLanguage) {
  m_window.resize(1440, 900);
  std::vector<std::string> slugs;
  for (const Family &family : FamilyRegistry::builtIn().all())
    slugs.push_back(family.slug);
  QTranslator chinese;
  ASSERT_TRUE(chinese.load(u":/i18n/lockhouse_zh_CN.qm"_s));
  for (const bool isChinese : {false, true}) {
    if (isChinese)
      QCoreApplication::installTranslator(&chinese);
    MainWindow window(m_engine);
    window.resize(1440, 900);
    window.show();
    emit m_engine.snapshotReady(ofFamilies(slugs));
    QTest::qWait(1);
    const LockTableView &view = window.locks().view();
    for (const auto &[slug, name] : window.locks().table().familyNames())
      EXPECT_LE(view.fontMetrics().horizontalAdvance(name) + 18, view.columnWidth(LockTableModel::Family)) << name.toStdString();
  }
  QCoreApplication::removeTranslator(&chinese);
}

TEST_F(Frame, theDetailsAreNeverCutAtTheirSide) {
  emit m_engine.snapshotReady(ofFamilies({"redisson-permits"}));
  for (const QSize size : {QSize(900, 600), QSize(1440, 900)}) {
    m_window.resize(size);
    QTest::qWait(1);
    const DetailsPane &details = m_window.locks().details();
    EXPECT_LE(details.widget()->width(), details.viewport()->width()) << size.width();
    const QWidget *charts = m_window.findChild<ChartsDock *>();
    const QRect companion(details.mapTo(&m_window, QPoint()), details.size());
    EXPECT_FALSE(companion.intersects(QRect(charts->mapTo(&m_window, QPoint()), charts->size()))) << "nothing lies over another at " << size.width();
  }
}

TEST_F(Frame, theCurrentRowIsFramedWhileTheTableHasTheKeyboard) {
  emit m_engine.snapshotReady(awaited(2));
  LockTableView &view = m_window.locks().view();
  view.select(awaited(0)->locks.front()->id);
  view.setFocus();
  const auto accents = [&] {
    const QImage picture = view.viewport()->grab().toImage();
    const QColor accent = Theme::of(view.palette()).accent;
    int found = 0;
    for (int x = 0; x < picture.width(); ++x)
      for (int y = 0; y < 40; ++y)
        found += picture.pixelColor(x, y) == accent ? 1 : 0;
    return found;
  };
  EXPECT_GT(accents(), view.viewport()->width()) << "above and below the row";
  m_window.findChild<FilterBox *>()->setFocus();
  EXPECT_EQ(accents(), 0);
}

TEST_F(Frame, theBarOfAStaleRowEndsBeforeItsText) {
  m_window.resize(1440, 900);
  LockRecord stale = samples::held("lock:a");
  stale.seenAt = SteadyClock::now() - seconds(599);
  stale.expiresAt = SteadyClock::now() + std::chrono::hours(1);
  stale.lease = std::chrono::hours(2);
  stale.staleSince = stale.seenAt;
  emit m_engine.snapshotReady(samples::snapshot({samples::share(stale)}));
  QTest::qWait(1);
  const LockTableView &view = m_window.locks().view();
  const QModelIndex index = view.model()->index(0, LockTableModel::Expires);
  const QRect cell = view.visualRect(index);
  const int textLeft = cell.right() - 8 - view.fontMetrics().horizontalAdvance(index.data().toString());
  const QImage picture = view.viewport()->grab().toImage();
  const Theme theme = Theme::of(view.palette());
  int barRight = 0;
  for (int x = cell.left(); x < cell.right(); ++x)
    for (int y = cell.center().y() - 2; y < cell.center().y() + 3; ++y)
      if (picture.pixelColor(x, y) == theme.track || picture.pixelColor(x, y) == theme.stale.ink)
        barRight = x;
  EXPECT_LT(barRight, textLeft) << index.data().toString().toStdString();
}

TEST_F(Frame, theWindowFitsANarrowScreen) {
  emit m_engine.snapshotReady(ofFamilies({"redisson-fair"}));
  QTest::qWait(1);
  EXPECT_LE(m_window.minimumSizeHint().width(), 900);
  EXPECT_LE(m_window.minimumSizeHint().height(), 600);
  m_window.resize(900, 600);
  QTest::qWait(1);
  EXPECT_EQ(m_window.size(), QSize(900, 600));
  for (const QLabel *label : m_window.findChild<HealthBar *>()->findChildren<QLabel *>()) {
    const bool mayBeCut = !label->isVisible() || label->wordWrap();
    EXPECT_TRUE(mayBeCut || label->width() >= label->fontMetrics().horizontalAdvance(label->text())) << label->text().toStdString();
  }
  const QWidget *details = m_window.locks().details().parentWidget();
  EXPECT_LE(details->mapTo(&m_window, QPoint(details->width(), 0)).x(), 900);
}

TEST_F(Frame, theWindowIsNoLargerThanItsScreen) {
  m_window.resize(1440, 900);
  m_window.fitInto(QRect(0, 0, 1920, 1080));
  EXPECT_EQ(m_window.size(), QSize(1440, 900));
  m_window.fitInto(QRect(0, 0, 1440, 900));
  EXPECT_LE(m_window.height() + 30, 900) << "with its title bar";
  m_window.fitInto(QRect(0, 0, 1024, 700));
  EXPECT_LE(m_window.width(), 1024);
  EXPECT_LE(m_window.height(), 700);
}

TEST_F(Frame, theStatusLineCountsLocksAndNodesAndWhatWasWritten) {
  const auto result = [](const char *node, const char *key, Verdict verdict) {
    ReleaseResult made;
    made.lock = {NodeId(node), 0, LockName(key)};
    made.holder = "h";
    made.verdict = verdict;
    made.auditId = "a-000001";
    return made;
  };
  const auto says = [this](const QString &text) {
    const auto labels = m_window.findChild<StatusLine *>()->findChildren<QLabel *>();
    return std::ranges::any_of(labels, [&](const QLabel *label) { return label->text() == text; });
  };
  emit m_engine.manyApplied(1, {result("a", "redlock", Verdict::Released), result("b", "redlock", Verdict::Released),
                                result("c", "redlock", Verdict::Unreachable), result("a", "lock:a", Verdict::Released)});
  EXPECT_TRUE(says(QStringLiteral("audit: 2 locks written on 2 nodes")));
  emit m_engine.applied(2, result("c", "lock:b", Verdict::Changed));
  EXPECT_TRUE(says(QStringLiteral("audit: 2 locks written on 2 nodes"))) << "nothing was changed";
  emit m_engine.applied(3, result("a", "lock:b", Verdict::Shortened));
  EXPECT_TRUE(says(QStringLiteral("audit: 3 locks written on 2 nodes")));
  AuditCheck check;
  check.records = 4;
  check.why = Error{ErrorCode::Storage, Message::verbatim("record 2 is missing"), {}, {}};
  emit m_engine.auditChecked(check);
  EXPECT_TRUE(says(QStringLiteral("audit: 3 locks written on 2 nodes · the log is not sound")));
  check.isUnread = true;
  emit m_engine.auditChecked(check);
  EXPECT_TRUE(says(QStringLiteral("audit: 3 locks written on 2 nodes · the log cannot be opened")));
  check = {};
  emit m_engine.auditChecked(check);
  EXPECT_TRUE(says(QStringLiteral("audit: 3 locks written on 2 nodes")));
}

TEST_F(Frame, aKeyCapIsPaleWhereItsKeyDoesNothing) {
  emit m_engine.snapshotReady(awaited(2));
  const KeyButton *freeze = button(m_window.actions().freeze);
  ASSERT_NE(freeze, nullptr);
  m_window.locks().view().setFocus();
  EXPECT_TRUE(freeze->keyWorks());
  const QImage strong = m_window.findChild<KeyButton *>()->grab().toImage();
  m_window.findChild<FilterBox *>()->setFocus();
  EXPECT_FALSE(freeze->keyWorks());
  EXPECT_NE(m_window.findChild<KeyButton *>()->grab().toImage(), strong);
}

TEST_F(Frame, theDemoStaysTheDemoWhenChangesAreAllowed) {
  const auto says = [&](const QString &text) {
    const auto labels = m_window.findChild<HealthBar *>()->findChildren<QLabel *>();
    return std::ranges::any_of(labels, [&](const QLabel *label) { return label->text().contains(text); });
  };
  EXPECT_TRUE(says(u"DEMO"_s));
  m_engine.unlock();
  EXPECT_TRUE(says(u"DEMO"_s));
  EXPECT_TRUE(says(u"CHANGES ALLOWED"_s));
}

TEST_F(Frame, theStatusLineHasWholeAddressesWhereThereIsRoom) {
  auto *status = m_window.findChild<StatusLine *>();
  NodeStatus node = samples::liveNode("redis-orders-primary.payments.eu-central.example.net:6379");
  status->setNodes({node});
  const QWidget *nodes = status->findChild<QWidget *>(QString(), Qt::FindDirectChildrenOnly);
  ASSERT_NE(nodes, nullptr);
  EXPECT_GE(nodes->sizeHint().width(), nodes->fontMetrics().horizontalAdvance(QString::fromStdString(node.address)));
}

} // namespace
} // namespace lockhouse::ui
