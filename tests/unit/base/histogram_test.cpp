// SPDX-License-Identifier: Apache-2.0
#include "core/base/histogram.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

namespace lockhouse {
namespace {

using std::chrono::hours;
using std::chrono::nanoseconds;

TEST(Histogram, anEmptyOneIsAllZero) {
  const Histogram none;
  EXPECT_EQ(none.count(), 0U);
  EXPECT_EQ(none.max(), nanoseconds(0));
  EXPECT_EQ(none.quantile(0.5), nanoseconds(0));
}

TEST(Histogram, oneValueIsEveryQuantile) {
  Histogram histogram;
  histogram.add(microseconds(123));
  for (const double q : {0.0, 0.5, 0.99, 1.0})
    EXPECT_EQ(histogram.quantile(q), microseconds(123));
}

TEST(Histogram, smallValuesAreExact) {
  Histogram histogram;
  for (int i = 0; i < 16; ++i)
    histogram.add(nanoseconds(i));
  for (int i = 1; i <= 16; ++i)
    EXPECT_EQ(histogram.quantile(i / 16.0), nanoseconds(i - 1));
}

TEST(Histogram, countsExactlyWhatIsShorterThanAPowerOfTwo) {
  Histogram histogram;
  for (unsigned power = 4; power <= 47; ++power) {
    histogram.add(nanoseconds((std::int64_t{1} << power) - 1)); // the last below the edge
    histogram.add(nanoseconds(std::int64_t{1} << power));       // the first not below it
  }
  for (unsigned power = 4; power <= 47; ++power)
    EXPECT_EQ(histogram.countBelow(power), 2U * (power - 4) + 1) << power;
}

TEST(Histogram, sumsWhatItWasGivenAndWhatIsMergedIntoIt) {
  Histogram histogram, other;
  histogram.add(nanoseconds(7));
  histogram.add(nanoseconds(-5)); // counts as nothing
  other.add(hours(1));
  histogram.merge(other);
  EXPECT_EQ(histogram.sum(), hours(1) + nanoseconds(7));
}

TEST(Histogram, theMaximumIsExact) {
  Histogram histogram;
  histogram.add(nanoseconds(1));
  histogram.add(nanoseconds(987654321));
  EXPECT_EQ(histogram.max(), nanoseconds(987654321));
  EXPECT_EQ(histogram.quantile(1), nanoseconds(987654321));
}

TEST(Histogram, aNegativeDurationCountsAsZero) {
  Histogram histogram;
  histogram.add(nanoseconds(-5));
  EXPECT_EQ(histogram.count(), 1U);
  EXPECT_EQ(histogram.max(), nanoseconds(0));
  EXPECT_EQ(histogram.quantile(1), nanoseconds(0));
}

TEST(Histogram, holdsHoursAndSurvivesMore) {
  Histogram histogram;
  histogram.add(hours(4));
  EXPECT_NEAR(static_cast<double>(histogram.quantile(0.5).count()), static_cast<double>(nanoseconds(hours(4)).count()),
              0.063 * static_cast<double>(nanoseconds(hours(4)).count()));
  histogram.add(hours(24 * 365 * 200));
  histogram.add(nanoseconds::max());
  EXPECT_EQ(histogram.count(), 3U);
  EXPECT_EQ(histogram.max(), nanoseconds::max());
  EXPECT_GE(histogram.quantile(1), hours(4));
}

TEST(Histogram, aQuantileOutsideTheRangeIsItsNearestEnd) {
  Histogram histogram;
  histogram.add(nanoseconds(3));
  histogram.add(nanoseconds(9));
  EXPECT_EQ(histogram.quantile(-1), nanoseconds(3));
  EXPECT_EQ(histogram.quantile(2), nanoseconds(9));
  EXPECT_EQ(histogram.quantile(std::nan("")), nanoseconds(3));
}

// The definition, without a histogram: the smallest value such that a share q of all values is not above it.
nanoseconds exactQuantile(std::vector<std::int64_t> values, double q) {
  std::ranges::sort(values);
  const auto rank = std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(q * static_cast<double>(values.size()))));
  return nanoseconds(values[rank - 1]);
}

RC_GTEST_PROP(Histogram, aQuantileIsTheTrueOneOrAtMostASixteenthAbove, ()) {
  const auto magnitude = *rc::gen::inRange(1, 44);
  const auto values = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << magnitude)));
  Histogram histogram;
  for (const auto value : values)
    histogram.add(nanoseconds(value));
  for (const double q : {0.0, 0.1, 0.5, 0.9, 0.99, 1.0}) {
    const auto truth = exactQuantile(values, q), told = histogram.quantile(q);
    RC_ASSERT(told >= truth);
    RC_ASSERT(told <= truth + truth / 16);
  }
}

RC_GTEST_PROP(Histogram, mergingIsTheSameAsAddingToOne, (const std::vector<std::uint32_t> &left, const std::vector<std::uint32_t> &right)) {
  Histogram a, b, both;
  for (const auto value : left) {
    a.add(nanoseconds(value));
    both.add(nanoseconds(value));
  }
  for (const auto value : right) {
    b.add(nanoseconds(value));
    both.add(nanoseconds(value));
  }
  a.merge(b);
  RC_ASSERT(a.count() == both.count());
  RC_ASSERT(a.max() == both.max());
  for (const double q : {0.0, 0.25, 0.5, 0.75, 1.0})
    RC_ASSERT(a.quantile(q) == both.quantile(q));
}

} // namespace
} // namespace lockhouse
