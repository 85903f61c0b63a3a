// SPDX-License-Identifier: Apache-2.0
#include "core/watch/node/lease_heap.h"

namespace lockhouse {

void LeaseHeap::add(SteadyTime at, const std::string &key, Place &place) {
  m_heap.emplace_back();
  raise({at, &key, &place}, m_heap.size() - 1);
}

void LeaseHeap::remove(Place place) {
  *m_heap[place].place = nowhere;
  const auto last = m_heap.back();
  m_heap.pop_back();
  if (place == m_heap.size())
    return;
  if (place > 0 && last.at < m_heap[(place - 1) / 2].at)
    raise(last, place);
  else
    sink(last, place);
}

void LeaseHeap::put(End end, Place place) {
  *end.place = place;
  m_heap[place] = end;
}

void LeaseHeap::raise(End end, Place place) {
  for (; place > 0 && end.at < m_heap[(place - 1) / 2].at; place = (place - 1) / 2)
    put(m_heap[(place - 1) / 2], place);
  put(end, place);
}

void LeaseHeap::sink(End end, Place place) {
  for (auto child = 2 * place + 1; child < m_heap.size(); child = 2 * place + 1) {
    if (child + 1 < m_heap.size() && m_heap[child + 1].at < m_heap[child].at)
      ++child;
    if (end.at <= m_heap[child].at)
      break;
    put(m_heap[child], place);
    place = child;
  }
  put(end, place);
}

} // namespace lockhouse
