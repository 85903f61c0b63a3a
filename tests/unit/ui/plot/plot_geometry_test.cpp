// SPDX-License-Identifier: Apache-2.0
#include "ui/plot/plot_geometry.h"

#include <gmock/gmock.h>

namespace lockhouse::ui {
namespace {

TEST(RoundTop, isTheLeastRoundNumberThatIsNotBelow) {
  EXPECT_DOUBLE_EQ(roundTop(1), 2);
  EXPECT_DOUBLE_EQ(roundTop(2), 2);
  EXPECT_DOUBLE_EQ(roundTop(2.1), 4);
  EXPECT_DOUBLE_EQ(roundTop(61), 80);
  EXPECT_DOUBLE_EQ(roundTop(99.9), 100);
  EXPECT_DOUBLE_EQ(roundTop(1150), 2000);
  EXPECT_DOUBLE_EQ(roundTop(0.6), 0.6);
  EXPECT_DOUBLE_EQ(roundTop(0.0031), 0.004);
}

TEST(RoundTop, isZeroForWhatHasNoScale) {
  EXPECT_EQ(roundTop(0), 0);
  EXPECT_EQ(roundTop(-3), 0);
  EXPECT_EQ(roundTop(std::numeric_limits<double>::quiet_NaN()), 0);
  EXPECT_EQ(roundTop(std::numeric_limits<double>::infinity()), 0);
}

TEST(ValueAxis, growsAtOnceAndShrinksOnlyWhenLittleOfItIsUsed) {
  ValueAxis axis(2);
  EXPECT_EQ(axis.top(), 2);
  EXPECT_TRUE(axis.fit(55));
  EXPECT_EQ(axis.top(), 60);
  EXPECT_FALSE(axis.fit(21));
  EXPECT_EQ(axis.top(), 60);
  EXPECT_TRUE(axis.fit(19));
  EXPECT_EQ(axis.top(), 20);
  EXPECT_THAT(axis.gridLines(), testing::ElementsAre(0, 10, 20));
}

TEST(ValueAxis, drawsNoValueOnItsTopLine) {
  for (const double value : {2.0, 4.0, 6.0, 8.0, 10.0, 20.0, 0.6, 400.0}) {
    ValueAxis axis(0.1);
    axis.fit(value);
    EXPECT_LT(value, axis.top() * 0.97) << value;
    EXPECT_FALSE(axis.fit(value)) << "and it stays so";
  }
}

TEST(ValueAxis, neverFallsBelowItsSmallestTop) {
  ValueAxis axis(10);
  EXPECT_FALSE(axis.fit(0));
  EXPECT_EQ(axis.top(), 10);
  axis.fit(400);
  EXPECT_TRUE(axis.fit(0));
  EXPECT_EQ(axis.top(), 10);
}

TEST(SpreadLabels, leavesLabelsAloneThatDoNotTouch) {
  std::array<double, 2> centres{20, 80};
  spreadLabels(centres, 15, 100);
  EXPECT_THAT(centres, testing::ElementsAre(20, 80));
}

TEST(SpreadLabels, movesTouchingLabelsApartAndKeepsTheirOrder) {
  std::array<double, 3> centres{52, 50, 51};
  spreadLabels(centres, 10, 100);
  EXPECT_THAT(centres, testing::ElementsAre(70, 50, 60));
}

TEST(SpreadLabels, keepsThemInside) {
  std::array<double, 2> low{100, 99};
  spreadLabels(low, 20, 100);
  EXPECT_THAT(low, testing::ElementsAre(90, 70));
  std::array<double, 2> high{-5, 0};
  spreadLabels(high, 20, 100);
  EXPECT_THAT(high, testing::ElementsAre(10, 30));
}

} // namespace
} // namespace lockhouse::ui
