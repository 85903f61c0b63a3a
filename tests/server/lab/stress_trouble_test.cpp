// SPDX-License-Identifier: Apache-2.0
// What goes wrong around a stress run: locks torn away, stops, servers and connections that go, refusals.
#include "tests/server/lab/stress_fixture.h"

#include <sys/resource.h>

using namespace lockhouse;
using namespace lockhouse::test;

TEST_F(StressOnServer, aLockTornFromItsHolderIsAViolationThatIsCounted) {
  StressOptions options;
  options.clients = 8;
  options.policy = "try"; // waiters of other policies stand in line inside the client and would not ask beside a holder
  options.hold = 20ms;
  tearUntilSeen(options);
}

TEST_F(StressOnServer, countersThatBeganAnewInMidRunAreNotTakenForCalls) {
  StressOptions options;
  options.clients = 8;
  options.keys = 0;
  options.duration = 60000ms;
  ObservedRun run(server.unixUri(), options);
  waitUntil([&] { return run.pairs() > 2000; });
  redis({"CONFIG", "RESETSTAT"});
  const auto then = run.pairs();
  waitUntil([&] { return run.pairs() > then; });
  run.stop();
  const auto report = run.report();
  ASSERT_TRUE(report) << report.error().sentence();
  EXPECT_EQ(report->serverCallsPerPair, std::nullopt);
}

TEST_F(StressOnServer, holdsLongerThanALeaseAreRenewed) {
  for (const auto *primitive : {"Mutex", "ReentrantLock"}) {
    StressOptions options;
    options.primitive = primitive;
    options.clients = 4;
    options.lease = 300ms;
    options.hold = 1000ms;
    options.count = 4;
    const auto report = done(options);
    EXPECT_EQ(report.pairs, 4U);
    EXPECT_EQ(report.lost, 0U);
    EXPECT_EQ(report.violations, 0U);
    EXPECT_GT(report.commandsPerPair, 2.0) << "renewals were sent";
    EXPECT_EQ(keysLeft(), 0);
  }
}

TEST_F(StressOnServer, stoppedInMidRunGivesEverythingBack) {
  for (const unsigned keys : {0U, 1U}) {
    StressOptions options;
    options.clients = 32;
    options.keys = keys;
    options.hold = 30000ms;
    options.duration = 60000ms;
    ObservedRun run(server.unixUri(), options);
    waitUntil([&] { return keysLeft() == (keys == 0 ? 32 : 1); });
    run.stop();
    run.stop();
    const auto report = run.report();
    ASSERT_TRUE(report) << report.error().sentence();
    EXPECT_TRUE(report->stopped);
    EXPECT_EQ(keysLeft(), 0);
  }
}

TEST_F(StressOnServer, destroyedInMidRunGivesEverythingBackAndReports) {
  StressOptions options;
  options.clients = 32;
  options.duration = 60000ms;
  ObservedRun run(server.unixUri(), options);
  waitUntil([&] { return run.pairs() > 100; });
  run.destroy();
  ASSERT_TRUE(run.report());
  EXPECT_EQ(keysLeft(), 0);
}

TEST_F(StressOnServer, stoppedBeforeItBeganIsCancelled) {
  server.pause();
  StressOptions options;
  options.duration = 60000ms;
  ObservedRun run(server.unixUri(), options);
  run.stop();
  const auto report = run.report();
  server.resume();
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::Cancelled);
}

TEST_F(StressOnServer, aServerKilledInMidRunEndsItAndItsReportSaysWhy) {
  StressOptions options;
  options.clients = 16;
  options.duration = 60000ms;
  ObservedRun run(server.unixUri(), options);
  waitUntil([&] { return run.pairs() > 100; });
  server.kill();
  const auto report = run.report();
  ASSERT_TRUE(report) << report.error().sentence();
  EXPECT_GT(report->pairs, 100U);
  ASSERT_TRUE(report->failure);
  EXPECT_EQ(report->failure->code, ErrorCode::Unreachable) << report->failure->sentence();
}

