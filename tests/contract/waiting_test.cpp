// SPDX-License-Identifier: Apache-2.0
// Waiting, and its ends: in, too late. cancelling_test.cpp has the rest.
#include "tests/contract/lock_world.h"

using namespace lockhouse;
using namespace lockhouse::test;

class Waiting : public LockContract {};
LOCKHOUSE_CONTRACT(Waiting);

TEST_P(Waiting, getsInWhenTheHolderOfAnotherClientReleases) {
  for (const auto &policy : waitingPolicies(primitive())) {
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

TEST_P(Waiting, byPubSubLeavesNoSubscriptionThoughTheLineWasLostBeforeItStood) {
  takeAsStranger("k", 60s);
  auto &client = party();
  const auto clients = [&] {
    const auto info = probe().text({"INFO", "clients"});
    return info.substr(info.find("connected_clients:"), info.find("cluster_connections:") - info.find("connected_clients:"));
  };
  const auto before = clients();
  probe()({"CONFIG", "SET", "maxclients", "2"}); // those of the probe and the party: the subscriber is turned away
  auto &waiter = client.owner(primitive(), "k");
  auto waiting = waiter.start(AcquirePolicy::pubSub());
  ASSERT_TRUE(eventually([&] { return probe().text({"INFO", "stats"}).find("rejected_connections:0") == std::string::npos; }));
  probe()({"CONFIG", "SET", "maxclients", "100"});
  ASSERT_TRUE(eventually([&] { return clients() != before; })) << "the subscriber's line is up";
  waiter.cancel();
  waiting.get();
  auto again = waiter.start(AcquirePolicy::pubSub(1h)); // listens as if for the first time
  ASSERT_TRUE(eventually([&] { return probe()({"PUBSUB", "CHANNELS"}).array().size() == 1; }));
  waiter.cancel();
  again.get();
  probe()({"DEL", "k"});
  expectNothingLeft();
}

TEST_P(Waiting, getsInWhenWhatWasGrantedTooLateIsGivenBack) {
  takeAsStranger("k", 1h);
  auto &client = party();
  auto &waiter = client.owner(primitive(), "k");
  auto &late = client.owner(primitive(), "k");
  auto waiting = waiter.start(AcquirePolicy::pubSub(1h));
  const auto channel = primitive().wakeChannel(LockName("k")).bytes();
  ASSERT_TRUE(eventually([&] { return probe()({"PUBSUB", "NUMSUB", channel}).array().at(1).integer() == 1; }));
  ASSERT_TRUE(eventually([&] { return probe().calls("evalsha") + probe().calls("eval") >= 2; })) << "asked again, and asleep now";
  probe()({"DEL", "k"}); // nobody is told
  server->pause();
  auto asking = late.start(AcquirePolicy::tryOnce());
  late.cancel();
  EXPECT_TRUE(std::holds_alternative<Cancelled>(asking.get()));
  server->resume();
  ASSERT_EQ(waiting.wait_for(20s), std::future_status::ready) << "long before the poll";
  EXPECT_TRUE(std::holds_alternative<Acquired>(waiting.get()));
  EXPECT_EQ(waiter.release(), ReleaseOutcome::Released);
}

TEST_P(Waiting, getsInThoughTheServerHadToBeTaughtTheRelease) {
  auto &client = party();
  auto &holder = client.owner(primitive(), "k");
  auto &waiter = client.owner(primitive(), "k");
  ASSERT_TRUE(holder.takes());
  const auto asks = [&] { return probe().calls("set") + probe().calls("evalsha"); };
  const auto before = asks();
  auto waiting = waiter.start(AcquirePolicy::pubSub(1h));
  ASSERT_TRUE(eventually([&] { return asks() > before; })) << "it listens, and has asked";
  EXPECT_EQ(holder.release(), ReleaseOutcome::Released); // the server's first: it arrives as EVAL, behind the ask of the next in line
  ASSERT_EQ(waiting.wait_for(20s), std::future_status::ready) << "long before the poll and the lease end";
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
  for (const auto &policy : waitingPolicies(primitive()))
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
