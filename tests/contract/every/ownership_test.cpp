// SPDX-License-Identifier: Apache-2.0
// Who has it, and who may give it back.
#include "tests/contract/world/lock_world.h"

using namespace lockhouse;
using namespace lockhouse::test;

class Ownership : public LockContract {};
LOCKHOUSE_CONTRACT(Ownership);

/// Of locks with a handle that may be entered again.
class OwnershipByAHandle : public LockContract {};
INSTANTIATE_TEST_SUITE_P(Every, OwnershipByAHandle, testing::ValuesIn(worlds("OwnershipByAHandle", everyTopology, anyPrimitive, std::not_fn(isUsers))),
                         contractName);

/// Of locks with a line whose places are tokens and nothing else.
class OwnershipOfLine : public LockContract {};
INSTANTIATE_TEST_SUITE_P(Every, OwnershipOfLine, testing::Combine(testing::Values("ListFairLock", "ZsetFairLock"), testing::Values(Topology::UnixSocket)),
                         contractName);

/// A FallbackLock's wait ends in its own line, and does not know who is before it.
class OwnershipTold : public LockContract {};
INSTANTIATE_TEST_SUITE_P(Every, OwnershipTold,
                         testing::ValuesIn(worlds("OwnershipTold", everyTopology, anyPrimitive, [](Making making) { return making != Making::Fallback; })),
                         contractName);

TEST_P(Ownership, isTakenOnceAndGivenBack) {
  auto &one = party().owner(primitive(), "k");
  auto &two = party().owner(primitive(), "k");
  EXPECT_TRUE(one.takes());
  EXPECT_TRUE(std::holds_alternative<Contended>(two.tryAcquire()));
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
  EXPECT_FALSE(keyExists("k"));
  EXPECT_TRUE(two.takes());
  EXPECT_EQ(two.release(), ReleaseOutcome::Released);
}

TEST_P(Ownership, isByHandleNotByClientOrThread) {
  auto &client = party();
  auto &one = client.owner(primitive(), "k");
  auto &two = client.owner(primitive(), "k");
  EXPECT_TRUE(one.takes());
  EXPECT_FALSE(two.takes());
  EXPECT_EQ(two.release(), ReleaseOutcome::NotOwner);
  EXPECT_TRUE(keyExists("k"));
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
}

TEST_P(Ownership, aReleaseByANonOwnerTouchesNothing) {
  takeAsStranger("k", 60s);
  const auto data = [this] {
    std::vector<std::string> each;
    for (std::size_t i = 0; i < probes(); ++i)
      each.push_back(probe(i).text({"DUMP", keyOf("k")}));
    return each;
  };
  const auto before = data();
  auto &one = party().owner(primitive(), "k");
  EXPECT_FALSE(one.takes());
  EXPECT_EQ(one.release(), ReleaseOutcome::NotOwner);
  EXPECT_TRUE(eventually([&] { return data() == before; })) << "what was taken at another node first is given back behind";
  everywhere({"DEL", keyOf("k")});
}

TEST_P(Ownership, aSecondReleaseIsNotTheOwners) {
  auto &one = party().owner(primitive(), "k");
  EXPECT_TRUE(one.takes());
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
  EXPECT_EQ(one.release(), ReleaseOutcome::NotOwner);
}

TEST_P(Ownership, aReleaseAfterTheSuccessorCameInTouchesNothing) {
  auto &late = party().owner(primitive(), "k", {.renew = false});
  EXPECT_TRUE(late.takes());
  deleteWhole("k");
  auto &next = party().owner(primitive(), "k");
  EXPECT_TRUE(next.takes());
  EXPECT_EQ(late.release(), ReleaseOutcome::NotOwner);
  EXPECT_TRUE(keyExists("k"));
  EXPECT_EQ(next.release(), ReleaseOutcome::Released);
}

TEST_P(Ownership, isGivenBackWhenTheHandleEnds) {
  auto &one = party().owner(primitive(), "k");
  EXPECT_TRUE(one.takes());
  one.destroy();
  EXPECT_TRUE(eventually([&] { return !keyExists("k"); }));
}

TEST_P(OwnershipByAHandle, reentryCountsUpAndDownOrIsRefusedByName) {
  auto &one = party().owner(primitive(), "k", {.countLimit = 3});
  EXPECT_TRUE(one.takes());
  if (!primitive().isReentrant()) {
    const auto again = one.tryAcquire();
    ASSERT_TRUE(std::holds_alternative<Failed>(again));
    EXPECT_EQ(std::get<Failed>(again).error.code, ErrorCode::Usage);
    EXPECT_EQ(one.release(), ReleaseOutcome::Released);
    return;
  }
  const auto second = one.tryAcquire();
  ASSERT_TRUE(std::holds_alternative<Acquired>(second));
  EXPECT_EQ(std::get<Acquired>(second).count, 2);
  EXPECT_TRUE(one.takes());
  const auto counted = [&] {
    return probe().text({"HGET", keysOf("k").front(), fieldOf(std::get<Acquired>(second).token)}) == (countsInClient(making()) ? "1" : "3");
  };
  EXPECT_TRUE(eventually(counted)) << "a RedLock or MultiLock counts in the client, and the former may not have been told of its hold by this node yet";
  const auto beyond = one.tryAcquire();
  ASSERT_TRUE(std::holds_alternative<Failed>(beyond)) << "the limit is an error, not a wait";
  EXPECT_EQ(std::get<Failed>(beyond).error.code, ErrorCode::Usage);
  EXPECT_EQ(one.release(), ReleaseOutcome::StillHeld);
  EXPECT_EQ(one.release(), ReleaseOutcome::StillHeld);
  EXPECT_TRUE(keyExists("k"));
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
  EXPECT_FALSE(keyExists("k"));
}

