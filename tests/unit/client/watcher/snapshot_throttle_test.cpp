// SPDX-License-Identifier: Apache-2.0
#include "core/client/watcher/snapshot_throttle.h"

#include <gtest/gtest.h>

#include <future>

namespace lockhouse {
namespace {

TEST(SnapshotThrottle, restsNoLongerBecauseOthersHadTheProcessor) {
  SnapshotThrottle pace(milliseconds(50));
  pace.run([](SteadyTime) {
    std::promise<void> never;
    never.get_future().wait_for(milliseconds(100)); // none of this thread's own time
  });
  const auto end = SteadyClock::now();
  EXPECT_LT(pace.untilDue(end), seconds(1)) << "forty times as long would be four seconds";
  EXPECT_GT(pace.untilDue(end), milliseconds(0));
}

TEST(SnapshotThrottle, restsForASecondAtMost) {
  SnapshotThrottle pace(milliseconds(50));
  pace.run([](SteadyTime now) {
    volatile unsigned work = 0;
    while (SteadyClock::now() - now < milliseconds(200))
      work = work + 1;
  });
  const auto end = SteadyClock::now();
  EXPECT_LE(pace.untilDue(end), seconds(1));
  EXPECT_GT(pace.untilDue(end), milliseconds(0));
}

} // namespace
} // namespace lockhouse
