// SPDX-License-Identifier: Apache-2.0
// Runs of what stands on a Client of its own: StripedLock and FallbackLock.
#include "tests/server/lab/stress_fixture.h"

using namespace lockhouse;
using namespace lockhouse::test;

namespace {

struct StressOfUsersLocks : StressOnServer, testing::WithParamInterface<const char *> {
  StressOptions aRun() const {
    StressOptions options;
    options.primitive = GetParam();
    options.clients = 32;
    options.duration = 60000ms;
    return options;
  }
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Stress, StressOfUsersLocks, testing::Values("StripedLock", "FallbackLock"), [](const auto &one) { return std::string(one.param); });

TEST_P(StressOfUsersLocks, aCountIsMadeExactlyByManyMoreClientsThanThreads) {
  auto options = aRun();
  options.clients = 500;
  options.keys = 7;
  options.duration.reset();
  options.count = 1001;
  const auto report = done(options);
  EXPECT_EQ(report.pairs, 1001U);
  EXPECT_EQ(report.perClientMin, 2U);
  EXPECT_EQ(report.perClientMax, 3U);
  EXPECT_EQ(report.violations, 0U);
  EXPECT_EQ(keysLeft(), 0);
}

TEST_P(StressOfUsersLocks, stoppedInMidRunTheyGiveEverythingBack) {
  for (const unsigned keys : {0U, 1U}) {
    auto options = aRun();
    options.keys = keys;
    options.stripes = 100'000; // so that hardly two keys share one
    options.hold = 30000ms;
    ObservedRun run(server.unixUri(), options);
    waitUntil([&] { return keysLeft() >= (keys == 0 ? 25 : 1); });
    run.stop();
    const auto report = run.report();
    ASSERT_TRUE(report) << report.error().sentence();
    EXPECT_TRUE(report->stopped);
    EXPECT_FALSE(report->failure) << report->failure->sentence();
    EXPECT_EQ(report->violations, 0U);
    EXPECT_EQ(keysLeft(), 0);
  }
}

TEST_P(StressOfUsersLocks, destroyedInMidRunTheyGiveEverythingBackAndReport) {
  auto options = aRun();
  options.hold = 5ms;
  ObservedRun run(server.unixUri(), options);
  waitUntil([&] { return run.pairs() > 10; });
  run.destroy();
  EXPECT_TRUE(run.report());
  EXPECT_EQ(keysLeft(), 0);
}

TEST_P(StressOfUsersLocks, aServerKilledOrStandingStillEndsTheRunAndItsReportSaysWhy) { endsInOneSentence(aRun()); }

TEST_P(StressOfUsersLocks, aServerThatIsRestartedInMidRunIsBorne) {
  ObservedRun run(server.unixUri(), aRun());
  waitUntil([&] { return run.pairs() > 100; });
  server.kill();
  ASSERT_TRUE(server.restart());
  const auto then = run.pairs();
  waitUntil([&] { return run.pairs() > then + 100; });
  run.stop();
  const auto report = run.report();
  ASSERT_TRUE(report) << report.error().sentence();
  EXPECT_FALSE(report->failure) << report->failure->sentence();
  EXPECT_EQ(report->violations, 0U);
}

TEST_F(StressOnServer, allKeysOfAStripeExcludeEachOther) {
  StressOptions options;
  options.primitive = "StripedLock";
  options.clients = 16;
  options.keys = 0;
  options.stripes = 1;
  options.hold = 20ms;
  options.duration = 60000ms;
  options.prefix = "striped:";
  ObservedRun run(server.unixUri(), options);
  waitUntil([&] { return run.pairs() > 5; });
  const auto keys = redis.lines({"KEYS", "*"});
  run.stop();
  const auto report = run.report();
  ASSERT_TRUE(report) << report.error().sentence();
  EXPECT_LE(keys.size(), 1U) << "one lock for all";
  for (const auto &key : keys)
    EXPECT_TRUE(key.starts_with("striped:") && key.ends_with(":stripe:0")) << key;
  EXPECT_EQ(report->stripesUsed, 1U);
  EXPECT_EQ(report->violations, 0U);
  EXPECT_EQ(keysLeft(), 0);
}

TEST_F(StressOnServer, aStripeTornFromItsHolderIsAViolationThatIsCounted) {
  StressOptions options;
  options.primitive = "StripedLock";
  options.clients = 8;
  options.keys = 0;
  options.stripes = 1; // keys of their own: only their stripe can tell
  options.policy = "try";
  options.hold = 20ms;
  tearUntilSeen(options);
}
