// SPDX-License-Identifier: Apache-2.0
// What Quorum and NodeGroup tell of themselves: metrics, log, the names of their owners.
#include "core/lock/pages/composition.h"
#include "tests/server/client/quorum_house.h"

#include <algorithm>
#include <future>
#include <mutex>

using namespace lockhouse;
using namespace lockhouse::test;

using Kind = LogEvent::Kind;

namespace {

bool has(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

class NodesReport : public QuorumHouse {
protected:
  LogSink sink() {
    return [this](const LogEvent &event) {
      const std::scoped_lock guard(mutex);
      events.push_back(event);
    };
  }
  std::vector<LogEvent> told(Kind kind) {
    const std::scoped_lock guard(mutex);
    std::vector<LogEvent> found;
    std::ranges::copy_if(events, std::back_inserter(found), [kind](const LogEvent &event) { return event.kind == kind; });
    return found;
  }
  std::unique_ptr<NodeGroup> group(OwnerOptions owners = {}) {
    ClientOptions wanted;
    wanted.connection = options().connection;
    wanted.owners = owners;
    wanted.log = sink();
    auto connected = NodeGroup::connect(uris(), wanted);
    EXPECT_TRUE(connected) << connected.error().sentence();
    return connected ? std::make_unique<NodeGroup>(std::move(*connected)) : nullptr;
  }
  static LockMetrics of(const Metrics &metrics, const char *primitive = "Mutex") {
    return metrics.of(primitive) != nullptr ? *metrics.of(primitive) : LockMetrics{};
  }

  std::mutex mutex; // guards events
  std::vector<LogEvent> events;
};

} // namespace

TEST_F(NodesReport, aQuorumCountsItsLocksAsAWhole) {
  start(3);
  const auto mine = connect();
  const auto other = connect();
  auto theirs = other->redLock(LockName("k")).acquire();
  ASSERT_TRUE(theirs);
  const auto lock = mine->redLock(LockName("k"));
  EXPECT_FALSE(lock.tryAcquire());
  EXPECT_FALSE(lock.acquireFor(30ms));
  std::stop_source cancel;
  auto waiting = std::async(std::launch::async, [&] { return lock.acquire(cancel.get_token()); });
  EXPECT_TRUE(eventually([&] { return of(mine->metrics()).waiters == 1; }));
  cancel.request_stop();
  EXPECT_FALSE(waiting.get());
  ASSERT_EQ(theirs->release(), ReleaseOutcome::Released);
  auto held = lock.acquireFor(20s);
  ASSERT_TRUE(held) << held.error().sentence();
  auto seen = of(mine->metrics());
  EXPECT_EQ(seen.contended, 1U);
  EXPECT_EQ(seen.timedOut, 1U);
  EXPECT_EQ(seen.cancelled, 1U);
  EXPECT_EQ(seen.acquired, 1U);
  EXPECT_EQ(seen.wait.count(), 1U);
  EXPECT_EQ(seen.holds, 1);
  EXPECT_EQ(seen.waiters, 0);
  EXPECT_GE(seen.refusals, 2U);
  EXPECT_EQ(held->release(), ReleaseOutcome::Released);
  seen = of(mine->metrics());
  EXPECT_EQ(seen.holds, 0);
  EXPECT_EQ(seen.hold.count(), 1U);
  EXPECT_EQ(seen.releasedAs(ReleaseOutcome::Released), 1U);
  { const auto dropped = lock.acquire(); }
  EXPECT_TRUE(eventually([&] { return of(mine->metrics()).releasedAs(ReleaseOutcome::Released) == 2; }));
  EXPECT_EQ(of(mine->metrics()).holds, 0);
}

TEST_F(NodesReport, aQuorumCountsReentriesUnderThePrimitiveOfItsNodes) {
  start(1);
  const auto mine = connect();
  auto held = mine->redLock(*Primitive::find("ReentrantLock"), LockName("k")).acquire();
  ASSERT_TRUE(held);
  ASSERT_TRUE(std::holds_alternative<Acquired>(held->acquireAgain()));
  EXPECT_EQ(held->release(), ReleaseOutcome::StillHeld);
  EXPECT_EQ(held->release(), ReleaseOutcome::Released);
  const auto seen = of(mine->metrics(), "ReentrantLock");
  EXPECT_EQ(seen.acquired, 2U);
  EXPECT_EQ(seen.hold.count(), 1U);
  EXPECT_EQ(seen.releasedAs(ReleaseOutcome::StillHeld), 1U);
  EXPECT_EQ(seen.releasedAs(ReleaseOutcome::Released), 1U);
}

TEST_F(NodesReport, aQuorumsBooksBalanceWhateverTheWayOfWaiting) {
  start(3);
  for (const auto name : redLockInfo().policies) {
    const auto mine = connect();
    const auto lock = mine->redLock(LockName("busy"), {.policy = AcquirePolicy::named(name), .waitLimit = 20s});
    std::atomic<std::uint64_t> got = 0;
    {
      std::vector<std::jthread> workers;
      for (int i = 0; i < 4; ++i)
        workers.emplace_back([&] {
          for (int n = 0; n < 25; ++n)
            if (auto held = lock.acquire())
              got += held->release() == ReleaseOutcome::Released ? 1U : 0U;
        });
    }
    const auto seen = of(mine->metrics());
    EXPECT_EQ(seen.acquired, got) << name;
    EXPECT_EQ(seen.releasedAs(ReleaseOutcome::Released), got) << name;
    EXPECT_EQ(seen.hold.count(), got) << name;
    EXPECT_EQ(seen.acquired + seen.contended, 100U) << name;
    EXPECT_EQ(seen.holds, 0) << name;
    EXPECT_EQ(seen.waiters, 0) << name;
    EXPECT_LE(seen.handoff.count(), seen.acquired) << name;
    EXPECT_LE(seen.handoff.max(), seen.wait.max()) << name << ": a handoff is the end of a wait";
  }
}

TEST_F(NodesReport, aQuorumTellsALossAndItsRenewals) {
  start(3);
  auto wanted = options();
  wanted.log = sink();
  const auto mine = connect(wanted);
  auto held = mine->redLock(LockName("a\nb"), {.lease = 600ms}).acquire();
  ASSERT_TRUE(held);
  ASSERT_TRUE(eventually([&] { return of(mine->metrics()).renewals >= 2; }));
  EXPECT_GE(of(mine->metrics()).renewalLateness.count(), 2U);
  EXPECT_LT(of(mine->metrics()).renewalLateness.quantile(0), 600ms) << "counted from the plan, not from the grant";
  for (const std::size_t node : {0U, 1U})
    servers[node].kill();
  ASSERT_TRUE(eventually([&] { return held->lossReason().has_value(); }));
  const auto seen = of(mine->metrics());
  EXPECT_EQ(seen.lostBy(*held->lossReason()), 1U);
  EXPECT_EQ(seen.holds, 0);
  EXPECT_EQ(seen.hold.count(), 1U);
  ASSERT_EQ(told(Kind::HoldLost).size(), 1U);
  const auto event = told(Kind::HoldLost).front();
  EXPECT_EQ(event.lock, LockName("a\nb"));
  EXPECT_TRUE(event.node.empty()) << "of no one node";
  EXPECT_EQ(event.text.find('\n'), std::string::npos) << "safe to print";
}

TEST_F(NodesReport, aQuorumTellsOfEachNodeByItself) {
  start(3);
  auto wanted = options();
  wanted.log = sink();
  const auto mine = connect(wanted);
  ASSERT_TRUE(mine->redLock(LockName("k")).acquire());
  ASSERT_TRUE(eventually([&] { return std::ranges::all_of(mine->metrics().nodes, &NodeMetrics::connected); }));
  auto seen = mine->metrics();
  ASSERT_EQ(seen.nodes.size(), 3U);
  EXPECT_TRUE(seen.connected);
  EXPECT_EQ(seen.connects, 3U);
  std::uint64_t sent = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(seen.nodes[i].node.bytes(), proxies[i].uri().address());
    EXPECT_EQ(seen.nodes[i].connects, 1U);
    EXPECT_GE(seen.nodes[i].commands, 2U) << "who it is, and the ask";
    sent += seen.nodes[i].commands;
  }
  EXPECT_EQ(seen.commands, sent);
  EXPECT_EQ(told(Kind::Connected).size(), 3U);

