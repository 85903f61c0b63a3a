// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/command.h"
#include "core/base/reply.h"
#include "core/release/release_plan.h"

namespace lockhouse {

/// The one command that tells whether the holder of a plan is in its lock, where he lies beyond what was read of it; nothing where he was
/// read, or where nothing but the script can tell.
std::optional<Command> presenceOf(const ReleasePlan &plan, const LockRecord &lock);

/// `lock` with the holder of the plan among those that were read, with his count; unchanged if he is not there, by the answer to that
/// command. Nothing: the answer does not tell.
std::optional<LockRecord> withPresence(const Result<Reply> &answer, const ReleasePlan &plan, const LockRecord &lock);

} // namespace lockhouse
