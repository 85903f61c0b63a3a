// SPDX-License-Identifier: Apache-2.0
// Waiters of libraries that a lock only may be of are told or woken all the same.
#include "tests/server/release/families_house.h"

#include <algorithm>
#include <future>
#include <thread>

namespace lockhouse {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;

using MayBeReleased = test::FamiliesHouse;

TEST_F(MayBeReleased, whoIsBlockedOnAListIsWokenWhateverTheHolderCallsHimself) {
  for (const auto *signal : {"lock-signal:stock", "lock.event:stock"})
    for (const std::string holder : {"alice", "web-1:4711", "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01"}) {
      ASSERT_TRUE(redis.send({"SET", "lock:stock", holder, "PX", "60000"})->isOk());
      EXPECT_THAT(read("lock:stock")->mayBe, IsSupersetOf({"python-redis-lock", "walrus"})) << holder;
      test::RawRedis waiter(m_uri);
      std::jthread blocked([&] {
        const auto woken = waiter.send({"BLPOP", signal, "20"});
        EXPECT_TRUE(woken && woken->array().size() == 2) << signal << " " << holder;
      });
      while (redis({"INFO", "clients"}).text()->find("blocked_clients:1") == std::string_view::npos)
        std::this_thread::yield();
      const auto done = apply("lock:stock", holder);
      EXPECT_EQ(done.verdict, Verdict::Released) << done.detail.english();
      blocked.join();
      for (const auto *list : {"lock-signal:stock", "lock.event:stock"})
        EXPECT_NE(redis({"PTTL", list}).integer(), -1) << list << " lapses by itself";
      redis({"DEL", "lock-signal:stock", "lock.event:stock"});
    }
}

TEST_F(MayBeReleased, whoMayNotReachTheListsReleasesItAllTheSame) {
  redis({"SET", "lock:stock", "alice", "PX", "60000"});
  ASSERT_TRUE(redis.send({"ACL", "SETUSER", "keeper", "reset", "on", ">pw", "&*", "~lock:*", "+@all"})->isOk());
  enter("keeper", "pw");
  const auto done = apply("lock:stock", "alice");
  EXPECT_EQ(done.verdict, Verdict::Released) << done.detail.english();
  EXPECT_THAT(done.detail.english(), HasSubstr("; pushes nothing to lock-signal:stock: this user may not"));
  redis({"SET", "lock:stock", "alice", "PX", "60000"});
  const auto planned = plan("lock:stock", "alice");
  ASSERT_TRUE(planned.plan) << planned.detail.english();
  EXPECT_FALSE(planned.plan->refusal) << planned.plan->refusal->english();
  std::promise<std::vector<ReleaseResult>> plans, ends;
  m_keeper->planMany({{id("lock:stock"), "alice", {}, "stuck"}}, {}, {}, [&](std::vector<ReleaseResult> all) { plans.set_value(std::move(all)); });
  m_keeper->applyMany(plans.get_future().get(), "stuck", {}, {}, [&](std::vector<ReleaseResult> all) { ends.set_value(std::move(all)); });
  const auto many = ends.get_future().get();
  EXPECT_EQ(many.front().verdict, Verdict::Released) << many.front().detail.english();
}

TEST_F(MayBeReleased, whoMayReachSomeOfTheListsWakesWhoIsBlockedThere) {
  ASSERT_TRUE(redis.send({"ACL", "SETUSER", "keeper", "reset", "on", ">pw", "&*", "~lock:*", "~lock-signal:*", "+@all"})->isOk());
  enter("keeper", "pw");
  for (const bool isMany : {false, true}) {
    redis({"SET", "lock:stock", "alice", "PX", "60000"});
    redis({"DEL", "lock-signal:stock"});
    std::promise<std::vector<ReleaseResult>> plans, ends;
    if (isMany) {
      m_keeper->planMany({{id("lock:stock"), "alice", {}, "stuck"}}, {}, {}, [&](std::vector<ReleaseResult> all) { plans.set_value(std::move(all)); });
      m_keeper->applyMany(plans.get_future().get(), "stuck", {}, {}, [&](std::vector<ReleaseResult> all) { ends.set_value(std::move(all)); });
    }
    const auto done = isMany ? ends.get_future().get().front() : apply("lock:stock", "alice");
    EXPECT_EQ(done.verdict, Verdict::Released) << done.detail.english();
    EXPECT_EQ(redis({"LLEN", "lock-signal:stock"}).integer(), 1) << done.detail.english();
    if (!isMany) {
      EXPECT_THAT(done.detail.english(), HasSubstr("; pushes nothing to lock.event:stock: this user may not"));
      EXPECT_THAT(done.detail.english(), Not(HasSubstr("lock-signal")));
    }
  }
}

TEST_F(MayBeReleased, whatCannotBePushedIsNotPromised) {
  redis({"SET", "lock:stock", "alice", "PX", "60000"});
  for (const auto *lacks : {"-lpush", "-pexpire"}) {
    ASSERT_TRUE(redis.send({"ACL", "SETUSER", "keeper", "reset", "on", ">pw", "&*", "~*", "+@all", lacks, "(+@all ~lock.event:*)"})->isOk());
    enter("keeper", "pw");
    std::promise<std::vector<ReleaseResult>> answer;
    m_keeper->planMany({{id("lock:stock"), "alice", {}, "stuck"}}, {}, {}, [&](std::vector<ReleaseResult> all) { answer.set_value(std::move(all)); });
    for (const auto &planned : {plan("lock:stock", "alice"), answer.get_future().get().front()}) {
      ASSERT_TRUE(planned.plan) << planned.detail.english();
      EXPECT_FALSE(planned.plan->refusal) << planned.plan->refusal->english();
      EXPECT_THAT(englishOf(textsOf(planned.plan->effects)),
                  Contains("pushes nothing to lock-signal:stock: this user may not, and it only may be that somebody is blocked there"))
          << lacks;
      EXPECT_THAT(englishOf(textsOf(planned.plan->effects)), Not(Contains(HasSubstr("leaves one element in lock-signal"))));
      EXPECT_THAT(englishOf(textsOf(planned.plan->effects)), Contains(HasSubstr("leaves one element in lock.event:stock")));
      EXPECT_EQ(planned.plan->keys.size(), 2U);
    }
  }
  EXPECT_EQ(apply("lock:stock", "alice").verdict, Verdict::Released);
  EXPECT_EQ(redis({"EXISTS", "lock-signal:stock"}).integer(), 0) << "what would not lapse is not pushed";
}

TEST_F(MayBeReleased, whatSomebodyElseKeepsUnderTheNameOfAListStays) {
  for (const auto &data : {std::vector<std::string>{"a", "b", "c"}, {"a"}}) {
    redis({"SET", "lock:stock", "alice", "PX", "60000"});
    const auto planned = planNow("lock:stock", "alice"); // one element alone may be the library's
    ASSERT_EQ(planned.keys.size(), 3U);
    for (const auto &element : data)
      redis({"RPUSH", "lock.event:stock", element});
    EXPECT_EQ(run(planned).verdict, Verdict::Released);
    const auto lies = redis({"LRANGE", "lock.event:stock", "0", "-1"});
    std::vector<std::string> left;
    for (const auto &element : lies.array())
      left.emplace_back(element.text().value_or(""));
    EXPECT_EQ(left, data);
    EXPECT_EQ(redis({"PTTL", "lock.event:stock"}).integer(), -1);
    EXPECT_EQ(redis({"LLEN", "lock-signal:stock"}).integer(), 1);
    redis({"FLUSHALL"});
  }
}

TEST_F(MayBeReleased, whoListensForASpringRegistryIsToldWhereItsPathsEndAsAiocachesNames) {
  const std::string instance = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01";
  redis({"SET", "orders:7-lock", instance, "PX", "60000"});
  test::Listener waiter(m_uri, "orders-channel:orders:7-lock");
  EXPECT_EQ(apply("orders:7-lock", instance).verdict, Verdict::Released);
  EXPECT_THAT(waiter.heard(), testing::ElementsAre("orders:7-lock"));
}

// The keys beside a lock may be of several families: each is told of once.
TEST_F(MayBeReleased, whatAUserMayNotReadIsSaidOnce) {
  redis({"SET", "lock:stock", "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:7", "PX", "60000"});
  redis({"ZADD", "lockhouse:queue:{lock:stock}", "1", "0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02:9"});
  ASSERT_TRUE(redis.send({"ACL", "SETUSER", "keeper", "reset", "on", ">pw", "&*", "~lock:*", "+@all"})->isOk());
  enter("keeper", "pw");
  const auto lock = read("lock:stock");
  ASSERT_TRUE(lock);
  auto facts = englishOf(lock->evidence);
  std::ranges::sort(facts);
  EXPECT_EQ(std::ranges::adjacent_find(facts), facts.end()) << testing::PrintToString(englishOf(lock->evidence));
}

} // namespace
} // namespace lockhouse
