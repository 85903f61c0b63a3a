// SPDX-License-Identifier: Apache-2.0
#include "core/client/support/timer_heap.h"

namespace lockhouse {

void TimerHeap::set(Alarm &alarm, SteadyTime when) {
  alarm.slot.due = when;
  if (alarm.slot.index == none) {
    if (when == never)
      return;
    alarm.slot.sortedBy = when;
    m_heap.push_back(&alarm);
    siftUp(m_heap.size() - 1);
  } else if (when < alarm.slot.sortedBy) {
    alarm.slot.sortedBy = when;
    siftUp(alarm.slot.index);
  }
}

void TimerHeap::drop(Alarm &alarm) {
  alarm.slot.due = never;
  if (alarm.slot.index != none)
    removeAt(alarm.slot.index);
}

TimerHeap::Alarm *TimerHeap::takeDue(SteadyTime now) {
  while (!m_heap.empty() && m_heap.front()->slot.sortedBy <= now) {
    Alarm *alarm = m_heap.front();
    if (alarm->slot.due <= now || alarm->slot.due == never) {
      const bool isDue = alarm->slot.due <= now;
      removeAt(0);
      alarm->slot.due = never;
      if (isDue)
        return alarm;
    } else {
      alarm->slot.sortedBy = alarm->slot.due;
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
  while (index > 0 && alarm->slot.sortedBy < m_heap[(index - 1) / 2]->slot.sortedBy) {
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
    if (child + 1 < m_heap.size() && m_heap[child + 1]->slot.sortedBy < m_heap[child]->slot.sortedBy)
      ++child;
    if (m_heap[child]->slot.sortedBy >= alarm->slot.sortedBy)
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
