// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/support/timer_heap.h"
#include "core/net/loop/loop.h"

#include <memory>
#include <utility>
#include <vector>

namespace lockhouse {

/// The part of a driver that is the same for one node and for several: who lives there (tenures, rounds), their alarms behind one timer,
/// their ends at a moment at which nobody stands in them, and when all that was to be given back is known to be gone.
/// Loop thread only.
class DriverBase {
public:
  /// What lives on a driver until it says that it is done. Owned by the driver.
  class OwnedTask : public TimerHeap::Alarm {
  public:
    virtual ~OwnedTask() = default;
    /// A connection to that node stands again; `restarted`: to another run of the server than before.
    virtual void reconnected(std::size_t node, bool restarted, SteadyTime now) = 0;

    /// The driver's own.
    struct Lodging {
      std::size_t place = 0; // in the driver's list
      bool unsettled = false;
      bool retired = false;
    };
    Lodging lodging;
  };

  /// Every call that comes from outside (a reply, an alarm, the owner of a session) is inside one of these: lodgers that come to
  /// their end meanwhile are deleted when the last one ends, not under the feet of their callers.
  class ReentrancyGuard {
  public:
    explicit ReentrancyGuard(DriverBase &turns) : m_turns(turns) { ++m_turns.m_depth; }
    ~ReentrancyGuard() {
      if (--m_turns.m_depth == 0)
        m_turns.scan();
    }
    ReentrancyGuard(const ReentrancyGuard &) = delete;
    ReentrancyGuard &operator=(const ReentrancyGuard &) = delete;

  private:
    DriverBase &m_turns;
  };

  DriverBase(const DriverBase &) = delete;
  DriverBase &operator=(const DriverBase &) = delete;

  Loop &loop() { return m_loop; }
  bool isSettled() const { return m_unsettled == 0; }
  /// Runs `task` once isSettled(); at once if it is so already.
  void whenSettled(Loop::Task task);
  /// The driver is being destroyed, its connections are closed: nothing may be sent any more.
  bool isEnding() const { return m_ending; }

  void setAlarm(TimerHeap::Alarm &alarm, SteadyTime when);
  void dropAlarm(TimerHeap::Alarm &alarm) { m_alarms.drop(alarm); }
  /// Whether this lodger has something to give back, or a release without an answer.
  void setUnsettled(OwnedTask &ownedTask, bool unsettled);
  /// It is deleted at the end of the visit.
  void retire(OwnedTask &ownedTask);

protected:
  explicit DriverBase(Loop &loop) : m_loop(loop), m_timer(loop) {}
  ~DriverBase() = default;

  template <typename Kind, typename... Needs> Kind &lodge(Needs &&...needs) {
    auto ownedTask = std::make_unique<Kind>(std::forward<Needs>(needs)...);
    auto &kept = *ownedTask;
    kept.lodging.place = m_ownedTasks.size();
    m_ownedTasks.push_back(std::move(ownedTask));
    return kept;
  }
  void tellReconnected(std::size_t node, bool restarted, SteadyTime now);
  /// From now on it isEnding(). Then the connections are closed, and then the lodgers are sent away, before anything they lean on ends.
  void beginEnd() { m_ending = true; }
  void destroyAll() { m_ownedTasks.clear(); }

private:
  void arm();
  void ring();
  void scan();

  Loop &m_loop;
  TimerHeap m_alarms;
  SteadyTime m_armed = TimerHeap::never;
  std::vector<std::unique_ptr<OwnedTask>> m_ownedTasks;
  std::vector<OwnedTask *> m_retired;
  std::vector<Loop::Task> m_settleTasks;
  int m_unsettled = 0;
  int m_depth = 0;
  bool m_ending = false;
  Timer m_timer;
};

} // namespace lockhouse
