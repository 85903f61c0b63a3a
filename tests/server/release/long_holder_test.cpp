// SPDX-License-Identifier: Apache-2.0
// Holders that are too long to be fetched: seen by their first bytes, released by all of them.
#include "core/watch/text/token_format.h"
#include "tests/server/release/operator_house.h"

namespace lockhouse {
namespace {

using testing::HasSubstr;

class LongHolders : public test::OperatorHouse {
protected:
  const std::string m_token = std::string(9'999'999, 'k') + "1"; // NOLINT: one of ten megabytes
  std::string m_head = m_token.substr(0, longestHolder);
  ReleasePlan seen() {
    const auto result = plan("lock:huge", m_head);
    EXPECT_TRUE(result.plan) << result.detail.english();
    return result.plan.value_or(ReleasePlan{});
  }
  void take(const std::string &key, const std::string &token) { redis({"SET", key, token, "PX", "60000"}); }
};

TEST_F(LongHolders, haveARowWithTheirLength) {
  take("lock:huge", m_token);
  const auto lock = read("lock:huge");
  ASSERT_TRUE(lock);
  EXPECT_EQ(lock->holders.at(0).id, m_head);
  EXPECT_EQ(lock->holders.at(0).bytes, m_token.size());
}

TEST_F(LongHolders, areReleasedByAllOfTheirBytes) {
  take("lock:huge", m_token);
  const auto result = apply("lock:huge", m_head);
  EXPECT_EQ(result.verdict, Verdict::Released) << result.detail.english();
  EXPECT_EQ(redis({"EXISTS", "lock:huge"}).integer(), 0);
}

TEST_F(LongHolders, whoComeAfterWithTheSameLengthAndBeginningKeepTheirLock) {
  take("lock:huge", m_token);
  const auto plan = seen();
  auto next = m_token;
  next.back() = '2';
  take("lock:huge", next);
  EXPECT_EQ(run(plan).verdict, Verdict::Changed);
  EXPECT_EQ(redis({"EXISTS", "lock:huge"}).integer(), 1);
  take("lock:huge", m_token);
  EXPECT_EQ(run(plan).verdict, Verdict::Released) << "it was that one that the plan saw";
}

TEST_F(LongHolders, whoseTokenIsOnlyTheBeginningKeepTheirs) {
  take("lock:huge", m_token);
  const auto plan = seen();
  take("lock:huge", m_head);
  EXPECT_EQ(run(plan).verdict, Verdict::Changed);
}

TEST_F(LongHolders, ofATextThatIsALengthAndADigestAreNoOthers) {
  take("lock:huge", m_token);
  const auto plan = seen();
  take("lock:huge", plan.args.at(1));
  EXPECT_EQ(run(plan).verdict, Verdict::Changed);
}

TEST_F(LongHolders, ofDaprAreReadWholeWhileTheyAreOfAKilobyte) {
  const std::string owner = "orders-api-" + std::string(300, 'x') + "-3";
  take("lock||shop||stock", owner);
  EXPECT_EQ(plan("lock||shop||stock", owner).now->family, "dapr");
  EXPECT_EQ(apply("lock||shop||stock", owner).verdict, Verdict::Released);
}

TEST_F(LongHolders, haveTheirLeaseShortened) {
  take("lock:huge", m_token);
  EXPECT_EQ(shorten("lock:huge", m_head, seconds(5)).verdict, Verdict::Shortened);
  EXPECT_LE(redis({"PTTL", "lock:huge"}).integer().value_or(0), 5000);
}

} // namespace
} // namespace lockhouse
