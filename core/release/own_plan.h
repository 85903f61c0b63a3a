// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/release/plan_answer.h"

namespace lockhouse {

/// How a lock of Lockhouse's own is released: as its holder would, so that whoever is next has it at once. Each fills in a plan whose
/// first key, family and holder are said; see planFamily().
void planHandoff(ReleasePlan &plan, const LockRecord &record, const Holder &holder, SteadyTime now);
void planQueueLock(ReleasePlan &plan, const LockRecord &record, const Holder &holder, SteadyTime now); ///< ListFairLock, ZsetFairLock
void planReaders(ReleasePlan &plan, const LockRecord &record, const Holder &holder, SteadyTime now);   ///< FairReadWriteLock
void planLeasedPermits(ReleasePlan &plan, const LockRecord &record, const Holder &holder, SteadyTime now);

/// Of the last two: what became of the queue when the script ran, in place of what was planned.
void tellLine(ReleasePlan &plan, const PlanAnswer::Line &line);

} // namespace lockhouse
