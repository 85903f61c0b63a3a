// SPDX-License-Identifier: Apache-2.0
#include "core/watch/fleet/cluster_subscribers.h"
#include "tests/unit/watch/desk.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace lockhouse::test {
namespace {

using testing::UnorderedElementsAre;

constexpr milliseconds patience = ClusterSubscribers::patience;

/// Masters "m0", "m1" … of one cluster, and replicas.
struct ClusterSubscribers : testing::Test {
  static NodeWatcher::Options named(const std::string &id) {
    auto options = Desk::defaults();
    options.id = NodeId(id);
    return options;
  }
  Desk &add(const std::string &name, const std::string &role = "master", const std::string &replication = {}) {
    auto &desk = *desks.emplace_back(std::make_unique<Desk>(named(name)));
    desk.runId = desk.clusterName = name;
    desk.clusterMasters = masters;
    desk.info = fmt::format("cluster_enabled:1\r\nrole:{}\r\nmaster_replid:{}\r\n", role, replication.empty() ? name : replication);
    nodes.push_back(&desk.watch);
    return desk;
  }
  void connectAll() {
    for (auto &desk : desks)
      desk->connect();
  }
  void want(std::size_t asker) { subscribers.ask(asker, {.number = 5, .channels = {"one", "two"}}, now); }
  /// Carries what there is to carry; which nodes were asked.
  std::vector<std::size_t> carry() {
    std::vector<std::size_t> asked;
    for (auto &[place, event] : subscribers.next(nodes, now)) {
      if (auto *sums = std::get_if<watching::RemoteCounts>(&event)) {
        heard.push_back(*sums);
        continue;
      }
      asked.push_back(place);
      desks[place]->event(std::move(event));
    }
    return asked;
  }
  void answer(std::size_t place) {
    desks[place]->serve();
    for (auto &told : std::exchange(desks[place]->subscriberAnswers, {}))
      subscribers.take(std::move(told));
  }

  /// The first of the others answers in time, and when all are asked again he alone is.
  void goOnWithTheFirstAlone() {
    answer(1);
    now += patience;
    carry();
    ASSERT_EQ(heard.size(), 1U);
    EXPECT_FALSE(heard[0].isWhole);
    want(0);
    EXPECT_THAT(carry(), UnorderedElementsAre(1U));
    answer(1);
  }

