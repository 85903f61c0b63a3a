// SPDX-License-Identifier: Apache-2.0
#include "core/base/lockhouse_names.h"

#include <gtest/gtest.h>

#include <set>

using namespace lockhouse;

TEST(LockhouseNames, keepTheSlotOfTheLock) {
  EXPECT_EQ(own::queueKey("a"), "lockhouse:queue:{a}");
  EXPECT_EQ(own::queueKey("a{b}c"), "lockhouse:queue::a{b}c") << "its own tag is the first";
  EXPECT_EQ(own::queueKey("a{}c"), "lockhouse:queue:{a{}c}") << "nothing between the braces is no tag";
}

TEST(LockhouseNames, ofTwoLocksAreNeverTheSame) {
  std::set<std::string> names;
  for (const auto *lock : {"a", "{a}", "{{a}}", ":a", ":{a}", "::{a}", "a}", "{a", "{}", "{}{a}", "a{b}", "{a}b", ""})
    EXPECT_TRUE(names.insert(own::queueKey(lock)).second) << lock;
}

TEST(LockhouseNames, aHandoffLocksHolderIsToldWithoutTheFence) {
  EXPECT_TRUE(own::isHandoffOf("client:7:1795300010", "client:7"));
  EXPECT_FALSE(own::isHandoffOf("client:7:1795300010", "client"));
  EXPECT_FALSE(own::isHandoffOf("client:71:1795300010", "client:7"));
  EXPECT_FALSE(own::isHandoffOf("client:7:", "client:7"));
  EXPECT_FALSE(own::isHandoffOf("client:7", "client:7"));
  EXPECT_FALSE(own::isHandoffOf(":7", ""));
}
