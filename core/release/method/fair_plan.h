// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/command.h"
#include "core/base/reply.h"
#include "core/release/plan/release_plan.h"

namespace lockhouse {

/// Fills script, further keys, arguments and effects of a plan that names its lock, a Redisson fair one.
void planFair(ReleasePlan &plan, const LockRecord &record, const Holder &holder, SteadyTime now);

/// Who stands first in the queue of a Redisson fair lock, by the server's own clock, and whether he listens. Of a long queue it is told in parts,
/// as long as nobody was found who does; of no more than 10 000 places.
struct FairLook {
  bool isTold = false;
  std::uint64_t length = 0;         ///< places in all, as a listing counts them
  std::uint64_t looked = 0;         ///< at these, from the head on
  std::uint64_t lapsed = 0;         ///< of these
  std::uint64_t atHead = 0;         ///< of the lapsed: before all others
  bool isCut = false;               ///< neither the first nor the end of the queue is among them
  bool isAlone = false;             ///< nobody can listen at another node
  std::vector<Waiter> unheard;      ///< that have not lapsed, before the first: to whose channels nobody listens
  std::optional<Waiter> first = {}; ///< who listens, or may

  bool goesOn() const; ///< there is more to look at
  /// Whether those who do not listen may be taken out. Where nobody at all listens, they may wait in another way.
  bool mayTakeOut() const { return isAlone && first; }
  /// Whether nobody is known who could go on, and there are more than were looked at.
  bool isLost() const { return isCut && !unheard.empty(); }
};

/// The next command that tells it, where the queue matters to `plan`. It writes nothing, and needs what the plan's script needs: EVAL.
std::optional<Command> fairLookOf(const ReleasePlan &plan, const LockRecord &lock, const FairLook &before = {});
/// Adds an answer; false: it does not tell.
bool addTo(FairLook &look, const Result<Reply> &answer, SteadyTime now);
/// `lock` with the queue as it is when those are gone who may be taken out of it: the lapsed ones are kept, for a plan to count them.
LockRecord withLook(LockRecord lock, const FairLook &look, SteadyTime now);
/// Has `plan`, made of that, take those out who do not listen, or warn of them.
void takeOutUnheard(ReleasePlan &plan, const FairLook &look);

} // namespace lockhouse
