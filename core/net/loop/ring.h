// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace lockhouse {

/// A first-in first-out queue in one block of memory that grows by doubling and never shrinks: no allocation once it is warm,
/// where a std::deque allocates and frees a node for every few commands in flight.
template <class T> class Ring {
public:
  bool empty() const { return m_size == 0; }
  std::size_t size() const { return m_size; }
  T &front() { return m_slots[m_head]; }
  const T &front() const { return m_slots[m_head]; }
  T &back() { return m_slots[(m_head + m_size - 1) & (m_slots.size() - 1)]; }
  const T &back() const { return m_slots[(m_head + m_size - 1) & (m_slots.size() - 1)]; }

  void push(T value) {
    if (m_size == m_slots.size())
      grow();
    m_slots[(m_head + m_size++) & (m_slots.size() - 1)] = std::move(value);
  }
  T pop() {
    T value = std::exchange(m_slots[m_head], T{});
    m_head = (m_head + 1) & (m_slots.size() - 1);
    --m_size;
    return value;
  }

private:
  static constexpr std::size_t firstSize = 16;
  std::vector<T> m_slots; // a power of two of them, so that a mask wraps the index
  std::size_t m_head = 0;
  std::size_t m_size = 0;

  void grow() {
    std::vector<T> wider(m_slots.empty() ? firstSize : m_slots.size() * 2);
    for (std::size_t i = 0; i < m_size; ++i)
      wider[i] = std::move(m_slots[(m_head + i) & (m_slots.size() - 1)]);
    m_slots = std::move(wider);
    m_head = 0;
  }
};

} // namespace lockhouse
