// SPDX-License-Identifier: Apache-2.0
#include "core/lock/pages/primitive_info.h"
#include "tests/server/lab/stress_fixture.h"

#include <algorithm>
#include <ostream>

using namespace lockhouse;
using namespace lockhouse::test;

namespace {

struct Case {
  std::string primitive, policy;
  unsigned keys;
};

// Without it, GoogleTest names the cases after their bytes.
void PrintTo(const Case &one, std::ostream *out) { *out << one.primitive << ' ' << one.policy << ' ' << one.keys; }

struct EveryWay : StressOnServer, testing::WithParamInterface<Case> {};

std::vector<Case> everyWay() {
  std::vector<Case> all;
  for (const auto &info : primitiveInfos())
    for (const auto policy : info.policies)
      for (const unsigned keys : {0U, 1U})
        all.push_back({std::string(info.name), std::string(policy), keys});
  return all;
}

} // namespace

TEST_P(EveryWay, excludesServesAllAndLeavesNothing) {
  const auto &[primitive, policy, keys] = GetParam();
  StressOptions options;
  options.primitive = primitive;
  options.policy = policy;
  options.clients = 16;
  options.keys = keys;
  options.duration = 400ms;
  const auto report = done(options);
  EXPECT_EQ(report.violations, 0U);
  EXPECT_EQ(report.lost, 0U);
  EXPECT_EQ(report.inDoubt, 0U);
  if (policy != "try" && policy != "writers-first") { // who never waits has no right to a turn, and readers have none before writers
    EXPECT_GT(report.perClientMin, 0U) << "no client starves";
  }
  EXPECT_GE(report.pairs, 16 * report.perClientMin);
  EXPECT_LE(report.pairs, 16 * report.perClientMax);
  EXPECT_GE(report.seconds, 0.4);
  if (policy != "cohort") { // it hands on inside the client
    EXPECT_GT(report.commandsPerPair, 1.0) << "one to take each, and those that give many back at once";
  }
  ASSERT_TRUE(report.serverCallsPerPair);
  EXPECT_GE(*report.serverCallsPerPair, report.commandsPerPair * 0.99) << "calls inside scripts come on top";
  EXPECT_GT(report.acquireP50.count(), 0);
  EXPECT_LE(report.acquireP50, report.acquireP99);
  EXPECT_LE(report.acquireP99, report.acquireMax);
  EXPECT_EQ(report.options.policy, policy);
  EXPECT_FALSE(report.stopped);
  EXPECT_EQ(keysLeft(), 0);
}

INSTANTIATE_TEST_SUITE_P(Stress, EveryWay, testing::ValuesIn(everyWay()), [](const auto &one) {
  auto name = one.param.primitive + "_" + one.param.policy + (one.param.keys == 0 ? "_ownKeys" : "_oneKey");
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST_F(StressOnServer, aCountIsMadeExactly) {
  for (const unsigned clients : {1U, 7U, 100U}) {
    StressOptions options;
    options.clients = clients;
    makesExactly(1000, options);
  }
}

TEST_F(StressOnServer, aCountSmallerThanTheClientsIsMadeExactly) {
  StressOptions options;
  options.clients = 50;
  options.count = 3;
  const auto report = done(options);
  EXPECT_EQ(report.pairs, 3U);
  EXPECT_EQ(report.perClientMin, 0U);
  EXPECT_EQ(report.perClientMax, 1U);
}

TEST_F(StressOnServer, severalKeysAreShared) {
  StressOptions options;
  options.clients = 9;
  options.keys = 3;
  options.hold = 1ms;
  options.think = 1ms;
  options.count = 90;
  const auto report = done(options);
  EXPECT_EQ(report.pairs, 90U);
  EXPECT_EQ(report.violations, 0U);
  EXPECT_EQ(keysLeft(), 0);
}

TEST_F(StressOnServer, aRunInWhichNobodyHadTheLockIsNoSuccess) {
  for (const auto *primitive : {"Mutex", "MultiLock", "StripedLock", "FallbackLock"}) {
    StressOptions options;
    options.primitive = primitive;
    options.acknowledge = ReplicaAck::by(1); // there is none, and the run is shorter than the wait for it
    options.duration = 300ms;
    ObservedRun run(server.unixUri(), options);
    EXPECT_FALSE(run.report()) << primitive;
    EXPECT_EQ(keysLeft(), 0);
  }
}
