// SPDX-License-Identifier: Apache-2.0
#include "core/watch/fleet/change_merge.h"
#include "tests/unit/watch/desk.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace lockhouse::test {
namespace {

using Number = std::optional<std::uint64_t>;

/// A master and a replica of its, of one clock, with the same keys.
struct ReplicaChanges : testing::Test {
  static NodeWatcher::Options named(const char *id) {
    auto options = Desk::defaults();
    options.id = NodeId(id);
    return options;
  }
  void SetUp() override {
    for (auto *desk : {&master, &replica}) {
      desk->runId = desk->watch.status().id.bytes();
      desk->info = fmt::format("role:{}\r\npubsub_channels:5\r\n", desk == &master ? "master" : "slave");
      desk->hash("a", {{owner1, "1"}}, seconds(300));
      desk->string("sem", "1");
    }
    master.listeners["redisson_lock__channel:{a}"] = 1;
    for (auto *desk : {&master, &replica}) {
      desk->connect();
      merge.merge(desk->changes(), nodes, desk->now());
    }
  }
  /// What is told of a key that is read again there.
  std::vector<LockChange> told(Desk &desk, const char *key) {
    desk.hint({key});
    desk.serve();
    return merge.merge(desk.changes(), nodes, desk.now());
  }

  /// The same of who listens now, which the next beat asks for.
  std::vector<LockChange> toldByBeat(Desk &desk) {
    desk.pass(milliseconds(1100));
    desk.pong();
    desk.serve();
    return merge.merge(desk.changes(), nodes, desk.now());
  }

  Desk master{named("m")}, replica{named("r")};
  std::vector<NodeWatcher *> nodes{&master.watch, &replica.watch};
  ChangeMerge merge;
};

TEST_F(ReplicaChanges, ofWhoListensAtTheReplicaAreToldOfTheMastersLock) {
  replica.listeners["redisson_lock__channel:{a}"] = 1;
  auto changes = told(replica, "a");
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].kind, ChangeKind::Waiters);
  EXPECT_EQ(changes[0].id.node, NodeId("m"));
  EXPECT_EQ(changes[0].before->waiters, Number(1));
  EXPECT_EQ(changes[0].after->waiters, Number(2));
  master.hash("a", {{owner1, "2"}}, seconds(300));
  changes = told(master, "a");
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].kind, ChangeKind::Count);
  EXPECT_EQ(changes[0].after->waiters, Number(2));
}

TEST_F(ReplicaChanges, ofASemaphoreThatIsListenedToAtTheReplicaAloneAreItsMasters) {
  replica.listeners["redisson_sc:{sem}"] = 1;
  auto changes = toldByBeat(replica);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].kind, ChangeKind::Appeared);
  EXPECT_EQ(changes[0].after->id.node, NodeId("m"));
  EXPECT_EQ(changes[0].after->waiters, Number(1));
  replica.listeners.clear();
  changes = toldByBeat(replica);
  EXPECT_FALSE(replica.lock("sem"));
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].kind, ChangeKind::Vanished);
  EXPECT_EQ(changes[0].id.node, NodeId("m"));
}

} // namespace
} // namespace lockhouse::test
