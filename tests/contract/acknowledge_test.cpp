// SPDX-License-Identifier: Apache-2.0
// A hold that counts only when replicas have it: every primitive on a node with two replicas.
#include "tests/contract/world/lock_world.h"
#include "tests/support/proxy.h"

#include <gmock/gmock.h>

#include <array>

using namespace lockhouse;
using namespace lockhouse::test;
using testing::HasSubstr;

class Acknowledging : public LockContract {
protected:
  void SetUp() override {
    LockContract::SetUp();
    for (int i = 0; i < 2; ++i) {
      auto started = startReplica(server->tcpUri());
      ASSERT_TRUE(started) << started.error().sentence();
      m_replicas.push_back(std::move(*started));
    }
    probe()({"CONFIG", "SET", "repl-diskless-sync-delay", "0"});
    ASSERT_TRUE(eventually([this] { return probe().isFollowedBy(2); })) << probe().text({"INFO", "replication"});
    waitsBefore = probe().calls("wait");
  }
  void TearDown() override {
    for (auto &replica : m_replicas)
      replica.resume();
    LockContract::TearDown();
  }

  Sandbox &replica(std::size_t index) { return m_replicas.at(index); }
  void pauseReplicas() {
    for (auto &replica : m_replicas)
      replica.pause();
  }
  std::uint64_t waitsBefore = 0;
  static std::optional<Acknowledged> acknowledged(const AcquireOutcome &outcome) {
    const auto *acquired = std::get_if<Acquired>(&outcome);
    return acquired != nullptr ? acquired->acknowledged : std::nullopt;
  }
  static std::optional<Error> error(const AcquireOutcome &outcome) {
    const auto *failed = std::get_if<Failed>(&outcome);
    return failed != nullptr ? std::optional(failed->error) : std::nullopt;
  }

private:
  std::vector<Sandbox> m_replicas;
};
INSTANTIATE_TEST_SUITE_P(Every, Acknowledging, testing::Combine(testing::ValuesIn(primitiveNames()), testing::Values(Topology::UnixSocket)), contractName);

TEST_P(Acknowledging, aHoldThatIsToldIsOnTheReplicas) {
  auto &one = party().owner(primitive(), "k", {.acknowledge = ReplicaAck::by(2)});
  const auto outcome = one.tryAcquire();
  ASSERT_TRUE(acknowledged(outcome)) << (error(outcome) ? error(outcome)->sentence() : "");
  EXPECT_EQ(*acknowledged(outcome), (Acknowledged{.replicas = 2, .wanted = 2}));
  EXPECT_EQ(probe().calls("wait"), waitsBefore + 1);
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);

  auto &plain = party().owner(primitive(), "k");
  const auto unasked = plain.tryAcquire();
  ASSERT_TRUE(std::holds_alternative<Acquired>(unasked));
  EXPECT_FALSE(acknowledged(unasked));
  EXPECT_EQ(plain.release(), ReleaseOutcome::Released);
}

TEST_P(Acknowledging, mostAndAllAreCountedByTheNodesOwnList) {
  auto &most = party().owner(primitive(), "k", {.acknowledge = ReplicaAck::majority()});
  const auto byMost = acknowledged(most.tryAcquire());
  ASSERT_TRUE(byMost);
  EXPECT_EQ(byMost->wanted, 1U) << "two of three copies, the node's own among them";
  EXPECT_EQ(most.release(), ReleaseOutcome::Released);
  auto &all = party().owner(primitive(), "k", {.acknowledge = ReplicaAck::all()});
  const auto byAll = acknowledged(all.tryAcquire());
  ASSERT_TRUE(byAll);
  EXPECT_EQ(*byAll, (Acknowledged{.replicas = 2, .wanted = 2}));
  EXPECT_EQ(all.release(), ReleaseOutcome::Released);
}

TEST_P(Acknowledging, aHoldThatFallsShortIsUndoneAndSaysByHowMuch) {
  replica(0).pause();
  auto &one = party().owner(primitive(), "k", {.acknowledge = ReplicaAck::by(2, 400ms)});
  const auto why = error(one.tryAcquire());
  ASSERT_TRUE(why);
  EXPECT_EQ(why->code, ErrorCode::TooFewCopies);
  EXPECT_THAT(why->sentence(), HasSubstr("acked 1 of 2"));
  EXPECT_FALSE(one.isHeld());
  expectNothingLeft();
  auto &most = party().owner(primitive(), "k", {.acknowledge = ReplicaAck::majority()});
  EXPECT_TRUE(most.takes()) << "one of two is enough for most copies";
  EXPECT_EQ(most.release(), ReleaseOutcome::Released);
}

TEST_P(Acknowledging, theWaitLimitBoundsItAndOtherLocksOfTheClientDoNotWait) {
  auto &both = party();
  pauseReplicas();
  auto &one = both.owner(primitive(), "k", {.acknowledge = ReplicaAck::by(1, 1h)});
  auto waiting = one.start(primitive().defaultPolicy(), 300ms);
  auto &other = both.owner(primitive(), "other");
  EXPECT_TRUE(other.takes()) << "WAIT holds up its own connection only";
  EXPECT_EQ(other.release(), ReleaseOutcome::Released);
  ASSERT_EQ(waiting.wait_for(20s), std::future_status::ready);
  const auto why = error(waiting.get());
  ASSERT_TRUE(why);
  EXPECT_EQ(why->code, ErrorCode::TooFewCopies);
}

