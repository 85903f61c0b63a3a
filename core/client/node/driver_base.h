// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/support/timer_heap.h"
#include "core/net/loop/loop.h"

#include <memory>
#include <utility>
#include <vector>

namespace lockhouse {

/// What a driver of one node and a driver of several have in common: they own tasks (acquisitions, rounds), run their alarms behind one
/// timer, delete them when no call is inside them, and know when all that was to be released is released. Loop thread only.
class DriverBase {
public:
  /// Owned by the driver until it retires.
  class OwnedTask {
  public:
    virtual ~OwnedTask() = default;
    /// A connection to that node is back. `restarted`: the server is another run than before.
    virtual void reconnected(std::size_t node, bool restarted, SteadyTime now) = 0;

    /// The driver's own.
    struct Registration {
      std::size_t index = 0; // in the driver's list
      bool isUnsettled = false;
      bool isRetired = false;
    };
    Registration registration;
  };

  /// Around every call that comes from outside: a reply, an alarm, the owner of a session. Tasks that retire meanwhile are deleted when the
  /// outermost guard ends, so that none is deleted inside its own call.
  class ReentrancyGuard {
  public:
    explicit ReentrancyGuard(DriverBase &driver) : m_driver(driver) { ++m_driver.m_depth; }
    ~ReentrancyGuard() {
      if (--m_driver.m_depth == 0)
        m_driver.deleteRetired();
    }
    ReentrancyGuard(const ReentrancyGuard &) = delete;
    ReentrancyGuard &operator=(const ReentrancyGuard &) = delete;

  private:
    DriverBase &m_driver;
  };

  DriverBase(const DriverBase &) = delete;
  DriverBase &operator=(const DriverBase &) = delete;

  Loop &loop() { return m_loop; }
  /// Nothing is to be released, and no release waits for a reply.
  bool isSettled() const { return m_unsettled == 0; }
  /// Runs `task` once isSettled(); at once if it is so already.
  void whenSettled(Loop::Task task);
  /// The driver is being destroyed and its connections are closed: nothing may be sent any more.
  bool isEnding() const { return m_isEnding; }

  void setAlarm(TimerHeap::Alarm &alarm, SteadyTime when);
  void dropAlarm(TimerHeap::Alarm &alarm) { m_alarms.drop(alarm); }
  /// Whether this task has something to release, or a release without a reply.
  void setUnsettled(OwnedTask &task, bool isUnsettled);
  /// It is deleted when the outermost guard ends.
  void retire(OwnedTask &task);

protected:
  explicit DriverBase(Loop &loop) : m_loop(loop), m_timer(loop) {}
  ~DriverBase() = default;

  template <typename Task, typename... Arguments> Task &newTask(Arguments &&...arguments) {
    auto task = std::make_unique<Task>(std::forward<Arguments>(arguments)...);
    auto &kept = *task;
    kept.registration.index = m_tasks.size();
    m_tasks.push_back(std::move(task));
    return kept;
  }
  void notifyReconnected(std::size_t node, bool restarted, SteadyTime now);
  /// The order of the end: beginEnd(), then the connections are closed, then destroyAll(), then the rest of the driver ends.
  void beginEnd() { m_isEnding = true; }
  void destroyAll() { m_tasks.clear(); }

private:
  void arm();
  void runDueAlarms();
  void deleteRetired();

  Loop &m_loop;
  TimerHeap m_alarms;
  SteadyTime m_armedFor = TimerHeap::never;
  std::vector<std::unique_ptr<OwnedTask>> m_tasks;
  std::vector<OwnedTask *> m_retired;
  std::vector<Loop::Task> m_onSettled;
  int m_unsettled = 0;
  int m_depth = 0; // of the guards
  bool m_isEnding = false;
  Timer m_timer;
};

} // namespace lockhouse