TEST_F(StressOnServer, aServerThatStandsStillInMidRunEndsItAndItsReportSaysWhy) {
  StressOptions options;
  options.clients = 16;
  options.duration = 60000ms;
  ObservedRun run(server.unixUri(), options);
  waitUntil([&] { return run.pairs() > 100; });
  server.pause();
  const auto report = run.report();
  ASSERT_TRUE(report) << report.error().sentence();
  EXPECT_GT(report->pairs, 100U);
  ASSERT_TRUE(report->failure);
  EXPECT_TRUE(report->failure->code == ErrorCode::Unreachable || report->failure->code == ErrorCode::Timeout) << report->failure->sentence();
}

TEST_F(StressOnServer, aServerThatIsRestartedInMidRunIsBorne) {
  for (const auto *policy : {"", "try"}) {
    StressOptions options;
    options.policy = policy;
    options.clients = 200;
    options.duration = 60000ms;
    ObservedRun run(server.unixUri(), options);
    waitUntil([&] { return run.pairs() > 100; });
    server.kill();
    ASSERT_TRUE(server.restart());
    const auto then = run.pairs();
    waitUntil([&] { return run.pairs() > then + 100; });
    run.stop();
    const auto report = run.report();
    ASSERT_TRUE(report) << report.error().sentence();
    EXPECT_TRUE(report->stopped);
    EXPECT_EQ(report->violations, 0U) << "who was giving back when the server forgot its hold was no longer inside";
    EXPECT_GT(report->secondsAway, 0);
    EXPECT_LT(report->secondsAway, report->seconds);
  }
}

TEST_F(StressOnServer, stoppedWhileTheServerIsAwayItEndsAndSaysSo) {
  for (const bool killed : {true, false}) {
    ASSERT_TRUE(server.restart());
    StressOptions options;
    options.clients = 16;
    options.duration = 60000ms;
    ObservedRun run(server.unixUri(), options);
    waitUntil([&] { return run.pairs() > 100; });
    killed ? server.kill() : server.pause();
    run.stop();
    const auto report = run.report();
    ASSERT_TRUE(report) << report.error().sentence();
    if (report->failure) { // unless nothing was held just then
      EXPECT_EQ(report->failure->code, ErrorCode::Unreachable) << report->failure->sentence();
    }
  }
}

/// Though everything has ended with its lease by then, and nothing is in doubt.
TEST_F(StressOnServer, aServerThatIsGoneLongBeforeTheEndIsNoSuccess) {
  StressOptions options;
  options.primitive = "HandoffLock";
  options.clients = 4;
  options.lease = 300ms;
  options.duration = 3000ms;
  ObservedRun run(server.unixUri(), options);
  waitUntil([&] { return run.pairs() > 20; });
  server.kill();
  const auto report = run.report();
  ASSERT_TRUE(report) << report.error().sentence();
  ASSERT_TRUE(report->failure);
  EXPECT_EQ(report->failure->code, ErrorCode::Unreachable) << report->failure->sentence();
}

// It runs what it was sent as soon as it goes on, however long ago that was given up.
TEST_F(StressOnServer, aServerThatStandsStillUntilTheEndIsNoSuccess) {
  StressOptions options;
  options.clients = 8;
  options.hold = 5ms;
  options.lease = 1000ms;
  options.duration = 5000ms;
  ObservedRun run(server.unixUri(), options);
  waitUntil([&] { return run.pairs() > 20; });
  server.pause();
  const auto report = run.report();
  server.resume();
  ASSERT_TRUE(report) << report.error().sentence();
  EXPECT_TRUE(report->failure);
}

