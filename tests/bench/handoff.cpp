// SPDX-License-Identifier: Apache-2.0
// Usage: handoff [SECONDS [ROUNDS]]
// HandoffLock on one key. First its acquisitions a second with 16, 256 and 1 000 clients, hold 0, against one over the round trip that
// redis-benchmark's PING has with one client on the same server: in ROUNDS (5) rounds, before and after each of them PING for about a
// second, between them a run whose rate is taken over SECONDS (4), from when every client has had the lock and given it back until the
// run is told to stop. A round's reference is the mean of the PINGs on either side of it. With 16 clients each round also runs the policy cohort,
// against the fair one of the same round. Then how long a handoff takes from one process' release to the other's hold, over proxies that add 4 ms
// to the round trip, against that round trip. One JSON line each: medians over the rounds, and what each round had.
#include "core/lab/sandbox/sandbox.h"
#include "core/lab/stress/stress_run.h"
#include "core/lockhouse.h"
#include "tests/server/lab/raw_redis.h"
#include "tests/support/eventually.h"
#include "tests/support/proxy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fmt/ranges.h>
#include <future>

using namespace lockhouse;
using namespace std::chrono_literals;

namespace {

using Times = std::vector<std::chrono::nanoseconds>;

double medianOf(Times &times) {
  std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2));
  return static_cast<double>(times[times.size() / 2].count()) / 1000;
}

/// PINGs a second of one client that waits for each answer, over so many of them; 0 if the program is not there.
double pings(const Uri &node, long count) {
  const auto command = fmt::format("redis-benchmark -h {} -p {} -c 1 -n {} -q -t ping_mbulk 2>/dev/null", node.host, node.port, count);
  auto *out = ::popen(command.c_str(), "r");
  if (out == nullptr)
    return 0;
  std::string text; // it writes a line again and again while it runs
  std::array<char, 4096> part{};
  for (std::size_t got = 0; (got = std::fread(part.data(), 1, part.size(), out)) > 0;)
    text.append(part.data(), got);
  ::pclose(out);
  const auto end = text.rfind(" requests per second");
  const auto begin = end == std::string::npos ? end : text.rfind(' ', end - 1);
  return begin == std::string::npos ? 0 : std::atof(text.c_str() + begin);
}

/// As many as take about a second.
class Reference {
public:
  explicit Reference(Uri node) : m_node(std::move(node)), m_count(std::max(1000L, std::lround(pings(m_node, 5000)))) {}
  double operator()() const { return pings(m_node, m_count); }

private:
  Uri m_node;
  long m_count;
};

struct Steady {
  double rate = 0; ///< acquisitions a second while all clients were at it
  StressReport report;
};

/// The steady middle of a run: who comes first and who leaves last is not in its rate.
class SteadyRate {
public:
  explicit SteadyRate(milliseconds length) : m_length(std::chrono::duration<double>(length).count()) {}

  void advance(const StressProgress &progress) {
    if (m_over || progress.perClientMin == 0)
      return;
    if (!m_first)
      m_first = progress;
    const double seconds = progress.seconds - m_first->seconds;
    if (seconds < m_length)
      return;
    m_over = true;
    m_rate.set_value(static_cast<double>(progress.pairs - m_first->pairs) / seconds);
  }
  std::future<double> rate() { return m_rate.get_future(); }

private:
  const double m_length;
  std::optional<StressProgress> m_first;
  bool m_over = false;
  std::promise<double> m_rate;
};

std::optional<Steady> stress(const Uri &node, const char *policy, unsigned clients, milliseconds length) {
  constexpr seconds startLimit{20};
  std::promise<Result<StressReport>> answer;
  SteadyRate steady(length);
  auto rate = steady.rate();
  StressOptions options;
  options.primitive = "HandoffLock";
  options.policy = policy;
  options.clients = clients;
  options.duration = length + 2 * startLimit;
  auto run = StressRun::start(
      node, options, [&](const StressProgress &progress) { steady.advance(progress); },
      [&](Result<StressReport> report) { answer.set_value(std::move(report)); });
  if (!run)
    return std::nullopt;
  const bool isSteady = rate.wait_for(length + startLimit) == std::future_status::ready;
  (*run)->stop();
  auto report = answer.get_future().get();
  if (!isSteady || !report || report->failure)
    return std::nullopt;
  return Steady{rate.get(), std::move(*report)};
}

/// What the rounds of one load had, each.
struct Rounds {
  std::vector<double> rates, ratios, commands, calls, fairness;
  std::uint64_t violations = 0;

  void add(const Steady &one, double against) {
    rates.push_back(one.rate);
    ratios.push_back(one.rate / against);
    commands.push_back(one.report.commandsPerPair);
    calls.push_back(one.report.serverCallsPerPair.value_or(0));
    fairness.push_back(static_cast<double>(one.report.perClientMin) / static_cast<double>(std::max<std::uint64_t>(one.report.perClientMax, 1)));
    violations += one.report.violations;
  }
};

