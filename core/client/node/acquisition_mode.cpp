// SPDX-License-Identifier: Apache-2.0
// A hold goes from writer to reader and from reader to writer.
#include "core/base/safe_text.h"
#include "core/client/node/acquisition.h"

namespace lockhouse {

bool Acquisition::becomeReader(SteadyTime now) {
  if (m_count == 0 || m_mode.shared || !m_entry.primitive.canBecomeReader())
    return false;
  m_mode.shared = m_tellsReader = true;
  const auto sent = m_outstanding;
  lookNow(now); // a reader's renewal tells the server
  if (m_outstanding == sent)
    sendRenewal();
  return true;
}

void Acquisition::becomeWriter(const AcquireMachine::Plan &plan, SteadyTime now) {
  // An earlier wish that is still being taken back: this one's commands see to that too, and its own would be taken for this one's.
  m_release = ReleaseMachine();
  m_releaseAlarm = TimerHeap::never;
  ++m_releaseSerial;
  m_upgrade = true;
  ++m_upgrades;
  begin(plan, now);
  tell({AcquireEvent::Kind::Start}, now);
  tell({AcquireEvent::Kind::Turn}, now); // before all others, so it sees to the server's line like the first of them
}

void Acquisition::tellHoldLost(SteadyTime now) {
  m_error = holdLost();
  tell({AcquireEvent::Kind::HoldLost}, now);
}

Error Acquisition::holdLost() const {
  const auto what = m_upgrade ? LH_ENGLISH("the reader's hold that was to become the writer's is lost") : LH_ENGLISH("the hold to be entered again is lost");
  return {ErrorCode::Server, what, safeText(m_entry.name.bytes(), 80), LH_ENGLISH("stop the work that it protects")};
}

} // namespace lockhouse
