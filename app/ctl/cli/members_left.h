// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/release/plan/release_plan.h"
#include "core/watch/record/lock_snapshot.h"

#include <span>

namespace lockhouse::ctl {

/// Has those results of a lock on several masters that are planned or done say what becomes of it where some of its masters are not among
/// them (--node, a refusal), or cannot be reached. `rows` are folded, see mergeRedlocks(), of these `nodes`.
void tellWhatIsLeft(std::span<ReleaseResult> results, std::span<const LockRecordPtr> rows, std::span<const NodeStatus> nodes);

} // namespace lockhouse::ctl
