// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/release/plan/release_plan.h"
#include "core/watch/record/lock_snapshot.h"

namespace lockhouse::ui {

/// What has become of a hold since it was planned for.
struct PlanStaleness {
  Verdict verdict;
  Message detail;               ///< as a plan says it
  LockRecordPtr now;            ///< as its master has it; null: it has gone
  bool isOver = false;          ///< the hold itself, not only its count: what looks like it from then on is another
  bool isAcquiredAgain = false; ///< what is there now looks like it, and is such another
};

/// Since when the node of `lock` has not been followed, so that what `snapshot` shows of it is of then; nothing: it is followed.
std::optional<SteadyTime> unfollowedSince(const LockSnapshot &snapshot, const LockId &lock);

/// The hold that `plan` is for, as `snapshot` shows it on its master; nothing where it is what it was. `read`: the lock as the plan read it, `seen` as the
/// operator saw it;
/// `isOver`: its end was seen before. What was planned before its node was lost is Unreachable.
std::optional<PlanStaleness> changeSince(const ReleasePlan &plan, const LockRecordPtr &read, const LockRecordPtr &seen, bool isOver,
                                         const LockSnapshot &snapshot);

/// What goes on with the same hold that a plan is for, since `read`, as the plan read it: `now` is what is shown of it.
struct NewsSincePlan {
  std::optional<SteadyTime> renewed; ///< the last time
  bool isShortened = false;
  std::optional<std::uint64_t> waiters; ///< how many wait, where that is another number
  bool operator==(const NewsSincePlan &) const = default;
};
NewsSincePlan newsSince(const LockRecord &read, const LockRecord &now);

} // namespace lockhouse::ui
