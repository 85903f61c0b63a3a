// SPDX-License-Identifier: Apache-2.0
#include "core/watch/fleet/change_merge.h"
#include "tests/unit/watch/changes_fold.h"

namespace lockhouse::test {
namespace {

using testing::IsEmpty;

TEST_F(ChangesFold, tellsOfARedlockOnceWhenItComesAndOnceWhenItGoes) {
  masters(3);
  set(0, "lock:a");
  EXPECT_EQ(told(), "") << "a library of Redlocks may have left it";
  EXPECT_TRUE(merge.dueAt());
  set(1, "lock:a");
  EXPECT_EQ(told(), "");
  set(2, "lock:a");
  EXPECT_EQ(told(), "appeared lock:a 3/3") << "at once, when no master is left that might have it";
  EXPECT_EQ(stateAt(*last.after, desks[0]->now()), LockState::Held);
  for (std::size_t i = 0; i < 3; ++i) {
    remove(i, "lock:a");
    EXPECT_EQ(told(), i < 2 ? "" : "vanished lock:a");
  }
  EXPECT_EQ(last.before->members.size(), 3U);
  pass(1s);
  EXPECT_EQ(told(), "");
}

TEST_F(ChangesFold, tellsWhereARowGoesOnThatOthersKeepOut) {
  masters(3);
  setAll("redlock:a");
  remove(0, "redlock:a");
  remove(1, "redlock:a");
  pass(ChangeMerge::patience);
  told();
  const auto alone = last.after;
  ASSERT_TRUE(alone);
  EXPECT_EQ(alone->id.node, NodeId("c"));
  const std::string other(32, 'e');
  set(0, "redlock:a", other);
  set(1, "redlock:a", other);
  pass(ChangeMerge::patience);
  EXPECT_EQ(told(), "holder redlock:a 3/3");
  EXPECT_EQ(last.before->id, alone->id) << "its row is no more: it is a member of this one";
  EXPECT_EQ(last.after->holders.front().id, other);
}

TEST_F(ChangesFold, tellsOfAMemberThatComesOrGoesLaterThatTheMembersChanged) {
  masters(3);
  set(0, "lock:a");
  set(2, "lock:a");
  EXPECT_EQ(told(), "");
  pass(ChangeMerge::patience);
  EXPECT_EQ(told(), "appeared lock:a 2/3");
  set(1, "lock:a");
  EXPECT_EQ(told(), "members lock:a 3/3");
  remove(0, "lock:a");
  EXPECT_EQ(told(), "");
  remove(1, "lock:a");
  EXPECT_EQ(told(), "");
  pass(ChangeMerge::patience);
  EXPECT_EQ(told(), "members lock:a 1/3");
  EXPECT_EQ(last.id.node, NodeId("c")) << "the first that has it";
  EXPECT_EQ(stateAt(*last.after, desks[0]->now()), LockState::Suspect);
  remove(2, "lock:a");
  EXPECT_EQ(told(), "vanished lock:a");
}

TEST_F(ChangesFold, tellsOfARenewalOfAllMembersOnce) {
  masters(3);
  setAll("lock:a");
  EXPECT_EQ(told(), "appeared lock:a 3/3");
  pass(500ms);
  for (std::size_t i = 0; i < 3; ++i) {
    set(i, "lock:a");
    EXPECT_EQ(told(), i < 2 ? "" : "lease lock:a 3/3");
  }
}

TEST_F(ChangesFold, keepsWhatCannotBeARedlockWaitingForNothing) {
  masters(3);
  desks[0]->hash("job", {{owner1, "1"}}, 30s);
  hint(0, "job");
  EXPECT_EQ(told(), "appeared job 0/0");
  desks[1]->hash("job", {{owner2, "1"}}, 30s); // of another client, who knows nothing of the first
  hint(1, "job");
  EXPECT_EQ(told(), "appeared job 0/0");
  remove(0, "job");
  EXPECT_EQ(told(), "vanished job");
  remove(1, "job");
  EXPECT_EQ(told(), "vanished job");
  EXPECT_FALSE(merge.dueAt());
}

TEST_F(ChangesFold, waitsForOtherMastersOnlyTheFirstTimeWhereALockLiesOnOneAlone) {
  masters(3);
  set(0, "lock:a");
  EXPECT_EQ(told(), "");
  pass(ChangeMerge::patience);
  EXPECT_EQ(told(), "appeared lock:a 0/3");
  remove(0, "lock:a");
  EXPECT_EQ(told(), "vanished lock:a");
  set(0, "lock:a");
  EXPECT_EQ(told(), "appeared lock:a 0/0");
}

TEST_F(ChangesFold, waitsForAMasterThatIsLookedAtForTheFirstTime) {
  masters(1);
  auto options = Desk::defaults();
  options.id = NodeId("b");
  desks.push_back(std::make_unique<Desk>(std::move(options)));
  desks.back()->runId = "run-1";
  nodes.push_back(&desks.back()->watch);
  set(0, "lock:a");
  EXPECT_EQ(told(), "") << "it may lie there too";
  desks[1]->string("lock:a", hex32, 9s);
  desks[1]->connect();
  hear(1);
  EXPECT_EQ(told(), "appeared lock:a 2/2");
}

TEST_F(ChangesFold, tellsOfALockThatGoesBeforeItWasTold) {
  masters(3);
  set(0, "lock:a");
  EXPECT_EQ(told(), "");
  remove(0, "lock:a");
  EXPECT_EQ(told(), "appeared lock:a 0/3, vanished lock:a");
  set(0, "lock:b");
  set(1, "lock:b");
  EXPECT_EQ(told(), "");
  for (std::size_t i = 0; i < 2; ++i)
    remove(i, "lock:b");
  EXPECT_EQ(told(), "appeared lock:b 2/3, vanished lock:b");
}

TEST_F(ChangesFold, tellsOfAVoteThatNobodyWonAsOneLock) {
  masters(3);
  set(0, "lock:a");
  set(1, "lock:a", "89e6c98d92887913cadf06b2adb97f26");
  set(2, "lock:a", "aaf4c61ddcc5e8a2dabede0f3b482cd9");
  EXPECT_EQ(told(), "appeared lock:a 3/3");
  EXPECT_EQ(last.after->holders.size(), 3U);
  EXPECT_EQ(stateAt(*last.after, desks[0]->now()), LockState::Suspect);
  remove(1, "lock:a");
  pass(ChangeMerge::patience);
  EXPECT_EQ(told(), "members lock:a 2/3") << "nobody has most of them";
  remove(0, "lock:a");
  pass(ChangeMerge::patience);
  EXPECT_EQ(told(), "members lock:a 0/3") << "of one lock, or of its master alone";
  remove(2, "lock:a");
  EXPECT_EQ(told(), "vanished lock:a");
}

TEST_F(ChangesFold, tellsOfATokenThatTheMajorityKeepsOutAsAMember) {
  const std::string other = "89e6c98d92887913cadf06b2adb97f26";
  masters(3);
  set(0, "lock:a", other);
  pass(ChangeMerge::patience);
  EXPECT_EQ(told(), "appeared lock:a 0/3");
  set(1, "lock:a");
  pass(ChangeMerge::patience);
  EXPECT_EQ(told(), "members lock:a 2/3") << "nobody has most of them yet";
  set(2, "lock:a");
  pass(ChangeMerge::patience);
  EXPECT_EQ(told(), "members lock:a 3/3");
  EXPECT_EQ(last.id.node, NodeId("b"));
  EXPECT_EQ(stateAt(*last.after, desks[0]->now()), LockState::Held);
  EXPECT_EQ(last.after->heldOn(), 2U);
  pass(500ms);
  set(1, "lock:a");
  set(2, "lock:a");
  EXPECT_EQ(told(), "lease lock:a 3/3") << "without a wait for the one that others have";
  pass(500ms);
  set(0, "lock:a", other);
  pass(ChangeMerge::patience);
  EXPECT_EQ(told(), "") << "what he renews is not this lock";
  remove(1, "lock:a");
  remove(2, "lock:a");
  pass(ChangeMerge::patience);
  EXPECT_EQ(told(), "vanished lock:a, appeared lock:a 1/3");
  EXPECT_EQ(stateAt(*last.after, desks[0]->now()), LockState::Suspect);
  EXPECT_EQ(last.after->holders, (std::vector<Holder>{{other}}));
}

TEST_F(ChangesFold, tellsWhenMostOfTheKeysOfALockAreWonAndLost) {
  const std::string random("\x01\xff\x80\x03\x9a\xbc\xde\xf0\x11\x92\x13\xf4\x15\x96\x17\xf8\x19\xfa\x1b\xfc\x1d\xfe\x1f\x90", 24);
  masters(1);
  const auto state = [this] { return stateAt(*last.after, desks[0]->now()); };
  set(0, "rueidislock:2:n", random);
  EXPECT_EQ(told(), "appeared rueidislock:0:n 0/0");
  EXPECT_EQ(state(), LockState::Suspect);
  set(0, "rueidislock:1:n", random);
  EXPECT_EQ(told(), "members rueidislock:0:n 0/0");
  EXPECT_EQ(state(), LockState::Held);
  set(0, "rueidislock:0:n", random);
  told();
  remove(0, "rueidislock:1:n");
  EXPECT_EQ(told(), "") << "two of three are left";
  remove(0, "rueidislock:2:n");
  EXPECT_EQ(told(), "members rueidislock:0:n 0/0");
  EXPECT_EQ(state(), LockState::Suspect);
}

TEST_F(ChangesFold, tellsOfOneLockWhoseKeysLieOnAMasterEach) {
  const std::string random("\x01\xff\x80\x03\x9a\xbc\xde\xf0\x11\x92\x13\xf4\x15\x96\x17\xf8\x19\xfa\x1b\xfc\x1d\xfe\x1f\x90", 24);
  const auto key = [](std::size_t i) { return fmt::format("rueidislock:{}:n", i); };
  masters(3);
  const std::vector<std::size_t> fromTheLast{2, 1, 0}, fromTheFirst{0, 1, 2};
  for (const auto &order : {fromTheLast, fromTheFirst}) {
    set(order[0], key(order[0]), random);
    EXPECT_EQ(told(), "") << "the others are to come";
    set(order[1], key(order[1]), random);
    set(order[2], key(order[2]), random);
    EXPECT_EQ(told(), "appeared rueidislock:0:n 3/3");
    EXPECT_EQ(stateAt(*last.after, desks[0]->now()), LockState::Held);
    remove(order[2], key(order[2]));
    pass(ChangeMerge::patience);
    EXPECT_EQ(told(), "members rueidislock:0:n 2/3") << "still held, whichever key it was";
    EXPECT_EQ(stateAt(*last.after, desks[0]->now()), LockState::Held);
    set(order[2], key(order[2]), random);
    pass(ChangeMerge::patience);
    EXPECT_EQ(told(), "members rueidislock:0:n 3/3");
    for (const auto i : order)
      remove(i, key(i));
    pass(ChangeMerge::patience);
    EXPECT_EQ(told(), "vanished rueidislock:0:n");
  }
}

TEST_F(ChangesFold, tellsOfSuchALockWhoseKeysComeSlowlyAsItGrows) {
  const std::string random("\x01\xff\x80\x03\x9a\xbc\xde\xf0\x11\x92\x13\xf4\x15\x96\x17\xf8\x19\xfa\x1b\xfc\x1d\xfe\x1f\x90", 24);
  masters(3);
  for (const std::size_t i : {2U, 1U, 0U}) {
    set(i, fmt::format("rueidislock:{}:n", i), random);
    pass(ChangeMerge::patience);
    EXPECT_EQ(told(), i == 2 ? "appeared rueidislock:0:n 0/0" : fmt::format("members rueidislock:0:n {}/3", 3 - i));
  }
}

TEST_F(ChangesFold, tellsFirstThatALockAppearedThoughSeveralMastersAreReadInOneTurn) {
  masters(3);
  for (const std::size_t i : {0U, 1U})
    desks[i]->hash("job", {{owner1, "1"}}, 30s);
  hearTogether({0, 1}, "job");
  EXPECT_EQ(told(), "appeared job 0/0");
  pass(ChangeMerge::patience);
  EXPECT_EQ(told(), "members job 2/3");
  for (const std::size_t i : {0U, 1U, 2U})
    desks[i]->string("lock:a", hex32, 9s);
  hearTogether({2, 1, 0}, "lock:a");
  EXPECT_EQ(told(), "appeared lock:a 3/3");
}

TEST_F(ChangesFold, takesWhatWasToldBeforeForTheSameLockThoughItChangesInTheSameTurn) {
  masters(2);
  desks[1]->hash("job", {{owner1, "1"}}, 30s);
  hearTogether({1}, "job");
  EXPECT_EQ(told(), "appeared job 0/0");
  desks[0]->hash("job", {{owner1, "1"}}, 30s);
  desks[1]->hash("job", {{owner1, "2"}}, 30s);
  hearTogether({0, 1}, "job");
  EXPECT_TRUE(told().starts_with("members job 2/2")) << "it was one lock before";
}

TEST_F(ChangesFold, tellsAtOnceOfOneMasterAlone) {
  masters(1);
  set(0, "lock:a");
  EXPECT_EQ(told(), "appeared lock:a 0/0");
  EXPECT_FALSE(merge.dueAt());
}

TEST_F(ChangesFold, tellsWhatWaitedWhenAMasterIsLeftAlone) {
  masters(2);
  set(0, "lock:a");
  EXPECT_EQ(told(), "");
  nodes.pop_back();
  EXPECT_EQ(told(), "appeared lock:a 0/0");
}

TEST_F(ChangesFold, saysNothingAnewOfALockWhoseMasterIsLostWhileTheOthersAreAMajority) {
  masters(3);
  setAll("lock:a");
  told();
  desks[1]->event(watching::FeedDown{Error{ErrorCode::Unreachable, Message::verbatim("gone"), "", {}}});
  hear(1);
  EXPECT_EQ(told(), "");
  pass(ChangeMerge::patience);
  EXPECT_EQ(told(), "");
}

TEST_F(ChangesFold, waitsForOtherMastersWhereALibraryMayUseOneOrSeveral) {
  masters(3);
  set(0, "lock:a", std::string("web-1_4711_") + hex32);
  EXPECT_EQ(told(), "");
  set(1, "lock:a", std::string("web-1_4711_") + hex32);
  set(2, "lock:a", std::string("web-1_4711_") + hex32);
  EXPECT_EQ(told(), "appeared lock:a 3/3");
}

} // namespace
} // namespace lockhouse::test
