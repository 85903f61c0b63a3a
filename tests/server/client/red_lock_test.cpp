// SPDX-License-Identifier: Apache-2.0
// RedLocks over nodes that all answer.
#include "tests/server/client/quorum_house.h"

#include <algorithm>
#include <coroutine>
#include <future>

using namespace lockhouse;
using namespace lockhouse::test;

namespace {

class RedLocks : public QuorumHouse {};

std::string sentenceOf(const LockResult &result) { return result ? std::string() : result.error().sentence(); }

struct Task {
  struct promise_type {
    Task get_return_object() { return {}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

} // namespace

TEST_F(RedLocks, areHeldWithOneTokenAtEveryNodeAndGivenBackAtEveryNode) {
  for (const std::size_t nodes : {1U, 3U, 5U}) {
    servers.clear();
    proxies.clear();
    start(nodes);
    const auto quorum = connect();
    auto held = quorum->redLock(LockName("k")).acquire();
    ASSERT_TRUE(held) << sentenceOf(held);
    EXPECT_TRUE(held->isHeld());
    EXPECT_GT(held->validUntil(), SteadyClock::now() + 20s);
    EXPECT_TRUE(eventually([&] { return holders("k") == nodes; })) << "those that were not waited for have it too";
    for (std::size_t i = 0; i < nodes; ++i)
      EXPECT_EQ(valueAt(i, "k"), held->token().bytes());
    EXPECT_EQ(held->release(), ReleaseOutcome::Released);
    EXPECT_FALSE(held->isHeld());
    EXPECT_EQ(held->release(), ReleaseOutcome::NotOwner);
    EXPECT_TRUE(nothingIsLeft());
  }
}

TEST_F(RedLocks, refuseATryWithTheHolderAndEveryNodesVote) {
  start(3);
  const auto one = connect();
  const auto two = connect();
  auto held = one->redLock(LockName("k")).acquire();
  ASSERT_TRUE(held);
  ASSERT_TRUE(eventually([&] { return holders("k") == 3; }));
  const auto refused = two->redLock(LockName("k")).tryAcquire();
  ASSERT_FALSE(refused);
  ASSERT_TRUE(refused.error().is<Contended>()) << sentenceOf(refused);
  EXPECT_EQ(std::get<Contended>(refused.error().outcome).holder, held->token().bytes());
  const auto sentence = sentenceOf(refused);
  EXPECT_NE(sentence.find(servers[0].tcpUri().host), std::string::npos) << sentence;
  EXPECT_NE(refused.error().detail.find("held by " + held->token().bytes() + " for "), std::string::npos) << sentence;
  EXPECT_EQ(std::ranges::count(refused.error().detail, ';'), 2) << sentence;
}

TEST_F(RedLocks, waitUntilTheyAreFree) {
  start(3);
  const auto one = connect();
  const auto two = connect();
  auto held = one->redLock(LockName("k")).acquire();
  ASSERT_TRUE(held);
  auto waiting = std::async(std::launch::async, [&] { return two->redLock(LockName("k")).acquire(); });
  EXPECT_EQ(waiting.wait_for(100ms), std::future_status::timeout);
  EXPECT_EQ(held->release(), ReleaseOutcome::Released);
  auto got = waiting.get();
  ASSERT_TRUE(got) << sentenceOf(got);
}

TEST_F(RedLocks, giveUpAtTheirWaitLimitAndTellWhoHasThem) {
  start(3);
  const auto one = connect();
  const auto two = connect();
  auto held = one->redLock(LockName("k")).acquire();
  ASSERT_TRUE(held);
  const auto began = SteadyClock::now();
  const auto refused = two->redLock(LockName("k"), {.waitLimit = 80ms}).acquire();
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is<TimedOut>()) << sentenceOf(refused);
  EXPECT_GE(SteadyClock::now() - began, 80ms);
  EXPECT_NE(sentenceOf(refused).find(held->token().bytes()), std::string::npos);
}

/// Clients of their own, with connections of their own, so that their asks cross on the way.
TEST_F(RedLocks, excludeEachOtherUnderContention) {
  start(3);
  int inside = 0;
  int overlaps = 0;
  int rounds = 0;
  std::vector<std::thread> clients;
  std::atomic<int> failures = 0;
  for (int i = 0; i < 4; ++i)
    clients.emplace_back([&] {
      const auto quorum = connect();
      const auto lock = quorum->redLock(LockName("k"));
      for (int n = 0; n < 25; ++n) {
        auto held = lock.acquire();
        if (!held) {
          ++failures;
          continue;
        }
        overlaps += inside++ == 0 ? 0 : 1; // what the lock guards: nothing else does
        ++rounds;
        --inside;
        held->release();
      }
    });
  for (auto &client : clients)
    client.join();
  EXPECT_EQ(overlaps, 0);
  EXPECT_EQ(rounds, 100);
  EXPECT_EQ(failures, 0);
  EXPECT_TRUE(nothingIsLeft());
}

TEST_F(RedLocks, areRenewedAtEveryNode) {
  start(3);
  const auto quorum = connect();
  auto held = quorum->redLock(LockName("k"), {.lease = 300ms}).acquire();
  ASSERT_TRUE(held) << sentenceOf(held);
  const auto first = held->validUntil();
  ASSERT_TRUE(eventually([&] { return held->validUntil() > first + 400ms; }));
  EXPECT_TRUE(held->isHeld());
  EXPECT_EQ(holders("k"), 3U);
}

TEST_F(RedLocks, healANodeThatLostTheKey) {
  start(3);
  const auto quorum = connect();
  auto held = quorum->redLock(LockName("k"), {.lease = 600ms}).acquire();
  ASSERT_TRUE(held);
  ASSERT_TRUE(eventually([&] { return holders("k") == 3; }));
  at(1, {"FLUSHALL"});
  EXPECT_TRUE(eventually([&] { return valueAt(1, "k") == held->token().bytes(); }));
  EXPECT_TRUE(held->isHeld());
  EXPECT_EQ(held->release(), ReleaseOutcome::Released);
  EXPECT_TRUE(nothingIsLeft());
}

/// However often a healing and a release meet, nothing is left behind.
TEST_F(RedLocks, neverHealAfterTheirRelease) {
  start(3);
  const auto quorum = connect();
  for (int round = 0; round < 25; ++round) {
    auto held = quorum->redLock(LockName("k"), {.lease = 60s}).acquire();
    ASSERT_TRUE(held) << sentenceOf(held);
    ASSERT_TRUE(eventually([&] { return holders("k") == 3; }));
    at(static_cast<std::size_t>(round) % 3, {"FLUSHALL"});
    proxies[static_cast<std::size_t>(round) % 3].cut(); // it is looked at as soon as it is back
    const auto pause = std::chrono::steady_clock::now() + std::chrono::microseconds(round * 500);
    while (std::chrono::steady_clock::now() < pause)
      std::this_thread::yield();
    EXPECT_EQ(held->release(), ReleaseOutcome::Released);
    EXPECT_TRUE(nothingIsLeft()) << round;
  }
}

TEST_F(RedLocks, areLostWhenTooManyNodesForgetThem) {
  start(3);
  const auto quorum = connect();
  auto held = quorum->redLock(LockName("k"), {.lease = 900ms}).acquire();
  ASSERT_TRUE(held);
  ASSERT_TRUE(eventually([&] { return holders("k") == 3; }));
  at(0, {"FLUSHALL"});
  at(2, {"FLUSHALL"});
  EXPECT_TRUE(eventually([&] { return held->lossReason().has_value(); }));
  EXPECT_EQ(held->lossReason(), LossReason::Deleted);
  EXPECT_TRUE(held->stopToken().stop_requested());
  EXPECT_FALSE(held->isHeld());
  EXPECT_TRUE(nothingIsLeft()) << "the rest is given back";
  EXPECT_EQ(held->release(), ReleaseOutcome::NotOwner);
}

TEST_F(RedLocks, takeTheFormatOfAReentrantLockAndCountInTheHandle) {
  start(3);
  const auto quorum = connect();
  auto held = quorum->redLock(*Primitive::find("ReentrantLock"), LockName("k")).acquire();
  ASSERT_TRUE(held) << sentenceOf(held);
  EXPECT_TRUE(eventually([&] { return at(0, {"TYPE", "k"}) == "hash"; })) << "it is told of its hold before the last node has answered";
  EXPECT_TRUE(std::holds_alternative<Acquired>(held->acquireAgain()));
  EXPECT_EQ(held->count(), 2);
  EXPECT_EQ(held->release(), ReleaseOutcome::StillHeld);
  EXPECT_TRUE(held->isHeld());
  EXPECT_EQ(held->release(), ReleaseOutcome::Released);
  EXPECT_TRUE(nothingIsLeft());
}

TEST_F(RedLocks, areAwaitedAndToldByCallback) {
  start(3);
  const auto quorum = connect();
  std::promise<bool> awaited;
  const auto lock = quorum->redLock(LockName("k"));
  const auto work = [&]() -> Task {
    auto held = co_await lock.acquiring();
    awaited.set_value(held && held->isHeld());
  };
  work();
  EXPECT_TRUE(awaited.get_future().get());
  std::promise<LockResult> told;
  lock.acquire([&](LockResult result) { told.set_value(std::move(result)); });
  EXPECT_TRUE(told.get_future().get());
}

TEST_F(RedLocks, refusePoliciesThatTheyDoNotTake) {
  start(1);
  const auto refused = connect()->redLock(LockName("k"), {.policy = AcquirePolicy::pubSub()}).acquire();
  ASSERT_FALSE(refused);
  EXPECT_NE(sentenceOf(refused).find("RedLock does not take the policy pubsub"), std::string::npos) << sentenceOf(refused);
}

TEST_F(RedLocks, areMadeOfEveryPrimitive) {
  start(3);
  const auto one = connect();
  const auto two = connect();
  for (const auto *primitive : Primitive::all()) {
    const LockOptions options{.waitLimit = 10s, .mode = {.permits = 1, .capacity = 1}};
    const std::string name = std::string("k:").append(primitive->info().name);
    auto held = one->redLock(*primitive, LockName(name), options).acquire();
    ASSERT_TRUE(held) << primitive->info().name << ": " << sentenceOf(held);
    EXPECT_TRUE(eventually([&] { return holders(name.c_str()) == 3; })) << primitive->info().name;
    const auto refused = two->redLock(*primitive, LockName(name), options).tryAcquire();
    EXPECT_TRUE(!refused && refused.error().is<Contended>()) << primitive->info().name << ": " << sentenceOf(refused);
    auto next = std::async(std::launch::async, [&] { return two->redLock(*primitive, LockName(name), options).acquire(); });
    EXPECT_EQ(next.wait_for(30ms), std::future_status::timeout) << primitive->info().name;
    EXPECT_EQ(held->release(), ReleaseOutcome::Released) << primitive->info().name;
    auto then = next.get();
    ASSERT_TRUE(then) << primitive->info().name << ": " << sentenceOf(then);
    EXPECT_FALSE(then->fence()) << "one node's fence says nothing of the others'";
    EXPECT_EQ(then->release(), ReleaseOutcome::Released) << primitive->info().name;
    EXPECT_TRUE(eventually([&] { return holders(name.c_str()) == 0; })) << primitive->info().name;
  }
}

TEST_F(RedLocks, letReadersInTogetherAndAWriterAlone) {
  start(3);
  const auto one = connect();
  const auto two = connect();
  for (const auto *name : {"ReadWriteLock", "FairReadWriteLock"}) {
    const auto &primitive = *Primitive::find(name);
    const auto mine = one->redLock(primitive, LockName(name), {.waitLimit = 10s});
    const auto theirs = two->redLock(primitive, LockName(name), {.waitLimit = 10s});
    auto reader = mine.as({.shared = true}).acquire();
    auto companion = mine.as({.shared = true}).acquire();
    auto other = theirs.as({.shared = true}).acquire();
    ASSERT_TRUE(reader && companion && other) << name;
    EXPECT_FALSE(theirs.tryAcquire()) << name << ": a writer beside readers";
    for (auto *each : {&reader, &companion, &other})
      EXPECT_EQ((*each)->release(), ReleaseOutcome::Released) << name;
    auto writer = theirs.acquire();
    ASSERT_TRUE(writer) << name << ": " << sentenceOf(writer);
    EXPECT_FALSE(mine.as({.shared = true}).tryAcquire()) << name << ": a reader beside the writer";
    EXPECT_EQ(writer->release(), ReleaseOutcome::Released) << name;
    EXPECT_TRUE(eventually([&] { return holders(name) == 0; })) << name;
  }
}

TEST_F(RedLocks, neverGiveMorePermitsThanThereAreWhateverNodesAnswer) {
  start(5);
  for (const auto *name : {"Semaphore", "ExpirablePermits", "LeasedSemaphore"}) {
    const auto &primitive = *Primitive::find(name);
    const LockOptions options{.waitLimit = 10s, .mode = {.permits = 1, .capacity = 2}};
    const auto all = connect();
    auto first = all->redLock(primitive, LockName(name), options).acquire();
    auto second = all->redLock(primitive, LockName(name), options).acquire();
    ASSERT_TRUE(first && second) << name;
    EXPECT_FALSE(all->redLock(primitive, LockName(name), options).tryAcquire()) << name;
    EXPECT_EQ(first->release(), ReleaseOutcome::Released) << name;
    EXPECT_EQ(second->release(), ReleaseOutcome::Released) << name;
    EXPECT_TRUE(eventually([&] { return holders(name) == 0; })) << name;

    proxies[4].blackHole(true); // of two permits a hold needs four nodes of five
    auto ofFour = all->redLock(primitive, LockName(name), options).tryAcquire();
    EXPECT_TRUE(ofFour) << name << ": " << sentenceOf(ofFour);
    proxies[3].blackHole(true);
    const auto ofThree = all->redLock(primitive, LockName(name), options).tryAcquire();
    ASSERT_FALSE(ofThree) << name;
    EXPECT_TRUE(ofThree.error().is<Failed>()) << name << ": " << sentenceOf(ofThree);
    for (auto &proxy : proxies)
      proxy.blackHole(false);
  }
}

TEST_F(RedLocks, endWithTheirClient) {
  start(3);
  auto quorum = connect();
  auto held = quorum->redLock(LockName("k")).acquire();
  ASSERT_TRUE(held);
  quorum.reset();
  EXPECT_FALSE(held->isHeld());
  EXPECT_TRUE(nothingIsLeft());
}
