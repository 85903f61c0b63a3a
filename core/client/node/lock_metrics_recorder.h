// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/support/lock_stats.h"
#include "core/lock/machines/acquire_machine.h"

namespace lockhouse {

/// What one owner's acquires and holds leave in the books: in the metrics of its primitive, and in the log. A hold over several nodes takes
/// its own copy along. Loop thread only.
class LockMetricsRecorder {
public:
  explicit LockMetricsRecorder(LockStats &book) : m_book(&book) {}

  void began(SteadyTime now);                                             ///< an acquire
  void refused(const std::optional<std::string> &holder, SteadyTime now); ///< the acquire, for the time being; by whom, where told
  /// How long ago that holder was first told of; nothing before.
  std::optional<milliseconds> firstSeen(const std::optional<std::string> &holder, SteadyTime now) const;
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

  LockStats *m_book;
  SteadyTime m_began{};
  SteadyTime m_heldSince{};
  SteadyTime m_renewalPlanned = TimerHeap::never; // of the one that is not answered yet, retries included
};

} // namespace lockhouse