  servers[2].kill();
  ASSERT_TRUE(eventually([&] { return !mine->metrics().nodes[2].connected; }));
  EXPECT_TRUE(mine->metrics().connected) << "two of three are a quorum";
  ASSERT_TRUE(eventually([&] { return told(Kind::ConnectionLost).size() == 1; }));
  EXPECT_EQ(told(Kind::ConnectionLost).front().node.bytes(), proxies[2].uri().address());
  const auto text = prometheusText(mine->metrics(), {{"client", "q"}});
  EXPECT_TRUE(has(text, R"(lockhouse_connected{client="q",node=")" + proxies[2].uri().address() + R"("} 0)")) << text;
  EXPECT_TRUE(has(text, R"(lockhouse_connected{client="q",node=")" + proxies[0].uri().address() + R"("} 1)")) << text;
  EXPECT_TRUE(has(text, R"(lockhouse_quorum_connected{client="q"} 1)")) << text;
  EXPECT_TRUE(has(text, R"(lockhouse_acquires_total{client="q",primitive="Mutex",outcome="acquired"} 1)")) << text;
  EXPECT_FALSE(has(text, R"(lockhouse_commands_total{client="q"} )")) << "the sum stands nowhere beside its parts";

  servers[1].kill();
  EXPECT_TRUE(eventually([&] { return !mine->metrics().connected; }));
  ASSERT_TRUE(servers[2].restart());
  EXPECT_TRUE(eventually([&] { return told(Kind::ServerRestarted).size() == 1 && told(Kind::ConnectionBack).size() == 1; }));
  EXPECT_EQ(told(Kind::ServerRestarted).front().node.bytes(), proxies[2].uri().address());
  EXPECT_TRUE(eventually([&] { return mine->metrics().connected; }));
}

