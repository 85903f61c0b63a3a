// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/watch/members_fold.h"

namespace lockhouse::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(MembersFold, putsOneTokenOnThreeMastersIntoOneRowHeldByItsMajority) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  lock("a", token, 9s);
  lock("b", token, 7s);
  lock("c", token, 8s);
  merge();
  ASSERT_EQ(locks.size(), 1U);
  const auto &row = *locks.front();
  EXPECT_EQ(row.id.node, NodeId("a"));
  ASSERT_EQ(row.members.size(), 3U);
  EXPECT_EQ(row.members[1].node, NodeId("b"));
  EXPECT_EQ(row.members[1].expiresAt, start + 7s);
  EXPECT_EQ(row.expiresAt, start + 8s) << "then one of three is left";
  EXPECT_EQ(stateAt(row, start), LockState::Held);
  EXPECT_GE(row.confidence, 0.95);
  EXPECT_THAT(englishOf(row.evidence), Contains(HasSubstr("3 of 3 masters")));
}

TEST_F(MembersFold, knowsTheShortTokensOfRedlockPhp) {
  for (const auto *id : {"a:1", "b:1", "c:1"}) {
    node(id);
    lock(id, "6b038c7803039").mayBe = {"redlock-php"};
  }
  merge();
  ASSERT_EQ(locks.size(), 1U);
  EXPECT_EQ(locks[0]->members.size(), 3U);
}

TEST_F(MembersFold, keepsApartWhatALibraryOfOneMasterHasByTheSameOwnersName) {
  for (const auto *each : {"a", "b", "c"}) {
    node(each);
    lock(each, "owner-1", 30s, "lock||app||x").family = "dapr";
    lock(each, "checkout-service-1", 30s, "lock||app||y").family = "dapr";
  }
  merge();
  ASSERT_EQ(locks.size(), 6U);
  for (const auto &row : locks)
    EXPECT_THAT(row->members, IsEmpty());
}

TEST_F(MembersFold, keepsATokenThatAnotherHasTheMajorityOverAsAMemberThatIsHis) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  lock("a", otherToken, 20s);
  lock("b");
  lock("c");
  merge();
  ASSERT_EQ(locks.size(), 1U) << "one lock";
  const auto &row = *locks[0];
  EXPECT_EQ(row.id.node, NodeId("b")) << "the first that its holder has";
  EXPECT_EQ(row.holders, (std::vector<Holder>{{token}}));
  EXPECT_EQ(stateAt(row, start), LockState::Held);
  EXPECT_EQ(row.expiresAt, start + 10s);
  ASSERT_EQ(row.members.size(), 3U);
  EXPECT_EQ(row.heldOn(), 2U);
  EXPECT_EQ(row.members[2].node, NodeId("a"));
  EXPECT_EQ(row.members[2].own, (Holder{otherToken}));
  EXPECT_THAT(englishOf(row.evidence), Contains("the same token lies on 2 of 3 masters: a Redlock, held by its majority"));
  EXPECT_THAT(englishOf(row.evidence), Contains("masters on which another token lies under this name: 1"));
}

TEST_F(MembersFold, doesTheSameOfRedissonsHashes) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  redisson("a", owner);
  redisson("b", owner).holders.front().count = 2;
  redisson("c", "0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02:5");
  merge();
  ASSERT_EQ(locks.size(), 1U);
  EXPECT_EQ(locks[0]->heldOn(), 2U);
  EXPECT_TRUE(locks[0]->isOthers(locks[0]->members[2]));
  EXPECT_FALSE(locks[0]->isOthers(locks[0]->members[1])) << "another count of the same holder";
}

TEST_F(MembersFold, countsNoTokenOfOthersForTheMajority) {
  for (const auto *each : {"a", "b", "c", "d", "e"})
    node(each);
  for (const auto *each : {"a", "b", "c"})
    lock(each);
  lock("d", otherToken);
  lock("e", "aaf4c61ddcc5e8a2dabede0f3b482cd9");
  merge();
  ASSERT_EQ(locks.size(), 1U);
  EXPECT_EQ(locks[0]->heldOn(), 3U);
  EXPECT_EQ(stateAt(*locks[0], start), LockState::Held);
  EXPECT_THAT(englishOf(locks[0]->evidence), Contains("masters on which another token lies under this name: 2"));
}

