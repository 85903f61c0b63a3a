// SPDX-License-Identifier: Apache-2.0
#include "core/watch/fleet/replica_merge.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace lockhouse::test {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

class ReplicaFold : public testing::Test {
protected:
  NodeStatus &node(const std::string &id, const std::string &role, const std::string &replication, int db = 0) {
    NodeStatus status;
    status.id = NodeId(id);
    status.role = role;
    status.runId = "run-" + id;
    status.replicationId = replication;
    status.db = db;
    status.state = NodeState::Live;
    status.scanComplete = true;
    return nodes.emplace_back(std::move(status));
  }
  LockRecord &lock(const std::string &node, const std::string &key, const std::string &holder = "alice", int db = 0) {
    auto record = std::make_shared<LockRecord>();
    record->id = {NodeId(node), db, LockName(key)};
    record->holders = {{holder}};
    auto &known = *record;
    locks.push_back(std::move(record));
    return known;
  }
  std::vector<std::string> merge() {
    std::ranges::sort(locks, {}, [](const LockRecordPtr &record) { return record->id; });
    mergeReplicas(locks, nodes);
    std::vector<std::string> rows;
    for (const auto &row : locks)
      rows.push_back(row->id.node.bytes() + " " + row->id.key.bytes());
    return rows;
  }
  std::vector<NodeStatus> nodes;
  std::vector<LockRecordPtr> locks;
};

TEST_F(ReplicaFold, showsALockOfAMasterOnce) {
  node("a", "replica", "one");
  node("b", "master", "one");
  node("c", "replica", "one");
  for (const auto *each : {"a", "b", "c"})
    for (const auto *key : {"lock:1", "lock:2"})
      lock(each, key);
  lock("a", "lock:3", "bob");
  lock("b", "lock:3", "carol"); // the replica is behind
  EXPECT_THAT(merge(), testing::ElementsAre("b lock:1", "b lock:2", "b lock:3"));
}

TEST_F(ReplicaFold, saysWhatAReplicaAloneHas) {
  node("a", "master", "one");
  node("b", "replica", "one");
  lock("b", "lock:1");
  EXPECT_THAT(merge(), testing::ElementsAre("b lock:1"));
  EXPECT_THAT(englishOf(locks[0]->evidence), Contains(HasSubstr("only a replica shows it")));
}

TEST_F(ReplicaFold, showsNothingThatAReplicaHadWhenItWasTheMaster) {
  node("a", "master", "two");
  node("b", "replica", "two");
  lock("b", "lock:released").staleSince = SteadyTime{}; // a replica of a cluster answers no more what lies there
  EXPECT_THAT(merge(), IsEmpty());
}

TEST_F(ReplicaFold, showsWhatAPromotedReplicaHasInsteadOfWhatTheDeadMasterHad) {
  node("a", "master", "one").state = NodeState::Down;
  auto &promoted = node("b", "master", "two");
  promoted.formerReplicationId = "one";
  promoted.scanComplete = false;
  for (const auto *each : {"a", "b"})
    lock(each, "lock:1");
  lock("a", "lock:gone");
  const auto before = locks;
  EXPECT_THAT(merge(), testing::ElementsAre("a lock:gone", "b lock:1"));
  nodes[1].scanComplete = true;
  locks = before;
  EXPECT_THAT(merge(), testing::ElementsAre("b lock:1"));
  EXPECT_THAT(englishOf(locks[0]->evidence), IsEmpty());
  nodes[0].state = NodeState::Live; // it did not know yet that it is none any more
  locks = before;
  EXPECT_THAT(merge(), testing::ElementsAre("a lock:1", "a lock:gone", "b lock:1"));
}

TEST_F(ReplicaFold, addsWhoListensAtReplicas) {
  node("a", "master", "one");
  node("b", "replica", "one");
  node("c", "replica", "one");
  const auto redisson = [&](const std::string &id, const std::string &key, std::optional<std::uint64_t> waiters) -> LockRecord & {
    auto &record = lock(id, key);
    record.family = "redisson-lock";
    record.type = ValueType::Hash;
    record.waiters = waiters;
    record.expiresAt = SteadyTime(60s);
    return record;
  };
  redisson("a", "1", std::nullopt);
  redisson("b", "1", 1);
  redisson("a", "2", 1);
  redisson("b", "2", 1);
  redisson("c", "2", 2);
  redisson("a", "3", std::nullopt);
  redisson("b", "3", std::nullopt);
  redisson("a", "4", 1);
  redisson("b", "4", 5).staleSince = SteadyTime{}; // not known any more
  auto &queued = redisson("a", "5", 2);
  queued.family = "redisson-fair";
  queued.queue = {{"x", std::nullopt}, {"y", std::nullopt}};
  auto &copy = redisson("b", "5", 2);
  copy.family = queued.family;
  copy.queue = queued.queue;
  EXPECT_EQ(merge().size(), 5U);
  using Number = std::optional<std::uint64_t>;
  EXPECT_EQ(locks[0]->waiters, Number(1));
  EXPECT_EQ(stateAt(*locks[0], SteadyTime{}), LockState::Contended);
  EXPECT_THAT(englishOf(locks[0]->evidence), Contains("clients that listen for its release at a replica: 1"));
  EXPECT_TRUE(locks[0]->areMoreToWait()) << "a client listens once for all who wait there";
  EXPECT_EQ(locks[1]->waiters, Number(4));
  EXPECT_EQ(locks[2]->waiters, std::nullopt) << "never a false 0";
  EXPECT_EQ(locks[3]->waiters, Number(1));
  EXPECT_EQ(locks[4]->waiters, Number(2)) << "the replica has the same queue";
}

TEST_F(ReplicaFold, givesTheMasterALockThatOnlyListenersAtItsReplicasTellOf) {
  node("b", "master", "one");
  for (const auto *each : {"a", "c"}) {
    node(each, "replica", "one");
    auto &semaphore = lock(each, "sem");
    semaphore.family = "redisson-semaphore";
    semaphore.type = ValueType::String;
    semaphore.holders.clear();
    semaphore.number = 1;
    semaphore.waiters = 1;
  }
  lock("b", "aaa");
  lock("b", "zzz");
  EXPECT_THAT(merge(), testing::ElementsAre("b aaa", "b sem", "b zzz"));
  EXPECT_EQ(locks[1]->waiters, std::optional<std::uint64_t>(2));
}

TEST_F(ReplicaFold, keepsApartWhatIsNoCopy) {
  node("a", "master", "one");
  node("b", "replica", "two");
  node("c", "replica", "");
  node("d", "replica", "one", 1); // another database
  node("e", "master", "one");     // it was a replica until now
  for (const auto *each : {"a", "b", "c", "e"})
    lock(each, "lock:1");
  lock("d", "lock:1", "alice", 1);
  EXPECT_EQ(merge().size(), 5U);
}

TEST_F(ReplicaFold, hidesNothingBehindAMasterThatIsNotFollowed) {
  node("a", "master", "one").state = NodeState::Down;
  node("b", "replica", "one");
  lock("a", "lock:1").staleSince = SteadyTime{};
  lock("b", "lock:1");
  lock("b", "lock:2");
  EXPECT_EQ(merge().size(), 3U);
  for (const auto &row : locks)
    EXPECT_THAT(englishOf(row->evidence), IsEmpty());
}

} // namespace
} // namespace lockhouse::test
