// SPDX-License-Identifier: Apache-2.0
// How many replicas are meant.
#include "core/lock/options/lock_options.h"

#include <gtest/gtest.h>

using namespace lockhouse;

TEST(ReplicaAck, aMajorityIsOfAllCopiesTheNodesOwnIncluded) {
  const auto most = ReplicaAck::majority();
  EXPECT_EQ(most.wanted(0), 0U);
  EXPECT_EQ(most.wanted(1), 1U);
  EXPECT_EQ(most.wanted(2), 1U);
  EXPECT_EQ(most.wanted(3), 2U);
  EXPECT_EQ(most.wanted(4), 2U);
  EXPECT_EQ(ReplicaAck::all().wanted(3), 3U);
  EXPECT_EQ(ReplicaAck::by(2).wanted(9), 2U);
  EXPECT_EQ(ReplicaAck{}.wanted(9), 0U);
}

TEST(ReplicaAck, hasNames) {
  for (const auto *word : {"majority", "all", "1", "12"})
    EXPECT_EQ(ReplicaAck::named(word).value_or(ReplicaAck{}).name(), word);
  for (const auto *word : {"", "0", "-1", "1x", "none", "most", "99999999999"})
    EXPECT_FALSE(ReplicaAck::named(word)) << word;
}

TEST(ReplicaAck, ofNoneOrWithoutALimitIsRefused) {
  EXPECT_TRUE(checkLock("k", {.acknowledge = ReplicaAck::by(1)}).has_value());
  EXPECT_EQ(checkLock("k", {.acknowledge = ReplicaAck::by(0)}).error().code, ErrorCode::Usage);
  EXPECT_EQ(checkLock("k", {.acknowledge = ReplicaAck::all(milliseconds(0))}).error().code, ErrorCode::Usage);
}
