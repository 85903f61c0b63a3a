// SPDX-License-Identifier: Apache-2.0
#include "core/watch/detect/vote_evidence.h"
#include "core/watch/fleet/cluster_merge.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace lockhouse::test {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

const std::string token("\x01\xff\x80\x03\x9a\xbc\xde\xf0\x11\x92\x13\xf4\x15\x96\x17\xf8\x19\xfa\x1b\xfc\x1d\xfe\x1f\x90", 24);
const std::string other(24, '\xee');
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
  LockRecord &lock(const std::string &node, std::size_t votes, milliseconds left = 5s, const std::string &holder = token) {
    auto lying = std::make_shared<LockRecord>();
    auto &record = *lying;
    record.id = {NodeId(node), 0, LockName("rueidislock:0:job")};
    record.family = "rueidislock";
    record.holders = {{holder}};
    record.confidence = 0.97;
    record.votes = votes;
    record.neededVotes = 2;
    record.expiresAt = start + left;
    tellVotes(record);
    locks.push_back(std::move(lying));
    return record;
  }
  void merge() {
    std::ranges::sort(locks, {}, [](const LockRecordPtr &record) { return record->id; });
    mergeCluster(locks, nodes);
  }
  std::vector<NodeStatus> nodes;
  std::vector<LockRecordPtr> locks;
};

TEST_F(VoteFold, isSureOfSeveralKeysThoughOfNoneAlone) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  for (const auto *each : {"a", "b"})
    lock(each, 1).confidence = 0.45;
  merge();
  ASSERT_EQ(locks.size(), 1U);
  EXPECT_EQ(locks[0]->confidence, byVotes);
}

TEST_F(VoteFold, doesNotKnowWhatLiesWhereKeysAreRefused) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  nodes[1].keysRefused = 1;
  lock("a", 1);
  merge();
  EXPECT_EQ(locks[0]->unfollowed, 1U);
  EXPECT_TRUE(locks[0]->mayHaveMajority());
}

TEST_F(VoteFold, countsTheKeysOfAllMastersTogether) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  lock("a", 1, 5s);
  lock("b", 1, 3s);
  lock("c", 1, 4s);
  merge();
  ASSERT_EQ(locks.size(), 1U);
  const auto &row = *locks.front();
  EXPECT_EQ(row.votes, 3U);
  ASSERT_EQ(row.members.size(), 3U);
  EXPECT_EQ(row.expiresAt, start + 4s) << "then one of three is left";
  EXPECT_EQ(stateAt(row, start), LockState::Held);
  EXPECT_THAT(englishOf(row.evidence), Contains("keys that carry this holder's token: 3"));
  EXPECT_THAT(englishOf(row.evidence), Not(Contains(HasSubstr("fewer than two"))));
}

TEST_F(VoteFold, isHeldByTwoKeysOfOneMasterThoughTheyAreFewerThanHalfOfTheMasters) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  lock("a", 2);
  merge();
  EXPECT_EQ(stateAt(*locks.front(), start), LockState::Held);
}

TEST_F(VoteFold, callsOneKeyOfEachSuspect) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  lock("a", 1);
  lock("b", 1, 5s, other);
  merge();
  ASSERT_EQ(locks.size(), 1U);
  const auto &row = *locks.front();
  EXPECT_EQ(stateAt(row, start), LockState::Suspect);
  EXPECT_FALSE(row.mayHaveMajority());
  EXPECT_THAT(englishOf(row.evidence), Contains(HasSubstr("fewer than two of its keys")));
  EXPECT_THAT(englishOf(row.evidence), Contains("clients that have some of its keys: 2"));
}

TEST_F(VoteFold, isTheirsWhoHaveMostOfItsKeysWhoeverHasTheOthers) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  lock("a", 1, 9s, other);
  lock("b", 1, 5s);
  lock("c", 1, 4s);
  merge();
  ASSERT_EQ(locks.size(), 1U);
  const auto &row = *locks.front();
  EXPECT_EQ(row.id.node.bytes(), "b");
  EXPECT_EQ(row.holders, (std::vector<Holder>{{token}}));
  EXPECT_EQ(stateAt(row, start), LockState::Held);
  EXPECT_EQ(row.votes, 2U);
  EXPECT_EQ(row.expiresAt, start + 4s);
  ASSERT_EQ(row.members.size(), 3U);
  EXPECT_EQ(row.members[2].node.bytes(), "a") << "others' come last";
  EXPECT_TRUE(row.isOthers(row.members[2]));
  EXPECT_EQ(row.heldOn(), 2U);
  EXPECT_EQ(row.outvoted, (std::vector<Holder>{{.id = other, .expiresAt = start + 9s}}));
}

