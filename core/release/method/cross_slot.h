// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/reply.h"
#include "core/release/result/script_result.h"

#include <span>

namespace lockhouse {

/// What a plan says of keys in several slots where it is not known whether its node is of a cluster.
inline constexpr auto severalSlots =
    LH_MESSAGE("PlanWords", "on a cluster this is refused: the names of the keys put them into several slots, where no script may touch them together");

/// Whether a script of another key comes after that of the plan, which only may wake who waits.
bool mayWakeApart(const ReleasePlan &plan);
/// Of a plan whose keys lie in several slots, those that have to be found to take it apart; none: it cannot be taken apart.
std::vector<std::string> keysToFind(const ReleasePlan &plan);
/// A key that was asked for, and what its master, or the lock's where none that is watched has it, answered to TYPE. Of a lock of several
/// keys, those that other masters have are of the plans there.
struct KeyPlace {
  std::string key;
  LockId at;
  Result<Reply> type;
};
/// Whether the answer is of a master that serves the key.
bool isServed(const Result<Reply> &answer);

/// Makes `plan`, whose keys lie in several slots of a cluster, scripts of one slot each: itself and its `parts`. Where that cannot be
/// done, the plan says so in its refusal.
void takeApart(ReleasePlan &plan, std::span<const KeyPlace> places);

/// Whether `part` is to be done after that came of its plan: who waits is woken for a lock that is free, and for no other.
bool isDue(const ReleasePlan &part, const ScriptResult &whole);
/// What came of a plan by what came of one of its parts too; `whole` is what was known of it before.
ScriptResult withPart(ScriptResult whole, const ReleasePlan &part, const ScriptResult &answer);

} // namespace lockhouse
