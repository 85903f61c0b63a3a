// SPDX-License-Identifier: Apache-2.0
#include "core/client/support/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <ranges>
#include <sstream>

namespace lockhouse {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> linesOf(const std::string &text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  return lines;
}

Metrics some() {
  Metrics metrics{.locks = {}, .subscriptions = 2, .commands = 99, .connects = 3, .connected = true, .nodes = {}};
  auto &mutex = metrics.locks.emplace_back();
  mutex.primitive = "Mutex";
  mutex.acquired = 5;
  mutex.timedOut = 1;
  mutex.lost[static_cast<std::size_t>(LossReason::TakenOver)] = 4;
  mutex.releases[static_cast<std::size_t>(ReleaseOutcome::InDoubt)] = 6;
  mutex.holds = 7;
  mutex.wait.add(std::chrono::nanoseconds(16383)); // the last of the first bucket
  mutex.wait.add(std::chrono::nanoseconds(16384));
  mutex.wait.add(std::chrono::hours(1));
  return metrics;
}

TEST(PrometheusText, saysEachNumberWithItsLabels) {
  const auto lines = linesOf(prometheusText(some()));
  EXPECT_THAT(lines, Contains(R"(lockhouse_acquires_total{primitive="Mutex",outcome="acquired"} 5)"));
  EXPECT_THAT(lines, Contains(R"(lockhouse_acquires_total{primitive="Mutex",outcome="timed out"} 1)"));
  EXPECT_THAT(lines, Contains(R"(lockhouse_lost_total{primitive="Mutex",cause="taken over"} 4)"));
  EXPECT_THAT(lines, Contains(R"(lockhouse_releases_total{primitive="Mutex",outcome="in doubt"} 6)"));
  EXPECT_THAT(lines, Contains(R"(lockhouse_holds{primitive="Mutex"} 7)"));
  EXPECT_THAT(lines, Contains("lockhouse_subscriptions 2"));
  EXPECT_THAT(lines, Contains("lockhouse_commands_total 99"));
  EXPECT_THAT(lines, Contains("lockhouse_connected 1"));
}

TEST(PrometheusText, countsIntoInclusiveBucketsInSecondsThatNeverShrink) {
  const auto lines = linesOf(prometheusText(some()));
  EXPECT_THAT(lines, Contains(R"(lockhouse_wait_seconds_bucket{primitive="Mutex",le="0.000016383"} 1)"));
  EXPECT_THAT(lines, Contains(R"(lockhouse_wait_seconds_bucket{primitive="Mutex",le="0.000032767"} 2)"));
  EXPECT_THAT(lines, Contains(R"(lockhouse_wait_seconds_bucket{primitive="Mutex",le="68.719476735"} 2)"));
  EXPECT_THAT(lines, Contains(R"(lockhouse_wait_seconds_bucket{primitive="Mutex",le="+Inf"} 3)"));
  EXPECT_THAT(lines, Contains(R"(lockhouse_wait_seconds_sum{primitive="Mutex"} 3600.000032767)"));
  EXPECT_THAT(lines, Contains(R"(lockhouse_wait_seconds_count{primitive="Mutex"} 3)"));
  std::uint64_t last = 0;
  for (const auto &line : lines | std::views::filter([](const auto &text) { return text.starts_with("lockhouse_wait_seconds_bucket"); })) {
    const auto count = std::stoull(line.substr(line.rfind(' ')));
    EXPECT_GE(count, last) << line;
    last = count;
  }
}

TEST(PrometheusText, saysOfAQuorumEachNodesPartAndNotTheirSum) {
  auto quorum = some();
  quorum.nodes = {{NodeId("a:1"), 60, 2, true}, {NodeId("b:2"), 39, 1, false}};
  const std::array clients{LabelledMetrics{quorum, {{"client", "q"}}}, LabelledMetrics{some(), {{"client", "c"}}}};
  const auto lines = linesOf(prometheusText(clients));
  EXPECT_THAT(lines, Contains(R"(lockhouse_commands_total{client="q",node="a:1"} 60)"));
  EXPECT_THAT(lines, Contains(R"(lockhouse_commands_total{client="c"} 99)"));
  EXPECT_THAT(lines, Not(Contains(R"(lockhouse_commands_total{client="q"} 99)")));
  EXPECT_THAT(lines, Contains(R"(lockhouse_connects_total{client="q",node="b:2"} 1)"));
  EXPECT_THAT(lines, Contains(R"(lockhouse_connected{client="q",node="b:2"} 0)"));
  EXPECT_THAT(lines, Contains(R"(lockhouse_quorum_connected{client="q"} 1)"));
  EXPECT_THAT(lines, Not(Contains(HasSubstr(R"(quorum_connected{client="c")")))) << "one node is no quorum";
}

// What a scraper refuses: a family told twice, a sample outside of its family, a sample without one.
TEST(PrometheusText, keepsEveryFamilyInOnePieceThoughManyClientsTell) {
  const std::array clients{LabelledMetrics{some(), {{"node", "a:1"}}}, LabelledMetrics{some(), {{"node", "b:2"}}}};
  std::map<std::string, int> told;
  std::string family;
  for (const auto &line : linesOf(prometheusText(clients))) {
    if (line.starts_with("# HELP "))
      continue;
    if (line.starts_with("# TYPE ")) {
      family = line.substr(7, line.find(' ', 7) - 7);
      EXPECT_EQ(++told[family], 1) << family;
      continue;
    }
    auto name = line.substr(0, line.find_first_of("{ "));
    for (const auto *suffix : {"_bucket", "_sum", "_count"})
      if (name == family + suffix)
        name = family;
    EXPECT_EQ(name, family) << line;
    EXPECT_THAT(line, HasSubstr("{node=\"")) << line;
  }
  EXPECT_GE(told.size(), 14U);
}

TEST(PrometheusText, escapesWhatWouldEndALabelAndMendsItsName) {
  const auto text = prometheusText(Metrics{}, {{"1 bad-name", "a\"b\\c\nd"}});
  EXPECT_THAT(text, HasSubstr(R"(lockhouse_connected{_1_bad_name="a\"b\\c\nd"} 0)"));
  EXPECT_THAT(text, Not(HasSubstr("c\nd")));
}

TEST(PrometheusText, hasNoLabelTwiceInALine) {
  auto metrics = some();
  metrics.nodes.push_back({NodeId("127.0.0.1:1"), 7, 1, true});
  const auto text = prometheusText(metrics, {{"node", "app-host-1"}, {"a-b", "1"}, {"a.b", "2"}, {"primitive", "mine"}});
  EXPECT_THAT(text, HasSubstr(R"(lockhouse_commands_total{exported_node="app-host-1",exported_a_b="1",a_b="2",primitive="mine",node="127.0.0.1:1"} 7)"));
  EXPECT_THAT(text, HasSubstr(R"(exported_primitive="mine",primitive="Mutex")"));
}

TEST(Metrics, areFoundByTheNameOfThePrimitive) {
  const auto metrics = some();
  ASSERT_NE(metrics.of("Mutex"), nullptr);
  EXPECT_EQ(metrics.of("Mutex")->lostBy(LossReason::TakenOver), 4U);
  EXPECT_EQ(metrics.of("ReentrantLock"), nullptr);
}

} // namespace
} // namespace lockhouse