TEST_F(VoteFold, countsAKeyBesideAnothersOnOneMaster) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  lock("a", 1, 9s, other).outvoted = {{.id = token, .expiresAt = start + 5s}};
  lock("b", 1, 4s);
  merge();
  ASSERT_EQ(locks.size(), 1U);
  EXPECT_EQ(locks.front()->holders.front().id, token);
  EXPECT_EQ(stateAt(*locks.front(), start), LockState::Held);
  EXPECT_EQ(locks.front()->heldOn(), 2U);
}

TEST_F(VoteFold, judgesNothingByOneMasterOfACluster) {
  node("a");
  lock("a", 1);
  merge();
  ASSERT_EQ(locks.size(), 1U);
  EXPECT_EQ(stateAt(*locks.front(), start), LockState::Held);
  EXPECT_THAT(englishOf(locks.front()->evidence), Contains(HasSubstr("masters that are not watched")));
  EXPECT_THAT(englishOf(locks.front()->evidence), Not(Contains(HasSubstr("nobody holds it"))));
}

TEST_F(VoteFold, judgesAServerThatHasAllItsKeys) {
  node("a", false);
  lock("a", 1);
  merge();
  EXPECT_EQ(stateAt(*locks.front(), start), LockState::Suspect);
}

TEST_F(VoteFold, judgesNothingWhereAMasterOfTheClusterIsNotWatched) {
  node("a");
  node("b");
  for (auto &each : nodes)
    each.clusterMasters = 3;
  lock("a", 1);
  merge();
  ASSERT_EQ(locks.size(), 1U);
  EXPECT_EQ(stateAt(*locks.front(), start), LockState::Held) << "a loser leaves nothing behind";
  EXPECT_THAT(englishOf(locks.front()->evidence), Contains(HasSubstr("masters that are not watched")));
  EXPECT_THAT(englishOf(locks.front()->evidence), Not(Contains(HasSubstr("nobody holds it"))));
}

TEST_F(VoteFold, doesNotKnowWhoHoldsWhatTwoHaveAKeyOfWhereAMasterOfTheClusterIsNotWatched) {
  node("a");
  node("b");
  for (auto &each : nodes)
    each.clusterMasters = 3;
  lock("a", 1);
  lock("b", 1, 5s, other);
  merge();
  ASSERT_EQ(locks.size(), 1U);
  const auto &row = *locks.front();
  EXPECT_EQ(stateAt(row, start), LockState::Suspect);
  EXPECT_TRUE(row.mayHaveMajority());
  EXPECT_THAT(englishOf(row.evidence), Contains(HasSubstr("masters that are not watched")));
  EXPECT_THAT(englishOf(row.evidence), Not(Contains(HasSubstr("nobody holds it"))));
}

TEST_F(VoteFold, ofAsManyKeysIsTheirsWhoHaveThemForLongest) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  for (const bool isFirst : {true, false}) {
    locks.clear();
    lock("a", 1).heldSince = start + (isFirst ? 0s : 2s);
    lock("b", 1, 5s, other).heldSince = start + 1s;
    merge();
    ASSERT_EQ(locks.size(), 1U);
    EXPECT_EQ(locks.front()->holders.front().id, isFirst ? token : other);
    EXPECT_EQ(locks.front()->id.node.bytes(), isFirst ? "a" : "b");
  }
}

TEST_F(VoteFold, ofWhomOthersStandBeforeEverywhereTellsNothingOfTheirs) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  for (const auto *each : {"a", "b"}) {
    auto &row = lock(each, 1, 5s, std::string(24, *each));
    row.outvoted = {{.id = token, .expiresAt = start + 5s}};
    row.heldSinceExact = true;
    row.renewals = 3;
    row.seenAt = start + 1s;
  }
  merge();
  ASSERT_EQ(locks.size(), 1U);
  EXPECT_EQ(locks.front()->holders.front().id, token);
  EXPECT_FALSE(locks.front()->heldSinceExact);
  EXPECT_EQ(locks.front()->renewals, 0U);
  EXPECT_EQ(locks.front()->heldSince, start + 1s);
}

