// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/ui/locks.h"
#include "ui/bridge/engine.h"
#include "ui/page/monitor/charts_dock.h"
#include "ui/plot/live_chart.h"

#include <QTest>

#include <gmock/gmock.h>

namespace lockhouse::ui {
namespace {

using tests::Locks;

class ChartsDockTest : public testing::Test {
protected:
  Engine m_engine{Engine::Options{}};
  ChartsDock m_dock{m_engine};

  void tell(LockSnapshot snapshot) { emit m_engine.snapshotReady(std::make_shared<const LockSnapshot>(std::move(snapshot))); }

  QStringList names() const {
    QStringList names;
    for (const LiveChart *chart : m_dock.findChildren<LiveChart *>())
      names << chart->accessibleName();
    return names;
  }
  bool says(const QString &text) const { return names().contains(text); }
};

TEST_F(ChartsDockTest, showsFourChartsThatKnowNothingYet) {
  EXPECT_EQ(m_dock.findChildren<LiveChart *>().size(), 4);
  EXPECT_TRUE(says(QStringLiteral("Locks held: not known"))) << names().join(u'\n').toStdString();
}

TEST_F(ChartsDockTest, explainsEveryChart) {
  for (const LiveChart *chart : m_dock.findChildren<LiveChart *>()) {
    EXPECT_FALSE(chart->toolTip().isEmpty());
    EXPECT_FALSE(chart->accessibleDescription().isEmpty());
  }
}

TEST_F(ChartsDockTest, showsWhatTheNewestSnapshotHolds) {
  m_dock.resize(860, 280);
  m_dock.show();
  LockRecord contended = Locks::record("x", {"h"});
  contended.waiters = 3;
  tell(Locks::snapshot({Locks::node("a")}, {Locks::share(contended), Locks::share(Locks::record("y", {"h"}))}));
  EXPECT_TRUE(QTest::qWaitFor([&] { return says(QStringLiteral("Locks held: 2")); }, 10'000)) << names().join(u'\n').toStdString();
  EXPECT_TRUE(says(QStringLiteral("Known waiters: 3")));
}

TEST_F(ChartsDockTest, countsAcquisitionsOfTheSecondThatHasPassed) {
  m_dock.resize(860, 280);
  m_dock.show();
  tell(Locks::snapshot({Locks::node("a")}, {}));
  ASSERT_TRUE(QTest::qWaitFor([&] { return says(QStringLiteral("Acquired and contended per second; acquired: 0; contended: 0")); }, 10'000))
      << names().join(u'\n').toStdString();
  LockRecord began = Locks::record("x", {"h"});
  began.heldSinceExact = true;
  began.heldSince = SteadyClock::now();
  const LockRecordPtr record = Locks::share(began);
  const auto someWereCounted = [&] {
    emit m_engine.changesReady({Locks::change(ChangeKind::Appeared, nullptr, record, wallNow())}, 0);
    return !says(QStringLiteral("Acquired and contended per second; acquired: 0; contended: 0"));
  };
  EXPECT_TRUE(QTest::qWaitFor(someWereCounted, 10'000)) << names().join(u'\n').toStdString();
}

TEST_F(ChartsDockTest, givesNoTotalWhileANodeIsReadAgain) {
  m_dock.resize(860, 280);
  m_dock.show();
  tell(Locks::snapshot({Locks::node("a")}, {Locks::share(Locks::record("x", {"h"}))}));
  ASSERT_TRUE(QTest::qWaitFor([&] { return says(QStringLiteral("Locks held: 1")); }, 10'000));
  tell(Locks::snapshot({Locks::node("a", NodeState::Stale)}, {Locks::share(Locks::record("x", {"h"}))}));
  EXPECT_TRUE(QTest::qWaitFor([&] { return says(QStringLiteral("Locks held: not known")); }, 10'000));
}

} // namespace
} // namespace lockhouse::ui
