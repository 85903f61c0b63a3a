// SPDX-License-Identifier: Apache-2.0
#include "tests/server/release/operator_house.h"

namespace lockhouse {
namespace {

using test::Listener;
using test::other;
using test::owner;
using test::third;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ReentrantScript : public test::OperatorHouse {
protected:
  ReleasePlan seen() {
    redis({"DEL", "stock"});
    redis({"HSET", "stock", owner, "3"});
    redis({"PEXPIRE", "stock", "60000"});
    return planNow("stock", owner);
  }
};

TEST_F(ReentrantScript, deletesTheLockAndTellsItsChannelOnce) {
  Listener waiter(m_uri, "redisson_lock__channel:{stock}");
  redis({"SET", "redisson_lock_token:{stock}", "41"});
  const auto answer = run(seen());
  EXPECT_EQ(answer.verdict, Verdict::Released);
  EXPECT_THAT(answer.detail.english(), HasSubstr("1 client was told"));
  EXPECT_EQ(redis({"EXISTS", "stock"}).integer(), 0);
  EXPECT_THAT(waiter.heard(), ElementsAre("0"));
  EXPECT_EQ(*redis({"GET", "redisson_lock_token:{stock}"}).bulk(), "41") << "a fencing counter never goes back";
}

TEST_F(ReentrantScript, tellsTheChannelOfClientsOf2016OnlyWhereTheyListen) {
  Listener waiter(m_uri, "redisson_lock__channel:{stock}");
  EXPECT_EQ(seen().args.size(), 4U);
  redis({"DEL", "stock"});
  Listener old(m_uri, "redisson_lock__channel__{stock}");
  const auto plan = seen();
  EXPECT_EQ(plan.effects.size(), 3U);
  EXPECT_EQ(read("stock")->waiters, 2U);
  const auto answer = run(plan);
  EXPECT_EQ(answer.verdict, Verdict::Released);
  EXPECT_THAT(answer.detail.english(), HasSubstr("2 clients were told"));
  EXPECT_THAT(waiter.heard(), ElementsAre("0"));
  EXPECT_THAT(old.heard(), ElementsAre("0"));
}

TEST_F(ReentrantScript, leavesAnotherOwnerOrCountAndTellsNobody) {
  Listener waiter(m_uri, "redisson_lock__channel:{stock}");
  const auto plan = seen();
  redis({"HINCRBY", "stock", owner, "1"});
  const auto counted = run(plan);
  EXPECT_EQ(counted.verdict, Verdict::Changed);
  EXPECT_THAT(counted.detail.english(), HasSubstr("count 4"));
  redis({"DEL", "stock"});
  redis({"HSET", "stock", other, "3"});
  const auto taken = run(plan);
  EXPECT_EQ(taken.verdict, Verdict::Changed);
  EXPECT_THAT(taken.detail.english(), HasSubstr(other));
  EXPECT_EQ(*redis({"HGET", "stock", other}).bulk(), "3");
  EXPECT_THAT(waiter.heard(), IsEmpty());
}

TEST_F(ReentrantScript, leavesAHolderWhoAcquiredItAgainByItsFence) {
  redis({"SET", "redisson_lock_token:{stock}", "7"});
  const auto release = seen(), shorter = planNow("stock", owner, seconds(5));
  redis({"DEL", "stock"});
  redis({"HSET", "stock", owner, "3"});
  redis({"INCR", "redisson_lock_token:{stock}"});
  for (const auto *plan : {&release, &shorter}) {
    const auto answer = run(*plan);
    EXPECT_EQ(answer.verdict, Verdict::Changed) << plan->script->name;
    EXPECT_THAT(answer.detail.english(), HasSubstr("acquired again"));
  }
  EXPECT_EQ(redis({"PTTL", "stock"}).integer(), -1);
  EXPECT_EQ(run(planNow("stock", owner, seconds(5))).verdict, Verdict::Shortened);
  EXPECT_EQ(redis({"PTTL", "redisson_lock_token:{stock}"}).integer(), -1) << "the counter has no end";
  EXPECT_EQ(run(planNow("stock", owner)).verdict, Verdict::Released);
}

TEST_F(ReentrantScript, leavesAHashThatIsNoLockAnyMore) {
  const auto plan = seen();
  redis({"HSET", "stock", "mode", "read"});
  EXPECT_EQ(run(plan).verdict, Verdict::NotALock);
  redis({"DEL", "stock"});
  redis({"SET", "stock", "x"});
  EXPECT_EQ(run(plan).verdict, Verdict::NotALock);
  redis({"DEL", "stock"});
  EXPECT_EQ(run(plan).verdict, Verdict::AlreadyFree);
}

TEST_F(ReentrantScript, keepsTheBraceRuleOfItsChannel) {
  Listener waiter(m_uri, "redisson_lock__channel:order:{7}:pay");
  redis({"HSET", "order:{7}:pay", owner, "1"});
  EXPECT_EQ(run(planNow("order:{7}:pay", owner)).verdict, Verdict::Released);
  EXPECT_THAT(waiter.heard(), ElementsAre("0"));
}

class FairScript : public test::OperatorHouse {
protected:
  static constexpr auto queue = "redisson_lock_queue:{f}";
  static constexpr auto deadlines = "redisson_lock_timeout:{f}";
  std::string lapsed() { return std::to_string(serverNow() - 10); }
};

TEST_F(FairScript, wakesTheHeadAloneAndLeavesTheQueue) {
  fairLock("f", {other, third});
  Listener head(m_uri, std::string("redisson_lock__channel:{f}:") + other);
  Listener second(m_uri, std::string("redisson_lock__channel:{f}:") + third);
  Listener plain(m_uri, "redisson_lock__channel:{f}");
  const auto answer = run(planNow("f", owner));
  EXPECT_EQ(answer.verdict, Verdict::Released);
  EXPECT_THAT(answer.detail.english(), HasSubstr(std::string(other) + " was woken"));
  EXPECT_THAT(head.heard(), ElementsAre("0"));
  EXPECT_THAT(second.heard(), IsEmpty());
  EXPECT_THAT(plain.heard(), IsEmpty());
  EXPECT_EQ(redis({"LLEN", queue}).integer(), 2);
  EXPECT_EQ(redis({"ZCARD", deadlines}).integer(), 2);
}

TEST_F(FairScript, dropsLapsedPlacesAndWakesTheNewHead) {
  fairLock("f", {other, third});
  const auto plan = planNow("f", owner);
  redis({"ZADD", deadlines, lapsed(), other});
  Listener head(m_uri, std::string("redisson_lock__channel:{f}:") + third);
  EXPECT_EQ(run(plan).verdict, Verdict::Released);
  EXPECT_THAT(head.heard(), ElementsAre("0"));
  EXPECT_EQ(*redis({"LINDEX", queue, "0"}).bulk(), third);
  EXPECT_TRUE(redis({"ZSCORE", deadlines, other}).isNil());
}

TEST_F(FairScript, wakesNobodyWhenAllPlacesLapsed) {
  fairLock("f", {other, third});
  const auto plan = planNow("f", owner);
  redis({"ZADD", deadlines, lapsed(), other, lapsed(), third});
  EXPECT_EQ(run(plan).detail.english(), "released") << "nobody was told, so nobody was asked who listens";
  EXPECT_EQ(redis({"EXISTS", "f", queue, deadlines}).integer(), 0);
}

TEST_F(FairScript, wakesAHeadWhoseNameWasNotReadAndThePlanSaysSo) {
  fairLock("f", {other, std::string(200'000, 'x')}); // entries of that size are not fetched
  const auto plan = planNow("f", owner);
  EXPECT_THAT(englishOf(textsOf(plan.effects)), testing::Contains(HasSubstr("its name was not read")));
  Listener head(m_uri, std::string("redisson_lock__channel:{f}:") + other);
  EXPECT_THAT(run(plan).detail.english(), HasSubstr(std::string(other) + " was woken"));
  EXPECT_THAT(head.heard(), ElementsAre("0"));
}

TEST_F(FairScript, saysThatTheHeadWasNotListening) {
  fairLock("f", {other});
  EXPECT_THAT(run(planNow("f", owner)).detail.english(), HasSubstr("was not listening"));
}

TEST_F(FairScript, wakesAWaiterWhoCameAfterThePlan) {
  fairLock("f", {other});
  const auto plan = planNow("f", owner);
  redis({"LREM", queue, "0", other});
  redis({"RPUSH", queue, third}); // no deadline of its own: its place does not lapse
  Listener head(m_uri, std::string("redisson_lock__channel:{f}:") + third);
  EXPECT_EQ(run(plan).verdict, Verdict::Released);
  EXPECT_THAT(head.heard(), ElementsAre("0"));
}

TEST_F(FairScript, takesAQueueOfAnotherTypeForEmpty) {
  fairLock("f", {other});
  const auto plan = planNow("f", owner);
  redis({"SET", queue, "not a list"});
  redis({"SET", deadlines, "not a set"});
  EXPECT_EQ(run(plan).verdict, Verdict::Released);
  EXPECT_EQ(redis({"EXISTS", "f"}).integer(), 0);
  EXPECT_EQ(*redis({"GET", queue}).bulk(), "not a list");
}

TEST_F(FairScript, takesDeadlinesOfAnotherTypeForNone) {
  fairLock("f", {other});
  const auto plan = planNow("f", owner);
  redis({"SET", deadlines, "not a set"});
  Listener head(m_uri, std::string("redisson_lock__channel:{f}:") + other);
  EXPECT_EQ(run(plan).verdict, Verdict::Released);
  EXPECT_THAT(head.heard(), ElementsAre("0"));
}

TEST_F(FairScript, touchesNothingWhenTheHolderChanged) {
  fairLock("f", {other, third});
  const auto plan = planNow("f", owner);
  redis({"ZADD", deadlines, lapsed(), other});
  redis({"DEL", "f"});
  redis({"HSET", "f", third, "1"});
  EXPECT_EQ(run(plan).verdict, Verdict::Changed);
  EXPECT_EQ(redis({"LLEN", queue}).integer(), 2);
  EXPECT_EQ(*redis({"HGET", "f", third}).bulk(), "1");
}

} // namespace
} // namespace lockhouse
