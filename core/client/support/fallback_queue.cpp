// SPDX-License-Identifier: Apache-2.0
#include "core/client/support/fallback_queue.h"

#include <utility>

namespace lockhouse {

void FallbackQueue::Pass::end() {
  std::shared_ptr<FallbackQueue> queue;
  {
    const std::scoped_lock guard(m_mutex);
    queue = std::exchange(m_queue, nullptr);
  }
  if (queue)
    queue->admitNext();
}

bool FallbackQueue::Pass::isValid() const {
  const std::scoped_lock guard(m_mutex);
  return m_queue != nullptr;
}

std::shared_ptr<FallbackQueue::Pass> FallbackQueue::enqueue(const std::shared_ptr<Waiter> &waiter) {
  const std::scoped_lock guard(m_mutex);
  if (!std::exchange(m_isOccupied, true))
    return std::make_shared<Pass>(shared_from_this());
  waiter->place = m_waiters.insert(m_waiters.end(), waiter);
  waiter->isQueued = true;
  return nullptr;
}

bool FallbackQueue::withdraw(const std::shared_ptr<Waiter> &waiter) {
  const std::scoped_lock guard(m_mutex);
  if (!std::exchange(waiter->isQueued, false))
    return false;
  m_waiters.erase(waiter->place);
  return true;
}

std::expected<std::shared_ptr<FallbackQueue::Pass>, FallbackQueue::Refusal> FallbackQueue::enter(std::optional<SteadyTime> deadline,
                                                                                                 const std::stop_token &cancel) {
  struct Admission {
    std::mutex mutex;
    std::condition_variable_any arrived;
    std::shared_ptr<Pass> pass;
  };
  auto admission = std::make_shared<Admission>();
  const auto self = std::make_shared<Waiter>();
  self->onAdmitted = [admission](std::shared_ptr<FallbackQueue> queue) {
    const std::scoped_lock guard(admission->mutex);
    admission->pass = std::make_shared<Pass>(std::move(queue));
    admission->arrived.notify_one();
    return true;
  };
  if (auto pass = enqueue(self))
    return pass;
  std::unique_lock guard(admission->mutex);
  const auto isAdmitted = [&admission] { return admission->pass != nullptr; };
  if (deadline)
    admission->arrived.wait_until(guard, cancel, *deadline, isAdmitted);
  else
    admission->arrived.wait(guard, cancel, isAdmitted);
  if (!admission->pass) {
    guard.unlock();
    if (withdraw(self))
      return std::unexpected(cancel.stop_requested() ? Refusal::Cancelled : Refusal::TimedOut);
    guard.lock(); // it is being admitted at this moment
    admission->arrived.wait(guard, isAdmitted);
  }
  return std::move(admission->pass);
}

void FallbackQueue::admitNext() {
  while (true) {
    std::shared_ptr<Waiter> next;
    {
      const std::scoped_lock guard(m_mutex);
      if (m_waiters.empty()) {
        m_isOccupied = false;
        return;
      }
      next = std::move(m_waiters.front()); // the queue stays occupied: nobody is admitted in between
      next->isQueued = false;
      m_waiters.pop_front();
    }
    auto onAdmitted = std::move(next->onAdmitted); // it may own an object that owns `next`
    if (onAdmitted(shared_from_this()))
      return;
  }
}

bool FallbackQueue::setFallenBack(bool isFallenBack) {
  const std::scoped_lock guard(m_mutex);
  return std::exchange(m_isFallenBack, isFallenBack) != isFallenBack;
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
  return m_isFallenBack;
}

} // namespace lockhouse