TEST_P(Ownership, aHandleThatEndsGivesBackEveryCount) {
  auto &one = party().owner(primitive(), "k");
  EXPECT_TRUE(one.takes());
  if (primitive().isReentrant()) {
    EXPECT_TRUE(one.takes());
  }
  one.destroy();
  EXPECT_TRUE(eventually([&] { return !keyExists("k"); }));
}

TEST_P(Ownership, aKeyOfAnotherTypeIsNeverTakenNorHarmed) {
  everywhere({"RPUSH", keyOf("k"), "precious"});
  auto &one = party().owner(primitive(), "k");
  const auto outcome = one.tryAcquire();
  EXPECT_FALSE(std::holds_alternative<Acquired>(outcome));
  const auto waited = one.start(AcquirePolicy::spin(1ms), 20ms).get();
  EXPECT_FALSE(std::holds_alternative<Acquired>(waited));
  EXPECT_EQ(probe().text({"LINDEX", keyOf("k"), "0"}), "precious");
  EXPECT_EQ(probe().number({"PTTL", keyOf("k")}), -1) << "nor made to end";
  everywhere({"DEL", keyOf("k")});
}

TEST_P(OwnershipOfLine, whatIsNoWaiterInTheLineIsLeftAloneAndTold) {
  const bool isList = primitive().info().name == "ListFairLock";
  if (isList)
    everywhere({"RPUSH", "lockhouse:line:{k}", "precious"});
  else
    everywhere({"ZADD", "lockhouse:line:{k}", "1", "precious"});
  const auto outcome = party().owner(primitive(), "k").tryAcquire();
  ASSERT_TRUE(std::holds_alternative<Failed>(outcome));
  EXPECT_NE(std::get<Failed>(outcome).error.sentence().find("the line of this lock holds what is no waiter of it"), std::string::npos);
  EXPECT_EQ(probe().number({isList ? "LLEN" : "ZCARD", "lockhouse:line:{k}"}), 1);
  everywhere({"DEL", "lockhouse:line:{k}"});
}

TEST_P(OwnershipTold, aWaiterIsToldWhoHasIt) {
  takeAsStranger("k", 60s);
  auto &client = party();
  auto &one = client.owner(primitive(), "k");
  const auto outcome = one.start(AcquirePolicy::spin(1ms), 50ms).get();
  ASSERT_TRUE(std::holds_alternative<TimedOut>(outcome));
  EXPECT_EQ(std::get<TimedOut>(outcome).holder, stranger());
  EXPECT_EQ(std::get<TimedOut>(outcome).firstSeen.has_value(), stranger().has_value()) << "and since when that is known";
  ASSERT_TRUE(eventually([&] { return client.isSettled(); })) << "what was taken of several keys is given back";
  const auto tried = one.tryAcquire();
  ASSERT_TRUE(std::holds_alternative<Contended>(tried));
  EXPECT_EQ(std::get<Contended>(tried).holder, stranger());
  everywhere({"DEL", keyOf("k")});
}

TEST_P(Ownership, hostileNamesAreLocksLikeAnyOther) {
  auto &client = party();
  for (const std::string &name :
       {std::string("'\"]]--\r\n\0 end", 13), std::string("lock:\xff\xfe"), std::string("{"), std::string("*?[a]"), std::string(100'000, 'k')}) {
    auto &one = client.owner(primitive(), name);
    auto &two = client.owner(primitive(), name);
    EXPECT_TRUE(one.takes());
    EXPECT_FALSE(two.takes());
    EXPECT_TRUE(keyExists(name));
    EXPECT_EQ(one.release(), ReleaseOutcome::Released);
  }
}

TEST_P(Ownership, scriptsThatTheServerForgotAreSentAgain) {
  auto &one = party().owner(primitive(), "k");
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(eventually([&one] { return one.takes(); })) << "a RedLock's last nodes may be late with the release before";
    if (primitive().isReentrant()) {
      everywhere({"SCRIPT", "FLUSH"});
      EXPECT_TRUE(one.takes());
      EXPECT_EQ(probe().number({"HLEN", keyOf("k")}), primitive().hasReaders() ? 2 : 1);
      everywhere({"SCRIPT", "FLUSH"});
      EXPECT_EQ(one.release(), ReleaseOutcome::StillHeld);
    }
    everywhere({"SCRIPT", "FLUSH"});
    EXPECT_EQ(one.release(), ReleaseOutcome::Released);
  }
}
