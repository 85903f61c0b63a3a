// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"

#include <cstdint>
#include <functional>
#include <memory>

namespace lockhouse {

/// One thread that runs everything a group of connections needs: sockets, timers, and tasks posted from outside.
/// Objects that live on a loop (Connection, Subscriber, Timer, machines' drivers) are touched on its thread only; other
/// threads reach them with post(), the only crossing. What lives on a loop is destroyed before the loop: on its thread, or on any
/// thread once stop() has returned there.
class Loop {
public:
  using Task = std::move_only_function<void()>;

  /// How the thread waits for the next thing to do. Awake is for those who wait for answers: to fall asleep and be woken takes longer
  /// than a server on the same machine takes to answer, so as long as waits prove shorter than 100 us, the thread polls (and yields
  /// its core to whoever wants it) instead of sleeping; after one that was longer, it sleeps again.
  enum class Wait : std::uint8_t { Asleep, Awake };

  explicit Loop(Wait wait = Wait::Asleep); ///< starts the thread
  ~Loop();                                 ///< stop(), then joins. Not from the loop's own thread.
  Loop(const Loop &) = delete;
  Loop &operator=(const Loop &) = delete;

  /// Runs `task` on the loop's thread, after what is already queued. Any thread. Tasks posted after stop() are destroyed unrun.
  void post(Task task);
  /// Runs `task` on the loop and waits for it; runs it at once when already on the loop. False if the loop had stopped.
  bool call(Task task);
  bool isLoopThread() const;
  /// Ends the thread after the task that now runs; queued tasks are destroyed unrun. Any thread, idempotent. Returns when the
  /// thread has ended, except on the loop itself.
  void stop();

  struct Engine; ///< the Asio side, known in core/net only
  Engine &engine() { return *m_engine; }

private:
  std::unique_ptr<Engine> m_engine;
};

/// A single-shot timer on a loop. Loop thread only. Destruction cancels: the task is then never run.
/// Counts by SteadyClock: one that came due while the machine slept runs within a second of its waking.
class Timer {
public:
  explicit Timer(Loop &loop);
  ~Timer();
  Timer(Timer &&) noexcept;
  Timer &operator=(Timer &&) noexcept;

  /// Runs `task` once after `delay` (at once, but never inside this call, for zero or less). Replaces what was set before.
  void after(std::chrono::nanoseconds delay, Loop::Task task);
  void cancel();
  bool isSet() const;

private:
  struct State;
  std::shared_ptr<State> m_state;
};

} // namespace lockhouse
