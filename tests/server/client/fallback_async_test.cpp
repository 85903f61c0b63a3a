// SPDX-License-Identifier: Apache-2.0
// FallbackLocks that tell a handler, or a coroutine, instead of blocking.
#include "tests/server/client/errand.h"
#include "tests/server/client/fallback_house.h"

using namespace lockhouse;
using namespace lockhouse::test;

namespace {

std::future<FallbackResult> begin(const FallbackLock &lock, std::stop_token cancel = {}) {
  auto answer = std::make_shared<std::promise<FallbackResult>>();
  lock.acquire([answer](FallbackResult held) { answer->set_value(std::move(held)); }, std::move(cancel));
  return answer->get_future();
}

Errand takeAndRelease(FallbackLock lock, std::promise<std::pair<HoldScope, ReleaseOutcome>> &answer) {
  FallbackResult held = co_await lock.acquiring();
  const auto scope = held ? held->scope() : HoldScope::None;
  answer.set_value({scope, held ? co_await held->releasing() : ReleaseOutcome::Failed});
}

} // namespace

class FallbackLocksWithoutBlocking : public FallbackHouse {};

TEST_F(FallbackLocksWithoutBlocking, areHeldInRedisAndOfThisProcess) {
  const auto lock = fallback();
  auto held = begin(lock).get();
  ASSERT_TRUE(held) << held.error().sentence();
  EXPECT_EQ(held->scope(), HoldScope::Redis);
  EXPECT_FALSE(isFree("k"));
  std::promise<ReleaseOutcome> released;
  held->release([&](ReleaseOutcome outcome) { released.set_value(outcome); });
  EXPECT_EQ(released.get_future().get(), ReleaseOutcome::Released);
  EXPECT_TRUE(isFree("k"));
  takeRedisAway();
  auto alone = begin(lock).get();
  ASSERT_TRUE(alone) << alone.error().sentence();
  EXPECT_EQ(alone->scope(), HoldScope::Process);
  EXPECT_EQ(alarmCount(), 1U);
  std::promise<ReleaseOutcome> given;
  alone->release([&](ReleaseOutcome outcome) { given.set_value(outcome); });
  EXPECT_EQ(given.get_future().get(), ReleaseOutcome::Released);
}

TEST_F(FallbackLocksWithoutBlocking, areAwaited) {
  std::promise<std::pair<HoldScope, ReleaseOutcome>> inRedis, alone;
  takeAndRelease(fallback(), inRedis);
  EXPECT_EQ(inRedis.get_future().get(), std::pair(HoldScope::Redis, ReleaseOutcome::Released));
  takeRedisAway();
  takeAndRelease(fallback(), alone);
  EXPECT_EQ(alone.get_future().get(), std::pair(HoldScope::Process, ReleaseOutcome::Released));
}

TEST_F(FallbackLocksWithoutBlocking, standInOneLineWithThoseThatBlock) {
  const auto lock = fallback();
  takeRedisAway();
  auto first = lock.acquire();
  ASSERT_TRUE(first);
  auto second = begin(lock);
  std::stop_source none;
  none.request_stop();
  EXPECT_TRUE(begin(lock, none.get_token()).get().error().is<Cancelled>()) << "and the second stands in line by now";
  std::promise<HoldScope> third;
  auto thirdIn = third.get_future();
  std::atomic<bool> stands = false;
  std::jthread blocking([&] {
    stands = true;
    const auto held = lock.acquire();
    third.set_value(held ? held->scope() : HoldScope::None);
  });
  ASSERT_TRUE(eventually([&] { return stands.load(); }));
  EXPECT_EQ(second.wait_for(0s), std::future_status::timeout);
  first->release();
  auto held = second.get();
  ASSERT_TRUE(held);
  EXPECT_EQ(thirdIn.wait_for(30ms), std::future_status::timeout) << "one inside at a time";
  held->release();
  EXPECT_EQ(thirdIn.get(), HoldScope::Process);
}

