// SPDX-License-Identifier: Apache-2.0
// What lies beside a lock, or happens beside a release: queues that come, are closed to us or have strangers in them; rights that end
// half-way; a lock that is taken and freed all the time.
#include "tests/server/release/operator_house.h"

#include <atomic>
#include <thread>

namespace lockhouse {
namespace {

using test::Listener;
using test::other;
using test::owner;
using test::token;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class BesideTheLock : public test::OperatorHouse {
protected:
  void enterWith(std::initializer_list<std::string_view> rules) {
    Command user{"ACL", "SETUSER", "keeper", "reset", "on", ">pw", "&*", "+@read", "+@connection", "+info", "+eval", "+evalsha"};
    for (const auto rule : rules)
      user.arg(rule);
    ASSERT_TRUE(redis.send(user)->isOk());
    enter("keeper", "pw");
  }
  std::string dump(std::string_view key) { return *redis({"DUMP", key}).bulk(); }
};

TEST_F(BesideTheLock, aQueueThatCameAfterThePlanIsNotLeftAsleep) {
  redis({"HSET", "f", owner, "1"});
  const auto plan = planNow("f", owner);
  ASSERT_EQ(plan.family, "redisson-lock");
  fairLock("f", {other});
  Listener head(m_uri, std::string("redisson_lock__channel:{f}:") + other);
  Listener plain(m_uri, "redisson_lock__channel:{f}");
  const auto answer = run(plan);
  EXPECT_EQ(answer.verdict, Verdict::Changed);
  EXPECT_THAT(answer.detail.english(), HasSubstr("plan it anew"));
  EXPECT_EQ(redis({"EXISTS", "f"}).integer(), 1);
  EXPECT_THAT(plain.heard(), IsEmpty());
  EXPECT_EQ(run(planNow("f", owner)).verdict, Verdict::Released);
  EXPECT_THAT(head.heard(), ElementsAre("0"));
}

TEST_F(BesideTheLock, aQueueThatIsClosedToUsIsNotTakenForNone) {
  fairLock("lock:f", {other});
  const auto before = dump("lock:f");
  Listener head(m_server.unixUri(), std::string("redisson_lock__channel:{lock:f}:") + other);
  enterWith({"~lock:*", "+del", "+publish"});
  const auto planned = plan("lock:f", owner);
  EXPECT_EQ(planned.verdict, Verdict::NotAllowed);
  EXPECT_FALSE(planned.plan);
  EXPECT_THAT(planned.detail.english(), HasSubstr("redisson_lock_queue:{lock:f}"));
  EXPECT_EQ(apply("lock:f", owner).verdict, Verdict::NotAllowed);
  EXPECT_EQ(dump("lock:f"), before);
  EXPECT_THAT(head.heard(), IsEmpty());
}

TEST_F(BesideTheLock, aStrangerInTheQueueDoesNotHideTheHead) {
  fairLock("f", {other, "somebody's note"});
  const auto plan = planNow("f", owner);
  EXPECT_EQ(plan.family, "redisson-fair");
  EXPECT_THAT(plan.wakes, ElementsAre(other));
  Listener head(m_uri, std::string("redisson_lock__channel:{f}:") + other);
  EXPECT_EQ(run(plan).verdict, Verdict::Released);
  EXPECT_THAT(head.heard(), ElementsAre("0"));
}

TEST_F(BesideTheLock, aStrangerAtTheHeadIsARiskThatIsTold) {
  fairLock("f", {"somebody's note", other});
  const auto plan = planNow("f", owner);
  EXPECT_EQ(plan.next, std::nullopt);
  EXPECT_THAT(englishOf(plan.warnings), Contains(HasSubstr("somebody's note")));
}

TEST_F(BesideTheLock, aRefusalHalfWayLeavesTheLockAndWakesNobody) {
  redis({"HSET", "stock", owner, "1"});
  fairLock("f", {other});
  readLock("rw", {owner});
  const auto before = dump("stock") + dump("f") + dump("rw");
  Listener stock(m_server.unixUri(), "redisson_lock__channel:{stock}");
  Listener head(m_server.unixUri(), std::string("redisson_lock__channel:{f}:") + other);
  Listener rw(m_server.unixUri(), "redisson_rwlock:{rw}");
  for (const auto right : {"+publish", "+del"}) {
    enterWith({"~*", right, "+time"});
    for (const auto *key : {"stock", "f", "rw"}) {
      const auto result = apply(key, owner);
      EXPECT_EQ(result.verdict, Verdict::NotAllowed) << key << " with " << right;
      EXPECT_THAT(result.detail.english(), HasSubstr("ACL rule")) << "what to do: " << result.detail.english();
    }
  }
  EXPECT_EQ(dump("stock") + dump("f") + dump("rw"), before);
  EXPECT_THAT(stock.heard(), IsEmpty());
  EXPECT_THAT(head.heard(), IsEmpty());
  EXPECT_THAT(rw.heard(), IsEmpty());
}

TEST_F(BesideTheLock, aChannelThatIsClosedToUsIsRefusedBeforeAnythingIsDeleted) {
  redis({"HSET", "stock", owner, "1"});
  enterWith({"~*", "resetchannels", "&elsewhere", "+del", "+publish"});
  EXPECT_EQ(apply("stock", owner).verdict, Verdict::NotAllowed);
  EXPECT_EQ(redis({"EXISTS", "stock"}).integer(), 1);
}

TEST_F(BesideTheLock, aWriterWhoReadsTooIsTakenWholeOrNotAtAll) {
  const std::string writer = std::string(owner) + ":write";
  redis({"HSET", "rw", "mode", "write", writer, "1", owner, "1"});
  Listener rw(m_server.unixUri(), "redisson_rwlock:{rw}");
  for (const auto right : {"+hdel", "+hset"}) {
    enterWith({"~*", "+del", "+publish", "+pexpire", right});
    EXPECT_EQ(apply("rw", writer).verdict, Verdict::NotAllowed) << "with " << right;
    EXPECT_EQ(*redis({"HGET", "rw", "mode"}).bulk(), "write") << "with " << right;
    EXPECT_EQ(redis({"HLEN", "rw"}).integer(), 3) << "with " << right;
  }
  EXPECT_THAT(rw.heard(), IsEmpty());
}

TEST_F(BesideTheLock, aHotLockIsNeverTakenForData) {
  std::atomic<bool> stop = false;
  std::thread holder([&] {
    test::RawRedis hot(m_server.unixUri());
    while (!stop) {
      hot({"SET", "lock:hot", token, "PX", "60000"});
      for (int held = 0; held < 9 && !stop; ++held)
        hot({"PING"});
      hot({"DEL", "lock:hot"});
      hot({"PING"});
    }
  });
  for (int i = 0; i < 150; ++i)
    EXPECT_NE(plan("lock:hot", token).verdict, Verdict::NotALock);
  stop = true;
  holder.join();
  redis({"SET", "data", "some text"});
  EXPECT_EQ(plan("data", "some text").verdict, Verdict::NotALock) << "in the end data is data";
}

} // namespace
} // namespace lockhouse
