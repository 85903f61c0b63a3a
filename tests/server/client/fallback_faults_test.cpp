// SPDX-License-Identifier: Apache-2.0
#include "tests/server/client/fallback_house.h"

using namespace lockhouse;
using namespace lockhouse::test;

class FallbackFaults : public FallbackHouse {};

TEST_F(FallbackFaults, aHoldInRedisThatOutlivesTheConnectionIsWaitedFor) {
  const auto lock = fallback({.lease = 30s});
  auto held = lock.acquire();
  ASSERT_TRUE(held);
  takeRedisAway();
  ASSERT_TRUE(eventually([&] { return !reached->metrics().connected; }));
  EXPECT_TRUE(held->isHeld()) << "its lease has not ended";
  auto waiting = std::async(std::launch::async, [&] { return lock.acquire(); });
  EXPECT_EQ(waiting.wait_for(150ms), std::future_status::timeout) << "longer than the fallback takes";
  *held = FallbackHandle();
  auto next = waiting.get();
  ASSERT_TRUE(next);
  EXPECT_EQ(next->scope(), HoldScope::Process);
}

TEST_F(FallbackFaults, aHoldThatIsLostLetsTheNextOneIn) {
  const auto lock = fallback({.lease = 300ms});
  auto held = lock.acquire();
  ASSERT_TRUE(held);
  takeRedisAway();
  auto next = lock.acquire();
  ASSERT_TRUE(next);
  EXPECT_EQ(next->scope(), HoldScope::Process);
  EXPECT_FALSE(held->isHeld()) << "never both";
  EXPECT_EQ(held->lossReason(), LossReason::LeaseEnded);
  EXPECT_TRUE(held->stopToken().stop_requested());
  held->release();
  EXPECT_TRUE(next->isHeld()) << "the late release of a lost hold ends nobody else's stay";
  EXPECT_FALSE(lock.acquireFor(30ms));
}

TEST_F(FallbackFaults, aShortInterruptionIsNoReason) {
  const auto lock = fallback({}, 60s);
  proxy->cut();
  auto held = lock.acquire();
  ASSERT_TRUE(held);
  EXPECT_EQ(held->scope(), HoldScope::Redis);
  EXPECT_EQ(alarmCount(), 0U);
}

TEST_F(FallbackFaults, whoHasNoTimeToWaitFailsUntilRedisHasBeenGoneLongEnough) {
  const auto lock = fallback({}, 150ms);
  takeRedisAway();
  ASSERT_TRUE(eventually([&] { return !reached->metrics().connected; }));
  const auto gone = SteadyClock::now();
  auto result = lock.tryAcquire();
  if (SteadyClock::now() - gone < 100ms) { // a machine that stood still meanwhile proves nothing
    ASSERT_FALSE(result);
    ASSERT_TRUE(result.error().is<Failed>());
    EXPECT_EQ(std::get<Failed>(result.error().outcome).error.code, ErrorCode::Unreachable);
  }
  EXPECT_TRUE(eventually([&] {
    result = lock.tryAcquire();
    return result.has_value();
  }));
  EXPECT_EQ(result->scope(), HoldScope::Process);
  EXPECT_GE(SteadyClock::now() - gone, 100ms);
}

TEST_F(FallbackFaults, limitsShorterThanTheFallbackFallBackInTheEnd) {
  const auto lock = fallback({.waitLimit = 20ms}, 200ms);
  takeRedisAway();
  EXPECT_TRUE(eventually([&] { return lock.acquire().has_value(); }));
  EXPECT_TRUE(lock.isFallenBack());
}

TEST_F(FallbackFaults, anAnswerInDoubtIsAskedForAgain) {
  const auto lock = fallback();
  proxy->cutInsteadOfReply(1); // the acquire runs, its answer is lost
  auto held = lock.acquire();
  ASSERT_TRUE(held) << held.error().sentence();
  EXPECT_EQ(held->scope(), HoldScope::Redis) << "the connection came back";
  EXPECT_EQ(held->release(), ReleaseOutcome::Released);
  EXPECT_TRUE(eventually([&] { return isFree("k"); })) << "and what was in doubt was given back";
}

