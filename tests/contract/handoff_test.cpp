// SPDX-License-Identifier: Apache-2.0
// What HandoffLock promises beyond the others: order, handoff in one script, fences, dead waiters at the price of one lease.
#include "tests/contract/world/lock_world.h"

#include <gmock/gmock.h>

using namespace lockhouse;
using namespace lockhouse::test;
using testing::ElementsAre;

class Handoff : public LockContract {
protected:
  std::int64_t queued() { return probe().number({"ZCARD", "lockhouse:queue:{k}"}); }
  std::int64_t serverTime() {
    const Reply now = probe()({"TIME"});
    return std::stoll(std::string(now.array().at(0).text().value())) * 1000 + std::stoll(std::string(now.array().at(1).text().value())) / 1000;
  }
  /// Waiters whose process ended `left` before their deadline.
  void standDead(const std::string &client, int waiters, milliseconds left) {
    for (int i = 0; i < waiters; ++i)
      probe()({"ZADD", "lockhouse:queue:{k}", std::to_string(queued() + 1), client + ":" + std::to_string(i + 1)});
    probe()({"HSET", "lockhouse:deadlines:{k}", client, std::to_string(serverTime() + left.count())});
  }
  static Fence fence(const AcquireOutcome &outcome) { return std::get<Acquired>(outcome).fence.value_or(Fence{}); }
};
INSTANTIATE_TEST_SUITE_P(Every, Handoff, testing::Combine(testing::Values("HandoffLock"), testing::Values(Topology::UnixSocket)), contractName);

