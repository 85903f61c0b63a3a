// SPDX-License-Identifier: Apache-2.0
#include "core/lock/options/lock_options.h"
#include "tests/unit/lock/manual_time.h"

#include <gtest/gtest.h>

using namespace lockhouse;
using namespace lockhouse::test;

TEST(LockOptions, takesTheShortestAndTheLongestLease) {
  EXPECT_TRUE(checkLock("k", {.lease = 10ms}));
  EXPECT_TRUE(checkLock("k", {.lease = std::chrono::days(365)}));
}

TEST(LockOptions, refusesLeasesThatCannotWorkAndSaysWhy) {
  for (const milliseconds lease : {0ms, -1ms, 9ms, milliseconds(std::chrono::days(365)) + 1ms, milliseconds::max(), milliseconds::min()}) {
    const auto checked = checkLock("k", {.lease = lease});
    ASSERT_FALSE(checked) << lease.count();
    EXPECT_EQ(checked.error().code, ErrorCode::Usage);
    EXPECT_NE(checked.error().sentence().find("lease"), std::string::npos);
  }
}

TEST(LockOptions, refusesPausesThatNoClockCanCount) {
  for (const microseconds pause : {-1us, microseconds::min(), microseconds(std::chrono::days(365)) + 1us, microseconds::max()})
    for (const auto &policy : {AcquirePolicy::spin(pause), AcquirePolicy::backoff(pause), AcquirePolicy::backoff(1ms, pause), AcquirePolicy::pubSub(pause)}) {
      const auto checked = checkLock("k", {.policy = policy});
      ASSERT_FALSE(checked) << policy.name() << ' ' << pause.count();
      EXPECT_EQ(checked.error().code, ErrorCode::Usage);
      EXPECT_NE(checked.error().sentence().find("pauses"), std::string::npos);
    }
  for (const microseconds pause : {0us, microseconds(std::chrono::days(365))})
    EXPECT_TRUE(checkLock("k", {.policy = AcquirePolicy::backoff(pause, pause)})) << pause.count();
}

TEST(LockOptions, takesAnyWaitLimitAndAPatienceWithoutEndButNoNegativeOne) {
  for (const auto limit : {milliseconds::min(), -1ms, 0ms, milliseconds::max()})
    EXPECT_TRUE(checkLock("k", {.waitLimit = limit}));
  EXPECT_TRUE(checkLock("k", {.patience = milliseconds::max()}));
  ASSERT_FALSE(checkLock("k", {.patience = -1ms}));
  EXPECT_NE(checkLock("k", {.patience = -1ms}).error().sentence().find("patience"), std::string::npos);
}

TEST(LockOptions, refusesAnEmptyName) {
  ASSERT_FALSE(checkLock("", {}));
  EXPECT_NE(checkLock("", {}).error().sentence().find("name"), std::string::npos);
}

TEST(LockOptions, refusesACountLimitThatLetsNobodyIn) {
  EXPECT_FALSE(checkLock("k", {.countLimit = 0}));
  EXPECT_TRUE(checkLock("k", {.countLimit = 1}));
}

TEST(Drift, isOnePercentAndTwoMilliseconds) {
  EXPECT_EQ(driftOf(30s), 302ms);
  EXPECT_EQ(driftOf(10ms), 2100us);
}
