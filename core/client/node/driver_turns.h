// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/support/alarm_heap.h"
#include "core/net/loop/loop.h"

#include <memory>
#include <utility>
#include <vector>

namespace lockhouse {

/// The part of a driver that is the same for one node and for several: who lives there (tenures, rounds), their alarms behind one timer,
/// their ends at a moment at which nobody stands in them, and when all that was to be given back is known to be gone.
/// Loop thread only.
class DriverTurns {
public:
  /// What lives on a driver until it says that it is done. Owned by the driver.
  class Lodger : public AlarmHeap::Alarm {
  public:
    virtual ~Lodger() = default;
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
  class Visit {
  public:
    explicit Visit(DriverTurns &turns) : m_turns(turns) { ++m_turns.m_depth; }
    ~Visit() {
      if (--m_turns.m_depth == 0)
        m_turns.sweep();
    }
    Visit(const Visit &) = delete;
    Visit &operator=(const Visit &) = delete;

  private:
    DriverTurns &m_turns;
  };

  DriverTurns(const DriverTurns &) = delete;
  DriverTurns &operator=(const DriverTurns &) = delete;

  Loop &loop() { return m_loop; }
  bool isSettled() const { return m_unsettled == 0; }
  /// Runs `task` once isSettled(); at once if it is so already.
  void whenSettled(Loop::Task task);
  /// The driver is being destroyed, its connections are closed: nothing may be sent any more.
  bool isEnding() const { return m_ending; }

  void setAlarm(AlarmHeap::Alarm &alarm, SteadyTime when);
  void dropAlarm(AlarmHeap::Alarm &alarm) { m_alarms.drop(alarm); }
  /// Whether this lodger has something to give back, or a release without an answer.
  void setUnsettled(Lodger &lodger, bool unsettled);
  /// It is deleted at the end of the visit.
  void retire(Lodger &lodger);

protected:
  explicit DriverTurns(Loop &loop) : m_loop(loop), m_timer(loop) {}
  ~DriverTurns() = default;

  template <typename Kind, typename... Needs> Kind &lodge(Needs &&...needs) {
    auto lodger = std::make_unique<Kind>(std::forward<Needs>(needs)...);
    auto &kept = *lodger;
    kept.lodging.place = m_lodgers.size();
    m_lodgers.push_back(std::move(lodger));
    return kept;
  }
  void tellReconnected(std::size_t node, bool restarted, SteadyTime now);
  /// From now on it isEnding(). Then the connections are closed, and then the lodgers are sent away, before anything they lean on ends.
  void beginEnd() { m_ending = true; }
  void sendAway() { m_lodgers.clear(); }

private:
  void arm();
  void ring();
  void sweep();

  Loop &m_loop;
  AlarmHeap m_alarms;
  SteadyTime m_armed = AlarmHeap::never;
  std::vector<std::unique_ptr<Lodger>> m_lodgers;
  std::vector<Lodger *> m_retired;
  std::vector<Loop::Task> m_settleTasks;
  int m_unsettled = 0;
  int m_depth = 0;
  bool m_ending = false;
  Timer m_timer;
};

} // namespace lockhouse
