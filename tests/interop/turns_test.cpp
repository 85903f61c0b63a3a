// SPDX-License-Identifier: Apache-2.0
// We and the library have the lock in turn, each waiting for the other.
#include "tests/interop/meeting.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <regex>

using namespace lockhouse;
using namespace lockhouse::test;

class Turns : public Meeting {
protected:
  static milliseconds between(SharedTime from, SharedTime to) { return std::chrono::duration_cast<milliseconds>(to - from); }

  /// Both handoffs of one turn: ours to them, theirs to us.
  void turn() {
    auto held = ours().acquire();
    ASSERT_TRUE(held) << held.error().sentence();
    EXPECT_EQ(holder(), held->token().bytes());
    EXPECT_TRUE(takeTheirs("another").no()) << "both are inside";
    auto waiting = whenWaiting([&] { return waitTheirs(); });
    const auto given = SharedClock::now();
    EXPECT_EQ(held->release(), ReleaseOutcome::Released);
    const auto taken = waiting.get();
    ASSERT_TRUE(taken.ok()) << taken.text;
    EXPECT_GE(taken.at, given) << "both are inside";
    m_toThem.push_back(between(given, taken.at));
    EXPECT_TRUE(std::regex_match(holder(), std::regex(format().holder))) << holder();
    ASSERT_NO_FATAL_FAILURE(back());
  }

  milliseconds median(std::vector<milliseconds> delays) {
    std::ranges::nth_element(delays, delays.begin() + static_cast<std::ptrdiff_t>(delays.size() / 2));
    return delays.at(delays.size() / 2);
  }

  std::vector<milliseconds> m_toThem, m_toUs;

private:
  void back() {
    EXPECT_FALSE(ours().tryAcquire()) << "both are inside";
    auto waiting = whenWaiting([&] { return waitOurs(); });
    const auto given = giveTheirs();
    ASSERT_TRUE(given.ok()) << given.text;
    auto held = waiting.get();
    const auto taken = SharedClock::now();
    ASSERT_TRUE(held) << held.error().sentence();
    m_toUs.push_back(between(given.at, taken));
    EXPECT_EQ(held->release(), ReleaseOutcome::Released);
  }
};
INSTANTIATE_TEST_SUITE_P(Every, Turns, testing::ValuesIn(formats()), formatName);

TEST_P(Turns, neverHaveBothInsideAndNobodyWaitsLongerThanItsFormatMakesIt) {
  for (int i = 0; i < 20; ++i)
    ASSERT_NO_FATAL_FAILURE(turn()) << "turn " << i;
  RecordProperty("medianToThem", std::to_string(median(m_toThem).count()));
  RecordProperty("medianToUs", std::to_string(median(m_toUs).count()));
  if (format().wake == Format::Wake::ByPolling) {
    EXPECT_LE(median(m_toThem), 2 * format().poll);
    EXPECT_LE(median(m_toUs), 4 * AcquirePolicy::backoff().cap);
  } else {
    EXPECT_LT(std::ranges::max(m_toThem), farBelowTheLease) << "no message woke them";
    EXPECT_LT(std::ranges::max(m_toUs), farBelowTheLease) << "no message woke us";
  }
}
