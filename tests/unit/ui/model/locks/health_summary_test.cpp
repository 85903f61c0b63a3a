// SPDX-License-Identifier: Apache-2.0
#include "ui/model/locks/health_summary.h"

#include "tests/unit/ui/sample_locks.h"

#include <gmock/gmock.h>

namespace lockhouse::ui {
namespace {

using samples::held;
using samples::liveNode;
using samples::share;
using samples::start;
using ::testing::HasSubstr;

std::string plain(QString text) { return text.replace(QChar(0x2009), QLatin1Char(' ')).toStdString(); }

HealthSummary health(std::vector<LockRecordPtr> locks, std::vector<NodeStatus> nodes, SteadyTime now = start) {
  return HealthSummary::of(*samples::snapshot(std::move(locks), std::move(nodes)), now);
}

NodeStatus downNode() {
  NodeStatus node = liveNode("10.0.0.9:6379");
  node.state = NodeState::Down;
  node.exactAsOf.reset();
  node.scanComplete = false;
  node.scannedAt.reset();
  node.feed = FeedKind::None;
  node.error = Error{ErrorCode::Unreachable, Message::verbatim("connection refused"), "10.0.0.9:6379", Message::verbatim("start the server")};
  return node;
}

TEST(HealthSummary, isExactOnlyWhenEveryNodeIs) {
  NodeStatus older = liveNode("n2");
  older.exactAsOf = start - milliseconds(300);
  const HealthSummary both = health({}, {liveNode(), older});
  EXPECT_EQ(both.mood, HealthSummary::Mood::Good);
  EXPECT_EQ(plain(both.match), "Exact as of 0.3 s ago");
  EXPECT_THAT(both.means.toStdString(), HasSubstr("change feed on all nodes"));

  older.exactAsOf.reset();
  older.feed = FeedKind::Poll;
  const HealthSummary polled = health({}, {liveNode(), older});
  EXPECT_EQ(polled.mood, HealthSummary::Mood::Doubtful);
  EXPECT_THAT(polled.means.toStdString(), HasSubstr("change feed on 1 of 2 nodes, polling the others"));
}

TEST(HealthSummary, countsWhatItKnowsAndNotWhatItDoesNot) {
  LockRecord token = held("token");
  token.waiters.reset();
  EXPECT_FALSE(health({share(token)}, {liveNode()}).waiters);
  EXPECT_EQ(health({}, {liveNode()}).waiters, 0U);
  LockRecord queued = held("queued");
  queued.waiters = 6;
  const HealthSummary all = health({share(token), share(queued)}, {liveNode()});
  EXPECT_EQ(all.waiters, 6U);
  EXPECT_EQ(all.locks, 2U);
  EXPECT_EQ(all.oldestHold, milliseconds(12400));
}

TEST(HealthSummary, countsDoubtfulRowsApart) {
  LockRecord data = held("data");
  data.confidence = 0.3;
  const HealthSummary health = HealthSummary::of(*samples::snapshot({share(held("a")), share(data)}), start);
  EXPECT_EQ(health.locks, 1U);
  EXPECT_EQ(health.doubtful, 1U);
}

TEST(HealthSummary, saysHowManyNodesAreMissing) {
  const HealthSummary one = health({}, {liveNode(), downNode()});
  EXPECT_EQ(one.mood, HealthSummary::Mood::Doubtful);
  EXPECT_EQ(one.match, QLatin1String("1 of 2 nodes not live"));
  EXPECT_EQ(health({}, {downNode()}).mood, HealthSummary::Mood::Broken);
}

TEST(HealthSummary, saysThatAPartOfAClusterIsNotSeen) {
  const HealthSummary part = HealthSummary::of(*samples::snapshot({}, {liveNode()}), start, 2);
  EXPECT_EQ(part.mood, HealthSummary::Mood::Doubtful) << "exact is the rest alone";
  EXPECT_EQ(plain(part.match), "2 masters of the cluster not watched");
  const HealthSummary down = HealthSummary::of(*samples::snapshot({}, {liveNode(), downNode()}), start, 2);
  EXPECT_EQ(plain(down.match), "1 of 2 nodes not live");
  EXPECT_THAT(plain(down.means), HasSubstr("2 masters of the cluster not watched"));
}

TEST(HealthSummary, saysHowManyKeysMayNotBeRead) {
  auto node = liveNode();
  EXPECT_FALSE(health({}, {node}).means.contains(QLatin1String("may not be read")));
  node.keysRefused = 1234;
  EXPECT_THAT(plain(health({}, {node}).means), HasSubstr("1 234 keys may not be read"));
  auto mover = node;
  mover.refusedFor = {.slotsMove = true};
  EXPECT_THAT(plain(health({}, {mover}).means), HasSubstr("1 234 keys may not be read, or the cluster is moving their slots"));
  mover.refusedFor = {.clusterDown = true};
  EXPECT_THAT(plain(health({}, {mover}).means), HasSubstr("1 234 keys cannot be read: the cluster is down"));
  mover.slotsMoved = true;
  EXPECT_THAT(plain(health({}, {mover}).means), HasSubstr("the cluster is down · slots of the cluster moved")) << "one does not hide the other";
  node.keysCut = 2;
  EXPECT_THAT(plain(health({}, {node}).means), HasSubstr("2 keys are too long to be read whole"));
  node.keysCut = 1;
  EXPECT_THAT(plain(health({}, {node}).means), HasSubstr("1 key is too long to be read whole"));
}

TEST(EmptyState, isEmptyWhenThereAreLocks) { EXPECT_TRUE(EmptyState::of(samples::snapshot({share(held("a"))}).get(), start).isEmpty()); }

TEST(EmptyState, saysWhichNodeWhyAndWhatToDo) {
  const auto snapshot = samples::snapshot({}, {downNode()});
  const EmptyState state = EmptyState::of(snapshot.get(), start);
  EXPECT_EQ(state.title, QLatin1String("No node can be reached"));
  EXPECT_THAT(state.sentence.toStdString(), HasSubstr("a (10.0.0.9:6379): "));
  EXPECT_THAT(state.sentence.toStdString(), HasSubstr("connection refused"));
  EXPECT_THAT(state.next.toStdString(), HasSubstr("--url"));
}

TEST(EmptyState, saysHowMuchWasLookedAt) {
  const auto snapshot = samples::snapshot({});
  EXPECT_THAT(plain(EmptyState::of(snapshot.get(), start).sentence), HasSubstr("1 000 keys were looked at on 1 of 1 nodes"));
}

TEST(EmptyState, saysHowManyKeysLookALittleLikeLocks) {
  LockRecord unlikely = held("a");
  unlikely.confidence = 0.4;
  EXPECT_THAT(EmptyState::of(samples::snapshot({share(unlikely)}).get(), start).sentence.toStdString(), HasSubstr("look a little like locks: 1. View"));
  EXPECT_THAT(EmptyState::of(samples::snapshot({}).get(), start).sentence.toStdString(), testing::Not(HasSubstr("a little")));
}

TEST(EmptyState, connectsAtFirst) { EXPECT_EQ(EmptyState::of(nullptr, start).title, QStringLiteral("Connecting…")); }

} // namespace
} // namespace lockhouse::ui