// Asking again and again would keep a core busy, the more so the more clients there are.
TEST_F(StressOnServer, aServerThatIsAwayIsAwaitedWithoutWork) {
  const auto used = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return std::chrono::seconds(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + std::chrono::microseconds(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  };
  StressOptions options;
  options.clients = 5000;
  options.keys = 0;
  options.think = 2000ms; // hardly anybody has an ask or a release under way
  options.duration = 60000ms;
  ObservedRun run(server.unixUri(), options);
  waitUntil([&] { return run.pairs() > options.clients; });
  server.kill();
  const auto began = std::chrono::steady_clock::now();
  const auto before = used();
  ASSERT_TRUE(run.report().value().failure);
  EXPECT_LT((used() - before) * 20, std::chrono::steady_clock::now() - began);
}

TEST_F(StressOnServer, aConnectionLostInMidRunIsBorne) {
  StressOptions options;
  options.clients = 16;
  options.duration = 60000ms;
  ObservedRun run(server.unixUri(), options);
  waitUntil([&] { return run.pairs() > 100; });
  redis({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
  const auto then = run.pairs();
  waitUntil([&] { return run.pairs() > then + 1000; });
  run.stop();
  const auto report = run.report();
  ASSERT_TRUE(report) << report.error().sentence();
  EXPECT_EQ(report->violations, 0U);
  waitUntil([&] { return keysLeft() == 0; });
}

TEST_F(StressOnServer, connectionsKilledUntilTheEndDoNotCostTheReport) {
  StressOptions options;
  options.policy = "try";
  options.clients = 16;
  options.duration = 60000ms;
  ObservedRun run(server.unixUri(), options);
  waitUntil([&] { return run.pairs() > 100; });
  for (int i = 0; i < 12; ++i) { // enough for a backoff to grow
    const auto then = run.ticks();
    redis({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
    waitUntil([&] { return run.ticks() > then; });
  }
  run.stop();
  const auto report = run.report();
  ASSERT_TRUE(report) << report.error().sentence();
  EXPECT_GT(report->pairs, 100U);
  EXPECT_EQ(report->failure ? report->failure->sentence() : "", "");
  waitUntil([&] { return keysLeft() == 0; });
}

TEST_F(StressOnServer, aUserWhoMayNotWriteGetsAnErrorInsteadOfARun) {
  redis({"ACL", "SETUSER", "eye", "on", ">pw", "~*", "&*", "+@read", "+@connection", "+info"});
  auto uri = server.unixUri();
  uri.user = "eye";
  uri.password = "pw";
  StressOptions options;
  options.duration = 60000ms;
  const auto report = ObservedRun(uri, options).report();
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::NotPermitted) << report.error().sentence();
}

TEST_F(StressOnServer, withoutInfoServerCallsAreUnknownNotZero) {
  redis({"ACL", "SETUSER", "worker", "on", ">pw", "~*", "&*", "+@all", "-info"});
  auto uri = server.unixUri();
  uri.user = "worker";
  uri.password = "pw";
  StressOptions options;
  options.count = 100;
  const auto report = ObservedRun(uri, options).report();
  ASSERT_TRUE(report) << report.error().sentence();
  EXPECT_EQ(report->pairs, 100U);
  EXPECT_EQ(report->serverCallsPerPair, std::nullopt);
}

TEST_F(StressOnServer, nothingThereIsSaidAtOnce) {
  auto uri = server.unixUri();
  uri.path = server.folder() + "/nothing-here";
  StressOptions options;
  options.duration = 60000ms;
  const auto report = ObservedRun(uri, options).report();
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::Unreachable);
}

TEST_F(StressOnServer, progressComesSeveralTimesASecond) {
  StressOptions options;
  options.duration = 1000ms;
  ObservedRun run(server.unixUri(), options);
  waitUntil([&] { return run.ticks() >= 3; });
  EXPECT_TRUE(run.report());
}

TEST_F(StressOnServer, foreignKeysAreLeftAlone) {
  redis({"SET", "somebody", "else"});
  StressOptions options;
  options.count = 100;
  done(options);
  EXPECT_EQ(redis({"GET", "somebody"}), "else");
  EXPECT_EQ(keysLeft(), 1);
}
