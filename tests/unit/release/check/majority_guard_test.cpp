// SPDX-License-Identifier: Apache-2.0
#include "core/release/check/majority_guard.h"

#include "tests/unit/watch/records.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace lockhouse::test {
namespace {

/// Servers "a", "b", "c", each watched under the databases 0 and 1.
struct HoldBack : testing::Test {
  HoldBack() {
    for (const auto *server : {"a", "b", "c"})
      for (const int db : {0, 1}) {
        NodeStatus node;
        node.id = NodeId(std::string(server) + "/" + std::to_string(db));
        node.db = db;
        node.role = "master";
        node.runId = std::string("run-") + server;
        node.state = NodeState::Live;
        nodes.push_back(node);
      }
  }
  void plan(const std::string &server, int db, bool isRefused, std::size_t votes = 0) {
    ReleaseResult result;
    result.lock = {NodeId(server + "/" + std::to_string(db)), db, LockName("lock:a")};
    result.plan.emplace();
    result.plan->expectHolder = "3f786850e387550fdab836ed7e6dc881";
    result.plan->votes = votes;
    auto now = std::make_shared<LockRecord>(record("token", LockKind::Mutex, "lock:a", {{result.plan->expectHolder, 1}}));
    now->type = ValueType::String;
    now->mayBe = {"redlock-py"};
    result.now = std::move(now);
    if (isRefused)
      result.plan->refusal = Message::verbatim("this user may not");
    planned.push_back(std::move(result));
  }
  bool isFirstHeldBack() const { return planned.front().plan->heldBack.has_value(); }
  std::size_t heldBack() const {
    return static_cast<std::size_t>(std::ranges::count_if(planned, [](const ReleaseResult &result) { return result.plan->heldBack.has_value(); }));
  }
  std::vector<NodeStatus> nodes;
  std::vector<ReleaseResult> planned;
};

TEST_F(HoldBack, countsTheMastersOfEachDatabaseByThemselves) {
  for (const auto *server : {"a", "b", "c"})
    plan(server, 1, server != std::string("c"));
  plan("a", 0, true); // of another lock, which has that name too
  guardMajority(planned, nodes);
  EXPECT_EQ(heldBack(), 3U) << "two of three masters would refuse";
  EXPECT_FALSE(planned.back().plan->heldBack) << "one of three";
}

TEST_F(HoldBack, countsThoseThatCannotBeReachedWhereOthersRefuse) {
  for (const auto i : {2U, 3U}) // b
    nodes[i].state = NodeState::Down;
  plan("a", 0, false);
  guardMajority(planned, nodes);
  EXPECT_FALSE(isFirstHeldBack()) << "one of three, and nobody refuses";
  plan("c", 0, true);
  guardMajority(planned, nodes);
  EXPECT_EQ(planned.front().plan->refusal.value_or(Message()).english(),
            "refused by 1 of 3 masters, and 1 more cannot be reached, so its holder would keep it");
  planned.clear();
  plan("a", 0, false);
  RefusedKeys refused;
  refused.add("lock:a", {.rights = true});
  refused.sort();
  nodes[4].keysRefused = 1; // c
  nodes[4].refused = std::make_shared<RefusedKeys>(refused);
  guardMajority(planned, nodes);
  EXPECT_THAT(planned.front().plan->refusal.value_or(Message()).english(), testing::StartsWith("2 of 3 masters refuse its key or cannot be reached"));
}

TEST_F(HoldBack, countsThoseThatCannotBeReachedAloneOnlyOfALockThatIsOfSeveral) {
  for (const auto i : {2U, 3U, 4U, 5U}) // b and c
    nodes[i].state = NodeState::Down;
  plan("a", 0, false);
  guardMajority(planned, nodes);
  EXPECT_FALSE(isFirstHeldBack()) << "it may be a lock of this server alone";
  auto named = *planned.front().now;
  named.id.key = planned.front().lock.key = LockName("redlock:a");
  planned.front().now = std::make_shared<LockRecord>(named);
  guardMajority(planned, nodes);
  EXPECT_TRUE(isFirstHeldBack());
  EXPECT_EQ(planned.front().plan->refusal.value_or(Message()).english(),
            "2 of 3 masters cannot be reached, so its holder may keep it: wait until they answer, or name it alone, with --node, to free it here");
  planned.front().plan->refusal.reset();
  planned.front().plan->heldBack.reset();
  nodes[2].state = NodeState::Live;
  guardMajority(planned, nodes);
  EXPECT_FALSE(isFirstHeldBack()) << "one of three";
}

TEST_F(HoldBack, takesForOneLockWhatOneHolderHasOnSeveralMasters) {
  for (const auto *server : {"d", "e"}) {
    NodeStatus node;
    node.id = NodeId(std::string(server) + "/0");
    node.role = "master";
    node.runId = std::string("run-") + server;
    node.state = NodeState::Down;
    nodes.push_back(node);
  }
  nodes[4].state = NodeState::Down; // c, database 0
  plan("a", 0, false);
  plan("b", 0, false);
  for (auto &one : planned) { // whatever it is
    auto now = *one.now;
    now.family = "redis-semaphore";
    now.type = ValueType::SortedSet;
    now.mayBe.clear();
    one.now = std::make_shared<LockRecord>(now);
  }
  guardMajority(planned, nodes);
  EXPECT_EQ(heldBack(), 2U) << "three of five";
}

TEST_F(HoldBack, countsAMasterOnceAndNoneThatHasAnswered) {
  for (const auto i : {2U, 3U}) // b, whose password is wrong
    nodes[i].state = NodeState::Down;
  plan("a", 0, false);
  planned.push_back({{NodeId("b/0"), 0, LockName("lock:a")}, {}, {}, Verdict::NotAllowed, {}, {}, Message::verbatim("WRONGPASS")});
  guardMajority(planned, nodes);
  EXPECT_FALSE(isFirstHeldBack()) << "one of three";
  for (auto &node : nodes)
    node.state = node.runId == "run-b" ? NodeState::Down : NodeState::Connecting; // a sweep takes longer than a read
  plan("c", 0, false);
  guardMajority(planned, nodes);
  EXPECT_FALSE(isFirstHeldBack()) << "two of three have a plan";
}

// Of many, only what was seen is planned: a master that refuses the key has no plan and no verdict.
TEST_F(HoldBack, countsTheMastersThatRefuseAKeyOfThatNameUnseen) {
  RefusedKeys refused;
  refused.add("lock:a", {.rights = true});
  refused.sort();
  for (const auto i : {2, 4}) { // b and c, database 0
    nodes[static_cast<std::size_t>(i)].keysRefused = 1;
    nodes[static_cast<std::size_t>(i)].refused = std::make_shared<RefusedKeys>(refused);
  }
  plan("a", 0, false);
  plan("a", 1, false);
  guardMajority(planned, nodes);
  EXPECT_THAT(planned[0].plan->refusal.value_or(Message()).english(),
              testing::StartsWith("2 of 3 masters refuse its key: if it lies there too, its holder would keep it"));
  EXPECT_FALSE(planned[1].plan->heldBack) << "of another database";
  planned.clear();
  plan("a", 0, false);
  planned.front().lock.key = LockName("lock:b");
  guardMajority(planned, nodes);
  EXPECT_FALSE(isFirstHeldBack()) << "what they refuse are other keys";
  planned.clear();
  plan("a", 0, false);
  plan("b", 0, false);
  guardMajority(planned, nodes);
  EXPECT_EQ(heldBack(), 0U) << "one of three";
  planned.clear();
  plan("a", 0, false);
  planned.front().now = std::make_shared<LockRecord>(record("bull-stalled-check", LockKind::Mutex, "lock:a", {{"1", 1}}));
  guardMajority(planned, nodes);
  EXPECT_FALSE(isFirstHeldBack()) << "no lock of several masters";
}

TEST_F(HoldBack, countsTheKeysOfALockOfSeveralAndNotTheirMasters) {
  for (auto &node : nodes)
    node.isCluster = true;
  plan("a", 0, false, 1);
  plan("b", 0, true, 2);
  guardMajority(planned, nodes);
  EXPECT_EQ(heldBack(), 2U);
  EXPECT_EQ(planned.front().plan->refusal.value_or(Message()).english(), "refused for 2 of its 3 keys, so its holder would keep it");
  planned.clear();
  plan("a", 0, false, 2);
  plan("b", 0, true, 1);
  guardMajority(planned, nodes);
  EXPECT_EQ(heldBack(), 0U) << "whoever keeps one of three holds it no more";
  const auto mayNot = [this] {
    planned.pop_back();
    auto &refused = planned.emplace_back();
    refused.lock = {NodeId("b/0"), 0, LockName("lock:a")};
    refused.verdict = Verdict::NotAllowed;
  };
  mayNot();
  guardMajority(planned, nodes);
  EXPECT_FALSE(isFirstHeldBack()) << "the third may lie there, and is too few";
  planned.clear();
  plan("a", 0, false, 1);
  plan("c", 0, false, 0);
  mayNot();
  guardMajority(planned, nodes);
  EXPECT_EQ(planned.front().plan->refusal.value_or(Message()).english(), "refused by masters that may have most of its keys, so its holder would keep it");
}

} // namespace
} // namespace lockhouse::test
