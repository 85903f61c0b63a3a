// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/watch/record/lock_record.h"

#include <QString>

#include <optional>

namespace lockhouse::ui {

/// What the column of counts says of a lock: "1", "×3" levels deep, "2" readers, "2 of 5" permits, "5 free", "3 left" to count down;
/// "≥ 1 000" where only so many of its holders were read, "?" where what stands there is no number, "—" where nobody holds it.
QString countCell(const LockRecord &record);
/// What that number means: "Re-entrancy depth: 3". Empty where there is none.
QString countMeaning(const LockRecord &record);
/// What has changed where a count has: "count now 2", "free permits now 5".
QString countChanged(const LockRecord *after);

/// Permits that are free, where that is known.
std::optional<std::uint64_t> freePermits(const LockRecord &record);

} // namespace lockhouse::ui
