// SPDX-License-Identifier: Apache-2.0
// At a node of a cluster Redisson's clients listen on sharded channels.
#include "core/net/connection/subscriber.h"
#include "tests/server/watch/watch_house.h"
#include "tests/support/socket_fd.h"

namespace lockhouse::test {
namespace {

/// Another process may take the port of the bus before the server does: the odds are those of every test with a port.
Sandbox::Options clusterMode() {
  const auto bus = SocketFd::listenOnLoopback().port();
  Sandbox::Options options;
  options.tcp = true;
  options.config = {"--cluster-enabled", "yes", "--cluster-port", std::to_string(bus)};
  return options;
}

class WatchCluster : public WatchHouse {
protected:
  static constexpr std::string_view lockChannel = "redisson_lock__channel:{w:ssub}", semaphoreChannel = "redisson_sc:{sem:s}",
                                    latchChannel = "redisson_countdownlatch__channel__{gate}";
  /// One client of the cluster, until this goes.
  class ShardListener {
  public:
    ShardListener(const Uri &uri, std::initializer_list<std::string_view> channels) {
      m_loop.call([&] {
        m_subscriber = std::make_unique<Subscriber>(m_loop, uri, ConnectionOptions{});
        for (const auto channel : channels)
          m_subscriber->ssubscribe(Channel(channel));
        m_subscriber->open();
      });
    }
    ~ShardListener() {
      m_loop.call([this] { m_subscriber.reset(); });
    }

  private:
    Loop m_loop;
    std::unique_ptr<Subscriber> m_subscriber;
  };

  WatchCluster() : WatchHouse(clusterMode()) {}
  void SetUp() override {
    ASSERT_TRUE(redis({"CLUSTER", "ADDSLOTSRANGE", "0", "16383"}).isOk());
    ASSERT_TRUE(eventually([this] { return redis({"CLUSTER", "INFO"}).text().value_or("").contains("cluster_state:ok"); }));
    redis({"HSET", "w:ssub", std::string(uuid1) + ":42", "1"});
    redis({"HSET", "w:other", owner1, "1"}); // in another slot
    redis({"SET", "sem:s", "2"});
    redis({"SET", "gate", "3"});
  }
  bool areHeard(std::size_t channels) {
    return eventually([&] { return redis({"PUBSUB", "SHARDCHANNELS"}).array().size() == channels; });
  }
  std::optional<std::uint64_t> waiters(const Watched &watched, std::string_view key) {
    const auto lock = watched.lock(key);
    return lock ? lock->waiters : std::nullopt;
  }
  /// How often a subcommand was asked for, refused or not.
  std::string asked(std::string_view subcommand) {
    const auto stats = redis({"INFO", "commandstats"});
    const auto text = stats.text().value_or("");
    const auto from = text.find("cmdstat_pubsub|" + std::string(subcommand));
    if (from == text.npos)
      return {};
    const auto line = text.substr(from, text.find('\r', from) - from);
    return std::string(line.substr(line.find("rejected_calls")));
  }
};

TEST_F(WatchCluster, whoListensOnAShardedChannelWaits) {
  const ShardListener one(uri(), {lockChannel, semaphoreChannel}), two(uri(), {lockChannel, latchChannel});
  ASSERT_TRUE(areHeard(3));
  Watched watched({uri()}, onceOnly());
  ASSERT_TRUE(watched.becomesLive());
  ASSERT_TRUE(watched.lock("w:ssub"));
  EXPECT_EQ(waiters(watched, "w:ssub"), 2U);
  EXPECT_EQ(waiters(watched, "w:other"), std::nullopt);
  ASSERT_TRUE(watched.lock("sem:s")) << "found by its listener";
  EXPECT_EQ(watched.lock("sem:s")->family, "redisson-semaphore");
  EXPECT_EQ(waiters(watched, "sem:s"), 1U);
  ASSERT_TRUE(watched.lock("gate"));
  EXPECT_EQ(watched.lock("gate")->family, "redisson-latch");
  EXPECT_EQ(waiters(watched, "gate"), 1U);
}

TEST_F(WatchCluster, whoComesAndGoesOnAShardedChannelIsNoticed) {
  Watched watched({uri()});
  ASSERT_TRUE(watched.becomesLive());
  {
    const ShardListener client(uri(), {lockChannel});
    EXPECT_TRUE(eventually([&] { return waiters(watched, "w:ssub") == 1U; }));
  }
  EXPECT_TRUE(eventually([&] { return !waiters(watched, "w:ssub"); }));
  EXPECT_TRUE(watched.isLive());
}

TEST_F(WatchCluster, whereShardedChannelsMayNotBeAskedForPlainOnesAreCounted) {
  redis({"ACL", "SETUSER", "reader", "on", ">pw", "~*", "&*", "+@all", "-pubsub|shardnumsub", "-pubsub|shardchannels"});
  const ShardListener sharded(uri(), {lockChannel, semaphoreChannel});
  ASSERT_TRUE(areHeard(2));
  Loop loop;
  auto plain = std::make_unique<Subscriber>(loop, uri(), ConnectionOptions{});
  loop.call([&] {
    plain->subscribe(Channel(lockChannel));
    plain->open();
  });
  ASSERT_TRUE(eventually([&] { return redis({"PUBSUB", "NUMSUB", lockChannel}).array().at(1).integer() == 1; }));
  Watched watched({uri("reader", "pw")});
  ASSERT_TRUE(watched.becomesLive());
  EXPECT_TRUE(eventually([&] { return waiters(watched, "w:ssub") == 1U; }));
  EXPECT_FALSE(watched.lock("sem:s"));
  const auto counted = asked("shardnumsub");
  EXPECT_NE(counted, "") << "it was asked for";
  for (int i = 0; i < 3; ++i) // beats
    ASSERT_TRUE(watched.catchesUp());
  EXPECT_EQ(asked("shardnumsub"), counted) << "and is not asked for again";
  EXPECT_TRUE(watched.isLive());
  loop.call([&] { plain.reset(); });
}

} // namespace
} // namespace lockhouse::test
