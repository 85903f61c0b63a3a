// SPDX-License-Identifier: Apache-2.0
#include "tests/server/client/client_house.h"
#include "tests/server/lab/raw_redis.h"

using namespace lockhouse;
using namespace lockhouse::test;

class ClientLocks : public ClientHouse {};

TEST_F(ClientLocks, areTakenAndGivenBackByAHandle) {
  auto held = client->mutex(LockName("k")).tryAcquire();
  ASSERT_TRUE(held) << held.error().sentence();
  EXPECT_TRUE(held->isHeld());
  EXPECT_EQ(held->count(), 1);
  EXPECT_EQ(held->token().bytes().size(), 32U);
  EXPECT_GT(held->validUntil(), SteadyClock::now() + 20s);
  EXPECT_EQ(held->release(), ReleaseOutcome::Released);
  EXPECT_FALSE(held->isHeld());
  EXPECT_EQ(held->release(), ReleaseOutcome::NotOwner);
  EXPECT_TRUE(isFree("k"));
}

TEST_F(ClientLocks, areGivenBackWhenTheScopeEndsByAnException) {
  try {
    auto held = client->mutex(LockName("k")).tryAcquire();
    ASSERT_TRUE(held);
    throw std::runtime_error("work failed");
  } catch (const std::runtime_error &) {}
  EXPECT_TRUE(eventually([&] { return isFree("k"); }));
}

TEST_F(ClientLocks, moveWithTheirHandleToAnotherThread) {
  auto held = client->reentrantLock(LockName("k")).tryAcquire();
  ASSERT_TRUE(held);
  LockHandle elsewhere = std::move(*held);
  EXPECT_FALSE(held->isHeld());
  std::thread worker([handle = std::move(elsewhere)]() mutable {
    EXPECT_TRUE(handle.isHeld());
    EXPECT_EQ(handle.release(), ReleaseOutcome::Released);
  });
  worker.join();
  EXPECT_TRUE(isFree("k", "ReentrantLock"));
}

TEST_F(ClientLocks, assignedOverGiveBackWhatWasHeldBefore) {
  auto one = client->mutex(LockName("a")).tryAcquire();
  auto two = client->mutex(LockName("b")).tryAcquire();
  ASSERT_TRUE(one && two);
  *one = std::move(*two);
  EXPECT_TRUE(one->isHeld());
  EXPECT_TRUE(eventually([&] { return isFree("a"); }));
  EXPECT_FALSE(isFree("b"));
}

TEST_F(ClientLocks, areEnteredAgainThroughTheHandle) {
  auto held = client->reentrantLock(LockName("k")).tryAcquire();
  ASSERT_TRUE(held);
  EXPECT_TRUE(std::holds_alternative<Acquired>(held->acquireAgain()));
  EXPECT_EQ(held->count(), 2);
  EXPECT_EQ(held->release(), ReleaseOutcome::StillHeld);
  EXPECT_TRUE(held->isHeld());
  EXPECT_EQ(held->release(), ReleaseOutcome::Released);
}

TEST_F(ClientLocks, tellTheFenceOfTheirHoldWhereThereIsOne) {
  EXPECT_FALSE(LockHandle().fence());
  EXPECT_FALSE(client->mutex(LockName("plain")).acquire()->fence());
  const auto lock = client->fencedLock(LockName("k"));
  std::optional<Fence> last;
  for (int i = 0; i < 3; ++i) {
    auto held = lock.acquire();
    ASSERT_TRUE(held);
    const auto fence = held->fence();
    ASSERT_TRUE(fence);
    EXPECT_GT(fence, last);
    EXPECT_TRUE(std::holds_alternative<Acquired>(held->acquireAgain()));
    EXPECT_EQ(held->fence(), fence) << "the same however often it is entered";
    EXPECT_EQ(held->release(), ReleaseOutcome::StillHeld);
    EXPECT_EQ(held->release(), ReleaseOutcome::Released);
    last = fence;
  }
}

