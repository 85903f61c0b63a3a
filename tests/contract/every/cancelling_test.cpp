// SPDX-License-Identifier: Apache-2.0
// Acquires that are cancelled, wherever they are.
#include "tests/contract/world/lock_world.h"

using namespace lockhouse;
using namespace lockhouse::test;

class Cancelling : public LockContract {
protected:
  /// Two start, in this order; once `isThere` the first is cancelled, then the second.
  template <class Condition> void expectCancelled(Party &client, AcquirePolicy policy, Condition isThere) {
    auto &first = client.owner(primitive(), "k");
    auto &second = client.owner(primitive(), "k");
    auto one = first.start(policy);
    auto two = second.start(policy);
    ASSERT_TRUE(eventually(isThere));
    first.cancel();
    EXPECT_TRUE(std::holds_alternative<Cancelled>(one.get()));
    second.cancel();
    EXPECT_TRUE(std::holds_alternative<Cancelled>(two.get()));
  }
};
LOCKHOUSE_CONTRACT(Cancelling);

TEST_P(Cancelling, inTheTurnOfItsStartLeavesNothing) {
  for (const auto &policy : waitingPolicies())
    EXPECT_TRUE(std::holds_alternative<Cancelled>(party().owner(primitive(), "k").startCancelled(policy).get())) << policy.name();
}

TEST_P(Cancelling, withAnAskUnderWayGivesBackWhatIsGranted) {
  for (const auto &policy : waitingPolicies()) {
    SCOPED_TRACE(policy.name());
    auto &client = party();
    server->pause(); // the first asks, and when it has gone the second does
    expectCancelled(client, policy, [] { return true; });
    server->resume();
    expectNothingLeft();
  }
}

TEST_P(Cancelling, behindAHolderOfTheSameClientLeavesNothing) {
  for (const auto &policy : waitingPolicies()) {
    SCOPED_TRACE(policy.name());
    auto &client = party();
    auto &holder = client.owner(primitive(), "k");
    ASSERT_TRUE(holder.takes());
    server->pause(); // with pubsub the subscription is asked for and does not stand yet
    expectCancelled(client, policy, [] { return true; });
    server->resume();
    EXPECT_EQ(holder.release(), ReleaseOutcome::Released);
    expectNothingLeft();
  }
}

TEST_P(Cancelling, betweenTwoAsksLeavesNothing) {
  for (const auto &policy : waitingPolicies()) {
    SCOPED_TRACE(policy.name());
    takeAsStranger("k", 60s);
    auto &client = party();
    const auto before = client.commandsSent();
    const auto asks = (policy.kind == AcquirePolicy::Kind::PubSub ? 3U : 2U) * server->living(); // its SUBSCRIBE counts too
    expectCancelled(client, policy, [&] { return client.commandsSent() >= before + asks; });
    everywhere({"DEL", keyOf("k")});
    expectNothingLeft();
  }
}

/// The cancel comes so many turns of the loop after the start: before the grant at first, after it at last.
TEST_P(Cancelling, racesWithTheGrantAndLeavesNothing) {
  auto &client = party();
  auto &one = client.owner(primitive(), "k");
  for (int turns = 0; turns < 200; ++turns) {
    auto outcome = one.start(AcquirePolicy::backoff());
    client.turn(turns % 20);
    one.cancel();
    const auto result = outcome.get();
    if (std::holds_alternative<Acquired>(result)) {
      EXPECT_EQ(one.release(), ReleaseOutcome::Released);
    } else {
      EXPECT_TRUE(std::holds_alternative<Cancelled>(result));
      EXPECT_EQ(one.count(), 0);
    }
  }
}

TEST_P(Cancelling, afterTheGrantTakesNothingAway) {
  auto &one = party().owner(primitive(), "k");
  ASSERT_TRUE(std::holds_alternative<Acquired>(one.acquire()));
  one.cancel();
  EXPECT_TRUE(one.isHeld());
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
}

