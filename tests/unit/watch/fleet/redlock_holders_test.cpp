// SPDX-License-Identifier: Apache-2.0
// Locks on several masters whose holders lie on different ones of them: each stands by a majority of his own.
#include "core/watch/fleet/redlock_holders.h"
#include "tests/unit/watch/members_fold.h"

namespace lockhouse::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const Holder one{token}, two{otherToken}, three{"aaf4c61ddcc5e8a2dabede0f3b482cd9"};

class SharesFold : public MembersFold {
protected:
  LockRecord &semaphore(const std::string &node, std::vector<Holder> holders) {
    auto &record = shared(node, "redis-semaphore", std::move(holders));
    record.kind = LockKind::Semaphore;
    return record;
  }
  void masters(const std::string &names) {
    for (const char each : names)
      node(std::string(1, each));
  }
};

TEST_F(SharesFold, makesOneRowWhereOneHolderIsOnAllMastersAndAnotherOnMost) {
  masters("abc");
  semaphore("a", {one, two}).expiresAt = start + 4s;
  semaphore("b", {two, one}).expiresAt = start + 6s;
  semaphore("c", {one}).expiresAt = start + 8s;
  merge();
  ASSERT_EQ(locks.size(), 1U);
  const auto &row = *locks[0];
  EXPECT_THAT(row.holders, ElementsAre(one, two)) << "both have a majority";
  EXPECT_EQ(row.heldOn(), 3U);
  EXPECT_EQ(stateAt(row, start), LockState::Held);
  EXPECT_EQ(row.expiresAt, start + 6s) << "then one master is left";
  EXPECT_THAT(row.members, SizeIs(3));
}

TEST_F(SharesFold, tellsOfEachHolderTheEndThatAMajorityOfHisMastersGives) {
  masters("abc");
  const auto until = [](Holder holder, seconds left) {
    holder.expiresAt = start + left;
    return holder;
  };
  semaphore("a", {until(one, 9s), until(two, 0s), three});
  semaphore("b", {until(one, 4s), until(two, 0s), until(three, 9s)});
  semaphore("c", {until(two, 7s), until(one, 6s)});
  const auto together = [&] {
    std::vector<std::optional<SteadyTime>> ends;
    for (const auto &holder : locks.at(0)->holders)
      ends.push_back(holder.expiresAt);
    return ends;
  };
  merge();
  EXPECT_THAT(together(), ElementsAre(start + 6s, start + 0s, std::nullopt)) << "of the third not all are known";
  locks.clear();
  semaphore("a", {until(one, 9s), until(two, 5s)});
  semaphore("b", {until(one, 4s), until(two, 7s)});
  semaphore("c", {until(two, 6s), until(one, 8s)});
  merge();
  EXPECT_THAT(together(), ElementsAre(start + 8s, start + 6s)) << "the same on all of them";
}

TEST_F(SharesFold, listsAHolderOnAMinorityAsItsMembersOwn) {
  masters("abc");
  semaphore("a", {two});
  semaphore("b", {one});
  semaphore("c", {one});
  merge();
  ASSERT_EQ(locks.size(), 1U);
  EXPECT_THAT(locks[0]->holders, ElementsAre(one));
  EXPECT_EQ(locks[0]->id.node, NodeId("b")) << "the first that its holder has";
  EXPECT_EQ(locks[0]->heldOn(), 2U);
  EXPECT_EQ(locks[0]->members.back().own, two);
  EXPECT_TRUE(locks[0]->isOthers(locks[0]->members.back()));
}

TEST_F(SharesFold, tellsOfAMasterWithSeveralHoldersByWhatLiesThereWithoutACopy) {
  masters("abc");
  semaphore("a", {one, two});
  semaphore("b", {one});
  semaphore("c", {one, three, two});
  const auto plain = locks;
  merge();
  ASSERT_EQ(locks.size(), 1U);
  const auto &row = *locks[0];
  EXPECT_THAT(row.holders, ElementsAre(one, two));
  EXPECT_FALSE(row.members[0].own || row.members[0].there) << "those of the row";
  EXPECT_EQ(row.members[1].own, one);
  EXPECT_EQ(row.members[2].there, plain[2]);
  EXPECT_EQ(row.heldOn(), 3U);
  const auto lesser = lesserHolders(row);
  ASSERT_EQ(lesser.size(), 1U);
  EXPECT_EQ(lesser[0].holder, three);
  EXPECT_EQ(lesser[0].masters, 1U);
  EXPECT_THAT(englishOf(row.evidence), Contains("holders who lie on most of the 3 masters, each by himself: 2"));
  EXPECT_THAT(englishOf(row.evidence), Contains("holders on too few masters, who do not hold it: 1"));
}

