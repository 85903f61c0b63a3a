// SPDX-License-Identifier: Apache-2.0
#include "core/lab/stress/lock_layout.h"

#include "core/lock/formats/stripe.h"

#include <gtest/gtest.h>

#include <set>

using namespace lockhouse;

namespace {

StressOptions of(const char *primitive, unsigned clients, unsigned keys) {
  StressOptions options;
  options.primitive = primitive;
  options.clients = clients;
  options.keys = keys;
  return options;
}

using Cells = std::vector<std::size_t>;

} // namespace

TEST(LockLayout, areAKeyForEachClientOrSharedInTurn) {
  const LockLayout own(of("Mutex", 3, 0), "p:");
  EXPECT_EQ(own.count(), 3U);
  EXPECT_EQ(own.of(2), Cells{2});
  EXPECT_EQ(own.names()[2], LockName("p:2"));
  EXPECT_FALSE(own.areLeftFirst());
  const LockLayout shared(of("FallbackLock", 5, 2), "p:");
  EXPECT_EQ(shared.count(), 2U);
  EXPECT_EQ(shared.of(4), Cells{0});
  EXPECT_TRUE(shared.areLeftFirst()) << "its answers come from other threads";
  EXPECT_EQ(shared.stripesUsed(), 0U);
}

TEST(LockLayout, ofAMultiLockAreThreeThatOverlapWithTheNeighbours) {
  const LockLayout cells(of("MultiLock", 9, 4), "p:");
  EXPECT_EQ(cells.of(0), (Cells{0, 1, 2}));
  EXPECT_EQ(cells.of(3), (Cells{3, 0, 1}));
  EXPECT_TRUE(cells.areLeftFirst());
}

TEST(LockLayout, ofAStripedLockAreTheKeyAndItsStripe) {
  auto options = of("StripedLock", 200, 0);
  options.stripes = 7;
  const LockLayout cells(options, "p:");
  EXPECT_EQ(cells.count(), 207U);
  ASSERT_EQ(cells.names().size(), 201U) << "the last is the name of the lock itself";
  std::set<std::size_t> stripes;
  for (unsigned client = 0; client < 200; ++client) {
    const auto mine = cells.of(client);
    ASSERT_EQ(mine.size(), 2U);
    EXPECT_EQ(mine[0], client);
    EXPECT_EQ(mine[1], 200 + stripeOf(cells.names()[client].bytes(), 7)) << "keys of one stripe meet in one cell";
    stripes.insert(mine[1]);
  }
  EXPECT_EQ(stripes.size(), 7U);
  EXPECT_EQ(cells.stripesUsed(), 7U);
}