TEST_F(ClientLocks, refuseByNameAndWithinTheWaitLimit) {
  const auto other = connect();
  auto held = other->reentrantLock(LockName("k")).tryAcquire();
  ASSERT_TRUE(held);
  const auto began = SteadyClock::now();
  const auto refused = client->reentrantLock(LockName("k"), {.waitLimit = 50ms}).acquire();
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is<TimedOut>());
  EXPECT_GE(SteadyClock::now() - began, 50ms);
  EXPECT_NE(refused.error().sentence().find(held->token().bytes()), std::string::npos) << refused.error().sentence();
}

TEST_F(ClientLocks, refuseOptionsThatCannotWork) {
  for (const auto &options : {LockOptions{.lease = 0ms}, LockOptions{.countLimit = 0}, LockOptions{.policy = AcquirePolicy::spin(microseconds::max())}}) {
    const auto refused = client->mutex(LockName("k"), options).acquire();
    ASSERT_FALSE(refused);
    ASSERT_TRUE(refused.error().is<Failed>());
    EXPECT_EQ(std::get<Failed>(refused.error().outcome).error.code, ErrorCode::Usage);
  }
  EXPECT_FALSE(client->mutex(LockName("")).tryAcquire());
}

TEST_F(ClientLocks, waitAndAreCancelledByAStopToken) {
  auto held = client->mutex(LockName("k")).tryAcquire();
  ASSERT_TRUE(held);
  std::stop_source cancel;
  auto waiting = std::async(std::launch::async, [&] { return client->mutex(LockName("k")).acquire(cancel.get_token()); });
  EXPECT_EQ(waiting.wait_for(30ms), std::future_status::timeout);
  cancel.request_stop();
  const auto refused = waiting.get();
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is<Cancelled>());
}

TEST_F(ClientLocks, cancelledBeforeTheyBeganAreNotTaken) {
  std::stop_source cancel;
  cancel.request_stop();
  for (int i = 0; i < 50; ++i) {
    auto result = client->mutex(LockName("k")).acquire(cancel.get_token());
    if (result) {
      EXPECT_EQ(result->release(), ReleaseOutcome::Released); // the grant was quicker than the wish
    }
  }
  EXPECT_TRUE(eventually([&] { return isFree("k"); }));
}

TEST_F(ClientLocks, tellTheHolderOfALossByTokenReasonAndCallback) {
  auto held = client->mutex(LockName("k"), {.lease = 600ms}).tryAcquire();
  ASSERT_TRUE(held);
  std::promise<LossReason> told;
  held->onLost([&](LossReason reason) { told.set_value(reason); });
  EXPECT_FALSE(held->stopToken().stop_requested());
  server->pause();
  ASSERT_TRUE(eventually([&] { return held->stopToken().stop_requested(); }));
  EXPECT_FALSE(held->isHeld());
  EXPECT_EQ(told.get_future().get(), LossReason::LeaseEnded);
  EXPECT_EQ(held->lossReason(), LossReason::LeaseEnded);
  server->resume();
  bool toldAgain = false;
  held->onLost([&](LossReason) { toldAgain = true; });
  EXPECT_TRUE(toldAgain) << "who asks late is told at once";
  EXPECT_TRUE(std::holds_alternative<Failed>(held->acquireAgain()));
  EXPECT_EQ(held->release(), ReleaseOutcome::NotOwner);
}

TEST_F(ClientLocks, believeLongerAfterARenewal) {
  auto held = client->mutex(LockName("k"), {.lease = 300ms}).tryAcquire();
  ASSERT_TRUE(held);
  const auto before = held->validUntil();
  EXPECT_TRUE(eventually([&] { return held->validUntil() > before + 300ms; }));
  EXPECT_TRUE(held->isHeld());
}

TEST_F(ClientLocks, comeByCallbackOnTheLoop) {
  std::promise<LockResult> answer;
  client->mutex(LockName("k")).acquire([&](LockResult result) { answer.set_value(std::move(result)); });
  auto held = answer.get_future().get();
  ASSERT_TRUE(held);
  std::promise<ReleaseOutcome> released;
  held->release([&](ReleaseOutcome outcome) { released.set_value(outcome); });
  EXPECT_EQ(released.get_future().get(), ReleaseOutcome::Released);
}

