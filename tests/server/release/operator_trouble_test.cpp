// SPDX-License-Identifier: Apache-2.0
// Nodes that go, hang, refuse or are busy while a release is under way.
#include "tests/server/release/operator_house.h"

#include "tests/support/eventually.h"

#include <future>

namespace lockhouse {
namespace {

using test::eventually;
using test::owner;
using test::token;
using testing::HasSubstr;

class OperatorTrouble : public test::OperatorHouse {
protected:
  OperatorTrouble() {
    m_options.connectTimeout = milliseconds(2000);
    m_options.commandTimeout = milliseconds(500);
  }
};

TEST_F(OperatorTrouble, isUnreachableWhenTheServerIsGone) {
  redis({"SET", "lock:a", token});
  enter();
  m_server.kill();
  ASSERT_TRUE(eventually([this] { return m_watcher->snapshot()->nodes.at(0).state != NodeState::Live; }));
  const auto result = apply("lock:a", token);
  EXPECT_EQ(result.verdict, Verdict::Unreachable) << result.detail.english();
  EXPECT_TRUE(result.auditId.empty());
  EXPECT_FALSE(result.detail.empty());
}

// Writes wait on the server while reads go on: the release is sent, and its answer is late.
TEST_F(OperatorTrouble, isInDoubtWhenTheAnswerIsLate) {
  redis({"SET", "lock:a", token});
  enter();
  redis({"CLIENT", "PAUSE", "600000", "WRITE"});
  const auto result = apply("lock:a", token);
  EXPECT_EQ(result.verdict, Verdict::Unreachable);
  EXPECT_THAT(result.detail.english(), HasSubstr("may have happened"));
  ASSERT_TRUE(result.now);
  EXPECT_EQ(result.now->holders.at(0).id, token) << "as read afterwards";
  const auto records = audited();
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[1].verdict, "in-doubt");
  redis({"CLIENT", "UNPAUSE"});
}

TEST_F(OperatorTrouble, saysInThePlanThatTheServerDoesNotAnswerWhetherItWould) {
  redis({"SET", "lock:a", token});
  enter();
  redis({"CLIENT", "PAUSE", "600000", "WRITE"});
  const auto planned = plan("lock:a", token);
  ASSERT_TRUE(planned.plan) << planned.detail.english();
  EXPECT_THAT(planned.plan->refusal.value_or(Message()).english(), HasSubstr("did not answer in time whether it would do this"));
  EXPECT_FALSE(planned.plan->heldBack) << "what other masters do is not its matter";
  redis({"CLIENT", "UNPAUSE"});
  EXPECT_FALSE(plan("lock:a", token).plan->refusal);
}

TEST_F(OperatorTrouble, comesBackAfterAStrangersScriptWasKilled) {
  redis({"SET", "lock:a", token});
  redis({"CONFIG", "SET", "lua-time-limit", "10"});
  enter();
  auto endless = std::async(std::launch::async, [this] {
    test::RawRedis stranger(m_uri);
    return stranger({"EVAL", "while true do end", "0"}).isFailure();
  });
  ASSERT_TRUE(eventually([this] { return redis({"GET", "lock:a"}).failureWord() == "BUSY"; }));
  const auto busy = apply("lock:a", token);
  EXPECT_EQ(busy.verdict, Verdict::Unreachable) << busy.detail.english();
  ASSERT_TRUE(eventually([this] { return redis({"SCRIPT", "KILL"}).isOk(); }));
  EXPECT_TRUE(endless.get());
  ASSERT_TRUE(eventually([this] { return apply("lock:a", token).verdict == Verdict::Released; }));
}

TEST_F(OperatorTrouble, worksAgainAfterScriptsWereFlushed) {
  for (int round = 0; round < 2; ++round) {
    redis({"HSET", "stock", owner, "1"});
    EXPECT_EQ(apply("stock", owner).verdict, Verdict::Released);
    redis({"SCRIPT", "FLUSH"});
  }
}

TEST_F(OperatorTrouble, refusesANodeThatItDoesNotKnow) {
  enter();
  std::promise<ReleaseResult> answer;
  m_keeper->apply({{NodeId("elsewhere:1"), 0, LockName("lock:a")}, token, {}, "x"}, [&](ReleaseResult result) { answer.set_value(std::move(result)); });
  EXPECT_EQ(answer.get_future().get().verdict, Verdict::Unreachable);
}

TEST_F(OperatorTrouble, releasesNamesThatNobodyWouldChoose) {
  const std::vector<std::string> names{std::string("lock:\x00\xff\xfe", 8), "lock:<b>\x1b[31m", "lock:*?[a]%s%n{}", "lock:" + std::string(100'000, 'k'),
                                       "lock:'\"]]--\r\n"};
  for (const auto &name : names) {
    redis({"SET", name, token, "PX", "60000"});
    const auto result = apply(name, token);
    EXPECT_EQ(result.verdict, Verdict::Released) << result.detail.english();
    EXPECT_EQ(redis({"EXISTS", name}).integer(), 0);
  }
}

TEST_F(OperatorTrouble, whatNeedsMemoryThatIsNotThereIsToldBeforeAndChangesNothing) {
  const std::string holder = "web1_12_" + std::string(32, 'a');
  redis({"ZADD", "pool:lock", std::to_string(serverNow() + 600'000), holder});
  redis({"PEXPIRE", "pool:lock", "900000"});
  const std::string before(*redis({"ZSCORE", "pool:lock", holder}).text());
  redis({"CONFIG", "SET", "maxmemory", "1"});
  enter();
  const auto planned = ask(false, {id("pool:lock"), holder, {}, "stuck", seconds(5)});
  ASSERT_TRUE(planned.plan) << planned.detail.english();
  EXPECT_THAT(englishOf(planned.plan->warnings), testing::Contains(testing::HasSubstr("uses all of its maxmemory")));
  const auto done = shorten("pool:lock", holder, seconds(5));
  EXPECT_EQ(done.verdict, Verdict::ReadOnly);
  EXPECT_THAT(done.detail.english(),
              testing::AllOf(testing::HasSubstr("OOM"), testing::HasSubstr("raise its maxmemory"), testing::HasSubstr("nothing was changed")));
  EXPECT_EQ(redis({"ZSCORE", "pool:lock", holder}).text(), before);
  EXPECT_EQ(apply("pool:lock", holder).verdict, Verdict::Released) << "what frees needs none";
}

} // namespace
} // namespace lockhouse
