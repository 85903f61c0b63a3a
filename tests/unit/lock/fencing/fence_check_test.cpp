// SPDX-License-Identifier: Apache-2.0
#include "core/lock/fencing/fence_check.h"
#include "tests/unit/lock/manual_time.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>

using namespace lockhouse;
using namespace lockhouse::test;

TEST(FenceCheck, refusesWhatIsOlderThanTheHighestAndAdmitsTheSameAgain) {
  FenceCheck check;
  EXPECT_EQ(check.check("a", {7}), FenceVerdict::Admitted);
  EXPECT_EQ(check.check("a", {6}), FenceVerdict::Stale);
  EXPECT_EQ(check.check("a", {7}), FenceVerdict::Admitted);
  EXPECT_EQ(check.check("a", {UINT64_MAX}), FenceVerdict::Admitted);
  EXPECT_EQ(check.check("a", {8}), FenceVerdict::Stale);
  EXPECT_EQ(check.highest("a"), Fence{UINT64_MAX});
}

TEST(FenceCheck, knowsEachResourceByItself) {
  FenceCheck check;
  EXPECT_EQ(check.check("a", {100}), FenceVerdict::Admitted);
  EXPECT_EQ(check.check("b", {1}), FenceVerdict::Admitted);
  EXPECT_EQ(check.highest("c"), std::nullopt);
}

TEST(FenceCheck, ratherRefusesAResourceThanForgetsOne) {
  FenceCheck check({.mostResources = 2});
  EXPECT_EQ(check.check("a", {9}), FenceVerdict::Admitted);
  EXPECT_EQ(check.check("b", {9}), FenceVerdict::Admitted);
  EXPECT_EQ(check.check("c", {9}), FenceVerdict::Full);
  EXPECT_EQ(check.check("a", {8}), FenceVerdict::Stale) << "it still knows";
  check.forget("a");
  check.forget("never seen");
  EXPECT_EQ(check.check("c", {9}), FenceVerdict::Admitted);
  EXPECT_EQ(check.size(), 2U);
  EXPECT_EQ(check.check(std::string(1025, 'x'), {1}), FenceVerdict::Full);
}

TEST(FenceCheck, makesRoomByForgettingWhoWasLongestUnseen) {
  FenceCheck check({.mostResources = 2, .forgetAfter = 10s});
  const SteadyTime start{1h};
  EXPECT_EQ(check.check("a", {9}, start), FenceVerdict::Admitted);
  EXPECT_EQ(check.check("b", {9}, start + 1s), FenceVerdict::Admitted);
  EXPECT_EQ(check.check("a", {9}, start + 5s), FenceVerdict::Admitted); // seen again
  EXPECT_EQ(check.check("c", {9}, start + 10s), FenceVerdict::Full) << "b may still have a late writer";
  EXPECT_EQ(check.check("c", {9}, start + 11s), FenceVerdict::Admitted);
  EXPECT_EQ(check.highest("b"), std::nullopt);
  EXPECT_EQ(check.highest("a"), Fence{9});
}

TEST(FenceCheck, letsTheHighestOfManyThreadsStand) {
  FenceCheck check;
  std::atomic<std::uint64_t> highest = 0;
  {
    std::vector<std::jthread> writers;
    for (std::uint64_t writer = 0; writer < 4; ++writer)
      writers.emplace_back([&, writer] {
        for (std::uint64_t n = 0; n < 2000; ++n)
          if (const auto fence = n * 4 + writer; check.check("a", {fence}) == FenceVerdict::Admitted) {
            auto known = highest.load();
            while (fence > known && !highest.compare_exchange_weak(known, fence)) {}
          }
      });
  }
  EXPECT_EQ(check.highest("a"), Fence{highest});
  EXPECT_EQ(highest, 7999U);
}

RC_GTEST_PROP(FenceCheckProperty, neverAdmitsAnOlderFenceWithinItsMemory, (const std::vector<std::pair<std::uint8_t, std::uint8_t>> &writes)) {
  FenceCheck check({.mostResources = 3});
  std::array<int, 256> highest{};
  highest.fill(-1);
  for (const auto &[resource, fence] : writes) {
    auto &known = highest.at(resource % 5U);
    const auto verdict = check.check(std::to_string(resource % 5U), {fence});
    RC_ASSERT(verdict != FenceVerdict::Admitted || static_cast<int>(fence) >= known);
    RC_ASSERT(verdict != FenceVerdict::Stale || static_cast<int>(fence) < known);
    if (verdict == FenceVerdict::Admitted)
      known = fence;
    RC_ASSERT(check.size() <= 3U);
  }
}

TEST(FencedKeys, standInTheSlotOfTheValue) {
  EXPECT_EQ(FencedKeys::of("doc").mark, "lockhouse:fence:{doc}");
  EXPECT_EQ(FencedKeys::of("{shop}:doc").mark, "lockhouse:fence:{shop}:doc");
  EXPECT_EQ(FencedKeys::of("a{}b").mark, "lockhouse:fence:{a{}b}") << "empty braces are no tag";
}

TEST(FencedSet, readsOnlyItsOwnAnswers) {
  EXPECT_EQ(readFencedSet(Reply(Reply::Failure{"ERR the fence is no decimal number"})).error().code, ErrorCode::Server);
  EXPECT_EQ(readFencedSet(Reply(std::int64_t{1})).error().code, ErrorCode::Protocol);
}
