// SPDX-License-Identifier: Apache-2.0
#include "core/watch/slot_fold.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace lockhouse::test {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

const std::string token("\x01\xff\x80\x03\x9a\xbc\xde\xf0\x11\x92\x13\xf4\x15\x96\x17\xf8\x19\xfa\x1b\xfc\x1d\xfe\x1f\x90", 24);
const SteadyTime start{100s};

class VoteFold : public testing::Test {
protected:
  void node(const std::string &id, bool isCluster = true) {
    NodeStatus status;
    status.id = NodeId(id);
    status.role = "master";
    status.runId = "run-" + id;
    status.state = NodeState::Live;
    status.isCluster = isCluster;
    nodes.push_back(status);
  }
  void lock(const std::string &node, std::size_t votes, milliseconds left = 5s, const std::string &holder = token) {
    LockRecord record;
    record.id = {NodeId(node), 0, LockName("rueidislock:0:job")};
    record.family = "rueidislock";
    record.holders = {{holder}};
    record.confidence = 0.97;
    record.votes = votes;
    record.neededVotes = 2;
    record.expiresAt = start + left;
    tellVotes(record);
    locks.push_back(std::make_shared<const LockRecord>(std::move(record)));
  }
  void fold() {
    std::ranges::sort(locks, {}, [](const LockRecordPtr &record) { return record->id; });
    foldVotes(locks, nodes);
  }
  std::vector<NodeStatus> nodes;
  std::vector<LockRecordPtr> locks;
};

TEST_F(VoteFold, countsTheKeysOfAllMastersTogether) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  lock("a", 1, 5s);
  lock("b", 1, 3s);
  lock("c", 1, 4s);
  fold();
  ASSERT_EQ(locks.size(), 1U);
  const auto &row = *locks.front();
  EXPECT_EQ(row.votes, 3U);
  ASSERT_EQ(row.members.size(), 3U);
  EXPECT_EQ(row.expiresAt, start + 4s) << "then one of three is left";
  EXPECT_EQ(stateAt(row, start), LockState::Held);
  EXPECT_THAT(row.evidence, Contains("keys that carry this holder's token: 3"));
  EXPECT_THAT(row.evidence, Not(Contains(HasSubstr("fewer than two"))));
}

TEST_F(VoteFold, isHeldByTwoKeysOfOneMasterThoughTheyAreFewerThanHalfOfTheMasters) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  lock("a", 2);
  fold();
  EXPECT_EQ(stateAt(*locks.front(), start), LockState::Held);
}

TEST_F(VoteFold, callsOneKeyOfSeveralSuspect) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  lock("a", 1);
  lock("b", 1, 5s, std::string(24, '\xee'));
  fold();
  ASSERT_EQ(locks.size(), 2U);
  for (const auto &row : locks) {
    EXPECT_EQ(stateAt(*row, start), LockState::Suspect);
    EXPECT_THAT(row->evidence, Contains(HasSubstr("fewer than two of its keys")));
  }
}

TEST_F(VoteFold, judgesNothingByOneMasterOfACluster) {
  node("a");
  lock("a", 1);
  fold();
  ASSERT_EQ(locks.size(), 1U);
  EXPECT_EQ(stateAt(*locks.front(), start), LockState::Held);
  EXPECT_THAT(locks.front()->evidence, Contains(HasSubstr("masters of this cluster that are not watched")));
  EXPECT_THAT(locks.front()->evidence, Not(Contains(HasSubstr("nobody holds it"))));
}

TEST_F(VoteFold, judgesAServerThatHasAllItsKeys) {
  node("a", false);
  lock("a", 1);
  fold();
  EXPECT_EQ(stateAt(*locks.front(), start), LockState::Suspect);
}

TEST_F(VoteFold, judgesNothingWhereAMasterOfTheClusterIsNotWatched) {
  node("a");
  node("b");
  for (auto &each : nodes)
    each.clusterMasters = 3;
  lock("a", 1);
  lock("b", 1, 5s, std::string(24, '\xee'));
  fold();
  ASSERT_EQ(locks.size(), 2U);
  for (const auto &row : locks) {
    EXPECT_EQ(stateAt(*row, start), LockState::Held);
    EXPECT_THAT(row->evidence, Contains(HasSubstr("masters of this cluster that are not watched")));
    EXPECT_THAT(row->evidence, Not(Contains(HasSubstr("nobody holds it"))));
  }
}

TEST_F(VoteFold, judgesNothingWhereAMasterOfTheClusterIsNotFollowed) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  nodes[0].state = NodeState::Down; // since the start: it has told nothing of itself
  nodes[0].isCluster = false;
  nodes[0].runId.clear();
  for (const std::size_t told : {std::size_t{0}, std::size_t{3}}) { // or may not say how many masters there are
    nodes[1].clusterMasters = nodes[2].clusterMasters = told;
    locks.clear();
    lock("b", 1);
    fold();
    EXPECT_EQ(stateAt(*locks.front(), start), LockState::Held) << told;
    EXPECT_THAT(locks.front()->evidence, Contains(HasSubstr("masters of this cluster that are not watched"))) << told;
  }
}

TEST_F(VoteFold, judgesWhereAllMastersOfTheClusterAreFollowed) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  for (auto &each : nodes)
    each.clusterMasters = 3;
  lock("a", 1);
  fold();
  EXPECT_EQ(stateAt(*locks.front(), start), LockState::Suspect);
  node("old"); // whose place another has taken
  nodes.back().state = NodeState::Down;
  locks.clear();
  lock("a", 1);
  fold();
  EXPECT_EQ(stateAt(*locks.front(), start), LockState::Suspect);
}

TEST_F(VoteFold, countsTheKeysOfEachDatabaseByThemselves) {
  for (const auto *each : {"a", "b", "c"})
    node(each, false);
  for (const auto *each : {"a", "b", "c"}) {
    node(std::string(each) + "/1", false);
    nodes.back().runId = std::string("run-") + each;
    nodes.back().db = 1;
  }
  const auto lie = [this](const std::string &node, int db) {
    lock(node, 1);
    auto row = std::make_shared<LockRecord>(*locks.back());
    row->id.db = db;
    locks.back() = std::move(row);
  };
  lie("a", 0);
  lie("a/1", 1);
  lie("b/1", 1);
  fold();
  ASSERT_EQ(locks.size(), 2U);
  EXPECT_EQ(locks[0]->votes, 1U);
  EXPECT_EQ(locks[1]->votes, 2U);
  EXPECT_EQ(stateAt(*locks[1], start), LockState::Held);
}

} // namespace
} // namespace lockhouse::test
