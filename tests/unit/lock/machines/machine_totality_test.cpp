// SPDX-License-Identifier: Apache-2.0
// Every event in every state: legal, and the machine's promises hold whatever comes.
#include "core/lock/machines/acquire_machine.h"
#include "core/lock/machines/lease_watchdog.h"
#include "core/lock/machines/release_machine.h"
#include "tests/unit/lock/manual_time.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

using namespace lockhouse;
using namespace lockhouse::test;

namespace {

constexpr auto acquireKinds = static_cast<int>(AcquireEvent::Kind::Cancel) + 1;
constexpr auto leaseKinds = static_cast<int>(LeaseEvent::Kind::Stop) + 1;
constexpr auto releaseKinds = static_cast<int>(ReleaseEvent::Alarm) + 1;

/// Runs `visit(sequence)` for every sequence of `length` numbers below `kinds`.
template <class Visit> void everySequence(int kinds, int length, Visit visit) {
  std::vector<int> sequence(static_cast<std::size_t>(length), 0);
  while (true) {
    visit(sequence);
    std::size_t place = 0;
    while (place < sequence.size() && ++sequence[place] == kinds)
      sequence[place++] = 0;
    if (place == sequence.size())
      return;
  }
}

} // namespace

TEST(MachineTotality, acquireTakesEveryEventInEveryStateAndReportsOnce) {
  std::set<std::pair<int, int>> visited;
  for (const auto policy : {AcquirePolicy::tryOnce(), AcquirePolicy::spin(), AcquirePolicy::backoff(), AcquirePolicy::pubSub()})
    everySequence(acquireKinds, 4, [&](const std::vector<int> &sequence) {
      AcquireMachine machine({.policy = policy, .lease = 100ms, .deadline = t(30ms)});
      int reports = 0;
      bool askOpen = false;
      auto when = 0ms;
      for (const int kind : sequence) {
        when += 11ms;
        const auto before = machine.state();
        visited.emplace(static_cast<int>(before), kind);
        const auto actions = machine.on({static_cast<AcquireEvent::Kind>(kind)}, t(when));
        reports += actions.report ? 1 : 0;
        EXPECT_FALSE(actions.ask && before == AcquireMachine::State::Asking && machine.asks() > 1 && !askOpen);
        askOpen = actions.ask || (askOpen && (machine.state() == AcquireMachine::State::Asking || machine.state() == AcquireMachine::State::GivingUp));
        EXPECT_EQ(reports > 0, machine.verdict() != AcquireMachine::Verdict::None);
        if (machine.settled()) {
          EXPECT_EQ(actions.alarm, AcquireActions::never);
          EXPECT_FALSE(actions.ask || actions.subscribe);
        }
      }
      EXPECT_LE(reports, 1);
    });
  const auto states = static_cast<std::size_t>(AcquireMachine::State::Done) + 1;
  EXPECT_EQ(visited.size(), states * static_cast<std::size_t>(acquireKinds)) << "every state met every event";
}

TEST(MachineTotality, leaseWatchdogTakesEveryEventInEveryState) {
  std::set<std::pair<int, int>> visited;
  for (const bool renew : {true, false})
    everySequence(leaseKinds, 4, [&](const std::vector<int> &sequence) {
      LeaseWatchdog dog;
      if (sequence[0] % 2 == 0)
        dog.start(t(0s), t(25s), 30s, renew ? LeaseWatchdog::Renewals::On : LeaseWatchdog::Renewals::None, 1);
      int losses = 0;
      bool over = dog.state() == LeaseWatchdog::State::Off;
      auto when = 0s;
      for (const int kind : sequence) {
        when += 9s;
        visited.emplace(static_cast<int>(dog.state()), kind);
        const auto actions = dog.on({static_cast<LeaseEvent::Kind>(kind)}, t(when));
        losses += actions.lost ? 1 : 0;
        EXPECT_FALSE(over && (actions.send || actions.lost)) << "nothing after loss or stop";
        over = over || dog.state() == LeaseWatchdog::State::Off || dog.state() == LeaseWatchdog::State::Lost;
        EXPECT_EQ(over, actions.alarm == LeaseActions::never);
      }
      EXPECT_LE(losses, 1);
    });
  EXPECT_EQ(visited.size(), (static_cast<std::size_t>(LeaseWatchdog::State::Lost) + 1) * static_cast<std::size_t>(leaseKinds));
}

TEST(MachineTotality, releaseTakesEveryEventInEveryStateAndReportsOnce) {
  std::set<std::pair<int, int>> visited;
  for (const bool doubtful : {true, false})
    everySequence(releaseKinds, 5, [&](const std::vector<int> &sequence) {
      ReleaseMachine machine({.leaseEnds = t(20s), .keyGone = t(30s), .reportBy = t(3s), .doubtful = doubtful});
      int reports = 0;
      auto when = 0s;
      for (const int kind : sequence) {
        visited.emplace(static_cast<int>(machine.state()), kind);
        const auto actions = machine.on(static_cast<ReleaseEvent>(kind), t(when));
        when += 2s;
        reports += actions.report ? 1 : 0;
        if (machine.settled()) {
          EXPECT_FALSE(actions.send);
        } else {
          EXPECT_TRUE(reports > 0 || actions.alarm <= t(3s)) << "the caller is told in time";
          EXPECT_TRUE(machine.state() != ReleaseMachine::State::Pausing || actions.alarm != ReleaseActions::never) << "a pause always ends";
        }
      }
      EXPECT_LE(reports, 1);
    });
  EXPECT_EQ(visited.size(), (static_cast<std::size_t>(ReleaseMachine::State::Done) + 1) * static_cast<std::size_t>(releaseKinds));
}
