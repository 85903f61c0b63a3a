// SPDX-License-Identifier: Apache-2.0
// What the operator says of a node that is a replica, or a master that misses its replicas.
#include "tests/server/release/operator_house.h"

#include "tests/support/eventually.h"

#include <fmt/format.h>
#include <future>

namespace lockhouse {
namespace {

using test::token;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class Replicas : public test::OperatorHouse {
protected:
  Replicas() : OperatorHouse({.tcp = true, .config = {}}) {}

  std::string nameOf(int i) { return fmt::format("lock:{}", i); }
  std::vector<ReleaseIntent> lockMany(int count) {
    std::vector<ReleaseIntent> intents;
    for (int i = 0; i < count; ++i) {
      redis({"SET", nameOf(i), token, "PX", "600000"});
      intents.push_back({id(nameOf(i)), token, {}, "stuck"});
    }
    return intents;
  }
  std::vector<ReleaseResult> planMany(std::vector<ReleaseIntent> intents) {
    std::promise<std::vector<ReleaseResult>> answer;
    m_keeper->planMany(std::move(intents), {}, {}, [&answer](auto results) { answer.set_value(std::move(results)); });
    return answer.get_future().get();
  }
  std::vector<ReleaseResult> applyMany(std::vector<ReleaseResult> planned) {
    std::promise<std::vector<ReleaseResult>> answer;
    m_keeper->applyMany(std::move(planned), "stuck", {}, {}, [&answer](auto results) { answer.set_value(std::move(results)); });
    return answer.get_future().get();
  }
  static std::vector<Verdict> verdicts(const std::vector<ReleaseResult> &results) {
    std::vector<Verdict> all;
    for (const auto &result : results)
      all.push_back(result.verdict.value_or(Verdict::Kept));
    return all;
  }
};

TEST_F(Replicas, planSaysThatANodeIsAReplica) {
  const auto intents = lockMany(1);
  redis({"REPLICAOF", "127.0.0.1", "1"});
  enter();
  const auto result = plan(nameOf(0), token);
  ASSERT_TRUE(result.plan) << result.detail.english();
  EXPECT_THAT(englishOf(result.plan->warnings).at(0), HasSubstr("a replica that takes no writes"));
  EXPECT_EQ(result.plan->refusal, result.plan->warnings.at(0));
  EXPECT_EQ(planMany(intents).at(0).plan->refusal, result.plan->refusal) << "what would be refused is not counted as freed";
  EXPECT_THAT(verdicts(applyMany(planMany(intents))), Each(Verdict::ReadOnly));
  redis({"CONFIG", "SET", "replica-read-only", "no"});
  ASSERT_TRUE(test::eventually([&] { return !plan(nameOf(0), token).plan->refusal; }));
  EXPECT_THAT(englishOf(plan(nameOf(0), token).plan->warnings).at(0), HasSubstr("its master keeps the lock all the same"));
}

TEST_F(Replicas, atAReplicaRefusesAlikeWhetherOneOrManyAndWithPushesBeside) {
  const std::string uuid = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01";
  const auto locks = {std::pair("orders-lock", uuid), std::pair("lock:orders", std::string("alice"))};
  for (const auto &[key, holder] : locks)
    redis({"SET", key, holder, "PX", "600000"});
  redis({"REPLICAOF", "127.0.0.1", "1"});
  enter();
  constexpr auto refused = "this node is a replica that takes no writes, so this was refused: the lock has to be released at its master; nothing was changed";
  std::size_t besides = 0;
  for (const auto &[key, holder] : locks) {
    const auto one = apply(key, holder);
    EXPECT_EQ(one.verdict, Verdict::ReadOnly) << key;
    EXPECT_EQ(one.detail.english(), refused) << key;
    const auto many = applyMany(planMany({{id(key), holder, {}, "stuck"}}));
    EXPECT_THAT(verdicts(many), ElementsAre(Verdict::ReadOnly)) << key;
    EXPECT_THAT(many.front().detail.english(), AllOf(StartsWith("this node is a replica that takes no writes"), HasSubstr("nothing was changed"))) << key;
    besides += many.front().plan->keys.size() - 1;
  }
  EXPECT_GT(besides, 0U) << "of one of them it may be that somebody is blocked on a list";
}

TEST_F(Replicas, promisesNothingOfALockThatItTookAtAReplicaAlone) {
  const auto intents = lockMany(2);
  redis({"REPLICAOF", "127.0.0.1", "1"});
  redis({"CONFIG", "SET", "replica-read-only", "no"});
  enter();
  ASSERT_TRUE(test::eventually([&] { return !plan(nameOf(0), token).plan->refusal; }));
  const auto one = apply(nameOf(0), token);
  EXPECT_EQ(one.verdict, Verdict::Unreleasable) << one.detail.english();
  EXPECT_THAT(one.detail.english(), HasSubstr("at this replica alone: its master keeps the lock"));
  const auto many = applyMany(planMany({intents.at(1)}));
  EXPECT_THAT(verdicts(many), Each(Verdict::Unreleasable));
  EXPECT_THAT(many.at(0).detail.english(), HasSubstr("release it at its master"));
}

TEST_F(Replicas, whatOneDoesNotHaveIsNotCalledFree) {
  const auto intents = lockMany(1);
  redis({"REPLICAOF", "127.0.0.1", "1"});
  enter();
  const auto told = AllOf(HasSubstr("this node is a replica of 127.0.0.1:1, cut off from it"), HasSubstr("look for the lock at its master"));
  const ReleaseIntent absent{id("lock:absent"), token, {}, "stuck"}, others{id(nameOf(0)), "alice", {}, "stuck"};
  for (const auto &result :
       {plan("lock:absent", token), apply("lock:absent", token), planMany({absent, intents.front()}).front(), planMany({absent}).front()}) {
    EXPECT_EQ(result.verdict, Verdict::ReadOnly);
    EXPECT_THAT(result.detail.english(), AllOf(StartsWith("there is no such key; "), told));
  }
  for (const auto &result : {plan(nameOf(0), "alice"), planMany({others}).front()}) {
    EXPECT_EQ(result.verdict, Verdict::Changed);
    EXPECT_THAT(result.detail.english(), AllOf(StartsWith("changed: now held by "), told));
  }
}

TEST_F(Replicas, whatHasGoneFromOneThatTakesWritesIsNotCalledFree) {
  const auto intents = lockMany(1);
  redis({"REPLICAOF", "127.0.0.1", "1"});
  redis({"CONFIG", "SET", "replica-read-only", "no"});
  enter();
  const auto planned = planMany(intents);
  redis({"DEL", nameOf(0)});
  const auto result = applyMany(planned).front();
  EXPECT_EQ(result.verdict, Verdict::ReadOnly);
  EXPECT_THAT(result.detail.english(), AllOf(StartsWith("the key is gone; this node is a replica"), HasSubstr("look for the lock at its master")));
}

TEST_F(Replicas, planSaysThatTooFewAreThereToWrite) {
  const auto intents = lockMany(2);
  redis({"CONFIG", "SET", "min-replicas-to-write", "1"});
  enter();
  constexpr auto refusal =
      "good replicas of this master: 0, fewer than its min-replicas-to-write, so this would be refused: bring its replicas back, or lower that";
  const auto one = plan(nameOf(0), token);
  ASSERT_TRUE(one.plan) << one.detail.english();
  EXPECT_EQ(one.plan->refusal.value_or(Message()).english(), refusal);
  EXPECT_EQ(englishOf(one.plan->warnings).at(0), refusal);
  const auto many = planMany(intents);
  EXPECT_EQ(many.at(1).plan->refusal.value_or(Message()).english(), refusal);
  for (const auto &result : {apply(nameOf(0), token), applyMany(many).front()}) {
    EXPECT_EQ(result.verdict, Verdict::ReadOnly);
    EXPECT_THAT(result.detail.english(), AllOf(HasSubstr("min-replicas-to-write"), HasSubstr("nothing was changed")));
  }
  EXPECT_EQ(redis({"GET", nameOf(0)}).text(), token);
  redis({"CONFIG", "SET", "min-replicas-to-write", "0"});
  EXPECT_FALSE(plan(nameOf(0), token).plan->refusal);
}

// As at whichever node may become the master: what it needs of replicas then, it does not need now.
TEST_F(Replicas, planSaysNothingOfThemAtOneThatTakesWrites) {
  const auto intents = lockMany(1);
  redis({"CONFIG", "SET", "replica-read-only", "no"});
  redis({"CONFIG", "SET", "min-replicas-to-write", "1"});
  redis({"REPLICAOF", "127.0.0.1", "1"});
  enter();
  for (const auto &planned : {plan(nameOf(0), token), planMany(intents).at(0)}) {
    ASSERT_TRUE(planned.plan) << planned.detail.english();
    EXPECT_FALSE(planned.plan->refusal) << planned.plan->refusal->english();
  }
  EXPECT_EQ(run(planNow(nameOf(0), token)).verdict, Verdict::Released);
}

TEST_F(Replicas, planSaysNothingOfThemWhereEnoughAreThere) {
  const auto intents = lockMany(1);
  redis({"CONFIG", "SET", "repl-diskless-sync-delay", "0"});
  const auto replica = Sandbox::start({.tcp = false, .config = {"--replicaof", "127.0.0.1", std::to_string(m_server.tcpUri().port)}});
  ASSERT_TRUE(replica) << replica.error().sentence();
  redis({"CONFIG", "SET", "min-replicas-to-write", "1"});
  ASSERT_TRUE(test::eventually([&] { return redis({"INFO", "replication"}).text()->contains("min_slaves_good_slaves:1"); }));
  enter();
  EXPECT_FALSE(plan(nameOf(0), token).plan->refusal);
  EXPECT_FALSE(planMany(intents).front().plan->refusal);
  redis({"CONFIG", "SET", "min-replicas-to-write", "2"});
  EXPECT_TRUE(plan(nameOf(0), token).plan->refusal);
}

} // namespace
} // namespace lockhouse
