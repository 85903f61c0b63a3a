// SPDX-License-Identifier: Apache-2.0
// What those hear who wait for a Mutex by policy pubsub, and what is written down of them.
#include "tests/contract/world/lock_world.h"

using namespace lockhouse;
using namespace lockhouse::test;

class MutexListeners : public LockContract {
protected:
  static constexpr const char *listeners = "lockhouse:listeners:{k}";
  const AcquirePolicy patient = AcquirePolicy::pubSub(1h); // only a word wakes it
};
INSTANTIATE_TEST_SUITE_P(Every, MutexListeners, testing::Combine(testing::Values("Mutex"), testing::Values(Topology::UnixSocket)), contractName);

TEST_P(MutexListeners, ofSeveralClientsAreAllToldAndGetInOneAfterTheOther) {
  auto &holder = party().owner(primitive(), "k", {.policy = patient});
  ASSERT_TRUE(holder.takes());
  std::vector<Owner *> waiters;
  std::vector<std::future<AcquireOutcome>> waits;
  for (int i = 0; i < 5; ++i) {
    waiters.push_back(&party().owner(primitive(), "k", {.policy = patient}));
    waits.push_back(waiters.back()->start());
  }
  ASSERT_TRUE(eventually([&] { return probe().number({"ZCARD", listeners}) == 5; }));
  EXPECT_EQ(holder.release(), ReleaseOutcome::Released);
  for (std::size_t left = waits.size(); left > 0; --left) {
    std::size_t in = waits.size();
    ASSERT_TRUE(eventually([&] {
      for (std::size_t i = 0; i < waits.size() && in == waits.size(); ++i)
        if (waits[i].valid() && waits[i].wait_for(0s) == std::future_status::ready)
          in = i;
      return in < waits.size();
    })) << left
        << " still wait";
    EXPECT_TRUE(std::holds_alternative<Acquired>(waits[in].get()));
    EXPECT_EQ(waiters[in]->release(), ReleaseOutcome::Released);
  }
}

TEST_P(MutexListeners, areToldByAHolderWhoOnlyTried) {
  auto &holder = party().owner(primitive(), "k", {.policy = patient});
  ASSERT_TRUE(std::holds_alternative<Acquired>(holder.tryAcquire()));
  auto &waiter = party().owner(primitive(), "k", {.policy = patient});
  auto waiting = waiter.start();
  ASSERT_TRUE(eventually([&] { return probe().number({"ZCARD", listeners}) == 1 && probe().subscriptions() == 1; }));
  EXPECT_EQ(holder.release(), ReleaseOutcome::Released);
  ASSERT_EQ(waiting.wait_for(5s), std::future_status::ready) << "it asks by itself after ten seconds";
  EXPECT_TRUE(std::holds_alternative<Acquired>(waiting.get()));
  EXPECT_EQ(waiter.release(), ReleaseOutcome::Released);
}

TEST_P(MutexListeners, whoGivesUpListensNoMore) {
  takeAsStranger("k", 1h);
  auto &waiter = party().owner(primitive(), "k", {.policy = patient});
  auto waiting = waiter.start();
  ASSERT_TRUE(eventually([&] { return probe().number({"ZCARD", listeners}) == 1; }));
  const auto left = probe().number({"PTTL", listeners});
  EXPECT_TRUE(left > 0 && left <= 30000) << left;
  waiter.cancel();
  EXPECT_TRUE(std::holds_alternative<Cancelled>(waiting.get()));
  EXPECT_TRUE(eventually([&] { return probe().number({"EXISTS", listeners}) == 0; }));
  probe()({"DEL", "k"});
}

TEST_P(MutexListeners, aWordIsNeverAGrant) {
  takeAsStranger("k", 1h);
  auto &waiter = party().owner(primitive(), "k", {.policy = patient});
  auto waiting = waiter.start();
  ASSERT_TRUE(eventually([&] { return probe().number({"ZCARD", listeners}) == 1 && probe().subscriptions() == 1; }));
  const auto listener = probe().text({"ZRANDMEMBER", listeners});
  const auto colon = listener.rfind(':');
  const auto asks = probe().calls("evalsha") + probe().calls("eval");
  EXPECT_EQ(probe().number({"PUBLISH", "lockhouse:inbox:" + listener.substr(0, colon), "Mutex " + listener.substr(colon + 1) + " 9 k"}), 1);
  EXPECT_TRUE(eventually([&] { return probe().calls("evalsha") + probe().calls("eval") > asks; })) << "it asks";
  EXPECT_EQ(waiting.wait_for(100ms), std::future_status::timeout);
  waiter.cancel();
  waiting.get();
  probe()({"DEL", "k"});
}

TEST_P(MutexListeners, aStrangersKeyUnderTheirNameIsLeftAloneAndTheyPoll) {
  probe()({"SET", listeners, "a stranger's"});
  const auto policy = AcquirePolicy::pubSub(20ms);
  auto &holder = party().owner(primitive(), "k", {.policy = policy});
  ASSERT_TRUE(holder.takes());
  auto &waiter = party().owner(primitive(), "k", {.policy = policy});
  auto waiting = waiter.start();
  EXPECT_EQ(waiting.wait_for(50ms), std::future_status::timeout);
  EXPECT_EQ(holder.release(), ReleaseOutcome::Released);
  ASSERT_EQ(waiting.wait_for(20s), std::future_status::ready);
  EXPECT_TRUE(std::holds_alternative<Acquired>(waiting.get()));
  EXPECT_EQ(waiter.release(), ReleaseOutcome::Released);
  EXPECT_EQ(probe().text({"GETDEL", listeners}), "a stranger's");
}

TEST_P(MutexListeners, aWordThatOvertakesTheRefusalIsHeard) {
  auto &client = party();
  takeAsStranger("other", 1h);
  auto &elsewhere = client.owner(primitive(), "other", {.policy = patient}); // so that the inbox stands
  auto waitsElsewhere = elsewhere.start();
  ASSERT_TRUE(eventually([&] { return probe().subscriptions() == 1; }));
  for (int i = 0; i < 300; ++i) {
    auto &holder = party().owner(primitive(), "k", {.policy = patient});
    ASSERT_TRUE(holder.takes());
    auto &waiter = client.owner(primitive(), "k", {.policy = patient});
    auto waiting = waiter.start();
    for (int spin = 0; spin < i % 30; ++spin)
      probe().number({"EXISTS", listeners});
    EXPECT_EQ(holder.release(), ReleaseOutcome::Released);
    ASSERT_EQ(waiting.wait_for(5s), std::future_status::ready) << "after " << i << ": it asks by itself after ten seconds";
    ASSERT_TRUE(std::holds_alternative<Acquired>(waiting.get()));
    ASSERT_EQ(waiter.release(), ReleaseOutcome::Released);
  }
  elsewhere.cancel();
  waitsElsewhere.get();
  probe()({"DEL", "other"});
}

TEST_P(MutexListeners, whoIsGoneListensNoLongerThanOneLease) {
  takeAsStranger("k", 1h);
  for (int i = 0; i < 50; ++i)
    probe()({"ZADD", listeners, "1000", "0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02:" + std::to_string(i)}); // of long ago
  auto &waiter = party().owner(primitive(), "k", {.policy = patient});
  auto waiting = waiter.start();
  EXPECT_TRUE(eventually([&] { return probe().number({"ZCARD", listeners}) == 1; }));
  waiter.cancel();
  waiting.get();
  probe()({"DEL", "k"});
}
