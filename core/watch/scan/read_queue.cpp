// SPDX-License-Identifier: Apache-2.0
#include "core/watch/scan/read_queue.h"

#include <algorithm>
#include <utility>

namespace lockhouse {
namespace {

constexpr std::size_t mostKeys = 200'000;
constexpr std::size_t mostBytes = 32 * 1024 * 1024;
constexpr unsigned coldStreak = 3;
constexpr milliseconds firstRest(50);
constexpr milliseconds longestRest(1000);

} // namespace

void ReadQueue::merge(Mark &into, const Mark &from) {
  if (from.hinted) // it may have changed since the sweep saw its type
    into.type = ValueType::Unknown;
  into.companion.add(from.companion);
  into.hinted |= from.hinted;
  into.scanned |= from.scanned;
  into.urgent |= from.urgent;
}

bool ReadQueue::mark(std::string_view key, const Mark &mark, SteadyTime now) {
  const auto known = m_keys.find(key);
  if (known == m_keys.end()) {
    if (m_keys.size() >= mostKeys || m_bytes + key.size() > mostBytes)
      return false;
    const auto [fresh, isNew] = m_keys.try_emplace(std::string(key));
    fresh->second.mark = mark;
    fresh->second.generation = m_generation;
    ++m_open[m_generation % 2];
    m_bytes += key.size();
    m_openScanned += mark.scanned;
    enqueue(fresh, now);
    return true;
  }
  auto &state = known->second;
  if (!state.reading) {
    m_openScanned += mark.scanned && !state.mark.scanned;
    merge(state.mark, mark);
    return true;
  }
  m_openScanned += mark.scanned && !(state.again && state.next.scanned);
  if (!state.again) {
    state.again = true;
    state.next = mark;
    state.nextGeneration = m_generation;
    ++m_open[m_generation % 2];
  } else {
    merge(state.next, mark);
  }
  return true;
}

void ReadQueue::hintAll() {
  for (auto &[name, state] : m_keys) {
    if (!state.reading) {
      merge(state.mark, {.hinted = true});
      continue;
    }
    if (!std::exchange(state.again, true)) {
      state.next = {};
      state.nextGeneration = m_generation;
      ++m_open[m_generation % 2];
    }
    state.next.hinted = state.next.urgent = true;
  }
}

void ReadQueue::enqueue(Keys::iterator key, SteadyTime now) {
  const auto &[name, state] = *key;
  if (state.mark.urgent)
    return m_urgent.push_back(&name);
  const auto hash = Hash{}(name);
  const auto &cold = m_cold[hash % coldSize];
  if (cold.hash == hash && cold.streak >= coldStreak && !state.mark.scanned) {
    const auto rest = std::min(longestRest, firstRest * (1 << std::min(cold.streak - coldStreak, 5U)));
    if (now < cold.readAt + rest) {
      m_deferred.emplace(cold.readAt + rest, &name);
      return;
    }
  }
  m_idle.push_back(&name);
}

bool ReadQueue::isReady(SteadyTime now) {
  while (!m_deferred.empty() && m_deferred.begin()->first <= now) {
    m_idle.push_back(m_deferred.begin()->second);
    m_deferred.erase(m_deferred.begin());
  }
  return waiting() > 0;
}

ReadQueue::Item ReadQueue::next() {
  auto &queue = m_urgent.empty() ? m_idle : m_urgent;
  const auto key = m_keys.find(*queue.front());
  queue.pop_front();
  key->second.reading = true;
  return {key->first, key->second.mark};
}

void ReadQueue::finish(std::string_view name, bool isLock, SteadyTime now) {
  const auto key = m_keys.find(name);
  if (key == m_keys.end())
    return;
  const auto hash = Hash{}(name);
  auto &cold = m_cold[hash % coldSize];
  if (isLock && cold.hash == hash)
    cold = {};
  else if (!isLock)
    cold = {hash, cold.hash == hash ? cold.streak + 1 : 1, now};
  auto &state = key->second;
  --m_open[state.generation % 2];
  m_openScanned -= state.mark.scanned;
  if (state.again) {
    state = {.mark = state.next, .generation = state.nextGeneration, .reading = false, .again = false, .next = {}, .nextGeneration = 0};
    enqueue(key, now);
    return;
  }
  m_bytes -= key->first.size();
  m_keys.erase(key);
}

void ReadQueue::clear() {
  m_urgent.clear();
  m_idle.clear();
  m_deferred.clear();
  m_keys.clear();
  m_bytes = m_openScanned = 0;
  m_open = {};
}

bool ReadQueue::isHinted(std::string_view name) const {
  const auto key = m_keys.find(name);
  return key != m_keys.end() && (key->second.reading ? key->second.again && key->second.next.hinted : key->second.mark.hinted);
}

bool ReadQueue::closeGeneration() {
  if (!isClosedDone())
    return false;
  ++m_generation;
  return true;
}

} // namespace lockhouse
