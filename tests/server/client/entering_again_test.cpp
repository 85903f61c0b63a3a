// SPDX-License-Identifier: Apache-2.0
// A holder takes its lock once more: blocking, by callback, in a coroutine; with a limit, and cancelled.
#include "tests/server/client/client_house.h"
#include "tests/server/client/errand.h"

using namespace lockhouse;
using namespace lockhouse::test;

namespace {

Errand enterAgain(LockHandle &held, std::promise<AcquireOutcome> &answer) {
  AcquireOutcome outcome = co_await held.acquiringAgain();
  answer.set_value(std::move(outcome));
}

bool isIn(const AcquireOutcome &outcome) { return std::holds_alternative<Acquired>(outcome); }

} // namespace

class EnteringAgain : public ClientHouse, public testing::WithParamInterface<const char *> {
protected:
  LockResult hold(LockOptions options = {}) const { return client->lock(*Primitive::find(GetParam()), LockName("k"), options).tryAcquire(); }
  /// How often its holder is in, as the server has it.
  bool isInOnce(LockHandle &held) const {
    return eventually([&] { return isIn(held.acquireAgain()); }) && held.count() == 2 && held.release() == ReleaseOutcome::StillHeld &&
           held.release() == ReleaseOutcome::Released;
  }
};

TEST_P(EnteringAgain, isOneCallInThreeForms) {
  auto held = hold();
  ASSERT_TRUE(held);
  EXPECT_TRUE(isIn(held->acquireAgain()));
  EXPECT_TRUE(isIn(held->acquireAgainFor(20s)));
  EXPECT_TRUE(isIn(held->acquireAgainFor(0ms))) << "asked once";
  std::promise<AcquireOutcome> told, awaited;
  held->acquireAgain([&told](const AcquireOutcome &outcome) { told.set_value(outcome); });
  EXPECT_TRUE(isIn(told.get_future().get()));
  enterAgain(*held, awaited);
  EXPECT_TRUE(isIn(awaited.get_future().get()));
  EXPECT_EQ(held->count(), 6);
  for (int left = 5; left > 0; --left)
    EXPECT_EQ(held->release(), ReleaseOutcome::StillHeld);
  EXPECT_EQ(held->release(), ReleaseOutcome::Released);
  EXPECT_TRUE(isFree("k", GetParam()));
}

// The command's own limit is three seconds; these ends come long before.
TEST_P(EnteringAgain, endsAtItsLimitThoughTheServerIsSilentAndIsGivenBack) {
  auto held = hold({.lease = 60s});
  ASSERT_TRUE(held);
  server->pause();
  const auto start = SteadyClock::now();
  const auto late = held->acquireAgainFor(100ms);
  EXPECT_LT(SteadyClock::now() - start, 2s);
  EXPECT_TRUE(std::holds_alternative<InDoubt>(late) || std::holds_alternative<TimedOut>(late));
  EXPECT_TRUE(held->isHeld());
  EXPECT_EQ(held->count(), 1);
  server->resume();
  EXPECT_TRUE(isInOnce(*held)) << "what came late was given back";
  EXPECT_TRUE(isFree("k", GetParam()));
}

TEST_P(EnteringAgain, isBoundedByTheLimitOfItsLock) {
  auto held = hold({.lease = 60s, .waitLimit = 100ms});
  ASSERT_TRUE(held);
  server->pause();
  const auto start = SteadyClock::now();
  EXPECT_FALSE(isIn(held->acquireAgain()));
  EXPECT_LT(SteadyClock::now() - start, 2s);
  server->resume();
  EXPECT_TRUE(isInOnce(*held));
}

TEST_P(EnteringAgain, isCancelledAndIsGivenBack) {
  auto held = hold({.lease = 60s});
  ASSERT_TRUE(held);
  server->pause();
  std::stop_source cancel;
  const auto start = SteadyClock::now();
  auto wish = std::async(std::launch::async, [&] { return held->acquireAgain(cancel.get_token()); });
  EXPECT_EQ(wish.wait_for(50ms), std::future_status::timeout);
  cancel.request_stop();
  EXPECT_FALSE(isIn(wish.get()));
  EXPECT_LT(SteadyClock::now() - start, 2s);
  EXPECT_TRUE(held->isHeld());
  EXPECT_EQ(held->count(), 1);
  server->resume();
  EXPECT_TRUE(isInOnce(*held));
  EXPECT_TRUE(isFree("k", GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Every, EnteringAgain, testing::Values("ReentrantLock", "FairLock", "FencedLock", "ReadWriteLock"),
                         [](const auto &one) { return std::string(one.param); });

using EnteringTimedLock = ClientHouse;

TEST_F(EnteringTimedLock, againIsTriedNoLongerThanItsLimit) {
  TimedLock lock(client->reentrantLock(LockName("k"), {.lease = 60s}));
  ASSERT_TRUE(lock.try_lock());
  server->pause();
  const auto start = SteadyClock::now();
  EXPECT_FALSE(lock.try_lock_for(100ms));
  EXPECT_LT(SteadyClock::now() - start, 2s);
  server->resume();
  ASSERT_TRUE(eventually([&] { return lock.try_lock_for(1s); }));
  lock.unlock();
  lock.unlock();
  EXPECT_TRUE(isFree("k", "ReentrantLock"));
}