TEST_F(VoteFold, keepsLocksOfMastersApartThatAreNoCluster) {
  for (const auto *each : {"a", "b"})
    node(each, false);
  lock("a", 3);
  lock("b", 3, 5s, other);
  merge();
  ASSERT_EQ(locks.size(), 2U);
  for (const auto &row : locks)
    EXPECT_EQ(stateAt(*row, start), LockState::Held);
}

TEST_F(VoteFold, leavesASingleServersLockOutOfTheClustersWhereBothAreWatched) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  node("single", false);
  lock("a", 1);
  lock("b", 1);
  lock("single", 3, 9s, other);
  merge();
  ASSERT_EQ(locks.size(), 2U);
  EXPECT_EQ(locks.front()->votes, 2U);
  EXPECT_EQ(locks.front()->members.size(), 2U);
  EXPECT_TRUE(locks.front()->outvoted.empty());
  EXPECT_EQ(locks.back()->id.node.bytes(), "single");
  EXPECT_EQ(locks.back()->holders, (std::vector<Holder>{{other}}));
  EXPECT_EQ(locks.back()->votes, 3U);
}

TEST_F(VoteFold, isNotStaleForOthersKeysOnAMasterThatIsLost) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  lock("a", 1);
  lock("b", 1);
  lock("c", 1, 5s, other).staleSince = start;
  merge();
  ASSERT_EQ(locks.size(), 1U);
  EXPECT_EQ(stateAt(*locks.front(), start), LockState::Held);
}

TEST_F(VoteFold, judgesAllKeysThatAreSeenWhateverIsNotWatched) {
  node("a");
  node("b");
  for (auto &each : nodes)
    each.clusterMasters = 3;
  lock("a", 1).outvoted = {{std::string(24, '\xdd'), 1}};
  lock("b", 1, 5s, other);
  merge();
  ASSERT_EQ(locks.size(), 1U);
  EXPECT_FALSE(locks.front()->mayHaveMajority());
  EXPECT_THAT(englishOf(locks.front()->evidence), Not(Contains(HasSubstr("that are not watched"))));
}

TEST(UnwatchedMasters, areThoseOfTheClusterThatNoNodeIs) {
  NodeStatus node;
  node.role = "master";
  node.state = NodeState::Live;
  node.isCluster = true;
  EXPECT_EQ(unwatchedMasters({&node, 1}), 0U) << "it did not say";
  node.clusterMasters = 3;
  EXPECT_EQ(unwatchedMasters({&node, 1}), 2U);
  std::vector<NodeStatus> nodes(2, node);
  nodes[1].isCluster = false;
  nodes[1].runId = "another";
  EXPECT_EQ(unwatchedMasters(nodes), 2U) << "a server of its own is none of them";
  nodes[1].runId.clear();
  EXPECT_EQ(unwatchedMasters(nodes), 1U) << "which may be one that was never reached";
  nodes[1].isReadOnly = true;
  EXPECT_EQ(unwatchedMasters(nodes), 2U);
}

TEST_F(VoteFold, judgesNothingWhereAMasterOfTheClusterIsNotFollowed) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  nodes[0].state = NodeState::Down; // since the start: it has told nothing of itself
  nodes[0].isCluster = false;
  nodes[0].runId.clear();
  nodes[0].role.clear();
  for (const std::size_t told : {std::size_t{0}, std::size_t{3}}) { // or may not say how many masters there are
    nodes[1].clusterMasters = nodes[2].clusterMasters = told;
    locks.clear();
    lock("b", 1);
    merge();
    EXPECT_EQ(stateAt(*locks.front(), start), LockState::Held) << told;
    EXPECT_THAT(englishOf(locks.front()->evidence), Contains(HasSubstr("masters that are not watched"))) << told;
  }
}

TEST_F(VoteFold, judgesWhereAllMastersOfTheClusterAreFollowed) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  for (auto &each : nodes)
    each.clusterMasters = 3;
  lock("a", 1);
  merge();
  EXPECT_EQ(stateAt(*locks.front(), start), LockState::Suspect);
  node("old"); // whose place another has taken
  nodes.back().state = NodeState::Down;
  locks.clear();
  lock("a", 1);
  merge();
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
  merge();
  ASSERT_EQ(locks.size(), 2U);
  EXPECT_EQ(locks[0]->votes, 1U);
  EXPECT_EQ(locks[1]->votes, 2U);
  EXPECT_EQ(stateAt(*locks[1], start), LockState::Held);
}

} // namespace
} // namespace lockhouse::test
