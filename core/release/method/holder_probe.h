// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/command.h"
#include "core/base/reply.h"
#include "core/release/plan/release_plan.h"

namespace lockhouse {

/// The one command that tells whether the holder of a plan is in its lock, where he lies beyond what was read of it, or since when, where
/// his name is given to others after him, or the SHA-1 of a token that is too long to be read whole; nothing where what was read tells it, or where nothing but the script can.
std::optional<Command> holderProbeOf(const ReleasePlan &plan, const LockRecord &lock);

/// `lock` with the holder of the plan among those that were read, with his count, or without him if he is not there, by the answer to that
/// command. Nothing: the answer does not tell.
std::optional<LockRecord> withHolderProbe(const Result<Reply> &answer, const ReleasePlan &plan, const LockRecord &lock);

/// Keys of `plan` that are of many locks, sorted sets, so that none of these was read with them.
std::vector<std::string> registriesOf(const ReleasePlan &plan);
/// Has `plan` say, by the answer to TYPE, that one of those would be left, since it is none.
void addRegistryRisk(ReleasePlan &plan, const std::string &registry, const Result<Reply> &type);

/// Has the script of `plan` compare what that command told too: since when its holder holds, where his name is given to others after him, or
/// all of a long token.
void expectSeen(ReleasePlan &plan, const Result<Reply> &answer);

} // namespace lockhouse
