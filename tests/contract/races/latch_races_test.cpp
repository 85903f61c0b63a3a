// SPDX-License-Identifier: Apache-2.0
// Waits for latches and cancels as fast as they go, after which there is nothing left, while the clients are still there.
#include "tests/contract/world/latch_house.h"

#include <array>
#include <random>
#include <thread>

using namespace lockhouse;
using namespace lockhouse::test;

class LatchRaces : public LatchHouse {
protected:
  static constexpr std::size_t clients = 3;
  static constexpr std::size_t waiters = 12;

  void SetUp() override {
    LatchHouse::SetUp();
    for (std::size_t i = 0; i < clients; ++i)
      m_own.push_back(latchOf(client()));
  }
  /// Closes and opens the latch until all are through; it is open at the end.
  void turnTheLatch() {
    auto keeper = latchOf(client());
    while (m_done < waiters) {
      valueOf(keeper.trySetCount(2));
      valueOf(keeper.countDown());
      valueOf(m_own.front().countDown());
    }
  }
  /// One after another: a wait that nothing befalls, or a limit, or a cancel some turns of a loop after its start.
  void waitOverAndOver(std::size_t who, std::uint64_t races) {
    std::mt19937_64 chance(who + 1);
    for (std::uint64_t i = 0; i < races; ++i) {
      std::stop_source stop;
      std::optional<milliseconds> limit;
      const auto fate = chance() % 4;
      if (fate == 0)
        limit = milliseconds(chance() % 3);
      else if (fate != 1)
        stopAfter(static_cast<int>(chance() % 30), stop);
      const auto began = SteadyClock::now();
      const bool opened = valueOf(m_own.at(who % clients).wait(limit, stop.get_token()));
      EXPECT_LT(SteadyClock::now() - began, 8s) << "left to a poll, which comes after 10 s";
      EXPECT_TRUE(opened || limit || stop.stop_requested());
      ++m_ended.at(opened ? 0 : limit ? 1 : 2);
    }
    ++m_done;
  }
  std::array<std::atomic<std::uint64_t>, 3> m_ended{}; // opened, too late, cancelled
  std::atomic<std::size_t> m_done = 0;

private:
  void stopAfter(int turns, std::stop_source stop) {
    loop().post([this, turns, stop = std::move(stop)]() mutable {
      if (turns > 0)
        stopAfter(turns - 1, std::move(stop));
      else
        stop.request_stop();
    });
  }

  std::vector<CountDownLatch> m_own;
};
INSTANTIATE_TEST_SUITE_P(Every, LatchRaces, testing::ValuesIn(latchTopologies({Topology::UnixSocket, Topology::Tls, Topology::Replicas})), latchName);

TEST_P(LatchRaces, ofWaitsAndCancelsLeaveNothingBehind) {
  const auto each = extent().races / waiters + 1;
  {
    std::vector<std::jthread> threads;
    threads.emplace_back([this] { turnTheLatch(); });
    for (std::size_t i = 0; i < waiters; ++i)
      threads.emplace_back([this, i, each] { waitOverAndOver(i, each); });
  }
  const auto all = each * waiters;
  EXPECT_EQ(m_ended[0] + m_ended[1] + m_ended[2], all);
  EXPECT_GT(m_ended[0], all / 20);
  EXPECT_GT(m_ended[2], all / 50) << "not all of them ended before they were cancelled";
  expectNobodyThere();
}
