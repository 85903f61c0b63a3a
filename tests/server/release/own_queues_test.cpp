// SPDX-License-Identifier: Apache-2.0
// What lies in the queues of Lockhouse's own locks that no client of theirs would have left there.
#include "core/release/method/actual_effects.h"
#include "tests/server/release/operator_house.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <future>

namespace lockhouse {
namespace {

using test::other;
using test::owner;
using test::third;
using testing::Contains;
using testing::HasSubstr;

class OwnQueues : public test::OperatorHouse {
protected:
  /// One lock of each kind, how its waiters begin, and how they come into which queue.
  struct Held {
    std::string holder, kind;
    Command lock;
    std::string_view push, queue;
  };
  static std::array<Held, 5> eachHeld(const std::string &later) {
    const std::string holder = owner;
    return {Held{holder + ":1795300000000007", "", {"SET", "desk", holder + ":1795300000000007"}, "ZADD", "lockhouse:queue:{desk}"},
            Held{holder, "", {"SET", "desk", holder}, "RPUSH", "lockhouse:line:{desk}"},
            Held{holder, "", {"SET", "desk", holder}, "ZADD", "lockhouse:line:{desk}"},
            Held{"w/" + holder, "r/", {"ZADD", "desk", later, "w/" + holder}, "ZADD", "lockhouse:queue:{desk}"},
            Held{holder, "1/", {"ZADD", "desk", later, holder + "/1"}, "ZADD", "lockhouse:queue:{desk}"}};
  }
  static std::string clientOf(const std::string &waiter) { return waiter.substr(0, 36); }
  std::vector<std::string> members(std::string_view key) {
    std::vector<std::string> all;
    const auto reply = redis({"ZRANGE", key, "0", "-1"});
    for (const auto &member : reply.array())
      all.emplace_back(member.text().value_or(""));
    return all;
  }
};

// Of whom it tells nothing who is inside: the reader who stays was not seen, and the writer was let in beside him.
TEST_F(OwnQueues, ofALockWhoseFirstMemberIsAStrangersNobodyIsLetIn) {
  const auto later = std::to_string(serverNow() + 60'000);
  const std::string leaves = std::string("r/") + owner, stays = std::string("r/") + third, waits = std::string("w/") + other;
  redis({"ZADD", "desk", "0", "note", later, leaves, later, stays});
  redis({"ZADD", "lockhouse:queue:{desk}", "1", waits});
  redis({"HSET", "lockhouse:deadlines:{desk}", clientOf(other), later});
  const auto planned = plan("desk", leaves);
  ASSERT_TRUE(planned.plan) << planned.detail.english();
  EXPECT_THAT(englishOf(textsOf(planned.plan->effects)), Contains(HasSubstr("lets nobody in yet: " + waits)));
  const auto done = apply("desk", leaves);
  EXPECT_EQ(done.verdict, Verdict::Released) << done.detail.english();
  EXPECT_THAT(members("desk"), testing::ElementsAre("note", stays));
  EXPECT_THAT(members("lockhouse:queue:{desk}"), testing::ElementsAre(waits));
  EXPECT_EQ(redis({"EXISTS", "lockhouse:deadlines:{desk}"}).integer(), 1);
  EXPECT_THAT(englishOf(textsOf(done.plan->effects)), Contains(HasSubstr("lets nobody in yet: " + waits)));
}

// Whose name takes the square of its length to look at keeps the server from everybody else.
TEST_F(OwnQueues, aLongEntryThatIsNoWaitersIsPassedByAtOnce) {
  const auto later = std::to_string(serverNow() + 60'000);
  const std::string holder = std::string(owner) + ":1795300000000007", writer = std::string("w/") + owner;
  for (const auto &[lock, id] : {std::pair(Command{"SET", "desk", holder}, holder), {Command{"ZADD", "desk", later, writer}, writer}}) {
    redis({"FLUSHALL"});
    ASSERT_TRUE(redis.send(lock));
    redis({"ZADD", "lockhouse:queue:{desk}", "1", std::string(300'000, 'z')});
    redis({"HSET", "lockhouse:deadlines:{desk}", clientOf(other), later});
    const auto done = apply("desk", id);
    EXPECT_EQ(done.verdict, Verdict::Released) << done.detail.english();
    EXPECT_EQ(redis({"EXISTS", "desk"}).integer(), 0);
  }
}

// One run is short whatever lies there, and the lock goes with the last.
TEST_F(OwnQueues, ofMoreLapsedPlacesThanOneRunDropsAreDroppedInSeveral) {
  constexpr int gone = 1200;
  const auto later = std::to_string(serverNow() + 60'000);
  const std::string waits = other;
  test::Listener inbox(m_uri, "lockhouse:inbox:" + clientOf(other));
  std::size_t told = 0;
  for (const auto &[id, kind, lock, push, queue] : eachHeld(later)) {
    redis({"FLUSHALL"});
    ASSERT_TRUE(redis.send(lock));
    Command places{push, queue};
    for (int i = 0; i <= gone; ++i) {
      if (push == "ZADD")
        places.arg(i + 1);
      places.arg(i < gone ? fmt::format("{}{}:{}", kind, clientOf(third), i) : kind + waits);
    }
    ASSERT_FALSE(redis.send(std::move(places))->isFailure());
    redis({"HSET", "lockhouse:deadlines:{desk}", clientOf(third), "1", clientOf(other), later});
    const auto before = calls("evalsha") + calls("eval");
    auto planned = planNow("desk", id);
    EXPECT_THAT(englishOf(textsOf(planned.effects)), Contains(HasSubstr("it is not known who that is"))) << queue;
    EXPECT_THAT(englishOf(textsOf(planned.effects)), Contains(HasSubstr("drops at least 1000 lapsed places"))) << queue;
    const auto first = redis.send([&] {
      const std::vector<std::string_view> keys(planned.keys.begin(), planned.keys.end()), args(planned.args.begin(), planned.args.end());
      return Command::evalsha(*planned.script, keys, args);
    }());
    EXPECT_GE(clearedBy(first).value_or(0), 500U) << queue << " of " << id;
    EXPECT_LT(clearedBy(first).value_or(0), 510U) << queue << " of " << id;
    EXPECT_TRUE(read("desk")->isHeld());
    EXPECT_TRUE(inbox.heard().size() == told);
    const auto done = apply("desk", id);
    EXPECT_EQ(done.verdict, Verdict::Released) << done.detail.english();
    EXPECT_GE(calls("evalsha") + calls("eval") - before, 3);
    EXPECT_EQ(inbox.heard().size(), ++told) << queue << " of " << id;
    EXPECT_EQ(redis({push == "ZADD" ? "ZCARD" : "LLEN", queue}).integer(), queue.contains("line") ? 1 : 0) << queue << " of " << id;
    const auto left = fmt::format("drops {} lapsed places at the head of the queue", gone - clearedBy(first).value_or(0));
    EXPECT_TRUE(kind.empty() || std::ranges::count(englishOf(textsOf(done.plan->effects)), left) == 1)
        << testing::PrintToString(englishOf(textsOf(done.plan->effects)));
  }
}

// What stands beside them may be anything: the hold goes, or nothing does.
TEST_F(OwnQueues, whatIsNoNumberOfPermitsLosesNobodysHold) {
  const auto later = std::to_string(serverNow() + 60'000);
  const std::string leaves = owner, stays = third, waits = std::string("1/") + other;
  constexpr auto none = "none";
  for (const std::string_view capacity : {"many", "3 permits", "", "0", "-1", "inf", "1e400", "99999999999999999999", none})
    for (const bool isAlone : {false, true}) {
      redis({"FLUSHALL"});
      redis({"ZADD", "desk", later, leaves + "/1"});
      if (!isAlone)
        redis({"ZADD", "desk", later, stays + "/1"});
      redis({"ZADD", "lockhouse:queue:{desk}", "1", waits});
      redis({"HSET", "lockhouse:deadlines:{desk}", clientOf(other), later});
      if (capacity != none)
        redis({"SET", "lockhouse:capacity:{desk}", capacity});
      const auto planned = plan("desk", leaves);
      ASSERT_TRUE(planned.plan) << planned.detail.english();
      EXPECT_EQ(planned.plan->next, isAlone ? std::optional(waits) : std::nullopt) << capacity;
      const auto done = apply("desk", leaves);
      EXPECT_EQ(done.verdict, Verdict::Released) << done.detail.english();
      EXPECT_THAT(members("desk"), testing::ElementsAre((isAlone ? std::string(other) : stays) + "/1")) << capacity;
    }
}

// Nobody looks behind the one whom the lock is full with, nor at permits that somebody has taken away.
TEST_F(OwnQueues, ofThoseBehindTheLastWhoComesInNothingIsSaid) {
  const auto later = std::to_string(serverNow() + 60'000);
  const std::string holder = owner, gone = third, waits = other;
  struct Full {
    std::string holder, member, kind, capacity;
    std::optional<std::string> next;
  };
  for (const auto &[id, member, kind, capacity, next] :
       {Full{"w/" + holder, "w/" + holder, "w/", "1", "w/" + waits}, //
        Full{holder, holder + "/1", "1/", "1", "1/" + waits}, Full{holder, holder + "/1", "1/", "-", "1/" + waits}}) {
    redis({"FLUSHALL"});
    redis({"ZADD", "desk", later, member});
    if (capacity != "-")
      redis({"SET", "lockhouse:capacity:{desk}", capacity});
    redis({"ZADD", "lockhouse:queue:{desk}", "1", kind + waits, "2", kind + gone, "3", kind + clientOf(other) + ":9"});
    redis({"HSET", "lockhouse:deadlines:{desk}", clientOf(waits), later, clientOf(gone), "1"});
    const auto planned = plan("desk", id);
    ASSERT_TRUE(planned.plan) << planned.detail.english();
    const auto words = englishOf(textsOf(planned.plan->effects));
    EXPECT_EQ(planned.plan->next, next);
    EXPECT_THAT(words, testing::Each(testing::Not(HasSubstr("drops")))) << id;
    const auto done = apply("desk", id);
    EXPECT_EQ(englishOf(textsOf(done.plan->effects)), words) << id;
    EXPECT_EQ(members("lockhouse:queue:{desk}").size(), 2U) << id;
  }
  redis({"FLUSHALL"});
  for (const auto *number : {"1", "2", "3"})
    redis({"ZADD", "desk", later, clientOf(owner) + ":" + number + "/1"});
  redis({"SET", "lockhouse:capacity:{desk}", "2"});
  redis({"ZADD", "lockhouse:queue:{desk}", "1", "1/" + waits});
  redis({"HSET", "lockhouse:deadlines:{desk}", clientOf(waits), later});
  EXPECT_THAT(read("desk")->extras, Contains(MetadataEntry{"free", "-1"}));
  EXPECT_EQ(plan("desk", clientOf(owner) + ":1").plan->next, std::nullopt);
  const auto done = apply("desk", clientOf(owner) + ":1");
  EXPECT_THAT(englishOf(textsOf(done.plan->effects)), Contains(HasSubstr("lets nobody in yet")));
}

// One of his permits ends by itself; none is without an end by accident.
TEST_F(OwnQueues, aHoldWhosePermitsEndApartGoesAsOne) {
  const auto later = std::to_string(serverNow() + 60'000);
  for (const auto *score : {"0", "1.5", "-7", "1795300000000", "inf"}) {
    redis({"FLUSHALL"});
    redis({"ZADD", "desk", later, std::string(owner) + "/1", score, std::string(owner) + "/2", later, std::string(third) + "/1"});
    redis({"SET", "lockhouse:capacity:{desk}", "3"});
    const auto done = apply("desk", owner);
    EXPECT_EQ(done.verdict, Verdict::Released) << score << ": " << done.detail.english();
    EXPECT_THAT(members("desk"), testing::ElementsAre(std::string(third) + "/1")) << score;
  }
}

// Whose place goes with his hold is no waiter of the next.
TEST_F(OwnQueues, ofAReaderWhoWaitedToBecomeTheWriterNothingIsLeftForTheOthers) {
  const auto later = std::to_string(serverNow() + 60'000);
  const std::string one = owner, two = third;
  redis({"ZADD", "desk", later, "r/" + one, later, "r/" + two});
  redis({"ZADD", "lockhouse:queue:{desk}", "-9007199254740992", "u1/" + one});
  redis({"HSET", "lockhouse:deadlines:{desk}", clientOf(one), later});
  enter();
  std::promise<std::vector<ReleaseResult>> answer;
  m_keeper->planMany({{id("desk"), "r/" + one, {}, "stuck"}, {id("desk"), "r/" + two, {}, "stuck"}}, {}, {},
                     [&answer](std::vector<ReleaseResult> results) { answer.set_value(std::move(results)); });
  const auto planned = answer.get_future().get();
  ASSERT_TRUE(planned[1].plan);
  EXPECT_THAT(englishOf(textsOf(planned[1].plan->effects)), Contains("tells nobody: the queue is empty"));
}

// The script counts anew each time.
TEST_F(OwnQueues, ofManyHoldsWithoutANumberOfPermitsTheLastLetsTheNextIn) {
  const auto later = std::to_string(serverNow() + 60'000);
  const std::string waits = std::string("1/") + other;
  std::vector<ReleaseIntent> intents;
  for (const auto *number : {"1", "2", "3"}) {
    const auto holder = clientOf(owner) + ":" + number;
    redis({"ZADD", "desk", later, holder + "/1"});
    intents.push_back({id("desk"), holder, {}, "stuck"});
  }
  redis({"ZADD", "lockhouse:queue:{desk}", "1", waits});
  redis({"HSET", "lockhouse:deadlines:{desk}", clientOf(other), later});
  enter();
  std::promise<std::vector<ReleaseResult>> answer;
  m_keeper->planMany(intents, {}, {}, [&answer](std::vector<ReleaseResult> results) { answer.set_value(std::move(results)); });
  std::vector<std::optional<std::string>> next;
  for (const auto &result : answer.get_future().get())
    next.push_back(result.plan ? result.plan->next : result.detail.english());
  EXPECT_THAT(next, testing::ElementsAre(std::nullopt, std::nullopt, waits));
}

TEST_F(OwnQueues, aDeadlineThatIsNoTimeKeepsNoPlace) {
  const auto later = std::to_string(serverNow() + 60'000);
  const std::string gone = third, waits = other;
  for (const auto *deadline : {"inf", "1e400", "999999999999999999999999999999", "0x7fffffffffffff", "nan", "soon", ""})
    for (const auto &[id, kind, lock, push, queue] : eachHeld(later)) {
      redis({"FLUSHALL"});
      ASSERT_TRUE(redis.send(lock));
      for (const auto &[place, waiter] : {std::pair("1", kind + gone), {"2", kind + waits}})
        push == "ZADD" ? redis({push, queue, place, waiter}) : redis({push, queue, waiter});
      redis({"HSET", "lockhouse:deadlines:{desk}", clientOf(gone), deadline, clientOf(waits), later});
      const auto planned = plan("desk", id);
      ASSERT_TRUE(planned.plan) << planned.detail.english();
      EXPECT_EQ(planned.plan->next, kind + waits) << deadline << " of " << id;
      const auto done = apply("desk", id);
      EXPECT_EQ(done.verdict, Verdict::Released) << deadline << " of " << id << ": " << done.detail.english();
      EXPECT_EQ(done.plan->next, kind + waits) << deadline << " of " << id;
    }
}

TEST_F(OwnQueues, whoIsNoWaiterOfItsKindLetsNobodyPassAndIsLeft) {
  const auto later = std::to_string(serverNow() + 60'000);
  struct Queued {
    std::string holder, stranger, waiter;
    Command lock;
    std::string_view queue;
  };
  const std::string holder = owner, waits = other;
  const std::array queued{Queued{"w/" + holder, "x/" + waits, "r/" + waits, {"ZADD", "desk", later, "w/" + holder}, "lockhouse:queue:{desk}"},
                          Queued{holder, "many/" + waits, "1/" + waits, {"ZADD", "desk", later, holder + "/1"}, "lockhouse:queue:{desk}"},
                          Queued{holder, "99999999999999/" + waits, "1/" + waits, {"ZADD", "desk", later, holder + "/1"}, "lockhouse:queue:{desk}"},
                          Queued{holder, "nobody", waits, {"SET", "desk", holder}, "lockhouse:line:{desk}"}};
  for (const auto &[id, stranger, waiter, lock, queue] : queued) {
    redis({"FLUSHALL"});
    ASSERT_TRUE(redis.send(lock));
    redis({"ZADD", queue, "1", stranger, "2", waiter});
    redis({"HSET", "lockhouse:deadlines:{desk}", clientOf(waits), later});
    const auto planned = plan("desk", id);
    ASSERT_TRUE(planned.plan) << planned.detail.english();
    EXPECT_EQ(planned.plan->next, std::nullopt) << stranger;
    EXPECT_THAT(englishOf(textsOf(planned.plan->effects)), Contains(HasSubstr("is no queue of such a lock"))) << stranger;
    const auto done = apply("desk", id);
    EXPECT_EQ(done.verdict, Verdict::Released) << stranger << ": " << done.detail.english();
    EXPECT_THAT(done.detail.english(), HasSubstr("holds something else and was left")) << stranger;
    EXPECT_THAT(members(queue), testing::ElementsAre(stranger, waiter));
    EXPECT_EQ(redis({"EXISTS", "desk"}).integer(), 0) << stranger;
  }
}

// A semaphore of Redisson's form: with its last permit goes the number that its clients made, and no other.
TEST_F(OwnQueues, theLastPermitTakesTheNumberWithItThatItsClientsMade) {
  struct Case {
    const char *free, *capacity; ///< null: somebody else made the number
    bool isLast, goes;
  };
  const std::string permit = std::string(owner) + ":1", stays = std::string(other) + ":1";
  for (const auto &[free, capacity, isLast, goes] :
       {Case{"1", "2", true, true}, {"1", "3", true, false}, {"1", nullptr, true, false}, {"0", "2", false, false}, {"1", "many", true, false}}) {
    redis({"FLUSHALL"});
    const auto later = std::to_string(serverNow() + 60'000);
    redis({"SET", "gate", free});
    if (capacity)
      redis({"SET", "lockhouse:capacity:{gate}", capacity});
    redis({"ZADD", "lockhouse:permits:{gate}", later, permit});
    if (!isLast)
      redis({"ZADD", "lockhouse:permits:{gate}", later, stays});
    const auto planned = plan("gate", permit);
    ASSERT_TRUE(planned.plan) << planned.detail.english();
    EXPECT_THAT(englishOf(textsOf(planned.plan->effects)), Contains("deletes gate if its client made it and all permits are free then"));
    EXPECT_EQ(apply("gate", permit).verdict, Verdict::Released);
    EXPECT_EQ(redis({"EXISTS", "gate"}).integer(), goes ? 0 : 1) << free << isLast;
    EXPECT_EQ(redis({"EXISTS", "lockhouse:capacity:{gate}"}).integer(), capacity && !goes ? 1 : 0) << free << isLast;
  }
}

} // namespace
} // namespace lockhouse
