// SPDX-License-Identifier: Apache-2.0
#include "core/client/node/driver_turns.h"

namespace lockhouse {

void DriverTurns::whenSettled(Loop::Task task) {
  if (isSettled())
    task();
  else
    m_settleTasks.push_back(std::move(task));
}

void DriverTurns::setUnsettled(Lodger &lodger, bool unsettled) {
  if (std::exchange(lodger.lodging.unsettled, unsettled) == unsettled)
    return;
  m_unsettled += unsettled ? 1 : -1;
  if (m_unsettled > 0 || m_settleTasks.empty())
    return;
  for (auto &task : std::exchange(m_settleTasks, {}))
    m_loop.post(std::move(task)); // not here: the lodger is in the middle of something
}

void DriverTurns::setAlarm(AlarmHeap::Alarm &alarm, SteadyTime when) {
  m_alarms.set(alarm, when);
  if (m_alarms.next() < m_armed && !m_ending)
    arm();
}

void DriverTurns::arm() {
  m_armed = m_alarms.next();
  if (m_armed != AlarmHeap::never)
    m_timer.after(m_armed - SteadyClock::now(), [this] { ring(); });
}

void DriverTurns::ring() {
  const Visit visit(*this);
  const auto now = SteadyClock::now();
  m_armed = now; // nothing that is set while we ring needs the timer
  while (auto *alarm = m_alarms.takeDue(now))
    alarm->ring(now);
  arm();
}

void DriverTurns::tellReconnected(std::size_t node, bool restarted, SteadyTime now) {
  for (std::size_t i = 0; i < m_lodgers.size(); ++i) // by index: a holder who is told of a loss may make new ones
    m_lodgers[i]->reconnected(node, restarted, now);
}

void DriverTurns::retire(Lodger &lodger) {
  if (!std::exchange(lodger.lodging.retired, true))
    m_retired.push_back(&lodger);
}

void DriverTurns::sweep() {
  while (!m_retired.empty()) {
    const auto place = m_retired.back()->lodging.place;
    m_retired.pop_back();
    const auto done = std::exchange(m_lodgers[place], nullptr);
    if (place + 1 != m_lodgers.size()) {
      m_lodgers[place] = std::move(m_lodgers.back());
      m_lodgers[place]->lodging.place = place;
    }
    m_lodgers.pop_back();
  }
}

} // namespace lockhouse
