// SPDX-License-Identifier: Apache-2.0
// What a server says that it can do, and what locks make of it.
#include "core/lock/options/server_features.h"
#include "core/lock/primitives/mutex/mutex.h"

#include <gtest/gtest.h>

using namespace lockhouse;
using Compare = ServerFeatures::CompareAndDelete;

namespace {

Reply commandsKnown(std::initializer_list<bool> which) {
  Reply::Array all;
  for (const bool known : which)
    all.push_back(known ? Reply(Reply::Array{Reply("name")}) : Reply{});
  return Reply(std::move(all));
}

Command lastRelease(const ServerFeatures &server, bool wake = false) {
  const LockName name("k");
  const LockToken owner("t");
  return Primitive::find("Mutex")->release({.name = name, .owner = owner, .lease = milliseconds(1000), .count = 0, .server = server}, wake);
}

} // namespace

TEST(ServerFeatures, areReadFromInfoAndCommandInfo) {
  EXPECT_EQ(readServerFeatures("redis_mode:standalone\r\n", commandsKnown({true, false, true})),
            (ServerFeatures{.compareAndDelete = Compare::Delex, .shardedChannels = true}));
  EXPECT_EQ(readServerFeatures("redis_mode:cluster\r\n", commandsKnown({false, true, true})),
            (ServerFeatures{.compareAndDelete = Compare::Delifeq, .shardedChannels = true, .cluster = true}));
  EXPECT_EQ(readServerFeatures("", commandsKnown({false, false, false})), ServerFeatures{});
}

TEST(ServerFeatures, areNoneWhereTheServerDoesNotTell) {
  EXPECT_EQ(readServerFeatures("", Reply(Reply::Failure{"NOPERM no"})), ServerFeatures{});
  EXPECT_EQ(readServerFeatures("", Reply{}), ServerFeatures{});
  EXPECT_EQ(readServerFeatures("", commandsKnown({true})), (ServerFeatures{.compareAndDelete = Compare::Delex})) << "a shorter answer than asked for";
}

TEST(ServerFeatures, aMutexIsReleasedByTheServersOwnCommandWhereThereIsOne) {
  EXPECT_EQ(lastRelease({}).name(), "EVALSHA");
  const auto delex = lastRelease({.compareAndDelete = Compare::Delex});
  ASSERT_EQ(delex.size(), 4U);
  EXPECT_EQ(delex[0], "DELEX");
  EXPECT_EQ(delex[1], "k");
  EXPECT_EQ(delex[2], "IFEQ");
  EXPECT_EQ(delex[3], "t");
  const auto delifeq = lastRelease({.compareAndDelete = Compare::Delifeq});
  ASSERT_EQ(delifeq.size(), 3U);
  EXPECT_EQ(delifeq[0], "DELIFEQ");
  EXPECT_EQ(delifeq[2], "t");
  EXPECT_EQ(lastRelease({.compareAndDelete = Compare::Delifeq}, true).name(), "EVALSHA") << "which publishes too";
}

TEST(ServerFeatures, redissonsChannelsAreShardedOnlyInACluster) {
  const ServerFeatures alone{.shardedChannels = true};
  const ServerFeatures node{.shardedChannels = true, .cluster = true};
  for (const auto *name : {"ReentrantLock", "FairLock", "ReadWriteLock", "Semaphore"}) {
    EXPECT_FALSE(Primitive::find(name)->isSharded(alone)) << name;
    EXPECT_TRUE(Primitive::find(name)->isSharded(node)) << name;
  }
}
