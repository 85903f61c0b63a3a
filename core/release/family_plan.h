// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/release/release_plan.h"

namespace lockhouse {

/// Whether planFamily() knows how to release this family.
bool canRelease(std::string_view family);

/// Script, keys, arguments, effects and wake-ups of releasing `holder`, which is one of `record`'s holders; risks are left empty.
/// Requires canRelease(record.family).
ReleasePlan planFamily(const LockRecord &record, const Holder &holder, SteadyTime now);

} // namespace lockhouse
