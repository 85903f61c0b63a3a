// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/net/loop/loop.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

namespace lockhouse {

/// A few threads for calls that block, started when they are needed. Tasks start in order when a thread is free. Any thread.
class Workers {
public:
  explicit Workers(std::size_t most) : m_most(most) {}
  ~Workers(); ///< waits for the running tasks; the others are destroyed and never run
  Workers(const Workers &) = delete;
  Workers &operator=(const Workers &) = delete;

  void run(Loop::Task task);

private:
  void work();

  const std::size_t m_most;
  std::mutex m_mutex; // guards all below except the threads, which only run() and the destructor use
  std::condition_variable m_wake;
  std::deque<Loop::Task> m_tasks;
  std::size_t m_idle = 0;
  bool m_ending = false;
  std::vector<std::jthread> m_threads;
};

} // namespace lockhouse