TEST_F(MembersFold, callsALoserSoOnlyOfOneFormAndOneName) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  lock("a");
  lock("b");
  redisson("c", owner); // under the same name, of another form
  lock("c", otherToken, 10s, "lock:b");
  merge();
  ASSERT_EQ(locks.size(), 3U);
  EXPECT_EQ(stateAt(*locks[1], start), LockState::Held);
  EXPECT_THAT(locks[1]->members, IsEmpty());
  EXPECT_THAT(locks[2]->members, IsEmpty());
}

TEST_F(MembersFold, keepsALoserOneWhenTheWinnerGoes) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  const auto left = std::make_shared<const LockRecord>(lock("c", otherToken));
  lock("a");
  lock("b");
  merge();
  ASSERT_EQ(locks.size(), 1U);
  locks = {left};
  merge();
  EXPECT_EQ(stateAt(*locks[0], start), LockState::Suspect);
}

TEST_F(MembersFold, callsAMinoritySuspectUntilItsLastMemberIsGone) {
  for (const auto *each : {"a", "b", "c", "d", "e"})
    node(each);
  lock("a", token, 9s);
  lock("d", token, 5s);
  merge();
  ASSERT_EQ(locks.size(), 1U);
  EXPECT_EQ(stateAt(*locks[0], start), LockState::Suspect);
  EXPECT_EQ(locks[0]->expiresAt, start + 9s);
  EXPECT_THAT(englishOf(locks[0]->evidence), Contains(HasSubstr("2 of 5 masters")));
}

TEST_F(MembersFold, keepsRowsApartThatOnlyLookAlike) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  lock("a", "1");
  lock("b", "1"); // a mark, not a token
  lock("a", token, 10s, "lock:b");
  lock("b", token, 10s, "lock:c"); // another name
  lock("b", token, 10s, "lock:d").holders.push_back({otherToken});
  lock("c", token, 10s, "lock:d").holders.push_back({otherToken});
  merge();
  EXPECT_EQ(locks.size(), 6U);
}

TEST_F(MembersFold, showsALockWhoseNameSaysNothingForItsTokenIsOnSeveralMasters) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  lock("a", token, 9s, "order:7").confidence = 0.3;
  lock("c", token, 9s, "order:7").confidence = 0.3;
  lock("a", token, 9s, "order:8").confidence = 0.3;
  merge();
  ASSERT_EQ(locks.size(), 2U);
  EXPECT_GE(locks[0]->confidence, shownConfidence);
  EXPECT_LT(locks[1]->confidence, shownConfidence);
}

// A service that writes to two regions has its caches and sessions twice.
TEST_F(MembersFold, takesTwoMastersAloneForNoProofOfALockWithoutAName) {
  for (const auto *each : {"a", "b"}) {
    node(each);
    lock(each, token, 9s, "order:7").confidence = 0.4;
  }
  merge();
  ASSERT_EQ(locks.size(), 1U);
  EXPECT_LT(locks[0]->confidence, shownConfidence);
}

TEST_F(MembersFold, takesNothingForARedlockWhoseNameTellsOfMoreOrThatLiesForLongerThanLocks) {
  for (const auto *each : {"a", "b", "c"}) {
    node(each);
    for (const auto *key : {"session:7", "csrf:7", "product:88:uid", "release:current", "user:7:etag", "cache:/docs", "page:7"})
      lock(each, token, 60s, key).confidence = 0.3;
    lock(each, token, 30min, "order:7").confidence = 0.4;
  }
  merge();
  EXPECT_EQ(locks.size(), 8U);
  for (const auto &row : locks)
    EXPECT_LT(row->confidence, shownConfidence) << row->id.key.bytes();
}

TEST_F(MembersFold, takesAReplicasCopyForNoVote) {
  node("a");
  node("b", "replica");
  node("c");
  lock("a");
  lock("b");
  merge();
  EXPECT_EQ(locks.size(), 2U);
  lock("c");
  merge();
  ASSERT_EQ(locks.size(), 2U);
  EXPECT_EQ(locks[0]->members.size(), 2U);
  EXPECT_EQ(locks[0]->masters, 2U);
}

