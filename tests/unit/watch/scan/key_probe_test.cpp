// SPDX-License-Identifier: Apache-2.0
#include "core/watch/scan/key_probe.h"

#include "tests/unit/watch/corpus/lock_corpus.h"
#include "tests/unit/watch/desk.h"

#include <gtest/gtest.h>

namespace lockhouse::test {
namespace {

// Whichever of the two looks at a string comes first.
TEST(FirstLook, leadsToEveryStringOfTheCorpus) {
  ReadHeuristics heuristics;
  for (const auto &state : lockCorpus()) {
    if (state.type != ValueType::String)
      continue;
    const auto &value = state.parts.front().first;
    const auto look = judge(Probe::Size, state.key, number(static_cast<std::int64_t>(value.size())), heuristics);
    EXPECT_TRUE(look == Probe::Head || look == Probe::StringLock) << state.family << " " << state.key;
    if (look == Probe::Head) {
      EXPECT_EQ(judge(look, state.key, bulk(value), heuristics), Probe::StringLock) << state.family << " " << state.key << " " << value;
    }
  }
}

TEST(FirstLook, ofALongStringUnderAnyNameAsksOnlyWhereSuosHoldersWouldBeAsLong) {
  ReadHeuristics heuristics;
  const auto look = [&](std::int64_t size) { return judge(Probe::Size, "api_calls:4", number(size), heuristics); };
  for (const int holders : {4, 5, 15})
    EXPECT_EQ(look(1 + 35 * holders), Probe::Head) << holders;
  for (const int holders : {16, 40, 1000})
    EXPECT_EQ(look(3 + 35 * holders), Probe::Head) << holders;
  for (const int size : {129, 142, 526 + 35, 35 * 40, 4000})
    EXPECT_EQ(look(size), Probe::NoLock) << size;
}

} // namespace
} // namespace lockhouse::test
