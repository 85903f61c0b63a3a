// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/net/loop/loop.h"

#include <asio/basic_waitable_timer.hpp>
#include <asio/io_context.hpp>

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

namespace lockhouse {

/// The Asio side of a Loop: the context that its thread runs, and the inbox of tasks. The inbox is a vector drained in one go
/// rather than a handler of the context a task, so that a burst of posts costs one wake-up.
struct Loop::Engine {
  explicit Engine(Wait wait) : m_wait(wait) {}

  asio::io_context io{1};
  std::thread thread;
  std::mutex joining; // one caller of Loop::stop() joins the thread, the others wait for it

  bool post(Task &task); ///< false, and `task` untouched, once stopped
  void run();            ///< the thread
  void stop();
  bool isHere() const { return m_owner.load(std::memory_order_relaxed) == std::this_thread::get_id(); }

private:
  std::mutex m_mutex; // guards the three below
  std::vector<Task> m_inbox;
  bool m_drainPosted = false;
  bool m_stopped = false;
  std::vector<Task> m_running; // loop thread: the tasks of this drain, kept for its capacity
  std::atomic<std::thread::id> m_owner{};

  void drain();
  void turn();

  const Wait m_wait;
  bool m_answersFast = false; // loop thread: the last wait was over before it was worth sleeping
};

/// Lets a wait end early at most every second: epoll counts CLOCK_MONOTONIC, which stands still while the machine sleeps, and a
/// timer that is due by CLOCK_BOOTTIME is only seen when the wait ends.
struct WakingWaits {
  static SteadyClock::duration to_wait_duration(const SteadyClock::duration &duration) { return std::min<SteadyClock::duration>(duration, seconds(1)); }
  static SteadyClock::duration to_wait_duration(const SteadyClock::time_point &time) { return to_wait_duration(time - SteadyClock::now()); }
};
using EngineTimer = asio::basic_waitable_timer<SteadyClock, WakingWaits, asio::io_context::executor_type>;

} // namespace lockhouse
