// SPDX-License-Identifier: Apache-2.0
// Usage: example_order_paid_once redis://127.0.0.1:6379
// A queue that delivers every payment several times, to workers on two servers: each order is charged once. There are more orders
// than locks: sixteen stripes stand for all of them.
#include "core/lockhouse.h"

#include <array>
#include <atomic>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

using namespace lockhouse;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t orders = 50, deliveries = 4;

struct Order {
  std::atomic<bool> isPaid = false;
  std::atomic<int> charges = 0;
};
std::array<Order, orders> book;
std::atomic<int> failures = 0;

void deliver(const StripedLock &locks, std::size_t number) {
  auto held = locks.acquire("order:" + std::to_string(number));
  if (!held) {
    std::fputs((held.error().sentence() + "\n").c_str(), stderr);
    ++failures;
    return;
  }
  auto &order = book[number];
  if (order.isPaid)
    return; // another delivery of the same payment was first
  ++order.charges;
  std::this_thread::yield();
  order.isPaid = true;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  auto one = Client::connect(argv[1]), two = Client::connect(argv[1]);
  if (!one || !two) {
    std::fputs(((one ? two : one).error().sentence() + "\n").c_str(), stderr);
    return 1;
  }
  const std::array locks{StripedLock(one->mutex(LockName("example:orders"), {.waitLimit = 20s}), 16),
                         StripedLock(two->mutex(LockName("example:orders"), {.waitLimit = 20s}), 16)};
  {
    std::vector<std::jthread> workers;
    for (std::size_t worker = 0; worker < deliveries; ++worker)
      workers.emplace_back([&, worker] {
        for (std::size_t number = 0; number < orders; ++number)
          deliver(locks[worker % locks.size()], number);
      });
  }
  int wrong = 0;
  for (const auto &order : book)
    wrong += order.charges == 1 ? 0 : 1;
  std::printf("%zu orders, %zu deliveries each, %d not charged once\n", orders, deliveries, wrong);
  return failures == 0 && wrong == 0 ? 0 : 1;
}
