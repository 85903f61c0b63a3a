// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"
#include "core/base/reply.h"
#include "core/release/release_plan.h"

namespace lockhouse {

/// What came of sending a plan's script, in one word and one sentence.
struct PlanAnswer {
  Verdict verdict = Verdict::Unreachable;
  std::string detail;   ///< safe to show
  bool inDoubt = false; ///< sent and unanswered: it may have happened
};

/// Reads the server's answer to `plan.script`, or the failure that took its place. Total: any reply has a verdict.
PlanAnswer answerOf(const Result<Reply> &reply, const ReleasePlan &plan, std::string_view node);
/// Whether the script only cleared its way: there was more of it than one run does, and it has to be sent again.
bool goesOn(const Result<Reply> &reply);
/// The verdict of a failure to reach or to be served by a node, for reads before anything was sent as well.
Verdict verdictOf(const Error &error);

} // namespace lockhouse
