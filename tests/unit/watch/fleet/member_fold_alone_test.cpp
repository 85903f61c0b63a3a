// SPDX-License-Identifier: Apache-2.0
// What lies on one of several masters alone.
#include "tests/unit/watch/members_fold.h"

#include <algorithm>
#include <array>

namespace lockhouse::test {
namespace {

using testing::Contains;
using testing::IsEmpty;

TEST_F(MembersFold, saysOfATokenOnOneMasterWhatItWouldMeanOfARedlock) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  redlock("a");
  lock("b", token, 10s, "lock:b"); // of no library of Redlocks
  merge();
  ASSERT_EQ(locks.size(), 2U);
  EXPECT_THAT(englishOf(locks[0]->evidence),
              Contains("its token lies on 1 of 3 masters: a lock of this master alone, or what is left of a Redlock that nobody holds"));
  EXPECT_EQ(stateAt(*locks[0], start), LockState::Held) << "most locks are one master's own";
  EXPECT_THAT(locks[0]->members, IsEmpty());
  EXPECT_THAT(englishOf(locks[1]->evidence), IsEmpty());
}

TEST_F(MembersFold, suspectsATokenOnOneMasterThatIsARedlocksByItsNameOrLibrary) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  lock("a", token, 10s, "app:Redlock:1");
  lock("a", token, 10s, "order:1").family = "redsync";
  lock("a", token, 10s, "sharedLock:1"); // no word of its own
  lock("b", token, 10s, "redlock:2");
  nodes[2].state = NodeState::Down;
  merge();
  ASSERT_EQ(locks.size(), 4U);
  EXPECT_EQ(stateAt(*locks[0], start), LockState::Suspect) << "on how many more it lies is not known";
  nodes[2].state = NodeState::Live;
  const auto states = [this] {
    std::vector<LockState> all;
    for (const auto &row : locks)
      all.push_back(stateAt(*row, start));
    return all;
  };
  locks.clear();
  lock("a", token, 10s, "app:Redlock:1");
  lock("a", token, 10s, "order:1").family = "redsync";
  lock("a", token, 10s, "sharedLock:1");
  lock("b", token, 10s, "redlock:2");
  merge();
  EXPECT_EQ(states(), (std::vector{LockState::Suspect, LockState::Suspect, LockState::Held, LockState::Suspect}));
  EXPECT_EQ(locks[0]->members.size(), 1U);
  EXPECT_EQ(locks[0]->masters, 3U);
  EXPECT_THAT(
      englishOf(locks[0]->evidence),
      Contains("its token lies on 1 of 3 masters, and by its name or library it is a Redlock: unless its clients use this master alone, nobody holds it"));
  EXPECT_EQ(locks[0]->confidence, 0.8) << "that says nothing more of what it is";
}

TEST_F(MembersFold, takesWhatMovesFromOneMasterOfAClusterToAnotherForNoRedlock) {
  for (const auto *each : {"a", "b", "c"}) {
    node(each);
    nodes.back().isCluster = true;
  }
  for (const auto *each : {"a", "b"})
    redlock(each);
  merge();
  EXPECT_EQ(locks.size(), 2U) << "for as long as both show it";
  std::erase_if(locks, [](const LockRecordPtr &row) { return row->id.node.bytes() == "a"; });
  merge();
  ASSERT_EQ(locks.size(), 1U);
  EXPECT_TRUE(locks.front()->members.empty());
  EXPECT_EQ(stateAt(*locks.front(), start), LockState::Held);
}

TEST_F(MembersFold, suspectsNothingThatAClusterKeepsOnOneOfItsMasters) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  for (auto &each : nodes)
    each.isCluster = true;
  lock("a", token, 10s, "redlock:1");
  merge();
  EXPECT_EQ(stateAt(*locks[0], start), LockState::Held);
  EXPECT_THAT(englishOf(locks[0]->evidence), IsEmpty());
}

TEST_F(MembersFold, suspectsNothingOfTwoMasters) {
  for (const auto *each : {"a", "b"})
    node(each);
  lock("a", token, 10s, "redlock:1");
  merge();
  EXPECT_EQ(stateAt(*locks[0], start), LockState::Held);
  EXPECT_THAT(englishOf(locks[0]->evidence),
              Contains("its token lies on 1 of 2 masters: a lock of this master alone, or what is left of a Redlock that nobody holds"));
}

TEST_F(MembersFold, saysNothingOfMastersThatItDoesNotKnow) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  nodes[2].state = NodeState::Connecting;
  redlock("a");
  merge();
  EXPECT_THAT(englishOf(locks[0]->evidence), IsEmpty());
  nodes[2].state = NodeState::Down;
  merge();
  EXPECT_THAT(englishOf(locks[0]->evidence),
              Contains("its token lies on 1 of 3 masters, of which 1 are not followed or refuse keys: if it is a Redlock, who holds it is not known"));
}

TEST_F(MembersFold, doesNotKnowWhoHoldsWhatAMasterMayHideFromThisUser) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  nodes[1].keysRefused = 2;
  lock("a", token, 10s, "redlock:1");
  merge();
  EXPECT_EQ(locks[0]->unfollowed, 1U);
  EXPECT_TRUE(locks[0]->mayHaveMajority());
  locks.clear();
  lock("a", token, 10s, "redlock:1");
  lock("b", token, 10s, "redlock:1");
  merge();
  EXPECT_EQ(locks[0]->unfollowed, 0U) << "what it refuses are other keys";
}

