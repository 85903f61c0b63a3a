// SPDX-License-Identifier: Apache-2.0
#include "ui/model/locks/lock_filter_sort_model.h"
#include "ui/model/locks/lock_presets.h"
#include "ui/model/locks/lock_table_model.h"

#include "tests/unit/ui/sample_locks.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>

#include <gmock/gmock.h>

#include <map>
#include <random>

namespace lockhouse::ui {
namespace {

using samples::held;
using samples::liveNode;
using samples::share;
using samples::snapshot;
using samples::start;

std::vector<std::string> keys(const LockFilterSortModel &order) {
  std::vector<std::string> found;
  for (int row = 0; row < order.rowCount(); ++row)
    found.push_back(order.row(row).record->id.key.bytes());
  return found;
}

TEST(LockTableModel, appliesASnapshotAsADifference) {
  LockTableModel table;
  const auto one = share(held("a"));
  const auto two = share(held("b"));
  table.apply(snapshot({one, two}), start);
  QSignalSpy reset(&table, &QAbstractItemModel::modelReset);
  QSignalSpy changed(&table, &QAbstractItemModel::dataChanged);

  LockRecord renewed = held("b");
  renewed.renewals = 1;
  table.apply(snapshot({one, share(renewed), share(held("c"))}), start);

  EXPECT_EQ(table.rowCount(), 3);
  EXPECT_EQ(reset.count(), 0);
  ASSERT_EQ(changed.count(), 1);
  EXPECT_EQ(changed.at(0).at(0).toModelIndex().row(), 1);
}

TEST(LockTableModel, sameKeyOnTwoNodesAndDatabasesIsThreeLocks) {
  LockTableModel table;
  LockRecord other = held("a");
  other.id.node = NodeId("n2");
  LockRecord db = held("a");
  db.id.db = 3;
  table.apply(snapshot({share(held("a")), share(other), share(db)}, {samples::liveNode(), samples::liveNode("n2")}), start);
  EXPECT_EQ(table.rowCount(), 3);
}

TEST(LockTableModel, tellsOfALockWhereItsMastersDo) {
  LockTableModel table;
  const std::vector nodes{liveNode(), liveNode("n2")};
  LockRecord other = held("a");
  other.id.node = NodeId("n2");
  table.apply(snapshot({share(other)}, nodes), start);
  EXPECT_EQ(table.rowNow(other.id), 0);
  EXPECT_EQ(table.rowNow(held("a").id), -1);
  LockRecord alone = held("a"), whole = held("a");
  table.apply(snapshot({share(alone)}, nodes), start);
  EXPECT_EQ(table.rowNow(other.id), table.rowOf(other.id)) << "of the past, and none of that one's masters";
  whole.members = {{whole.id.node, 0, std::nullopt, std::nullopt}, {other.id.node, 0, std::nullopt, std::nullopt}};
  table.apply(snapshot({share(whole)}, nodes), start);
  EXPECT_EQ(table.rowNow(other.id), table.rowOf(whole.id));
  EXPECT_EQ(table.rowNow(whole.id), table.rowOf(whole.id));
}

TEST(LockTableModel, ofALockThatIsToldWithOthersOfItsMastersShowsNoneAsGone) {
  LockTableModel table;
  const std::vector nodes{liveNode(), liveNode("n2")};
  LockRecord other = held("a"), whole = held("a");
  other.id.node = NodeId("n2");
  whole.members = {{whole.id.node, 0, std::nullopt, std::nullopt}, {other.id.node, 0, std::nullopt, std::nullopt}};
  table.apply(snapshot({share(other), share(held("b"))}, nodes), start);
  table.apply(snapshot({share(whole)}, nodes), start);
  ASSERT_EQ(table.rowCount(), 2);
  EXPECT_EQ(table.row(table.rowOf(whole.id)).releasedAt, std::nullopt);
  EXPECT_NE(table.row(table.rowOf(held("b").id)).releasedAt, std::nullopt) << "that one is gone";
}

TEST(LockTableModel, ofALockThatLeftItsFirstMasterTheRowIsThatOfTheOthers) {
  LockTableModel table;
  const std::vector nodes{liveNode(), liveNode("n2"), liveNode("n3")};
  LockRecord whole = held("a"), rest = held("a");
  rest.id.node = NodeId("n2");
  const LockMember second{NodeId("n2"), 0, std::nullopt, std::nullopt}, third{NodeId("n3"), 0, std::nullopt, std::nullopt};
  whole.members = {{whole.id.node, 0, std::nullopt, std::nullopt}, second, third};
  rest.members = {second, third};
  table.apply(snapshot({share(whole)}, nodes), start);
  table.apply(snapshot({share(rest)}, nodes), start);
  EXPECT_EQ(table.rowCount(), 1) << "it is not gone";
  EXPECT_EQ(table.row(0).record->id.node, rest.id.node);
  EXPECT_EQ(table.rowNow(whole.id), 0) << "who has chosen it is taken along";
  LockRecord other = rest;
  other.holders = {{"somebody-else"}};
  table.apply(snapshot({share(whole)}, nodes), start);
  table.apply(snapshot({share(other)}, nodes), start);
  EXPECT_EQ(table.rowCount(), 2) << "that is another's";
}

TEST(LockTableModel, doubtfulRecordsAreNotShown) {
  LockTableModel table;
  LockRecord unlikely = held("a");
  unlikely.confidence = 0.4;
  table.apply(snapshot({share(unlikely)}), start);
  EXPECT_EQ(table.rowCount(), 0);
}

TEST(LockTableModel, doubtfulRecordsAreShownWhereTheyAreAskedForAndGoWithoutBeingCalledReleased) {
  LockTableModel table;
  const QAbstractItemModelTester tester(&table, QAbstractItemModelTester::FailureReportingMode::Fatal);
  LockRecord unlikely = held("a");
  unlikely.confidence = 0.4;
  const auto all = snapshot({share(unlikely), share(held("b"))});
  table.apply(all, start);
  table.setShowsDoubtful(true);
  table.apply(all, start);
  ASSERT_EQ(table.rowCount(), 2);
  const auto &row = table.row(table.rowOf(unlikely.id));
  EXPECT_EQ(table.text(row, LockTableModel::Family), QStringLiteral("? ") + row.family);
  EXPECT_TRUE(table.toolTip(row, LockTableModel::Family).startsWith(QStringLiteral("This looks like data")));
  table.setShowsDoubtful(false);
  ASSERT_EQ(table.rowCount(), 1);
  EXPECT_EQ(table.row(0).record->id.key.bytes(), "b");
  EXPECT_FALSE(table.row(0).releasedAt);
  table.apply(all, start);
  EXPECT_EQ(table.rowCount(), 1);
}

TEST(LockTableModel, aReleasedRowFadesThenGoes) {
  LockTableModel table;
  table.apply(snapshot({share(held("a"))}), start);
  table.apply(snapshot({}), start);
  ASSERT_EQ(table.rowCount(), 1);
  EXPECT_TRUE(table.row(0).releasedAt);
  EXPECT_EQ(table.index(0, LockTableModel::State).data().toString(), QStringLiteral("Gone"));
  table.tick(start + LockTableModel::fade - milliseconds(1));
  EXPECT_EQ(table.rowCount(), 1);
  table.tick(start + LockTableModel::fade);
  EXPECT_EQ(table.rowCount(), 0);
}

TEST(LockTableModel, aLockTakenAgainWhileFadingKeepsItsRow) {
  LockTableModel table;
  table.apply(snapshot({share(held("a")), share(held("b"))}), start);
  const QPersistentModelIndex index(table.index(0, 0));
  table.apply(snapshot({share(held("b"))}), start);
  table.apply(snapshot({share(held("a", "web-9:1")), share(held("b"))}), start + seconds(1));
  EXPECT_FALSE(table.row(0).releasedAt);
  EXPECT_EQ(index.row(), 0);
  EXPECT_EQ(table.rowCount(), 2);
}

TEST(LockTableModel, statesChangeByTimeAlone) {
  LockTableModel table;
  table.apply(snapshot({share(held("a"))}), start);
  EXPECT_EQ(table.row(0).state, LockState::Held);
  table.tick(start + milliseconds(19500));
  EXPECT_EQ(table.row(0).state, LockState::Expiring);
}

TEST(LockTableModel, aStaleRowSaysWhenItWasSeen) {
  LockTableModel table;
  LockRecord stale = held("a");
  stale.staleSince = start + seconds(1);
  table.apply(snapshot({share(stale)}), start + seconds(3));
  EXPECT_EQ(table.row(0).state, LockState::Stale);
  EXPECT_EQ(table.text(table.row(0), LockTableModel::Expires), QStringLiteral("3.0\u2009s ago"));
  EXPECT_EQ(table.text(table.row(0), LockTableModel::HeldFor), QStringLiteral("—"));
}

TEST(LockTableModel, theTipOfAHolderIsWhole) {
  LockTableModel table;
  table.apply(snapshot({share(held("r", "7f3a9c0011223344556677889900aae1"))}), start);
  EXPECT_EQ(table.text(table.row(0), LockTableModel::HolderColumn), u"7f3a9c…e1");
  EXPECT_EQ(table.toolTip(table.row(0), LockTableModel::HolderColumn), u"7f3a9c0011223344556677889900aae1");
}

TEST(LockTableModel, whyWaitersAreUnknownIsToldByTheirCell) {
  LockTableModel table;
  auto unseen = held("b");
  unseen.waiters.reset();
  unseen.family = "redis-py";
  table.apply(snapshot({share(held("a")), share(unseen)}), start);
  EXPECT_EQ(table.toolTip(table.row(0), LockTableModel::Waiters), u"");
  EXPECT_EQ(table.toolTip(table.row(1), LockTableModel::Waiters), u"Who waits is unknown: this family leaves no trace of waiters.");
}

TEST(LockTableModel, hostileNamesAreEscapedInEveryRole) {
  LockTableModel table;
  table.apply(snapshot({share(held("<b>x</b>\n\x1b[31m\xff", "<img src=x>\xe2\x80\xae"))}), start);
  const QString key = table.index(0, LockTableModel::Lock).data().toString();
  EXPECT_EQ(key.toStdString(), "<b>x</b>\\n\\x1b[31m\\xff");
  for (const int column : {LockTableModel::Lock, LockTableModel::HolderColumn}) {
    const QString tip = table.index(0, column).data(Qt::ToolTipRole).toString();
    EXPECT_FALSE(tip.contains(QLatin1String("<b>"))) << tip.toStdString();
    EXPECT_FALSE(tip.contains(QLatin1String("<img"))) << tip.toStdString();
    EXPECT_FALSE(table.index(0, column).data().toString().contains(QChar(0x202e)));
  }
}

TEST(LockTableModel, aLockOnSeveralMastersSaysOnHowMany) {
  LockTableModel table;
  LockRecord redlock = held("r", "7f3a9c4411d24be5");
  redlock.id.node = NodeId("n1");
  redlock.members = {{NodeId("n3"), 0, {}, {}}, {NodeId("n1"), 0, {}, {}}}; // in the order of their addresses, whatever the user named first
  redlock.masters = 3;
  table.apply(snapshot({share(redlock), share(held("s"))}, {liveNode("n1"), liveNode("n2"), liveNode("n3")}), start);
  const int row = table.rowOf(redlock.id);
  EXPECT_EQ(table.text(table.row(row), LockTableModel::Node), u"a +1");
  EXPECT_EQ(table.toolTip(table.row(row), LockTableModel::Node), u"a: n1\nc: n3\non 2 of 3 masters");
  EXPECT_EQ(table.text(table.row(1 - row), LockTableModel::Node), u"a");
  const auto finds = [&](const QString &filter) { return LockQuery::parse(filter)->matches(table.row(row), start); };
  EXPECT_TRUE(finds(QStringLiteral("node:a")));
  EXPECT_TRUE(finds(QStringLiteral("node:c")));
  EXPECT_FALSE(finds(QStringLiteral("node:b")));
}

TEST(LockTableModel, aFamilysCellSaysWhatItMeans) {
  LockTableModel table;
  LockRecord stranger = held("b");
  stranger.family = "of-next-year";
  table.apply(snapshot({share(held("a")), share(stranger)}), start);
  const QString tip = table.toolTip(table.row(0), LockTableModel::Family);
  EXPECT_TRUE(tip.startsWith(QStringLiteral("Redisson RLock (Java)\nA re-entrant lock of Redisson"))) << tip.toStdString();
  EXPECT_TRUE(tip.contains(QStringLiteral("listens to a channel"))) << tip.toStdString();
  EXPECT_TRUE(table.index(0, LockTableModel::Family).data(Qt::ToolTipRole).toString().contains(QStringLiteral("Redisson")));
  EXPECT_EQ(table.toolTip(table.row(1), LockTableModel::Family), u"In the filter: family:of-next-year") << "nobody said what it is";
}

TEST(LockFilterSortModel, sortsByTypedKeysNotByText) {
  LockTableModel table;
  LockFilterSortModel order(table);
  LockRecord nine = held("nine");
  nine.waiters = 9;
  LockRecord ten = held("ten");
  ten.waiters = 10;
  LockRecord unknown = held("unknown");
  unknown.waiters.reset();
  table.apply(snapshot({share(nine), share(ten), share(unknown)}), start);
  order.sort(LockTableModel::Waiters, Qt::DescendingOrder);
  EXPECT_THAT(keys(order), ::testing::ElementsAre("ten", "nine", "unknown"));
}

TEST(LockFilterSortModel, whileHeldNothingMoves) {
  LockTableModel table;
  LockFilterSortModel order(table);
  table.apply(snapshot({share(held("b")), share(held("d"))}), start);
  order.setHeld(true);
  table.apply(snapshot({share(held("a")), share(held("b"))}), start + seconds(1));
  table.tick(start + seconds(10));
  EXPECT_THAT(keys(order), ::testing::ElementsAre("b", "d", "a"));
  order.setHeld(false);
  table.tick(start + seconds(11));
  EXPECT_THAT(keys(order), ::testing::ElementsAre("a", "b"));
}

TEST(LockFilterSortModel, whileHeldAFilterAppliesAtOnce) {
  LockTableModel table;
  LockFilterSortModel order(table);
  table.apply(snapshot({share(held("a:1")), share(held("b:2"))}), start);
  order.setHeld(true);
  order.setFilter(*LockQuery::parse(QStringLiteral("name:a:")));
  EXPECT_THAT(keys(order), ::testing::ElementsAre("a:1"));
  table.apply(snapshot({share(held("a:1")), share(held("a:0"))}), start + seconds(1));
  EXPECT_THAT(keys(order), ::testing::ElementsAre("a:1", "a:0")) << "what comes by itself moves nothing";
}

TEST(LockFilterSortModel, filtersAndComesBack) {
  LockTableModel table;
  LockFilterSortModel order(table);
  table.apply(snapshot({share(held("a:1")), share(held("b:2")), share(held("a:3"))}), start);
  order.setFilter(*LockQuery::parse(QStringLiteral("name:a:")));
  EXPECT_THAT(keys(order), ::testing::ElementsAre("a:1", "a:3"));
  order.setFilter({});
  EXPECT_THAT(keys(order), ::testing::ElementsAre("a:1", "a:3", "b:2"));
}

TEST(LockPresets, countWhatTheyWouldShow) {
  LockTableModel table;
  LockRecord forGood = held("for good");
  forGood.expiresAt.reset();
  LockRecord busy = held("busy");
  busy.waiters = 4;
  busy.heldSince = start - std::chrono::minutes(5);
  table.apply(snapshot({share(forGood), share(busy), share(held("x"))}), start);
  std::vector<LockQuery> queries;
  for (const LockPreset &preset : lockPresets())
    queries.push_back(LockQuery::parse(preset.query).value());
  EXPECT_THAT(countPresets(table, queries), ::testing::ElementsAre(3, 1, 1, 1, 0, 1));
}

/// A thousand random snapshots, with testers on table and order, against a plain map as the oracle.
class RandomLife : public ::testing::Test {
protected:
  std::mt19937 m_random{20240611}; // NOLINT: the same every time, on purpose
  std::map<std::string, LockRecordPtr> m_world;
  SteadyTime m_now = start;

