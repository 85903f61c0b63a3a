// SPDX-License-Identifier: Apache-2.0
#include "core/release/method/actual_effects.h"
#include "tests/server/release/operator_house.h"

#include <fmt/format.h>

namespace lockhouse {
namespace {

using test::Listener;
using test::other;
using test::owner;
using test::third;
using testing::ElementsAre;
using testing::IsEmpty;

class RwScript : public test::OperatorHouse {
protected:
  static std::string timeoutKey(std::string_view reader, int entry = 1) { return fmt::format("{{rw}}:{}:rwlock_timeout:{}", reader, entry); }
  std::vector<std::string> fields() {
    std::vector<std::string> words;
    const auto reply = redis({"HGETALL", "rw"});
    for (const auto &word : reply.array())
      words.emplace_back(*word.bulk());
    return words;
  }
  std::int64_t timeLeft() { return redis({"PTTL", "rw"}).integer().value_or(0); }
  const std::string writer = std::string(owner) + ":write";
};

TEST_F(RwScript, takesOneReaderAndShortensTheLeaseToThoseWhoStay) {
  readLock("rw", {owner, other});
  redis({"PEXPIRE", timeoutKey(other), "20000"});
  Listener waiter(m_uri, "redisson_rwlock:{rw}");
  EXPECT_EQ(run(planNow("rw", owner)).detail.english(), "released; 1 other hold stays") << "whether somebody listens was not asked";
  EXPECT_THAT(fields(), ElementsAre("mode", "read", other, "1"));
  EXPECT_EQ(redis({"EXISTS", timeoutKey(owner)}).integer(), 0);
  EXPECT_EQ(redis({"EXISTS", timeoutKey(other)}).integer(), 1);
  EXPECT_LE(timeLeft(), 20'000);
  EXPECT_GT(timeLeft(), 0);
  EXPECT_THAT(waiter.heard(), IsEmpty()) << "no writer can enter yet";
}

TEST_F(RwScript, takesTheLastReaderAndWakesEverybody) {
  readLock("rw", {owner});
  redis({"HINCRBY", "rw", owner, "1"});
  redis({"SET", timeoutKey(owner, 2), "1", "PX", "30000"});
  Listener waiter(m_uri, "redisson_rwlock:{rw}");
  EXPECT_EQ(run(planNow("rw", owner)).verdict, Verdict::Released);
  EXPECT_EQ(redis({"DBSIZE"}).integer(), 0);
  EXPECT_THAT(waiter.heard(), ElementsAre("1", "0"));
}

// As Redisson's own: who reads with a lease that is over keeps nobody out once the last live reader goes.
TEST_F(RwScript, letsTheLockGoWithTheLastReaderWhoseLeaseRuns) {
  readLock("rw", {owner, other, third});
  redis({"DEL", timeoutKey(other), timeoutKey(third)});
  Listener waiter(m_uri, "redisson_rwlock:{rw}");
  auto plan = planNow("rw", owner);
  EXPECT_THAT(englishOf(textsOf(plan.effects)), ElementsAre(testing::EndsWith(", and its timeout keys; 2 other holds, whose leases are over, go with it"),
                                                            testing::StartsWith("publishes 1 and 0 on redisson_rwlock:{rw}")));
  EXPECT_THAT(englishOf(plan.warnings), testing::Not(testing::Contains(testing::HasSubstr("remain"))));
  const auto before = englishOf(textsOf(plan.effects));
  const auto answer = run(plan);
  EXPECT_EQ(answer.detail.english(), "released; 1 client was told");
  tellDone(plan, answer);
  EXPECT_EQ(englishOf(textsOf(plan.effects)), before);
  EXPECT_EQ(redis({"DBSIZE"}).integer(), 0);
  EXPECT_THAT(waiter.heard(), ElementsAre("1", "0"));
}

TEST_F(RwScript, keepsTheLockForReadersWhoseLeasesWereNotReadAndSaysSo) {
  std::vector<std::string> readers{owner};
  for (int thread = 100; thread < 240; ++thread)
    readers.push_back(fmt::format("0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02:{}", thread));
  readLock("rw", readers);
  for (std::size_t i = 1; i < readers.size(); ++i)
    redis({"DEL", timeoutKey(readers[i])});
  const auto plan = planNow("rw", owner);
  const bool areKnown = has(plan.effects, Effect::Kind::Deletes); // where those that were read are all that count
  EXPECT_FALSE(areKnown);
  EXPECT_EQ(run(plan).detail.english(), "released; 140 other holds stay");
}

TEST_F(RwScript, keepsTheLockForAReaderWhoseLeaseRunsAgain) {
  readLock("rw", {owner, other});
  redis({"DEL", timeoutKey(other)});
  auto plan = planNow("rw", owner);
  redis({"SET", timeoutKey(other), "1", "PX", "20000"});
  const auto answer = run(plan);
  EXPECT_EQ(answer.detail.english(), "released; 1 other hold stays");
  tellDone(plan, answer);
  EXPECT_THAT(englishOf(textsOf(plan.effects)).front(), testing::EndsWith("its timeout keys; 1 other hold stays"));
  EXPECT_THAT(fields(), ElementsAre("mode", "read", other, "1"));
}

TEST_F(RwScript, keepsTheLockForReadersWhoseLibraryKeepsNoLeasesOfTheirOwn) {
  redis({"HSET", "rw", "mode", "read", owner, "1", other, "1"});
  redis({"PEXPIRE", "rw", "60000"});
  EXPECT_EQ(run(planNow("rw", owner)).detail.english(), "released; 1 other hold stays");
  EXPECT_THAT(fields(), ElementsAre("mode", "read", other, "1"));
}

TEST_F(RwScript, tellsTheChannelOfClientsOf2016WhereTheyListen) {
  for (const auto &holder : {std::string(owner), writer}) {
    if (holder == writer)
      redis({"HSET", "rw", "mode", "write", writer, "1"});
    else
      readLock("rw", {owner});
    Listener old(m_uri, "redisson_rwlock__{rw}"), waiter(m_uri, "redisson_rwlock:{rw}");
    EXPECT_EQ(read("rw")->waiters, 2U);
    const auto shorter = run(planNow("rw", holder, seconds(5)));
    EXPECT_EQ(shorter.verdict, Verdict::Shortened) << shorter.detail.english();
    EXPECT_THAT(old.heard(), ElementsAre("0"));
    const auto answer = run(planNow("rw", holder));
    EXPECT_EQ(answer.detail.english(), "released; 2 clients were told");
    EXPECT_THAT(old.heard(), ElementsAre("0", "0")) << "they know no other word";
    EXPECT_THAT(waiter.heard(), ElementsAre("1", "0", "1", "0"));
    EXPECT_EQ(redis({"DBSIZE"}).integer(), 0);
  }
}

TEST_F(RwScript, tellsTheChannelOf2016NothingWhileOthersRead) {
  readLock("rw", {owner, other});
  Listener old(m_uri, "redisson_rwlock__{rw}");
  EXPECT_EQ(run(planNow("rw", owner)).verdict, Verdict::Released);
  EXPECT_THAT(fields(), ElementsAre("mode", "read", other, "1"));
  EXPECT_THAT(old.heard(), IsEmpty());
}

TEST_F(RwScript, tellsWhatItDidWhereAReaderCameSinceThePlan) {
  readLock("rw", {owner});
  auto plan = planNow("rw", owner);
  EXPECT_TRUE(has(plan.effects, Effect::Kind::Deletes));
  redis({"HSET", "rw", other, "1"});
  const auto answer = run(plan);
  EXPECT_EQ(answer.verdict, Verdict::Released);
  EXPECT_THAT(answer.detail.english(), testing::HasSubstr("; 1 other hold stays"));
  tellDone(plan, answer);
  EXPECT_THAT(englishOf(textsOf(plan.effects)), ElementsAre(testing::HasSubstr("removes the read hold of"), testing::HasSubstr("leaves the lease as it is")));
}

TEST_F(RwScript, tellsWhatItDidWhereTheOthersHadGoneSinceThePlan) {
  readLock("rw", {owner, other});
  auto plan = planNow("rw", owner);
  EXPECT_TRUE(has(plan.effects, Effect::Kind::TakesOut));
  auto same = plan;
  redis({"HDEL", "rw", other});
  const auto answer = run(plan);
  tellDone(plan, answer);
  EXPECT_THAT(englishOf(textsOf(plan.effects)), ElementsAre(testing::StartsWith("deletes rw"), testing::StartsWith("publishes 1 and 0")));
  const auto before = englishOf(textsOf(same.effects));
  tellDone(same, ScriptResult{.verdict = Verdict::Released, .detail = {}, .inDoubt = false, .others = 1});
  EXPECT_EQ(englishOf(textsOf(same.effects)), before) << "nobody came or went";
}

TEST_F(RwScript, leavesWhatIsNoLeaseUnderTheNameOfOne) {
  for (const auto &readers : {std::vector<std::string>{owner}, {owner, other}}) {
    readLock("rw", readers);
    redis({"HINCRBY", "rw", owner, "1"});
    redis({"RPUSH", timeoutKey(owner, 2), "a stranger's"});
    const auto answer = run(planNow("rw", owner));
    EXPECT_EQ(answer.verdict, Verdict::Released);
    EXPECT_THAT(answer.detail.english(), testing::HasSubstr(timeoutKey(owner, 2) + " beside it holds something else and was left"));
    EXPECT_EQ(redis({"LLEN", timeoutKey(owner, 2)}).integer(), 1);
    EXPECT_EQ(redis({"EXISTS", timeoutKey(owner)}).integer(), 0);
    redis({"FLUSHALL"});
  }
}

TEST_F(RwScript, leavesTheLeaseWhenAReaderCameAfterThePlan) {
  readLock("rw", {owner, other}, "5000");
  const auto plan = planNow("rw", owner);
  redis({"HSET", "rw", third, "1"});
  EXPECT_EQ(run(plan).verdict, Verdict::Released);
  EXPECT_THAT(fields(), ElementsAre("mode", "read", other, "1", third, "1"));
  EXPECT_GT(timeLeft(), 5000) << "the newcomer's lease is not known to the plan";
}

TEST_F(RwScript, leavesTheLeaseWhenAReaderReenteredAfterThePlan) {
  readLock("rw", {owner, other}, "5000");
  const auto plan = planNow("rw", owner);
  redis({"HINCRBY", "rw", other, "1"});
  EXPECT_EQ(run(plan).verdict, Verdict::Released);
  EXPECT_GT(timeLeft(), 5000);
}

TEST_F(RwScript, leavesTheLeaseWhenAHoldThatStaysHasNoEnd) {
  readLock("rw", {owner, other}, "5000");
  redis({"PERSIST", timeoutKey(other)});
  EXPECT_EQ(run(planNow("rw", owner)).verdict, Verdict::Released);
  EXPECT_GT(timeLeft(), 5000);
}

TEST_F(RwScript, takesAWriterAndWakesEverybody) {
  redis({"HSET", "rw", "mode", "write", writer, "2"});
  Listener waiter(m_uri, "redisson_rwlock:{rw}");
  EXPECT_EQ(run(planNow("rw", writer)).verdict, Verdict::Released);
  EXPECT_EQ(redis({"DBSIZE"}).integer(), 0);
  EXPECT_THAT(waiter.heard(), ElementsAre("1", "0"));
}

TEST_F(RwScript, leavesTheReadHoldOfAWriterAndLetsReadersIn) {
  redis({"HSET", "rw", "mode", "write", writer, "1", owner, "1"});
  redis({"SET", timeoutKey(owner), "1", "PX", "30000"});
  redis({"PEXPIRE", "rw", "60000"});
  Listener waiter(m_uri, "redisson_rwlock:{rw}");
  EXPECT_EQ(run(planNow("rw", writer)).verdict, Verdict::Released);
  EXPECT_THAT(fields(), ElementsAre("mode", "read", owner, "1"));
  EXPECT_EQ(redis({"EXISTS", timeoutKey(owner)}).integer(), 1);
  EXPECT_THAT(waiter.heard(), ElementsAre("1", "0"));
}

TEST_F(RwScript, leavesTheWriteHoldAndItsLeaseWhenOnlyTheReadHoldGoes) {
  redis({"HSET", "rw", "mode", "write", writer, "1", owner, "1"});
  redis({"SET", timeoutKey(owner), "1", "PX", "5000"});
  redis({"PEXPIRE", "rw", "60000"});
  EXPECT_EQ(run(planNow("rw", owner)).verdict, Verdict::Released);
  EXPECT_THAT(fields(), ElementsAre("mode", "write", writer, "1"));
  EXPECT_EQ(redis({"EXISTS", timeoutKey(owner)}).integer(), 0);
  EXPECT_GT(timeLeft(), 5000);
}

TEST_F(RwScript, leavesWhatChanged) {
  readLock("rw", {owner, other});
  const auto plan = planNow("rw", owner);
  redis({"HINCRBY", "rw", owner, "1"});
  EXPECT_EQ(run(plan).verdict, Verdict::Changed);
  redis({"HDEL", "rw", owner});
  EXPECT_EQ(run(plan).verdict, Verdict::Changed);
  EXPECT_THAT(fields(), ElementsAre("mode", "read", other, "1"));
  redis({"HDEL", "rw", "mode"});
  EXPECT_EQ(run(plan).verdict, Verdict::NotALock);
  redis({"DEL", "rw"});
  EXPECT_EQ(run(plan).verdict, Verdict::AlreadyFree);
  redis({"RPUSH", "rw", "x"});
  EXPECT_EQ(run(plan).verdict, Verdict::NotALock);
}

TEST_F(RwScript, namesEveryKeyThatItTouches) {
  readLock("rw", {owner, other});
  const auto plan = planNow("rw", owner);
  // A user who may touch the plan's keys and no others: Redis itself checks.
  Command user{"ACL", "SETUSER", "narrow", "on", "nopass", "+@all", "&*"};
  for (const auto &key : plan.keys)
    user.arg("~" + key);
  ASSERT_TRUE(redis.send(user)->isOk());
  auto uri = m_uri;
  uri.user = "narrow";
  uri.password = "any";
  test::RawRedis narrow(uri);
  const std::vector<std::string_view> keys(plan.keys.begin(), plan.keys.end());
  const std::vector<std::string_view> args(plan.args.begin(), plan.args.end());
  EXPECT_EQ(answerOf(narrow.send(Command::evalsha(*plan.script, keys, args)), plan, "node").verdict, Verdict::Released);
}

} // namespace
} // namespace lockhouse
