// SPDX-License-Identifier: Apache-2.0
// What the pages say that a hold costs among many who want it.
#include "core/lock/primitives/primitive.h"
#include "tests/server/lab/stress_fixture.h"

using namespace lockhouse;
using namespace lockhouse::test;

namespace {

struct CrowdedCosts : StressOnServer, testing::WithParamInterface<const Primitive *> {};

} // namespace

TEST_P(CrowdedCosts, areAboutThoseOnThePage) {
  const auto &info = GetParam()->info();
  StressOptions options;
  options.primitive = info.name;
  options.clients = 16;
  options.keys = 1;
  options.count = 3000;
  const auto report = done(options);
  constexpr double about = 0.25; // pollers ask more or less often, as the machine is busy
  EXPECT_NEAR(report.commandsPerPair, info.costs.crowdedCommands, about * info.costs.crowdedCommands);
  ASSERT_TRUE(report.serverCallsPerPair);
  EXPECT_NEAR(*report.serverCallsPerPair, info.costs.crowdedCalls, about * info.costs.crowdedCalls);
}

INSTANTIATE_TEST_SUITE_P(Every, CrowdedCosts, testing::ValuesIn(Primitive::all().begin(), Primitive::all().end()),
                         [](const auto &each) { return std::string(each.param->info().name); });
