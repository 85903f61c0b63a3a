// SPDX-License-Identifier: Apache-2.0
#include "tests/server/release/operator_house.h"

namespace lockhouse {
namespace {

using test::other;
using test::owner;
using test::token;
using testing::HasSubstr;

class TokenScript : public test::OperatorHouse {
protected:
  ReleasePlan seen() {
    redis({"SET", "lock:a", token, "PX", "60000"});
    return planNow("lock:a", token);
  }
};

TEST_F(TokenScript, deletesTheLockThatTheOperatorSaw) {
  EXPECT_EQ(run(seen()).verdict, Verdict::Released);
  EXPECT_EQ(redis({"EXISTS", "lock:a"}).integer(), 0);
}

TEST_F(TokenScript, leavesTheNextOwnersLockAndNamesIt) {
  const auto plan = seen();
  redis({"SET", "lock:a", "ffffffffffffffffffffffffffffffff", "PX", "60000"});
  const auto answer = run(plan);
  EXPECT_EQ(answer.verdict, Verdict::Changed);
  EXPECT_THAT(answer.detail.english(), HasSubstr("ffffffffffffffffffffffffffffffff"));
  EXPECT_EQ(*redis({"GET", "lock:a"}).bulk(), "ffffffffffffffffffffffffffffffff");
}

TEST_F(TokenScript, leavesAValueOfAnotherLengthWithoutSendingItBack) {
  const auto plan = seen();
  redis({"SET", "lock:a", std::string(1'000'000, 'x')});
  const auto answer = run(plan);
  EXPECT_EQ(answer.verdict, Verdict::Changed);
  EXPECT_LT(answer.detail.english().size(), 300U);
  EXPECT_EQ(redis({"STRLEN", "lock:a"}).integer(), 1'000'000);
}

TEST_F(TokenScript, findsARenamedOrExpiredLockFree) {
  const auto plan = seen();
  redis({"RENAME", "lock:a", "lock:b"});
  EXPECT_EQ(run(plan).verdict, Verdict::AlreadyFree);
  EXPECT_EQ(redis({"EXISTS", "lock:b"}).integer(), 1);
}

TEST_F(TokenScript, leavesAKeyOfAnotherTypeWithoutAnError) {
  for (const auto &words : {std::vector<std::string>{"HSET", "lock:a", "f", "v"},
                            {"RPUSH", "lock:a", token},
                            {"ZADD", "lock:a", "1", token},
                            {"SADD", "lock:a", token},
                            {"XADD", "lock:a", "*", "f", "v"}}) {
    const auto plan = seen();
    redis({"DEL", "lock:a"});
    Command change;
    for (const auto &word : words)
      change.arg(word);
    ASSERT_TRUE(redis.send(change));
    EXPECT_EQ(run(plan).verdict, Verdict::NotALock) << words[0];
    EXPECT_EQ(redis({"EXISTS", "lock:a"}).integer(), 1) << words[0];
    redis({"DEL", "lock:a"});
  }
}

TEST_F(TokenScript, comparesBytesNotText) {
  const std::string key("lock:\xff\x00'\"]]--\r\n", 14);
  const std::string value("\x00\x01\xfe\xff%s%n{}*?[a]0123456789abcd", 30);
  ReleasePlan plan;
  plan.script = seen().script;
  plan.keys = {key};
  plan.args = {value, ""};
  redis({"SET", key, value + "x"});
  EXPECT_EQ(run(plan).verdict, Verdict::Changed);
  redis({"SET", key, value});
  EXPECT_EQ(run(plan).verdict, Verdict::Released);
  EXPECT_EQ(redis({"EXISTS", key}).integer(), 0);
}

} // namespace
} // namespace lockhouse
