// SPDX-License-Identifier: Apache-2.0
#include "core/base/backoff.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace lockhouse {
namespace {

TEST(Backoff, startsWithinItsBase) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const auto wait = Backoff(milliseconds(10), seconds(1), seed).next();
    EXPECT_GE(wait, microseconds(0));
    EXPECT_LE(wait, milliseconds(10));
  }
}

TEST(Backoff, theCeilingDoublesUntilTheCap) {
  std::array<microseconds, 8> longest{};
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Backoff backoff(milliseconds(10), milliseconds(200), seed);
    for (auto &most : longest)
      most = std::max(most, backoff.next());
  }
  const std::array ceilings{10, 20, 40, 80, 160, 200, 200, 200};
  for (std::size_t i = 0; i < longest.size(); ++i) {
    EXPECT_LE(longest[i], milliseconds(ceilings[i])) << "try " << i;
    EXPECT_GT(longest[i], milliseconds(ceilings[i]) * 9 / 10) << "try " << i << ": the whole range is used";
  }
}

TEST(Backoff, spreadsItsWaitsEvenlyOverTheRange) {
  std::array<int, 10> tenths{};
  for (std::uint64_t seed = 0; seed < 10000; ++seed)
    ++tenths[std::min<std::size_t>(9, static_cast<std::size_t>(Backoff(milliseconds(10), seconds(1), seed).next() / milliseconds(1)))];
  for (const int count : tenths)
    EXPECT_NEAR(count, 1000, 150) << "full jitter: neighbours that fail together do not return together";
}

TEST(Backoff, resetStartsOver) {
  Backoff backoff(milliseconds(1), seconds(10), 7);
  for (int round = 0; round < 20; ++round) {
    microseconds longest{0};
    for (int i = 0; i < 12; ++i)
      longest = std::max(longest, backoff.next());
    EXPECT_GT(longest, milliseconds(1));
    backoff.reset();
    EXPECT_LE(backoff.next(), milliseconds(1));
    backoff.reset();
  }
}

TEST(Backoff, theSameSeedGivesTheSameWaits) {
  Backoff one(milliseconds(5), seconds(1), 42), two(milliseconds(5), seconds(1), 42), other(milliseconds(5), seconds(1), 43);
  bool differs = false;
  for (int i = 0; i < 20; ++i) {
    const auto wait = one.next();
    EXPECT_EQ(wait, two.next());
    differs = differs || wait != other.next();
  }
  EXPECT_TRUE(differs);
}

RC_GTEST_PROP(Backoff, neverLeavesItsBoundsHoweverOftenItIsAsked, (std::uint64_t seed)) {
  const auto base = microseconds(*rc::gen::inRange<std::int64_t>(0, 3'600'000'000));
  const auto cap = microseconds(*rc::gen::inRange<std::int64_t>(0, 86'400'000'000));
  Backoff backoff(base, cap, seed);
  for (int i = 0; i < 100; ++i) {
    const auto wait = backoff.next();
    RC_ASSERT(wait >= microseconds(0));
    RC_ASSERT(wait <= cap);
  }
}

} // namespace
} // namespace lockhouse
