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

using Resources = std::vector<std::size_t>;

} // namespace

TEST(LockLayout, areAKeyForEachClientOrSharedInTurn) {
  const LockLayout own(of("Mutex", 3, 0), "p:");
  EXPECT_EQ(own.count(), 3U);
  EXPECT_EQ(own.of(2), Resources{2});
  EXPECT_EQ(own.names()[2], LockName("p:2"));
  EXPECT_FALSE(own.leavesBeforeRelease());
  const LockLayout shared(of("FallbackLock", 5, 2), "p:");
  EXPECT_EQ(shared.count(), 2U);
  EXPECT_EQ(shared.of(4), Resources{0});
  EXPECT_TRUE(shared.leavesBeforeRelease()) << "its answers come from other threads";
  EXPECT_EQ(shared.stripesUsed(), 0U);
}

TEST(LockLayout, ofAMultiLockAreThreeThatOverlapWithTheNeighbours) {
  const LockLayout layout(of("MultiLock", 9, 4), "p:");
  EXPECT_EQ(layout.of(0), (Resources{0, 1, 2}));
  EXPECT_EQ(layout.of(3), (Resources{3, 0, 1}));
  EXPECT_TRUE(layout.leavesBeforeRelease());
}

TEST(LockLayout, ofAStripedLockAreTheKeyAndItsStripe) {
  auto options = of("StripedLock", 200, 0);
  options.stripes = 7;
  const LockLayout layout(options, "p:");
  EXPECT_EQ(layout.count(), 207U);
  ASSERT_EQ(layout.names().size(), 201U) << "the last is the name of the lock itself";
  std::set<std::size_t> stripes;
  for (unsigned client = 0; client < 200; ++client) {
    const auto mine = layout.of(client);
    ASSERT_EQ(mine.size(), 2U);
    EXPECT_EQ(mine[0], client);
    EXPECT_EQ(mine[1], 200 + stripeOf(layout.names()[client].bytes(), 7)) << "keys of one stripe meet in one resource";
    stripes.insert(mine[1]);
  }
  EXPECT_EQ(stripes.size(), 7U);
  EXPECT_EQ(layout.stripesUsed(), 7U);
}