  SteadyTime now{seconds(1000)};
  std::vector<std::string> masters{"m0", "m1", "m2"};
  std::vector<std::unique_ptr<Desk>> desks;
  std::vector<NodeWatcher *> nodes;
  lockhouse::ClusterSubscribers subscribers;
  std::vector<watching::RemoteCounts> heard;
};

TEST_F(ClusterSubscribers, sumsWhatTheOtherNodesHear) {
  add("m0").listeners["one"] = 9;
  add("m1").listeners = {{"one", 1}, {"two", 2}};
  add("m2").listeners["one"] = 3;
  add("r0", "slave", "m0").listeners["one"] = 5;
  add("r1", "slave", "m1").listeners["two"] = 4;
  for (auto &desk : desks)
    desk->shardListeners["two"] = 10;
  connectAll();
  want(0);
  EXPECT_THAT(carry(), UnorderedElementsAre(1U, 2U, 3U, 3U, 4U)) << "a sharded channel is its shard's";
  answer(1);
  answer(2);
  EXPECT_TRUE(carry().empty());
  EXPECT_TRUE(heard.empty());
  answer(3);
  answer(4);
  carry();
  ASSERT_EQ(heard.size(), 1U);
  EXPECT_EQ(heard[0].number, 5U);
  EXPECT_EQ(heard[0].clients, (std::vector<std::uint64_t>{9, 16}));
  EXPECT_EQ(heard[0].nodes, 4U);
  EXPECT_TRUE(heard[0].isWhole);
  EXPECT_TRUE(subscribers.isIdle());
}

TEST_F(ClusterSubscribers, ofAReplicaIsItsMasters) {
  add("m0");
  add("r0", "slave", "m0");
  connectAll();
  want(1);
  EXPECT_TRUE(carry().empty());
  ASSERT_EQ(heard.size(), 1U);
  EXPECT_TRUE(heard[0].isWhole) << "it is asked by its master, who tells";
}

TEST_F(ClusterSubscribers, isNotWholeWithoutAMaster) {
  add("m0");
  add("m1").listeners["one"] = 1;
  connectAll();
  want(0);
  carry();
  answer(1);
  carry();
  ASSERT_EQ(heard.size(), 1U);
  EXPECT_EQ(heard[0].clients, (std::vector<std::uint64_t>{1, 0}));
  EXPECT_FALSE(heard[0].isWhole) << "m2 is not watched";
  desks[1]->event(watching::CommandsDown{{ErrorCode::Unreachable, Message::verbatim("closed"), {}, {}}});
  want(0);
  EXPECT_TRUE(carry().empty());
  ASSERT_EQ(heard.size(), 2U);
  EXPECT_FALSE(heard[1].isWhole);
  EXPECT_EQ(heard[1].nodes, 0U);
}

TEST_F(ClusterSubscribers, tellsNothingOfMastersWhereTheyMayNotBeAskedFor) {
  for (const auto *name : {"m0", "m1"})
    add(name).clusterName.clear();
  desks[1]->listeners["two"] = 1;
  connectAll();
  want(0);
  carry();
  answer(1);
  carry();
  ASSERT_EQ(heard.size(), 1U);
  EXPECT_EQ(heard[0].clients, (std::vector<std::uint64_t>{0, 1}));
  EXPECT_TRUE(heard[0].isWhole);
}

TEST_F(ClusterSubscribers, leavesNodesOfAnotherClusterOut) {
  add("m0");
  add("m1");
  add("m2");
  masters = {"x0"};
  add("x0").listeners["one"] = 7;
  connectAll();
  want(0);
  for (const auto place : carry())
    answer(place);
  carry();
  ASSERT_EQ(heard.size(), 1U);
  EXPECT_EQ(heard[0].clients, (std::vector<std::uint64_t>{0, 0}));
  EXPECT_EQ(heard[0].nodes, 2U);
  EXPECT_TRUE(heard[0].isWhole);
}

TEST_F(ClusterSubscribers, waitsForANodeThatIsBeingConnectedButNotForLong) {
  add("m0").connect();
  add("m1");
  add("m2");
  want(0);
  EXPECT_TRUE(carry().empty());
  EXPECT_EQ(subscribers.dueAt(), now + patience);
  desks[1]->connect();
  EXPECT_THAT(carry(), UnorderedElementsAre(1U));
  ASSERT_NO_FATAL_FAILURE(goOnWithTheFirstAlone());
  carry();
  EXPECT_EQ(heard.size(), 2U) << "nor again";
  desks[2]->connect();
  want(0);
  EXPECT_THAT(carry(), UnorderedElementsAre(1U, 2U));
}

TEST_F(ClusterSubscribers, doesNotAskAgainWhomItWaitedForUntilHeAnswers) {
  for (const auto *name : {"m0", "m1", "m2"})
    add(name);
  connectAll();
  want(0);
  carry();
  ASSERT_NO_FATAL_FAILURE(goOnWithTheFirstAlone());
  answer(2); // late
  carry();
  want(0);
  EXPECT_THAT(carry(), UnorderedElementsAre(1U, 2U));
}

TEST(ClusterStatus, tellsHowManyMastersTheClusterHas) {
  Desk desk;
  desk.clusterName = "m0";
  desk.clusterMasters = {"m0", "m1", "m2"};
  desk.info = "cluster_enabled:1\r\n";
  desk.connect();
  EXPECT_EQ(desk.status().clusterMasters, 3U);
  desk.clusterName.clear(); // it may not say any more
  desk.connect();
  EXPECT_EQ(desk.status().clusterMasters, 0U);
}

} // namespace
} // namespace lockhouse::test
