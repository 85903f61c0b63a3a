// SPDX-License-Identifier: Apache-2.0
#include "core/client/fallback_line.h"

#include <utility>

namespace lockhouse {

void FallbackLine::Pass::giveUp() {
  std::shared_ptr<FallbackLine> line;
  {
    const std::scoped_lock guard(m_mutex);
    line = std::exchange(m_line, nullptr);
  }
  if (line)
    line->leave();
}

bool FallbackLine::Pass::isInside() const {
  const std::scoped_lock guard(m_mutex);
  return m_line != nullptr;
}

std::expected<std::shared_ptr<FallbackLine::Pass>, FallbackLine::Refusal> FallbackLine::enter(std::optional<SteadyTime> deadline,
                                                                                              const std::stop_token &cancel) {
  std::unique_lock guard(m_mutex);
  if (!std::exchange(m_occupied, true))
    return std::make_shared<Pass>(shared_from_this());
  Waiter self;
  m_waiters.push_back(&self);
  const auto isInside = [&self] { return self.isInside; };
  if (deadline)
    self.turn.wait_until(guard, cancel, *deadline, isInside);
  else
    self.turn.wait(guard, cancel, isInside);
  if (self.isInside)
    return std::make_shared<Pass>(shared_from_this());
  m_waiters.remove(&self);
  return std::unexpected(cancel.stop_requested() ? Refusal::Cancelled : Refusal::TimedOut);
}

void FallbackLine::leave() {
  const std::scoped_lock guard(m_mutex);
  if (m_waiters.empty()) {
    m_occupied = false;
    return;
  }
  auto &next = *m_waiters.front(); // stays occupied: nobody comes in between
  m_waiters.pop_front();
  next.isInside = true;
  next.turn.notify_one();
}

bool FallbackLine::fallBack(bool on) {
  const std::scoped_lock guard(m_mutex);
  return std::exchange(m_fallenBack, on) != on;
}

void FallbackLine::add(const std::shared_ptr<const Alarm> &alarm) {
  const std::scoped_lock guard(m_mutex);
  std::erase_if(m_alarms, [](const auto &other) { return other.expired(); });
  m_alarms.push_back(alarm);
}

std::vector<std::shared_ptr<const FallbackLine::Alarm>> FallbackLine::alarms() {
  const std::scoped_lock guard(m_mutex);
  std::vector<std::shared_ptr<const Alarm>> alive;
  for (const auto &alarm : m_alarms)
    if (auto one = alarm.lock())
      alive.push_back(std::move(one));
  return alive;
}

bool FallbackLine::isFallenBack() const {
  const std::scoped_lock guard(m_mutex);
  return m_fallenBack;
}

} // namespace lockhouse
