// SPDX-License-Identifier: Apache-2.0
#include "core/client/publish_pace.h"

#include <gtest/gtest.h>

#include <future>

namespace lockhouse {
namespace {

TEST(PublishPace, restsNoLongerBecauseOthersHadTheProcessor) {
  PublishPace pace(milliseconds(50));
  SteadyTime begun{};
  pace.run([&](SteadyTime now) {
    begun = now;
    std::promise<void> never;
    never.get_future().wait_for(milliseconds(100)); // none of this thread's own time
  });
  EXPECT_LT(pace.untilDue(begun), seconds(1)) << "forty times as long would be four seconds";
  EXPECT_GE(pace.untilDue(begun), milliseconds(50));
}

TEST(PublishPace, restsForASecondAtMost) {
  PublishPace pace(milliseconds(50));
  SteadyTime begun{};
  pace.run([&](SteadyTime now) {
    begun = now;
    volatile unsigned work = 0;
    while (SteadyClock::now() - now < milliseconds(200))
      work = work + 1;
  });
  EXPECT_LE(pace.untilDue(begun), seconds(1));
  EXPECT_GE(pace.untilDue(begun), milliseconds(50));
}

} // namespace
} // namespace lockhouse
