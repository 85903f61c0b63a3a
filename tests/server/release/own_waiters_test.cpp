// SPDX-License-Identifier: Apache-2.0
// Locks of Lockhouse's own, with real clients that wait for them: a release from outside lets the next one in at once, and the plan has
// named it.
#include "core/base/lockhouse_names.h"
#include "tests/server/release/operator_house.h"
#include "tests/server/release/own_client.h"
#include "tests/support/eventually.h"

#include <future>

namespace lockhouse {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::OwnClient;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr auto deferred = 3s; // of a third of a lease, after which a waiter asks unasked, a third again
using Waiting = std::future<std::unique_ptr<test::OwnHold>>;

class OwnWaiters : public test::OperatorHouse {
protected:
  std::unique_ptr<OwnClient> client() { return std::make_unique<OwnClient>(m_uri); }
  /// A waiter that stands in the queue behind `before` others, and listens: it has its place before its client's subscription is there.
  Waiting wait(const OwnClient &client, std::string_view primitive, std::size_t before = 0, LockMode mode = {}) {
    auto waiting = std::async(std::launch::async, [&client, primitive, mode] { return client.acquire(primitive, "desk", mode); });
    EXPECT_TRUE(eventually([&] {
      const auto row = read("desk");
      if (!row || row->queue.size() != before + 1)
        return false;
      const auto inbox = own::inboxOf(row->queue.back().id);
      const auto heard = redis({"PUBSUB", "NUMSUB", inbox});
      return heard.array().size() == 2 && heard.array()[1].integer() == 1;
    })) << primitive;
    return waiting;
  }
  /// As two processes leave it that were killed, one of which held the lock and the other waited: nobody asks any more.
  void leaveHeldAndWaitedFor(std::string_view primitive) {
    std::vector<std::pair<std::string, std::string>> left;
    {
      const auto one = client(), two = client();
      auto held = one->acquire(primitive, "desk");
      ASSERT_TRUE(held) << primitive;
      auto waiting = wait(*two, primitive);
      const auto keys = redis({"KEYS", "*"});
      for (const auto &key : keys.array())
        left.emplace_back(key.text().value_or(""), redis({"DUMP", key.text().value_or("")}).text().value_or(""));
      EXPECT_TRUE(held->release()) << primitive;
      ASSERT_TRUE(isIn(waiting)) << primitive;
      waiting.get();
    }
    redis({"FLUSHALL"});
    for (const auto &[key, dump] : left)
      redis({"RESTORE", key, "60000", dump});
  }
  static bool isIn(Waiting &waiting) { return waiting.wait_for(deferred) == std::future_status::ready; }
  std::string firstHolder() { return read("desk")->holders.front().id; }
};

struct Own {
  const char *primitive, *family;
};
const Own all[]{{"HandoffLock", "lockhouse-handoff"},
                {"ListFairLock", "lockhouse-list-fair"},
                {"ZsetFairLock", "lockhouse-zset-fair"},
                {"FairReadWriteLock", "lockhouse-rw"},
                {"LeasedSemaphore", "lockhouse-semaphore"}};

TEST_F(OwnWaiters, theNextOneIsNamedAndInAtOnce) {
  for (const auto &[primitive, family] : all) {
    redis({"FLUSHALL"});
    const auto one = client(), two = client();
    auto held = one->acquire(primitive, "desk");
    ASSERT_TRUE(held) << primitive;
    auto waiting = wait(*two, primitive);
    const auto row = read("desk");
    ASSERT_TRUE(row);
    EXPECT_EQ(row->family, family);
    EXPECT_EQ(row->waiters, 1U) << primitive;
    EXPECT_TRUE(row->foreign.empty()) << primitive << ": " << row->foreign.front();
    const auto holder = row->holders.front().id;
    const auto planned = plan("desk", holder);
    ASSERT_TRUE(planned.plan) << primitive << ": " << planned.detail.english();
    EXPECT_THAT(planned.plan->wakes, ElementsAre(row->queue.front().id)) << primitive;
    EXPECT_EQ(planned.plan->next, row->queue.front().id) << primitive;
    EXPECT_THAT(englishOf(textsOf(planned.plan->effects)), Contains(HasSubstr("publishes"))) << primitive;
    EXPECT_FALSE(planned.plan->isNextUnheard) << primitive;
    EXPECT_THAT(englishOf(planned.plan->warnings), Not(Contains(HasSubstr("was seen to listen")))) << primitive;

    const auto done = apply("desk", holder);
    EXPECT_EQ(done.verdict, Verdict::Released) << primitive << ": " << done.detail.english();
    EXPECT_THAT(done.detail.english(), HasSubstr("was woken")) << primitive;
    ASSERT_TRUE(isIn(waiting)) << primitive;
    const auto next = waiting.get();
    ASSERT_TRUE(next) << primitive;
    EXPECT_TRUE(!held->fence() || next->fence()->value > held->fence()->value);
    EXPECT_NE(firstHolder(), holder) << primitive;
    EXPECT_FALSE(held->release()) << primitive;
    EXPECT_TRUE(next->isHeld()) << primitive << ": the evicted holder's release takes it from nobody";
    EXPECT_EQ(apply("desk", holder).verdict, Verdict::Changed) << primitive;
  }
}

// As a process leaves them that was killed: their places last until they lapse.
TEST_F(OwnWaiters, whoAreGoneAreToldOfBeforehand) {
  for (const auto &[primitive, family] : all) {
    redis({"FLUSHALL"});
    ASSERT_NO_FATAL_FAILURE(leaveHeldAndWaitedFor(primitive));
    const auto row = read("desk");
    ASSERT_TRUE(row && row->isHeld() && row->queue.size() == 1) << primitive;
    const auto planned = plan("desk", row->holders.front().id);
    ASSERT_TRUE(planned.plan) << primitive << ": " << planned.detail.english();
    EXPECT_EQ(planned.plan->next, row->queue.front().id) << primitive;
    EXPECT_TRUE(planned.plan->isNextUnheard) << primitive;
    EXPECT_THAT(englishOf(planned.plan->warnings), Contains(HasSubstr("nobody was seen to listen on the inbox of"))) << primitive;
    EXPECT_THAT(apply("desk", row->holders.front().id).detail.english(), HasSubstr("was not listening")) << primitive;
  }
}

// As the lease of a process ends that was killed: until a waiter asks unasked, nobody holds it.
TEST_F(OwnWaiters, ofALockThatIsFreeAreShownWithIt) {
  for (const auto &[primitive, family] : all) {
    redis({"FLUSHALL"});
    ASSERT_NO_FATAL_FAILURE(leaveHeldAndWaitedFor(primitive));
    const auto holder = firstHolder();
    const std::string lock(redis({"DUMP", "desk"}).text().value_or(""));
    redis({"DEL", "desk"});
    const auto row = read("desk");
    ASSERT_TRUE(row) << primitive;
    EXPECT_EQ(row->family, family);
    EXPECT_FALSE(row->isHeld()) << primitive;
    EXPECT_EQ(row->waiters, 1U) << primitive;
    EXPECT_EQ(apply("desk", holder).verdict, Verdict::AlreadyFree) << primitive;
    redis({"RESTORE", "desk", "30000", lock});
    EXPECT_EQ(apply("desk", holder).verdict, Verdict::Released) << primitive;
  }
}

TEST_F(OwnWaiters, ofABlockingLockAreWokenByAPush) {
  const auto one = client(), two = client();
  auto held = one->acquire("BlockingLock", "desk");
  ASSERT_TRUE(held);
  const auto row = read("desk");
  ASSERT_TRUE(row);
  EXPECT_EQ(row->family, "lockhouse-blocking");
  EXPECT_GE(row->confidence, shownConfidence);
  const auto alone = apply("desk", firstHolder());
  EXPECT_EQ(alone.verdict, Verdict::Released) << alone.detail.english();
  EXPECT_EQ(redis({"LLEN", "lockhouse:signal:{desk}"}).integer(), 1) << "where the next waiter looks";
  EXPECT_FALSE(held->release());

  held = one->acquire("BlockingLock", "desk");
  ASSERT_TRUE(held);
  auto waiting = std::async(std::launch::async, [&two] { return two->acquire("BlockingLock", "desk"); });
  ASSERT_TRUE(eventually([&] { return redis({"INFO", "clients"}).text()->contains("blocked_clients:1"); }));
  EXPECT_EQ(apply("desk", firstHolder()).verdict, Verdict::Released);
  ASSERT_TRUE(isIn(waiting));
  EXPECT_TRUE(waiting.get());
  EXPECT_FALSE(held->release());
}

TEST_F(OwnWaiters, aWaiterOfTheSameClientIsToldToo) {
  for (const auto &[primitive, family] : all) {
    redis({"FLUSHALL"});
    const auto one = client();
    auto held = one->acquire(primitive, "desk");
    ASSERT_TRUE(held) << primitive;
    auto waiting = wait(*one, primitive);
    EXPECT_EQ(apply("desk", firstHolder()).verdict, Verdict::Released) << primitive;
    ASSERT_TRUE(isIn(waiting)) << primitive;
    EXPECT_TRUE(waiting.get()) << primitive;
  }
}

TEST_F(OwnWaiters, whoseProcessEndedAreDropped) {
  const std::string holder = test::owner, gone = test::third, living = test::other, client = living.substr(0, 36);
  struct Queued {
    std::string holder, kind;
    Command lock;
    std::string_view push, queue;
  };
  const auto later = std::to_string(serverNow() + 60'000), early = std::to_string(serverNow() - 1);
  const std::array queued{Queued{holder + ":1795300000000007", "", {"SET", "desk", holder + ":1795300000000007"}, "ZADD", "lockhouse:queue:{desk}"},
                          Queued{holder, "", {"SET", "desk", holder}, "RPUSH", "lockhouse:line:{desk}"},
                          Queued{holder, "", {"SET", "desk", holder}, "ZADD", "lockhouse:line:{desk}"},
                          Queued{"w/" + holder, "r/", {"ZADD", "desk", later, "w/" + holder}, "ZADD", "lockhouse:queue:{desk}"},
                          Queued{holder, "1/", {"ZADD", "desk", later, holder + "/1"}, "ZADD", "lockhouse:queue:{desk}"}};
  test::Listener inbox(m_uri, "lockhouse:inbox:" + client);
  for (std::size_t i = 0; i < queued.size(); ++i) {
    const auto &[id, kind, lock, push, queue] = queued[i];
    redis({"FLUSHALL"});
    ASSERT_TRUE(redis.send(lock));
    for (const auto &[place, waiter] : {std::pair("1", kind + gone), {"2", kind + living}})
      push == "ZADD" ? redis({push, queue, place, waiter}) : redis({push, queue, waiter});
    redis({"HSET", "lockhouse:deadlines:{desk}", gone.substr(0, 36), early, client, later});
    const auto planned = plan("desk", id);
    ASSERT_TRUE(planned.plan) << all[i].primitive << ": " << planned.detail.english();
    EXPECT_EQ(planned.plan->next, kind + living) << all[i].primitive;
    EXPECT_THAT(englishOf(textsOf(planned.plan->effects)), Contains("drops 1 lapsed place at the head of the queue")) << all[i].primitive;
    EXPECT_THAT(apply("desk", id).detail.english(), HasSubstr(living + " was woken")) << all[i].primitive;
    ASSERT_EQ(inbox.heard().size(), i + 1) << all[i].primitive;
    EXPECT_THAT(inbox.heard().back(), testing::MatchesRegex(std::string(all[i].primitive) + " 5 [0-9]+ desk"));
  }
}

TEST_F(OwnWaiters, readersComeInTogetherAndAWriterStays) {
  const auto one = client(), two = client(), three = client();
  auto written = one->acquire("FairReadWriteLock", "desk");
  ASSERT_TRUE(written);
  auto first = wait(*two, "FairReadWriteLock", 0, {.shared = true}), second = wait(*three, "FairReadWriteLock", 1, {.shared = true});
  auto writer = wait(*two, "FairReadWriteLock", 2);
  const auto row = read("desk");
  const auto planned = plan("desk", firstHolder());
  ASSERT_TRUE(planned.plan);
  EXPECT_THAT(planned.plan->wakes, ElementsAre(row->queue[0].id, row->queue[1].id));
  EXPECT_EQ(apply("desk", firstHolder()).verdict, Verdict::Released);
  ASSERT_TRUE(isIn(first));
  ASSERT_TRUE(isIn(second));
  const auto reading = first.get(), besides = second.get();
  EXPECT_TRUE(reading && besides);
  EXPECT_EQ(writer.wait_for(0s), std::future_status::timeout);

  const auto kept = plan("desk", firstHolder());
  ASSERT_TRUE(kept.plan);
  EXPECT_TRUE(kept.plan->wakes.empty());
  EXPECT_THAT(englishOf(textsOf(kept.plan->effects)), Contains(HasSubstr("lets nobody in yet")));
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(apply("desk", firstHolder()).verdict, Verdict::Released);
  ASSERT_TRUE(isIn(writer));
  EXPECT_TRUE(writer.get());
}

TEST_F(OwnWaiters, aHoldOfSeveralPermitsIsOneAndGoesAsOne) {
  const auto one = client(), two = client(), three = client();
  constexpr LockMode single{.permits = 1, .capacity = 3};
  auto held = one->acquire("LeasedSemaphore", "desk", {.permits = 2, .capacity = 3});
  auto other = two->acquire("LeasedSemaphore", "desk", single);
  ASSERT_TRUE(held && other);
  const std::string holder(held->token());
  const auto row = read("desk");
  EXPECT_THAT(row->holders, testing::UnorderedElementsAre(Holder{holder, 2}, Holder{std::string(other->token()), 1}));
  EXPECT_THAT(row->extras, Contains(MetadataEntry{"free", "0"}));
  auto first = wait(*two, "LeasedSemaphore", 0, single), second = wait(*three, "LeasedSemaphore", 1, single);
  auto third = wait(*three, "LeasedSemaphore", 2, single);

  const auto planned = plan("desk", holder);
  ASSERT_TRUE(planned.plan) << planned.detail.english();
  EXPECT_THAT(englishOf(textsOf(planned.plan->effects)), Contains("with it go all 2 of its permits"));
  EXPECT_EQ(planned.plan->wakes.size(), 2U);
  EXPECT_EQ(apply("desk", holder, 1).verdict, Verdict::Changed) << "another number was seen";
  EXPECT_EQ(apply("desk", holder).verdict, Verdict::Released);
  ASSERT_TRUE(isIn(first));
  ASSERT_TRUE(isIn(second));
  EXPECT_EQ(redis({"ZCARD", "desk"}).integer(), 3);
  EXPECT_TRUE(first.get() && second.get());
  EXPECT_TRUE(third.get()) << "the two have given theirs back";
}

TEST_F(OwnWaiters, aHoldOfSeveralPermitsIsShortenedAsOne) {
  const auto one = client();
  const auto held = one->acquire("LeasedSemaphore", "desk", {.permits = 2, .capacity = 2}, false);
  ASSERT_TRUE(held);
  EXPECT_EQ(shorten("desk", firstHolder(), 50ms).verdict, Verdict::Shortened);
  EXPECT_TRUE(eventually([&] { return !read("desk"); }));
}

TEST_F(OwnWaiters, whatIsNoQueueIsLeft) {
  for (const auto &[primitive, family] : all) {
    redis({"FLUSHALL"});
    const auto one = client();
    auto held = one->acquire(primitive, "desk");
    ASSERT_TRUE(held) << primitive;
    const auto queue = std::string(family).find("fair") == std::string::npos ? "lockhouse:queue:{desk}" : "lockhouse:line:{desk}";
    redis({"SET", queue, "mine"});
    redis({"HSET", "lockhouse:deadlines:{desk}", "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", "1"}); // by which the two are known
    const auto done = apply("desk", firstHolder());
    EXPECT_EQ(done.verdict, Verdict::Released) << primitive << ": " << done.detail.english();
    EXPECT_THAT(done.detail.english(), HasSubstr("holds something else and was left")) << primitive;
    EXPECT_EQ(redis({"GET", queue}).text(), "mine") << primitive;
    EXPECT_EQ(redis({"EXISTS", "desk"}).integer(), 0) << primitive;
  }
}

// Each of its nodes would have a first of its own: who waits there asks again and again.
TEST_F(OwnWaiters, ofAQuorumStandInNoQueueSoThatNoneThereDoesNotMeanThatNobodyWaits) {
  const test::OwnQuorum quorum(m_uri);
  for (const auto *primitive : {"FairReadWriteLock", "LeasedSemaphore"}) {
    redis({"FLUSHALL"});
    auto held = quorum.acquire(primitive, "desk");
    ASSERT_TRUE(held) << primitive;
    auto waiting = std::async(std::launch::async, [&quorum, primitive] { return quorum.acquire(primitive, "desk"); });
    EXPECT_TRUE(eventually([&] { return quorum.refusals(primitive) > 0; })) << primitive;
    const auto row = read("desk");
    ASSERT_TRUE(row && row->isHeld()) << primitive;
    EXPECT_EQ(row->waiters, std::nullopt) << primitive;
    EXPECT_TRUE(held->release()) << primitive;
    EXPECT_TRUE(waiting.get()) << primitive;
  }
}

} // namespace
} // namespace lockhouse
