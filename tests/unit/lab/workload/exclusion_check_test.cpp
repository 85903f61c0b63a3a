// SPDX-License-Identifier: Apache-2.0
#include "core/lab/workload/exclusion_check.h"

#include <gtest/gtest.h>

using lockhouse::ExclusionCheck;

TEST(ExclusionCheck, isSilentWhenClientsTakeTurns) {
  ExclusionCheck check(1);
  for (int i = 0; i < 1000; ++i)
    check.leave(0, check.enter(0));
  EXPECT_EQ(check.violations(), 0U);
}

TEST(ExclusionCheck, seesTwoInsideAtOnce) {
  ExclusionCheck check(1);
  const auto first = check.enter(0);
  const auto second = check.enter(0);
  EXPECT_EQ(check.violations(), 1U) << "before either has left";
  check.leave(0, first);
  check.leave(0, second);
  EXPECT_EQ(check.violations(), 1U) << "the lost count is the same event, not a second one";
}

TEST(ExclusionCheck, countsEveryEntryAmongOthers) {
  ExclusionCheck check(1);
  check.enter(0);
  check.enter(0);
  check.enter(0);
  EXPECT_EQ(check.violations(), 2U);
}

TEST(ExclusionCheck, seesACountThatWasOverwritten) {
  ExclusionCheck check(1);
  const auto stale = check.enter(0);
  check.abandon(0); // it believed in a hold that it no longer had …
  check.leave(0, check.enter(0));
  check.enter(0);
  check.leave(0, stale); // … and still wrote
  EXPECT_EQ(check.violations(), 1U);
}

TEST(ExclusionCheck, keysAreIndependent) {
  ExclusionCheck check(2);
  const auto first = check.enter(0);
  const auto second = check.enter(1);
  check.leave(0, first);
  check.leave(1, second);
  EXPECT_EQ(check.violations(), 0U);
}

TEST(ExclusionCheck, aClientThatLostItsLockAndKnowsItIsNoViolation) {
  ExclusionCheck check(1);
  check.enter(0);
  check.abandon(0);
  check.leave(0, check.enter(0));
  EXPECT_EQ(check.violations(), 0U);
}

TEST(ExclusionCheck, letsReadersInTogetherButNotWithAWriter) {
  ExclusionCheck check(1);
  const auto first = check.enter(0, true);
  const auto second = check.enter(0, true);
  check.leave(0, first, true);
  check.leave(0, second, true);
  check.leave(0, check.enter(0));
  EXPECT_EQ(check.violations(), 0U);
  check.enter(0, true);
  check.enter(0);
  EXPECT_EQ(check.violations(), 1U) << "a writer among readers";
  check.enter(0, true);
  EXPECT_EQ(check.violations(), 2U) << "a reader beside a writer";
}

TEST(ExclusionCheck, seesAReaderUnderWhomAWriterWrote) {
  ExclusionCheck check(1);
  const auto reading = check.enter(0, true);
  check.abandon(0, true); // it believed in a hold that it no longer had …
  check.leave(0, check.enter(0));
  check.enter(0, true);
  check.leave(0, reading, true); // … and saw the data change
  EXPECT_EQ(check.violations(), 1U);
}

TEST(ExclusionCheck, letsAsManyInAsThereArePermits) {
  ExclusionCheck check(1, 3);
  std::vector<std::uint64_t> readings;
  for (int i = 0; i < 3; ++i)
    readings.push_back(check.enter(0));
  for (const auto reading : readings)
    check.leave(0, reading);
  EXPECT_EQ(check.violations(), 0U);
  for (int i = 0; i < 4; ++i)
    check.enter(0);
  EXPECT_EQ(check.violations(), 1U);
}