TEST_F(FallbackFaults, aNetworkThatSwallowsEverythingIsARedisThatIsGone) {
  const auto lock = fallback();
  proxy->blackHole(true);
  auto held = lock.acquire();
  ASSERT_TRUE(held) << held.error().sentence();
  EXPECT_EQ(held->scope(), HoldScope::Process);
  proxy->blackHole(false);
}

TEST_F(FallbackFaults, aServerThatRefusesIsNotGone) {
  const auto lock = fallback();
  Loop loop;
  std::promise<void> done;
  std::unique_ptr<Connection> raw;
  loop.call([&] {
    raw = std::make_unique<Connection>(loop, server->unixUri(), ConnectionOptions{});
    raw->onState([&](Connection::State state, const Error *) {
      if (state == Connection::State::Ready)
        raw->send({"CONFIG", "SET", "maxmemory", "1"}, [&](const Result<Reply> &) { done.set_value(); });
    });
    raw->open();
  });
  done.get_future().wait();
  const auto refused = lock.acquireFor(5s);
  ASSERT_FALSE(refused);
  ASSERT_TRUE(refused.error().is<Failed>());
  EXPECT_EQ(std::get<Failed>(refused.error().outcome).error.code, ErrorCode::Server);
  EXPECT_FALSE(lock.isFallenBack());
  loop.call([&] { raw.reset(); });
}

TEST_F(FallbackFaults, somebodyElsesHoldAfterTheReturnIsRespected) {
  const auto lock = fallback();
  takeRedisAway();
  auto held = lock.acquire();
  ASSERT_TRUE(held);
  giveRedisBack();
  const auto other = connect();
  auto theirs = other->mutex(LockName("k")).acquire();
  ASSERT_TRUE(theirs) << "the other process was first after the return: both hold, as is said";
  EXPECT_EQ(held->release(), ReleaseOutcome::Released);
  ASSERT_TRUE(eventually([&] { return reached->metrics().connected; }));
  const auto refused = lock.acquireFor(50ms);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is<TimedOut>());
  EXPECT_FALSE(lock.isFallenBack());
  EXPECT_EQ(theirs->release(), ReleaseOutcome::Released);
  EXPECT_TRUE(lock.acquireFor(5s));
}

// The two kinds of hold one after the other many times, and never two at once.
TEST_F(FallbackFaults, holdsNeverOverlapInThisProcessHoweverRedisFlaps) {
  const auto lock = fallback({.lease = 30s}, 5ms);
  std::atomic<int> inside = 0, most = 0, redis = 0, process = 0;
  std::atomic<bool> stop = false;
  std::vector<std::jthread> workers;
  for (int i = 0; i < 4; ++i)
    workers.emplace_back([&] {
      while (!stop) {
        auto held = lock.acquireFor(100ms);
        if (!held)
          continue;
        most = std::max(most.load(), ++inside);
        ++(held->scope() == HoldScope::Redis ? redis : process);
        const auto scope = held->scope();
        std::this_thread::yield();
        EXPECT_EQ(held->scope(), scope);
        --inside;
        held->release();
      }
    });
  for (int flap = 0; flap < 12; ++flap) {
    const int redisBefore = redis;
    EXPECT_TRUE(eventually([&] { return redis > redisBefore; }));
    const int processBefore = process;
    takeRedisAway();
    EXPECT_TRUE(eventually([&] { return process > processBefore; }));
    giveRedisBack();
  }
  stop = true;
  workers.clear();
  EXPECT_EQ(most, 1);
  EXPECT_GE(alarmCount(), 23U) << "12 times entered, 11 times left at least";
}
