// SPDX-License-Identifier: Apache-2.0
#include "core/client/node/key_gate.h"

#include <utility>
#include <vector>

namespace lockhouse {

using Event = AcquireEvent::Kind;

void KeyGate::enter(Visitor &visitor, bool waits, SteadyTime now) {
  if (!waits) {
    visitor.tell({Event::Start}, now);
    return;
  }
  const bool first = m_first == nullptr;
  visitor.place.before = m_last;
  visitor.place.behind = nullptr;
  visitor.place.inLine = true;
  visitor.place.stands = false;
  (first ? m_first : m_last->place.behind) = &visitor;
  m_last = &visitor;
  if (m_kind == Kind::AtServer || (m_kind == Kind::WhileFull ? !m_full : first && m_inside == nullptr)) {
    visitor.tell({Event::Start}, now);
    if (first && (m_kind == Kind::AtServer || m_kind == Kind::Cohort))
      visitor.tell({Event::Turn}, now); // he sees to the places of all of them
    return;
  }
  visitor.place.stands = m_kind == Kind::WhileFull;
  visitor.tell({Event::StandInLine}, now);
  if (first && m_kind == Kind::InClient)
    visitor.tell({Event::TurnInside}, now);
}

void KeyGate::letIn(Visitor &visitor, SteadyTime now) {
  if (m_inside == &visitor) // handed on
    return;
  const bool wasFirst = m_first == &visitor;
  unlink(visitor);
  if (m_kind == Kind::InClient || m_kind == Kind::Cohort)
    m_inside = &visitor;
  if (m_kind == Kind::Cohort)
    m_handoffs = 0;
  if (wasFirst)
    moveUp(now);
}

void KeyGate::handedOn(Visitor &visitor, SteadyTime now) {
  const auto handoffs = m_handoffs + 1;
  letIn(visitor, now);
  m_handoffs = handoffs;
}

void KeyGate::leave(Visitor &visitor, SteadyTime now) {
  const bool wasFirst = m_first == &visitor;
  unlink(visitor);
  if (wasFirst && m_kind == Kind::WhileFull && m_first != nullptr)
    return wake(*m_first, now); // he may need less
  if (wasFirst)
    moveUp(now);
}

void KeyGate::refused(Visitor &visitor) { m_full = m_full || visitor.place.inLine; }

void KeyGate::room(const Visitor &letIn, std::int64_t places, SteadyTime now) {
  if (m_kind != Kind::WhileFull || places <= 0)
    return;
  for (auto *visitor : firstOf(places)) {
    if (visitor->isReader() != letIn.isReader())
      return;
    if (visitor->place.inLine)
      wake(*visitor, now);
  }
}

void KeyGate::wake(Visitor &visitor, SteadyTime now) { visitor.tell({std::exchange(visitor.place.stands, false) ? Event::Turn : Event::Woken}, now); }

void KeyGate::goneOut(Visitor &visitor, SteadyTime now) {
  if (m_kind == Kind::AtServer)
    return;
  if (m_inside != nullptr && m_inside != &visitor)
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

void KeyGate::lost(Visitor &visitor, SteadyTime now) {
  goneOut(visitor, now);
  if (m_kind == Kind::AtServer && m_first != nullptr)
    m_first->tell({Event::Woken}, now);
}

void KeyGate::freed(SteadyTime now) {
  if ((m_kind == Kind::InClient || m_kind == Kind::WhileFull) && m_inside == nullptr && m_first != nullptr)
    m_first->tell({Event::Freed}, now);
}

void KeyGate::heard(SteadyTime now) {
  if (m_ownMessages > 0) {
    --m_ownMessages;
    return;
  }
  lookAgain(now);
}

void KeyGate::lookAgain(SteadyTime now) {
  if (m_inside != nullptr)
    m_inside->lookNow(now);
  tellAskers({Event::Woken}, now);
}

void KeyGate::tellAskers(AcquireEvent event, SteadyTime now) {
  const bool onlyFirst = m_kind == Kind::InClient || m_kind == Kind::Cohort || (m_kind == Kind::WhileFull && event.kind == Event::Woken);
  for (auto *visitor : firstOf(onlyFirst ? 1 : INT64_MAX)) // what one is told may let others leave, but ends none of them yet
    if (visitor->place.inLine)
      visitor->tell(event, now);
}

std::vector<KeyGate::Visitor *> KeyGate::firstOf(std::int64_t most) const {
  std::vector<Visitor *> first;
  for (auto *visitor = m_first; visitor != nullptr && most > 0; visitor = visitor->place.behind, --most)
    first.push_back(visitor);
  return first;
}

void KeyGate::unlink(Visitor &visitor) {
  if (!visitor.place.inLine)
    return;
  (visitor.place.before != nullptr ? visitor.place.before->place.behind : m_first) = visitor.place.behind;
  (visitor.place.behind != nullptr ? visitor.place.behind->place.before : m_last) = visitor.place.before;
  visitor.place.inLine = false;
  m_full = m_full && m_first != nullptr;
}

void KeyGate::moveUp(SteadyTime now) {
  if (m_first == nullptr || (m_kind == Kind::Cohort && m_inside != nullptr))
    return;
  if (m_kind != Kind::WhileFull)
    m_first->tell({m_inside != nullptr ? Event::TurnInside : Event::Turn}, now);
  else if (std::exchange(m_first->place.stands, false))
    m_first->tell({Event::TurnInside}, now); // if there was room for more, we are told so
}

} // namespace lockhouse
