// SPDX-License-Identifier: Apache-2.0
// What HandoffLock does when waiters of one client stand right behind one another: up to four of them have it in their order for one
// release at the server.
#include "tests/contract/world/lock_world.h"

#include <algorithm>

using namespace lockhouse;
using namespace lockhouse::test;

class HandoffRun : public LockContract {
protected:
  struct Waiter {
    Owner *owner;
    std::future<AcquireOutcome> outcome;
  };

  std::int64_t queued() { return probe().number({"ZCARD", "lockhouse:queue:{k}"}); }
  /// Stands behind all who stand there.
  Waiter stands(Party &client, const LockOptions &options = {.policy = AcquirePolicy::fair()}) {
    const auto before = queued();
    Waiter waiter{&client.owner(primitive(), "k", options), {}};
    waiter.outcome = waiter.owner->start();
    EXPECT_TRUE(eventually([&] { return queued() == before + 1; }));
    return waiter;
  }
  std::vector<Waiter> line(Party &client, int length, const LockOptions &options = {.policy = AcquirePolicy::fair()}) {
    std::vector<Waiter> waiters;
    for (int i = 0; i < length; ++i)
      waiters.push_back(stands(client, options));
    return waiters;
  }
  /// Another client has it.
  Owner &taken() {
    auto &holder = party().owner(primitive(), "k");
    EXPECT_TRUE(holder.takes());
    return holder;
  }
  /// Its fence; 0 if it did not get in.
  static std::uint64_t getsIn(Waiter &waiter) {
    const auto outcome = waiter.outcome.get();
    const auto *acquired = std::get_if<Acquired>(&outcome);
    return acquired != nullptr && acquired->fence ? acquired->fence->value : 0;
  }
  /// Each in turn, and nobody before its turn; its fence is greater than that of the one before.
  void getInInTurn(std::vector<Waiter> &waiters) {
    std::uint64_t last = 0;
    for (std::size_t i = 0; i < waiters.size(); ++i) {
      const auto fence = getsIn(waiters[i]);
      ASSERT_GT(fence, last) << i;
      last = fence;
      for (std::size_t later = i + 1; later < waiters.size(); ++later)
        EXPECT_EQ(waiters[later].outcome.wait_for(0s), std::future_status::timeout) << later << " while " << i << " is in";
      EXPECT_EQ(waiters[i].owner->release(), ReleaseOutcome::Released) << i;
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Every, HandoffRun, testing::Combine(testing::Values("HandoffLock"), testing::Values(Topology::UnixSocket)), contractName);

TEST_P(HandoffRun, keepsTheOrderOfThePlacesAmongAllClients) {
  auto &one = party();
  auto &other = party();
  auto &holder = taken();
  std::vector<Waiter> waiters;
  for (auto *client : {&one, &one, &one, &one, &one, &other, &one, &one, &other, &other})
    waiters.push_back(stands(*client));
  EXPECT_EQ(holder.release(), ReleaseOutcome::Released);
  getInInTurn(waiters);
}

TEST_P(HandoffRun, keepsTheOrderThoughTheWordIsLost) {
  const LockOptions options{.lease = 1h, .policy = AcquirePolicy::fair()}; // nobody is helped by a poll
  auto &one = party();
  auto &other = party();
  auto &holder = taken();
  std::vector<Waiter> waiters;
  for (auto *client : {&one, &one, &one, &other, &one})
    waiters.push_back(stands(*client, options));
  ASSERT_TRUE(eventually([&] { return probe()({"PUBSUB", "CHANNELS"}).array().size() == 2; }));
  probe()({"CLIENT", "KILL", "TYPE", "pubsub"});
  EXPECT_EQ(holder.release(), ReleaseOutcome::Released);
  getInInTurn(waiters);
}

TEST_P(HandoffRun, costsTheServerOneReleaseForFourHolds) {
  auto &client = party();
  auto &holder = taken();
  auto waiters = line(client, 8);
  ASSERT_TRUE(eventually([&] { return probe()({"PUBSUB", "CHANNELS"}).array().size() == 1; }));
  client.turn(20); // who asked before the inbox stood has asked again
  EXPECT_EQ(holder.release(), ReleaseOutcome::Released);
  ASSERT_TRUE(eventually([&] { return waiters.front().outcome.wait_for(0s) == std::future_status::ready; }));
  EXPECT_EQ(queued(), 7) << "who is to come has its place until then";
  const auto before = client.commandsSent();
  getInInTurn(waiters);
  EXPECT_EQ(client.commandsSent() - before, 2U);
}

TEST_P(HandoffRun, passesOverWhoGaveUpMeanwhile) {
  auto &client = party();
  auto &holder = taken();
  auto waiters = line(client, 4);
  EXPECT_EQ(holder.release(), ReleaseOutcome::Released);
  ASSERT_GT(getsIn(waiters[0]), 0U);
  for (const std::size_t gone : {1U, 3U}) {
    waiters[gone].owner->cancel();
    EXPECT_TRUE(std::holds_alternative<Cancelled>(waiters[gone].outcome.get()));
  }
  EXPECT_EQ(waiters[0].owner->release(), ReleaseOutcome::Released);
  ASSERT_GT(getsIn(waiters[2]), 0U);
  EXPECT_TRUE(keyExists("k"));
  EXPECT_EQ(waiters[2].owner->release(), ReleaseOutcome::Released);
  EXPECT_FALSE(keyExists("k"));
}

TEST_P(HandoffRun, isReleasedByTheOneInFrontWhenAllBehindGaveUp) {
  auto &client = party();
  auto &holder = taken();
  auto waiters = line(client, 3);
  auto &stranger = party();
  auto last = stands(stranger);
  EXPECT_EQ(holder.release(), ReleaseOutcome::Released);
  ASSERT_GT(getsIn(waiters[0]), 0U);
  auto releasing = waiters[0].owner->startRelease(); // is put off to hand it on, and then nobody wants it
  waiters[1].owner->cancel();
  waiters[2].owner->cancel();
  EXPECT_EQ(releasing.get(), ReleaseOutcome::Released);
  for (const std::size_t gone : {1U, 2U})
    if (const auto outcome = waiters[gone].outcome.get(); std::holds_alternative<Acquired>(outcome)) {
      EXPECT_EQ(waiters[gone].owner->release(), ReleaseOutcome::Released); // its turn had come first
    }
  ASSERT_GT(getsIn(last), 0U);
  EXPECT_EQ(last.owner->release(), ReleaseOutcome::Released);
}

TEST_P(HandoffRun, beginsBehindAFirstOneWhoIsGone) {
  auto &client = party();
  auto &holder = client.owner(primitive(), "k");
  const auto outcome = holder.acquire();
  ASSERT_TRUE(std::holds_alternative<Acquired>(outcome));
  const auto token = std::get<Acquired>(outcome).token.bytes();
  probe()({"ZADD", "lockhouse:queue:{k}", "1", token.substr(0, token.rfind(':')) + ":99999"});
  auto waiters = line(client, 3);
  EXPECT_EQ(holder.release(), ReleaseOutcome::Released);
  ASSERT_TRUE(eventually([&] { return waiters.front().outcome.wait_for(0s) == std::future_status::ready; }));
  EXPECT_EQ(queued(), 2);
  getInInTurn(waiters);
}

/// Else who comes last would have the rest of the first one's lease.
TEST_P(HandoffRun, goesOnByTheServerWhenTheLeaseIsNearItsEnd) {
  const LockOptions options{.lease = 2400ms, .policy = AcquirePolicy::fair(), .renew = false};
  auto &client = party();
  auto &holder = taken();
  auto waiters = line(client, 2, options);
  const auto places = probe()({"ZRANGE", "lockhouse:queue:{k}", "1", "1"});
  const std::string second(places.array().at(0).text().value());
  auto behind = stands(party(), {.policy = AcquirePolicy::fair()});
  EXPECT_EQ(holder.release(), ReleaseOutcome::Released);
  ASSERT_GT(getsIn(waiters[0]), 0U);
  ASSERT_TRUE(eventually([&] { return probe().number({"PTTL", "k"}) < 750; }));
  waiters[0].owner->release();
  ASSERT_GT(getsIn(waiters[1]), 0U);
  EXPECT_TRUE(probe().text({"GET", "k"}).starts_with(second + ":"));
  EXPECT_EQ(waiters[1].owner->release(), ReleaseOutcome::Released);
  ASSERT_GT(getsIn(behind), 0U);
  EXPECT_EQ(behind.owner->release(), ReleaseOutcome::Released);
}

/// The client itself knows of the newer grant by then.
TEST_P(HandoffRun, isNotHandedOnBesideANewerGrant) {
  const LockOptions options{.lease = 1h, .policy = AcquirePolicy::fair()};
  auto &client = party();
  auto &holder = taken();
  auto waiters = line(client, 3, options);
  EXPECT_EQ(holder.release(), ReleaseOutcome::Released);
  ASSERT_GT(getsIn(waiters[0]), 0U);
  deleteWhole("k");
  auto &stranger = party().owner(primitive(), "k", options);
  auto waiting = stranger.start(); // finds it free, and the second first in line
  const auto newer = getsIn(waiters[1]);
  ASSERT_GT(newer, 0U);
  EXPECT_EQ(waiters[0].owner->release(), ReleaseOutcome::NotOwner);
  client.turn(50);
  EXPECT_EQ(waiters[2].outcome.wait_for(0s), std::future_status::timeout);
  EXPECT_EQ(waiters[1].owner->release(), ReleaseOutcome::Released);
  EXPECT_GT(getsIn(waiters[2]), newer);
  EXPECT_EQ(waiters[2].owner->release(), ReleaseOutcome::Released);
  EXPECT_TRUE(std::holds_alternative<Acquired>(waiting.get()));
  EXPECT_EQ(stranger.release(), ReleaseOutcome::Released);
}

/// The first one may have been told by its own ask, and have released it since.
TEST_P(HandoffRun, thatIsToldTooLateLetsNobodyIn) {
  auto &client = party();
  auto &holder = taken();
  auto waiters = line(client, 2);
  const auto places = probe()({"ZRANGE", "lockhouse:queue:{k}", "0", "-1"});
  std::string uuid;
  std::string numbers = "99999";
  for (const auto &place : places.array()) {
    const std::string token(place.text().value());
    uuid = token.substr(0, token.rfind(':'));
    numbers += "," + token.substr(token.rfind(':') + 1);
  }
  ASSERT_TRUE(eventually([&] { return probe()({"PUBSUB", "CHANNELS"}).array().size() == 1; }));
  const auto commands = client.commandsSent();
  EXPECT_EQ(probe().number({"PUBLISH", "lockhouse:inbox:" + uuid, "HandoffLock " + numbers + " 9007199254740992 k"}), 1);
  EXPECT_TRUE(eventually([&] { return client.commandsSent() > commands; })) << "the server is asked whose it is";
  client.turn(50);
  for (auto &waiter : waiters)
    EXPECT_EQ(waiter.outcome.wait_for(0s), std::future_status::timeout);
  EXPECT_TRUE(holder.isHeld());
  EXPECT_EQ(holder.release(), ReleaseOutcome::Released);
  getInInTurn(waiters);
}

TEST_P(HandoffRun, whoseHoldIsLostAsksAtOnce) {
  const LockOptions options{.lease = 1h, .policy = AcquirePolicy::fair()};
  auto &client = party();
  auto &holder = taken();
  std::vector<Waiter> waiters;
  waiters.push_back(stands(client, {.lease = 600ms, .policy = AcquirePolicy::fair()}));
  for (int i = 0; i < 3; ++i)
    waiters.push_back(stands(client, options));
  EXPECT_EQ(holder.release(), ReleaseOutcome::Released);
  ASSERT_GT(getsIn(waiters[0]), 0U);
  deleteWhole("k");
  EXPECT_TRUE(eventually([&] { return waiters[0].owner->loss().has_value(); })) << "told by a renewal";
  waiters.erase(waiters.begin());
  std::vector<std::jthread> threads;
  std::atomic<int> in = 0;
  for (auto &waiter : waiters)
    threads.emplace_back([&] {
      in += getsIn(waiter) > 0 ? 1 : 0;
      EXPECT_EQ(waiter.owner->release(), ReleaseOutcome::Released);
    });
  threads.clear();
  EXPECT_EQ(in, 3) << "their own polls are far away";
}

/// What was granted to others is not acknowledged for them, so they have to ask by their own connection.
TEST_P(HandoffRun, doesNotTakeInWhoWantsReplicasToAcknowledge) {
  auto &client = party();
  auto &holder = taken();
  const LockOptions acknowledged{.policy = AcquirePolicy::fair(), .acknowledge = ReplicaAck::majority()};
  std::vector<Waiter> waiters;
  for (const bool wants : {false, true, true, false, false})
    waiters.push_back(wants ? stands(client, acknowledged) : stands(client));
  EXPECT_EQ(holder.release(), ReleaseOutcome::Released);
  ASSERT_GT(getsIn(waiters[0]), 0U);
  EXPECT_EQ(waiters[0].owner->release(), ReleaseOutcome::Released);
  for (const std::size_t refused : {1U, 2U})
    EXPECT_TRUE(std::holds_alternative<Failed>(waiters[refused].outcome.get())) << "there are no replicas";
  for (const std::size_t in : {3U, 4U}) {
    EXPECT_GT(getsIn(waiters[in]), 0U);
    EXPECT_EQ(waiters[in].owner->release(), ReleaseOutcome::Released);
  }
}

using AcknowledgedHandoff = HandoffRun;
INSTANTIATE_TEST_SUITE_P(Every, AcknowledgedHandoff, testing::Combine(testing::Values("HandoffLock"), testing::Values(Topology::Replicas)), contractName);

TEST_P(AcknowledgedHandoff, isInTheOrderOfThePlaces) {
  auto &client = party();
  auto &holder = taken();
  auto waiters = line(client, 5);
  EXPECT_EQ(holder.release(), ReleaseOutcome::Released);
  getInInTurn(waiters);
}

TEST_P(HandoffRun, goesOnBehindACohortWithGreaterFences) {
  auto &client = party();
  auto &holder = taken();
  const LockOptions cohort{.policy = AcquirePolicy::cohort()};
  std::vector<Waiter> waiters;
  waiters.push_back(stands(client, cohort));
  for (int i = 0; i < 70; ++i) { // more than a grant has fences
    waiters.push_back({&client.owner(primitive(), "k", cohort), {}});
    waiters.back().outcome = waiters.back().owner->start();
  }
  auto behind = line(client, 2);
  EXPECT_EQ(holder.release(), ReleaseOutcome::Released);
  std::vector<std::uint64_t> fences;
  const auto inTurn = [&](std::vector<Waiter> &line, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      fences.push_back(getsIn(line.front()));
      EXPECT_EQ(line.front().owner->release(), ReleaseOutcome::Released);
      line.erase(line.begin());
    }
  };
  inTurn(waiters, 64);
  ASSERT_EQ(waiters.front().outcome.wait_for(50ms), std::future_status::timeout) << "the grant has no fence for it any more";
  inTurn(behind, 2);
  inTurn(waiters, waiters.size());
  EXPECT_EQ(fences.size(), 73U);
  EXPECT_GT(fences.front(), 0U);
  EXPECT_TRUE(std::ranges::is_sorted(fences, std::less_equal<>{})) << "each is greater than the one before";
}
