// SPDX-License-Identifier: Apache-2.0
#include "core/watch/fleet/snapshot_builder.h"

#include "tests/unit/watch/desk.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace lockhouse::test {
namespace {

TEST(SnapshotBuilder, putsAllNodesLocksInOrderOfTheirIds) {
  auto later = Desk::defaults();
  later.id = NodeId("a-node");
  Desk first, second(later);
  for (auto *desk : {&first, &second}) {
    desk->string("lock:b", hex32);
    desk->string("lock:a", hex32);
    desk->connect();
  }
  SnapshotBuilder builder;
  const std::vector<NodeWatcher *> nodes{&first.watch, &second.watch};
  EXPECT_TRUE(builder.isBehind(nodes, 4));
  const auto snapshot = builder.build(nodes, 4, first.now());
  EXPECT_FALSE(builder.isBehind(nodes, 4));
  ASSERT_EQ(snapshot->nodes.size(), 2U);
  EXPECT_EQ(snapshot->nodes[0].id, NodeId("node:1")) << "as the user named them";
  ASSERT_EQ(snapshot->locks.size(), 4U);
  EXPECT_TRUE(std::ranges::is_sorted(snapshot->locks, {}, [](const LockRecordPtr &record) { return record->id; }));
  EXPECT_NE(snapshot->find({NodeId("a-node"), 0, LockName("lock:b")}), nullptr);
}

TEST(SnapshotBuilder, leavesOlderSnapshotsAsTheyWere) {
  Desk desk;
  desk.string("lock:a", hex32);
  desk.connect();
  SnapshotBuilder builder;
  const std::vector<NodeWatcher *> nodes{&desk.watch};
  const auto before = builder.build(nodes, desk.log.lastSeq(), desk.now());
  desk.remove("lock:a");
  desk.hint({"lock:a"});
  desk.serve();
  EXPECT_TRUE(builder.isBehind(nodes, desk.log.lastSeq()));
  const auto after = builder.build(nodes, desk.log.lastSeq(), desk.now());
  EXPECT_EQ(before->locks.size(), 1U);
  EXPECT_EQ(after->locks.size(), 0U);
  EXPECT_GT(after->revision, before->revision);
}

} // namespace
} // namespace lockhouse::test