TEST_P(Acknowledging, whoHasNoTimeToWaitIsAcknowledgedAllTheSame) {
  auto &one = party().owner(primitive(), "k", {.acknowledge = ReplicaAck::by(2, 5s)});
  EXPECT_TRUE(acknowledged(one.start(primitive().defaultPolicy(), 0ms).get()));
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
}

TEST_P(Acknowledging, aCancelledAcquireThatWaitsForReplicasLeavesNothing) {
  pauseReplicas();
  auto &one = party().owner(primitive(), "k", {.acknowledge = ReplicaAck::by(1, 300ms)});
  auto waiting = one.start();
  ASSERT_TRUE(eventually([this] { return probe().text({"CLIENT", "LIST"}).find("cmd=wait") != std::string::npos; }));
  one.cancel();
  ASSERT_EQ(waiting.wait_for(20s), std::future_status::ready);
  EXPECT_TRUE(std::holds_alternative<Cancelled>(waiting.get()));
}

TEST_P(Acknowledging, aWaiterWhoseTurnComesIsAcknowledgedToo) {
  auto &holder = party().owner(primitive(), "k");
  ASSERT_TRUE(holder.takes());
  auto &waiter = party().owner(primitive(), "k", {.acknowledge = ReplicaAck::by(2, 5s)});
  auto waiting = waiter.start();
  EXPECT_EQ(waiting.wait_for(50ms), std::future_status::timeout);
  EXPECT_EQ(holder.release(), ReleaseOutcome::Released);
  ASSERT_EQ(waiting.wait_for(40s), std::future_status::ready);
  EXPECT_TRUE(acknowledged(waiting.get()));
  EXPECT_EQ(waiter.release(), ReleaseOutcome::Released);
}

/// The ask of the next in line goes by another connection than the release before it, and may overtake it.
TEST_P(Acknowledging, whoeverIsNextInLineIsNotLeftToItsPoll) {
  const auto policy = listeningPolicy(primitive()).value_or(primitive().defaultPolicy());
  const LockOptions options{.policy = policy, .acknowledge = ReplicaAck::by(1, 10s)};
  auto &client = party();
  std::array<Owner *, 2> owners{&client.owner(primitive(), "k", options), &client.owner(primitive(), "k", options)};
  ASSERT_TRUE(std::holds_alternative<Acquired>(owners[0]->acquire()));
  for (std::size_t i = 0; i < 200; ++i) {
    auto waiting = owners[(i + 1) % 2]->start();
    probe()({"SCRIPT", "FLUSH"}); // the release has to be sent again
    ASSERT_EQ(owners[i % 2]->release(), ReleaseOutcome::Released);
    ASSERT_EQ(waiting.wait_for(20s), std::future_status::ready) << "after " << i;
    ASSERT_TRUE(std::holds_alternative<Acquired>(waiting.get()));
  }
  EXPECT_EQ(owners[0]->release(), ReleaseOutcome::Released);
}

// One primitive shows what is no primitive's own.
using AcknowledgingMutex = Acknowledging;
INSTANTIATE_TEST_SUITE_P(Mutex, AcknowledgingMutex, testing::Combine(testing::Values("Mutex"), testing::Values(Topology::UnixSocket)), contractName);

TEST_P(AcknowledgingMutex, aNodeWithoutReplicasIsRefused) {
  auto alone = Sandbox::start({});
  ASSERT_TRUE(alone);
  auto &lonely = partyAt(alone->unixUri());
  auto &one = lonely.owner(primitive(), "k", {.acknowledge = ReplicaAck::majority()});
  const auto why = error(one.tryAcquire());
  EXPECT_TRUE(eventually([&] { return lonely.isSettled(); })) << "given back, while its server is there";
  ASSERT_TRUE(why);
  EXPECT_EQ(why->code, ErrorCode::TooFewCopies);
  EXPECT_THAT(why->what.english(), HasSubstr("no replica"));
}

TEST_P(AcknowledgingMutex, aUserWithoutTheRightToWaitGetsTheServersReasonAndNoHold) {
  probe()({"ACL", "SETUSER", "default", "-wait"});
  auto &one = party().owner(primitive(), "k", {.acknowledge = ReplicaAck::by(1)});
  const auto why = error(one.tryAcquire());
  probe()({"ACL", "SETUSER", "default", "+wait"});
  ASSERT_TRUE(why);
  EXPECT_EQ(why->code, ErrorCode::NotPermitted);
  EXPECT_FALSE(one.isHeld());
}

TEST_P(AcknowledgingMutex, aLostLineWhileReplicasAreAwaitedGivesBackWhatWasGranted) {
  pauseReplicas();
  auto &one = party().owner(primitive(), "k", {.acknowledge = ReplicaAck::by(1, 20s)});
  auto waiting = one.start();
  std::string line;
  ASSERT_TRUE(eventually([&] {
    const auto clients = probe().text({"CLIENT", "LIST"});
    const auto at = clients.find("cmd=wait");
    if (at == std::string::npos)
      return false;
    const auto begin = clients.rfind("id=", at) + 3;
    line = clients.substr(begin, clients.find(' ', begin) - begin);
    return true;
  }));
  probe()({"CLIENT", "KILL", "ID", line});
  ASSERT_EQ(waiting.wait_for(20s), std::future_status::ready);
  EXPECT_TRUE(error(waiting.get()));
  EXPECT_TRUE(eventually([&] { return !keyExists("k"); }));
}
