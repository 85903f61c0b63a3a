// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/record/lock_snapshot.h"
#include "core/watch/scan/reads_in_flight.h"

namespace lockhouse {

/// The keys of which it is not known whether they are locks, or who holds them: this user may not read them, the cluster does not serve them, or
/// they are too long. It counts those of the present scan, and keeps those that were hinted since.
class UnreadKeys {
public:
  void beginScan();
  void clear() { m_refusedSince.clear(); } ///< a new epoch
  /// A key was read. `lock`: null if it is read as no lock.
  void note(ReadsInFlight::Done &done, const LockRecord *lock);
  /// `byScan`: the keys that were refused to the scan's first probe.
  void endScan(RefusedKeys byScan, NodeStatus &status);
  bool takeChanges(NodeStatus &status); ///< of the hinted keys; false: none

private:
  std::uint64_t m_tooLong = 0;
  RefusedKeys m_refused; // that the scan found and a read was refused
  RefusedSince m_refusedSince;

  static Refusals refusalOf(ReadsInFlight::Done &done, const LockRecord *lock);
};

} // namespace lockhouse
