// SPDX-License-Identifier: Apache-2.0
#include "core/client/support/timer_heap.h"

namespace lockhouse {

void TimerHeap::set(Alarm &alarm, SteadyTime when) {
  alarm.slot.wish = when;
  if (alarm.slot.index == none) {
    if (when == never)
      return;
    alarm.slot.place = when;
    m_heap.push_back(&alarm);
    siftUp(m_heap.size() - 1);
  } else if (when < alarm.slot.place) {
    alarm.slot.place = when;
    siftUp(alarm.slot.index);
  }
}

void TimerHeap::drop(Alarm &alarm) {
  alarm.slot.wish = never;
  if (alarm.slot.index != none)
    removeAt(alarm.slot.index);
}

TimerHeap::Alarm *TimerHeap::takeDue(SteadyTime now) {
  while (!m_heap.empty() && m_heap.front()->slot.place <= now) {
    Alarm *alarm = m_heap.front();
    if (alarm->slot.wish <= now || alarm->slot.wish == never) {
      const bool due = alarm->slot.wish <= now;
      removeAt(0);
      alarm->slot.wish = never;
      if (due)
        return alarm;
    } else {
      alarm->slot.place = alarm->slot.wish;
      siftDown(0);
    }
  }
  return nullptr;
}

void TimerHeap::put(std::size_t index, Alarm *alarm) {
  m_heap[index] = alarm;
  alarm->slot.index = index;
}

void TimerHeap::siftUp(std::size_t index) {
  Alarm *alarm = m_heap[index];
  while (index > 0 && alarm->slot.place < m_heap[(index - 1) / 2]->slot.place) {
    put(index, m_heap[(index - 1) / 2]);
    index = (index - 1) / 2;
  }
  put(index, alarm);
}

void TimerHeap::siftDown(std::size_t index) {
  Alarm *alarm = m_heap[index];
  while (true) {
    std::size_t child = 2 * index + 1;
    if (child >= m_heap.size())
      break;
    if (child + 1 < m_heap.size() && m_heap[child + 1]->slot.place < m_heap[child]->slot.place)
      ++child;
    if (m_heap[child]->slot.place >= alarm->slot.place)
      break;
    put(index, m_heap[child]);
    index = child;
  }
  put(index, alarm);
}

void TimerHeap::removeAt(std::size_t index) {
  m_heap[index]->slot.index = none;
  Alarm *last = m_heap.back();
  m_heap.pop_back();
  if (index == m_heap.size())
    return;
  put(index, last);
  siftUp(index);
  siftDown(last->slot.index);
}

} // namespace lockhouse
