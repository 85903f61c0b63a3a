// SPDX-License-Identifier: Apache-2.0
#include "core/release/plan/duration_words.h"

#include <gtest/gtest.h>

namespace lockhouse {
namespace {

using namespace std::chrono_literals;

TEST(DurationWords, saysItAsPeopleDo) {
  EXPECT_EQ(durationWords(0ms), "0 ms");
  EXPECT_EQ(durationWords(999ms), "999 ms");
  EXPECT_EQ(durationWords(1s), "1.0 s");
  EXPECT_EQ(durationWords(12'480ms), "12.4 s");
  EXPECT_EQ(durationWords(59'999ms), "59.9 s");
  EXPECT_EQ(durationWords(60s), "1 min");
  EXPECT_EQ(durationWords(250s), "4 min 10 s");
  EXPECT_EQ(durationWords(1h), "1 h");
  EXPECT_EQ(durationWords(25h + 59min), "1 d 1 h");
  EXPECT_EQ(durationWords(76h), "3 d 4 h");
}

TEST(DurationWords, takesANegativeDurationForNone) { EXPECT_EQ(durationWords(-5s), "0 ms"); }

} // namespace
} // namespace lockhouse
