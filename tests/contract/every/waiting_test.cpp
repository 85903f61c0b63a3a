// SPDX-License-Identifier: Apache-2.0
// Waiting, and its ends: in, too late. cancelling_test.cpp has the rest.
#include "tests/contract/world/lock_world.h"

using namespace lockhouse;
using namespace lockhouse::test;

class Waiting : public LockContract {};
LOCKHOUSE_CONTRACT(Waiting);

/// Of locks with a handle that may be asked again.
class WaitingByAHandle : public LockContract {};
INSTANTIATE_TEST_SUITE_P(Every, WaitingByAHandle, testing::ValuesIn(worlds("WaitingByAHandle", everyTopology, anyPrimitive, std::not_fn(isUsers))),
                         contractName);

/// A FallbackLock bears a node out of reach as its own options say.
class WaitingWithPatience : public LockContract {};
INSTANTIATE_TEST_SUITE_P(Every, WaitingWithPatience,
                         testing::ValuesIn(worlds("WaitingWithPatience", everyTopology, anyPrimitive,
                                                  [](Making making) { return making != Making::Fallback; })),
                         contractName);

TEST_P(Waiting, getsInWhenTheHolderOfAnotherClientReleases) {
  for (const auto &policy : waitingPolicies()) {
    SCOPED_TRACE(policy.name());
    auto &holder = party().owner(primitive(), "k", {.policy = policy});
    auto &waiter = party().owner(primitive(), "k", {.policy = policy});
    ASSERT_TRUE(std::holds_alternative<Acquired>(holder.acquire()));
    auto waiting = waiter.start();
    EXPECT_EQ(waiting.wait_for(50ms), std::future_status::timeout);
    EXPECT_EQ(holder.release(), ReleaseOutcome::Released);
    EXPECT_TRUE(std::holds_alternative<Acquired>(waiting.get()));
    EXPECT_EQ(waiter.release(), ReleaseOutcome::Released);
  }
}

TEST_P(Waiting, endsAtItsLimitWithLittleMoreAndLeavesNothing) {
  takeAsStranger("k", 60s);
  for (const auto &policy : waitingPolicies())
    for (const auto limit : {-5ms, 0ms, 1ms, 120ms}) {
      SCOPED_TRACE(policy.name());
      auto &waiter = party().owner(primitive(), "k");
      const auto began = SteadyClock::now();
      EXPECT_TRUE(std::holds_alternative<TimedOut>(waiter.start(policy, limit).get()));
      EXPECT_GE(SteadyClock::now() - began, limit);
    }
  everywhere({"DEL", keyOf("k")});
}

TEST_P(Waiting, endsAtItsLimitThoughTheServerIsSilent) {
  auto &waiter = party({.connection = {.commandTimeout = 60s}, .handoffLimit = 64, .releaseLimit = 3s}).owner(primitive(), "k");
  server->pause();
  const auto outcome = waiter.start(AcquirePolicy::backoff(), 100ms).get();
  EXPECT_TRUE(std::holds_alternative<TimedOut>(outcome));
  server->resume();
}

TEST_P(WaitingByAHandle, aSecondAcquireOfAHandleUnderWayIsRefused) {
  takeAsStranger("k", 60s);
  auto &waiter = party().owner(primitive(), "k");
  auto waiting = waiter.start(AcquirePolicy::backoff());
  const auto second = waiter.tryAcquire();
  ASSERT_TRUE(std::holds_alternative<Failed>(second));
  EXPECT_EQ(std::get<Failed>(second).error.code, ErrorCode::Usage);
  waiter.cancel();
  everywhere({"DEL", keyOf("k")});
}

TEST_P(WaitingWithPatience, withoutAServerFailsInTimeAndSaysSo) {
  auto &one = party().owner(primitive(), "k", {.patience = 100ms});
  server->kill();
  const auto tried = eventually([&] { return std::holds_alternative<Failed>(one.tryAcquire()); });
  EXPECT_TRUE(tried);
  const auto outcome = one.start(AcquirePolicy::backoff()).get();
  ASSERT_TRUE(std::holds_alternative<Failed>(outcome));
  EXPECT_EQ(std::get<Failed>(outcome).error.code, ErrorCode::Unreachable);
  ASSERT_TRUE(server->restart());
  renewProbes();
}

TEST_P(Waiting, withoutAServerLeavesNothingToBeGivenBack) {
  auto &client = party();
  auto &brief = client.owner(primitive(), "k", {.lease = 100ms});
  server->kill();
  ASSERT_TRUE(eventually([&] { return std::holds_alternative<Failed>(brief.tryAcquire()); }));
  ASSERT_TRUE(eventually([&] { return client.isSettled(); })) << "what may have been sent before";
  auto &one = client.owner(primitive(), "k");
  EXPECT_TRUE(std::holds_alternative<Failed>(one.tryAcquire()));
  EXPECT_TRUE(eventually([&] { return client.isSettled(); })) << "nothing was sent";
  ASSERT_TRUE(server->restart());
  renewProbes();
}

TEST_P(Waiting, outlivesARestartOfTheServer) {
  auto &one = party({.connection = {.backoffBase = 5ms, .backoffCap = 50ms}, .handoffLimit = 64, .releaseLimit = 3s}).owner(primitive(), "k");
  server->kill();
  ASSERT_TRUE(eventually([&] { return std::holds_alternative<Failed>(one.tryAcquire()); }));
  auto waiting = one.start(AcquirePolicy::backoff(), 20s);
  ASSERT_TRUE(server->restart());
  renewProbes();
  EXPECT_TRUE(std::holds_alternative<Acquired>(waiting.get()));
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
}

TEST_P(Waiting, withNoTimeToWaitAFreeLockIsTakenAndAHeldOneIsNot) {
  auto &one = party().owner(primitive(), "k");
  auto &two = party().owner(primitive(), "k");
  for (const auto limit : {0ms, -1ms}) {
    const auto takes = [&] { return std::holds_alternative<Acquired>(one.start(primitive().defaultPolicy(), limit).get()); };
    EXPECT_TRUE(isQuorum() ? eventually(takes) : takes()) << "a node of several that answers late is none, and is not waited for";
    EXPECT_TRUE(std::holds_alternative<TimedOut>(two.start(primitive().defaultPolicy(), limit).get()));
    EXPECT_EQ(one.release(), ReleaseOutcome::Released);
  }
}