TEST_P(Handoff, isInTheOrderOfArrivalWhateverTheClients) {
  auto &holder = party().owner(primitive(), "k");
  ASSERT_TRUE(holder.takes());
  std::mutex mutex;
  std::vector<int> order;
  std::vector<std::jthread> threads;
  std::array<Party *, 3> clients{&party(), &party(), &party()};
  for (int i = 0; i < 12; ++i) {
    auto &waiter = clients[static_cast<std::size_t>(i % 3)]->owner(primitive(), "k");
    auto waiting = std::make_shared<std::future<AcquireOutcome>>(waiter.start(AcquirePolicy::fair()));
    ASSERT_TRUE(eventually([&] { return queued() == i + 1; }));
    threads.emplace_back([&, i, waiting] {
      const bool in = std::holds_alternative<Acquired>(waiting->get());
      {
        const std::scoped_lock guard(mutex);
        order.push_back(in ? i : -1);
      }
      waiter.release();
    });
  }
  EXPECT_EQ(holder.release(), ReleaseOutcome::Released);
  threads.clear();
  EXPECT_THAT(order, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
}

TEST_P(Handoff, aFenceThatCannotGrowIsAnErrorNotAFenceThatStands) {
  for (const auto *written : {"9007199254740993000", "no fence"}) {
    everywhere({"SET", "lockhouse:fence:{k}", written});
    const auto outcome = party().owner(primitive(), "k").tryAcquire();
    ASSERT_TRUE(std::holds_alternative<Failed>(outcome)) << written;
    EXPECT_THAT(std::get<Failed>(outcome).error.sentence(), testing::HasSubstr("with the fence holds no number that can grow; delete it"));
    EXPECT_EQ(probe().text({"GET", "lockhouse:fence:{k}"}), written);
  }
  everywhere({"DEL", "lockhouse:fence:{k}"});
}

TEST_P(Handoff, ofSixteenBargingReleasesTheLastGoesToTheFirstInLine) {
  auto &client = party();
  const std::string other = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01";
  standDead(other, 1, 1h);
  for (int i = 1; i <= 16; ++i) {
    auto &barger = client.owner(primitive(), "k", {.lease = 1h, .policy = AcquirePolicy::barging()});
    ASSERT_TRUE(std::holds_alternative<Acquired>(barger.acquire())) << i;
    EXPECT_EQ(barger.release(), ReleaseOutcome::Released);
    EXPECT_EQ(queued(), i < 16 ? 1 : 0) << i;
  }
  EXPECT_TRUE(probe().text({"GET", "k"}).starts_with(other + ":1:"));
  everywhere({"DEL", "k", "lockhouse:deadlines:{k}"});
}

/// Of the barging policy: whoever was told that it is free may be gone before it asks.
TEST_P(Handoff, theNextIsToldWhenTheOneWhoWasToldGivesUpItsPlace) {
  const LockOptions options{.lease = 1h, .policy = AcquirePolicy::barging()};
  auto &holder = party().owner(primitive(), "k", options);
  ASSERT_TRUE(std::holds_alternative<Acquired>(holder.acquire()));
  const std::string gone = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01";
  standDead(gone, 1, 1h);
  auto &client = party();
  std::array<Owner *, 2> owners{&client.owner(primitive(), "k", options), &party().owner(primitive(), "k", options)};
  std::vector<std::future<AcquireOutcome>> waits;
  for (auto *owner : owners) {
    waits.push_back(owner->start());
    ASSERT_TRUE(eventually([&] { return queued() == std::ssize(waits) + 1; }));
  }
  EXPECT_EQ(holder.release(), ReleaseOutcome::Released);
  const LockName key("k");
  const LockToken place(gone + ":1");
  const Command command = primitive().release({key, place, 1h, 0}, false);
  std::vector<std::string_view> words{"EVAL", command.script()->body};
  for (std::size_t i = 2; i < command.size(); ++i)
    words.push_back(command[i]);
  EXPECT_EQ(primitive().readRelease(probe()(words)), ReleaseAnswer::Released);
  const auto oneMoreIsIn = [&] { // who barges may come before the other
    for (std::size_t i = 0; i < owners.size(); ++i)
      if (waits[i].valid() && waits[i].wait_for(0s) == std::future_status::ready) {
        EXPECT_TRUE(std::holds_alternative<Acquired>(waits[i].get()));
        EXPECT_EQ(owners[i]->release(), ReleaseOutcome::Released);
        return true;
      }
    return false;
  };
  EXPECT_TRUE(eventually(oneMoreIsIn)) << "long before the poll";
  EXPECT_TRUE(eventually(oneMoreIsIn));
}

TEST_P(Handoff, costsTheSameForOneWaiterAndForMany) {
  auto &client = party();
  auto &holder = client.owner(primitive(), "k");
  ASSERT_TRUE(holder.takes());
  std::vector<Owner *> waiters;
  std::vector<std::future<AcquireOutcome>> outcomes;
  for (int i = 0; i < 300; ++i) {
    waiters.push_back(&client.owner(primitive(), "k"));
    outcomes.push_back(waiters.back()->start());
  }
  ASSERT_TRUE(eventually([&] { return queued() == 300; }));
  const auto before = client.commandsSent();
  EXPECT_EQ(holder.release(), ReleaseOutcome::Released);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    ASSERT_TRUE(std::holds_alternative<Acquired>(outcomes[i].get()));
    ASSERT_EQ(waiters[i]->release(), ReleaseOutcome::Released);
  }
  EXPECT_LE(client.commandsSent() - before, 301U + 301U) << "a release each; and one ask each if the inbox did not stand when it asked first";
}

TEST_P(Handoff, anyNumberOfDeadWaitersCostsTheirLeaseOnce) {
  auto &holder = party().owner(primitive(), "k", {.lease = 2s});
  ASSERT_TRUE(holder.takes());
  for (int client = 0; client < 5; ++client)
    standDead("5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b0" + std::to_string(client), 40, 900ms);
  auto &waiter = party().owner(primitive(), "k", {.lease = 2s});
  const auto began = SteadyClock::now();
  auto waiting = waiter.start();
  ASSERT_TRUE(eventually([&] { return queued() == 201; }));
  EXPECT_EQ(holder.release(), ReleaseOutcome::Released);
  ASSERT_TRUE(std::holds_alternative<Acquired>(waiting.get()));
  EXPECT_LT(SteadyClock::now() - began, 40 * 900ms) << "not a lease for each";
  EXPECT_EQ(queued(), 0) << "whose clients are gone have no place any more";
  EXPECT_EQ(waiter.release(), ReleaseOutcome::Released);
}

