// SPDX-License-Identifier: Apache-2.0
// Who listens for a lock at a replica of the node that has it.
#include "tests/server/ctl/ctl_house.h"

#include "core/net/connection/subscriber.h"
#include "tests/support/eventually.h"

#include <future>

namespace lockhouse {
namespace {

using test::owner;
using testing::HasSubstr;

/// Somebody who listens, as long as this is there.
class Listener {
public:
  Listener(const Uri &uri, const std::string &channel) {
    std::promise<void> listens;
    m_loop.call([&] {
      m_subscriber = std::make_unique<Subscriber>(m_loop, uri, ConnectionOptions{});
      m_subscriber->subscribe(Channel(channel), [&listens](const Result<void> &) { listens.set_value(); });
      m_subscriber->open();
    });
    listens.get_future().get();
  }
  ~Listener() {
    m_loop.call([this] { m_subscriber.reset(); });
  }

private:
  Loop m_loop;
  std::unique_ptr<Subscriber> m_subscriber;
};

class ReplicaList : public test::CtlHouse {
protected:
  void SetUp() override {
    CtlHouse::SetUp();
    redis({"HSET", "stock", owner, "1"});
    redis({"PEXPIRE", "stock", "600000"});
    redis({"SET", "sem", "1"});
    ASSERT_TRUE(test::eventually([&] { return bare({"--url", copy(), "show", "stock"}).out.contains(owner); }));
  }
  std::string copy() const { return "redis://" + m_replica.tcpUri().address(); }
  nlohmann::json rows(std::vector<std::string> words) {
    words.insert(words.begin(), {"--url", copy()});
    return json(words)["locks"];
  }
  Sandbox m_replica = test::startServer({"--replicaof", "127.0.0.1", std::to_string(m_server.tcpUri().port)});
};

TEST_F(ReplicaList, countsWhoListensThereWithTheMastersLock) {
  const auto *const channel = "redisson_lock__channel:{stock}";
  const Listener there(m_replica.tcpUri(), channel);
  for (const auto &words : {std::vector<std::string>{"list"}, {"show", "stock"}}) {
    const auto locks = rows(words);
    ASSERT_EQ(locks.size(), 1U);
    EXPECT_EQ(locks[0]["node"], address());
    EXPECT_EQ(locks[0]["waiters"], 1);
    EXPECT_EQ(locks[0]["state"], "contended");
  }
  const Listener here(m_server.tcpUri(), channel);
  EXPECT_EQ(rows({"list"})[0]["waiters"], 2);
  const auto plan = ctl({"--url", copy(), "release", "--filter", "stock", "--reason", "x", "--plan", "--json"});
  EXPECT_THAT(plan.out, HasSubstr("2 wait for this lock"));
}

TEST_F(ReplicaList, givesTheMasterASemaphoreThatIsListenedToThereAlone) {
  const Listener there(m_replica.tcpUri(), "redisson_sc:{sem}");
  for (const auto &words : {std::vector<std::string>{"list", "--filter", "sem"}, {"show", "sem"}}) {
    const auto locks = rows(words);
    ASSERT_EQ(locks.size(), 1U);
    EXPECT_EQ(locks[0]["node"], address());
    EXPECT_EQ(locks[0]["waiters"], 1);
  }
  EXPECT_THAT(ctl({"--url", copy(), "release", "sem", "--reason", "x", "--plan"}).err, HasSubstr("release() in any of its clients"));
}

} // namespace
} // namespace lockhouse
