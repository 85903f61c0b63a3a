// SPDX-License-Identifier: Apache-2.0
// Drivers that end with something under way. What these find shows under the address sanitizer.
#include "core/client/node/node_session.h"
#include "tests/server/client/client_house.h"
#include "tests/server/lab/raw_redis.h"

#include <algorithm>
#include <deque>

using namespace lockhouse;
using namespace lockhouse::test;

class DriverEnd : public testing::Test {
protected:
  void begin(Uri node) {
    loop.call([&] {
      driver = std::make_unique<NodeDriver>(loop, std::move(node), NodeDriver::Options{});
      driver->open();
    });
  }
  void end() {
    sessions.clear();
    driver.reset();
  }
  void TearDown() override {
    loop.call([&] { end(); });
  }
  NodeSession &session(const std::string &name) { return sessions.emplace_back(*driver, *Primitive::find("Mutex"), LockName(name), LockOptions{}); }

  Loop loop;
  std::unique_ptr<NodeDriver> driver; // from here on the loop's
  std::deque<NodeSession> sessions;
};

TEST_F(DriverEnd, withManyHoldsThatNobodyAnswersFor) {
  auto server = Sandbox::start({.config = {}});
  ASSERT_TRUE(server) << server.error().sentence();
  begin(server->unixUri());
  std::atomic<int> held = 0;
  loop.call([&] {
    for (int i = 0; i < 5; ++i)
      session("k" + std::to_string(i)).acquire(AcquirePolicy::backoff(), 20s, [&](const AcquireOutcome &outcome) {
        held += std::holds_alternative<Acquired>(outcome) ? 1 : 0;
      });
  });
  ASSERT_TRUE(eventually([&] { return held == 5; }));
  server->pause();
  bool settled = true;
  loop.call([&] {
    sessions.clear();
    settled = driver->isSettled();
    driver.reset();
  });
  EXPECT_FALSE(settled) << "their releases were under way";
  server->resume();
}

/// Whoever ends a client waits for that, and the one to whom it goes may be gone by then.
TEST_F(DriverEnd, isNotSettledWhileALockIsHandedOnInside) {
  auto server = Sandbox::start({.config = {}});
  ASSERT_TRUE(server) << server.error().sentence();
  begin(server->unixUri());
  std::atomic<int> held = 0;
  loop.call([&] {
    for (int i = 0; i < 2; ++i)
      sessions.emplace_back(*driver, *Primitive::find("HandoffLock"), LockName("k"), LockOptions{})
          .acquire(AcquirePolicy::cohort(), 20s, [&](const AcquireOutcome &outcome) { held += std::holds_alternative<Acquired>(outcome) ? 1 : 0; });
  });
  ASSERT_TRUE(eventually([&] { return held == 1; }));
  bool settled = true;
  loop.call([&] {
    sessions.clear();
    settled = driver->isSettled();
  });
  EXPECT_FALSE(settled);
  EXPECT_TRUE(eventually([&] {
    loop.call([&] { settled = driver->isSettled(); });
    return settled;
  }));
  test::RawRedis redis(server->unixUri().path);
  EXPECT_EQ(redis({"EXISTS", "k"}), "0");
}

TEST_F(DriverEnd, withAnAskThatWasRefusedForWantOfAConnectionInTheSameTurn) {
  begin(Uri{.kind = Uri::Kind::Unix, .path = "/nowhere/at/all.sock"});
  bool cancelled = false;
  loop.call([&] {
    session("k").acquire([&](const AcquireOutcome &outcome) { cancelled = std::holds_alternative<Cancelled>(outcome); });
    end();
  });
  EXPECT_TRUE(cancelled);
  loop.call([] {}); // what the turn has left behind has run before this
}

// Waiters by inbox, by a channel of the lock and by a list are known to the ears and the inbox, which end with the driver too.
TEST_F(DriverEnd, withHoldersAndWaitersWhoListenEachInTheirWay) {
  auto server = Sandbox::start({.config = {}});
  ASSERT_TRUE(server) << server.error().sentence();
  begin(server->unixUri());
  std::atomic<int> held = 0;
  const auto take = [&](const char *primitive, AcquirePolicy policy) {
    auto &owner = sessions.emplace_back(*driver, *Primitive::find(primitive), LockName(primitive), LockOptions{});
    owner.acquire(policy, 20s, [&](const AcquireOutcome &outcome) { held += std::holds_alternative<Acquired>(outcome) ? 1 : 0; });
  };
  const auto takeAll = [&] {
    loop.call([&] {
      for (const char *primitive : {"HandoffLock", "FairLock", "BlockingLock", "Mutex"})
        take(primitive, AcquirePolicy::named(primitive == std::string_view("Mutex") ? "pubsub" : Primitive::find(primitive)->info().policies.front()).value());
    });
  };
  takeAll();
  ASSERT_TRUE(eventually([&] { return held == 4; }));
  takeAll();
  std::int64_t refused = 0;
  ASSERT_TRUE(eventually([&] {
    loop.call([&] { refused = std::ranges::count_if(driver->metrics().locks, [](const LockMetrics &locks) { return locks.refusals > 0; }); });
    return refused == 4;
  })) << refused;
  server->pause();
  loop.call([&] { end(); });
  EXPECT_EQ(held, 4);
  server->resume();
}
