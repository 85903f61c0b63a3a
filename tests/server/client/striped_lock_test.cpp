// SPDX-License-Identifier: Apache-2.0
#include "core/lock/formats/stripe.h"
#include "tests/server/client/client_house.h"

#include <set>

using namespace lockhouse;
using namespace lockhouse::test;

class StripedLocks : public ClientHouse {
protected:
  /// A key other than `key` on its stripe, or on another one.
  std::string companionKey(const StripedLock &lock, std::string_view key, bool onSameStripe) {
    for (int i = 0;; ++i)
      if (auto other = "key:" + std::to_string(i); other != key && (lock.stripeOf(other) == lock.stripeOf(key)) == onSameStripe)
        return other;
  }
};

TEST_F(StripedLocks, takeTheStripeOfTheKeyAsALockOfItsName) {
  const StripedLock orders(client->mutex(LockName("orders")), 64);
  auto held = orders.acquire("order:7");
  ASSERT_TRUE(held);
  EXPECT_TRUE(held->isHeld());
  EXPECT_FALSE(isFree("orders:stripe:13"));
  EXPECT_TRUE(isFree("orders:stripe:12"));
  EXPECT_EQ(held->release(), ReleaseOutcome::Released);
  EXPECT_TRUE(isFree("orders:stripe:13"));
}

TEST_F(StripedLocks, excludeHoldersOfOneKeyInOtherClients) {
  const auto other = connect();
  const StripedLock mine(client->mutex(LockName("orders")), 8), theirs(other->mutex(LockName("orders")), 8);
  auto held = mine.acquire("order:7");
  ASSERT_TRUE(held);
  const auto refused = theirs.tryAcquire("order:7");
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is<Contended>());
  EXPECT_TRUE(theirs.tryAcquire(companionKey(mine, "order:7", false)));
}

TEST_F(StripedLocks, refuseToWaitForAStripeOfTheirOwnThread) {
  const StripedLock orders(client->mutex(LockName("orders")), 4);
  auto held = orders.acquire("a");
  ASSERT_TRUE(held);
  const auto other = companionKey(orders, "a", true);
  const auto refused = orders.acquire(other);
  ASSERT_FALSE(refused);
  ASSERT_TRUE(refused.error().is<Failed>());
  EXPECT_EQ(std::get<Failed>(refused.error().outcome).error.code, ErrorCode::Usage);
  EXPECT_NE(refused.error().sentence().find("acquireAll"), std::string::npos) << refused.error().sentence();
  const auto limited = orders.acquireFor(other, 30ms);
  ASSERT_FALSE(limited);
  EXPECT_TRUE(limited.error().is<TimedOut>()) << "with a limit it ends by itself";

  auto elsewhere = std::async(std::launch::async, [&] { return orders.acquire(other); });
  EXPECT_EQ(elsewhere.wait_for(30ms), std::future_status::timeout) << "another thread waits";
  EXPECT_EQ(held->release(), ReleaseOutcome::Released);
  auto theirs = elsewhere.get();
  ASSERT_TRUE(theirs);
  EXPECT_EQ(theirs->release(), ReleaseOutcome::Released);
  EXPECT_TRUE(orders.acquire("a")) << "what it held is released";
}

TEST_F(StripedLocks, takeManyKeysEachStripeOnceOrNone) {
  const StripedLock orders(client->mutex(LockName("orders"), {.waitLimit = 30ms}), 4);
  const auto same = companionKey(orders, "a", true), else_ = companionKey(orders, "a", false);
  auto all = orders.acquireAll({"a", same, else_, "a"});
  ASSERT_TRUE(all) << all.error().sentence();
  EXPECT_EQ(all->size(), 2U);
  all->clear();
  EXPECT_TRUE(orders.acquireAll({})->empty());

  const auto other = connect();
  const StripedLock theirs(other->mutex(LockName("orders")), 4);
  const auto last = orders.stripeOf("a") > orders.stripeOf(else_) ? "a" : else_; // the first is taken before this one is refused
  auto blocker = theirs.acquire(last);
  ASSERT_TRUE(blocker);
  const auto refused = orders.acquireAll({"a", else_});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().lock, stripeName(LockName("orders"), orders.stripeOf(last)));
  EXPECT_EQ(blocker->release(), ReleaseOutcome::Released);
  EXPECT_TRUE(eventually([&] { return theirs.tryAcquire("a").has_value(); }));
  EXPECT_TRUE(eventually([&] { return theirs.tryAcquire(else_).has_value(); })) << "what was taken of the others was given back";
}

TEST_F(StripedLocks, neverWaitInACircleThoughKeysComeInAnyOrder) {
  const StripedLock orders(client->mutex(LockName("orders"), {.waitLimit = 20s}), 8);
  std::vector<std::string> keys;
  for (int i = 0; i < 16; ++i)
    keys.push_back("key:" + std::to_string(i));
  std::atomic<int> taken = 0;
  {
    std::vector<std::jthread> workers;
    for (std::size_t worker = 0; worker < 4; ++worker)
      workers.emplace_back([&, worker] {
        for (std::size_t n = 0; n < 30; ++n) {
          auto all = orders.acquireAll({keys[(worker * 7 + n) % 16], keys[(worker + n * 5) % 16], keys[(worker * 3 + n * 11) % 16]});
          ASSERT_TRUE(all) << all.error().sentence();
          ++taken;
        }
      });
  }
  EXPECT_EQ(taken, 120);
}

TEST_F(StripedLocks, askOnceIfTheirPolicySaysSo) {
  const StripedLock orders(client->mutex(LockName("orders"), {.policy = AcquirePolicy::tryOnce()}), 4);
  auto held = orders.acquire("a");
  ASSERT_TRUE(held);
  const auto refused = orders.acquire("a");
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is<Contended>());
}

TEST_F(StripedLocks, withoutStripesAreRefused) {
  const StripedLock none(client->mutex(LockName("orders")), 0);
  const auto refused = none.tryAcquire("a");
  ASSERT_FALSE(refused);
  EXPECT_EQ(std::get<Failed>(refused.error().outcome).error.code, ErrorCode::Usage);
  EXPECT_FALSE(none.acquireAll({"a"}));
}

TEST(StripedLockInfo, hasSomethingToSayForEachOfItsFields) {
  const auto &info = StripedLock::info();
  EXPECT_EQ(info.name, "StripedLock");
  for (const auto text : {info.summary, info.useWhen, info.avoidWhen, info.commands, info.source})
    EXPECT_FALSE(text.empty());
  EXPECT_FALSE(info.policies.empty() || info.promises.empty() || info.notPromised.empty());
}
