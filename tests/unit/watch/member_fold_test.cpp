// SPDX-License-Identifier: Apache-2.0
#include "core/watch/member_fold.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace lockhouse::test {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr auto token = "3f786850e387550fdab836ed7e6dc881";
constexpr auto otherToken = "89e6c98d92887913cadf06b2adb97f26";
const SteadyTime start{100s};

class MemberFold : public testing::Test {
protected:
  void node(const std::string &id, std::string role = "master", std::string runId = {}, int db = 0) {
    NodeStatus status;
    status.id = NodeId(id);
    status.role = std::move(role);
    status.runId = runId.empty() ? "run-" + id : std::move(runId);
    status.db = db;
    nodes.push_back(status);
  }
  LockRecord &lock(const std::string &node, const std::string &holder = token, milliseconds left = 10s, const std::string &key = "lock:a") {
    auto record = std::make_shared<LockRecord>();
    record->id = {NodeId(node), 0, LockName(key)};
    record->family = "token";
    record->type = ValueType::String;
    record->holders = {{holder}};
    record->confidence = 0.8;
    record->seenAt = record->heldSince = start;
    record->expiresAt = start + left;
    auto &known = *record;
    locks.push_back(std::move(record));
    return known;
  }
  void fold() {
    std::ranges::sort(locks, {}, [](const LockRecordPtr &record) { return record->id; });
    foldMembers(locks, nodes);
  }
  std::vector<NodeStatus> nodes;
  std::vector<LockRecordPtr> locks;
};

TEST_F(MemberFold, putsOneTokenOnThreeMastersIntoOneRowHeldByItsMajority) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  lock("a", token, 9s);
  lock("b", token, 7s);
  lock("c", token, 8s);
  fold();
  ASSERT_EQ(locks.size(), 1U);
  const auto &row = *locks.front();
  EXPECT_EQ(row.id.node, NodeId("a"));
  ASSERT_EQ(row.members.size(), 3U);
  EXPECT_EQ(row.members[1].node, NodeId("b"));
  EXPECT_EQ(row.members[1].expiresAt, start + 7s);
  EXPECT_EQ(row.expiresAt, start + 8s) << "then one of three is left";
  EXPECT_EQ(stateAt(row, start), LockState::Held);
  EXPECT_GE(row.confidence, 0.95);
  EXPECT_THAT(row.evidence, Contains(HasSubstr("3 of 3 masters")));
}

TEST_F(MemberFold, callsAMajorityHeldThoughOneMasterHasAnotherToken) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  lock("a", otherToken);
  lock("b");
  lock("c");
  fold();
  ASSERT_EQ(locks.size(), 2U);
  EXPECT_THAT(locks[0]->members, IsEmpty()) << "the other token's row stays what it is";
  EXPECT_EQ(locks[1]->members.size(), 2U);
  EXPECT_EQ(stateAt(*locks[1], start), LockState::Held);
}

TEST_F(MemberFold, callsAMinoritySuspectUntilItsLastMemberIsGone) {
  for (const auto *each : {"a", "b", "c", "d", "e"})
    node(each);
  lock("a", token, 9s);
  lock("d", token, 5s);
  fold();
  ASSERT_EQ(locks.size(), 1U);
  EXPECT_EQ(stateAt(*locks[0], start), LockState::Suspect);
  EXPECT_EQ(locks[0]->expiresAt, start + 9s);
  EXPECT_THAT(locks[0]->evidence, Contains(HasSubstr("2 of 5 masters")));
}

TEST_F(MemberFold, keepsRowsApartThatOnlyLookAlike) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  lock("a", "1");
  lock("b", "1"); // a mark, not a token
  lock("a", token, 10s, "lock:b");
  lock("b", token, 10s, "lock:c"); // another name
  lock("b", token, 10s, "lock:d").holders.push_back({otherToken});
  lock("c", token, 10s, "lock:d").holders.push_back({otherToken});
  fold();
  EXPECT_EQ(locks.size(), 6U);
}

TEST_F(MemberFold, showsALockWhoseNameSaysNothingForItsTokenIsOnSeveralMasters) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  lock("a", token, 9s, "order:7").confidence = 0.3;
  lock("c", token, 9s, "order:7").confidence = 0.3;
  lock("a", token, 9s, "order:8").confidence = 0.3;
  fold();
  ASSERT_EQ(locks.size(), 2U);
  EXPECT_GE(locks[0]->confidence, shownConfidence);
  EXPECT_LT(locks[1]->confidence, shownConfidence);
}

TEST_F(MemberFold, takesAReplicasCopyForNoVote) {
  node("a");
  node("b", "replica");
  node("c");
  lock("a");
  lock("b");
  fold();
  EXPECT_EQ(locks.size(), 2U);
  lock("c");
  fold();
  ASSERT_EQ(locks.size(), 2U);
  EXPECT_EQ(locks[0]->members.size(), 2U);
  EXPECT_EQ(locks[0]->masters, 2U);
}

TEST_F(MemberFold, countsAServerOnceThatIsWatchedTwice) {
  node("a", "master", "same");
  node("a2", "master", "same", 1);
  node("b");
  lock("a");
  lock("b");
  fold();
  ASSERT_EQ(locks.size(), 1U);
  EXPECT_EQ(locks[0]->masters, 2U);
}

TEST_F(MemberFold, isStaleOnlyWithoutALiveMajority) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  lock("a").staleSince = start;
  lock("b");
  lock("c");
  lock("a", token, 10s, "lock:b").staleSince = start;
  lock("b", token, 10s, "lock:b").staleSince = start;
  lock("c", token, 10s, "lock:b");
  fold();
  ASSERT_EQ(locks.size(), 2U);
  EXPECT_FALSE(locks[0]->staleSince);
  EXPECT_EQ(locks[1]->staleSince, start);
}

TEST_F(MemberFold, isFoundByTheIdOfEachMember) {
  LockSnapshot snapshot;
  for (const auto *each : {"a", "b", "c"})
    node(each);
  lock("a");
  lock("b");
  fold();
  snapshot.nodes = nodes;
  snapshot.locks = locks;
  EXPECT_EQ(snapshot.find({NodeId("b"), 0, LockName("lock:a")}), locks.front());
  EXPECT_EQ(snapshot.find({NodeId("c"), 0, LockName("lock:a")}), nullptr);
  EXPECT_EQ(snapshot.find({NodeId("b"), 0, LockName("lock:b")}), nullptr);
}

} // namespace
} // namespace lockhouse::test
