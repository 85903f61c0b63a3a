// SPDX-License-Identifier: Apache-2.0
// Usage: example_locks redis://127.0.0.1:6379
// The library in one page: try, wait, re-enter, hear of a loss, the standard's lock types.
#include "core/lockhouse.h"

#include <cstdio>
#include <mutex>

using namespace lockhouse;
using namespace std::chrono_literals;

namespace {

// Take it now or say who has it.
bool once(const Client &client) {
  auto held = client.mutex(LockName("order:7"), {.lease = 10s}).tryAcquire();
  if (!held) {
    std::puts(held.error().sentence().c_str());
    return false;
  }
  // … work, while held->isHeld() …
  return held->release() == ReleaseOutcome::Released;
}

// Wait for it, at most two seconds; give it back at the end of the scope; stop when it is lost.
bool waiting(const Client &client) {
  auto held = client.reentrantLock(LockName("stock"), {.waitLimit = 2s}).acquire();
  if (!held) {
    std::puts(held.error().sentence().c_str());
    return false;
  }
  held->onLost([](LossReason why) { std::printf("lost: %s\n", std::string(name(why)).c_str()); });
  const std::stop_token stop = held->stopToken();
  for (int part = 0; part < 3 && !stop.stop_requested(); ++part) {
    // … one part of the work …
  }
  return held->isHeld();
}

// As any mutex of the standard library.
bool standard(const Client &client) {
  TimedLock stock(client.reentrantLock(LockName("stock")));
  TimedLock order(client.mutex(LockName("order:7")));
  const std::scoped_lock both(stock, order);
  const std::unique_lock again(stock, 1s); // re-entry by the same thread
  return again.owns_lock();
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  auto client = Client::connect(argv[1]);
  if (!client) {
    std::fputs((client.error().sentence() + "\n").c_str(), stderr);
    return 1;
  }
  return once(*client) && waiting(*client) && standard(*client) ? 0 : 1;
}