TEST_F(ClientLocks, refuseASecondReleaseUnderWayAndCountItForNothing) {
  auto held = client->reentrantLock(LockName("k")).tryAcquire();
  ASSERT_TRUE(held);
  for (int i = 0; i < 2; ++i)
    ASSERT_TRUE(std::holds_alternative<Acquired>(held->acquireAgain()));
  server->pause();
  std::promise<ReleaseOutcome> first;
  std::promise<ReleaseOutcome> second;
  held->release([&](ReleaseOutcome outcome) { first.set_value(outcome); });
  held->release([&](ReleaseOutcome outcome) { second.set_value(outcome); });
  EXPECT_EQ(second.get_future().get(), ReleaseOutcome::Failed);
  EXPECT_EQ(held->count(), 2);
  server->resume();
  EXPECT_EQ(first.get_future().get(), ReleaseOutcome::StillHeld);
  EXPECT_EQ(held->count(), 2);
  EXPECT_EQ(held->release(), ReleaseOutcome::StillHeld);
  EXPECT_EQ(held->release(), ReleaseOutcome::Released);
}

TEST_F(ClientLocks, tellTheFirstReleaseItsOwnOutcomeThoughASecondWasRefused) {
  auto held = client->mutex(LockName("k")).tryAcquire();
  ASSERT_TRUE(held);
  server->pause();
  std::promise<ReleaseOutcome> first;
  std::promise<ReleaseOutcome> second;
  held->release([&](ReleaseOutcome outcome) { first.set_value(outcome); });
  held->release([&](ReleaseOutcome outcome) { second.set_value(outcome); });
  EXPECT_EQ(second.get_future().get(), ReleaseOutcome::Failed);
  server->resume();
  EXPECT_EQ(first.get_future().get(), ReleaseOutcome::Released);
  EXPECT_EQ(held->release(), ReleaseOutcome::NotOwner);
}

TEST_F(ClientLocks, waitWithALimitBeyondAllClocksAndWithoutTimeToWait) {
  auto held = client->mutex(LockName("k")).tryAcquire();
  ASSERT_TRUE(held);
  auto waiting = std::async(std::launch::async, [&] { return client->mutex(LockName("k"), {.waitLimit = milliseconds::max()}).acquire(); });
  const auto refused = client->mutex(LockName("k")).acquireFor(milliseconds::min());
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is<TimedOut>());
  EXPECT_EQ(held->release(), ReleaseOutcome::Released);
  EXPECT_TRUE(waiting.get()) << "it waited";
}

TEST_F(ClientLocks, nameThePrimitiveThatCannotBeEnteredAgain) {
  auto held = client->mutex(LockName("k")).tryAcquire();
  ASSERT_TRUE(held);
  const auto again = held->acquireAgain();
  ASSERT_TRUE(std::holds_alternative<Failed>(again));
  EXPECT_NE(std::get<Failed>(again).error.sentence().find("a Mutex is not re-entrant"), std::string::npos);
}

TEST_F(ClientLocks, doNotBlockTheLoopThatTheyWouldWaitFor) {
  std::promise<std::pair<LockResult, ReleaseOutcome>> answer;
  const auto lock = client->mutex(LockName("k"));
  lock.acquire([&](LockResult result) {
    auto blocked = client->mutex(LockName("other")).acquire();
    auto released = result->release();
    answer.set_value({std::move(blocked), released});
  });
  const auto [blocked, released] = answer.get_future().get();
  ASSERT_FALSE(blocked);
  EXPECT_TRUE(blocked.error().is<Failed>());
  EXPECT_EQ(released, ReleaseOutcome::InDoubt);
  EXPECT_TRUE(eventually([&] { return isFree("k"); })) << "it went on behind";
}