TEST_F(MembersFold, countsAServerOnceThatIsWatchedTwice) {
  node("a", "master", "same");
  node("a2", "master", "same", 1);
  node("b");
  lock("a");
  lock("b");
  merge();
  ASSERT_EQ(locks.size(), 1U);
  EXPECT_EQ(locks[0]->masters, 2U);
}

TEST_F(MembersFold, isStaleOnlyWithoutALiveMajority) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  lock("a").staleSince = start;
  lock("b");
  lock("c");
  lock("a", token, 10s, "lock:b").staleSince = start;
  lock("b", token, 10s, "lock:b").staleSince = start;
  lock("c", token, 10s, "lock:b");
  merge();
  ASSERT_EQ(locks.size(), 2U);
  EXPECT_FALSE(locks[0]->staleSince);
  EXPECT_EQ(locks[0]->seenLastOn(), 1U);
  EXPECT_EQ(locks[1]->staleSince, start);
}

TEST_F(MembersFold, isFoundByTheIdOfEachMember) {
  LockSnapshot snapshot;
  for (const auto *each : {"a", "b", "c"})
    node(each);
  lock("a");
  lock("b");
  merge();
  snapshot.nodes = nodes;
  snapshot.locks = locks;
  EXPECT_EQ(snapshot.find({NodeId("b"), 0, LockName("lock:a")}), locks.front());
  EXPECT_EQ(snapshot.find({NodeId("c"), 0, LockName("lock:a")}), nullptr);
  EXPECT_EQ(snapshot.find({NodeId("b"), 0, LockName("lock:b")}), nullptr);
}

TEST_F(MembersFold, putsOneThreadOfARedissonClientIntoOneRow) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  redisson("a", owner);
  redisson("b", owner).queue = {{otherToken, {}}};
  merge();
  ASSERT_EQ(locks.size(), 1U);
  EXPECT_EQ(locks[0]->members.size(), 2U);
  EXPECT_EQ(locks[0]->queue.size(), 1U) << "whoever waits on one of them waits for the lock";
  EXPECT_EQ(stateAt(*locks[0], start), LockState::Held);
}

TEST_F(MembersFold, saysThatARedissonRedLockMayLieInRowsOfClientsOfTheirOwn) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  redisson("a", owner);
  redisson("b", "0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02:57");
  redisson("c", "1e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e03:58");
  merge();
  ASSERT_EQ(locks.size(), 3U) << "two clients of one program may hold a name each, and know nothing of each other";
  EXPECT_THAT(englishOf(locks[0]->evidence), Contains(HasSubstr("this name: 2 of 3;")));
  EXPECT_THAT(englishOf(locks[1]->evidence), Contains(HasSubstr("this name: 2 of 3;")));
  EXPECT_THAT(englishOf(locks[2]->evidence), IsEmpty()) << "another thread";
}

TEST_F(MembersFold, saysTheSameOfARedissonReadWriteLock) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  const auto reader = [this](const char *node, const std::string &holder) { shared(node, "redisson-rw", {{holder, 1, HoldMode::Read}}, ValueType::Hash); };
  reader("a", owner);
  reader("b", "0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02:57");
  reader("c", "1e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e03:58");
  merge();
  ASSERT_EQ(locks.size(), 3U);
  EXPECT_THAT(englishOf(locks[0]->evidence), Contains(HasSubstr("this name: 2 of 3;")));
  EXPECT_THAT(englishOf(locks[1]->evidence), Contains(HasSubstr("this name: 2 of 3;")));
  EXPECT_THAT(englishOf(locks[2]->evidence), IsEmpty()) << "another thread";
}

TEST_F(MembersFold, countsThoseInLineOnAMasterAsWaitersOfTheWhole) {
  for (const auto *each : {"a", "b"})
    node(each);
  lock("a").queue = {{otherToken, {}}};
  lock("b");
  merge();
  ASSERT_EQ(locks.size(), 1U);
  EXPECT_EQ(locks[0]->queue.size(), 1U);
}

