// SPDX-License-Identifier: Apache-2.0
// Stress over several nodes, and of several locks at once.
#include "tests/server/lab/stress_fixture.h"

using namespace lockhouse;
using namespace lockhouse::test;

namespace {

struct StressOnQuorum : testing::Test {
  StressOnQuorum() {
    for (int i = 0; i < 3; ++i) {
      servers.push_back(std::move(Sandbox::start({}).value()));
      nodes.push_back(servers.back().unixUri());
    }
  }
  StressOptions aRun() {
    StressOptions options;
    options.primitive = "RedLock";
    options.clients = 8;
    options.duration = 60000ms;
    return options;
  }
  long keysAt(std::size_t node) { return RawRedis(nodes[node].path).number({"DBSIZE"}); }

  std::vector<Sandbox> servers;
  std::vector<Uri> nodes;
};

} // namespace

TEST_F(StressOnQuorum, excludesServesAllAndLeavesNothingAnywhere) {
  for (const unsigned keys : {0U, 1U, 3U}) {
    auto options = aRun();
    options.keys = keys;
    options.duration = 400ms;
    const auto report = ObservedRun(nodes, options).report();
    ASSERT_TRUE(report) << report.error().sentence();
    EXPECT_EQ(report->nodes, 3U);
    EXPECT_EQ(report->violations, 0U);
    EXPECT_EQ(report->lost, 0U);
    EXPECT_GT(report->perClientMin, 0U);
    EXPECT_GE(report->commandsPerPair, 6.0) << "one to take and one to give at each of three nodes";
    EXPECT_TRUE(report->serverCallsPerPair);
    EXPECT_FALSE(report->failure) << report->failure->sentence();
    for (std::size_t node = 0; node < 3; ++node)
      EXPECT_EQ(keysAt(node), 0);
  }
}

TEST_F(StressOnQuorum, oneNodeThatGoesInMidRunIsBorneAndEvenItsReturnWithoutItsKeys) {
  auto options = aRun();
  options.lease = 500ms;
  ObservedRun run(nodes, options);
  waitUntil([&] { return run.pairs() > 100; });
  servers[1].kill();
  auto then = run.pairs();
  waitUntil([&] { return run.pairs() > then + 100; });
  ASSERT_TRUE(servers[1].restart());
  then = run.pairs();
  waitUntil([&] { return run.pairs() > then + 100; });
  run.stop();
  const auto report = run.report();
  ASSERT_TRUE(report) << report.error().sentence();
  EXPECT_EQ(report->violations, 0U);
  waitUntil([&] { return keysAt(0) + keysAt(1) + keysAt(2) == 0; });
}

TEST_F(StressOnQuorum, withoutAQuorumTheRunEndsAndSaysSo) {
  ObservedRun run(nodes, aRun());
  waitUntil([&] { return run.pairs() > 100; });
  servers[1].kill();
  servers[2].kill();
  const auto report = run.report();
  ASSERT_TRUE(report) << report.error().sentence();
  ASSERT_TRUE(report->failure);
  EXPECT_EQ(report->failure->code, ErrorCode::Unreachable);
  EXPECT_EQ(report->violations, 0U);
}

TEST_F(StressOnQuorum, twiceTheSameServerIsRefused) {
  servers[2] = std::move(Sandbox::start({.tcp = true, .config = {}}).value());
  const auto report = ObservedRun(std::vector{nodes[0], servers[2].unixUri(), servers[2].tcpUri()}, aRun()).report();
  ASSERT_FALSE(report);
  EXPECT_NE(report.error().what.english().find("the same server"), std::string::npos) << report.error().sentence();
}

TEST_F(StressOnQuorum, otherPrimitivesRunOnOneNode) {
  auto options = aRun();
  options.primitive = "MultiLock";
  EXPECT_FALSE(StressRun::start(nodes, options, {}, {}));
  options.primitive = "RedLock";
  EXPECT_FALSE(StressRun::start(std::vector{nodes[0], nodes[1]}, options, {}, {})) << "an even number";
}

TEST_F(StressOnServer, manyLocksAtOnceThatOverlapExclude) {
  StressOptions options;
  options.primitive = "MultiLock";
  options.clients = 15;
  options.keys = 5;
  options.hold = 1ms;
  std::uint64_t leastOfAClient = 0;
  for (milliseconds duration = 500ms; leastOfAClient == 0 && duration < 20s; duration *= 2) { // on a busy machine everybody's turn takes long
    options.duration = duration;
    const auto report = done(options);
    EXPECT_EQ(report.violations, 0U);
    EXPECT_EQ(report.lost, 0U);
    EXPECT_EQ(keysLeft(), 0);
    leastOfAClient = report.perClientMin;
  }
  EXPECT_GT(leastOfAClient, 0U) << "no circle of waiting";
}
