// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/release/plan_answer.h"

namespace lockhouse {

/// Fills script, further keys, arguments and effects of a plan that names a Redisson read-write lock.
void planReadWrite(ReleasePlan &plan, const LockRecord &record, const Holder &holder, SteadyTime now);

/// Others may have come or gone by the time its script ran: what it did then, by its answer, in place of what was planned.
void tellDone(ReleasePlan &plan, const PlanAnswer &answer);

} // namespace lockhouse
