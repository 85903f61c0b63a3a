// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lab/sandbox/sandbox.h"
#include "core/lab/stress/stress_run.h"
#include "tests/server/lab/raw_redis.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <stdexcept>
#include <thread>

namespace lockhouse::test {

using namespace std::chrono_literals;

// One run under observation: what it reported on its way, and its end.
class ObservedRun {
public:
  ObservedRun(const Uri &node, StressOptions options) : ObservedRun(std::vector{node}, std::move(options)) {}
  ObservedRun(const std::vector<Uri> &nodes, StressOptions options) {
    auto run = StressRun::start(
        nodes, std::move(options),
        [this](const StressProgress &progress) {
          m_pairs = progress.pairs;
          m_violations = progress.violations;
          ++m_ticks;
        },
        [this](Result<StressReport> report) { m_report.set_value(std::move(report)); });
    if (!run)
      throw std::runtime_error(run.error().sentence());
    m_run = std::move(*run);
  }

  Result<StressReport> report() {
    auto future = m_report.get_future();
    if (future.wait_for(60s) != std::future_status::ready)
      throw std::runtime_error("the run did not end");
    return future.get();
  }
  void stop() { m_run->stop(); }
  void destroy() { m_run.reset(); }
  std::uint64_t pairs() const { return m_pairs; }
  std::uint64_t violations() const { return m_violations; }
  std::uint64_t ticks() const { return m_ticks; }

private:
  std::promise<Result<StressReport>> m_report;
  std::atomic<std::uint64_t> m_pairs{0}, m_violations{0}, m_ticks{0};
  std::unique_ptr<StressRun> m_run; // last: its handlers write into the others
};

inline void waitUntil(auto &&condition) {
  const auto deadline = std::chrono::steady_clock::now() + 30s;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline)
      throw std::runtime_error("what the test waits for did not happen");
    std::this_thread::sleep_for(1ms);
  }
}

struct StressOnServer : testing::Test {
  StressOnServer() : server(std::move(Sandbox::start({}).value())), redis(server.unixUri().path) {}

  StressReport done(StressOptions options) {
    auto report = ObservedRun(server.unixUri(), std::move(options)).report();
    if (!report)
      throw std::runtime_error(report.error().sentence());
    return std::move(*report);
  }
  /// Does what no correct client does until the run has seen it: keys go while their holder is inside, so the next one gets in beside it.
  void tearUntilSeen(StressOptions options) {
    options.duration = 60000ms;
    options.prefix = "torn:";
    ObservedRun run(server.unixUri(), options);
    waitUntil([&] {
      for (const auto &key : redis.lines({"KEYS", "torn:*"}))
        redis({"DEL", key});
      return run.violations() > 0;
    });
    run.stop();
    const auto report = run.report();
    ASSERT_TRUE(report) << report.error().sentence();
    EXPECT_GT(report->violations, 0U);
  }
  /// The server is killed, or stands still, in mid-run.
  void endsInOneSentence(const StressOptions &options) {
    for (const bool kills : {false, true}) {
      ObservedRun run(server.unixUri(), options);
      waitUntil([&] { return run.pairs() > 100; });
      if (kills)
        server.kill();
      else
        server.pause();
      const auto report = run.report();
      ASSERT_TRUE(report) << report.error().sentence();
      ASSERT_TRUE(report->failure);
      EXPECT_TRUE(report->failure->code == ErrorCode::Unreachable || report->failure->code == ErrorCode::Timeout) << report->failure->sentence();
      EXPECT_EQ(report->violations, 0U);
      run.destroy();
      if (!kills)
        server.resume();
    }
  }
  /// A run of so many pairs, spread evenly over its clients.
  void makesExactly(std::uint64_t pairs, StressOptions options) {
    options.duration.reset();
    options.count = pairs;
    const auto report = done(options);
    EXPECT_EQ(report.pairs, pairs);
    EXPECT_EQ(report.perClientMin, pairs / options.clients);
    EXPECT_EQ(report.perClientMax, (pairs + options.clients - 1) / options.clients);
    EXPECT_EQ(report.violations, 0U);
    EXPECT_EQ(report.inDoubt, 0U);
    EXPECT_EQ(keysLeft(), 0);
  }
  long keysLeft() { return redis.number({"DBSIZE"}); }

  Sandbox server;
  RawRedis redis;
};

} // namespace lockhouse::test