TEST_F(NodesReport, aQuorumTellsAReleaseInDoubtOnce) {
  start(3);
  auto wanted = options();
  wanted.log = sink();
  wanted.connection.commandTimeout = 60s;
  wanted.closeLimit = 100ms;
  const auto mine = connect(wanted);
  auto held = mine->redLock(LockName("k")).acquire();
  ASSERT_TRUE(held);
  for (const std::size_t node : {0U, 1U})
    proxies[node].blackHole(true);
  EXPECT_EQ(held->release(), ReleaseOutcome::InDoubt);
  EXPECT_EQ(of(mine->metrics()).releasedAs(ReleaseOutcome::InDoubt), 1U);
  EXPECT_EQ(told(Kind::ReleaseInDoubt).size(), 1U);
  EXPECT_TRUE(told(Kind::HoldLost).empty()) << "released is not lost";
}

TEST_F(NodesReport, aQuorumsOwnersAreCalledAsIsAskedFor) {
  start(3);
  auto wanted = options();
  wanted.owners = {.format = OwnerFormat::Snowflake, .worker = 7};
  const auto mine = connect(wanted);
  auto held = mine->redLock(LockName("k")).acquire();
  ASSERT_TRUE(held) << held.error().sentence();
  ASSERT_TRUE(eventually([&] { return holders("k") == 3; }));
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(valueAt(i, "k"), held->token().bytes());
  EXPECT_EQ(SnowflakeIds::workerOf(std::stoull(held->token().bytes())), 7U);
  EXPECT_EQ(held->release(), ReleaseOutcome::Released);
  const auto refused = mine->redLock(*Primitive::find("ReentrantLock"), LockName("r")).acquire();
  ASSERT_FALSE(refused);
  ASSERT_TRUE(refused.error().is<Failed>()) << refused.error().sentence();
  EXPECT_EQ(std::get<Failed>(refused.error().outcome).error.code, ErrorCode::Usage);
}

TEST_F(NodesReport, aQuorumsMetricsAreThereForTheLoopItself) {
  start(1);
  auto mine = connect();
  std::promise<std::uint64_t> onLoop;
  mine->redLock(LockName("k")).acquire([&](LockResult) { onLoop.set_value(of(mine->metrics()).acquired); });
  EXPECT_EQ(onLoop.get_future().get(), 1U);
}

TEST_F(NodesReport, aGroupTellsOfEachNodeByItself) {
  start(2);
  const auto nodes = group();
  EXPECT_EQ(told(Kind::Connected).size(), 2U);
  auto held = nodes->multiLock({{0, LockName("a")}, {1, LockName("b")}, {1, LockName("c")}}).acquire();
  ASSERT_TRUE(held) << held.error().sentence();
  const auto seen = nodes->metrics();
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(of(seen[0].metrics).holds, 1);
  EXPECT_EQ(of(seen[1].metrics).holds, 2);
  EXPECT_EQ(held->release(), ReleaseOutcome::Released);
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_EQ(seen[i].labels, (MetricLabels{{"node", proxies[i].uri().address()}}));
  const auto text = prometheusText(nodes->metrics());
  EXPECT_TRUE(has(text, R"(lockhouse_releases_total{node=")" + proxies[1].uri().address() + R"(",primitive="Mutex",outcome="released"} 2)")) << text;
  servers[1].kill();
  ASSERT_TRUE(eventually([&] { return told(Kind::ConnectionLost).size() == 1; }));
  EXPECT_EQ(told(Kind::ConnectionLost).front().node.bytes(), proxies[1].uri().address());
  EXPECT_FALSE(nodes->metrics()[1].metrics.connected);
  EXPECT_TRUE(nodes->metrics()[0].metrics.connected);
}

TEST_F(NodesReport, aGroupsOwnersAreCalledAsIsAskedFor) {
  start(2);
  const auto nodes = group({.format = OwnerFormat::UuidNumber});
  const auto held = nodes->multiLock({{0, LockName("a")}, {1, LockName("b")}}).acquire();
  ASSERT_TRUE(held) << held.error().sentence();
  EXPECT_EQ(valueAt(0, "a").find(':'), 36U) << valueAt(0, "a");
  EXPECT_EQ(valueAt(1, "b").find(':'), 36U) << valueAt(1, "b");
}
