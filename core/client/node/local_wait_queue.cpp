// SPDX-License-Identifier: Apache-2.0
#include "core/client/node/local_wait_queue.h"

#include <utility>
#include <vector>

namespace lockhouse {

using Event = AcquireEvent::Kind;

void LocalWaitQueue::enter(LocalWaiter &localWaiter, bool waits, SteadyTime now) {
  if (!waits) {
    localWaiter.tell({Event::Start}, now);
    return;
  }
  const bool first = m_first == nullptr;
  localWaiter.place.before = m_last;
  localWaiter.place.behind = nullptr;
  localWaiter.place.inLine = true;
  localWaiter.place.stands = false;
  (first ? m_first : m_last->place.behind) = &localWaiter;
  m_last = &localWaiter;
  if (m_kind == Kind::AtServer || (m_kind == Kind::WhileFull ? !m_full : first && m_inside == nullptr)) {
    localWaiter.tell({Event::Start}, now);
    if (first && (m_kind == Kind::AtServer || m_kind == Kind::Cohort))
      localWaiter.tell({Event::Turn}, now); // he sees to the places of all of them
    return;
  }
  localWaiter.place.stands = m_kind == Kind::WhileFull;
  localWaiter.tell({Event::StandInLine}, now);
  if (first && m_kind == Kind::InClient)
    localWaiter.tell({Event::TurnInside}, now);
}

void LocalWaitQueue::letIn(LocalWaiter &localWaiter, SteadyTime now) {
  if (m_inside == &localWaiter) // handed on
    return;
  const bool wasFirst = m_first == &localWaiter;
  unlink(localWaiter);
  if (m_kind == Kind::InClient || m_kind == Kind::Cohort)
    m_inside = &localWaiter;
  if (m_kind == Kind::Cohort)
    m_handoffs = 0;
  if (wasFirst)
    moveUp(now);
}

void LocalWaitQueue::handedOn(LocalWaiter &localWaiter, SteadyTime now) {
  const auto handoffs = m_handoffs + 1;
  letIn(localWaiter, now);
  m_handoffs = handoffs;
}

void LocalWaitQueue::leave(LocalWaiter &localWaiter, SteadyTime now) {
  const bool wasFirst = m_first == &localWaiter;
  unlink(localWaiter);
  if (wasFirst && m_kind == Kind::WhileFull && m_first != nullptr)
    return wake(*m_first, now); // he may need less
  if (wasFirst)
    moveUp(now);
}

void LocalWaitQueue::refused(LocalWaiter &localWaiter) { m_full = m_full || localWaiter.place.inLine; }

void LocalWaitQueue::room(const LocalWaiter &letIn, std::int64_t places, SteadyTime now) {
  if (m_kind != Kind::WhileFull || places <= 0)
    return;
  for (auto *localWaiter : firstOf(places)) {
    if (localWaiter->isReader() != letIn.isReader())
      return;
    if (localWaiter->place.inLine)
      wake(*localWaiter, now);
  }
}

void LocalWaitQueue::wake(LocalWaiter &localWaiter, SteadyTime now) {
  localWaiter.tell({std::exchange(localWaiter.place.stands, false) ? Event::Turn : Event::Woken}, now);
}

void LocalWaitQueue::goneOut(LocalWaiter &localWaiter, SteadyTime now) {
  if (m_kind == Kind::AtServer)
    return;
  if (m_inside != nullptr && m_inside != &localWaiter)
    return;
  m_inside = nullptr;
  if (m_first == nullptr) {
    m_handoffs = 0;
    return;
  }
  if (m_kind == Kind::Cohort) {
    m_handoffs = 0;
    m_first->tell({Event::Turn}, now);
    return;
  }
  if (++m_handoffs < m_handoffLimit) {
    m_first->tell({Event::Woken}, now);
    return;
  }
  m_handoffs = 0;
  m_first->tell({Event::TurnYield}, now);
}

void LocalWaitQueue::lost(LocalWaiter &localWaiter, SteadyTime now) {
  goneOut(localWaiter, now);
  if (m_kind == Kind::AtServer && m_first != nullptr)
    m_first->tell({Event::Woken}, now);
}

void LocalWaitQueue::freed(SteadyTime now) {
  if ((m_kind == Kind::InClient || m_kind == Kind::WhileFull) && m_inside == nullptr && m_first != nullptr)
    m_first->tell({Event::Freed}, now);
}

void LocalWaitQueue::heard(SteadyTime now) {
  if (m_ownMessages > 0) {
    --m_ownMessages;
    return;
  }
  lookAgain(now);
}

void LocalWaitQueue::lookAgain(SteadyTime now) {
  if (m_inside != nullptr)
    m_inside->lookNow(now);
  tellAskers({Event::Woken}, now);
}

void LocalWaitQueue::tellAskers(AcquireEvent event, SteadyTime now) {
  const bool onlyFirst = m_kind == Kind::InClient || m_kind == Kind::Cohort || (m_kind == Kind::WhileFull && event.kind == Event::Woken);
  for (auto *localWaiter : firstOf(onlyFirst ? 1 : INT64_MAX)) // what one is told may let others leave, but ends none of them yet
    if (localWaiter->place.inLine)
      localWaiter->tell(event, now);
}

std::vector<LocalWaitQueue::LocalWaiter *> LocalWaitQueue::firstOf(std::int64_t most) const {
  std::vector<LocalWaiter *> first;
  for (auto *localWaiter = m_first; localWaiter != nullptr && most > 0; localWaiter = localWaiter->place.behind, --most)
    first.push_back(localWaiter);
  return first;
}

void LocalWaitQueue::unlink(LocalWaiter &localWaiter) {
  if (!localWaiter.place.inLine)
    return;
  (localWaiter.place.before != nullptr ? localWaiter.place.before->place.behind : m_first) = localWaiter.place.behind;
  (localWaiter.place.behind != nullptr ? localWaiter.place.behind->place.before : m_last) = localWaiter.place.before;
  localWaiter.place.inLine = false;
  m_full = m_full && m_first != nullptr;
}

void LocalWaitQueue::moveUp(SteadyTime now) {
  if (m_first == nullptr || (m_kind == Kind::Cohort && m_inside != nullptr))
    return;
  if (m_kind != Kind::WhileFull)
    m_first->tell({m_inside != nullptr ? Event::TurnInside : Event::Turn}, now);
  else if (std::exchange(m_first->place.stands, false))
    m_first->tell({Event::TurnInside}, now); // if there was room for more, we are told so
}

} // namespace lockhouse
