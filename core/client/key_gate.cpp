// SPDX-License-Identifier: Apache-2.0
#include "core/client/key_gate.h"

namespace lockhouse {

using Kind = AcquireEvent::Kind;

void KeyGate::enter(Visitor &visitor, bool waits, SteadyTime now) {
  if (!waits) {
    visitor.tell({Kind::Start}, now);
    return;
  }
  const bool first = m_first == nullptr;
  visitor.place.before = m_last;
  visitor.place.behind = nullptr;
  visitor.place.inLine = true;
  (first ? m_first : m_last->place.behind) = &visitor;
  m_last = &visitor;
  if (first && m_inside == nullptr) {
    visitor.tell({Kind::Start}, now);
    return;
  }
  visitor.tell({Kind::StandInLine}, now);
  if (first)
    visitor.tell({Kind::TurnInside}, now);
}

void KeyGate::letIn(Visitor &visitor, SteadyTime now) {
  const bool wasFirst = m_first == &visitor;
  unlink(visitor);
  m_inside = &visitor;
  if (wasFirst)
    moveUp(now);
}

void KeyGate::leave(Visitor &visitor, SteadyTime now) {
  const bool wasFirst = m_first == &visitor;
  unlink(visitor);
  if (wasFirst)
    moveUp(now);
}

void KeyGate::goneOut(Visitor &visitor, SteadyTime now) {
  if (m_inside != nullptr && m_inside != &visitor)
    return;
  m_inside = nullptr;
  if (m_first == nullptr) {
    m_handoffs = 0;
    return;
  }
  if (++m_handoffs < m_handoffLimit) {
    m_first->tell({Kind::Woken}, now);
    return;
  }
  m_handoffs = 0;
  m_first->tell({Kind::TurnYield}, now);
}

void KeyGate::freed(SteadyTime now) {
  if (m_inside == nullptr)
    tellFirst({Kind::Freed}, now);
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
  if (m_first != nullptr)
    m_first->tell({Kind::Woken}, now);
}

void KeyGate::unlink(Visitor &visitor) {
  if (!visitor.place.inLine)
    return;
  (visitor.place.before != nullptr ? visitor.place.before->place.behind : m_first) = visitor.place.behind;
  (visitor.place.behind != nullptr ? visitor.place.behind->place.before : m_last) = visitor.place.before;
  visitor.place.inLine = false;
}

void KeyGate::moveUp(SteadyTime now) {
  if (m_first != nullptr)
    m_first->tell({m_inside != nullptr ? Kind::TurnInside : Kind::Turn}, now);
}

} // namespace lockhouse
