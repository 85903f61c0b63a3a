// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/release/plan/release_plan.h"
#include "core/watch/detect/family_registry.h"

namespace lockhouse {

/// Adds what a person has to weigh of this family's ways and of what lies in the lock's key.
void addFamilyWarnings(ReleasePlan &plan, const LockRecord &record, const Holder &holder, const Family &family, const FamilyRegistry &families);

/// How a holder loses the lock: at once, or when the lease that was shortened ends.
enum class Eviction { Release, Lapse };
/// Of these, what an evicted holder does: whether he takes the lock again, or the next owner's away; and what his library's users are advised.
void addEviction(ReleasePlan &plan, const LockRecord &record, const Holder &holder, const Family &family, const FamilyRegistry &families, Eviction by);

/// Fields of a hash of Redisson's that are no holder's.
std::uint64_t strangers(const LockRecord &record);

} // namespace lockhouse