TEST_F(MembersFold, saysThatAnotherTokenLiesOnAnotherOfTwoMasters) {
  for (const auto *each : {"a", "b"})
    node(each);
  redlock("a");
  redlock("b", otherToken);
  merge();
  ASSERT_EQ(locks.size(), 2U) << "two servers are no Redlock's";
  for (const auto &row : locks)
    EXPECT_THAT(englishOf(row->evidence), Contains("masters on which another token lies under this name: 1"));
}

TEST_F(MembersFold, takesNoMasterForOneOfItsOwnThatTookAnothersPlace) {
  for (const auto *each : {"a", "b", "c"}) {
    node(each);
    nodes.back().replicationId = each;
  }
  nodes[0].state = NodeState::Down;
  nodes[1].formerReplicationId = "a";
  lock("a").staleSince = start;
  lock("b");
  merge();
  ASSERT_EQ(locks.size(), 2U);
  for (const auto &row : locks)
    EXPECT_THAT(row->members, IsEmpty());
  EXPECT_EQ(MasterSet(nodes).size(), 2U);
  nodes[0].state = NodeState::Live; // restarted with what it had, before it is made a replica
  nodes[0].replicationId = "d";
  nodes[0].formerReplicationId = "a";
  merge();
  EXPECT_EQ(locks.size(), 2U);
  EXPECT_EQ(MasterSet(nodes).size(), 2U);
}

TEST_F(MembersFold, foldsAHolderWhoseCountsDiffer) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  redisson("a", owner).holders.front().count = 2;
  redisson("b", owner);
  redisson("c", owner);
  merge();
  ASSERT_EQ(locks.size(), 1U);
  const auto &row = *locks[0];
  EXPECT_EQ(row.holders, (std::vector<Holder>{{owner, 1}})) << "as most of them have it";
  ASSERT_EQ(row.members.size(), 3U);
  EXPECT_EQ(row.members[0].own, (Holder{owner, 2}));
  EXPECT_EQ(row.members[1].own, std::nullopt);
  EXPECT_EQ(stateAt(row, start), LockState::Held);
  EXPECT_THAT(englishOf(row.evidence), Contains("masters on which its holder has another count: 1"));
}

TEST_F(MembersFold, saysOfTooFewMastersWhatWouldMakeThemEnough) {
  for (const auto *each : {"a", "b", "c", "d", "e"})
    node(each);
  redlock("a");
  redlock("b");
  const auto plain = locks;
  merge();
  EXPECT_THAT(englishOf(locks[0]->evidence),
              Contains("the same token lies on 2 of 5 masters: a Redlock that nobody holds, unless no more than 3 masters are its own"));
  EXPECT_FALSE(locks[0]->mayHaveMajority());
  nodes.back().state = NodeState::Down;
  locks = plain;
  merge();
  EXPECT_THAT(englishOf(locks[0]->evidence),
              Contains("the same token lies on 2 of 5 masters, of which 1 are not followed or refuse keys: a Redlock, and who holds it is not known"));
  EXPECT_TRUE(locks[0]->mayHaveMajority());
  EXPECT_EQ(stateAt(*locks[0], start), LockState::Suspect);
}

TEST_F(MembersFold, remembersARedlockOfWhichOneMemberIsLeft) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  const auto left = std::make_shared<const LockRecord>(lock("c"));
  lock("a");
  lock("b");
  merge();
  ASSERT_EQ(locks.size(), 1U);
  for (int i = 0; i < 2; ++i) {
    locks = {left};
    merge();
    EXPECT_EQ(stateAt(*locks[0], start), LockState::Suspect);
    EXPECT_THAT(englishOf(locks[0]->evidence), Contains(HasSubstr("1 of 3 masters: a Redlock without a majority")));
  }
  locks.clear();
  merge();
  locks = {left};
  merge();
  EXPECT_EQ(stateAt(*locks[0], start), LockState::Held) << "it went in between";
}

TEST_F(MembersFold, givesAnUnchangedRowTheSameRecordAgain) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  redlock("a");
  const auto plain = locks;
  merge();
  const auto once = locks[0];
  locks = plain;
  merge();
  EXPECT_EQ(locks[0], once) << "of a hundred thousand rows none is copied twice";
}

} // namespace
} // namespace lockhouse::test