TEST_P(Handoff, hasAGreaterFenceForEveryLaterHoldWhateverHappensBetween) {
  auto &holder = party().owner(primitive(), "k", {.lease = 300ms, .renew = false});
  Fence last{};
  const std::vector<std::vector<std::string_view>> between{{"PING"}, {"DEL", "k"}, {"FLUSHALL"}, {"SCRIPT", "FLUSH"}, {"DEL", "lockhouse:fence:{k}"}};
  for (const auto &words : between) {
    const auto outcome = holder.acquire();
    ASSERT_TRUE(std::holds_alternative<Acquired>(outcome));
    EXPECT_GT(fence(outcome), last) << words.front();
    last = fence(outcome);
    probe()(words);
    holder.release();
  }
  ASSERT_TRUE(holder.takes());
  EXPECT_TRUE(eventually([&] { return holder.loss().has_value() && !keyExists("k"); }));
  const auto outcome = holder.acquire();
  ASSERT_TRUE(std::holds_alternative<Acquired>(outcome));
  EXPECT_GT(fence(outcome), last);
  holder.release();
}

TEST_P(Handoff, growsTheFenceThoughTheClockWasSetBack) {
  auto &holder = party().owner(primitive(), "k");
  const auto future = std::to_string((serverTime() + 3'000'000) * 1000); // as if by a clock that was 50 minutes ahead
  probe()({"SET", "lockhouse:fence:{k}", future, "PX", "3600000"});
  const auto outcome = holder.acquire();
  ASSERT_TRUE(std::holds_alternative<Acquired>(outcome));
  EXPECT_GT(fence(outcome).value, std::stoull(future));
  EXPECT_EQ(holder.release(), ReleaseOutcome::Released);
}

TEST_P(Handoff, everybodyGetsInThoughTheDataIsFlushed) {
  auto &holder = party().owner(primitive(), "k", {.lease = 600ms});
  ASSERT_TRUE(holder.takes());
  auto &client = party();
  std::vector<Owner *> waiters;
  std::vector<std::future<AcquireOutcome>> outcomes;
  for (int i = 0; i < 5; ++i) {
    waiters.push_back(&client.owner(primitive(), "k", {.lease = 600ms}));
    outcomes.push_back(waiters.back()->start());
  }
  ASSERT_TRUE(eventually([&] { return queued() == 5; }));
  probe()({"FLUSHALL"});
  std::vector<std::jthread> threads;
  std::atomic<int> in = 0;
  for (std::size_t i = 0; i < outcomes.size(); ++i)
    threads.emplace_back([&, i] {
      in += std::holds_alternative<Acquired>(outcomes[i].get()) ? 1 : 0;
      waiters[i]->release();
    });
  threads.clear();
  EXPECT_EQ(in, 5);
  holder.release();
}

TEST_P(Handoff, aGrantThatNobodyOfTheClientWantsIsPassedOn) {
  auto &client = party();
  auto &holder = client.owner(primitive(), "k", {.lease = 30s});
  const auto outcome = holder.acquire();
  ASSERT_TRUE(std::holds_alternative<Acquired>(outcome));
  const auto token = std::get<Acquired>(outcome).token.bytes();
  standDead(token.substr(0, token.rfind(':')), 0, 60s);
  probe()({"ZADD", "lockhouse:queue:{k}", "1", token.substr(0, token.rfind(':')) + ":99999"});
  auto &waiter = client.owner(primitive(), "k", {.lease = 30s});
  auto waiting = waiter.start();
  ASSERT_TRUE(eventually([&] { return queued() == 2; }));
  EXPECT_EQ(holder.release(), ReleaseOutcome::Released);
  ASSERT_EQ(waiting.wait_for(20s), std::future_status::ready) << "long before the lease of the one that is nobody's";
  EXPECT_TRUE(std::holds_alternative<Acquired>(waiting.get()));
  EXPECT_EQ(waiter.release(), ReleaseOutcome::Released);
}

TEST_P(Handoff, whatIsNoGrantIsNotHeard) {
  auto &client = party();
  auto &holder = client.owner(primitive(), "k");
  const auto outcome = holder.acquire();
  ASSERT_TRUE(std::holds_alternative<Acquired>(outcome));
  const auto token = std::get<Acquired>(outcome).token.bytes();
  auto &waiter = client.owner(primitive(), "k");
  auto waiting = waiter.start();
  ASSERT_TRUE(eventually([&] { return probe()({"PUBSUB", "CHANNELS"}).array().size() == 1 && queued() == 1; }));
  const auto inbox = "lockhouse:inbox:" + token.substr(0, token.rfind(':'));
  for (const char *words : {"", " ", "x", "HandoffLock", "HandoffLock 1", "HandoffLock 1 2", "HandoffLock -1 9 k", "HandoffLock 1 99999999999999999999999 k",
                            "Mutex 1 2 k", "HandoffLock 77 9 other", "HandoffLock 2 1 k"})
    EXPECT_EQ(probe().number({"PUBLISH", inbox, words}), 1) << words;
  EXPECT_EQ(waiting.wait_for(100ms), std::future_status::timeout);
  EXPECT_TRUE(holder.isHeld());
  EXPECT_EQ(holder.release(), ReleaseOutcome::Released);
  EXPECT_TRUE(std::holds_alternative<Acquired>(waiting.get()));
  EXPECT_EQ(waiter.release(), ReleaseOutcome::Released);
}

