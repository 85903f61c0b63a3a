// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/lock_driver_core.h"
#include "core/lock/acquire_machine.h"

namespace lockhouse {

/// What a tenure writes down of its life: into the metrics of its primitive, and into the log. Loop thread only.
class TenureRecord {
public:
  explicit TenureRecord(LockDriver::Core::Door &door) : m_door(door) {}

  void began(SteadyTime now); ///< an acquire
  void refused() { ++m_door.metrics.refusals; }
  /// The acquire; `why` it is in doubt, if it is.
  void concluded(AcquireMachine::Verdict verdict, const Error &why, SteadyTime now);
  void held(SteadyTime now);         ///< by its first count
  void releaseBegan(SteadyTime now); ///< of the last count
  void freed(SteadyTime now);        ///< told so, unless one of ours freed it before
  void releaseEnded(ReleaseOutcome outcome, const Error &why);
  void lost(LossReason reason, SteadyTime now);
  void renewalDue(SteadyTime planned);
  void renewalAnswered(bool renewed, SteadyTime now);

private:
  void tell(LogEvent::Level level, LogEvent::Kind kind, std::string_view what) const;

  LockDriver::Core::Door &m_door;
  SteadyTime m_began{};
  SteadyTime m_heldSince{};
  SteadyTime m_renewalPlanned = AlarmHeap::never; // of the one that is not answered yet, retries included
};

} // namespace lockhouse