TEST_F(ClientLocks, areAllGivenBackWhenTheClientCloses) {
  auto one = client->mutex(LockName("a")).tryAcquire();
  auto two = client->reentrantLock(LockName("b")).tryAcquire();
  ASSERT_TRUE(one && two);
  auto waiting = std::async(std::launch::async, [lock = client->mutex(LockName("a"))] { return lock.acquire(); });
  EXPECT_EQ(waiting.wait_for(30ms), std::future_status::timeout);
  client.reset();
  const auto refused = waiting.get();
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is<Cancelled>());
  EXPECT_TRUE(one->stopToken().stop_requested());
  EXPECT_FALSE(one->isHeld());
  EXPECT_EQ(two->release(), ReleaseOutcome::NotOwner);
  EXPECT_TRUE(isFree("a"));
  EXPECT_TRUE(isFree("b", "ReentrantLock"));
}

TEST_F(ClientLocks, ofAClosedClientAreRefused) {
  const auto lock = client->mutex(LockName("k"));
  client.reset();
  const auto refused = lock.acquire();
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is<Cancelled>());
}

TEST_F(ClientLocks, closeInTimeThoughTheServerIsSilent) {
  auto held = client->mutex(LockName("k")).tryAcquire();
  ASSERT_TRUE(held);
  server->pause();
  const auto began = SteadyClock::now();
  client.reset();
  EXPECT_LT(SteadyClock::now() - began, 10s);
  server->resume();
}

TEST_F(ClientLocks, excludeThreadsOfOneClient) {
  int inside = 0;
  int most = 0;
  std::vector<std::thread> workers;
  for (int i = 0; i < 8; ++i)
    workers.emplace_back([&] {
      const auto lock = client->mutex(LockName("k"));
      for (int n = 0; n < 50; ++n) {
        auto held = lock.acquire();
        ASSERT_TRUE(held) << held.error().sentence();
        most = std::max(most, ++inside);
        --inside;
        ASSERT_EQ(held->release(), ReleaseOutcome::Released);
      }
    });
  for (auto &worker : workers)
    worker.join();
  EXPECT_EQ(most, 1);
}

TEST(ClientConnect, saysWhyItCannot) {
  const auto usage = Client::connect("ftp://x");
  ASSERT_FALSE(usage);
  EXPECT_EQ(usage.error().code, ErrorCode::Usage);
  const auto nobody = Client::connect("unix:///nowhere/at/all.sock", {.connection = {.connectTimeout = 500ms}});
  ASSERT_FALSE(nobody);
  EXPECT_EQ(nobody.error().code, ErrorCode::Unreachable);
}

TEST(ClientConnect, saysThatThePasswordIsWrong) {
  auto server = Sandbox::start({.tcp = false, .config = {"--requirepass", "right"}});
  ASSERT_TRUE(server);
  auto uri = server->unixUri();
  uri.password = "wrong";
  const auto refused = Client::connect(uri);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::AuthFailed);
}

TEST_F(ClientLocks, aReleaseThatIsRefusedSaysWhy) {
  auto held = client->mutex(LockName("k")).acquire();
  ASSERT_TRUE(held);
  EXPECT_FALSE(held->releaseError());
  RawRedis raw(server->unixUri().path);
  raw({"REPLICAOF", "127.0.0.1", "1"});
  EXPECT_EQ(held->release(), ReleaseOutcome::Failed);
  const auto why = held->releaseError();
  ASSERT_TRUE(why);
  EXPECT_NE(why->sentence().find("READONLY"), std::string::npos) << why->sentence();
  raw({"REPLICAOF", "NO", "ONE"});
}

TEST_F(ClientLocks, whoGetsNoAnswerInTimeIsNotToldThatSomebodyElseHoldsIt) {
  for (const auto *name : {"Mutex", "HandoffLock", "ReentrantLock", "FairLock"}) {
    const auto lock = client->lock(*Primitive::find(name), LockName("silent"));
    server->pause();
    const auto silent = lock.acquireFor(200ms);
    server->resume();
    ASSERT_FALSE(silent) << name;
    ASSERT_TRUE(silent.error().is<TimedOut>()) << name << ": " << silent.error().sentence();
    EXPECT_NE(silent.error().sentence().find("has not answered"), std::string::npos) << name << ": " << silent.error().sentence();
  }
  server->kill();
  const auto gone = client->mutex(LockName("gone")).acquireFor(200ms);
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().sentence().find("somebody else"), std::string::npos) << gone.error().sentence();
}
