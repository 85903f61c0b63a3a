// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"

#include <cstddef>
#include <vector>

namespace lockhouse {

/// The alarms of one driver, behind one timer. Made for alarms that are nearly always put off or dropped before they are due (a renewal in
/// ten seconds, a release a microsecond later): to set a later time, or none, only writes a number. The heap is corrected when the earlier
/// time comes.
class TimerHeap {
public:
  static constexpr SteadyTime never = SteadyTime::max();
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  /// The place of an alarm in its heap; the heap's own.
  struct Slot {
    SteadyTime due = never;      // when it is due
    SteadyTime sortedBy = never; // never after `due`
    std::size_t index = none;
  };

  /// It must be dropped from its heap before it ends.
  class Alarm {
  public:
    virtual void onAlarm(SteadyTime now) = 0;
    Slot slot;

  protected:
    Alarm() = default;
    ~Alarm() = default;
    Alarm(const Alarm &) = delete;
    Alarm &operator=(const Alarm &) = delete;
  };

  /// From now on `alarm` is due at `when`, and only then; never = not at all.
  void set(Alarm &alarm, SteadyTime when);
  void drop(Alarm &alarm);
  /// The next alarm that is due, taken out; null if none is.
  Alarm *takeDue(SteadyTime now);
  /// A time by which takeDue() is to be called again; at most the true next one. never when nothing is set.
  SteadyTime next() const { return m_heap.empty() ? never : m_heap.front()->slot.sortedBy; }

private:
  void put(std::size_t index, Alarm *alarm);
  void siftUp(std::size_t index);
  void siftDown(std::size_t index);
  void removeAt(std::size_t index);

  std::vector<Alarm *> m_heap; // binary, by sortedBy
};

} // namespace lockhouse
