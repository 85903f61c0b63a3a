// SPDX-License-Identifier: Apache-2.0
// Waiters that stand in no queue: blocked clients, and subscribers of a channel that a user's family names.
#include "core/net/connection/subscriber.h"
#include "core/watch/node/remote_subscribers.h"
#include "tests/server/watch/watch_house.h"

namespace lockhouse::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class WatchWaiters : public WatchHouse {
protected:
  static constexpr std::string_view token = "q83vEjRWeJCrze8SNFZ4kKvN";
  /// A client that BLPOP keeps waiting until this goes.
  class Blocked {
  public:
    Blocked(const Uri &uri, std::string key) {
      m_loop.call([&] {
        m_connection = std::make_unique<Connection>(m_loop, uri, ConnectionOptions{});
        m_connection->onState([this, key = std::move(key)](Connection::State state, const Error *) {
          if (state == Connection::State::Ready)
            m_connection->send({"BLPOP", key, "0"}, milliseconds::max(), [](const Result<Reply> &) {});
        });
        m_connection->open();
      });
    }
    ~Blocked() {
      m_loop.call([this] { m_connection.reset(); });
    }

  private:
    Loop m_loop;
    std::unique_ptr<Connection> m_connection;
  };
  std::optional<std::uint64_t> waiters(const Watched &watched, std::string_view key) {
    const auto lock = watched.lock(key);
    EXPECT_TRUE(lock) << key;
    return lock ? lock->waiters : std::nullopt;
  }
};

TEST_F(WatchWaiters, areNoneWhereNobodyIsBlockedAndUnknownWhereSomebodyIs) {
  redis({"SET", "lock:books", token, "PX", "600000"});
  redis({"SET", "lock:hex", hex32, "PX", "600000"}); // of a family whose waiters ask again and again
  Watched watched({uri()});
  ASSERT_TRUE(watched.becomesLive());
  EXPECT_EQ(watched.lock("lock:books")->family, "python-redis-lock");
  EXPECT_EQ(waiters(watched, "lock:books"), 0U);
  EXPECT_EQ(waiters(watched, "lock:hex"), std::nullopt);
  {
    const Blocked client(uri(), "lock-signal:books");
    EXPECT_TRUE(eventually([&] { return !waiters(watched, "lock:books"); }));
    EXPECT_THAT(englishOf(watched.lock("lock:books")->evidence), Contains(HasSubstr("blocking command keeps waiting, for whichever key: 1")));
  }
  EXPECT_TRUE(eventually([&] { return waiters(watched, "lock:books") == 0U; }));
}

TEST_F(WatchWaiters, ofAnotherDatabaseAreNotMeant) {
  redis({"SET", "lock:books", token, "PX", "600000"});
  auto elsewhere = uri();
  elsewhere.db = 3;
  const Blocked client(elsewhere, "jobs");
  ASSERT_TRUE(eventually([&] { return redis({"INFO", "clients"}).text().value_or("").contains("blocked_clients:1"); }));
  Watched watched({uri()}, onceOnly());
  ASSERT_TRUE(watched.becomesLive());
  EXPECT_EQ(waiters(watched, "lock:books"), 0U);
}

TEST_F(WatchWaiters, areUnknownWithoutTheRightToListClients) {
  redis({"SET", "lock:books", token, "PX", "600000"});
  redis({"ACL", "SETUSER", "reader", "on", ">pw", "~*", "&*", "+@all", "-client|list"});
  const Blocked client(uri(), "jobs");
  ASSERT_TRUE(eventually([&] { return redis({"INFO", "clients"}).text().value_or("").contains("blocked_clients:1"); }));
  Watched watched({uri("reader", "pw")}, onceOnly());
  ASSERT_TRUE(watched.becomesLive());
  EXPECT_EQ(waiters(watched, "lock:books"), std::nullopt);
}

TEST_F(WatchWaiters, ofRedissonsSemaphoresAndLatchesMakeThemKnownBeforeTheNextSweep) {
  WatcherOptions options;
  options.reconcileEvery = std::chrono::minutes(10);
  Watched watched({uri()}, options);
  ASSERT_TRUE(watched.becomesLive());
  Loop loop;
  auto listener = std::make_unique<Subscriber>(loop, uri(), ConnectionOptions{});
  loop.call([&] {
    listener->subscribe(Channel("redisson_countdownlatch__channel__{L1}"));
    listener->subscribe(Channel("redisson_sc:{S1}"));
    listener->open();
  });
  ASSERT_TRUE(eventually([&] { return redis({"PUBSUB", "CHANNELS", "redisson_*"}).array().size() == 2; }));
  redis({"SET", "L1", "2"});
  redis({"SET", "S1", "0"});
  EXPECT_TRUE(eventually([&] { return watched.lock("L1") && watched.lock("S1"); }));
  EXPECT_EQ(waiters(watched, "L1"), 1U);
  EXPECT_EQ(waiters(watched, "S1"), 1U);
  redis({"SET", "L1", "1"});
  EXPECT_TRUE(watched.tells("L1", "appeared, count")) << watched.story("L1");
  loop.call([&] { listener.reset(); });
  EXPECT_TRUE(eventually([&] { return !watched.lock("S1"); })) << "a number to which nobody listens";
  ASSERT_TRUE(watched.catchesUp());
  EXPECT_EQ(watched.status().divergences, 0U);
}

TEST_F(WatchWaiters, whoListenToAChannelOfOnesOwnFamilyAreCounted) {
  const auto families = FamilyRegistry::with("[[family]]\nslug = \"acme-gate\"\nwaits = \"channel\"\nchannel = \"acme:free:{name}\"\n[[family.form]]\n"
                                             "type = \"string\"\nkey = \"acme:gate:{name}\"\nvalue = \"{host:word}/{pid:digits}\"\nconfidence = 0.9\n",
                                             "families.toml");
  ASSERT_TRUE(families) << families.error().sentence();
  redis({"SET", "acme:gate:7", "web-1/4711", "PX", "600000"});
  Loop loop;
  auto listener = std::make_unique<Subscriber>(loop, uri(), ConnectionOptions{});
  loop.call([&] {
    listener->subscribe(Channel("acme:free:7"));
    listener->open();
  });
  ASSERT_TRUE(eventually([&] { return redis({"PUBSUB", "NUMSUB", "acme:free:7"}).array().at(1).integer() == 1; }));
  {
    auto options = onceOnly();
    options.families = *families;
    Watched watched({uri()}, options);
    ASSERT_TRUE(watched.becomesLive());
    EXPECT_EQ(waiters(watched, "acme:gate:7"), 1U) << "in one look";
    EXPECT_THAT(englishOf(watched.lock("acme:gate:7")->evidence), Not(Contains(Message(listenersOfAll).english())));
  }
  {
    auto options = onceOnly();
    options.families = *families;
    redis({"SELECT", "5"});
    redis({"SET", "any", "thing"});
    redis({"SELECT", "0"});
    Watched watched({uri()}, options);
    ASSERT_TRUE(watched.becomesLive());
    EXPECT_THAT(englishOf(watched.lock("acme:gate:7")->evidence), Contains(Message(listenersOfAll).english())) << "a channel tells no database";
  }
  WatcherOptions options;
  options.families = *families;
  Watched watched({uri()}, options);
  ASSERT_TRUE(watched.becomesLive());
  EXPECT_EQ(waiters(watched, "acme:gate:7"), 1U);
  loop.call([&] { listener.reset(); });
  EXPECT_TRUE(eventually([&] { return !waiters(watched, "acme:gate:7"); })) << "nobody listens: it does not mean that nobody waits";
}

} // namespace
} // namespace lockhouse::test
