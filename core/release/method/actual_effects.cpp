// SPDX-License-Identifier: Apache-2.0
#include "core/release/method/actual_effects.h"

#include "core/release/method/lockhouse_locks.h"
#include "core/release/method/read_write_plan.h"
#include "core/release/plan/remove_member.h"
#include "core/release/scripts.h"

namespace lockhouse {

void tellDone(ReleasePlan &plan, const ScriptResult &answer) {
  if (!plan.script || answer.verdict != Verdict::Released)
    return;
  if (answer.others && runs(plan, release_scripts::releaseRedissonRw))
    tellReadersLeft(plan, static_cast<std::size_t>(*answer.others));
  else if (answer.others)
    tellOthersLeft(plan, static_cast<std::size_t>(*answer.others));
  if (answer.line)
    tellLine(plan, *answer.line);
}

} // namespace lockhouse
