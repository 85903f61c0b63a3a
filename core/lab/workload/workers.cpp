// SPDX-License-Identifier: Apache-2.0
#include "core/lab/workload/workers.h"

#include <utility>

namespace lockhouse {

Workers::~Workers() {
  std::deque<Loop::Task> unrun; // destroyed without the mutex: destructors may do anything
  {
    const std::scoped_lock guard(m_mutex);
    m_ending = true;
    unrun.swap(m_tasks);
  }
  unrun.clear();
  m_wake.notify_all();
  m_threads.clear();
}

void Workers::run(Loop::Task task) {
  const std::scoped_lock guard(m_mutex);
  m_tasks.push_back(std::move(task));
  if (m_tasks.size() > m_idle && m_threads.size() < m_most)
    m_threads.emplace_back([this] { work(); });
  else
    m_wake.notify_one();
}

void Workers::work() {
  std::unique_lock guard(m_mutex);
  while (true) {
    ++m_idle;
    m_wake.wait(guard, [this] { return m_ending || !m_tasks.empty(); });
    --m_idle;
    if (m_ending)
      return;
    auto task = std::move(m_tasks.front());
    m_tasks.pop_front();
    guard.unlock();
    task();
    task = {}; // destroyed here, without the mutex
    guard.lock();
  }
}

} // namespace lockhouse
