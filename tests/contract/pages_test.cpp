// SPDX-License-Identifier: Apache-2.0
// What the pages of the primitives say of Redis, held against a real server: commands, costs, keys and channels.
#include "tests/contract/world/lock_world.h"
#include "tests/contract/world/page_facts.h"

#include <algorithm>

using namespace lockhouse;
using namespace lockhouse::test;

class PageFacts : public LockContract {
protected:
  const PrimitiveInfo &info() const { return primitive().info(); }
  LockOptions options(bool shared, milliseconds lease = 30s) const {
    LockOptions options{.lease = lease, .policy = listeningPolicy(primitive())};
    if (options.policy)
      options.policy->cap = milliseconds(50);
    options.mode.shared = shared && primitive().hasReaders();
    return options;
  }
  // A reader, a writer of another client who waits for it, a reader who waits for that one: whom the primitive does not tell apart, the
  // three of them. `look` is called whenever there is something to see.
  void handAround(Party &one, Party &two, const std::function<void()> &look) {
    auto &first = one.owner(primitive(), "k", options(true));
    auto &second = two.owner(primitive(), "k", options(false));
    auto &third = one.owner(primitive(), "k", options(true));
    ASSERT_TRUE(std::holds_alternative<Acquired>(first.acquire()));
    auto writes = second.start();
    ASSERT_TRUE(isWaitedFor());
    look();
    EXPECT_EQ(first.release(), ReleaseOutcome::Released);
    EXPECT_TRUE(std::holds_alternative<Acquired>(writes.get()));
    auto reads = third.start();
    ASSERT_TRUE(isWaitedFor());
    look();
    EXPECT_EQ(second.release(), ReleaseOutcome::Released);
    EXPECT_TRUE(std::holds_alternative<Acquired>(reads.get()));
    EXPECT_EQ(third.release(), ReleaseOutcome::Released);
    look();
  }
  // Somebody listens or blocks; of a primitive that is only polled: has asked in vain.
  bool isWaitedFor() {
    if (!listeningPolicy(primitive()))
      return eventually([&, refused = callsOf(probe())["PTTL"]] { return callsOf(probe())["PTTL"] > refused; });
    return eventually([&] {
      const bool blocks = !probe().text({"INFO", "clients"}).contains("blocked_clients:0");
      return blocks || probe().subscriptions() > 0;
    });
  }
  void renewSoon(Party &client) {
    for (const bool shared : {false, true}) {
      auto &holder = client.owner(primitive(), "k", options(shared, 600ms));
      ASSERT_TRUE(holder.takes());
      EXPECT_TRUE(eventually([&, until = holder.validUntil()] { return holder.validUntil() > until; }));
      EXPECT_EQ(holder.release(), ReleaseOutcome::Released);
    }
  }
  // Given back in one turn of the loop, they leave together where the primitive can.
  void releaseTogether() {
    Loop loop;
    std::optional<NodeDriver> driver;
    std::deque<NodeSession> sessions;
    std::promise<void> taken, settled;
    loop.call([&] {
      driver.emplace(loop, node(), NodeDriver::Options{});
      driver->open();
      for (const auto *name : {"k1", "k2"})
        sessions.emplace_back(*driver, primitive(), LockName(name), LockOptions{});
      sessions[0].acquire([&](const AcquireOutcome &) { sessions[1].acquire([&](const AcquireOutcome &) { taken.set_value(); }); });
    });
    taken.get_future().wait();
    loop.call([&] {
      sessions.clear();
      driver->whenSettled([&] { settled.set_value(); });
    });
    settled.get_future().wait();
    loop.call([&] { driver.reset(); });
  }
};
INSTANTIATE_TEST_SUITE_P(Every, PageFacts, testing::Combine(testing::ValuesIn(primitiveNames()), testing::Values(Topology::UnixSocket)), contractName);

TEST_P(PageFacts, theCommandsOfAHoldThatNobodyElseWantsAreAllNamedAndAsManyAsSaid) {
  auto &client = party();
  auto &owner = client.owner(primitive(), "k");
  ASSERT_TRUE(std::holds_alternative<Acquired>(owner.acquire())); // the scripts are known from now on
  ASSERT_EQ(owner.release(), ReleaseOutcome::Released);
  ASSERT_TRUE(eventually([&] { return client.isSettled() && leftKeys().empty(); }));
  probe()({"CONFIG", "RESETSTAT"});
  const auto sent = client.commandsSent();
  ASSERT_TRUE(std::holds_alternative<Acquired>(owner.acquire()));
  ASSERT_EQ(owner.release(), ReleaseOutcome::Released);
  EXPECT_EQ(static_cast<double>(client.commandsSent() - sent), info().costs.commands);
  const auto named = namedIn(info().commands);
  double calls = 0;
  for (const auto &[command, times] : callsOf(probe())) {
    EXPECT_TRUE(named.contains(command)) << command << " is not named";
    calls += static_cast<double>(times);
  }
  EXPECT_EQ(calls, info().costs.calls);
}

TEST_P(PageFacts, everyCommandThatIsNamedIsReallySent) {
  auto &one = party();
  auto &two = party();
  probe()({"CONFIG", "RESETSTAT"});
  handAround(one, two, [] {});
  renewSoon(one);
  releaseTogether();
  const auto calls = callsOf(probe());
  const auto named = namedIn(info().commands);
  EXPECT_GE(named.size(), 4U);
  for (const auto &name : named)
    EXPECT_TRUE(calls.contains(name)) << name << " was not seen";
}

TEST_P(PageFacts, everyKeyAndChannelIsNamedWithItsTypeAndEveryOneNamedIsThere) {
  auto &one = party();
  auto &two = party();
  probe().listenToAll();
  std::set<const LockPlace *> seen;
  const auto see = [&](const std::string &name, std::string_view type) {
    const auto *place = placeOf(info(), name, type);
    EXPECT_NE(place, nullptr) << name << " of type " << type << " is not named";
    seen.insert(place);
  };
  bool isSharded = false; // of those messages a pattern hears nothing
  handAround(one, two, [&] {
    const Reply channels = probe()({"PUBSUB", "SHARDCHANNELS"});
    for (const auto &channel : channels.array()) {
      isSharded = true;
      see(std::string(*channel.text()), "channel");
    }
    const Reply keys = probe()({"KEYS", "*"});
    for (const auto &key : keys.array())
      if (const auto type = probe().text({"TYPE", *key.text()}); type != "none") // gone meanwhile
        see(std::string(*key.text()), type);
  });
  EXPECT_TRUE(eventually([&] { return isSharded || !probe().heard().empty() || std::ranges::count(info().places, "channel", &LockPlace::type) == 0; }));
  for (const auto &message : probe().heard())
    see(message.substr(0, message.find(' ')), "channel");
  for (const auto &place : info().places)
    EXPECT_TRUE(seen.contains(&place)) << place.name << " was not seen";
}