TEST_F(MembersFold, knowsOfAMasterThatTellsWhatItRefusesThatThisIsNotAmongIt) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  RefusedKeys refused;
  refused.add("session:1", {.rights = true});
  refused.add("redlock:2", {.rights = true});
  refused.sort();
  nodes[1].keysRefused = refused.count();
  nodes[1].refused = std::make_shared<RefusedKeys>(refused);
  lock("a", token, 10s, "redlock:1");
  lock("a", token, 10s, "redlock:2");
  merge();
  EXPECT_EQ(locks[0]->unfollowed, 0U);
  EXPECT_EQ(locks[1]->unfollowed, 1U);
}

TEST_F(MembersFold, suspectsANamedRedlockHoweverManyMastersAreDown) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  lock("a", token, 10s, "redlock:1");
  lock("b", token, 10s, "redlock:1");
  nodes[2].state = NodeState::Down;
  merge();
  EXPECT_EQ(stateAt(*locks[0], start), LockState::Held);
  for (const auto down : {1, 2}) {
    locks.clear();
    lock("a", token, 10s, "redlock:1");
    nodes[static_cast<std::size_t>(down)].state = NodeState::Down;
    nodes[static_cast<std::size_t>(3 - down)].state = down == 1 ? NodeState::Live : NodeState::Down;
    merge();
    ASSERT_EQ(locks.size(), 1U);
    EXPECT_EQ(stateAt(*locks[0], start), LockState::Suspect) << down;
    EXPECT_FALSE(locks[0]->hasMajority());
    EXPECT_TRUE(locks[0]->mayHaveMajority());
    EXPECT_EQ(locks[0]->unfollowed, static_cast<std::size_t>(down));
  }
}

TEST_F(MembersFold, takesLocksOfOneNameOnMastersOfTheirOwnForNoVote) {
  const std::array timed{"7d2e1f9c8a3b11ee9b1d0242ac120002", "8e3f2a0d9b4c11ee8c2e0242ac120003", "9f403b1eac5d11eebd3f0242ac120004"};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto at = std::string(1, static_cast<char>('a' + i));
    node(at);
    redlock(at, timed.at(i));
  }
  merge();
  ASSERT_EQ(locks.size(), 3U) << "redis-py knows one master";
  for (const auto &row : locks)
    EXPECT_EQ(stateAt(*row, start), LockState::Held);

  locks.clear();
  redlock("a");
  redlock("b", otherToken).renewals = 1;
  redlock("c", "aaf4c61ddcc5e8a2dabede0f3b482cd9");
  merge();
  ASSERT_EQ(locks.size(), 3U) << "whoever has no majority renews nothing";
  EXPECT_EQ(stateAt(*locks[0], start), LockState::Held);
}

// SET my_resource_name TOKEN on one master, where the lease was forgotten: by itself it would be data.
TEST_F(MembersFold, takesATokenWithoutALeaseForAMemberWhereOthersHaveItWithOne) {
  for (const auto *endless : {"a", "b", "c"}) {
    nodes.clear();
    locks.clear();
    for (const auto *each : {"a", "b", "c"}) {
      node(each);
      auto &record = lock(each, token, 10s, "my_resource_name");
      record.confidence = 0.4;
      if (std::string_view(each) == endless) {
        record.confidence = 0.3;
        record.expiresAt.reset();
      }
    }
    merge();
    ASSERT_EQ(locks.size(), 1U) << endless;
    const auto &row = *locks.front();
    EXPECT_EQ(row.members.size(), 3U);
    EXPECT_EQ(row.heldOn(), 3U);
    EXPECT_EQ(std::ranges::count_if(row.members, [](const LockMember &member) { return !member.expiresAt; }), 1);
    EXPECT_EQ(row.expiresAt, start + 10s) << "then one of three is left";
    EXPECT_GE(row.confidence, shownConfidence) << endless;
    EXPECT_THAT(englishOf(row.evidence), testing::Contains("masters on which its token never expires: 1"));
  }
}

TEST_F(MembersFold, takesNoTokensForALockWhereNoneHasALease) {
  for (const auto *each : {"a", "b", "c"}) {
    node(each);
    auto &record = lock(each, token, 10s, "tenant:7");
    record.confidence = 0.3;
    record.expiresAt.reset();
  }
  merge();
  EXPECT_EQ(locks.size(), 3U) << "a service writes the same id everywhere";
}

TEST_F(MembersFold, callsALockHeldOfALibraryThatKeepsLocksOnOneMasterToo) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  lock("a", std::string("web-1_4711_") + token).family = "distributedlock";
  merge();
  ASSERT_EQ(locks.size(), 1U);
  EXPECT_EQ(stateAt(*locks[0], start), LockState::Held);
  EXPECT_THAT(locks[0]->members, testing::IsEmpty());
  EXPECT_THAT(englishOf(locks[0]->evidence),
              testing::Contains("its token lies on 1 of 3 masters: a lock of this master alone, or what is left of a Redlock that nobody holds"));
}

} // namespace
} // namespace lockhouse::test
