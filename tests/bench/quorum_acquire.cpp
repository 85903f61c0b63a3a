// SPDX-License-Identifier: Apache-2.0
// Usage: quorum_acquire [PAIRS]
// The median of a RedLock's acquire over five nodes against that of the same lock over one, in turns within one run: on the bare
// loopback, where five sends cost this machine five times the work, and behind proxies that make a way of some milliseconds of it.
// Then with one of the five black-holed: one that the others outvote, and one whose vote decides, once and again. One JSON line
// each.
#include "core/lab/sandbox.h"
#include "core/lockhouse.h"
#include "tests/server/lab/raw_redis.h"
#include "tests/support/proxy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <span>

using namespace lockhouse;
using namespace std::chrono_literals;

namespace {

constexpr milliseconds nodeTimeout{200};
constexpr std::size_t nodes = 5;

using Times = std::vector<std::chrono::nanoseconds>;

double medianOf(Times &times) {
  std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2));
  return static_cast<double>(times[times.size() / 2].count()) / 1000;
}

Result<Quorum> connect(std::vector<Uri> uris) { return Quorum::connect(std::move(uris), {.restartGuard = RestartGuard::Off, .nodeTimeout = nodeTimeout}); }

/// One acquire and release; how long the acquire took. Nothing if it failed.
std::optional<std::chrono::nanoseconds> pair(const Lock &lock) {
  const auto began = SteadyClock::now();
  auto held = lock.acquire();
  const auto took = SteadyClock::now() - began;
  if (!held) {
    fmt::print(stderr, "{}\n", held.error().sentence());
    return std::nullopt;
  }
  held->release();
  return took;
}

bool compare(const char *what, const Quorum &one, const Quorum &five, int pairs) {
  const auto lockOfOne = one.redLock(LockName("bench:one"));
  const auto lockOfFive = five.redLock(LockName("bench:five"));
  Times ofOne;
  Times ofFive;
  for (int i = 0; i < pairs; ++i) {
    const auto single = pair(lockOfOne);
    const auto quorum = pair(lockOfFive);
    if (!single || !quorum)
      return false;
    if (i >= pairs / 10) { // the first ones teach the servers the scripts
      ofOne.push_back(*single);
      ofFive.push_back(*quorum);
    }
  }
  const auto single = medianOf(ofOne);
  const auto quorum = medianOf(ofFive);
  fmt::print(R"({{"what":"{}","nodes":{},"acquire_p50_us":{{"one":{:.1f},"five":{:.1f}}},"ratio":{:.2f}}})"
             "\n",
             what, nodes, single, quorum, quorum / single);
  std::fflush(stdout);
  return true;
}

double millisecondsOf(std::chrono::nanoseconds length) { return static_cast<double>(length.count()) / 1e6; }

/// With one node that swallows everything. Two of the others have the lock from somebody else, so that its vote is waited for, once:
/// a node that owes answers is not asked. Then the slowest of some acquires where the others decide.
bool blackHole(const Quorum &five, test::Proxy &hole, std::span<Sandbox> servers) {
  for (const auto which : {1U, 2U})
    test::RawRedis(servers[which].unixUri().path)({"SET", "bench:taken", "of another"});
  hole.blackHole(true);
  const auto refused = [&] {
    const auto began = SteadyClock::now();
    const bool granted = five.redLock(LockName("bench:taken")).tryAcquire().has_value();
    return granted ? std::chrono::nanoseconds::max() : SteadyClock::now() - began;
  };
  const auto first = refused();
  const auto again = refused();
  std::chrono::nanoseconds outvoted{};
  for (int i = 0; i < 50; ++i) {
    const auto took = pair(five.redLock(LockName("bench:hole")));
    if (!took)
      return false;
    outvoted = std::max(outvoted, *took);
  }
  fmt::print(
      R"({{"what":"one of five black-holed","node_timeout_ms":{},"its_vote_decides_ms":{{"first":{:.1f},"again":{:.1f}}},"others_decide_max_ms":{:.1f}}})"
      "\n",
      nodeTimeout.count(), millisecondsOf(first), millisecondsOf(again), millisecondsOf(outvoted));
  return first != std::chrono::nanoseconds::max() && again != std::chrono::nanoseconds::max();
}

} // namespace

int main(int argc, char **argv) {
  const int pairs = argc > 1 ? std::max(std::atoi(argv[1]), 10) : 2000;
  std::vector<Sandbox> servers;
  std::deque<test::Proxy> proxies;
  std::vector<Uri> bare;
  std::vector<Uri> far;
  for (std::size_t i = 0; i < nodes; ++i) {
    auto server = Sandbox::start({.tcp = true, .config = {}});
    if (!server) {
      fmt::print(stderr, "{}\n", server.error().sentence());
      return 1;
    }
    servers.push_back(std::move(*server));
    bare.push_back(servers.back().tcpUri());
    proxies.emplace_back(bare.back()).setDelay(1ms);
    far.push_back(proxies.back().uri());
  }
  const auto one = connect({bare.front()});
  const auto five = connect(bare);
  const auto oneFar = connect({far.front()});
  const auto fiveFar = connect(far);
  if (!one || !five || !oneFar || !fiveFar) {
    fmt::print(stderr, "the nodes do not answer\n");
    return 1;
  }
  return compare("loopback", *one, *five, pairs) && compare("1 ms each way", *oneFar, *fiveFar, pairs / 4) && blackHole(*fiveFar, proxies[0], servers) ? 0 : 1;
}
