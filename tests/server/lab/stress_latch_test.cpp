// SPDX-License-Identifier: Apache-2.0
// Runs of CountDownLatch, whose clients do not exclude each other but meet.
#include "tests/server/lab/stress_fixture.h"

using namespace lockhouse;
using namespace lockhouse::test;

namespace {

struct StressOfLatches : StressOnServer {
  static StressOptions aRun() {
    StressOptions options;
    options.primitive = "CountDownLatch";
    options.clients = 16;
    options.duration = 60000ms;
    options.prefix = "latch:";
    return options;
  }
  /// A user who may do everything but that.
  Uri userWithout(const char *right) {
    redis({"ACL", "SETUSER", "worker", "on", ">pw", "~*", "&*", "+@all", right});
    auto uri = server.unixUri();
    uri.user = "worker";
    uri.password = "pw";
    return uri;
  }
};

} // namespace

TEST_F(StressOfLatches, aCountIsMadeExactlyAndTheClientsOfAKeyGoOnTogether) {
  for (const auto *policy : {"pubsub", "backoff", "spin", "try"})
    for (const unsigned clients : {1U, 2U, 7U, 200U}) {
      auto options = aRun();
      options.policy = policy;
      options.clients = clients;
      options.keys = 3;
      makesExactly(1000, options);
    }
}

TEST_F(StressOfLatches, withThinkAndHoldTheyStillMeet) {
  auto options = aRun();
  options.think = 2ms;
  options.hold = 1ms;
  makesExactly(160, options);
}

TEST_F(StressOfLatches, theLeaseMeansNothing) {
  auto options = aRun();
  options.lease = 10ms;
  options.hold = 50ms;
  options.duration.reset();
  options.count = 64;
  const auto report = done(options);
  EXPECT_EQ(report.pairs, 64U);
  EXPECT_EQ(report.lost, 0U);
}

TEST_F(StressOfLatches, aLatchTornOpenIsAViolationThatIsCounted) {
  auto options = aRun();
  options.policy = "spin"; // looks without having been told
  tearUntilSeen(options);
}

// As if a count down had been sent twice.
TEST_F(StressOfLatches, aLatchCountedDownByAStrangerIsAViolationThatIsCounted) {
  auto options = aRun();
  options.clients = 300;
  ObservedRun run(server.unixUri(), options);
  waitUntil([&] {
    for (const auto &key : redis.lines({"KEYS", "latch:*"}))
      redis({"EVAL", "if redis.call('exists', KEYS[1]) == 1 then redis.call('decr', KEYS[1]) end return 1", "1", key});
    return run.violations() > 0;
  });
  run.stop();
  const auto report = run.report();
  ASSERT_TRUE(report) << report.error().sentence();
  EXPECT_GT(report->violations, 0U);
}

TEST_F(StressOfLatches, stoppedInMidRoundTheyLeaveNoLatch) {
  for (const unsigned keys : {0U, 1U, 3U}) {
    auto options = aRun();
    options.keys = keys;
    ObservedRun run(server.unixUri(), options);
    waitUntil([&] { return run.pairs() > 100; });
    run.stop();
    run.stop();
    const auto report = run.report();
    ASSERT_TRUE(report) << report.error().sentence();
    EXPECT_TRUE(report->stopped);
    EXPECT_FALSE(report->failure) << report->failure->sentence();
    EXPECT_EQ(report->violations, 0U);
    EXPECT_EQ(keysLeft(), 0);
  }
}

TEST_F(StressOfLatches, destroyedInMidRoundTheyLeaveNoLatchAndReport) {
  ObservedRun run(server.unixUri(), aRun());
  waitUntil([&] { return run.pairs() > 100; });
  run.destroy();
  ASSERT_TRUE(run.report());
  EXPECT_EQ(keysLeft(), 0);
}

TEST_F(StressOfLatches, aServerKilledOrStandingStillEndsTheRunAndItsReportSaysWhy) { endsInOneSentence(aRun()); }

TEST_F(StressOfLatches, roundsThatARestartTouchedAreInDoubtAndBegunAnew) {
  for (const auto *policy : {"pubsub", "try"}) {
    auto options = aRun();
    options.policy = policy;
    options.clients = 200;
    options.keys = 3;
    std::uint64_t inDoubt = 0;
    for (int attempt = 0; attempt < 5 && inDoubt == 0; ++attempt) { // a restart may fall into an instant at which nothing is under way
      ObservedRun run(server.unixUri(), options);
      waitUntil([&] { return run.pairs() > 1000; });
      server.kill();
      ASSERT_TRUE(server.restart());
      const auto then = run.pairs();
      waitUntil([&] { return run.pairs() > then + 1000; });
      run.stop();
      const auto report = run.report();
      ASSERT_TRUE(report) << report.error().sentence();
      EXPECT_FALSE(report->failure) << report->failure->sentence();
      inDoubt = report->inDoubt;
      EXPECT_EQ(report->violations, 0U) << "what the server forgot is not taken for open";
      EXPECT_EQ(RawRedis(server.unixUri().path).number({"DBSIZE"}), 0);
    }
    EXPECT_GT(inDoubt, 0U);
  }
}

TEST_F(StressOfLatches, connectionsKilledAgainAndAgainCostNoCountAndLeaveNoLatch) {
  auto options = aRun();
  options.keys = 3;
  options.duration.reset();
  options.count = 40'000;
  ObservedRun run(server.unixUri(), options);
  for (int i = 0; i < 5; ++i) {
    const auto then = run.pairs();
    waitUntil([&] { return run.pairs() > then || run.pairs() == 40'000; });
    redis({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
    redis({"CLIENT", "KILL", "TYPE", "pubsub"});
  }
  const auto report = run.report();
  ASSERT_TRUE(report) << report.error().sentence();
  EXPECT_EQ(report->failure ? report->failure->sentence() : "", "");
  EXPECT_EQ(report->pairs, 40'000U) << "every round was made, some of them anew";
  EXPECT_EQ(report->violations, 0U);
  waitUntil([&] { return keysLeft() == 0; });
}

TEST_F(StressOfLatches, aUserWhoMayNotCountDownGetsAnErrorAndLeavesNoLatch) {
  const auto report = ObservedRun(userWithout("-decrby"), aRun()).report();
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::NotPermitted) << report.error().sentence();
  EXPECT_EQ(keysLeft(), 0);
}

TEST_F(StressOfLatches, aUserWhoMayNotSubscribeWaitsAllTheSame) {
  auto options = aRun();
  options.duration.reset();
  options.count = 160;
  const auto report = ObservedRun(userWithout("-subscribe"), options).report();
  ASSERT_TRUE(report) << report.error().sentence();
  EXPECT_EQ(report->pairs, 160U);
  EXPECT_EQ(report->violations, 0U);
}

TEST_F(StressOfLatches, noReplicasAreAskedForAndNoOtherNodes) {
  auto options = aRun();
  options.acknowledge = ReplicaAck::by(1);
  const auto refused = StressRun::start(server.unixUri(), options, {}, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::Usage);
  EXPECT_FALSE(StressRun::start({server.unixUri(), server.unixUri()}, aRun(), {}, {}));
  options = aRun();
  options.policy = "fair";
  EXPECT_FALSE(StressRun::start(server.unixUri(), options, {}, {}));
}
