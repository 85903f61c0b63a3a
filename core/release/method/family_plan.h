// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/release/plan/release_plan.h"
#include "core/watch/detect/family_registry.h"

#include <expected>

namespace lockhouse {

/// Why there is nothing to release: Changed (another holder or count), AlreadyFree (nobody holds it), NotALock (unknown family, or too
/// little confidence that the key is a lock at all) or Unreleasable (no honest way; `detail` says what can be done instead).
struct Refusal {
  Verdict verdict = Verdict::NotALock;
  Message detail;
};

/// NotALock or Unreleasable, whoever holds `record`: where its family is not known, or the family's class or its data leave no honest way.
std::optional<Refusal> refusalOf(const LockRecord &record, const FamilyRegistry &families);

/// Script, keys, arguments, effects and wake-ups of releasing `holder`, which is one of `record`'s holders; warnings are left to the caller,
/// but for those of its family. Refused as refusalOf() says.
std::expected<ReleasePlan, Refusal> planFamily(const LockRecord &record, const Holder &holder, const FamilyRegistry &families, SteadyTime now);

} // namespace lockhouse