double middle(std::vector<double> values) {
  std::ranges::sort(values);
  const auto half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

void print(const char *policy, unsigned clients, const char *against, const Rounds &rounds) {
  const auto row = [](const char *name, const std::vector<double> &values, int digits) {
    std::vector<std::string> each;
    for (const double value : values)
      each.push_back(fmt::format("{:.{}f}", value, digits));
    return fmt::format(R"("{}":{:.{}f},"{}_each":[{}])", name, middle(values), digits, name, fmt::join(each, ","));
  };
  fmt::print(R"({{"policy":"{}","clients":{},"rounds":{},{},"against":"{}",{},{},{},{},"violations":{}}})"
             "\n",
             policy, clients, rounds.rates.size(), row("acquisitions_per_s", rounds.rates, 0), against, row("ratio", rounds.ratios, 3),
             row("commands", rounds.commands, 2), row("server_calls", rounds.calls, 2), row("slowest_of_fastest", rounds.fairness, 3), rounds.violations);
  std::fflush(stdout);
}

bool rate(const Uri &node, const Reference &reference, unsigned clients, milliseconds length, int count) {
  const bool withCohort = clients == 16;
  Rounds fair;
  Rounds cohort;
  std::vector<double> bounds{reference()};
  for (int i = 0; i < count; ++i) {
    const auto one = stress(node, "fair", clients, length);
    bounds.push_back(reference());
    const double bound = (bounds[bounds.size() - 2] + bounds.back()) / 2;
    if (!one || bound <= 0)
      return false;
    fair.add(*one, bound);
    if (!withCohort)
      continue;
    const auto other = stress(node, "cohort", clients, length);
    if (!other)
      return false;
    cohort.add(*other, one->rate);
    bounds.push_back(reference());
  }
  fmt::print(R"({{"what":"PINGs a second of one client, around the runs of {} clients","pings_per_s":{:.0f},"pings_per_s_each":[{:.0f}]}})"
             "\n",
             clients, middle(bounds), fmt::join(bounds, ","));
  print("fair", clients, "PINGs a second of one client; commands, calls and fairness over the whole run, its start and end included", fair);
  if (withCohort)
    print("cohort", clients, "fair in the same round", cohort);
  return fair.violations + cohort.violations == 0;
}

bool latency(Sandbox &server, int handoffs) {
  test::Proxy nearOne(server.tcpUri());
  test::Proxy nearTwo(server.tcpUri());
  nearOne.setDelay(2ms);
  nearTwo.setDelay(2ms);
  auto one = Client::connect(nearOne.uri());
  auto two = Client::connect(nearTwo.uri());
  if (!one || !two)
    return false;
  test::RawRedis raw(server.unixUri().path);
  Times trips;
  Times times;
  const auto mutex = one->mutex(LockName("bench:trip"));
  const LockName name("bench:handoff");
  for (int i = 0; i < handoffs; ++i) {
    auto began = SteadyClock::now();
    auto trip = mutex.acquire();
    trips.push_back(SteadyClock::now() - began);
    if (!trip)
      return false;
    trip->release();
    auto held = one->lock(*Primitive::find("HandoffLock"), name).acquire();
    if (!held)
      return false;
    auto waiting = std::async(std::launch::async, [&] {
      auto next = two->lock(*Primitive::find("HandoffLock"), name).acquire();
      return std::pair(SteadyClock::now(), std::move(next));
    });
    if (!test::eventually([&] { return raw({"ZCARD", "lockhouse:queue:{bench:handoff}"}) == "1"; }))
      return false;
    std::this_thread::sleep_for(15ms); // its inbox stands
    began = SteadyClock::now();
    held->release([](ReleaseOutcome) {});
    auto [when, next] = waiting.get();
    if (!next)
      return false;
    times.push_back(when - began);
    next->release();
  }
  const double trip = medianOf(trips);
  const double handoff = medianOf(times);
  fmt::print(R"({{"what":"handoff between processes, 4 ms added","handoffs":{},"p50_us":{:.0f},"round_trip_p50_us":{:.0f},"ratio":{:.2f}}})"
             "\n",
             handoffs, handoff, trip, handoff / trip);
  return true;
}

} // namespace

int main(int argc, char **argv) {
  const auto length = seconds(argc > 1 ? std::max(std::atoi(argv[1]), 1) : 4);
  const int rounds = argc > 2 ? std::max(std::atoi(argv[2]), 1) : 5;
  auto server = Sandbox::start({.tcp = true, .config = {}});
  if (!server) {
    fmt::print(stderr, "{}\n", server.error().sentence());
    return 1;
  }
  const Reference reference(server->tcpUri());
  bool good = true;
  for (const unsigned clients : {16U, 256U, 1000U})
    good = rate(server->tcpUri(), reference, clients, length, rounds) && good;
  return latency(*server, 100) && good ? 0 : 1;
}
