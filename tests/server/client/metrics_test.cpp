// SPDX-License-Identifier: Apache-2.0
#include "tests/server/client/client_house.h"
#include "tests/support/proxy.h"

using namespace lockhouse;
using namespace lockhouse::test;

class ClientMetrics : public ClientHouse {
protected:
  LockMetrics mutex() const {
    const auto seen = client->metrics();
    return seen.of("Mutex") != nullptr ? *seen.of("Mutex") : LockMetrics{};
  }
};

TEST_F(ClientMetrics, countEachAcquireUnderItsOutcome) {
  const auto other = connect();
  auto theirs = other->mutex(LockName("k")).tryAcquire();
  ASSERT_TRUE(theirs);
  const auto lock = client->mutex(LockName("k"));
  EXPECT_FALSE(lock.tryAcquire());
  EXPECT_FALSE(lock.acquireFor(30ms));
  std::stop_source cancel;
  auto waiting = std::async(std::launch::async, [&] { return lock.acquire(cancel.get_token()); });
  EXPECT_TRUE(eventually([&] { return mutex().waiters == 1; }));
  cancel.request_stop();
  EXPECT_FALSE(waiting.get());
  ASSERT_EQ(theirs->release(), ReleaseOutcome::Released);
  auto held = lock.acquireFor(20s); // the cancelled one's last ask may have come behind that release, and is being given back
  ASSERT_TRUE(held);

  const auto seen = mutex();
  EXPECT_EQ(seen.contended, 1U);
  EXPECT_EQ(seen.timedOut, 1U);
  EXPECT_EQ(seen.cancelled, 1U);
  EXPECT_EQ(seen.acquired, 1U);
  EXPECT_EQ(seen.wait.count(), 1U);
  EXPECT_EQ(seen.waiters, 0);
  EXPECT_EQ(seen.holds, 1);
  EXPECT_GE(seen.refusals, 3U);
}

TEST_F(ClientMetrics, countAHoldUntilItsReleaseOnceHoweverOftenItWasEntered) {
  auto held = client->reentrantLock(LockName("k")).tryAcquire();
  ASSERT_TRUE(held);
  ASSERT_TRUE(std::holds_alternative<Acquired>(held->acquireAgain()));
  EXPECT_EQ(client->metrics().of("ReentrantLock")->holds, 1);
  EXPECT_EQ(held->release(), ReleaseOutcome::StillHeld);
  EXPECT_EQ(held->release(), ReleaseOutcome::Released);
  const auto seen = *client->metrics().of("ReentrantLock");
  EXPECT_EQ(seen.acquired, 2U);
  EXPECT_EQ(seen.holds, 0);
  EXPECT_EQ(seen.hold.count(), 1U);
  EXPECT_EQ(seen.releasedAs(ReleaseOutcome::StillHeld), 1U);
  EXPECT_EQ(seen.releasedAs(ReleaseOutcome::Released), 1U);
}

TEST_F(ClientMetrics, countTheReleaseOfAHandleThatWasJustDropped) {
  { auto held = client->mutex(LockName("k")).tryAcquire(); }
  EXPECT_TRUE(eventually([&] { return mutex().releasedAs(ReleaseOutcome::Released) == 1; }));
  EXPECT_EQ(mutex().holds, 0);
}

TEST_F(ClientMetrics, tellLossesByTheirCauseAndRenewalsWithTheirLateness) {
  auto held = client->mutex(LockName("k"), {.lease = 300ms}).tryAcquire();
  ASSERT_TRUE(held);
  ASSERT_TRUE(eventually([&] { return mutex().renewals >= 2; }));
  EXPECT_GE(mutex().renewalLateness.count(), 2U);
  EXPECT_LT(mutex().renewalLateness.quantile(0), 300ms) << "counted from the plan, not from the grant";
  server->kill();
  ASSERT_TRUE(server->restart());
  ASSERT_TRUE(eventually([&] { return held->lossReason().has_value(); }));
  EXPECT_EQ(mutex().lostBy(*held->lossReason()), 1U);
  EXPECT_EQ(mutex().holds, 0);
  EXPECT_EQ(mutex().hold.count(), 1U);
  EXPECT_TRUE(eventually([&] { return client->metrics().connects == 2; }));
}