TEST_P(Handoff, ofACohortAsksTheServerOnceForMany) {
  auto &client = party();
  auto &holder = client.owner(primitive(), "k", {.policy = AcquirePolicy::cohort()});
  ASSERT_TRUE(std::holds_alternative<Acquired>(holder.acquire()));
  std::vector<Owner *> waiters;
  std::vector<std::future<AcquireOutcome>> outcomes;
  for (int i = 0; i < 40; ++i) {
    waiters.push_back(&client.owner(primitive(), "k"));
    outcomes.push_back(waiters.back()->start(AcquirePolicy::cohort()));
  }
  const auto before = client.commandsSent();
  EXPECT_EQ(holder.release(), ReleaseOutcome::Released);
  Fence last{};
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const auto outcome = outcomes[i].get();
    ASSERT_TRUE(std::holds_alternative<Acquired>(outcome));
    EXPECT_GT(fence(outcome), last);
    last = fence(outcome);
    ASSERT_EQ(waiters[i]->release(), ReleaseOutcome::Released);
  }
  EXPECT_LE(client.commandsSent() - before, 3U) << "40 holds, and one release for all";
}

TEST_P(Handoff, ofACohortLetsOtherClientsInAfterSoMany) {
  auto &client = party({.connection = {}, .handoffLimit = 4, .releaseLimit = 3s});
  auto &holder = client.owner(primitive(), "k");
  ASSERT_TRUE(std::holds_alternative<Acquired>(holder.start(AcquirePolicy::cohort()).get()));
  auto &stranger = party().owner(primitive(), "k");
  auto strangers = stranger.start(AcquirePolicy::fair());
  ASSERT_TRUE(eventually([&] { return queued() == 1; }));
  std::vector<Owner *> waiters;
  std::vector<std::future<AcquireOutcome>> outcomes;
  for (int i = 0; i < 8; ++i) {
    waiters.push_back(&client.owner(primitive(), "k"));
    outcomes.push_back(waiters.back()->start(AcquirePolicy::cohort()));
  }
  holder.release();
  for (std::size_t i = 0; i < 3; ++i) {
    ASSERT_TRUE(std::holds_alternative<Acquired>(outcomes[i].get()));
    EXPECT_EQ(waiters[i]->release(), ReleaseOutcome::Released);
  }
  ASSERT_TRUE(std::holds_alternative<Acquired>(strangers.get())) << "the fourth hold of the cohort was its last in a row";
  EXPECT_EQ(outcomes[3].wait_for(50ms), std::future_status::timeout);
  EXPECT_EQ(stranger.release(), ReleaseOutcome::Released);
  for (std::size_t i = 3; i < outcomes.size(); ++i) {
    ASSERT_TRUE(std::holds_alternative<Acquired>(outcomes[i].get()));
    EXPECT_EQ(waiters[i]->release(), ReleaseOutcome::Released);
  }
}

