// SPDX-License-Identifier: Apache-2.0
// Fallback locks over several nodes.
#include "tests/server/client/quorum_house.h"

#include <algorithm>
#include <future>
#include <mutex>

using namespace lockhouse;
using namespace lockhouse::test;

namespace {

constexpr auto after = 100ms;

class FallbackNodes : public QuorumHouse {
protected:
  static ConnectionOptions impatient() { return {.connectTimeout = 200ms, .commandTimeout = 200ms, .backoffBase = 2ms, .backoffCap = 10ms}; }
  std::unique_ptr<Quorum> quorum() {
    auto wanted = options();
    wanted.connection = impatient();
    wanted.closeLimit = 100ms;
    return connect(wanted);
  }
  std::unique_ptr<NodeGroup> group() {
    auto connected = NodeGroup::connect(uris(), {.connection = impatient(), .closeLimit = 100ms});
    EXPECT_TRUE(connected) << connected.error().sentence();
    return connected ? std::make_unique<NodeGroup>(std::move(*connected)) : nullptr;
  }
  FallbackLock fallback(Lock lock) {
    return FallbackLock(std::move(lock), {.after = after, .alarm = [this](const FallbackAlarm &alarm) {
                                            const std::scoped_lock guard(mutex);
                                            alarms.push_back(alarm);
                                          }});
  }
  std::vector<FallbackAlarm> told() {
    const std::scoped_lock guard(mutex);
    return alarms;
  }
  void takeAway(std::size_t node) { servers[node].kill(); }
  void giveBack(std::size_t node) { ASSERT_TRUE(servers[node].restart()); }

  std::mutex mutex; // guards alarms
  std::vector<FallbackAlarm> alarms;
};

} // namespace

TEST_F(FallbackNodes, aQuorumIsGoneWhenFewerNodesThanItAreLeft) {
  start(3);
  const auto nodes = quorum();
  ASSERT_TRUE(nodes);
  const auto lock = fallback(nodes->redLock(LockName("k")));
  takeAway(0);
  auto held = lock.acquire();
  ASSERT_TRUE(held) << held.error().sentence();
  EXPECT_EQ(held->scope(), HoldScope::Redis) << "two of three are a quorum";
  EXPECT_EQ(held->release(), ReleaseOutcome::Released);
  takeAway(1);
  const auto began = SteadyClock::now();
  held = lock.acquire();
  ASSERT_TRUE(held) << held.error().sentence();
  EXPECT_EQ(held->scope(), HoldScope::Process);
  EXPECT_LT(SteadyClock::now() - began, 20s);
  EXPECT_TRUE(lock.isFallenBack());
  ASSERT_EQ(told().size(), 1U);
  EXPECT_TRUE(told().front().entered);
  EXPECT_NE(told().front().why.find("no quorum"), std::string::npos) << told().front().why;
  auto second = std::async(std::launch::async, [&] { return lock.acquire(); });
  EXPECT_EQ(second.wait_for(50ms), std::future_status::timeout) << "one at a time, in this process too";
  EXPECT_EQ(held->release(), ReleaseOutcome::Released);
  EXPECT_TRUE(second.get());
}

TEST_F(FallbackNodes, aQuorumThatIsBackEndsTheFallback) {
  start(3);
  const auto nodes = quorum();
  ASSERT_TRUE(nodes);
  const auto lock = fallback(nodes->redLock(LockName("k")));
  takeAway(0);
  takeAway(2);
  auto held = lock.acquire();
  ASSERT_TRUE(held) << held.error().sentence();
  ASSERT_EQ(held->scope(), HoldScope::Process);
  giveBack(2);
  ASSERT_TRUE(eventually([&] { return std::ranges::count_if(nodes->standings(), [](const auto &one) { return one.answered; }) == 2; }));
  EXPECT_EQ(held->scope(), HoldScope::Process) << "a hold keeps its scope";
  EXPECT_TRUE(held->isHeld());
  EXPECT_EQ(held->release(), ReleaseOutcome::Released);
  held = lock.acquire();
  ASSERT_TRUE(held) << held.error().sentence();
  EXPECT_EQ(held->scope(), HoldScope::Redis);
  ASSERT_EQ(told().size(), 2U);
  EXPECT_FALSE(told().back().entered);
  EXPECT_EQ(held->release(), ReleaseOutcome::Released);
  EXPECT_TRUE(nothingIsLeft({1, 2}));
}

