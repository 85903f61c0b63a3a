// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/command.h"
#include "core/base/reply.h"
#include "core/release/release_plan.h"

namespace lockhouse {

/// Fills script, further keys, arguments and effects of a plan that names its lock, a Redisson fair one.
void planFair(ReleasePlan &plan, const LockRecord &record, const Holder &holder, SteadyTime now);

/// Who stands first in the queue of a Redisson fair lock, by the server's own clock, and whether he listens.
struct FairLook {
  std::uint64_t length = 0;         ///< places in all, as a listing counts them
  std::uint64_t lapsed = 0;         ///< places before those
  bool isCut = false;               ///< there are more lapsed places than one run of a script looks at
  bool isAlone = false;             ///< nobody can listen at another node, and somebody behind those who do not listens here
  std::vector<Waiter> places;       ///< that have not lapsed: where nobody listens on their channels, those behind them too
  std::vector<std::string> unheard; ///< of these, whose channels nobody listens to
};

/// The one command that tells it, where the queue matters to `plan`. It writes nothing, and needs what the plan's script needs: EVAL.
std::optional<Command> fairLookOf(const ReleasePlan &plan, const LockRecord &lock);
/// Nothing: the answer does not tell.
std::optional<FairLook> fairLookIn(const Result<Reply> &answer, SteadyTime now);
/// `lock` with the queue as it is when those are gone who may be taken out of it: the lapsed ones are kept, for a plan to count them.
LockRecord withLook(LockRecord lock, const FairLook &look, SteadyTime now);
/// Has `plan`, made of that, take those out who do not listen, or warn of them.
void takeOutUnheard(ReleasePlan &plan, const FairLook &look);

} // namespace lockhouse
