// SPDX-License-Identifier: Apache-2.0
// A lock that goes with its slot from one master of a cluster to another, which neither of them announces when it is served again.
#include "tests/server/watch/watch_house.h"
#include "tests/support/cluster.h"

#include <algorithm>

namespace lockhouse::test {
namespace {

class WatchSlots : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_TRUE(cluster.isUp());
    for (std::size_t node = 0; node < cluster.size(); ++node) { // by notifications, which name why a key is gone
      ASSERT_TRUE(cluster.at(node, {"CONFIG", "SET", "notify-keyspace-events", "KEA"}).isOk());
      ASSERT_TRUE(cluster.at(node, {"ACL", "SETUSER", "default", "-client|tracking"}).isOk());
    }
  }
  std::vector<Uri> uris() {
    std::vector<Uri> all;
    for (std::size_t node = 0; node < cluster.size(); ++node)
      all.push_back(cluster.uri(node));
    return all;
  }
  std::string nameOf(std::size_t node) { return std::string(cluster.at(node, {"CLUSTER", "MYID"}).text().value_or("")); }
  /// All that is in the slot of `key`, to the next master, which serves it then; the first has not heard of that yet.
  void move(const std::string &key, const std::vector<std::string> &keys) {
    slot = std::to_string(cluster.at(0, {"CLUSTER", "KEYSLOT", key}).integer().value_or(-1));
    ASSERT_TRUE(cluster.at(next, {"CLUSTER", "SETSLOT", slot, "IMPORTING", nameOf(home)}).isOk());
    ASSERT_TRUE(cluster.at(home, {"CLUSTER", "SETSLOT", slot, "MIGRATING", nameOf(next)}).isOk());
    for (const auto &each : keys)
      ASSERT_TRUE(cluster.at(home, {"MIGRATE", "127.0.0.1", std::to_string(cluster.uri(next).port), each, "0", "5000"}).isOk());
  }
  static bool isOf(const LockChange &change, const Uri &uri, std::string_view key) {
    return change.id.node.bytes() == uri.address() && change.id.key.bytes() == key;
  }

  Cluster cluster;
  std::size_t home = 0, next = 0;
  std::string slot;
};

TEST_F(WatchSlots, aLockThatMovesIsOneRowAndSoonThatOfItsNewMaster) {
  const std::string lock = "lock:orders";
  home = cluster.ownerOf(lock);
  next = (home + 1) % cluster.size();
  ASSERT_TRUE(cluster({"SET", lock, hex32, "PX", "600000"}).isOk());
  Watched watched(uris());
  for (std::size_t node = 0; node < cluster.size(); ++node)
    ASSERT_TRUE(eventually([&] { return watched.isLive(node); }));
  ASSERT_TRUE(watched.lock(lock));
  EXPECT_EQ(watched.lock(lock)->id.node.bytes(), cluster.uri(home).address());
  move(lock, {lock});
  EXPECT_TRUE(eventually([&] { return watched.lock(lock) && watched.lock(lock)->staleSince; })) << "who holds it now is not known";
  ASSERT_TRUE(cluster.at(next, {"CLUSTER", "SETSLOT", slot, "NODE", nameOf(next)}).isOk());
  const auto rows = [&] {
    const auto snapshot = watched.snapshot();
    return std::ranges::count_if(snapshot->locks, [&](const LockRecordPtr &row) { return row->id.key.bytes() == lock; });
  };
  const auto isThere = [&] {
    const auto row = watched.lock(lock);
    return row && row->id.node.bytes() == cluster.uri(next).address() && !row->staleSince && rows() == 1;
  };
  EXPECT_TRUE(eventually(isThere)) << "long before the next sweep";
  ASSERT_TRUE(cluster.at(home, {"CLUSTER", "SETSLOT", slot, "NODE", nameOf(next)}).isOk());
  const auto isGone = [&](const LockChange &change) { return change.kind == ChangeKind::Vanished && isOf(change, cluster.uri(home), lock); };
  EXPECT_TRUE(eventually([&] { return std::ranges::any_of(watched.changes(), isGone); }));
  const auto changes = watched.changes();
  const auto gone = std::ranges::find_if(changes, isGone);
  ASSERT_NE(gone, changes.end());
  EXPECT_FALSE(gone->cause) << "it was not deleted";
  EXPECT_TRUE(watched.catchesUp());
  EXPECT_TRUE(isThere());
  for (std::size_t node = 0; node < cluster.size(); ++node) {
    EXPECT_EQ(watched.status(node).feed, FeedKind::Keyspace) << "it is not taken for one that keeps silent";
    EXPECT_EQ(watched.status(node).divergences, 0U);
  }
}

TEST_F(WatchSlots, aFairLockMovesWithItsQueue) {
  const std::string lock = "turn", queue = "redisson_lock_queue:{turn}", deadlines = "redisson_lock_timeout:{turn}";
  home = cluster.ownerOf(lock);
  next = (home + 1) % cluster.size();
  ASSERT_EQ(cluster({"HSET", lock, owner1, "1"}).integer(), 1);
  ASSERT_EQ(cluster({"PEXPIRE", lock, "600000"}).integer(), 1);
  ASSERT_EQ(cluster({"RPUSH", queue, owner2}).integer(), 1);
  ASSERT_EQ(cluster({"ZADD", deadlines, "99999999999999", owner2}).integer(), 1);
  Watched watched(uris());
  for (std::size_t node = 0; node < cluster.size(); ++node)
    ASSERT_TRUE(eventually([&] { return watched.isLive(node); }));
  move(lock, {lock, queue, deadlines});
  for (const auto node : {next, home})
    ASSERT_TRUE(cluster.at(node, {"CLUSTER", "SETSLOT", slot, "NODE", nameOf(next)}).isOk());
  const auto isThere = [&] {
    const auto row = watched.lock(lock);
    return row && row->id.node.bytes() == cluster.uri(next).address() && !row->staleSince && row->waiters == 1U;
  };
  EXPECT_TRUE(eventually(isThere)) << "long before the next sweep";
}

} // namespace
} // namespace lockhouse::test
