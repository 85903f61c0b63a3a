// SPDX-License-Identifier: Apache-2.0
#include <lockhouse/lockhouse.h>

#include <chrono>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

// counter [URL]: four workers count together. The lock in Redis keeps them apart, as it would four processes on four machines.
int main(int argc, char **argv) {
  const auto client = lockhouse::Client::connect(argc > 1 ? argv[1] : "redis://127.0.0.1:6379");
  if (!client) {
    std::fprintf(stderr, "%s\n", client.error().sentence().c_str());
    return 1;
  }

  const auto lock = client->mutex(lockhouse::LockName("lock:counter"), {.lease = 10s, .waitLimit = 30s});
  int count = 0;
  const auto work = [&] {
    for (int i = 0; i < 1000; ++i) {
      const auto held = lock.acquire();
      if (!held) { // contended, timed out, cancelled, in doubt or failed: one sentence says which, and what to do
        std::fprintf(stderr, "%s\n", held.error().sentence().c_str());
        return;
      }
      if (held->isHeld()) // renewed behind our back; false, and stopToken() says so at once, if it was lost all the same
        ++count;
    } // given back here
  };
  {
    std::vector<std::jthread> workers;
    for (int i = 0; i < 4; ++i)
      workers.emplace_back(work);
  } // joined here
  std::printf("counted to %d\n", count);

  // The standard's own guards work too; this lock is the one that Redisson calls RLock.
  lockhouse::TimedLock report(client->reentrantLock(lockhouse::LockName("lock:report")));
  if (const std::unique_lock guard(report, 2s); guard)
    std::puts("reported");
}
