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
  Message detail;
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
Message acquiredAgain(std::string_view family);

/// What is told of a lock that was freed meanwhile.
inline constexpr auto keyIsGone = LH_MESSAGE("PlanWords", "already free: the key is gone");
inline constexpr auto noSuchKey = LH_MESSAGE("PlanWords", "already free: there is no such key");
/// What is told of a hold that is another by now.
inline constexpr auto holdsNoLonger = LH_MESSAGE("PlanWords", "changed: this holder no longer holds it");
inline constexpr auto nowHeldBy = LH_MESSAGE("PlanWords", "changed: now held by %1");
inline constexpr auto nowHeldWithCount = LH_MESSAGE("PlanWords", "changed: now held by %1, count %2");
inline constexpr auto nowHeldByMore = LH_MESSAGE("PlanWords", "changed: now held by %1, count %2, and %3 more");
inline constexpr auto nowHeldByAtMost = LH_MESSAGE("PlanWords", "changed: now held by %1, count %2, and at most %3 more");
inline constexpr auto countChanged = LH_MESSAGE("PlanWords", "changed: the same holder's count is %1 now");
/// Whether it names the holder of now.
bool tellsHolder(const Message &detail);

/// Reads the server's answer to `plan.script`, or the failure that took its place. Total: any reply has a verdict.
ScriptResult answerOf(const Result<Reply> &reply, const ReleasePlan &plan, std::string_view node);
/// Where the script only cleared its way, since there was more of it than one run does: how many places of a queue it dropped. It has to be sent again.
std::optional<std::uint64_t> clearedBy(const Result<Reply> &reply);
/// What came of it after runs that dropped so many.
ScriptResult afterClearing(ScriptResult answer, std::uint64_t places);
/// The verdict of a failure to reach or to be served by a node, for reads before anything was sent as well.
Verdict verdictOf(const Error &error);

} // namespace lockhouse
