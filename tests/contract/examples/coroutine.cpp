// SPDX-License-Identifier: Apache-2.0
// Usage: example_coroutine redis://127.0.0.1:6379
// A lock awaited from a coroutine, whatever its type: here the least there can be.
#include "core/lockhouse.h"

#include <cstdio>
#include <future>

using namespace lockhouse;

namespace {

struct Errand {
  struct promise_type {
    Errand get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

Errand work(Lock lock, std::promise<bool> done) {
  LockResult held = co_await lock.acquiring(); // goes on on the client's own thread, which must not be blocked
  if (!held)
    std::puts(held.error().sentence().c_str());
  done.set_value(held.has_value());
} // given back here, without waiting

} // namespace

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  auto client = Client::connect(argv[1]);
  if (!client) {
    std::fputs((client.error().sentence() + "\n").c_str(), stderr);
    return 1;
  }
  std::promise<bool> done;
  auto worked = done.get_future();
  work(client->mutex(LockName("order:7")), std::move(done));
  return worked.get() ? 0 : 1;
}
