// SPDX-License-Identifier: Apache-2.0
// Usage: handoff [SECONDS]
// HandoffLock on one key. First its acquisitions a second with 16, 256 and 1 000 clients, hold 0, against one over the round trip that
// redis-benchmark's PING has with one client on the same server, before and after. Then how long a handoff takes from one process'
// release to the other's hold, over proxies that add 4 ms to the round trip, against that round trip. One JSON line each.
#include "core/lab/sandbox.h"
#include "core/lab/stress_run.h"
#include "core/lockhouse.h"
#include "tests/server/lab/raw_redis.h"
#include "tests/support/eventually.h"
#include "tests/support/proxy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <future>

using namespace lockhouse;
using namespace std::chrono_literals;

namespace {

using Times = std::vector<std::chrono::nanoseconds>;

double medianOf(Times &times) {
  std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2));
  return static_cast<double>(times[times.size() / 2].count()) / 1000;
}

/// PINGs a second of one client that waits for each answer; 0 if the program is not there.
double pings(const Uri &node) {
  const auto command = fmt::format("redis-benchmark -h {} -p {} -c 1 -n 40000 -q -t ping_mbulk 2>/dev/null", node.host, node.port);
  auto *out = ::popen(command.c_str(), "r");
  if (out == nullptr)
    return 0;
  std::string text(4096, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), out));
  ::pclose(out);
  const auto end = text.rfind(" requests per second");
  const auto begin = end == std::string::npos ? end : text.rfind(' ', end - 1);
  return begin == std::string::npos ? 0 : std::atof(text.c_str() + begin);
}

std::optional<StressReport> stress(const Uri &node, const char *policy, unsigned clients, milliseconds length) {
  std::promise<Result<StressReport>> answer;
  StressOptions options;
  options.primitive = "HandoffLock";
  options.policy = policy;
  options.clients = clients;
  options.duration = length;
  auto run = StressRun::start(node, options, {}, [&](Result<StressReport> report) { answer.set_value(std::move(report)); });
  if (!run)
    return std::nullopt;
  auto report = answer.get_future().get();
  return report ? std::optional(std::move(*report)) : std::nullopt;
}

bool rate(const Uri &node, const char *policy, unsigned clients, milliseconds length) {
  const double before = pings(node);
  const auto report = stress(node, policy, clients, length);
  const double bound = (before + pings(node)) / 2;
  if (!report || bound <= 0)
    return false;
  const double rate = static_cast<double>(report->pairs) / report->seconds;
  fmt::print(R"({{"policy":"{}","clients":{},"acquisitions_per_s":{:.0f},"pings_per_s":{:.0f},"ratio":{:.2f},"commands":{:.2f},"server_calls":{:.2f},)"
             R"("slowest_of_fastest":{:.3f},"violations":{}}})"
             "\n",
             policy, clients, rate, bound, rate / bound, report->commandsPerPair, report->serverCallsPerPair.value_or(0),
             static_cast<double>(report->perClientMin) / static_cast<double>(std::max<std::uint64_t>(report->perClientMax, 1)), report->violations);
  std::fflush(stdout);
  return report->violations == 0;
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
  auto server = Sandbox::start({.tcp = true, .config = {}});
  if (!server) {
    fmt::print(stderr, "{}\n", server.error().sentence());
    return 1;
  }
  bool good = true;
  for (const unsigned clients : {16U, 256U, 1000U})
    good = rate(server->tcpUri(), "fair", clients, length) && good;
  good = rate(server->tcpUri(), "cohort", 16, length) && good;
  return latency(*server, 100) && good ? 0 : 1;
}
