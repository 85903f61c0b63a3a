// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/release/plan/release_plan.h"

#include <functional>
#include <optional>
#include <vector>

namespace lockhouse::ui {

/// One of many: a holder's hold of a lock, on one node.
struct HoldToRelease {
  ReleaseIntent intent;
  std::size_t lock = 0; ///< which of the locks: one with several holders, or on several masters, is several of these
  LockRecordPtr seen;   ///< the lock as the operator saw it
};

/// Whether a hold of a lock is meant; none: all are.
using MeansHold = std::function<bool(const LockRecord &lock, const Holder &holder)>;

/// The holds of `locks` that are meant, of `holder` alone if one is given, on each master that they lie on. Locks that nobody is known to wait for come
/// first, so that whoever is let in by the others finds the rest free. `shortenTo` as in an intent. Where a lock has more holders than were
/// read, those that `holder` may have among them are presumed: the plan asks for them.
std::vector<HoldToRelease> holdsToRelease(std::vector<LockRecordPtr> locks, const std::optional<std::string> &holder = {},
                                          std::optional<milliseconds> shortenTo = {}, const MeansHold &isMeant = {});

/// Whether `holder` has `lock`, or may be among its holders that were not read.
bool mayBeHeldBy(const LockRecord &lock, const std::string &holder);

} // namespace lockhouse::ui