TEST_F(FallbackLocksWithoutBlocking, giveUpInLineWhenCancelledOrTheirTimeIsOver) {
  const auto lock = fallback();
  auto held = lock.acquire();
  ASSERT_TRUE(held);
  std::stop_source cancel;
  auto cancelled = begin(lock, cancel.get_token());
  auto late = begin(fallback({.waitLimit = 50ms}));
  auto tries = begin(fallback({.policy = AcquirePolicy::tryOnce()}));
  cancel.request_stop();
  EXPECT_TRUE(cancelled.get().error().is<Cancelled>());
  EXPECT_TRUE(late.get().error().is<TimedOut>());
  EXPECT_TRUE(tries.get().error().is<Contended>());
  EXPECT_EQ(held->release(), ReleaseOutcome::Released);
  EXPECT_TRUE(begin(lock).get()) << "nobody stands before it any more";
}

TEST_F(FallbackLocksWithoutBlocking, whoHasNoTimeToWaitGetsAFreeLock) {
  for (const auto &options : {LockOptions{.policy = AcquirePolicy::tryOnce()}, LockOptions{.waitLimit = 0ms}}) {
    auto held = begin(fallback(options)).get();
    ASSERT_TRUE(held) << held.error().sentence();
    EXPECT_EQ(held->scope(), HoldScope::Redis);
    EXPECT_EQ(held->release(), ReleaseOutcome::Released) << "before the next one asks, once";
  }
}

TEST_F(FallbackLocksWithoutBlocking, standInLineFromTheCallOn) {
  const auto lock = fallback();
  for (int i = 0; i < 50; ++i) {
    std::atomic<int> before = 0;
    for (int k = 0; k < 5; ++k)
      lock.acquire([&](FallbackResult held) { before += held.has_value(); });
    const auto held = lock.acquire();
    ASSERT_TRUE(held);
    EXPECT_EQ(before, 5) << "first come, first served";
  }
}

TEST_F(FallbackLocksWithoutBlocking, areCancelledWhileRedisIsAsked) {
  const auto stranger = connect();
  auto theirs = stranger->mutex(LockName("k")).acquire();
  ASSERT_TRUE(theirs);
  std::stop_source cancel;
  auto cancelled = begin(fallback(), cancel.get_token());
  auto late = begin(fallback({.waitLimit = 80ms})); // stands behind it
  EXPECT_EQ(cancelled.wait_for(30ms), std::future_status::timeout);
  cancel.request_stop();
  EXPECT_TRUE(cancelled.get().error().is<Cancelled>());
  EXPECT_TRUE(late.get().error().is<TimedOut>());
}

TEST_F(FallbackLocksWithoutBlocking, areToldOfTheEndOfTheirClientWhereverTheyStand) {
  auto lock = std::make_optional(fallback());
  auto held = lock->acquire();
  ASSERT_TRUE(held);
  auto inLine = begin(*lock);
  auto behind = begin(*lock);
  EXPECT_EQ(inLine.wait_for(30ms), std::future_status::timeout);
  reached.reset();
  ASSERT_EQ(inLine.wait_for(20s), std::future_status::ready);
  EXPECT_TRUE(inLine.get().error().is<Cancelled>());
  EXPECT_TRUE(behind.get().error().is<Cancelled>());
  EXPECT_TRUE(begin(*lock).get().error().is<Cancelled>());
}

TEST_F(FallbackLocksWithoutBlocking, anyNumberIsToldOfTheEndOfTheirClient) {
  auto lock = std::make_optional(fallback());
  auto held = lock->acquire();
  ASSERT_TRUE(held);
  std::atomic<int> told = 0;
  constexpr int many = 100'000; // deeper than any stack, were each told by the one before it
  for (int i = 0; i < many; ++i)
    lock->acquire([&](const FallbackResult &) { ++told; });
  reached.reset();
  EXPECT_TRUE(eventually([&] { return told == many; })) << told;
}

TEST_F(FallbackLocksWithoutBlocking, thousandsStandInLineWithoutAThreadEach) {
  const auto lock = fallback();
  takeRedisAway();
  auto held = lock.acquire();
  ASSERT_TRUE(held);
  std::atomic<int> inside = 0, most = 0, done = 0;
  constexpr int many = 2000;
  for (int i = 0; i < many; ++i)
    lock.acquire([&](FallbackResult mine) {
      most = std::max(most.load(), ++inside);
      --inside;
      done += mine.has_value();
    });
  held->release();
  EXPECT_TRUE(eventually([&] { return done == many; }));
  EXPECT_EQ(most, 1);
}
