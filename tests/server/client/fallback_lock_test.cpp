// SPDX-License-Identifier: Apache-2.0
#include "tests/server/client/fallback_house.h"

using namespace lockhouse;
using namespace lockhouse::test;

class FallbackLocks : public FallbackHouse {};

TEST_F(FallbackLocks, areLocksInRedisAsLongAsItIsThere) {
  const auto lock = fallback();
  auto held = lock.acquire();
  ASSERT_TRUE(held) << held.error().sentence();
  EXPECT_EQ(held->scope(), HoldScope::Redis);
  EXPECT_TRUE(held->isHeld());
  EXPECT_EQ(held->inRedis().token().bytes().size(), 32U);
  EXPECT_FALSE(isFree("k"));
  EXPECT_EQ(held->release(), ReleaseOutcome::Released);
  EXPECT_FALSE(held->isHeld());
  EXPECT_EQ(held->release(), ReleaseOutcome::NotOwner);
  EXPECT_TRUE(isFree("k"));
  EXPECT_EQ(alarmCount(), 0U);
}

TEST_F(FallbackLocks, becomeLocksOfThisProcessWhenRedisIsGoneAndSaySo) {
  const auto lock = fallback();
  takeRedisAway();
  auto held = lock.acquire();
  ASSERT_TRUE(held) << held.error().sentence();
  EXPECT_EQ(held->scope(), HoldScope::Process);
  EXPECT_TRUE(held->isHeld());
  EXPECT_TRUE(lock.isFallenBack());
  ASSERT_EQ(alarmCount(), 1U);
  EXPECT_TRUE(alarms[0].entered);
  EXPECT_EQ(alarms[0].lock, LockName("k"));
  EXPECT_FALSE(alarms[0].why.empty());
  EXPECT_TRUE(eventually([&] { return told(LogEvent::Kind::FallbackEntered) == 1; }));
  EXPECT_EQ(held->release(), ReleaseOutcome::Released);
  EXPECT_EQ(held->release(), ReleaseOutcome::NotOwner);
  auto again = lock.acquire();
  ASSERT_TRUE(again);
  EXPECT_EQ(again->scope(), HoldScope::Process);
  EXPECT_EQ(alarmCount(), 1U) << "told once";
}

TEST_F(FallbackLocks, keepThreadsApartInTheirOrderWithoutRedis) {
  const auto lock = fallback();
  takeRedisAway();
  auto held = lock.acquire();
  ASSERT_TRUE(held);
  std::mutex orderMutex;
  std::vector<int> order;
  std::vector<std::jthread> waiting;
  for (int i = 0; i < 5; ++i) {
    std::atomic<bool> began = false;
    waiting.emplace_back([&, i] {
      began = true;
      const auto mine = lock.acquire();
      ASSERT_TRUE(mine);
      const std::scoped_lock guard(orderMutex);
      order.push_back(i);
    });
    ASSERT_TRUE(eventually([&] { return began.load(); }));
    std::this_thread::sleep_for(20ms); // to stand in line takes it no time that could be waited for
  }
  EXPECT_TRUE(order.empty());
  EXPECT_EQ(held->release(), ReleaseOutcome::Released);
  waiting.clear();
  EXPECT_EQ(order, (std::vector{0, 1, 2, 3, 4}));
}

TEST_F(FallbackLocks, waitForAHoldOfThisProcessNoLongerThanTheirLimitOrWish) {
  const auto lock = fallback();
  takeRedisAway();
  auto held = lock.acquire();
  ASSERT_TRUE(held);
  const auto late = lock.acquireFor(40ms);
  ASSERT_FALSE(late);
  EXPECT_TRUE(late.error().is<TimedOut>());
  const auto busy = lock.tryAcquire();
  ASSERT_FALSE(busy);
  EXPECT_TRUE(busy.error().is<Contended>());
  const auto hasty = lock.acquireFor(0ms);
  ASSERT_FALSE(hasty);
  EXPECT_TRUE(hasty.error().is<TimedOut>()) << "as of Lock";
  std::stop_source cancel;
  auto waiting = std::async(std::launch::async, [&] { return lock.acquire(cancel.get_token()); });
  EXPECT_EQ(waiting.wait_for(30ms), std::future_status::timeout);
  cancel.request_stop();
  const auto cancelled = waiting.get();
  ASSERT_FALSE(cancelled);
  EXPECT_TRUE(cancelled.error().is<Cancelled>());
  EXPECT_EQ(held->release(), ReleaseOutcome::Released);
  EXPECT_TRUE(lock.acquireFor(5s)) << "who gave up is not in line any more";
}

TEST_F(FallbackLocks, shareOneLineWithAllOfTheirNameAndClient) {
  const auto one = fallback(), other = fallback();
  takeRedisAway();
  auto held = one.acquire();
  ASSERT_TRUE(held);
  EXPECT_FALSE(other.acquireFor(30ms));
  EXPECT_TRUE(FallbackLock(reached->mutex(LockName("another")), {.after = 50ms}).acquireFor(5s));
}

