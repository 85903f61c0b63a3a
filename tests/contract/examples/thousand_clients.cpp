// SPDX-License-Identifier: Apache-2.0
// Usage: example_thousand_clients redis://127.0.0.1:6379
// A thousand clients count to a thousand: coroutines, 125 of them on each of eight connections. Says what it took, and with --metrics all
// that Prometheus would be told.
#include "core/lockhouse.h"

#include <atomic>
#include <cstdio>
#include <cstring>
#include <latch>
#include <string>
#include <vector>

using namespace lockhouse;
using namespace std::chrono_literals;

namespace {

constexpr int connections = 8, clientsEach = 125;

std::atomic<int> counter = 0; // read and written, never added to
std::atomic<int> refused = 0;

struct Errand {
  struct promise_type {
    Errand get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

Errand countOnce(Lock lock, Lock ownLock, std::latch &done) {
  {
    const LockResult held = co_await lock.acquiring();
    if (held) {
      const int seen = counter.load();
      const LockResult meanwhile = co_await ownLock.acquiring(); // work that takes a round trip, while others could look
      counter.store(seen + 1);
    } else {
      std::fputs((held.error().sentence() + "\n").c_str(), stderr);
      ++refused;
    }
  } // given back here
  done.count_down();
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2)
    return 2;
  std::vector<Client> clients;
  for (int i = 0; i < connections; ++i) {
    auto client = Client::connect(argv[1]);
    if (!client) {
      std::fputs((client.error().sentence() + "\n").c_str(), stderr);
      return 1;
    }
    clients.push_back(std::move(*client));
  }
  std::latch done(connections * clientsEach);
  int number = 0;
  for (const auto &client : clients)
    for (int i = 0; i < clientsEach; ++i)
      countOnce(client.mutex(LockName("example:counter"), {.waitLimit = 60s}), client.mutex(LockName("example:own:" + std::to_string(++number))), done);
  done.wait();

  std::vector<LabelledMetrics> seen;
  Histogram waits;
  for (const auto &client : clients) {
    seen.push_back({client.metrics(), {{"connection", std::to_string(seen.size())}}});
    waits.merge(seen.back().metrics.of("Mutex")->wait);
  }
  if (argc > 2 && std::strcmp(argv[2], "--metrics") == 0)
    std::fputs(prometheusText(seen).c_str(), stdout);
  std::printf("counted to %d; half of them waited less than %lld ms\n", counter.load(),
              static_cast<long long>(std::chrono::ceil<milliseconds>(waits.quantile(0.5)).count()));
  return refused == 0 && counter == connections * clientsEach ? 0 : 1;
}
