// SPDX-License-Identifier: Apache-2.0
// The queue of a Redisson fair lock: many lapsed places, and a head that does not listen.
#include "tests/server/release/operator_house.h"

#include <algorithm>
#include <fmt/format.h>
#include <future>
#include <thread>

namespace lockhouse {
namespace {

using test::Listener;
using test::other;
using test::owner;
using test::third;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class FairQueue : public test::OperatorHouse {
protected:
  static constexpr auto queue = "redisson_lock_queue:{f}";
  static constexpr auto deadlines = "redisson_lock_timeout:{f}";

  static std::string channelOf(std::string_view waiter) { return fmt::format("redisson_lock__channel:{{f}}:{}", waiter); }
  static std::string stranger(int number) { return fmt::format("6b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b02:{}", number); }
  /// Behind those who wait already, strangers from 1 on whose places all end in `endsIn` ms.
  void livePlaces(int count, std::int64_t endsIn) {
    const auto *const fill =
        "for i = 1, tonumber(ARGV[1]) do redis.call('RPUSH', KEYS[1], ARGV[2] .. i) redis.call('ZADD', KEYS[2], ARGV[3], ARGV[2] .. i) end";
    redis({"EVAL", fill, "2", queue, deadlines, std::to_string(count), "6b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b02:", std::to_string(serverNow() + endsIn)});
  }
  /// Before those who wait already; all of them lapsed at once, `step` ms apart.
  void lapsedPlaces(int count, int step) {
    const auto *const fill = "for i = 1, tonumber(ARGV[1]) do local waiter = ARGV[3] .. i "
                             "redis.call('LPUSH', KEYS[1], waiter) redis.call('ZADD', KEYS[2], tonumber(ARGV[4]) - i * ARGV[2], waiter) end";
    redis({"EVAL", fill, "2", queue, deadlines, std::to_string(count), std::to_string(step),
           "7b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b03:", std::to_string(serverNow() - 600'000)});
  }
};

TEST_F(FairQueue, ofManyLapsedPlacesIsClearedInRunsThatAreShortEach) {
  for (const int step : {1, 0}) { // apart, and all at one instant: by their deadlines they cannot be told in order then
    redis({"FLUSHALL"});
    fairLock("f", {third});
    lapsedPlaces(20'500, step);
    Listener next(m_uri, channelOf(third));
    const auto planned = plan("f", owner);
    ASSERT_TRUE(planned.plan) << planned.detail.english();
    EXPECT_EQ(planned.plan->next, std::nullopt) << "who is first behind so many was not read";
    EXPECT_THAT(englishOf(textsOf(planned.plan->effects)), Contains("drops at least 10000 lapsed places at the head of the queue, in several runs"));
    EXPECT_THAT(englishOf(textsOf(planned.plan->effects)), Contains(HasSubstr("its name was not read")));
    EXPECT_THAT(englishOf(planned.plan->warnings), Not(Contains(HasSubstr("without an end"))));
    EXPECT_THAT(englishOf(planned.plan->warnings), Not(Contains(HasSubstr("for this lock")))) << "how many of the others still wait is not known";
    const auto before = calls("evalsha");
    const auto done = apply("f", owner);
    EXPECT_EQ(done.verdict, Verdict::Released) << done.detail.english();
    EXPECT_GE(calls("evalsha") - before, 21) << "no run clears more than a thousand";
    EXPECT_THAT(next.heard(), ElementsAre("0"));
    EXPECT_EQ(redis({"LLEN", queue}).integer(), 1);
    EXPECT_EQ(redis({"EXISTS", "f"}).integer(), 0);
  }
}

TEST_F(FairQueue, isClearedSoAmongMany) {
  enter();
  fairLock("f", {third});
  lapsedPlaces(2'500, 1);
  std::promise<std::vector<ReleaseResult>> planned, applied;
  m_keeper->planMany({{id("f"), owner, {}, "stuck"}}, {}, {}, [&](std::vector<ReleaseResult> results) { planned.set_value(std::move(results)); });
  auto results = planned.get_future().get();
  ASSERT_TRUE(results.at(0).plan) << results.at(0).detail.english();
  m_keeper->applyMany(std::move(results), "stuck", {}, {}, [&](std::vector<ReleaseResult> all) { applied.set_value(std::move(all)); });
  const auto done = applied.get_future().get();
  EXPECT_EQ(done.at(0).verdict, Verdict::Released) << done.at(0).detail.english();
  EXPECT_LE(redis({"LLEN", queue}).integer().value_or(9), 1);
}

TEST_F(FairQueue, thatIsClearedForALockWhichChangesMeanwhileTellsHowManyPlacesWereDropped) {
  constexpr int places = 100'000;
  for (const bool isMany : {false, true}) {
    redis({"FLUSHALL"});
    fairLock("f", {third});
    lapsedPlaces(places, 0);
    enter();
    std::jthread taker([this] { // once the runs have begun
      test::RawRedis side(m_uri);
      while (side({"LLEN", queue}).integer().value_or(0) > places) {}
      side({"EVAL", "redis.call('DEL', KEYS[1]) return redis.call('HSET', KEYS[1], ARGV[1], '1')", "1", "f", other});
    });
    std::promise<std::vector<ReleaseResult>> planned, applied;
    m_keeper->planMany({{id("f"), owner, {}, "stuck"}}, {}, {}, [&](std::vector<ReleaseResult> results) { planned.set_value(std::move(results)); });
    auto results = planned.get_future().get();
    if (isMany)
      m_keeper->applyMany(std::move(results), "stuck", {}, {}, [&](std::vector<ReleaseResult> all) { applied.set_value(std::move(all)); });
    const auto done = isMany ? applied.get_future().get().at(0) : apply("f", owner);
    taker.join();
    EXPECT_EQ(done.verdict, Verdict::Changed);
    const auto dropped = places + 1 - redis({"LLEN", queue}).integer().value_or(0);
    EXPECT_THAT(done.detail.english(),
                AllOf(HasSubstr(std::string("now held by ") + other), HasSubstr(fmt::format("; {} places of its queue were dropped by then", dropped))));
  }
}

TEST_F(FairQueue, tellsInAPlanHowManyWaitAsAListingDoes) {
  struct Case {
    int places;
    std::int64_t endsIn; ///< ms from now, of each place
    bool isHeard;        ///< the last of them
  };
  for (const auto &[places, endsIn, isHeard] : {Case{101, 300'000, true}, {300, 300'000, false}, {3000, -600'000, false}, {30'001, 300'000, true}}) {
    redis({"FLUSHALL"});
    fairLock("f", {});
    livePlaces(places, endsIn);
    Listener last(m_uri, isHeard ? channelOf(stranger(places)) : "nobody");
    const auto planned = plan("f", owner);
    ASSERT_TRUE(planned.plan) << planned.detail.english();
    if (endsIn > 0) {
      EXPECT_EQ(planned.now->waiters, static_cast<std::uint64_t>(places));
    } else {
      EXPECT_LT(planned.now->waiters, static_cast<std::uint64_t>(places)) << "who is known to have lapsed waits no more";
    }
    EXPECT_EQ(std::ranges::count(englishOf(planned.plan->warnings), fmt::format("{} wait for this lock", places)), endsIn > 0 ? 1 : 0);
  }
}

TEST_F(FairQueue, countsItsLapsedPlacesExactlyWhereOneRunClearsThem) {
  fairLock("f", {third});
  lapsedPlaces(900, 0);
  Listener next(m_uri, channelOf(third));
  const auto planned = plan("f", owner);
  ASSERT_TRUE(planned.plan) << planned.detail.english();
  EXPECT_EQ(planned.plan->next, third);
  EXPECT_THAT(englishOf(textsOf(planned.plan->effects)), Contains("drops 900 lapsed places at the head of the queue"));
}

TEST_F(FairQueue, losesAHeadThatDoesNotListenAndTheNextOneGoesOn) {
  fairLock("f", {other, third});
  Listener next(m_uri, channelOf(third));
  const auto planned = plan("f", owner);
  ASSERT_TRUE(planned.plan) << planned.detail.english();
  EXPECT_EQ(planned.plan->next, third);
  EXPECT_THAT(planned.plan->wakes, ElementsAre(third));
  EXPECT_THAT(englishOf(textsOf(planned.plan->effects)), Contains(HasSubstr(std::string("takes ") + other + " out of the queue: nobody listens")));
  const auto done = apply("f", owner);
  EXPECT_EQ(done.verdict, Verdict::Released);
  EXPECT_THAT(done.detail.english(), HasSubstr(std::string(third) + " was woken"));
  EXPECT_THAT(next.heard(), ElementsAre("0"));
  EXPECT_EQ(*redis({"LINDEX", queue, "0"}).bulk(), third);
  EXPECT_TRUE(redis({"ZSCORE", deadlines, other}).isNil());
}

TEST_F(FairQueue, losesThousandsWhoDoNotListenBeforeTheFirstWhoDoes) {
  for (const auto &[places, lapsed] : {std::pair(100, 0), {101, 0}, {1000, 0}, {4321, 0}, {9000, 900}, {300, 1500}}) {
    redis({"FLUSHALL"});
    fairLock("f", {});
    livePlaces(places, 300'000);
    lapsedPlaces(lapsed, 0);
    redis({"RPUSH", queue, third});
    redis({"ZADD", deadlines, std::to_string(serverNow() + 300'000), third});
    Listener next(m_uri, channelOf(third));
    const auto planned = plan("f", owner);
    ASSERT_TRUE(planned.plan) << planned.detail.english();
    EXPECT_EQ(planned.plan->next, third) << places;
    EXPECT_THAT(englishOf(textsOf(planned.plan->effects)),
                Contains(fmt::format("takes {} out of the queue, and {} more: nobody listens on their channels", stranger(1), places - 1)));
    const auto done = apply("f", owner);
    EXPECT_EQ(done.verdict, Verdict::Released) << done.detail.english();
    EXPECT_THAT(done.detail.english(), HasSubstr(std::string(third) + " was woken"));
    EXPECT_THAT(next.heard(), ElementsAre("0"));
    EXPECT_EQ(redis({"LLEN", queue}).integer(), 1);
    EXPECT_EQ(redis({"ZCARD", deadlines}).integer(), 1);
    EXPECT_EQ(redis({"EXISTS", "f"}).integer(), 0);
  }
}

TEST_F(FairQueue, losesThemSoAmongMany) {
  enter();
  fairLock("f", {});
  livePlaces(2'500, 300'000);
  Listener next(m_uri, channelOf(stranger(2'400)));
  std::promise<std::vector<ReleaseResult>> planned, applied;
  m_keeper->planMany({{id("f"), owner, {}, "stuck"}}, {}, {}, [&](std::vector<ReleaseResult> results) { planned.set_value(std::move(results)); });
  auto results = planned.get_future().get();
  ASSERT_TRUE(results.at(0).plan) << results.at(0).detail.english();
  EXPECT_EQ(results.at(0).plan->next, stranger(2'400));
  m_keeper->applyMany(std::move(results), "stuck", {}, {}, [&](std::vector<ReleaseResult> all) { applied.set_value(std::move(all)); });
  EXPECT_EQ(applied.get_future().get().at(0).verdict, Verdict::Released);
  EXPECT_THAT(next.heard(), ElementsAre("0"));
  EXPECT_EQ(redis({"LLEN", queue}).integer(), 101);
}

TEST_F(FairQueue, namesNobodyAsNextBehindMoreWhoDoNotListenThanAreLookedAt) {
  fairLock("f", {});
  livePlaces(10'001, 300'000);
  Listener last(m_uri, channelOf(stranger(10'001)));
  const auto planned = plan("f", owner);
  ASSERT_TRUE(planned.plan) << planned.detail.english();
  EXPECT_EQ(planned.plan->next, std::nullopt);
  EXPECT_THAT(planned.plan->wakes, ElementsAre());
  EXPECT_THAT(englishOf(textsOf(planned.plan->effects)),
              AllOf(Contains("publishes 0 on the own channel of the first in the queue (PUBLISH and SPUBLISH), where nobody listens"),
                    Not(Contains(HasSubstr("out of the queue"))), Not(Contains(HasSubstr("gets the lock next")))));
  EXPECT_THAT(englishOf(planned.plan->warnings),
              Contains(HasSubstr("nobody listens on the channels of the first 10000 in the queue, and no more were looked at")));
  EXPECT_THAT(englishOf(planned.plan->warnings), Not(Contains(HasSubstr("may take the lock"))));
  const auto done = apply("f", owner);
  EXPECT_EQ(done.verdict, Verdict::Released);
  EXPECT_EQ(redis({"LLEN", queue}).integer(), 10'001) << "whether anybody at all listens is not known";
}

TEST_F(FairQueue, keepsAHeadThatListensAgainWhenItIsReleased) {
  fairLock("f", {other, third});
  Listener next(m_uri, channelOf(third));
  auto planned = plan("f", owner);
  ASSERT_TRUE(planned.plan) << planned.detail.english();
  EXPECT_EQ(planned.plan->next, third);
  EXPECT_FALSE(planned.plan->isNextUnheard);
  Listener head(m_uri, channelOf(other));
  EXPECT_THAT(run(*planned.plan).detail.english(), HasSubstr(std::string(other) + " was woken"));
  EXPECT_THAT(head.heard(), ElementsAre("0"));
  EXPECT_EQ(redis({"LLEN", queue}).integer(), 2);
}

TEST_F(FairQueue, losesNobodyWhereNobodyAtAllListens) {
  fairLock("f", {other, third});
  const auto planned = plan("f", owner);
  ASSERT_TRUE(planned.plan) << planned.detail.english();
  EXPECT_EQ(planned.plan->next, other) << "they may wait in another way";
  EXPECT_TRUE(planned.plan->isNextUnheard);
  EXPECT_THAT(englishOf(planned.plan->warnings), Contains(HasSubstr("nobody listens on the channel of")));
  EXPECT_EQ(apply("f", owner).verdict, Verdict::Released);
  EXPECT_EQ(redis({"LLEN", queue}).integer(), 2);
}

// Leases are renewed one by one: who came later may be the first to go.
TEST_F(FairQueue, keepsAPlaceThatLapsedBehindAHeadThatStays) {
  fairLock("f", {other, third});
  redis({"ZADD", deadlines, std::to_string(serverNow() - 1000), third});
  const auto planned = plan("f", owner);
  ASSERT_TRUE(planned.plan) << planned.detail.english();
  EXPECT_EQ(planned.plan->next, other);
  EXPECT_THAT(englishOf(textsOf(planned.plan->effects)), Not(Contains(HasSubstr("drops"))));
  EXPECT_EQ(planned.now->waiters, 1U);
  EXPECT_EQ(apply("f", owner).verdict, Verdict::Released);
  EXPECT_EQ(redis({"LLEN", queue}).integer(), 2);
}

TEST_F(FairQueue, losesAPlaceThatLapsedBehindAHeadThatGoes) {
  fairLock("f", {other, third, stranger(1)});
  redis({"ZADD", deadlines, std::to_string(serverNow() - 1000), third});
  const Listener next(m_uri, channelOf(stranger(1)));
  const auto planned = plan("f", owner);
  ASSERT_TRUE(planned.plan) << planned.detail.english();
  EXPECT_EQ(planned.plan->next, stranger(1));
  EXPECT_THAT(englishOf(textsOf(planned.plan->effects)), Contains("drops 1 lapsed place at the head of the queue"));
  EXPECT_EQ(apply("f", owner).verdict, Verdict::Released);
  EXPECT_EQ(redis({"LLEN", queue}).integer(), 1);
}

} // namespace
} // namespace lockhouse
