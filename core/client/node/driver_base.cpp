// SPDX-License-Identifier: Apache-2.0
#include "core/client/node/driver_base.h"

namespace lockhouse {

void DriverBase::whenSettled(Loop::Task task) {
  if (isSettled())
    task();
  else
    m_onSettled.push_back(std::move(task));
}

void DriverBase::setUnsettled(OwnedTask &task, bool isUnsettled) {
  if (std::exchange(task.registration.isUnsettled, isUnsettled) == isUnsettled)
    return;
  m_unsettled += isUnsettled ? 1 : -1;
  if (m_unsettled > 0 || m_onSettled.empty())
    return;
  for (auto &waiting : std::exchange(m_onSettled, {}))
    m_loop.post(std::move(waiting)); // not here: the task is in the middle of something
}

void DriverBase::setAlarm(TimerHeap::Alarm &alarm, SteadyTime when) {
  m_alarms.set(alarm, when);
  if (m_alarms.next() < m_armedFor && !m_isEnding)
    arm();
}

void DriverBase::arm() {
  m_armedFor = m_alarms.next();
  if (m_armedFor != TimerHeap::never)
    m_timer.after(m_armedFor - SteadyClock::now(), [this] { runDueAlarms(); });
}

void DriverBase::runDueAlarms() {
  const ReentrancyGuard guard(*this);
  const auto now = SteadyClock::now();
  m_armedFor = now; // alarms that are set meanwhile do not set the timer
  while (auto *alarm = m_alarms.takeDue(now))
    alarm->onAlarm(now);
  arm();
}

void DriverBase::notifyReconnected(std::size_t node, bool restarted, SteadyTime now) {
  for (std::size_t i = 0; i < m_tasks.size(); ++i) // by index: a session that is notified of a loss may make new ones
    m_tasks[i]->reconnected(node, restarted, now);
}

void DriverBase::retire(OwnedTask &task) {
  if (!std::exchange(task.registration.isRetired, true))
    m_retired.push_back(&task);
}

void DriverBase::deleteRetired() {
  while (!m_retired.empty()) {
    const auto index = m_retired.back()->registration.index;
    m_retired.pop_back();
    const auto done = std::exchange(m_tasks[index], nullptr);
    if (index + 1 != m_tasks.size()) {
      m_tasks[index] = std::move(m_tasks.back());
      m_tasks[index]->registration.index = index;
    }
    m_tasks.pop_back();
  }
}

} // namespace lockhouse
