// SPDX-License-Identifier: Apache-2.0
// What a user may not do must leave the lock as it was; what the manual names must be enough.
#include "tests/server/release/operator_house.h"

namespace lockhouse {
namespace {

using test::other;
using test::owner;
using test::token;
using testing::HasSubstr;

class Rights : public test::OperatorHouse {
protected:
  void enterWith(std::initializer_list<std::string_view> rules) {
    Command user{"ACL", "SETUSER", "keeper", "reset", "on", ">pw", "~*", "&*", "+@read", "+@connection", "+info"};
    for (const auto rule : rules)
      user.arg(rule);
    ASSERT_TRUE(redis.send(user)->isOk());
    enter("keeper", "pw");
  }
  void makeLocks() {
    redis({"SET", "lock:a", token, "PX", "60000"});
    redis({"HSET", "stock", owner, "1"});
    fairLock("f", {other});
    readLock("rw", {owner, other});
  }
  std::string dumps() {
    std::string all;
    for (const auto key : {"lock:a", "stock", "f", "redisson_lock_queue:{f}", "redisson_lock_timeout:{f}", "rw"})
      all += *redis({"DUMP", key}).bulk();
    return all;
  }
};

TEST_F(Rights, withoutEvalNothingIsReleased) {
  makeLocks();
  const auto before = dumps();
  enterWith({"+del", "+publish"});
  for (const auto &[key, holder] : {std::pair{"lock:a", token}, {"stock", owner}, {"f", owner}, {"rw", owner}}) {
    const auto result = apply(key, holder);
    EXPECT_EQ(result.verdict, Verdict::NotAllowed) << key << ": " << result.detail.english();
    EXPECT_FALSE(result.auditId.empty());
    EXPECT_TRUE(result.now && result.now->isHeld());
  }
  EXPECT_EQ(dumps(), before);
}

TEST_F(Rights, withoutDelOrPublishNothingIsReleasedByHalf) {
  makeLocks();
  const auto before = dumps();
  for (const auto right : {"+publish", "+del"}) {
    enterWith({"+eval", "+evalsha", right});
    for (const auto &[key, holder] : {std::pair{"stock", owner}, {"f", owner}, {"rw", owner}})
      EXPECT_EQ(apply(key, holder).verdict, Verdict::NotAllowed) << key << " with " << right;
  }
  EXPECT_EQ(dumps(), before);
}

TEST_F(Rights, ofTheManualAreEnough) {
  makeLocks();
  enterWith({"-@all", "+@read", "+@connection", "+info", "+eval", "+evalsha", "+del"});
  EXPECT_EQ(apply("lock:a", token).verdict, Verdict::Released);
  enterWith({"-@all", "+@read", "+@connection", "+info", "+eval", "+evalsha", "+del", "+publish", "+spublish"});
  EXPECT_EQ(apply("stock", owner).verdict, Verdict::Released);
  enterWith(
      {"-@all", "+@read", "+@connection", "+info", "+eval", "+evalsha", "+del", "+publish", "+spublish", "+lindex", "+lpop", "+time", "+zrem", "+zscore"});
  EXPECT_EQ(apply("f", owner).verdict, Verdict::Released);
  enterWith({"-@all", "+@read", "+@connection", "+info", "+eval", "+evalsha", "+del", "+publish", "+spublish", "+hdel", "+hset", "+pexpire"});
  EXPECT_EQ(apply("rw", owner).verdict, Verdict::Released);
  EXPECT_EQ(apply("rw", other).verdict, Verdict::Released);
}

TEST_F(Rights, withoutSpublishItIsReleasedAndSaidThatClientsOfAClusterAreNotTold) {
  makeLocks();
  enterWith({"-@all", "+@read", "+@connection", "+info", "+eval", "+evalsha", "+del", "+publish", "+time"});
  for (const auto *key : {"stock", "f"}) {
    const auto result = apply(key, owner);
    EXPECT_EQ(result.verdict, Verdict::Released) << key;
    EXPECT_THAT(result.detail.english(), HasSubstr("SPUBLISH")) << key;
  }
  redis({"HSET", "stock", owner, "1"});
  test::Listener waiter(m_server.unixUri(), "redisson_lock__channel:{stock}");
  EXPECT_THAT(apply("stock", owner).detail.english(), HasSubstr("1 client was told")) << "somebody was there, so nothing is amiss";
}

TEST_F(Rights, toTheChannelOfClientsOf2016AreNotNeededAndTheirLackIsTold) {
  makeLocks();
  const test::Listener old(m_server.unixUri(), "redisson_lock__channel__{stock}");
  enterWith({"+@all", "resetchannels", "&redisson_lock__channel:*"});
  const auto planned = plan("stock", owner);
  ASSERT_TRUE(planned.plan) << planned.detail.english();
  EXPECT_EQ(planned.plan->refusal, std::nullopt);
  EXPECT_EQ(planned.plan->effects.back().kind, Effect::Kind::Leaves);
  EXPECT_THAT(planned.plan->effects.back().text.english(), HasSubstr("publishes nothing on redisson_lock__channel__{stock}: this user may not"));
  const auto result = apply("stock", owner);
  EXPECT_EQ(result.verdict, Verdict::Released) << result.detail.english();
  EXPECT_THAT(result.detail.english(), HasSubstr("clients of Redisson of 2016 wait on a channel of their own, and this user may not PUBLISH there"));
}

TEST_F(Rights, toTheChannelOfReadersAndWritersOf2016AreNotNeededEither) {
  redis({"HSET", "rw", "mode", "read", owner, "1"});
  redis({"PEXPIRE", "rw", "60000"});
  const test::Listener old(m_server.unixUri(), "redisson_rwlock__{rw}");
  enterWith({"+@all", "resetchannels", "&redisson_rwlock:*"});
  for (const auto shortenTo : {std::optional<milliseconds>(seconds(5)), std::optional<milliseconds>()}) {
    const auto planned = ask(false, {id("rw"), owner, {}, "stuck", shortenTo});
    ASSERT_TRUE(planned.plan) << planned.detail.english();
    EXPECT_EQ(planned.plan->refusal, std::nullopt);
    EXPECT_THAT(planned.plan->effects.back().text.english(), HasSubstr("publishes nothing on redisson_rwlock__{rw}: this user may not"));
    const auto result = ask(true, {id("rw"), owner, {}, "stuck", shortenTo});
    EXPECT_EQ(result.verdict, shortenTo ? Verdict::Shortened : Verdict::Released) << result.detail.english();
    EXPECT_THAT(result.detail.english(), HasSubstr("clients of Redisson of 2016 wait on a channel of their own, and this user may not PUBLISH there"));
  }
}

TEST_F(Rights, ofAPlanAreThoseOfReading) {
  makeLocks();
  enterWith({});
  for (const auto &[key, holder] : {std::pair{"lock:a", token}, {"stock", owner}, {"f", owner}, {"rw", owner}})
    EXPECT_EQ(plan(key, holder).verdict, std::nullopt) << key;
}

TEST_F(Rights, toWhatTellsThatANumberIsALockAreNamedWhereTheyLack) {
  const std::string permit("\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\xff", 16);
  redis({"SET", "pool", "3"});
  redis({"ZADD", "{pool}:timeout", std::to_string(serverNow() + 60'000), permit});
  enterWith({"+@all", "resetkeys", "~pool"});
  const auto result = plan("pool", permit);
  EXPECT_EQ(result.verdict, Verdict::NotAllowed) << result.detail.english();
  EXPECT_THAT(result.detail.english(), HasSubstr("may not read {pool}:timeout"));
  redis({"SET", "pool", "no number"});
  EXPECT_EQ(plan("pool", permit).verdict, Verdict::NotALock) << "that no permits would make a lock";
}

TEST_F(Rights, toReadTheReadersOfALockAreNamedWhereTheyLackThoughItsOwnKeyMayBeRead) {
  const std::string reader = "web-1_4711_3f786850e387550fdab836ed7e6dc881", writer = "web-2_1_4f786850e387550fdab836ed7e6dc881";
  for (const bool isWaitedFor : {false, true})
    for (const auto &rules : {std::vector<std::string_view>{"-sscan"}, {"resetkeys", "~book.writer"}}) {
      redis({"FLUSHALL"});
      redis({"SADD", "book.readers", reader});
      redis({"PEXPIRE", "book.readers", "60000"});
      if (isWaitedFor)
        redis({"SET", "book.writer", writer + "_WRITERWAITING", "PX", "60000"});
      Command user{"ACL", "SETUSER", "keeper", "reset", "on", ">pw", "~*", "&*", "+@all"};
      for (const auto rule : rules)
        user.arg(rule);
      ASSERT_TRUE(redis.send(std::move(user))->isOk());
      enter("keeper", "pw");
      const auto result = plan("book.writer", reader);
      EXPECT_EQ(result.verdict, Verdict::NotAllowed) << rules.front() << isWaitedFor << ": " << result.detail.english();
      EXPECT_THAT(result.detail.english(), HasSubstr("may not read book.readers, which tells who holds this lock"));
      redis({"SET", "book.writer", writer, "PX", "60000"});
      EXPECT_EQ(plan("book.writer", writer).verdict, std::nullopt) << "a writer holds it alone";
    }
}

TEST_F(Rights, areToldApartFromAReplicasRefusal) {
  redis({"SET", "lock:a", token});
  enter();
  redis({"REPLICAOF", "127.0.0.1", "1"});
  const auto result = apply("lock:a", token);
  EXPECT_EQ(result.verdict, Verdict::ReadOnly) << result.detail.english();
  EXPECT_THAT(result.detail.english(), HasSubstr("replica"));
  redis({"REPLICAOF", "NO", "ONE"});
  EXPECT_EQ(redis({"EXISTS", "lock:a"}).integer(), 1);
}

} // namespace
} // namespace lockhouse
