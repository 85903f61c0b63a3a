// SPDX-License-Identifier: Apache-2.0
#include "core/watch/scan/read_rate_limiter.h"

#include "tests/unit/watch/desk.h"

#include <gtest/gtest.h>

namespace lockhouse::test {
namespace {

const SteadyTime start{seconds(10)};

int takenAt(ReadRateLimiter &budget, SteadyTime now) {
  int taken = 0;
  while (budget.take(now))
    ++taken;
  return taken;
}

TEST(ReadRateLimiter, letsABurstPassAtOnceAndThenRests) {
  ReadRateLimiter budget(0.02);
  EXPECT_NEAR(takenAt(budget, start), 500, 1);
  EXPECT_GT(budget.restsUntil(), start);
  EXPECT_EQ(takenAt(budget, budget.restsUntil() - milliseconds(1)), 0) << "few at a time cost more than they do";
  EXPECT_GT(takenAt(budget, budget.restsUntil()), 50);
}

TEST(ReadRateLimiter, keepsToItsShareHoweverOftenItIsAsked) {
  ReadRateLimiter budget(0.02);
  int taken = 0;
  for (auto now = start; now < start + seconds(10); now += microseconds(500))
    taken += takenAt(budget, now);
  EXPECT_NEAR(taken, 500 + 10 * 1'000'000 * 0.02 / 2.4, 500);
}

TEST(ReadRateLimiter, readsOnceForAllChangesThatCameWhileAKeyWaited) {
  Desk desk;
  for (int i = 0; i < 1000; ++i)
    desk.string("lock:" + std::to_string(i), hex32);
  desk.connect();
  desk.served.clear();
  for (int round = 0; round < 100; ++round) { // a thousand changes in ten milliseconds, thirty times as many as can be followed
    for (int i = 0; i < 1000; ++i)
      desk.hint({"lock:" + std::to_string(i)});
    desk.pass(milliseconds(10));
    desk.serve();
  }
  EXPECT_LE(desk.served["GETRANGE"], 500U + 3'700U);
  EXPECT_GE(desk.served["GETRANGE"], 2'800U);
  for (int i = 0; i < 50; ++i) {
    desk.pass(milliseconds(10));
    desk.serve();
  }
  const auto before = desk.served["GETRANGE"];
  desk.pass(milliseconds(100));
  desk.serve();
  EXPECT_EQ(desk.served["GETRANGE"], before) << "and none is forgotten, nor read in vain";
}

TEST(ReadRateLimiter, ofMoreKeysThanCouldWaitNoneWaits) {
  Desk desk;
  for (int i = 0; i < 20'000; ++i)
    desk.string("lock:" + std::to_string(i), hex32);
  desk.connect();
  desk.served.clear();
  for (int i = 0; i < 20'000; ++i)
    desk.hint({"lock:" + std::to_string(i)});
  desk.serve();
  EXPECT_GE(desk.served["GETRANGE"], 20'000U - 8192U);
}

} // namespace
} // namespace lockhouse::test
