// SPDX-License-Identifier: Apache-2.0
// A lock that goes with its slot from one master of a cluster to another, which neither of them announces when it is served again.
#include "tests/server/watch/watch_house.h"
#include "tests/support/cluster.h"

#include <algorithm>
#include <cstdlib>
#include <thread>
#include <tuple>

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

// Of that master it is heard only by a key that is closed, too, and that after its sweep.
TEST_F(WatchSlots, ofARueidislockMostOfWhoseKeysAreClosedItIsNotSaidThatNobodyHoldsIt) {
  const std::size_t closed = 2;
  for (std::size_t node = 0; node < cluster.size(); ++node)
    ASSERT_TRUE(cluster.at(node, {"ACL", "SETUSER", "op", "reset", "on", ">pw", node == closed ? "~other*" : "~*", "&*", "+@all"}).isOk());
  const auto keyOf = [](const std::string &name, int i) { return "rueidislock:" + std::to_string(i) + ":" + name; };
  const auto name = Cluster::nameWhere([&](const std::string &each) {
    return cluster.ownerOf(keyOf(each, 0)) != closed && cluster.ownerOf(keyOf(each, 1)) == closed && cluster.ownerOf(keyOf(each, 2)) == closed;
  });
  auto all = uris();
  for (auto &uri : all)
    std::tie(uri.user, uri.password) = std::pair("op", "pw");
  Watched watched(all);
  for (std::size_t node = 0; node < cluster.size(); ++node)
    ASSERT_TRUE(eventually([&] { return watched.isLive(node) && watched.status(node).scanComplete; }));
  const std::string votes("\x01\xff\x80\x03\x9a\xbc\xde\xf0\x11\x92\x13\xf4\x15\x96\x17\xf8\x19\xfa\x1b\xfc\x1d\xfe\x1f\x90", 24);
  for (const int i : {1, 2, 0})
    ASSERT_TRUE(cluster({"SET", keyOf(name, i), votes, "PX", "600000"}).isOk());
  const auto isKnown = [&] {
    const auto row = watched.lock(keyOf(name, 0));
    return row && row->unfollowed > 0 && stateAt(*row, SteadyClock::now()) == LockState::Held;
  };
  EXPECT_TRUE(eventually(isKnown));
}

// Such keys do not move, however many they are: they are met by the next sweep.
TEST_F(WatchSlots, ofAClusterThatIsDownNoKeyIsAskedForAgainAndAgain) {
  std::vector<std::string> keys;
  for (int i = 0; keys.size() < 400; ++i)
    if (auto key = "n" + std::to_string(i); cluster.ownerOf(key) == 0)
      keys.push_back(std::move(key));
  for (const auto &key : keys)
    ASSERT_TRUE(cluster.at(0, {"SET", key, "x"}).isOk());
  slot = std::to_string(
      cluster.at(0, {"CLUSTER", "KEYSLOT", Cluster::nameWhere([this](const std::string &name) { return cluster.ownerOf(name) == 0; })}).integer().value_or(-1));
  ASSERT_TRUE(cluster.at(0, {"CLUSTER", "DELSLOTS", slot}).isOk());
  ASSERT_TRUE(eventually([&] { return cluster.at(0, {"TYPE", keys[1]}).failureWord() == "CLUSTERDOWN"; }));
  Watched watched({cluster.uri(0)});
  ASSERT_TRUE(eventually([&] { return watched.status().keysRefused >= keys.size() - 1; }));
  const auto refused = [this] { // so far, with those that the test sends
    const auto stats = cluster.at(0, {"INFO", "commandstats"});
    const auto text = stats.text().value_or("");
    const auto from = text.find("cmdstat_type:");
    const auto at = text.find("rejected_calls=", from);
    return from == text.npos || at == text.npos ? 0L : std::strtol(text.substr(at + 15, 12).data(), nullptr, 10);
  };
  const auto before = refused();
  ASSERT_GT(before, 0);
  std::this_thread::sleep_for(milliseconds(600)); // some beats
  EXPECT_LT(refused() - before, static_cast<long>(keys.size()));
}

} // namespace
} // namespace lockhouse::test
