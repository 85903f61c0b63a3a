// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/ctl/cli/arguments.h"
#include "core/release/plan/release_plan.h"
#include "core/watch/record/lock_snapshot.h"

#include <span>

namespace lockhouse::ctl {

/// "lock:a on 127.0.0.1:6379 db 0"
std::string whatWhere(const ReleaseResult &result);
/// That the audit log has no outcome of some of them; empty: it has, of all that were sent.
std::string unrecordedWords(std::span<const ReleaseResult> results);
bool isRefused(const ReleaseResult &result);
/// What was planned or done, of one key on its nodes. What was refused goes to standard error when it is all there is to say.
std::string resultsText(std::span<const ReleaseResult> results);
/// In a sentence, what a holder has besides that may be no lock, see doubtfulLocks(); empty: nothing.
std::string doubtfulLeft(const Arguments &arguments, std::span<const LockRecordPtr> doubtful);
/// Why many had nothing to release, in a sentence.
std::string nothingMeant(const Arguments &arguments, const LockSnapshot &snapshot, bool isAllRead, std::span<const LockRecordPtr> doubtful);

} // namespace lockhouse::ctl
