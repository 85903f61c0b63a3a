// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/command.h"
#include "core/release/plan/release_plan.h"

namespace lockhouse {

/// What the release scripts of Lockhouse's own locks need, as requiredAclOf() says.
std::vector<Command> rightsOfHandoff(const ReleasePlan &plan);
std::vector<Command> rightsOfQueueLock(const ReleasePlan &plan);
std::vector<Command> rightsOfShared(const ReleasePlan &plan);
/// PUBLISH to the inbox of the client of each waiter that is told, or may be.
void addInboxes(const ReleasePlan &plan, std::vector<Command> &commands);

} // namespace lockhouse
