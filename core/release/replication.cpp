// SPDX-License-Identifier: Apache-2.0
#include "core/release/replication.h"

#include "core/base/ascii.h"
#include "core/base/safe_text.h"
#include "core/release/duration_words.h"
#include "core/watch/vital_signs.h"

#include <fmt/format.h>

namespace lockhouse {
namespace {

constexpr std::string_view bringBack = ", so this would be refused: bring its replicas back, or lower that";

std::string words(const Replication &replication) {
  const auto &[master, isCutOff, cutOffFor, good, least] = replication;
  if (master.empty())
    return "this node is a replica: what its master has may not be here";
  const auto address = safeText(master, 120);
  if (!isCutOff)
    return fmt::format("this node is a replica of {}: what that has may still be on its way here", address);
  if (!cutOffFor)
    return fmt::format("this node is a replica of {}, cut off from it: what that has may not be here", address);
  return fmt::format("this node is a replica of {}, cut off from it for {}: what that has had since is not here", address, durationWords(*cutOffFor));
}

} // namespace

Command Replication::question() { return {"INFO", "replication"}; }

Replication Replication::of(const Result<Reply> &answer) {
  const auto text = answer ? answer->text() : std::nullopt;
  if (!text)
    return {};
  auto info = parseInfo(*text);
  return {std::move(info.master), info.isCutOff, info.cutOffFor, info.goodReplicas, {}};
}

// That there are none says enough: one it needs at least, or INFO would not count them.
std::optional<Command> Replication::more() const {
  return master.empty() && goodReplicas.value_or(0) > 0 ? std::optional(Command{"CONFIG", "GET", "min-replicas-to-write"}) : std::nullopt;
}

void Replication::add(const Result<Reply> &answer) {
  if (answer && answer->array().size() == 2)
    leastReplicas = numberIn(answer->array()[1].text().value_or(""));
}

// A replica that takes writes takes them without replicas of its own.
void tellFewReplicas(ReleasePlan &plan, const Replication &replication) {
  const auto &good = replication.goodReplicas;
  if (!replication.master.empty() || !good || *good >= replication.leastReplicas.value_or(1) || plan.refusal)
    return;
  plan.refusal = fmt::format("good replicas of this master: {}, fewer than its min-replicas-to-write{}", *good, bringBack);
  plan.risks.insert(plan.risks.begin(), *plan.refusal);
}

bool isForFewReplicas(const ReleasePlan &plan) { return plan.refusal && plan.refusal->ends_with(bringBack); }

bool isOfAbsence(Verdict verdict) { return verdict == Verdict::AlreadyFree || verdict == Verdict::Changed || verdict == Verdict::NotALock; }

void tellReplica(Verdict &verdict, std::string &detail, const Replication &replication) {
  constexpr std::string_view asAFact = "already free: ";
  if (detail.starts_with(asAFact))
    detail.erase(0, asAFact.size());
  if (verdict == Verdict::AlreadyFree)
    verdict = Verdict::ReadOnly;
  detail += fmt::format("; {}; look for the lock at its master instead", words(replication));
}

} // namespace lockhouse
