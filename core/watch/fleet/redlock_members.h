// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/record/lock_record.h"

#include <vector>

namespace lockhouse {

/// What the row of a lock on several masters takes from what lies on each.
inline constexpr double certain = 0.95; ///< of a row that is shown anyway: nobody writes one random token to several masters but for this

/// What lies on one master, as a member of the whole.
LockMember memberOf(const LockRecord &lock);
/// When fewer than `needed` of them are left; nothing: never.
std::optional<SteadyTime> endOf(const std::vector<LockMember> &members, std::size_t needed);
/// Since when `needed` of them are not followed any more; nothing where they are.
std::optional<SteadyTime> staleSince(const std::vector<LockMember> &members, std::size_t needed);
/// That none of its holders lies on most of the masters, of which so many are not followed, or refuse keys, and may have one of them too.
Message splitEvidence(const LockRecord &whole, std::size_t unfollowed);
/// What was seen of the hold on any of them.
void takeHistory(LockRecord &whole, const LockRecord &member);

} // namespace lockhouse
