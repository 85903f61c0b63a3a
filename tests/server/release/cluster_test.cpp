// SPDX-License-Identifier: Apache-2.0
// On a server in cluster mode Redisson listens on sharded channels, and the keys of one script must lie in one slot.
#include "tests/server/release/operator_house.h"

#include "tests/support/eventually.h"

namespace lockhouse {
namespace {

using test::Listener;
using test::other;
using test::owner;
using test::ShardListener;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Another process may take the port of the bus before the server does: the odds are those of every test with a port.
Sandbox::Options clusterMode() {
  const auto bus = test::SocketFd::listenOnLoopback().port();
  Sandbox::Options options;
  options.tcp = true;
  options.config = {"--cluster-enabled", "yes", "--cluster-port", std::to_string(bus)};
  return options;
}

class OnACluster : public test::OperatorHouse {
protected:
  OnACluster() : OperatorHouse(clusterMode()) {}
  void SetUp() override {
    ASSERT_TRUE(redis({"CLUSTER", "ADDSLOTSRANGE", "0", "16383"}).isOk());
    ASSERT_TRUE(test::eventually([this] { return redis({"CLUSTER", "INFO"}).text().value_or("").contains("cluster_state:ok"); }));
  }
};

TEST_F(OnACluster, aReentrantLocksWaitersAreToldOnBothKindsOfChannel) {
  redis({"HSET", "stock", owner, "1"});
  ShardListener sharded(m_uri, "redisson_lock__channel:{stock}");
  Listener plain(m_uri, "redisson_lock__channel:{stock}");
  const auto planned = plan("stock", owner);
  ASSERT_TRUE(planned.plan);
  EXPECT_THAT(englishOf(textsOf(planned.plan->effects)), Contains(HasSubstr("SPUBLISH")));
  const auto result = apply("stock", owner);
  EXPECT_EQ(result.verdict, Verdict::Released);
  EXPECT_THAT(result.detail.english(), HasSubstr("2 clients were told"));
  EXPECT_THAT(sharded.heard(), ElementsAre("0"));
  EXPECT_THAT(plain.heard(), ElementsAre("0"));
}

TEST_F(OnACluster, whoMayNotTellThemOnTheShardedOneIsToldSoBefore) {
  redis({"HSET", "stock", owner, "1"});
  redis({"ACL", "SETUSER", "keeper", "reset", "on", ">pw", "~*", "&*", "+@all", "-spublish"});
  enter("keeper", "pw");
  const auto planned = plan("stock", owner);
  ASSERT_TRUE(planned.plan);
  EXPECT_FALSE(planned.plan->refusal);
  EXPECT_THAT(englishOf(planned.plan->warnings).front(), HasSubstr("may not SPUBLISH"));
  redis({"ACL", "SETUSER", "keeper", "+spublish"});
  EXPECT_THAT(englishOf(plan("stock", owner).plan->warnings), testing::Not(Contains(HasSubstr("SPUBLISH"))));
}

TEST_F(OnACluster, theHeadOfAFairLockIsWokenOnItsShardedChannel) {
  fairLock("f", {other});
  ShardListener head(m_uri, std::string("redisson_lock__channel:{f}:") + other);
  const auto result = apply("f", owner);
  EXPECT_EQ(result.verdict, Verdict::Released);
  EXPECT_THAT(result.detail.english(), HasSubstr(std::string(other) + " was woken"));
  EXPECT_THAT(head.heard(), ElementsAre("0"));
}

TEST_F(OnACluster, aFairLockWhoseHeadListensToNeitherKindSaysSo) {
  fairLock("f", {other});
  ShardListener somebody(m_uri, "redisson_lock__channel:{f}");
  EXPECT_THAT(apply("f", owner).detail.english(), HasSubstr("was not listening"));
  EXPECT_THAT(somebody.heard(), IsEmpty());
}

TEST_F(OnACluster, readersAndWritersAreToldOnTheirShardedChannel) {
  const std::string writer = std::string(owner) + ":write";
  redis({"HSET", "rw", "mode", "write", writer, "1", owner, "1"});
  ShardListener waiter(m_uri, "redisson_rwlock:{rw}");
  EXPECT_EQ(apply("rw", writer).verdict, Verdict::Released);
  EXPECT_THAT(waiter.heard(), ElementsAre("1", "0")) << "readers may enter";
  EXPECT_EQ(apply("rw", owner).verdict, Verdict::Released);
  EXPECT_THAT(waiter.heard(), ElementsAre("1", "0")) << "so may a writer";
  readLock("rw", {owner, other});
  EXPECT_EQ(apply("rw", owner).verdict, Verdict::Released);
  EXPECT_THAT(waiter.heard(), IsEmpty()) << "nobody can enter yet";
}

// Its channel lies in a slot that this node does not have, where it takes no SPUBLISH.
TEST_F(OnACluster, aRegistrysChannelInAnotherSlotIsNoQuestionOfRights) {
  const std::string instance = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01";
  redis({"SET", "locks:order-7", instance, "PX", "60000"});
  auto planned = planNow("locks:order-7", instance);
  ASSERT_EQ(planned.script->name, "release-told");
  planned.args[3] = "must"; // as where nothing else reads its name in another way
  redis({"CONFIG", "SET", "cluster-require-full-coverage", "no"});
  ASSERT_TRUE(redis({"CLUSTER", "DELSLOTS", std::to_string(redis({"CLUSTER", "KEYSLOT", "locks-channel"}).integer().value_or(0))}).isOk());
  const auto result = run(planned);
  EXPECT_EQ(result.verdict, Verdict::Released) << result.detail.english();
  EXPECT_EQ(result.detail.english(), "released; no client was told, and those of a cluster could not be told by SPUBLISH at this node");
  EXPECT_EQ(redis({"EXISTS", "locks:order-7"}).integer(), 0);
}

TEST_F(OnACluster, keysThatLieInSeveralSlotsAreRefusedByThatName) {
  for (const std::string key : {"a}b{", "a}b", "{}x"}) {
    redis({"HSET", key, owner, "1"});
    const auto planned = plan(key, owner);
    ASSERT_TRUE(planned.plan) << key << ": " << planned.detail.english();
    EXPECT_THAT(planned.plan->refusal.value_or(Message()).english(), HasSubstr("slots")) << key;
    EXPECT_EQ(planned.plan->warnings.front(), planned.plan->refusal) << key;
    const auto result = apply(key, owner);
    EXPECT_EQ(result.verdict, Verdict::Unreleasable) << key;
    EXPECT_THAT(result.detail.english(), testing::AllOf(HasSubstr("refused on this cluster"), HasSubstr("nothing was changed"))) << key;
    EXPECT_EQ(redis({"EXISTS", key}).integer(), 1) << key;
  }
}

} // namespace
} // namespace lockhouse