TEST_F(FallbackLocks, areNeverMadeLocksInRedisAndHoldBackThoseThatWant) {
  const auto lock = fallback();
  takeRedisAway();
  auto held = lock.acquire();
  ASSERT_TRUE(held);
  giveRedisBack();
  ASSERT_TRUE(eventually([&] { return reached->metrics().connected; }));
  auto waiting = std::async(std::launch::async, [&] { return lock.acquire(); });
  EXPECT_EQ(waiting.wait_for(50ms), std::future_status::timeout) << "while a hold of this process lives, Redis is not asked";
  EXPECT_EQ(held->scope(), HoldScope::Process);
  EXPECT_TRUE(held->isHeld());
  EXPECT_TRUE(isFree("k")) << "nothing was written for it";
  EXPECT_EQ(alarmCount(), 1U);
  EXPECT_EQ(held->release(), ReleaseOutcome::Released);
  auto next = waiting.get();
  ASSERT_TRUE(next);
  EXPECT_EQ(next->scope(), HoldScope::Redis);
  EXPECT_FALSE(isFree("k"));
  EXPECT_FALSE(lock.isFallenBack());
  ASSERT_EQ(alarmCount(), 2U);
  EXPECT_FALSE(alarms[1].entered);
  EXPECT_TRUE(eventually([&] { return told(LogEvent::Kind::FallbackLeft) == 1; }));
}

// What is not promised, shown: whoever builds on it shall see it.
TEST_F(FallbackLocks, doNotKeepProcessesApartWithoutRedis) {
  const auto other = connectThrough(*proxy);
  const auto mine = fallback();
  const FallbackLock theirs(other->mutex(LockName("k")), {.after = 50ms});
  takeRedisAway();
  const auto one = mine.acquire(), two = theirs.acquire();
  ASSERT_TRUE(one && two);
  EXPECT_TRUE(one->isHeld() && two->isHeld());
  EXPECT_EQ(one->scope(), HoldScope::Process);
  EXPECT_EQ(two->scope(), HoldScope::Process);
}

TEST_F(FallbackLocks, areMovedAndAssignedOverAndGivenBackAtTheirEnd) {
  const auto lock = fallback();
  const FallbackLock companion(reached->mutex(LockName("beside")), {.after = 50ms});
  auto redis = lock.acquire();
  ASSERT_TRUE(redis);
  FallbackHandle kept = std::move(*redis);
  EXPECT_FALSE(redis->isHeld());
  EXPECT_EQ(redis->scope(), HoldScope::None);
  EXPECT_TRUE(kept.isHeld());
  kept = std::move(*companion.acquire());
  EXPECT_TRUE(eventually([&] { return isFree("k"); })) << "assigned over";
  kept = FallbackHandle();
  EXPECT_TRUE(eventually([&] { return isFree("beside"); }));
  takeRedisAway();
  { const auto scoped = lock.acquire(); }
  EXPECT_TRUE(lock.acquireFor(5s)) << "and those of this process";
}

TEST_F(FallbackLocks, areRefusedOnTheLoopAndWhenTheClientIsClosed) {
  const auto lock = fallback();
  std::promise<bool> usage;
  reached->mutex(LockName("x")).acquire([&](LockResult) {
    const auto refused = lock.acquire();
    usage.set_value(!refused && refused.error().is<Failed>());
  });
  EXPECT_TRUE(usage.get_future().get());
  reached.reset();
  const auto refused = lock.acquire();
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is<Cancelled>());
}

TEST(HoldScope, isNamed) {
  EXPECT_EQ(name(HoldScope::Redis), "redis");
  EXPECT_EQ(name(HoldScope::Process), "process");
  EXPECT_EQ(name(HoldScope::None), "none");
  EXPECT_EQ(FallbackLock::info().name, "FallbackLock");
}

TEST_F(FallbackLocks, tellTheAlarmsOfAllOfTheirNameThatLiveWhoeverMeetsTheChange) {
  const auto one = fallback();
  const auto two = fallback();
  const FallbackLock failing(reached->mutex(LockName("k")), {.after = 50ms, .alarm = [](const FallbackAlarm &) { throw std::runtime_error("the pager"); }});
  fallback(); // gone
  takeRedisAway();
  ASSERT_TRUE(one.acquire());
  EXPECT_EQ(alarmCount(), 2U) << "entered, both";
  giveRedisBack();
  EXPECT_TRUE(eventually([&] {
    const auto held = two.acquire();
    return held && held->scope() == HoldScope::Redis;
  }));
  EXPECT_EQ(alarmCount(), 4U) << "left, both";
}

TEST_F(FallbackLocks, doNotSayThatSomebodyElseHoldsWhatMayBeFree) {
  const auto lock = fallback({}, 10s);
  server->pause();
  const auto refused = lock.acquireFor(100ms);
  server->resume();
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().sentence().find("or Redis has not answered"), std::string::npos) << refused.error().sentence();
}
