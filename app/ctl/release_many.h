// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/ctl/arguments.h"
#include "app/ctl/output.h"
#include "app/ctl/session.h"
#include "core/release/release_plan.h"

namespace lockhouse::ctl {

/// What --filter, or --all with --holder, means on these nodes: each hold of each lock, those of a Redlock on every member. Locks that nobody
/// is known to wait for come first: whoever is let in by the others finds all of it free.
std::vector<ReleaseIntent> manyIntents(const Arguments &arguments, const LockSnapshot &snapshot, const std::vector<NodeStatus> &nodes);

/// Of which locks it cannot be known whether the holder has them, in words: too much lies in them to be read, and there is nothing to ask for.
std::vector<std::string> hiddenHolds(const Arguments &arguments, const LockSnapshot &snapshot);

/// Plans them, and applies exactly that where --apply says so; a result for each. An interrupt stops it after what is under way.
std::vector<ReleaseResult> runMany(const Arguments &arguments, Session &session, std::vector<ReleaseIntent> intents, const Output &output,
                                   const SignalWait &signals);

/// A row for each, and below it what to weigh.
std::string manyText(std::span<const ReleaseResult> results, const Arguments &arguments, bool colour);

} // namespace lockhouse::ctl
