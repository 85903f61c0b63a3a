// SPDX-License-Identifier: Apache-2.0
#include "core/client/support/timer_heap.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <map>

using namespace lockhouse;
using namespace std::chrono_literals;

namespace {

SteadyTime t(std::chrono::nanoseconds since) { return SteadyTime(1h) + since; }

struct Bell final : public TimerHeap::Alarm {
  void onAlarm(SteadyTime) override { ++rings; }
  int rings = 0;
};

} // namespace

TEST(TimerHeap, ringsInOrderOfTime) {
  TimerHeap heap;
  std::array<Bell, 3> bells;
  heap.set(bells[0], t(3s));
  heap.set(bells[1], t(1s));
  heap.set(bells[2], t(2s));
  EXPECT_EQ(heap.takeDue(t(999ms)), nullptr);
  EXPECT_EQ(heap.takeDue(t(5s)), &bells[1]);
  EXPECT_EQ(heap.takeDue(t(5s)), &bells[2]);
  EXPECT_EQ(heap.takeDue(t(5s)), &bells[0]);
  EXPECT_EQ(heap.takeDue(t(5s)), nullptr);
  EXPECT_EQ(heap.next(), TimerHeap::never);
}

TEST(TimerHeap, anAlarmPutOffRingsOnlyAtItsLaterTime) {
  TimerHeap heap;
  Bell bell;
  heap.set(bell, t(1s));
  heap.set(bell, t(10s));
  EXPECT_EQ(heap.takeDue(t(2s)), nullptr);
  EXPECT_EQ(heap.next(), t(10s));
  EXPECT_EQ(heap.takeDue(t(10s)), &bell);
}

TEST(TimerHeap, anAlarmPutForwardRingsAtItsEarlierTime) {
  TimerHeap heap;
  Bell bell;
  heap.set(bell, t(10s));
  heap.set(bell, t(1s));
  EXPECT_EQ(heap.next(), t(1s));
  EXPECT_EQ(heap.takeDue(t(1s)), &bell);
}

TEST(TimerHeap, anAlarmSetToNeverDoesNotRing) {
  TimerHeap heap;
  Bell bell;
  heap.set(bell, t(1s));
  heap.set(bell, TimerHeap::never);
  EXPECT_EQ(heap.takeDue(t(1h)), nullptr);
  heap.set(bell, t(2s));
  EXPECT_EQ(heap.takeDue(t(1h)), &bell);
}

TEST(TimerHeap, aDroppedAlarmMayEnd) {
  TimerHeap heap;
  Bell stays;
  {
    Bell goes;
    heap.set(goes, t(1s));
    heap.set(stays, t(2s));
    heap.drop(goes);
  }
  EXPECT_EQ(heap.takeDue(t(3s)), &stays);
}

/// Against a plain list of wishes: every alarm rings at its last wish and at no other time, and next() never oversleeps one.
RC_GTEST_PROP(AlarmHeapProperty, ringsExactlyWhatIsDue, ()) {
  TimerHeap heap;
  std::array<Bell, 12> bells;
  std::map<Bell *, SteadyTime> wishes;
  auto now = t(0s);
  const int steps = *rc::gen::inRange(0, 200);
  for (int step = 0; step < steps; ++step) {
    auto &bell = bells[*rc::gen::inRange<std::size_t>(0, bells.size())];
    switch (*rc::gen::inRange(0, 4)) {
    case 0:
    case 1: {
      const auto when = now + std::chrono::milliseconds(*rc::gen::inRange(-5, 50));
      heap.set(bell, when);
      wishes[&bell] = when;
      break;
    }
    case 2:
      *rc::gen::inRange(0, 2) == 0 ? heap.drop(bell) : heap.set(bell, TimerHeap::never);
      wishes.erase(&bell);
      break;
    default:
      now += std::chrono::milliseconds(*rc::gen::inRange(0, 20));
      while (auto *due = heap.takeDue(now)) {
        const auto found = wishes.find(static_cast<Bell *>(due));
        RC_ASSERT(found != wishes.end());
        RC_ASSERT(found->second <= now);
        wishes.erase(found);
      }
      for (const auto &[left, when] : wishes)
        RC_ASSERT(when > now);
    }
    for (const auto &[left, when] : wishes)
      RC_ASSERT(heap.next() <= when);
  }
}