TEST_F(FallbackNodes, aQuorumThatOnlyRefusesIsNotGone) {
  start(3);
  const auto nodes = quorum();
  ASSERT_TRUE(nodes);
  const auto lock = fallback(nodes->redLock(LockName("k"), {.waitLimit = 4 * after}));
  for (const std::size_t node : {0U, 1U})
    at(node, {"SET", "k", "somebody", "PX", "60000"});
  const auto refused = lock.acquire();
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is<TimedOut>()) << refused.error().sentence();
  EXPECT_TRUE(told().empty());
}

TEST_F(FallbackNodes, aMultiLockIsGoneWithAnyNodeThatItNeedsAndNoOther) {
  start(3);
  const auto nodes = group();
  ASSERT_TRUE(nodes);
  const auto both = fallback(nodes->multiLock({{0, LockName("a")}, {1, LockName("b")}}));
  const auto elsewhere = fallback(nodes->multiLock({{0, LockName("c")}, {2, LockName("d")}}));
  takeAway(1);
  auto held = both.acquire();
  ASSERT_TRUE(held) << held.error().sentence();
  EXPECT_EQ(held->scope(), HoldScope::Process);
  auto other = elsewhere.acquire();
  ASSERT_TRUE(other) << other.error().sentence();
  EXPECT_EQ(other->scope(), HoldScope::Redis);
  EXPECT_EQ(other->release(), ReleaseOutcome::Released);
  EXPECT_TRUE(nothingIsLeft({0, 2})) << "what was taken on the way is given back";
  giveBack(1);
  ASSERT_TRUE(eventually([&] { return both.lock().outage() == SteadyClock::duration::zero(); }));
  EXPECT_EQ(held->release(), ReleaseOutcome::Released);
  held = both.acquire();
  ASSERT_TRUE(held) << held.error().sentence();
  EXPECT_EQ(held->scope(), HoldScope::Redis);
  EXPECT_EQ(held->release(), ReleaseOutcome::Released);
  EXPECT_EQ(told().size(), 2U) << "of the one lock, that it fell back and that it is back";
}

// For a moment only, and another node for long: neither is what it would have to be for this lock.
TEST_F(FallbackNodes, aNodeThatIsGoneForLongIsNoReasonForALockThatDoesNotNeedIt) {
  start(2);
  const auto nodes = group();
  ASSERT_TRUE(nodes);
  const auto lock = FallbackLock(nodes->multiLock({{0, LockName("a")}}, {.waitLimit = 20s}), {.after = 1500ms});
  const auto other = nodes->multiLock({{1, LockName("b")}});
  takeAway(1);
  ASSERT_TRUE(eventually([&] { return other.outage() > 1600ms; }));
  takeAway(0);
  ASSERT_TRUE(eventually([&] { return lock.lock().outage() > SteadyClock::duration::zero(); }));
  auto asked = lock.tryAcquire();
  EXPECT_TRUE(!asked || lock.lock().outage() >= 1500ms) << "it was gone for a moment";
  EXPECT_TRUE(asked || asked.error().is<Failed>()) << asked.error().sentence();
  giveBack(0);
  if (asked)
    asked->release();
  auto held = lock.acquire();
  ASSERT_TRUE(held) << held.error().sentence();
  EXPECT_EQ(held->scope(), HoldScope::Redis);
}

TEST_F(FallbackNodes, theSameNamesInAnotherOrderAreOneLine) {
  start(2);
  const auto nodes = group();
  ASSERT_TRUE(nodes);
  const auto one = fallback(nodes->multiLock({{0, LockName("a")}, {1, LockName("b")}}));
  const auto two = fallback(nodes->multiLock({{1, LockName("b")}, {0, LockName("a")}, {0, LockName("a")}}));
  const auto twin = fallback(nodes->multiLock({{1, LockName("a")}, {0, LockName("b")}}));
  takeAway(0);
  takeAway(1);
  const auto held = one.acquire();
  ASSERT_TRUE(held) << held.error().sentence();
  const auto same = two.tryAcquire();
  ASSERT_FALSE(same);
  EXPECT_TRUE(same.error().is<Contended>()) << same.error().sentence();
  EXPECT_TRUE(twin.acquire()) << "the same names at other nodes are other locks";
}
