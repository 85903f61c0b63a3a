// SPDX-License-Identifier: Apache-2.0
// Votes of a Redlock that nobody has won.
#include "tests/unit/watch/members_fold.h"

namespace lockhouse::test {
namespace {

using testing::Contains;
using testing::IsEmpty;

constexpr auto thirdToken = "aaf4c61ddcc5e8a2dabede0f3b482cd9";

TEST_F(MembersFold, makesOneSuspectRowOfAVoteThatNobodyWon) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  redlock("a");
  redlock("b", otherToken);
  redlock("c", thirdToken).expiresAt = start + 12s;
  merge();
  ASSERT_EQ(locks.size(), 1U);
  const auto &row = *locks[0];
  EXPECT_EQ(stateAt(row, start), LockState::Suspect);
  EXPECT_EQ(row.holders, (std::vector<Holder>{{token}, {otherToken}, {thirdToken}}));
  ASSERT_EQ(row.members.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(row.members[i].own, row.holders[i]);
  EXPECT_EQ(row.expiresAt, start + 12s);
  EXPECT_THAT(englishOf(row.evidence), Contains("tokens of 3 holders lie on 3 of 3 masters, none on most of them: if it is a Redlock, nobody holds it"));
}

TEST_F(MembersFold, knowsLocksOfTheirOwnByTheirStayingLongerThanAVote) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  const auto *const key = "mutex:acct";
  const auto meet = [&] {
    locks.clear();
    auto &first = lock("a", token, 60s, key);
    auto &second = lock("b", otherToken, 60s, key);
    auto &third = lock("c", thirdToken, 60s, key);
    for (auto *each : {&first, &second, &third})
      each->mayBe = {"node-redlock"};
    third.heldSince = start + 4s;
    merge();
  };
  meet();
  ASSERT_EQ(locks.size(), 1U);
  EXPECT_THAT(englishOf(locks[0]->evidence), Contains("they may be locks of their own, on masters that have nothing to do with each other"));
  now = start + 5s;
  meet();
  EXPECT_EQ(locks.size(), 1U) << "a vote may last as long";
  now = start + 6s;
  meet();
  ASSERT_EQ(locks.size(), 3U);
  for (const auto &row : locks)
    EXPECT_EQ(stateAt(*row, now), LockState::Held);
  now = start + 2s;
  meet();
  EXPECT_EQ(locks.size(), 3U) << "others have taken them since";
}

TEST_F(MembersFold, keepsOneRowOfAVoteOfARedlocksNameUntilAMasterHasItRenewed) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  const auto meet = [&](unsigned renewals) {
    locks.clear();
    redlock("a");
    redlock("b", otherToken);
    redlock("c", thirdToken);
    for (auto &each : locks) {
      auto row = std::make_shared<LockRecord>(*each);
      row->family = "redlock-net";
      row->renewals = renewals;
      each = std::move(row);
    }
    merge();
  };
  for (int i = 0; i < 3; ++i) {
    meet(0);
    ASSERT_EQ(locks.size(), 1U) << "whoever left it so may have ended";
    EXPECT_EQ(stateAt(*locks[0], now), LockState::Suspect);
    now += 10s;
  }
  meet(1);
  EXPECT_EQ(locks.size(), 3U) << "nobody renews what he has not got";
}

TEST_F(MembersFold, keepsOneLockOfOneWhoseMajorityIsLost) {
  const std::vector<std::string> ids{"a", "b", "c", "d", "e"};
  for (const auto &each : ids)
    node(each);
  const auto meet = [&](std::size_t from) {
    locks.clear();
    for (auto i = from; i < ids.size(); ++i) {
      auto &row = redlock(ids[i], i < 3 ? token : otherToken);
      row.expiresAt = start + 600s;
      row.renewals = i < 3 ? 2 : 0;
    }
    merge();
  };
  meet(0);
  ASSERT_EQ(locks.size(), 1U);
  EXPECT_EQ(stateAt(*locks[0], now), LockState::Held);
  for (int i = 0; i < 3; ++i) { // the first came back empty
    now += 60s;
    meet(1);
    ASSERT_EQ(locks.size(), 1U);
    EXPECT_EQ(locks[0]->holders, (std::vector<Holder>{{token}, {otherToken}}));
    EXPECT_EQ(stateAt(*locks[0], now), LockState::Suspect);
  }
}

TEST_F(MembersFold, makesOneSuspectRowOfTwoTokensOnTwoOfThreeMasters) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  redlock("b");
  redlock("c", otherToken).expiresAt = start + 12s;
  merge();
  ASSERT_EQ(locks.size(), 1U);
  EXPECT_EQ(stateAt(*locks[0], start), LockState::Suspect);
  EXPECT_EQ(locks[0]->holders, (std::vector<Holder>{{token}, {otherToken}}));
  EXPECT_EQ(locks[0]->members.size(), 2U);
  EXPECT_THAT(englishOf(locks[0]->evidence), Contains("tokens of 2 holders lie on 2 of 3 masters, none on most of them: if it is a Redlock, nobody holds it"));
}

TEST_F(MembersFold, countsAMasterThatIsDownForTheQuorumOfAVote) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  nodes[2].state = NodeState::Down;
  redlock("a");
  redlock("b", otherToken);
  merge();
  ASSERT_EQ(locks.size(), 1U);
  EXPECT_EQ(stateAt(*locks[0], start), LockState::Suspect);
  EXPECT_EQ(locks[0]->masters, 3U);
  EXPECT_THAT(englishOf(locks[0]->evidence),
              Contains("tokens of 2 holders lie on 2 of 3 masters, none on most of them, and 1 are not followed or refuse keys: if it is a Redlock, "
                       "who holds it is not known"));
}

