// SPDX-License-Identifier: Apache-2.0
#include "ui/model/locks/truth.h"

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

Truth truth(std::vector<LockRecordPtr> locks, std::vector<NodeStatus> nodes, SteadyTime now = start) {
  return Truth::of(*samples::snapshot(std::move(locks), std::move(nodes)), now);
}

NodeStatus downNode() {
  NodeStatus node = liveNode("10.0.0.9:6379");
  node.state = NodeState::Down;
  node.exactAsOf.reset();
  node.scanComplete = false;
  node.scannedAt.reset();
  node.feed = FeedKind::None;
  node.error = Error{ErrorCode::Unreachable, "connection refused", "10.0.0.9:6379", "start the server"};
  return node;
}

TEST(Truth, isExactOnlyWhenEveryNodeIs) {
  NodeStatus older = liveNode("n2");
  older.exactAsOf = start - milliseconds(300);
  const Truth both = truth({}, {liveNode(), older});
  EXPECT_EQ(both.mood, Truth::Mood::Good);
  EXPECT_EQ(plain(both.claim), "Exact as of 0.3 s ago");
  EXPECT_THAT(both.means.toStdString(), HasSubstr("change feed on all nodes"));

  older.exactAsOf.reset();
  older.feed = FeedKind::Poll;
  const Truth polled = truth({}, {liveNode(), older});
  EXPECT_EQ(polled.mood, Truth::Mood::Doubtful);
  EXPECT_THAT(polled.means.toStdString(), HasSubstr("change feed on 1 of 2 nodes, polling the others"));
}

TEST(Truth, countsWhatItKnowsAndNotWhatItDoesNot) {
  LockRecord token = held("token");
  token.waiters.reset();
  EXPECT_FALSE(truth({share(token)}, {liveNode()}).waiters);
  EXPECT_EQ(truth({}, {liveNode()}).waiters, 0U);
  LockRecord queued = held("queued");
  queued.waiters = 6;
  const Truth all = truth({share(token), share(queued)}, {liveNode()});
  EXPECT_EQ(all.waiters, 6U);
  EXPECT_EQ(all.locks, 2U);
  EXPECT_EQ(all.oldestHold, milliseconds(12400));
}

TEST(Truth, countsDoubtfulRowsApart) {
  LockRecord data = held("data");
  data.confidence = 0.3;
  const Truth truth = Truth::of(*samples::snapshot({share(held("a")), share(data)}), start);
  EXPECT_EQ(truth.locks, 1U);
  EXPECT_EQ(truth.doubtful, 1U);
}

TEST(Truth, saysHowManyNodesAreMissing) {
  const Truth one = truth({}, {liveNode(), downNode()});
  EXPECT_EQ(one.mood, Truth::Mood::Doubtful);
  EXPECT_EQ(one.claim, QLatin1String("1 of 2 nodes not live"));
  EXPECT_EQ(truth({}, {downNode()}).mood, Truth::Mood::Broken);
}

TEST(Truth, saysThatAPartOfAClusterIsNotSeen) {
  const Truth part = Truth::of(*samples::snapshot({}, {liveNode()}), start, 2);
  EXPECT_EQ(part.mood, Truth::Mood::Doubtful) << "exact is the rest alone";
  EXPECT_EQ(plain(part.claim), "2 masters of the cluster not watched");
  const Truth down = Truth::of(*samples::snapshot({}, {liveNode(), downNode()}), start, 2);
  EXPECT_EQ(plain(down.claim), "1 of 2 nodes not live");
  EXPECT_THAT(plain(down.means), HasSubstr("2 masters of the cluster not watched"));
}

TEST(Truth, saysHowManyKeysMayNotBeRead) {
  auto node = liveNode();
  EXPECT_FALSE(truth({}, {node}).means.contains(QLatin1String("may not be read")));
  node.keysRefused = 1234;
  EXPECT_THAT(plain(truth({}, {node}).means), HasSubstr("1 234 keys may not be read"));
  auto mover = node;
  mover.refusedFor = {.slotsMove = true};
  EXPECT_THAT(plain(truth({}, {mover}).means), HasSubstr("1 234 keys may not be read, or the cluster is moving their slots"));
  mover.refusedFor = {.clusterDown = true};
  EXPECT_THAT(plain(truth({}, {mover}).means), HasSubstr("1 234 keys cannot be read: the cluster is down"));
  mover.slotsMoved = true;
  EXPECT_THAT(plain(truth({}, {mover}).means), HasSubstr("the cluster is down · slots of the cluster moved")) << "one does not hide the other";
  node.keysCut = 2;
  EXPECT_THAT(plain(truth({}, {node}).means), HasSubstr("2 keys are too long to be read whole"));
  node.keysCut = 1;
  EXPECT_THAT(plain(truth({}, {node}).means), HasSubstr("1 key is too long to be read whole"));
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
