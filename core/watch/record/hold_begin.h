// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/record/lock_record.h"

namespace lockhouse {

/// When its one holder took a lock, or began to try, by his own clock: of a hold whose arrival was not watched, where its bytes tell a time
/// (extras: since) that is before it was first seen. `wall` is what the time of day is at `now`. For people, never for leases.
std::optional<SteadyTime> sinceByHolder(const LockRecord &record, SteadyTime now, WallTime wall);

} // namespace lockhouse
