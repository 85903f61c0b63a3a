// SPDX-License-Identifier: Apache-2.0
// Usage: stress_pace [CLIENTS]…
// Pairs of lock and unlock a second of a stress run (Mutex, a key for each client) against what redis-benchmark reaches with the
// same two commands on the same server, before and after: one connection without pipelining for one client, 50 connections of
// depth 64 otherwise. One JSON line per number of clients.
#include "core/lab/sandbox/sandbox.h"
#include "core/lab/stress/stress_run.h"
#include "tests/server/lab/raw_redis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <string>
#include <vector>

using namespace lockhouse;
using namespace std::chrono_literals;

namespace {

constexpr const char *token = "0123456789abcdef0123456789abcdef";
constexpr const char *compareAndDelete = "if redis.call('get',KEYS[1])==ARGV[1] then return redis.call('del',KEYS[1]) else return 0 end";

// Requests a second of one command, by redis-benchmark's last line; 0 if it did not run.
double rawRate(const Sandbox &server, const std::string &flags, const std::string &command) {
  const auto line = fmt::format("redis-benchmark -s {} -q {} -r 1000 {} 2>/dev/null", server.unixUri().path, flags, command);
  FILE *out = ::popen(line.c_str(), "r");
  if (out == nullptr)
    return 0;
  std::string all;
  for (int c = std::fgetc(out); c != EOF; c = std::fgetc(out))
    all.push_back(static_cast<char>(c));
  ::pclose(out);
  const auto end = all.rfind(" requests per second");
  if (end == std::string::npos)
    return 0;
  const auto begin = all.find_last_not_of("0123456789.", end - 1) + 1;
  return std::strtod(all.c_str() + begin, nullptr);
}

double rawPairs(const Sandbox &server, const std::string &flags) {
  test::RawRedis redis(server.unixUri().path);
  const auto sha = redis({"SCRIPT", "LOAD", compareAndDelete});
  const double take = rawRate(server, flags, fmt::format("SET bound:__rand_int__ {} NX PX 30000", token));
  const double give = rawRate(server, flags, fmt::format("EVALSHA {} 1 bound:__rand_int__ {}", sha, token));
  redis({"FLUSHALL"});
  return take > 0 && give > 0 ? 1 / (1 / take + 1 / give) : 0;
}

Result<StressReport> stress(const Sandbox &server, unsigned clients) {
  StressOptions options;
  options.clients = clients;
  options.keys = 0;
  options.duration = 4000ms;
  std::promise<Result<StressReport>> report;
  auto run = StressRun::start(server.unixUri(), options, {}, [&](Result<StressReport> result) { report.set_value(std::move(result)); });
  if (!run)
    return std::unexpected(run.error());
  return report.get_future().get();
}

bool pace(const Sandbox &server, unsigned clients) {
  const std::string flags = clients == 1 ? "-c 1 -n 40000" : "-c 50 -P 64 -n 1500000";
  const double before = rawPairs(server, flags);
  const auto report = stress(server, clients);
  const double bound = (before + rawPairs(server, flags)) / 2;
  if (!report || bound <= 0) {
    fmt::print(stderr, "{}\n", report ? "redis-benchmark did not run; install it (Debian: apt-get install redis-tools)" : report.error().sentence());
    return false;
  }
  const double rate = static_cast<double>(report->pairs) / report->seconds;
  fmt::print(R"({{"clients":{},"pairs_per_s":{:.0f},"bound_pairs_per_s":{:.0f},"ratio":{:.3f},"acquire_us":{{"p50":{:.1f},"p99":{:.1f}}},"violations":{}}})"
             "\n",
             clients, rate, bound, rate / bound, static_cast<double>(report->acquireP50.count()) / 1e3, static_cast<double>(report->acquireP99.count()) / 1e3,
             report->violations);
  std::fflush(stdout);
  return report->violations == 0;
}

} // namespace

int main(int argc, char **argv) {
  std::vector<unsigned> counts;
  for (int i = 1; i < argc; ++i)
    counts.push_back(static_cast<unsigned>(std::strtoul(argv[i], nullptr, 10)));
  if (counts.empty())
    counts = {1, 16, 256, 1000};
  const auto server = Sandbox::start({});
  if (!server) {
    fmt::print(stderr, "{}\n", server.error().sentence());
    return 1;
  }
  return std::ranges::all_of(counts, [&](unsigned clients) { return pace(*server, clients); }) ? 0 : 1;
}
