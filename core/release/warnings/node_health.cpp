// SPDX-License-Identifier: Apache-2.0
#include "core/release/warnings/node_health.h"

#include "core/base/ascii.h"
#include "core/base/message.h"
#include "core/base/safe_text.h"
#include "core/release/check/required_acl.h"
#include "core/release/result/script_result.h"
#include "core/release/scripts.h"
#include "core/watch/server/server_info.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <tuple>

namespace lockhouse {
namespace {

using namespace std::string_view_literals;

constexpr auto fewReplicas = LH_MESSAGE(
    "PlanWords", "good replicas of this master: %1, fewer than its min-replicas-to-write, so this would be refused: bring its replicas back, or lower that");

Message replicaWords(const NodeHealth &standing) {
  const auto &[master, isCutOff, cutOffFor] = std::tie(standing.master, standing.isCutOff, standing.cutOffFor);
  if (master.empty())
    return LH_MESSAGE("PlanWords", "this node is a replica: what its master has may not be here");
  const auto address = safeText(master, 120);
  if (!isCutOff)
    return LH_MESSAGE("PlanWords", "this node is a replica of %1: what that has may still be on its way here")(address);
  if (!cutOffFor)
    return LH_MESSAGE("PlanWords", "this node is a replica of %1, cut off from it: what that has may not be here")(address);
  return LH_MESSAGE("PlanWords", "this node is a replica of %1, cut off from it for %2: what that has had since is not here")(address, *cutOffFor);
}

// What Redis does not run of them where it has no memory left, and none may be evicted: see the flag "denyoom" of COMMAND INFO.
bool takesMemory(const Command &command) {
  constexpr std::array names{"LPUSH"sv, "HSET"sv, "ZADD"sv, "INCRBY"sv, "SET"sv, "RPUSH"sv, "HINCRBY"sv, "SADD"sv};
  return std::ranges::find(names, command.name()) != names.end();
}

// Of a script whose first write needs no memory Redis runs all that follow.
bool beginsWithout(const ReleasePlan &plan) {
  return runs(plan, release_scripts::releaseLockhouseRw) || runs(plan, release_scripts::releaseLeasedPermits) ||
         runs(plan, release_scripts::releaseRedissonPermit);
}

constexpr auto noMemory =
    LH_MESSAGE("PlanWords", "the server uses all of its maxmemory: where it evicts nothing (maxmemory-policy noeviction), this would be refused");

Message failed(const InfoReply &info) {
  if (info.isAppendFailing)
    return Message::joined({LH_MESSAGE("PlanWords", "the server's last write to its append-only file failed: this is refused until one succeeds"),
                            LH_MESSAGE("PlanWords", "free space on its disk")});
  if (info.isSaveFailing)
    return LH_MESSAGE("PlanWords", "the server's last save to its disk failed: where stop-writes-on-bgsave-error is on, as it is unless it was changed, this "
                                   "would be refused until one succeeds");
  return {};
}

} // namespace

Command NodeHealth::question() { return {"INFO"}; }

NodeHealth NodeHealth::of(const Result<Reply> &answer) {
  const auto text = answer ? answer->text() : std::nullopt;
  if (!text)
    return {};
  auto info = parseInfo(*text);
  return {std::move(info.master), info.isCutOff, info.cutOffFor, info.goodReplicas, {}, failed(info), info.maxMemory > 0 && info.usedMemory >= info.maxMemory};
}

// That there are none says enough: one it needs at least, or INFO would not count them.
std::optional<Command> NodeHealth::more() const {
  return master.empty() && goodReplicas.value_or(0) > 0 ? std::optional(Command{"CONFIG", "GET", "min-replicas-to-write"}) : std::nullopt;
}

void NodeHealth::add(const Result<Reply> &answer) {
  if (answer && answer->array().size() == 2)
    leastReplicas = numberIn(answer->array()[1].text().value_or(""));
}

// A replica that takes writes takes them without replicas of its own.
void tellStanding(ReleasePlan &plan, const NodeHealth &standing) {
  if (!standing.failedToSave.empty())
    plan.warnings.insert(plan.warnings.begin(), standing.failedToSave);
  if (standing.isFull && !beginsWithout(plan) && std::ranges::any_of(requiredAclOf(plan), takesMemory))
    plan.warnings.emplace(plan.warnings.begin(), noMemory);
  const auto &good = standing.goodReplicas;
  if (!standing.master.empty() || !good || *good >= standing.leastReplicas.value_or(1) || plan.refusal)
    return;
  plan.refusal = fewReplicas(*good);
  plan.warnings.insert(plan.warnings.begin(), *plan.refusal);
}

bool isForFewReplicas(const ReleasePlan &plan) { return plan.refusal && plan.refusal->is(fewReplicas); }

bool isOfOutage(Verdict verdict) { return verdict == Verdict::AlreadyFree || verdict == Verdict::Changed || verdict == Verdict::NotALock; }

void tellReplica(Verdict &verdict, Message &detail, const NodeHealth &standing) {
  if (verdict == Verdict::AlreadyFree)
    verdict = Verdict::ReadOnly;
  const Message asRead = detail.is(keyIsGone)   ? LH_MESSAGE("PlanWords", "the key is gone")
                         : detail.is(noSuchKey) ? LH_MESSAGE("PlanWords", "there is no such key")
                                                : detail;
  detail = Message::joined({asRead, replicaWords(standing), LH_MESSAGE("PlanWords", "look for the lock at its master instead")});
}

} // namespace lockhouse
