// SPDX-License-Identifier: Apache-2.0
// Everybody at once: who was inside when, by the clock that all processes share.
#include "tests/interop/meeting.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <thread>

using namespace lockhouse;
using namespace lockhouse::test;

class Exclusion : public Meeting {
protected:
  struct Stay {
    SharedTime from, to;
    std::string who;
  };

  void note(Stay stay) {
    const std::scoped_lock guard(m_mutex);
    m_stays.push_back(std::move(stay));
  }
  void stayAsTheirs(const std::string &owner, int times) {
    for (int i = 0; i < times; ++i) {
      const auto taken = waitTheirs(owner).get();
      ASSERT_TRUE(taken.ok()) << owner << ": " << taken.text;
      ++m_entriesOfTheirs;
      stayUntilWaitedFor();
      const auto given = giveTheirs(owner);
      ASSERT_TRUE(given.ok()) << owner << ": " << given.text;
      note({taken.at, given.at, owner});
    }
  }
  /// Asks again at once every other time; else when one of theirs is inside, which by their long pauses they would seldom be.
  void stayAsOurs(const std::string &owner, int times) {
    for (int i = 0; i < times; ++i) {
      const int entries = m_entriesOfTheirs;
      EXPECT_TRUE(i % 2 == 0 || eventually([&] { return m_entriesOfTheirs > entries || m_leaving > 0; }))
          << "free, and nobody was woken: exists " << probe().number({"EXISTS", key()});
      auto held = ours({.waitLimit = 25s}).acquire();
      const auto taken = SharedClock::now();
      ASSERT_TRUE(held) << owner << ": " << held.error().sentence();
      stayUntilWaitedFor();
      const auto given = SharedClock::now();
      ASSERT_EQ(held->release(), ReleaseOutcome::Released);
      note({taken, given, owner});
    }
  }
  std::vector<Stay> stays() {
    std::ranges::sort(m_stays, {}, &Stay::from);
    return m_stays;
  }

  std::atomic<int> m_leaving = 0; // owners who are done: from then on there may be nobody to wait for

private:
  /// So that every stay is contended.
  void stayUntilWaitedFor() {
    const auto asked = askedSoFar();
    EXPECT_TRUE(eventually([&] { return isWaitedFor(asked) || m_leaving > 0; }));
  }

  std::mutex m_mutex; // guards m_stays
  std::vector<Stay> m_stays;
  std::atomic<int> m_entriesOfTheirs = 0;
};
INSTANTIATE_TEST_SUITE_P(Every, Exclusion, testing::ValuesIn(formats()), formatName);

TEST_P(Exclusion, holdsWhileThreeOwnersOfTwoLibrariesContend) {
  {
    std::vector<std::jthread> owners;
    const auto begin = [&](auto stays) {
      owners.emplace_back([this, stays] {
        stays();
        ++m_leaving;
      });
    };
    begin([&] { stayAsTheirs("one", 20); });
    begin([&] { stayAsOurs("ours", 20); });
    begin([&] { stayAsTheirs("two", 20); });
  }
  const auto all = stays();
  EXPECT_EQ(all.size(), 60U) << "everybody got in";
  for (std::size_t i = 1; i < all.size(); ++i)
    EXPECT_GE(all[i].from, all[i - 1].to) << all[i - 1].who << " was inside when " << all[i].who << " came";
}
