// SPDX-License-Identifier: Apache-2.0
#include "core/client/support/fallback_queue.h"

#include <utility>

namespace lockhouse {

void FallbackQueue::Pass::giveUp() {
  std::shared_ptr<FallbackQueue> line;
  {
    const std::scoped_lock guard(m_mutex);
    line = std::exchange(m_line, nullptr);
  }
  if (line)
    line->leave();
}

bool FallbackQueue::Pass::isInside() const {
  const std::scoped_lock guard(m_mutex);
  return m_line != nullptr;
}

std::shared_ptr<FallbackQueue::Pass> FallbackQueue::stand(const std::shared_ptr<Waiter> &waiter) {
  const std::scoped_lock guard(m_mutex);
  if (!std::exchange(m_occupied, true))
    return std::make_shared<Pass>(shared_from_this());
  waiter->place = m_waiters.insert(m_waiters.end(), waiter);
  waiter->stands = true;
  return nullptr;
}

bool FallbackQueue::giveUp(const std::shared_ptr<Waiter> &waiter) {
  const std::scoped_lock guard(m_mutex);
  if (!std::exchange(waiter->stands, false))
    return false;
  m_waiters.erase(waiter->place);
  return true;
}

std::expected<std::shared_ptr<FallbackQueue::Pass>, FallbackQueue::Refusal> FallbackQueue::enter(std::optional<SteadyTime> deadline,
                                                                                                 const std::stop_token &cancel) {
  struct Turn {
    std::mutex mutex;
    std::condition_variable_any came;
    std::shared_ptr<Pass> pass;
  };
  auto turn = std::make_shared<Turn>();
  const auto self = std::make_shared<Waiter>();
  self->told = [turn](std::shared_ptr<FallbackQueue> line) {
    const std::scoped_lock guard(turn->mutex);
    turn->pass = std::make_shared<Pass>(std::move(line));
    turn->came.notify_one();
    return true;
  };
  if (auto pass = stand(self))
    return pass;
  std::unique_lock guard(turn->mutex);
  const auto isTold = [&turn] { return turn->pass != nullptr; };
  if (deadline)
    turn->came.wait_until(guard, cancel, *deadline, isTold);
  else
    turn->came.wait(guard, cancel, isTold);
  if (!turn->pass) {
    guard.unlock();
    if (giveUp(self))
      return std::unexpected(cancel.stop_requested() ? Refusal::Cancelled : Refusal::TimedOut);
    guard.lock(); // he is being told at this moment
    turn->came.wait(guard, isTold);
  }
  return std::move(turn->pass);
}

void FallbackQueue::leave() {
  while (true) {
    std::shared_ptr<Waiter> next;
    {
      const std::scoped_lock guard(m_mutex);
      if (m_waiters.empty()) {
        m_occupied = false;
        return;
      }
      next = std::move(m_waiters.front()); // stays occupied: nobody comes in between
      next->stands = false;
      m_waiters.pop_front();
    }
    auto told = std::move(next->told); // which may keep whom it tells, who keeps `next`
    if (told(shared_from_this()))
      return;
  }
}

bool FallbackQueue::fallBack(bool on) {
  const std::scoped_lock guard(m_mutex);
  return std::exchange(m_fallenBack, on) != on;
}

void FallbackQueue::add(const std::shared_ptr<const Alarm> &alarm) {
  const std::scoped_lock guard(m_mutex);
  std::erase_if(m_alarms, [](const auto &other) { return other.expired(); });
  m_alarms.push_back(alarm);
}

std::vector<std::shared_ptr<const FallbackQueue::Alarm>> FallbackQueue::alarms() {
  const std::scoped_lock guard(m_mutex);
  std::vector<std::shared_ptr<const Alarm>> alive;
  for (const auto &alarm : m_alarms)
    if (auto one = alarm.lock())
      alive.push_back(std::move(one));
  return alive;
}

bool FallbackQueue::isFallenBack() const {
  const std::scoped_lock guard(m_mutex);
  return m_fallenBack;
}

} // namespace lockhouse