/// A RedLock or MultiLock counts its re-entries itself: there is no ask to be cancelled.
class CancellingAReentry : public LockContract {};
INSTANTIATE_TEST_SUITE_P(Every, CancellingAReentry,
                         testing::ValuesIn(worlds(
                             "CancellingAReentry", everyTopology, [](const Primitive &primitive) { return primitive.isReentrant(); },
                             std::not_fn(countsInClient))),
                         contractName);

TEST_P(CancellingAReentry, leavesTheHoldWhichIsReleasedOnce) {
  for (const auto &policy : waitingPolicies()) {
    SCOPED_TRACE(policy.name());
    auto &one = party().owner(primitive(), "k");
    ASSERT_TRUE(std::holds_alternative<Acquired>(one.start(policy).get()));
    server->pause();
    auto again = one.start(policy);
    one.cancel();
    EXPECT_TRUE(std::holds_alternative<Cancelled>(again.get()));
    EXPECT_TRUE(one.isHeld());
    EXPECT_EQ(one.count(), 1);
    auto releasing = one.startRelease(); // behind the ask, which is granted yet
    server->resume();
    EXPECT_EQ(releasing.get(), ReleaseOutcome::Released);
    expectNothingLeft();
  }
}

TEST_P(CancellingAReentry, leavesTheHoldWhichIsEnteredAgain) {
  for (const auto &policy : waitingPolicies()) {
    SCOPED_TRACE(policy.name());
    auto &one = party().owner(primitive(), "k");
    ASSERT_TRUE(std::holds_alternative<Acquired>(one.start(policy).get()));
    server->pause();
    auto cancelled = one.start(policy);
    one.cancel();
    auto again = one.start(policy);
    server->resume();
    const auto outcome = again.get();
    ASSERT_TRUE(std::holds_alternative<Acquired>(outcome));
    EXPECT_EQ(std::get<Acquired>(outcome).count, 2);
    EXPECT_EQ(one.release(), ReleaseOutcome::StillHeld);
    EXPECT_EQ(one.release(), ReleaseOutcome::Released);
    expectNothingLeft();
  }
}

TEST_P(Cancelling, byTheEndOfTheHandleLeavesNothing) {
  takeAsStranger("k", 60s);
  for (const auto &policy : waitingPolicies()) {
    auto &client = party();
    auto &waiter = client.owner(primitive(), "k");
    const auto before = client.commandsSent();
    auto waiting = waiter.start(policy);
    ASSERT_TRUE(eventually([&] { return client.commandsSent() >= before + 2 * server->living(); }));
    waiter.destroy();
    EXPECT_TRUE(std::holds_alternative<Cancelled>(waiting.get()));
  }
  everywhere({"DEL", keyOf("k")});
}

class CancelStorm : public LockContract {};
INSTANTIATE_TEST_SUITE_P(Every, CancelStorm,
                         testing::ValuesIn(worlds("CancelStorm", {Topology::UnixSocket}, anyPrimitive, [](Making making) { return making == Making::Alone; })),
                         contractName);

/// Else callers who give up sooner than the server answers would pile up asks there, before which nobody gets an answer.
TEST_P(CancelStorm, asksTheServerOnlyAsOftenAsItAnswers) {
  auto &client = party();
  ASSERT_TRUE(client.isReady());
  const auto policy = waitingPolicies().front();
  auto &holder = client.owner(primitive(), "k");
  ASSERT_TRUE(holder.takes());
  EXPECT_EQ(holder.release(), ReleaseOutcome::Released);
  const auto before = client.commandsSent();
  server->pause();
  for (int i = 0; i < 200; ++i) {
    auto &owner = client.owner(primitive(), "k");
    auto waiting = owner.start(policy);
    client.turn(1);
    owner.cancel();
    EXPECT_TRUE(std::holds_alternative<Cancelled>(waiting.get()));
  }
  EXPECT_LE(client.commandsSent() - before, 20U) << "sixteen asks, and what little else there is to say";
  auto &patient = client.owner(primitive(), "k");
  auto waiting = patient.start(policy);
  server->resume();
  EXPECT_TRUE(std::holds_alternative<Acquired>(waiting.get()));
  EXPECT_EQ(patient.release(), ReleaseOutcome::Released);
  expectNothingLeft();
}
