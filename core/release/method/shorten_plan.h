// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/release/method/family_plan.h"

namespace lockhouse {

/// What would make the lease of `holder` end in `to`: softer than a release, since a holder that renews in time keeps its lock.
/// Nobody is told: who waits looks again when the lease has ended. Unreleasable for locks whose lease nobody can shorten alone: one of
/// several holders under one time to live, a number, a list.
std::expected<ReleasePlan, Refusal> planShorten(const LockRecord &record, const Holder &holder, milliseconds to, const FamilyRegistry &families,
                                                SteadyTime now);

/// Whether such a plan warns that its holder, where it lives, renews too late to keep its lock.
bool comesTooLate(const ReleasePlan &plan);

} // namespace lockhouse
