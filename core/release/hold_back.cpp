// SPDX-License-Identifier: Apache-2.0
#include "core/release/hold_back.h"

#include "core/watch/masters.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace lockhouse {
namespace {

bool isPlanned(const ReleaseResult &result) { return result.plan && !result.verdict; }

bool isRefused(const ReleaseResult &result) {
  return isPlanned(result) ? result.plan->refusal.has_value() : result.verdict == Verdict::NotAllowed || result.verdict == Verdict::Unreleasable;
}

void holdOne(ReleasePlan &plan, const std::string &why) {
  plan.heldBack = plan.heldBack.value_or(plan.refusal ? Verdict::NotAllowed : Verdict::Unreleasable);
  if (plan.refusal)
    return;
  plan.refusal = why;
  plan.risks.insert(plan.risks.begin(), why);
}

/// How much of a lock its plans are for.
struct Weight {
  std::size_t refused = 0, all = 0;
  bool isMost() const { return refused * 2 > all; }
};

// Of a lock of several keys, whoever has most of them has it, on however few masters they lie. Where nothing could be read it may be most of three.
Weight weightInKeys(std::span<ReleaseResult *const> results, std::size_t unread) {
  constexpr std::size_t unseen = 2;
  Weight weight{unread * unseen, unread * unseen};
  for (const auto *result : results) {
    weight.all += result->plan->votes;
    weight.refused += isRefused(*result) ? result->plan->votes : 0;
  }
  return weight;
}

Weight weightInMasters(std::span<ReleaseResult *const> results, std::size_t unread, std::size_t masters) {
  return {unread + static_cast<std::size_t>(std::ranges::count_if(results, [](const ReleaseResult *result) { return isRefused(*result); })), masters};
}

void holdBackOn(const Masters &masters, std::span<ReleaseResult> planned) {
  if (masters.size() < 2 || std::ranges::none_of(planned, isRefused))
    return;
  std::map<LockName, std::size_t> unread; // who holds it there is not known
  std::map<std::pair<LockName, std::string>, std::vector<ReleaseResult *>> holds;
  for (auto &result : planned) {
    if (masters.contains(result.lock) && isPlanned(result))
      holds[{result.lock.key, result.plan->expectHolder}].push_back(&result);
    else if (masters.contains(result.lock) && isRefused(result))
      ++unread[result.lock.key];
  }
  for (const auto &[hold, results] : holds) {
    const auto found = unread.find(hold.first);
    const auto others = found == unread.end() ? 0 : found->second;
    const bool isOfKeys = std::ranges::any_of(results, [](const ReleaseResult *result) { return result->plan->votes > 0; });
    const bool isOfCluster = masters.find(results.front()->lock)->isCluster; // its masters have a part of the keys each
    const auto weight = isOfKeys ? weightInKeys(results, others) : weightInMasters(results, others, isOfCluster ? results.size() + others : masters.size());
    if (!weight.isMost())
      continue;
    const auto why = isOfKeys ? fmt::format("refused for {} of its {} keys, so its holder would keep it", weight.refused, weight.all)
                              : fmt::format("refused by {} of {} masters, so its holder would keep it", weight.refused, weight.all);
    for (auto *result : results)
      holdOne(*result->plan, why);
  }
}

} // namespace

void holdBack(std::span<ReleaseResult> planned, std::span<const NodeStatus> nodes) {
  for (const auto &[db, masters] : mastersByDatabase(nodes))
    for (const auto &kind : masters.byKind())
      holdBackOn(kind, planned);
}

bool settleHeldBack(std::span<ReleaseResult> planned) {
  bool isAny = false;
  for (auto &result : planned) {
    if (!isPlanned(result) || !result.plan->heldBack)
      continue;
    isAny = true;
    result.verdict = result.plan->heldBack;
    result.detail = *result.plan->refusal + "; nothing was changed";
  }
  return isAny;
}

} // namespace lockhouse
