// SPDX-License-Identifier: Apache-2.0
// Waiting, and the ends of waiting: in, too late, cancelled.
#include "tests/contract/lock_world.h"

using namespace lockhouse;
using namespace lockhouse::test;

class Waiting : public LockContract {
protected:
  std::vector<AcquirePolicy> waitingPolicies() const {
    std::vector<AcquirePolicy> policies;
    for (const auto name : primitive().info().policies)
      if (const auto policy = AcquirePolicy::named(name).value(); policy.waits())
        policies.push_back(policy);
    return policies;
  }
};
LOCKHOUSE_CONTRACT(Waiting);

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

TEST_P(Waiting, byPubSubIsWokenLongBeforeThePollAndTheLeaseEnd) {
  const auto policy = AcquirePolicy::pubSub(1h);
  auto &holder = party().owner(primitive(), "k", {.policy = policy});
  ASSERT_TRUE(std::holds_alternative<Acquired>(holder.acquire()));
  auto &waiter = party().owner(primitive(), "k", {.policy = policy});
  auto waiting = waiter.start();
  ASSERT_TRUE(eventually([&] { return probe()({"PUBSUB", "CHANNELS"}).array().size() == 1; }));
  EXPECT_EQ(holder.release(), ReleaseOutcome::Released);
  ASSERT_EQ(waiting.wait_for(20s), std::future_status::ready) << "only a message can have woken it";
  EXPECT_TRUE(std::holds_alternative<Acquired>(waiting.get()));
  EXPECT_EQ(waiter.release(), ReleaseOutcome::Released);
}

TEST_P(Waiting, byPubSubGetsInThoughNobodyPublishes) {
  takeAsStranger("k", 300ms);
  auto &waiter = party().owner(primitive(), "k");
  auto waiting = waiter.start(AcquirePolicy::pubSub(1h));
  ASSERT_EQ(waiting.wait_for(20s), std::future_status::ready) << "an expired lock tells nobody; the time left does";
  EXPECT_TRUE(std::holds_alternative<Acquired>(waiting.get()));
  EXPECT_EQ(waiter.release(), ReleaseOutcome::Released);
}

TEST_P(Waiting, byPubSubSurvivesTheLossOfItsSubscription) {
  const auto policy = AcquirePolicy::pubSub(1h);
  auto &holder = party().owner(primitive(), "k", {.policy = policy});
  ASSERT_TRUE(std::holds_alternative<Acquired>(holder.acquire()));
  auto &waiter = party().owner(primitive(), "k", {.policy = policy});
  auto waiting = waiter.start();
  ASSERT_TRUE(eventually([&] { return probe()({"PUBSUB", "CHANNELS"}).array().size() == 1; }));
  probe()({"CLIENT", "KILL", "TYPE", "pubsub"});
  EXPECT_EQ(holder.release(), ReleaseOutcome::Released);
  ASSERT_EQ(waiting.wait_for(20s), std::future_status::ready);
  EXPECT_TRUE(std::holds_alternative<Acquired>(waiting.get()));
  EXPECT_EQ(waiter.release(), ReleaseOutcome::Released);
}

TEST_P(Waiting, byPubSubFallsBackToPollingWithoutTheRightToListen) {
  probe()({"ACL", "SETUSER", "deaf", "on", ">pw", "~*", "resetchannels", "+@all"});
  auto uri = node();
  uri.user = "deaf";
  uri.password = "pw";
  auto &deaf = partyAt(uri);
  auto &holder = deaf.owner(primitive(), "k");
  ASSERT_TRUE(holder.takes());
  auto &waiter = partyAt(uri).owner(primitive(), "k");
  auto waiting = waiter.start(AcquirePolicy::pubSub());
  EXPECT_EQ(waiting.wait_for(50ms), std::future_status::timeout);
  EXPECT_EQ(holder.release(), ReleaseOutcome::Released) << "who may not publish has released it all the same";
  EXPECT_TRUE(std::holds_alternative<Acquired>(waiting.get()));
  EXPECT_EQ(waiter.release(), ReleaseOutcome::Released);
}

TEST_P(Waiting, hasOneSubscriptionForAllWaitersOfAClient) {
  takeAsStranger("k", 60s);
  auto &client = party();
  std::vector<std::future<AcquireOutcome>> waits;
  for (int i = 0; i < 20; ++i)
    waits.push_back(client.owner(primitive(), "k").start(AcquirePolicy::pubSub(), 400ms));
  const auto channel = primitive().wakeChannel(LockName("k")).bytes();
  EXPECT_TRUE(eventually([&] { return probe()({"PUBSUB", "NUMSUB", channel}).array().at(1).integer() == 1; }));
  for (auto &wait : waits)
    EXPECT_TRUE(std::holds_alternative<TimedOut>(wait.get()));
  probe()({"DEL", "k"});
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
  probe()({"DEL", "k"});
}

