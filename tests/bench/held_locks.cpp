// SPDX-License-Identifier: Apache-2.0
// Usage: held_locks [LOCKS [LEASE_SECONDS]]
// That many locks held by one client for three leases: what their renewal costs this process and the server, and how many are lost.
// The reference is the same time with one lock held. One JSON line.
#include "core/lab/sandbox/sandbox.h"
#include "core/lockhouse.h"

#include <fmt/format.h>

#include <sys/resource.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <thread>

using namespace lockhouse;

namespace {

double processorSeconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto of = [](const timeval &time) { return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6; };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

struct Cost {
  double processor = 0; ///< share of one core
  double commands = 0;  ///< a second
  int lost = 0;
};

std::optional<Cost> hold(const Client &client, int locks, seconds lease) {
  std::vector<LockHandle> held(static_cast<std::size_t>(locks));
  std::atomic<int> pending = locks;
  std::promise<void> all;
  for (std::size_t i = 0; i < held.size(); ++i)
    client.mutex(LockName(fmt::format("bench:held:{}", i)), {.lease = lease}).acquire([&, i](LockResult result) {
      if (result)
        held[i] = std::move(*result);
      if (--pending == 0)
        all.set_value();
    });
  all.get_future().wait();
  for (const auto &each : held)
    if (!each.isHeld())
      return std::nullopt;
  const auto began = SteadyClock::now();
  const double processor = processorSeconds();
  const auto commands = client.commandsSent();
  std::this_thread::sleep_for(3 * lease);
  const double took = std::chrono::duration<double>(SteadyClock::now() - began).count();
  Cost cost{(processorSeconds() - processor) / took, static_cast<double>(client.commandsSent() - commands) / took, 0};
  for (const auto &each : held)
    cost.lost += each.isHeld() ? 0 : 1;
  return cost;
}

} // namespace

int main(int argc, char **argv) {
  const int locks = argc > 1 ? std::max(std::atoi(argv[1]), 1) : 100'000;
  const auto lease = seconds(argc > 2 ? std::max(std::atoi(argv[2]), 1) : 10);
  auto server = Sandbox::start({.tcp = true, .config = {}});
  if (!server) {
    fmt::print(stderr, "{}\n", server.error().sentence());
    return 1;
  }
  const auto client = Client::connect(server->tcpUri(), {.connection = {}, .wait = Loop::Wait::Asleep, .closeLimit = seconds(20)});
  if (!client)
    return 1;
  const auto one = hold(*client, 1, lease);
  const auto many = hold(*client, locks, lease);
  if (!one || !many) {
    fmt::print(stderr, "a lock was not to be had\n");
    return 1;
  }
  fmt::print(
      R"({{"locks":{},"lease_s":{},"held_for_s":{},"processor":{:.3f},"commands_per_s":{:.0f},"lost":{},"one_lock":{{"processor":{:.3f},"commands_per_s":{:.1f}}}}})"
      "\n",
      locks, lease.count(), 3 * lease.count(), many->processor, many->commands, many->lost, one->processor, one->commands);
  return many->lost == 0 ? 0 : 1;
}
