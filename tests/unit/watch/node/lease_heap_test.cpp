// SPDX-License-Identifier: Apache-2.0
#include "core/watch/node/lease_heap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>

namespace lockhouse {
namespace {

struct Lease {
  std::string key;
  SteadyTime at{};
  LeaseHeap::Place place = LeaseHeap::nowhere;
};

SteadyTime at(int milliseconds) { return SteadyTime(std::chrono::milliseconds(milliseconds)); }

TEST(LeaseHeap, areToldInTheOrderOfTheirTimesWhateverIsTakenOutBetween) {
  std::mt19937 random(7);
  std::deque<Lease> leases; // which stay where they are
  LeaseHeap ends;
  for (int i = 0; i < 3000; ++i) {
    auto &lease = leases.emplace_back("lock:" + std::to_string(i), at(static_cast<int>(random() % 1000)));
    ends.add(lease.at, lease.key, lease.place);
    if (auto &other = leases[random() % leases.size()]; other.place != LeaseHeap::nowhere && i % 3 == 0) {
      ends.remove(other.place);
      EXPECT_EQ(other.place, LeaseHeap::nowhere);
    }
  }
  std::vector<SteadyTime> left, told;
  for (const auto &lease : leases)
    if (lease.place != LeaseHeap::nowhere)
      left.push_back(lease.at);
  std::ranges::sort(left);
  while (!ends.empty()) {
    const auto lease = std::ranges::find(leases, ends.nextKey(), &Lease::key);
    ASSERT_EQ(lease->at, ends.next());
    told.push_back(ends.next());
    ends.remove(0);
    EXPECT_EQ(lease->place, LeaseHeap::nowhere);
  }
  EXPECT_EQ(told, left);
  EXPECT_GT(told.size(), 1500U);
}

} // namespace
} // namespace lockhouse
