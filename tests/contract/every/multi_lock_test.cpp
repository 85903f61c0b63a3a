// SPDX-License-Identifier: Apache-2.0
// What a MultiLock promises beyond the contract: all of its keys or none, whatever comes between. How its members are ordered, and what
// it cannot be made of: tests/server/client/multi_lock_test.cpp.
#include "tests/contract/world/lock_world.h"

using namespace lockhouse;
using namespace lockhouse::test;

class AllOrNothing : public LockContract {
protected:
  /// Once for each key at each node: a stranger has it.
  template <class Case> void forEachThatIsTaken(Case then) {
    for (std::size_t node = 0; node < probes(); ++node)
      for (const auto &key : keysOf("k")) {
        SCOPED_TRACE(key + " at " + std::to_string(node));
        takeAsStrangerAt(probe(node), key, 60s);
        then();
        EXPECT_TRUE(eventually([&] { return leftKeys() == std::vector{key}; })) << testing::PrintToString(leftKeys());
        probe(node)({"DEL", key});
      }
  }
};
INSTANTIATE_TEST_SUITE_P(Every, AllOrNothing, testing::ValuesIn(worlds("AllOrNothing", everyTopology, anyPrimitive, isMulti)), contractName);

TEST_P(AllOrNothing, aRefusalByAnyOneLeavesNoneOfTheOthers) {
  auto &one = party().owner(primitive(), "k");
  forEachThatIsTaken([&] {
    EXPECT_TRUE(std::holds_alternative<Contended>(one.tryAcquire()));
    EXPECT_TRUE(std::holds_alternative<TimedOut>(one.start(AcquirePolicy::spin(1ms), 30ms).get()));
  });
}

TEST_P(AllOrNothing, aWaitForAnyOneThatIsCancelledLeavesNoneOfTheOthers) {
  auto &client = party();
  forEachThatIsTaken([&] {
    auto &waiter = client.owner(primitive(), "k");
    const auto before = client.commandsSent();
    auto waiting = waiter.start(AcquirePolicy::backoff());
    ASSERT_TRUE(eventually([&] { return client.commandsSent() >= before + 3; }));
    waiter.cancel();
    EXPECT_TRUE(std::holds_alternative<Cancelled>(waiting.get()));
  });
}

TEST_P(AllOrNothing, theEarlyOnesAreRenewedWhileTheLastIsWaitedFor) {
  takeAsStranger("k", 60s);
  auto &waiter = party().owner(primitive(), "k", {.lease = 300ms});
  auto waiting = waiter.start(AcquirePolicy::backoff());
  EXPECT_EQ(waiting.wait_for(1s), std::future_status::timeout) << "none of them is lost";
  probe(probes() - 1)({"DEL", keyOf("k")});
  ASSERT_TRUE(std::holds_alternative<Acquired>(waiting.get()));
  EXPECT_TRUE(keyExists("k"));
  EXPECT_FALSE(waiter.loss());
  EXPECT_EQ(waiter.release(), ReleaseOutcome::Released);
}

TEST_P(AllOrNothing, theLossOfOneGivesBackTheOthersBeforeTheirLeaseEnds) {
  auto &one = party().owner(primitive(), "k", {.lease = 6s});
  ASSERT_TRUE(one.takes());
  deleteHeld("k");
  ASSERT_TRUE(eventually([&] { return one.loss().has_value(); }));
  EXPECT_TRUE(eventually([&] { return leftKeys().empty(); }, 3s)) << "they were renewed when the loss was found";
}
