// SPDX-License-Identifier: Apache-2.0
// As pages_test.cpp, of what is built on the primitives.
#include "core/lock/primitives/redisson/count_down_latch_wait.h"
#include "core/lockhouse.h"
#include "tests/contract/world/page_facts.h"

using namespace lockhouse;
using namespace lockhouse::test;

namespace {

struct BuiltPages : testing::Test {
  BuiltPages() {
    for (int i = 0; i < 3; ++i) {
      auto server = Sandbox::start({.tcp = true, .config = {}});
      nodes.push_back(server->unixUri());
      servers.push_back(std::move(*server));
    }
    probe.emplace(loop, nodes[0]);
    probe->listenToAll();
    client.emplace(Client::connect(nodes[0]).value());
    (*probe)({"CONFIG", "RESETSTAT"});
  }
  bool isRenewed(const LockHandle &held) {
    return eventually([&, until = held.validUntil()] { return held.validUntil() > until; });
  }
  void expectAllNamed(const PrimitiveInfo &info) {
    const auto calls = callsOf(*probe);
    const auto named = namedIn(info.commands);
    EXPECT_FALSE(named.empty());
    for (const auto &name : named)
      EXPECT_TRUE(calls.contains(name)) << name << " was not seen";
    for (const auto &[command, times] : calls)
      EXPECT_TRUE(named.contains(command) || command == "SUBSCRIBE" || command == "EVAL") << command << " is not named"; // EVAL: the first of a script
  }
  void expectPlace(const PrimitiveInfo &info, const std::string &key) {
    const auto type = probe->text({"TYPE", key});
    EXPECT_NE(placeOf(info, key, type), nullptr) << key << " of type " << type << " is not named";
  }

  std::vector<Sandbox> servers;
  std::vector<Uri> nodes;
  Loop loop;
  std::optional<Probe> probe;
  std::optional<Client> client;
};

} // namespace

TEST_F(BuiltPages, theRedLocksSaysWhatEachNodeSees) {
  const auto quorum = Quorum::connect(nodes, {.restartGuard = RestartGuard::Off});
  ASSERT_TRUE(quorum);
  auto held = quorum->redLock(LockName("k"), {.lease = 1s}).acquire();
  ASSERT_TRUE(held);
  ASSERT_TRUE(eventually([&] { return probe->text({"TYPE", "k"}) != "none"; })) << "a majority need not have been this node";
  expectPlace(redLockInfo(), "k");
  EXPECT_TRUE(isRenewed(*held));
  EXPECT_EQ(held->release(), ReleaseOutcome::Released);
  ASSERT_TRUE(eventually([&] { return probe->number({"DBSIZE"}) == 0; }));
  expectAllNamed(redLockInfo());
}

TEST_F(BuiltPages, theMultiLocksSaysWhatOneScriptDoesForSeveralMutexes) {
  auto held = client->multiLock({LockName("k"), LockName("k{k}")}, {.lease = 1s}).acquire();
  ASSERT_TRUE(held);
  expectPlace(multiLockInfo(), "k");
  EXPECT_TRUE(isRenewed(*held));
  EXPECT_EQ(held->release(), ReleaseOutcome::Released);
  expectAllNamed(multiLockInfo());
}

TEST_F(BuiltPages, theLatchsSaysWhatWaitingAndCountingDo) {
  const auto &info = CountDownLatchWait().info();
  const auto latch = client->countDownLatch(LockName("k"));
  ASSERT_TRUE(latch.trySetCount(2).value_or(false));
  expectPlace(info, "k");
  EXPECT_EQ(latch.wait(milliseconds(0)), false);
  EXPECT_EQ(latch.countDown(), 1);
  EXPECT_EQ(latch.count(), 1);
  EXPECT_EQ(latch.countDown(), 0);
  EXPECT_EQ(latch.wait(), true);
  EXPECT_TRUE(eventually([&] { return probe->heard().size() == 2; }));
  for (const auto &message : probe->heard())
    EXPECT_NE(placeOf(info, message.substr(0, message.find(' ')), "channel"), nullptr) << message;
  expectAllNamed(info);
}

TEST_F(BuiltPages, theStripedLocksNamesItsStripes) {
  const StripedLock locks(client->mutex(LockName("k")), 8);
  auto held = locks.acquire("account:7");
  ASSERT_TRUE(held);
  expectPlace(StripedLock::info(), "k:stripe:" + std::to_string(locks.stripeOf("account:7")));
  EXPECT_EQ(held->release(), ReleaseOutcome::Released);
}
