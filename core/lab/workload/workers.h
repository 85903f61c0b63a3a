// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/net/loop/loop.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

namespace lockhouse {

/// A few threads for calls that block, started as they are needed. Tasks begin in their order, as soon as a thread is free. Any thread.
class Workers {
public:
  explicit Workers(std::size_t most) : m_most(most) {}
  ~Workers(); ///< waits for the tasks that run; the others are destroyed unrun
  Workers(const Workers &) = delete;
  Workers &operator=(const Workers &) = delete;

  void run(Loop::Task task);

private:
  void work();

  const std::size_t m_most;
  std::mutex m_mutex; // guards all below but the threads, which run() and the destructor alone touch
  std::condition_variable m_wake;
  std::deque<Loop::Task> m_tasks;
  std::size_t m_idle = 0;
  bool m_ending = false;
  std::vector<std::jthread> m_threads;
};

} // namespace lockhouse
