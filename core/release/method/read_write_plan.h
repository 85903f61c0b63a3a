// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/release/plan/release_plan.h"

namespace lockhouse {

/// Fills script, further keys, arguments and effects of a plan that names a Redisson read-write lock.
void planReadWrite(ReleasePlan &plan, const LockRecord &record, const Holder &holder, SteadyTime now);

/// Others may have come or gone by the time its script ran: what it did then, by how many other holds it left, in place of what was
/// planned.
void tellReadersLeft(ReleasePlan &plan, std::size_t others);

} // namespace lockhouse
