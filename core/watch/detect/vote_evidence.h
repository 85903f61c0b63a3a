// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/record/lock_record.h"

namespace lockhouse {

/// How sure it is that several keys with one token are a lock whose name alone does not tell.
inline constexpr double byVotes = 0.9;

/// Its evidence says how many votes its holder and others have, and nothing that it said of them before.
void tellVotes(LockRecord &record);

} // namespace lockhouse
