// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/command.h"
#include "core/release/plan/release_plan.h"

namespace lockhouse {

/// The commands that a plan's script runs and cannot do without, beside those by which a lock is read for the plan. SPUBLISH is none of
/// them: without it a lock is released all the same.
std::vector<Command> requiredAclOf(const ReleasePlan &plan);

/// A command by its name and the key or channel that it is for.
std::string shortly(const Command &command);

/// The publications, of a lock in a cluster also those to its sharded channels, and the commands of its parts at its own node, without which it is
/// released all the same.
std::vector<Command> optionalAclOf(const ReleasePlan &plan);

} // namespace lockhouse
