// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/release/plan/release_plan.h"
#include "core/watch/record/lock_snapshot.h"

#include <span>

namespace lockhouse {

/// Holds back the plans of a lock that lies on several masters where so many of them would be refused, or cannot be reached, that its holder
/// would keep it: a release of the others alone frees nothing. O(plans · log), and nothing where all are read and none would be refused.
void guardMajority(std::span<ReleaseResult> planned, std::span<const NodeStatus> nodes);

/// Gives the plans that are held back their verdicts; whether there is one.
bool settleMajority(std::span<ReleaseResult> planned);

} // namespace lockhouse
