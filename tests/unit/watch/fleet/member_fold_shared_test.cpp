// SPDX-License-Identifier: Apache-2.0
// Locks on several masters that several may hold: of readers and writers, of permits.
#include "tests/unit/watch/members_fold.h"

namespace lockhouse::test {
namespace {

using testing::Contains;
using testing::IsEmpty;

TEST_F(MembersFold, putsTheSameHoldersInWhicheverOrderIntoOneRow) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  const Holder one{token, 1, HoldMode::Read}, two{otherToken, 1, HoldMode::Read};
  shared("a", "symfony", {one, two});
  shared("b", "symfony", {two, one}).expiresAt = start + 4s;
  shared("c", "symfony", {one, two}).staleSince = start;
  merge();
  ASSERT_EQ(locks.size(), 1U);
  EXPECT_EQ(locks[0]->members.size(), 3U);
  EXPECT_EQ(locks[0]->holders.size(), 2U);
  EXPECT_EQ(locks[0]->expiresAt, start + 10s);
  EXPECT_EQ(stateAt(*locks[0], start), LockState::Held);
  EXPECT_THAT(englishOf(locks[0]->evidence), Contains("the same holders lie on 3 of 3 masters, 1 of them as last seen: a Redlock, held by its majority"));
}

TEST_F(MembersFold, foldsWhatSeveralMayHoldOfEachFamily) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  const auto onTwo = [this](const std::string &family, Holder holder, ValueType first, ValueType second, LockKind kind) {
    locks.clear();
    shared("a", family, {holder}, first).kind = kind;
    shared("c", family, {holder}, second).kind = kind;
    merge();
    ASSERT_EQ(locks.size(), 1U) << family;
    EXPECT_EQ(locks[0]->members.size(), 2U) << family;
    EXPECT_EQ(stateAt(*locks[0], start), LockState::Held) << family;
  };
  const std::string machine = "web-1_4711_3f786850e387550fdab836ed7e6dc881";
  onTwo("redis-semaphore", {"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01"}, ValueType::SortedSet, ValueType::SortedSet, LockKind::Semaphore);
  onTwo("redisson-rw", {owner + std::string(":write"), 1, HoldMode::Write}, ValueType::Hash, ValueType::Hash, LockKind::ReadWrite);
  onTwo("distributedlock-rw", {machine, 1, HoldMode::Write}, ValueType::String, ValueType::String, LockKind::ReadWrite);
  onTwo("distributedlock-rw", {machine, 1, HoldMode::Read}, ValueType::None, ValueType::String, LockKind::ReadWrite); // a writer waits on one of them
  onTwo("symfony", {token, 1, HoldMode::Write}, ValueType::SortedSet, ValueType::SortedSet, LockKind::ReadWrite);
}

TEST_F(MembersFold, keepsSetsOfHoldersApartThatAreNotTheSame) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  const Holder one{token, 1, HoldMode::Read}, two{otherToken, 1, HoldMode::Read};
  const auto staysApart = [this](const char *what) {
    merge();
    EXPECT_EQ(locks.size(), 2U) << what;
    for (const auto &row : locks)
      EXPECT_THAT(row->members, IsEmpty()) << what;
    locks.clear();
  };
  shared("a", "symfony", {one});
  shared("b", "symfony", {two});
  staysApart("another reader is on the other");
  shared("a", "symfony", {one});
  shared("b", "symfony", {{token, 1, HoldMode::Write}});
  staysApart("another mode");
  shared("a", "symfony", {one});
  shared("b", "handmade-zset", {one});
  staysApart("another family");
  shared("a", "handmade-zset", {{"worker-1"}, one});
  shared("b", "handmade-zset", {{"worker-1"}, one});
  staysApart("a name that two may have by accident");
  shared("a", "symfony", {one}).unread = 4;
  shared("b", "symfony", {one}).unread = 4;
  staysApart("who else is there was not read");
  shared("a", "redisson-semaphore", {}).kind = LockKind::Semaphore;
  shared("b", "redisson-semaphore", {}).kind = LockKind::Semaphore;
  staysApart("nobody is named");
}

TEST_F(MembersFold, callsAMinorityOfReadersAWriterOrAPermitTheirMembersOwn) {
  for (const auto *each : {"a", "b", "c"})
    node(each);
  const Holder one{token, 1, HoldMode::Read}, two{otherToken, 1, HoldMode::Read};
  const auto third = [&](std::vector<Holder> holders, LockKind kind = LockKind::ReadWrite) {
    locks.clear();
    for (const auto *each : {"a", "b"})
      shared(each, "symfony", {one}).kind = kind;
    shared("c", "symfony", std::move(holders)).kind = kind;
    merge();
    return locks.size() == 1 && locks[0]->holders == std::vector{one} ? locks[0]->heldOn() : 0;
  };
  EXPECT_EQ(third({one, two}), 3U) << "the majority's reader is one of them";
  EXPECT_EQ(third({two}), 2U) << "another reader";
  EXPECT_EQ(third({{otherToken, 1, HoldMode::Exclusive}}, LockKind::Semaphore), 2U) << "another permit";
  EXPECT_EQ(third({{otherToken, 1, HoldMode::Write}}), 2U) << "a writer among readers";
  EXPECT_TRUE(locks[0]->isOthers(locks[0]->members.back()));
}

TEST_F(MembersFold, callsNobodySuspectWhomMostMastersHaveAmongOthersOrAlone) {
  for (const auto *each : {"a", "b", "c", "d", "e"})
    node(each);
  const Holder one{token, 1, HoldMode::Read}, two{otherToken, 1, HoldMode::Read};
  for (const auto *each : {"a", "b", "c", "d", "e"})
    shared(each, "symfony", {one});
  merge();
  ASSERT_EQ(locks.size(), 1U);
  locks.clear();
  for (const auto *each : {"a", "b"})
    shared(each, "symfony", {one});
  for (const auto *each : {"c", "d", "e"})
    shared(each, "symfony", {one, two});
  merge();
  ASSERT_EQ(locks.size(), 1U);
  EXPECT_THAT(locks[0]->holders, testing::ElementsAre(one, two)) << "the first lies on all five, the second on three of them";
  EXPECT_EQ(stateAt(*locks[0], start), LockState::Held);
}

} // namespace
} // namespace lockhouse::test
