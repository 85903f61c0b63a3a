// SPDX-License-Identifier: Apache-2.0
#include "core/client/node/local_wait_queue.h"

#include <utility>
#include <vector>

namespace lockhouse {

using Event = AcquireEvent::Kind;

void LocalWaitQueue::enter(Waiter &waiter, bool waits, SteadyTime now) {
  if (!waits) {
    waiter.onEvent({Event::Start}, now);
    return;
  }
  const bool first = m_first == nullptr;
  waiter.place.previous = m_last;
  waiter.place.next = nullptr;
  waiter.place.isQueued = true;
  waiter.place.hasNotAsked = false;
  (first ? m_first : m_last->place.next) = &waiter;
  m_last = &waiter;
  if (m_kind == Kind::AtServer || (m_kind == Kind::WhileFull ? !m_isFull : first && m_holder == nullptr)) {
    waiter.onEvent({Event::Start}, now);
    if (first && (m_kind == Kind::AtServer || m_kind == Kind::Cohort))
      waiter.onEvent({Event::Turn}, now); // it keeps the places of all of them
    return;
  }
  waiter.place.hasNotAsked = m_kind == Kind::WhileFull;
  waiter.onEvent({Event::WaitInQueue}, now);
  if (first && m_kind == Kind::InClient)
    waiter.onEvent({Event::TurnWhileHeld}, now);
}

void LocalWaitQueue::acquired(Waiter &waiter, SteadyTime now) {
  if (m_holder == &waiter) // handed over
    return;
  const bool wasFirst = m_first == &waiter;
  unlink(waiter);
  if (m_kind == Kind::InClient || m_kind == Kind::Cohort)
    m_holder = &waiter;
  if (m_kind == Kind::Cohort)
    m_handoffs = 0;
  if (wasFirst)
    notifyFirst(now);
}

void LocalWaitQueue::handedOver(Waiter &waiter, SteadyTime now) {
  const auto handoffs = m_handoffs + 1;
  acquired(waiter, now);
  m_handoffs = handoffs;
}

void LocalWaitQueue::leave(Waiter &waiter, SteadyTime now) {
  const bool wasFirst = m_first == &waiter;
  unlink(waiter);
  if (wasFirst && m_kind == Kind::WhileFull && m_first != nullptr)
    return wake(*m_first, now); // it may need fewer permits
  if (wasFirst)
    notifyFirst(now);
}

void LocalWaitQueue::refused(Waiter &waiter) { m_isFull = m_isFull || waiter.place.isQueued; }

void LocalWaitQueue::wakeForPlaces(const Waiter &holder, std::int64_t places, SteadyTime now) {
  if (m_kind != Kind::WhileFull || places <= 0)
    return;
  for (auto *waiter : firstWaiters(places)) {
    if (waiter->isReader() != holder.isReader())
      return;
    if (waiter->place.isQueued)
      wake(*waiter, now);
  }
}

void LocalWaitQueue::wake(Waiter &waiter, SteadyTime now) {
  waiter.onEvent({std::exchange(waiter.place.hasNotAsked, false) ? Event::Turn : Event::Woken}, now);
}

void LocalWaitQueue::released(Waiter &waiter, SteadyTime now) {
  if (m_kind == Kind::AtServer)
    return;
  if (m_holder != nullptr && m_holder != &waiter)
    return;
  m_holder = nullptr;
  if (m_first == nullptr) {
    m_handoffs = 0;
    return;
  }
  if (m_kind == Kind::Cohort) {
    m_handoffs = 0;
    m_first->onEvent({Event::Turn}, now);
    return;
  }
  if (++m_handoffs < m_handoffLimit) {
    m_first->onEvent({Event::Woken}, now);
    return;
  }
  m_handoffs = 0;
  m_first->onEvent({Event::TurnAfterPause}, now);
}

void LocalWaitQueue::lost(Waiter &waiter, SteadyTime now) {
  released(waiter, now);
  if (m_kind == Kind::AtServer && m_first != nullptr)
    m_first->onEvent({Event::Woken}, now);
}

void LocalWaitQueue::releaseConfirmed(SteadyTime now) {
  if ((m_kind == Kind::InClient || m_kind == Kind::WhileFull) && m_holder == nullptr && m_first != nullptr)
    m_first->onEvent({Event::ReleaseConfirmed}, now);
}

void LocalWaitQueue::messageReceived(SteadyTime now) {
  if (m_ownMessages > 0) {
    --m_ownMessages;
    return;
  }
  recheck(now);
}

void LocalWaitQueue::recheck(SteadyTime now) {
  if (m_holder != nullptr)
    m_holder->verifyHold(now);
  notifyAskers({Event::Woken}, now);
}

void LocalWaitQueue::notifyAskers(AcquireEvent event, SteadyTime now) {
  const bool onlyFirst = m_kind == Kind::InClient || m_kind == Kind::Cohort || (m_kind == Kind::WhileFull && event.kind == Event::Woken);
  for (auto *waiter : firstWaiters(onlyFirst ? 1 : INT64_MAX)) // one of them may make others leave, but none of them ends yet
    if (waiter->place.isQueued)
      waiter->onEvent(event, now);
}

std::vector<LocalWaitQueue::Waiter *> LocalWaitQueue::firstWaiters(std::int64_t most) const {
  std::vector<Waiter *> first;
  for (auto *waiter = m_first; waiter != nullptr && most > 0; waiter = waiter->place.next, --most)
    first.push_back(waiter);
  return first;
}

void LocalWaitQueue::unlink(Waiter &waiter) {
  if (!waiter.place.isQueued)
    return;
  (waiter.place.previous != nullptr ? waiter.place.previous->place.next : m_first) = waiter.place.next;
  (waiter.place.next != nullptr ? waiter.place.next->place.previous : m_last) = waiter.place.previous;
  waiter.place.isQueued = false;
  m_isFull = m_isFull && m_first != nullptr;
}

void LocalWaitQueue::notifyFirst(SteadyTime now) {
  if (m_first == nullptr || (m_kind == Kind::Cohort && m_holder != nullptr))
    return;
  if (m_kind != Kind::WhileFull)
    m_first->onEvent({m_holder != nullptr ? Event::TurnWhileHeld : Event::Turn}, now);
  else if (std::exchange(m_first->place.hasNotAsked, false))
    m_first->onEvent({Event::TurnWhileHeld}, now); // the server said so if it has places for more
}

} // namespace lockhouse