/// Its own ask may have told it before: the grant is the one under which the successor has the lock.
TEST_P(Handoff, aWordThatComesAfterTheLockWasHandedOnTakesNothingFromTheHeir) {
  auto &client = party();
  auto &stranger = party().owner(primitive(), "k");
  ASSERT_TRUE(stranger.takes());
  auto &first = client.owner(primitive(), "k");
  auto &localSuccessor = client.owner(primitive(), "k");
  auto granted = first.start(AcquirePolicy::cohort());
  ASSERT_TRUE(eventually([&] { return queued() == 1; }));
  auto waiting = localSuccessor.start(AcquirePolicy::cohort());
  EXPECT_EQ(stranger.release(), ReleaseOutcome::Released);
  const auto outcome = granted.get();
  ASSERT_TRUE(std::holds_alternative<Acquired>(outcome));
  const auto token = std::get<Acquired>(outcome).token.bytes();
  auto &other = client.owner(primitive(), "other"); // so that the client listens
  everywhere({"SET", "other", "somebody", "PX", "60000"});
  auto listening = other.start(AcquirePolicy::fair());
  EXPECT_EQ(first.release(), ReleaseOutcome::Released);
  ASSERT_TRUE(std::holds_alternative<Acquired>(waiting.get()));
  const auto colon = token.rfind(':');
  const auto word = "HandoffLock " + token.substr(colon + 1) + " " + std::to_string(fence(outcome).value) + " k";
  ASSERT_TRUE(eventually([&] { return probe().number({"PUBLISH", "lockhouse:inbox:" + token.substr(0, colon), word}) == 1; }));
  client.turn(50);
  EXPECT_TRUE(keyExists("k"));
  EXPECT_EQ(localSuccessor.release(), ReleaseOutcome::Released);
  other.cancel();
  EXPECT_TRUE(std::holds_alternative<Cancelled>(listening.get()));
  everywhere({"DEL", "other"});
}

TEST_P(Handoff, whatIsNoPlaceAndNoTimeHoldsUpNobody) {
  const LockOptions options{.lease = 1h, .policy = AcquirePolicy::fair()};
  auto &client = party();
  for (const auto &policy : {AcquirePolicy::barging(), AcquirePolicy::fair()}) {
    SCOPED_TRACE(policy.name());
    auto &owner = client.owner(primitive(), "k", {.lease = 1h, .policy = policy});
    const auto outcome = owner.acquire();
    ASSERT_TRUE(std::holds_alternative<Acquired>(outcome));
    const auto token = std::get<Acquired>(outcome).token.bytes();
    const auto uuid = token.substr(0, token.rfind(':'));
    everywhere({"HSET", "lockhouse:deadlines:{k}", "barged", "x", "stranger", "inf", "other", "abc", uuid, "soon"});
    double place = 0;
    for (const auto &member : {std::string("no place"), std::string("stranger:1"), std::string("other:1"), uuid + ":2x"})
      everywhere({"ZADD", "lockhouse:queue:{k}", std::to_string(++place), member});
    auto &waiter = party().owner(primitive(), "k", options);
    auto waiting = waiter.start();
    ASSERT_TRUE(eventually([&] { return queued() == 5; }));
    EXPECT_EQ(owner.release(), ReleaseOutcome::Released);
    ASSERT_TRUE(std::holds_alternative<Acquired>(waiting.get()));
    EXPECT_EQ(waiter.release(), ReleaseOutcome::Released);
    EXPECT_EQ(queued(), 0);
  }
}

TEST_P(Handoff, aHeirWhoGaveUpMeanwhileLeavesNothing) {
  auto &client = party();
  auto &holder = client.owner(primitive(), "k");
  auto &localSuccessor = client.owner(primitive(), "k");
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(std::holds_alternative<Acquired>(holder.start(AcquirePolicy::cohort()).get()));
    auto waiting = localSuccessor.start(AcquirePolicy::cohort());
    auto releasing = holder.startRelease();
    client.turn(i % 4);
    localSuccessor.cancel();
    EXPECT_EQ(releasing.get(), ReleaseOutcome::Released);
    if (std::holds_alternative<Acquired>(waiting.get())) {
      EXPECT_EQ(localSuccessor.release(), ReleaseOutcome::Released);
    }
  }
}

TEST_P(Handoff, aHoldThatWasPassedOnIsRenewedToItsLease) {
  auto &holder = party().owner(primitive(), "k");
  ASSERT_TRUE(holder.takes());
  auto &waiter = party().owner(primitive(), "k", {.lease = 3s, .renew = false});
  auto waiting = waiter.start();
  ASSERT_TRUE(eventually([&] { return queued() == 1; }));
  ASSERT_TRUE(eventually([&] { return probe().number({"PTTL", "lockhouse:queue:{k}"}) < 2500; }));
  EXPECT_EQ(holder.release(), ReleaseOutcome::Released);
  ASSERT_TRUE(std::holds_alternative<Acquired>(waiting.get()));
  EXPECT_TRUE(eventually([&] { return probe().number({"PTTL", "k"}) > 2700; })) << "once, to have its whole lease";
  EXPECT_EQ(waiter.release(), ReleaseOutcome::Released);
}