TEST_F(ClientMetrics, timeAHandoffOnlyForWhoWaited) {
  const auto lock = client->mutex(LockName("k"));
  ASSERT_EQ(lock.acquire()->release(), ReleaseOutcome::Released);
  auto held = lock.acquire(); // nobody waited for this one
  ASSERT_TRUE(held);
  EXPECT_EQ(mutex().handoff.count(), 0U);
  auto waiting = std::async(std::launch::async, [&] { return lock.acquire(); });
  ASSERT_TRUE(eventually([&] { return mutex().waiters == 1; }));
  EXPECT_EQ(held->release(), ReleaseOutcome::Released);
  ASSERT_TRUE(waiting.get());
  EXPECT_EQ(mutex().handoff.count(), 1U);
  EXPECT_LE(mutex().handoff.max(), mutex().wait.max()) << "the handoff is the end of the wait";
}

TEST_F(ClientMetrics, timeAHandoffFromTheMessageOfAnotherClient) {
  const auto other = connect();
  auto theirs = other->reentrantLock(LockName("k")).acquire();
  ASSERT_TRUE(theirs);
  auto waiting = std::async(std::launch::async, [&] { return client->reentrantLock(LockName("k")).acquire(); });
  ASSERT_TRUE(eventually([&] { return client->metrics().subscriptions == 1; }));
  EXPECT_EQ(theirs->release(), ReleaseOutcome::Released);
  ASSERT_TRUE(waiting.get());
  EXPECT_LE(client->metrics().of("ReentrantLock")->handoff.count(), 1U) << "none if its own poll was quicker than the message";
  EXPECT_TRUE(eventually([&] { return client->metrics().subscriptions == 0; }));
}

// Whatever way a lock goes from one to the next (through the server, by its push, inside the client), the books balance.
TEST_F(ClientMetrics, balanceForEveryPrimitiveAndPolicy) {
  for (const auto *primitive : Primitive::all())
    for (const auto name : primitive->info().policies) {
      const auto mine = connect();
      const auto lock = mine->lock(*primitive, LockName("busy"), {.policy = AcquirePolicy::named(name), .waitLimit = 20s});
      std::atomic<std::uint64_t> got = 0;
      {
        std::vector<std::jthread> workers;
        for (int i = 0; i < 4; ++i)
          workers.emplace_back([&] {
            for (int n = 0; n < 25; ++n)
              if (auto held = lock.acquire())
                got += held->release() == ReleaseOutcome::Released ? 1U : 0U;
          });
      }
      const auto all = mine->metrics();
      const auto &seen = *all.of(primitive->info().name);
      EXPECT_EQ(seen.acquired, got) << seen.primitive << " " << name;
      EXPECT_EQ(seen.releasedAs(ReleaseOutcome::Released), got) << seen.primitive << " " << name;
      EXPECT_EQ(seen.hold.count(), got) << seen.primitive << " " << name;
      EXPECT_EQ(seen.acquired + seen.contended, 100U) << seen.primitive << " " << name;
      EXPECT_EQ(seen.holds, 0) << seen.primitive << " " << name;
      EXPECT_EQ(seen.waiters, 0) << seen.primitive << " " << name;
      EXPECT_LE(seen.handoff.count(), seen.acquired) << seen.primitive << " " << name;
      EXPECT_LE(seen.handoff.max(), seen.wait.max()) << seen.primitive << " " << name << ": a handoff is the end of a wait";
    }
}

TEST_F(ClientMetrics, countWhatWasLeftInDoubt) {
  Proxy proxy(server->tcpUri());
  auto connected = Client::connect(proxy.uri(), {.connection = {.commandTimeout = 200ms}});
  ASSERT_TRUE(connected);
  proxy.dropReplies(true);
  EXPECT_FALSE(connected->mutex(LockName("k")).tryAcquire());
  const auto seen = connected->metrics();
  EXPECT_EQ(seen.of("Mutex")->inDoubt, 1U);
  EXPECT_EQ(seen.of("Mutex")->holds, 0);
  proxy.dropReplies(false);
}

TEST_F(ClientMetrics, areThereForTheLoopItselfAndAfterTheClientIsGone) {
  std::promise<std::uint64_t> onLoop;
  client->mutex(LockName("k")).acquire([&](LockResult) { onLoop.set_value(mutex().acquired); });
  EXPECT_EQ(onLoop.get_future().get(), 1U);
  const Client moved = std::move(*client);
  EXPECT_EQ(moved.metrics().of("Mutex")->acquired, 1U);
}
