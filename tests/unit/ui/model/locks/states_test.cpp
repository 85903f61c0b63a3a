// SPDX-License-Identifier: Apache-2.0
// What the console says while something is missing: a node, a login, a beginning.
#include "tests/unit/ui/sample_locks.h"
#include "ui/model/locks/health_summary.h"
#include "ui/model/tables/node_table_model.h"
#include "ui/model/text/node_trouble.h"

#include <gmock/gmock.h>

namespace lockhouse::ui {
namespace {

using samples::held;
using samples::liveNode;
using samples::share;
using samples::start;
using ::testing::HasSubstr;
using ::testing::Not;

NodeStatus down(Error error, std::string name = "127.0.0.1:21001") {
  NodeStatus node = liveNode(std::move(name));
  node.state = NodeState::Down;
  node.exactAsOf.reset();
  node.scanComplete = false;
  node.scannedAt.reset();
  node.load = 0.0054;
  node.error = std::move(error);
  return node;
}

const Error refused{ErrorCode::Unreachable, Message::verbatim("connection refused"), "127.0.0.1:21001", Message::verbatim("start the server or check --url")};
const Error wrongLogin{ErrorCode::AuthFailed, Message::verbatim("WRONGPASS invalid username-password pair or user is disabled."), "127.0.0.1:21001",
                       Message::verbatim("check user and password in --url")};

EmptyState state(std::vector<NodeStatus> nodes) {
  const auto snapshot = samples::snapshot({}, std::move(nodes));
  return EmptyState::of(snapshot.get(), start);
}

TEST(BrokenState, aRefusedLoginIsNotAServerThatCannotBeReached) {
  const EmptyState said = state({down(wrongLogin)});
  EXPECT_EQ(said.title, u"The login was refused");
  EXPECT_THAT(said.next.toStdString(), Not(HasSubstr("Start the server")));
  EXPECT_THAT(said.next.toStdString(), HasSubstr("--url redis://user:password@host:port"));
  EXPECT_EQ(said.step, EmptyState::Step::ShowNodes);
}

TEST(BrokenState, saysAnAddressOnceAndEndsOneSentenceOnce) {
  const std::string sentence = state({down(wrongLogin)}).sentence.toStdString();
  EXPECT_EQ(sentence, "a (127.0.0.1:21001): WRONGPASS invalid username-password pair or user is disabled.");
  EXPECT_EQ(state({down(refused)}).sentence.toStdString(), "a (127.0.0.1:21001): connection refused.");
  EXPECT_EQ(troubleText(wrongLogin).toStdString(), "WRONGPASS invalid username-password pair or user is disabled; check user and password in --url.");
}

TEST(BrokenState, nodesThatFailForDifferentReasonsKeepEachItsOwnWayOut) {
  const EmptyState said = state({down(refused), down(wrongLogin, "10.0.0.2:6379")});
  EXPECT_EQ(said.title, u"No node can be reached");
  EXPECT_THAT(said.sentence.toStdString(), HasSubstr("check user and password"));
}

TEST(BrokenState, noLocksIsNotSaidOfNodesThatNobodyCouldLookAt) {
  const EmptyState said = state({liveNode(), down(refused)});
  EXPECT_EQ(said.title, u"No locks where Lockhouse can look");
  EXPECT_THAT(said.sentence.toStdString(), HasSubstr("b (127.0.0.1:21001): connection refused; start the server or check --url."));
  EXPECT_THAT(said.sentence.toStdString(), Not(HasSubstr("a (")));
  EXPECT_EQ(said.step, EmptyState::Step::ShowNodes);
}

TEST(BrokenState, anEmptyServerOffersTheLab) { EXPECT_EQ(state({liveNode()}).step, EmptyState::Step::OpenLab); }

TEST(TruthOfABrokenFleet, hasNoLoadWhileNothingIsLive) {
  EXPECT_FALSE(HealthSummary::of(*samples::snapshot({}, {down(refused)}), start).load);
  NodeStatus busy = liveNode();
  busy.load = 0.002;
  EXPECT_EQ(HealthSummary::of(*samples::snapshot({}, {down(refused), busy}), start).load, 0.002);

  NodeTableModel table;
  table.apply(*samples::snapshot({}, {down(refused), busy}), start);
  EXPECT_EQ(table.index(0, NodeTableModel::Load).data().toString(), u"—");
  EXPECT_THAT(table.index(1, NodeTableModel::Load).data().toString().toStdString(), HasSubstr("0.2"));
}

TEST(TruthOfABrokenFleet, countsNobodyWhoWaitsOnAStaleLock) {
  LockRecord stale = held("stale");
  stale.waiters = 5;
  stale.staleSince = start;
  LockRecord live = held("live");
  live.waiters = 2;
  EXPECT_EQ(HealthSummary::of(*samples::snapshot({share(stale), share(live)}), start).waiters, 2U);
}

TEST(TruthOfWhatWasFound, saysWhetherTheOldestHoldWasSeenToBegin) {
  LockRecord found = held("found");
  found.heldSince = start - std::chrono::minutes(5);
  found.heldSinceExact = false;
  const HealthSummary health = HealthSummary::of(*samples::snapshot({share(held("watched")), share(found)}), start);
  EXPECT_EQ(health.oldestHold, std::chrono::minutes(5));
  EXPECT_FALSE(health.oldestHoldExact);
  EXPECT_TRUE(HealthSummary::of(*samples::snapshot({share(held("watched"))}), start).oldestHoldExact);
}

TEST(TruthOfWhatWasFound, tellsWhatAHolderTells) {
  constexpr WallTime now(seconds(1'795'300'000));
  LockRecord told = held("told");
  told.heldSince = start - seconds(5);
  told.heldSinceExact = false;
  told.extras = {{"since", "1794954400"}};
  const HealthSummary health = HealthSummary::of(*samples::snapshot({share(told)}), start, 0, now);
  EXPECT_TRUE(health.isOldestTold);
  EXPECT_EQ(health.oldestHold, std::chrono::hours(96));
  EXPECT_FALSE(HealthSummary::of(*samples::snapshot({share(held("watched"))}), start).isOldestTold);
}

} // namespace
} // namespace lockhouse::ui