TEST_F(SharesFold, callsALockSuspectOfWhichNoHolderHasAMajority) {
  masters("abcde");
  semaphore("a", {one});
  semaphore("b", {one, two});
  semaphore("c", {two});
  merge();
  ASSERT_EQ(locks.size(), 1U);
  EXPECT_THAT(locks[0]->holders, ElementsAre(one, two));
  EXPECT_EQ(stateAt(*locks[0], start), LockState::Suspect) << "three masters have a holder, but none is on three";
  EXPECT_TRUE(locks[0]->isSplit());
  EXPECT_THAT(englishOf(locks[0]->evidence), Contains("tokens of 2 holders lie on 3 of 5 masters, none on most of them: if it is a Redlock, nobody holds it"));
}

TEST_F(SharesFold, saysOfWhomItIsNotKnownWhereMastersAreNotFollowed) {
  masters("abcde");
  nodes.back().state = NodeState::Down;
  semaphore("a", {one});
  semaphore("b", {one});
  semaphore("c", {one, two});
  semaphore("d", {two, three});
  auto plain = locks;
  merge();
  EXPECT_THAT(locks[0]->holders, ElementsAre(one));
  EXPECT_THAT(englishOf(locks[0]->evidence), Contains("holders on too few masters, who may hold it, for 1 are not followed or refuse keys: 1"));
  EXPECT_THAT(englishOf(locks[0]->evidence), Contains("holders on too few masters, who do not hold it: 1"));
  locks.assign(plain.begin() + 1, plain.end());
  merge();
  EXPECT_TRUE(locks[0]->isSplit());
  EXPECT_THAT(englishOf(locks[0]->evidence),
              Contains("tokens of 3 holders lie on 3 of 5 masters, none on most of them, and 1 are not followed or refuse keys: if it is a Redlock, who "
                       "holds it is not known"));
}

TEST_F(SharesFold, leavesHoldersAsRowsOfWhomNoneLiesOnTwoMasters) {
  masters("abc");
  semaphore("a", {one});
  semaphore("b", {two});
  semaphore("c", {three});
  merge();
  ASSERT_EQ(locks.size(), 3U);
  for (const auto &row : locks)
    EXPECT_THAT(row->members, IsEmpty());
}

TEST_F(SharesFold, remembersWhoseLockItWasWhenOneMemberIsLeft) {
  masters("abc");
  const auto left = std::make_shared<const LockRecord>(semaphore("c", {two}));
  semaphore("a", {one});
  semaphore("b", {one});
  merge();
  ASSERT_EQ(locks.size(), 1U);
  for (int i = 0; i < 2; ++i) {
    locks = {left};
    merge();
    ASSERT_EQ(locks.size(), 1U);
    EXPECT_EQ(stateAt(*locks[0], start), LockState::Suspect);
  }
}

TEST_F(SharesFold, keepsAnotherFormUnderTheSameNameARow) {
  masters("abcd");
  semaphore("a", {one, two});
  semaphore("b", {one});
  semaphore("c", {one});
  redisson("d", owner);
  merge();
  ASSERT_EQ(locks.size(), 2U);
  EXPECT_EQ(locks[0]->members.size(), 3U);
  EXPECT_EQ(stateAt(*locks[1], start), LockState::Held);
}

TEST_F(SharesFold, foldsReadersOfARedissonLockEachByHimself) {
  masters("abc");
  const Holder mine{owner, 1, HoldMode::Read}, twice{owner, 2, HoldMode::Read}, yours{"0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02:5", 1, HoldMode::Read};
  shared("a", "redisson-rw", {twice, yours}, ValueType::Hash);
  shared("b", "redisson-rw", {mine}, ValueType::Hash);
  shared("c", "redisson-rw", {mine}, ValueType::Hash);
  merge();
  ASSERT_EQ(locks.size(), 1U);
  EXPECT_THAT(locks[0]->holders, ElementsAre(mine)) << "with the count that most masters have";
  EXPECT_EQ(locks[0]->heldOn(), 3U);
  EXPECT_EQ(stateAt(*locks[0], start), LockState::Held);
}

TEST_F(SharesFold, lastsAsLongAsTheLastOfThoseWhoHoldIt) {
  masters("abc");
  const auto until = [](Holder holder, milliseconds left) {
    holder.expiresAt = start + left;
    return holder;
  };
  semaphore("a", {until(one, 4s), until(two, 30s)}).expiresAt = start + 30s;
  semaphore("b", {until(one, 4s), until(three, 40s)}).expiresAt = start + 40s;
  semaphore("c", {until(one, 5s)}).expiresAt = start + 5s;
  merge();
  ASSERT_EQ(locks.size(), 1U);
  EXPECT_THAT(locks[0]->holders, ElementsAre(one));
  EXPECT_EQ(locks[0]->expiresAt, start + 4s) << "what others have on single masters holds nothing";
  locks.clear();
  semaphore("a", {until(one, 10s), until(two, 1s)});
  semaphore("b", {until(one, 1s), until(two, 10s)});
  semaphore("c", {until(one, 1s), until(two, 1s)}).expiresAt = start + 1s;
  merge();
  ASSERT_EQ(locks.size(), 1U);
  EXPECT_EQ(locks[0]->expiresAt, start + 1s) << "by then each has one master left";
}

} // namespace
} // namespace lockhouse::test
