// SPDX-License-Identifier: Apache-2.0
#include "core/client/node/driver_base.h"

namespace lockhouse {

void DriverBase::whenSettled(Loop::Task task) {
  if (isSettled())
    task();
  else
    m_settleTasks.push_back(std::move(task));
}

void DriverBase::setUnsettled(OwnedTask &ownedTask, bool unsettled) {
  if (std::exchange(ownedTask.lodging.unsettled, unsettled) == unsettled)
    return;
  m_unsettled += unsettled ? 1 : -1;
  if (m_unsettled > 0 || m_settleTasks.empty())
    return;
  for (auto &task : std::exchange(m_settleTasks, {}))
    m_loop.post(std::move(task)); // not here: the lodger is in the middle of something
}

void DriverBase::setAlarm(TimerHeap::Alarm &alarm, SteadyTime when) {
  m_alarms.set(alarm, when);
  if (m_alarms.next() < m_armed && !m_ending)
    arm();
}

void DriverBase::arm() {
  m_armed = m_alarms.next();
  if (m_armed != TimerHeap::never)
    m_timer.after(m_armed - SteadyClock::now(), [this] { ring(); });
}

void DriverBase::ring() {
  const ReentrancyGuard visit(*this);
  const auto now = SteadyClock::now();
  m_armed = now; // nothing that is set while we ring needs the timer
  while (auto *alarm = m_alarms.takeDue(now))
    alarm->ring(now);
  arm();
}

void DriverBase::tellReconnected(std::size_t node, bool restarted, SteadyTime now) {
  for (std::size_t i = 0; i < m_ownedTasks.size(); ++i) // by index: a holder who is told of a loss may make new ones
    m_ownedTasks[i]->reconnected(node, restarted, now);
}

void DriverBase::retire(OwnedTask &ownedTask) {
  if (!std::exchange(ownedTask.lodging.retired, true))
    m_retired.push_back(&ownedTask);
}

void DriverBase::scan() {
  while (!m_retired.empty()) {
    const auto place = m_retired.back()->lodging.place;
    m_retired.pop_back();
    const auto done = std::exchange(m_ownedTasks[place], nullptr);
    if (place + 1 != m_ownedTasks.size()) {
      m_ownedTasks[place] = std::move(m_ownedTasks.back());
      m_ownedTasks[place]->lodging.place = place;
    }
    m_ownedTasks.pop_back();
  }
}

} // namespace lockhouse
