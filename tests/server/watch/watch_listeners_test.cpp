// SPDX-License-Identifier: Apache-2.0
// A plain subscriber may listen at any node of a cluster, wherever the lock is: what is published goes to all of them.
#include "core/net/connection/subscriber.h"
#include "tests/server/watch/watch_house.h"
#include "tests/support/cluster.h"

#include <fmt/format.h>

namespace lockhouse::test {
namespace {

using testing::Contains;
using testing::Not;

using Number = std::optional<std::uint64_t>;

constexpr std::string_view lowerBound = "clients that listen for its release at masters of the cluster that are not watched or not reached are not counted";

/// One client of one node, until this goes.
class PlainListener {
public:
  PlainListener(const Uri &uri, std::string_view channel) {
    m_loop.call([&] {
      m_subscriber = std::make_unique<Subscriber>(m_loop, uri, ConnectionOptions{});
      m_subscriber->subscribe(Channel(channel), [this](const Result<void> &) { m_isHeard.set_value(); });
      m_subscriber->open();
    });
    m_isHeard.get_future().wait();
  }
  ~PlainListener() {
    m_loop.call([this] { m_subscriber.reset(); });
  }

private:
  std::promise<void> m_isHeard;
  Loop m_loop;
  std::unique_ptr<Subscriber> m_subscriber;
};

struct WatchListeners : testing::Test {
  void SetUp() override {
    ASSERT_TRUE(cluster.isUp());
    cluster({"HSET", lock, owner1, "1"});
    cluster({"PEXPIRE", lock, "300000"});
  }
  std::vector<Uri> all() const { return {cluster.uri(0), cluster.uri(1), cluster.uri(2)}; }
  static Number waiters(const Watched &watched, std::string_view key) {
    const auto row = watched.lock(key);
    return row ? row->waiters : std::nullopt;
  }
  static bool areAllLive(const Watched &watched, std::size_t nodes) {
    return eventually([&] {
      for (std::size_t node = 0; node < nodes; ++node)
        if (!watched.isLive(node))
          return false;
      return true;
    });
  }

  Cluster cluster;
  const std::string lock = "orders", channel = "redisson_lock__channel:{orders}";
  const std::size_t home = cluster.ownerOf(lock), other = (home + 1) % 3, third = (home + 2) % 3;
};

TEST_F(WatchListeners, atOtherMastersOfTheClusterWaitToo) {
  const PlainListener one(cluster.uri(home), channel), two(cluster.uri(other), channel), three(cluster.uri(other), channel), four(cluster.uri(third), channel);
  Watched watched(all(), onceOnly());
  ASSERT_TRUE(areAllLive(watched, 3));
  ASSERT_TRUE(watched.lock(lock));
  EXPECT_EQ(waiters(watched, lock), Number(4));
  EXPECT_THAT(englishOf(watched.lock(lock)->evidence), Contains("clients that listen for its release at other nodes of the cluster: 3"));
  EXPECT_THAT(englishOf(watched.lock(lock)->evidence), Not(Contains(lowerBound)));
}

TEST_F(WatchListeners, atReplicasAreCountedOnceWhoseverTheyAre) {
  const auto own = cluster.addReplica(home), others = cluster.addReplica(other);
  const PlainListener one(cluster.uri(own), channel), two(cluster.uri(others), channel), three(cluster.uri(others), channel), four(cluster.uri(third), channel);
  auto nodes = all();
  nodes.push_back(cluster.uri(own));
  nodes.push_back(cluster.uri(others));
  Watched watched(nodes, onceOnly());
  ASSERT_TRUE(areAllLive(watched, 5));
  ASSERT_TRUE(eventually([&] { return watched.status(own).role == "replica"; }));
  ASSERT_TRUE(watched.lock(lock));
  EXPECT_EQ(waiters(watched, lock), Number(4));
}

TEST_F(WatchListeners, whoComeAndGoAtAnotherMasterAreNoticed) {
  Watched watched(all());
  ASSERT_TRUE(areAllLive(watched, 3));
  EXPECT_EQ(waiters(watched, lock), std::nullopt);
  {
    const PlainListener client(cluster.uri(other), channel);
    EXPECT_TRUE(eventually([&] { return waiters(watched, lock) == Number(1); }));
    EXPECT_TRUE(watched.tells(lock, "appeared, waiters"));
  }
  EXPECT_TRUE(eventually([&] { return !waiters(watched, lock); }));
  EXPECT_TRUE(watched.tells(lock, "appeared, waiters, waiters"));
  EXPECT_EQ(watched.status(home).divergences, 0U);
}

TEST_F(WatchListeners, areALowerBoundWhereNotAllMastersAreWatched) {
  const PlainListener one(cluster.uri(other), channel), two(cluster.uri(third), channel);
  Watched watched({cluster.uri(home), cluster.uri(other)}, onceOnly());
  ASSERT_TRUE(areAllLive(watched, 2));
  ASSERT_TRUE(watched.lock(lock));
  EXPECT_EQ(waiters(watched, lock), Number(1));
  EXPECT_THAT(englishOf(watched.lock(lock)->evidence), Contains(lowerBound));
}

TEST_F(WatchListeners, ofManyLocksAreAskedForByTheHundred) {
  for (int i = 0; i < 1500; ++i)
    cluster({"HSET", fmt::format("lock:{}", i), owner1, "1"});
  const auto calls = [this](std::size_t node) {
    const auto stats = cluster.at(node, {"INFO", "commandstats"});
    const auto text = std::string(stats.text().value_or(""));
    const auto from = text.find("cmdstat_pubsub|numsub:calls=");
    return from == text.npos ? 0 : std::stoul(text.substr(from + 28));
  };
  Watched watched(all(), onceOnly());
  ASSERT_TRUE(areAllLive(watched, 3));
  std::size_t all = 0;
  for (std::size_t node = 0; node < 3; ++node)
    all += calls(node);
  EXPECT_GE(all, 1501U) << "one with each lock";
  EXPECT_LE(all, 1501U + 12U) << "and of each node's some five hundred two at the others";
}

} // namespace
} // namespace lockhouse::test