TEST_P(Waiting, endsAtItsLimitThoughTheServerIsSilent) {
  auto &waiter = party({.connection = {.commandTimeout = 60s}, .handoffLimit = 64, .releaseLimit = 3s}).owner(primitive(), "k");
  server->pause();
  const auto outcome = waiter.start(AcquirePolicy::backoff(), 100ms).get();
  EXPECT_TRUE(std::holds_alternative<TimedOut>(outcome));
  server->resume();
}

TEST_P(Waiting, isCancelledAtEveryPointAndLeavesNothing) {
  for (const auto &policy : waitingPolicies()) {
    SCOPED_TRACE(policy.name());
    auto &client = party();
    auto &holder = client.owner(primitive(), "k");
    auto &first = client.owner(primitive(), "k");
    auto &second = client.owner(primitive(), "k");
    // Under way with the first ask, subscribing, asleep, first and second in line: the delay decides which.
    for (const auto delay : {0us, 50us, 200us, 1000us, 5000us, 20000us}) {
      ASSERT_TRUE(holder.takes());
      auto one = first.start(policy);
      auto two = second.start(policy);
      std::this_thread::sleep_for(delay);
      first.cancel();
      EXPECT_TRUE(std::holds_alternative<Cancelled>(one.get()));
      second.cancel();
      EXPECT_TRUE(std::holds_alternative<Cancelled>(two.get()));
      EXPECT_EQ(holder.release(), ReleaseOutcome::Released);
    }
    expectNothingLeft();
  }
}

TEST_P(Waiting, cancelRacesWithTheGrantAndLeavesNothing) {
  auto &client = party();
  auto &one = client.owner(primitive(), "k");
  int granted = 0;
  for (int i = 0; i < 500; ++i) {
    auto outcome = one.start(AcquirePolicy::backoff());
    if (i % 2 == 0)
      std::this_thread::sleep_for(std::chrono::microseconds(i % 100));
    one.cancel();
    const auto result = outcome.get();
    if (std::holds_alternative<Acquired>(result)) {
      ++granted;
      EXPECT_EQ(one.release(), ReleaseOutcome::Released);
    } else {
      EXPECT_TRUE(std::holds_alternative<Cancelled>(result));
      EXPECT_EQ(one.count(), 0);
    }
  }
  EXPECT_LT(granted, 500) << "some were cancelled in time";
}

TEST_P(Waiting, aHandleThatEndsWhileItWaitsLeavesNothing) {
  takeAsStranger("k", 60s);
  for (const auto &policy : waitingPolicies()) {
    auto &waiter = party().owner(primitive(), "k");
    auto waiting = waiter.start(policy);
    std::this_thread::sleep_for(5ms);
    waiter.destroy();
    EXPECT_TRUE(std::holds_alternative<Cancelled>(waiting.get()));
  }
  probe()({"DEL", "k"});
}

TEST_P(Waiting, aSecondAcquireOfAHandleUnderWayIsRefused) {
  takeAsStranger("k", 60s);
  auto &waiter = party().owner(primitive(), "k");
  auto waiting = waiter.start(AcquirePolicy::backoff());
  const auto second = waiter.tryAcquire();
  ASSERT_TRUE(std::holds_alternative<Failed>(second));
  EXPECT_EQ(std::get<Failed>(second).error.code, ErrorCode::Usage);
  waiter.cancel();
  probe()({"DEL", "k"});
}

TEST_P(Waiting, withoutAServerFailsInTimeAndSaysSo) {
  auto &one = party().owner(primitive(), "k", {.patience = 100ms});
  server->kill();
  const auto tried = eventually([&] { return std::holds_alternative<Failed>(one.tryAcquire()); });
  EXPECT_TRUE(tried);
  const auto outcome = one.start(AcquirePolicy::backoff()).get();
  ASSERT_TRUE(std::holds_alternative<Failed>(outcome));
  EXPECT_EQ(std::get<Failed>(outcome).error.code, ErrorCode::Unreachable);
  ASSERT_TRUE(server->restart());
  renewProbe();
}

TEST_P(Waiting, outlivesARestartOfTheServer) {
  auto &one = party({.connection = {.backoffBase = 5ms, .backoffCap = 50ms}, .handoffLimit = 64, .releaseLimit = 3s}).owner(primitive(), "k");
  server->kill();
  ASSERT_TRUE(eventually([&] { return std::holds_alternative<Failed>(one.tryAcquire()); }));
  auto waiting = one.start(AcquirePolicy::backoff(), 20s);
  ASSERT_TRUE(server->restart());
  renewProbe();
  EXPECT_TRUE(std::holds_alternative<Acquired>(waiting.get()));
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
}