TEST_F(MembersFold, tellsOfAVoteOnlyWhereMostMastersHaveATokenThatMayBeARedlocks) {
  for (const auto *each : {"a", "b", "c", "d", "e"})
    node(each);
  const auto tokens = [this] {
    locks.clear();
    redlock("a");
    redlock("b");
    redlock("c", otherToken);
    redlock("d", otherToken);
  };
  tokens();
  merge();
  ASSERT_EQ(locks.size(), 1U) << "nobody has three of five";
  EXPECT_EQ(locks[0]->holders.size(), 2U);
  EXPECT_EQ(stateAt(*locks[0], start), LockState::Suspect);
  tokens();
  lock("e", thirdToken); // of no library of Redlocks
  merge();
  EXPECT_EQ(locks.size(), 3U);
  tokens();
  redlock("e", thirdToken);
  merge();
  ASSERT_EQ(locks.size(), 1U);
  EXPECT_EQ(locks[0]->holders.size(), 3U);
  EXPECT_EQ(stateAt(*locks[0], start), LockState::Suspect);
  locks.clear();
  redlock("a");
  redlock("b", otherToken);
  merge();
  EXPECT_EQ(locks.size(), 2U) << "two of five may be two masters' own";
}

TEST_F(MembersFold, tellsOfNoVoteBeforeEachMasterWasLookedAtNorInACluster) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  const auto tokens = [this] {
    locks.clear();
    redlock("a");
    redlock("b", otherToken);
  };
  nodes[2].state = NodeState::Connecting;
  tokens();
  merge();
  EXPECT_EQ(locks.size(), 2U);
  nodes[2].state = NodeState::Live;
  for (auto &each : nodes)
    each.isCluster = true;
  tokens();
  merge();
  EXPECT_EQ(locks.size(), 2U) << "its slot is on its way";
}

TEST_F(MembersFold, foldsAnOwnersNameThatMostMastersHave) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  for (const std::string name : {"web-1:4711", "my-own-id"}) {
    locks.clear();
    for (const auto *each : {"a", "b", "c"})
      lock(each, name).family = "setnx-legacy";
    merge();
    ASSERT_EQ(locks.size(), 1U) << name;
    EXPECT_EQ(locks[0]->members.size(), 3U);
    EXPECT_EQ(stateAt(*locks[0], start), LockState::Held);
    EXPECT_THAT(englishOf(locks[0]->evidence), Contains("the same token lies on 3 of 3 masters: a Redlock, held by its majority"));
  }
}

TEST_F(MembersFold, takesAnotherOwnersNameForALoserOfTheMajority) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  lock("a", "web-2:17").family = "setnx-legacy";
  lock("b", "web-1:4711").family = "setnx-legacy";
  lock("c", "web-1:4711").family = "setnx-legacy";
  merge();
  ASSERT_EQ(locks.size(), 1U);
  EXPECT_EQ(locks[0]->heldOn(), 2U);
  EXPECT_TRUE(locks[0]->isOthers(locks[0]->members.back()));
}

TEST_F(MembersFold, keepsOwnersNamesApartThatFewMastersHaveAndMarksAlways) {
  for (const auto *each : {"a", "b", "c", "d", "e"})
    node(each);
  const auto staysApart = [this](const std::string &value, std::initializer_list<const char *> on) {
    locks.clear();
    for (const auto *each : on)
      lock(each, value).family = "setnx-legacy";
    merge();
    EXPECT_EQ(locks.size(), on.size()) << value;
    EXPECT_THAT(locks[0]->members, IsEmpty()) << value;
  };
  staysApart("web-1:4711", {"a", "b"});
  for (const auto *mark : {"1", "locked", "4711", "running", "1795271640"})
    staysApart(mark, {"a", "b", "c", "d"});
  nodes.resize(2);
  staysApart("web-1:4711", {"a", "b"});
}

TEST_F(MembersFold, knowsTheVotesOfLibrariesThatMayAlsoKeepALockOnOneMaster) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  const auto isSplit = [this](const std::string &family, const std::vector<std::string> &mayBe, const std::string &first, const std::string &second) {
    locks.clear();
    for (auto *row : {&lock("a", first), &lock("b", second)}) {
      row->family = family;
      row->mayBe = mayBe;
    }
    merge();
    return locks.size() == 1 && locks[0]->isSplit();
  };
  const std::string machine = "web-1_4711_", machine2 = "web-2_815_";
  EXPECT_TRUE(isSplit("distributedlock", {}, machine + token, machine2 + otherToken));
  EXPECT_TRUE(isSplit("token", {"redis-plus-plus", "laravel-funnel"}, "dG9rZW4x4kZQ2mVt8xYw", "a93Kd02mfL1qPz7Yw5Xc"));
}

TEST_F(MembersFold, doubtsAnUnnamedTokenWhoseCopiesLapseEachInItsOwnTime) {
  const auto put = [this](milliseconds a, milliseconds b, milliseconds c) -> LockRecord & {
    locks.clear();
    lock("a", token, a, "nav").confidence = 0.4;
    lock("b", token, b, "nav").confidence = 0.4;
    auto &last = lock("c", token, c, "nav");
    last.confidence = 0.4;
    return last;
  };
  for (const auto *each : {"a", "b", "c"})
    node(each);
  put(20s, 45s, 58s);
  merge();
  EXPECT_LT(locks[0]->confidence, shownConfidence) << "caches of the same content";
  put(20s, 22s, 58s);
  merge();
  EXPECT_GE(locks[0]->confidence, shownConfidence) << "most of them set at once";
  put(20s, 45s, 58s).renewals = 1;
  merge();
  EXPECT_GE(locks[0]->confidence, shownConfidence) << "being renewed, one after the other";
}

} // namespace
} // namespace lockhouse::test
