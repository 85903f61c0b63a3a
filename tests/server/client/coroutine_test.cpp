// SPDX-License-Identifier: Apache-2.0
#include "tests/server/client/client_house.h"
#include "tests/server/client/errand.h"

using namespace lockhouse;
using namespace lockhouse::test;

namespace {

Errand takeAndGiveBack(Lock lock, std::stop_token cancel, std::promise<LockResult> &answer) {
  LockResult held = co_await lock.acquiring(cancel);
  answer.set_value(std::move(held));
}

Errand takeAndRelease(Lock lock, std::promise<ReleaseOutcome> &answer) {
  LockResult held = co_await lock.acquiring();
  answer.set_value(held ? co_await held->releasing() : ReleaseOutcome::Failed);
}

Errand meet(CountDownLatch latch, std::promise<bool> &answer) {
  const Result<bool> before = co_await latch.waiting(milliseconds(0));
  const Result<std::int64_t> left = co_await latch.countingDown();
  const Result<bool> after = co_await latch.waiting();
  answer.set_value(before && !*before && left && *left == 0 && after && *after);
}

} // namespace

class CoroutineLocks : public ClientHouse {};

TEST_F(CoroutineLocks, areAwaited) {
  std::promise<LockResult> answer;
  takeAndGiveBack(client->mutex(LockName("k")), {}, answer);
  auto held = answer.get_future().get();
  ASSERT_TRUE(held);
  EXPECT_TRUE(held->isHeld());
}

TEST_F(CoroutineLocks, areAwaitedBehindAHolder) {
  auto first = client->mutex(LockName("k")).tryAcquire();
  ASSERT_TRUE(first);
  std::promise<LockResult> answer;
  auto future = answer.get_future();
  takeAndGiveBack(client->mutex(LockName("k")), {}, answer);
  EXPECT_EQ(future.wait_for(30ms), std::future_status::timeout);
  EXPECT_EQ(first->release(), ReleaseOutcome::Released);
  EXPECT_TRUE(future.get());
}

TEST_F(CoroutineLocks, areCancelled) {
  auto first = client->mutex(LockName("k")).tryAcquire();
  ASSERT_TRUE(first);
  std::stop_source cancel;
  std::promise<LockResult> answer;
  auto future = answer.get_future();
  takeAndGiveBack(client->mutex(LockName("k")), cancel.get_token(), answer);
  cancel.request_stop();
  const auto refused = future.get();
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is<Cancelled>());
}

TEST_F(CoroutineLocks, ofAClosedClientResumeHere) {
  const auto lock = client->mutex(LockName("k"));
  client.reset();
  std::promise<LockResult> answer;
  takeAndGiveBack(lock, {}, answer);
  const auto refused = answer.get_future().get();
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is<Cancelled>());
}

TEST_F(CoroutineLocks, areReleasedAndAwaited) {
  std::promise<ReleaseOutcome> answer;
  takeAndRelease(client->mutex(LockName("k")), answer);
  EXPECT_EQ(answer.get_future().get(), ReleaseOutcome::Released);
  EXPECT_TRUE(isFree("k"));
}

TEST_F(CoroutineLocks, latchesAreCountedDownAndAwaited) {
  const auto latch = client->countDownLatch(LockName("parts"));
  ASSERT_TRUE(latch.trySetCount(1));
  std::promise<bool> answer;
  meet(latch, answer);
  EXPECT_TRUE(answer.get_future().get());
}
