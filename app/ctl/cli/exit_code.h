// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"
#include "core/release/plan/release_plan.h"

#include <span>

namespace lockhouse::ctl {

/// What lockhousectl says to its caller; a public interface.
enum class ExitCode : int {
  Done = 0,
  Usage = 2,       ///< the command line is wrong, or names a database or a node that is not there; nothing was changed
  Unreachable = 3, ///< no node could be reached, or one that a release was meant for could not
  NotAllowed = 4,  ///< login or permission refused
  Refused = 5, ///< a release was refused, or a check failed: audit chain, mutual exclusion, a file of this machine, the audit log behind a release among them
};

ExitCode exitCodeOf(const Error &error);
/// Done if all were planned, or some were released and the rest free already, and what came of it is recorded; otherwise the gravest of what
/// happened.
ExitCode exitCodeOf(std::span<const ReleaseResult> results);

} // namespace lockhouse::ctl
