// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/release/release_plan.h"
#include "core/watch/families.h"

namespace lockhouse {

/// Adds what a person has to weigh of this family's ways and of what lies in the lock's key.
void addFamilyRisks(ReleasePlan &plan, const LockRecord &record, const Holder &holder, const Family &family, const Families &families);

/// Adds what an evicted holder does to the next owner when he leaves, if his library does not look whose lock it is by then.
/// Of one that may be of libraries that do look, it says which.
void addHarmOfLeaving(ReleasePlan &plan, const LockRecord &record, const ReleaseWay &way, const Families &families);

/// Fields of a hash of Redisson's that are no holder's.
std::uint64_t strangers(const LockRecord &record);

} // namespace lockhouse
