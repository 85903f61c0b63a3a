// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"
#include "core/base/reply.h"
#include "core/release/plan/release_plan.h"

#include <cstdint>
#include <optional>

namespace lockhouse {

/// What came of sending a plan's script, in one word and one sentence.
struct ScriptResult {
  Verdict verdict = Verdict::Unreachable;
  std::string detail;                       ///< safe to show
  bool inDoubt = false;                     ///< sent and unanswered: it may have happened
  std::optional<std::uint64_t> others = {}; ///< Released, where the script counts them: how many other holds it left
  struct Line {
    std::uint64_t dropped = 0;      ///< places that had lapsed
    std::string first;              ///< who stands first in it now; empty: nobody does
    std::vector<std::string> letIn; ///< in their order
  };
  std::optional<Line> line = {}; ///< Released, of a lock of ours that several may hold: what became of its queue
};

/// What is said of a hold that its time or its fence tells from the one that was seen.
std::string_view acquiredAgain(std::string_view family);

/// What is told of a part, without that nothing was changed: by another part something was.
std::string withoutUntouched(std::string detail);

/// Reads the server's answer to `plan.script`, or the failure that took its place. Total: any reply has a verdict.
ScriptResult answerOf(const Result<Reply> &reply, const ReleasePlan &plan, std::string_view node);
/// Where the script only cleared its way, since there was more of it than one run does: how many places of a queue it dropped. It has to be sent again.
std::optional<std::uint64_t> clearedBy(const Result<Reply> &reply);
/// What came of it after runs that dropped so many.
ScriptResult afterClearing(ScriptResult answer, std::uint64_t places);
/// The verdict of a failure to reach or to be served by a node, for reads before anything was sent as well.
Verdict verdictOf(const Error &error);

} // namespace lockhouse
