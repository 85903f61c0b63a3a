// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/release/plan/release_plan.h"

#include <span>

namespace lockhouse {

/// What several plans warn of alike: it differs in the lock's name, its holders', its figures or its times at most.
struct WarningGroup {
  Message first;                    ///< as the first of them says it
  std::vector<LockName> named = {}; ///< whose it is, by the first three names; several masters' locks of one name are one
  std::size_t names = 0;            ///< how many there are of them
  std::size_t of = 0;               ///< of how many in all that are planned
  std::size_t times = 0;            ///< how many plans have one
  std::size_t place = 0;            ///< the foremost in a plan
  bool differs = false;             ///< whether others say it with other names or figures
  bool isRefusal = false;           ///< it says why this user's attempt would be refused
};

/// What to weigh before any of these plans is applied, each once. What stands foremost in its plan comes first, since that matters most;
/// then what most have. Results with a verdict are left out: they are not applied.
std::vector<WarningGroup> warningGroups(std::span<const ReleaseResult> results);

} // namespace lockhouse
