// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/release/release_plan.h"

#include <span>
#include <string>

namespace lockhouse::ctl {

/// What to weigh before any of these plans is applied: of the risks that differ in their figures or the lock's name only the first, with
/// how many have one. What stands first in its plan comes first; at most twenty lines, and one that says how many are left out.
std::string riskLines(std::span<const ReleaseResult> results);

} // namespace lockhouse::ctl
