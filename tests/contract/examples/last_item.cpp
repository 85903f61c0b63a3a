// SPDX-License-Identifier: Apache-2.0
// Usage: example_last_item redis://127.0.0.1:6379
// Three servers of a shop, twenty customers, one item left: it is sold once.
#include "core/lockhouse.h"

#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

using namespace lockhouse;
using namespace std::chrono_literals;

namespace {

// What stands for the shop's database: reads and writes, nothing that would keep two customers apart.
std::atomic<int> stock = 1;
std::atomic<int> sold = 0;
std::atomic<int> failures = 0;

void buy(const Client &shop) {
  auto held = shop.mutex(LockName("example:stock:lamp"), {.waitLimit = 20s}).acquire();
  if (!held) {
    std::fputs((held.error().sentence() + "\n").c_str(), stderr);
    ++failures;
    return;
  }
  const int left = stock;
  std::this_thread::sleep_for(1ms); // he thinks about it; everybody else could look meanwhile
  if (left == 0)
    return;
  stock = left - 1;
  ++sold;
} // given back here

} // namespace

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  std::vector<Client> shops;
  for (int i = 0; i < 3; ++i) {
    auto shop = Client::connect(argv[1]);
    if (!shop) {
      std::fputs((shop.error().sentence() + "\n").c_str(), stderr);
      return 1;
    }
    shops.push_back(std::move(*shop));
  }
  {
    std::vector<std::jthread> customers;
    for (std::size_t i = 0; i < 20; ++i)
      customers.emplace_back([&shop = shops[i % shops.size()]] { buy(shop); });
  }
  std::printf("sold %d, %d left\n", sold.load(), stock.load());
  return failures == 0 && sold == 1 && stock == 0 ? 0 : 1;
}
