// SPDX-License-Identifier: Apache-2.0
#include "core/release/warnings/node_health.h"

#include "core/base/ascii.h"
#include "core/base/safe_text.h"
#include "core/release/check/required_acl.h"
#include "core/release/plan/duration_words.h"
#include "core/release/scripts.h"
#include "core/watch/node/server_info.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <tuple>

namespace lockhouse {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view bringBack = ", so this would be refused: bring its replicas back, or lower that";

std::string words(const NodeHealth &standing) {
  const auto &[master, isCutOff, cutOffFor] = std::tie(standing.master, standing.isCutOff, standing.cutOffFor);
  if (master.empty())
    return "this node is a replica: what its master has may not be here";
  const auto address = safeText(master, 120);
  if (!isCutOff)
    return fmt::format("this node is a replica of {}: what that has may still be on its way here", address);
  if (!cutOffFor)
    return fmt::format("this node is a replica of {}, cut off from it: what that has may not be here", address);
  return fmt::format("this node is a replica of {}, cut off from it for {}: what that has had since is not here", address, durationWords(*cutOffFor));
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

constexpr std::string_view noMemory = "the server uses all of its maxmemory: where it evicts nothing (maxmemory-policy noeviction), this would be refused";

std::string failed(const InfoReply &info) {
  if (info.isAppendFailing)
    return "the server's last write to its append-only file failed: this is refused until one succeeds; free space on its disk";
  return info.isSaveFailing
             ? "the server's last save to its disk failed: where stop-writes-on-bgsave-error is on, as it is unless it was changed, this would be "
               "refused until one succeeds"
             : "";
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
    plan.risks.insert(plan.risks.begin(), standing.failedToSave);
  if (standing.isFull && !beginsWithout(plan) && std::ranges::any_of(requiredAclOf(plan), takesMemory))
    plan.risks.emplace(plan.risks.begin(), noMemory);
  const auto &good = standing.goodReplicas;
  if (!standing.master.empty() || !good || *good >= standing.leastReplicas.value_or(1) || plan.refusal)
    return;
  plan.refusal = fmt::format("good replicas of this master: {}, fewer than its min-replicas-to-write{}", *good, bringBack);
  plan.risks.insert(plan.risks.begin(), *plan.refusal);
}

bool isForFewReplicas(const ReleasePlan &plan) { return plan.refusal && plan.refusal->ends_with(bringBack); }

bool isOfOutage(Verdict verdict) { return verdict == Verdict::AlreadyFree || verdict == Verdict::Changed || verdict == Verdict::NotALock; }

void tellReplica(Verdict &verdict, std::string &detail, const NodeHealth &standing) {
  constexpr std::string_view asAFact = "already free: ";
  if (detail.starts_with(asAFact))
    detail.erase(0, asAFact.size());
  if (verdict == Verdict::AlreadyFree)
    verdict = Verdict::ReadOnly;
  detail += fmt::format("; {}; look for the lock at its master instead", words(standing));
}

} // namespace lockhouse
