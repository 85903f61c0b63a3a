// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/command.h"
#include "core/base/reply.h"
#include "core/release/result/script_result.h"

#include <optional>

namespace lockhouse {

/// How a lock of Lockhouse's own is released: as its holder would, so that whoever is next has it at once. Each fills in a plan whose
/// first key, family and holder are said; see planFamily().
void planHandoff(ReleasePlan &plan, const LockRecord &record, const Holder &holder, SteadyTime now);
void planQueueLock(ReleasePlan &plan, const LockRecord &record, const Holder &holder, SteadyTime now); ///< ListFairLock, ZsetFairLock
void planReaders(ReleasePlan &plan, const LockRecord &record, const Holder &holder, SteadyTime now);   ///< FairReadWriteLock
void planLeasedPermits(ReleasePlan &plan, const LockRecord &record, const Holder &holder, SteadyTime now);

/// The one command that tells whether those whom a plan wakes listen, each on the inbox of its client; nothing where it wakes nobody so.
std::optional<Command> inboxLookOf(const ReleasePlan &plan);
/// Has the plan say, by the answer to that command, whom of them nobody was seen to listen for.
void tellUnheard(ReleasePlan &plan, const Result<Reply> &answer);
/// Takes that back: at a node of a cluster, where a client may listen at any other.
void dropUnheard(ReleasePlan &plan);

/// A LeasedSemaphore or FairReadWriteLock, holders of which have gone with so many permits: who waits was let in as far as there was room, in order.
void passOn(LockRecord &lock, std::int64_t permits, SteadyTime now);

/// Of the last two: what became of the queue when the script ran, in place of what was planned.
void tellLine(ReleasePlan &plan, const ScriptResult::Line &line);

} // namespace lockhouse