  int dice(int sides) { return std::uniform_int_distribution<int>(0, sides - 1)(m_random); }

  LockRecordPtr randomLock(const std::string &key) {
    LockRecord record = held(key, "h" + std::to_string(dice(20)), milliseconds(dice(60'000)));
    record.waiters = dice(4) == 0 ? std::nullopt : std::optional<std::uint64_t>(static_cast<std::uint64_t>(dice(9)));
    record.heldSince = m_now - milliseconds(dice(100'000));
    record.expiresAt = m_now + milliseconds(dice(60'000));
    if (dice(10) == 0)
      record.expiresAt.reset();
    return share(record);
  }

  LockSnapshotPtr step() {
    m_now += milliseconds(dice(1500));
    for (int i = dice(20); i > 0; --i) {
      const std::string key = "lock:" + std::to_string(dice(60));
      if (dice(3) == 0)
        m_world.erase(key);
      else
        m_world[key] = randomLock(key);
    }
    std::vector<LockRecordPtr> locks;
    for (const auto &[key, lock] : m_world)
      locks.push_back(lock);
    return snapshot(std::move(locks));
  }

  void expectTableIs(const LockTableModel &table) const {
    std::size_t alive = 0;
    for (int row = 0; row < table.rowCount(); ++row) {
      const LockRow &shownRow = table.row(row);
      EXPECT_EQ(table.rowOf(shownRow.record->id), row);
      if (shownRow.releasedAt)
        continue;
      ++alive;
      const auto found = m_world.find(shownRow.record->id.key.bytes());
      ASSERT_NE(found, m_world.end());
      EXPECT_EQ(found->second, shownRow.record);
    }
    EXPECT_EQ(alive, m_world.size());
  }

  static void expectSorted(const LockFilterSortModel &order) {
    for (int row = 1; row < order.rowCount(); ++row)
      EXPECT_LE(order.row(row - 1).key.compare(order.row(row).key, Qt::CaseInsensitive), 0);
  }
};

TEST_F(RandomLife, keepsTableOrderSelectionAndIdentityTrue) {
  LockTableModel table;
  LockFilterSortModel order(table);
  const QAbstractItemModelTester tableTester(&table, QAbstractItemModelTester::FailureReportingMode::Warning);
  const QAbstractItemModelTester orderTester(&order, QAbstractItemModelTester::FailureReportingMode::Warning);
  QSignalSpy reset(&order, &QAbstractItemModel::modelReset);
  table.apply(step(), m_now);
  ASSERT_GT(order.rowCount(), 0);
  QPersistentModelIndex chosen(order.index(0, 0));
  LockId chosenId = order.row(0).record->id;

  for (int i = 0; i < 1000; ++i) {
    order.setHeld(dice(7) == 0);
    if (dice(50) == 0)
      order.setFilter(LockQuery::parse(dice(2) == 0 ? QString() : QStringLiteral("waiters>3|unknown lock")).value_or(LockQuery()));
    table.apply(step(), m_now);
    expectTableIs(table);
    if (chosen.isValid()) {
      ASSERT_EQ(order.row(chosen.row()).record->id, chosenId) << "the selection moved to another lock in step " << i;
    } else if (order.rowCount() > 0) {
      const int row = dice(order.rowCount());
      chosen = QPersistentModelIndex(order.index(row, 0));
      chosenId = order.row(row).record->id;
    }
  }
  order.setHeld(false);
  order.setFilter({});
  expectSorted(order);
  EXPECT_EQ(order.rowCount(), table.rowCount());
  EXPECT_EQ(reset.count(), 0);
}

} // namespace
} // namespace lockhouse::ui
