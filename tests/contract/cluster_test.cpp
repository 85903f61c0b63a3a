// SPDX-License-Identifier: Apache-2.0
// On a node of a cluster every key of a script must lie in one slot, and the libraries listen to sharded channels.
#include "tests/contract/world/lock_world.h"
#include "tests/support/socket_fd.h"

using namespace lockhouse;
using namespace lockhouse::test;

class OnACluster : public LockContract {
protected:
  /// Another process may take the port of the bus before the server does: the odds are those of every test with a port.
  std::vector<std::string> serverConfig() override {
    return {"--cluster-enabled", "yes", "--cluster-port", std::to_string(SocketFd::listenOnLoopback().port())};
  }
  void SetUp() override {
    LockContract::SetUp();
    probe()({"CLUSTER", "ADDSLOTSRANGE", "0", "16383"});
    ASSERT_TRUE(eventually([this] { return probe().text({"CLUSTER", "INFO"}).find("cluster_state:ok") != std::string::npos; }));
  }
};
INSTANTIATE_TEST_SUITE_P(Every, OnACluster, testing::Combine(testing::ValuesIn(primitiveNames()), testing::Values(Topology::UnixSocket)), contractName);

TEST_P(OnACluster, aLockIsTakenWaitedForAndHandedOn) { takeWaitAndHandOn("order:{7}:pay"); }

using HeardOnACluster = OnACluster;
INSTANTIATE_TEST_SUITE_P(Every, HeardOnACluster,
                         testing::Combine(testing::ValuesIn(primitiveNames([](const Primitive &primitive) {
                                            const auto word = primitive.word();
                                            return listeningPolicy(primitive) && (word == Primitive::Word::OnLock || word == Primitive::Word::OnOwner);
                                          })),
                                          testing::Values(Topology::UnixSocket)),
                         contractName);

TEST_P(HeardOnACluster, theChannelOfALockIsSharded) {
  const auto policy = listeningPolicy(primitive());
  const auto sharded = [this] { return probe()({"PUBSUB", "SHARDCHANNELS"}).array().size(); };
  auto &holder = party().owner(primitive(), "k", {.policy = policy});
  ASSERT_TRUE(std::holds_alternative<Acquired>(holder.acquire()));
  auto &waiter = party().owner(primitive(), "k", {.policy = policy});
  auto waiting = waiter.start();
  EXPECT_TRUE(eventually([&] { return sharded() == 1; }));
  EXPECT_EQ(probe()({"PUBSUB", "CHANNELS"}).array().size(), 0U);
  EXPECT_EQ(holder.release(), ReleaseOutcome::Released);
  ASSERT_EQ(waiting.wait_for(20s), std::future_status::ready) << "only a message can have woken it";
  EXPECT_TRUE(std::holds_alternative<Acquired>(waiting.get()));
  EXPECT_EQ(waiter.release(), ReleaseOutcome::Released);
}
