// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/release/plan/release_plan.h"

#include <span>
#include <string>

namespace lockhouse::ctl {

/// What to weigh before any of these plans is applied, by warningGroups, with whose it is; but for refusals, which
/// the lines of their locks say. At most twenty lines, and one that says how many are left out.
std::string riskLines(std::span<const ReleaseResult> results);

} // namespace lockhouse::ctl
