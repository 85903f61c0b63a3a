// SPDX-License-Identifier: Apache-2.0
#include "core/release/check/majority_guard.h"

#include "core/release/check/dry_run.h"
#include "core/watch/fleet/master_set.h"
#include "core/watch/fleet/redlock_candidates.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>

namespace lockhouse {
namespace {

bool isPlanned(const ReleaseResult &result) { return result.plan && !result.verdict; }

bool isRefused(const ReleaseResult &result) {
  return isPlanned(result) ? result.plan->refusal.has_value() : result.verdict == Verdict::NotAllowed || result.verdict == Verdict::Unreleasable;
}

void holdOne(ReleasePlan &plan, const Message &why) {
  const auto own = isUnanswered(plan) ? Verdict::Unreachable : plan.refusal ? Verdict::NotAllowed : Verdict::Unreleasable;
  plan.heldBack = plan.heldBack.value_or(own);
  if (plan.refusal)
    return;
  plan.refusal = why;
  plan.warnings.insert(plan.warnings.begin(), why);
}

// Of a lock of several keys of a cluster: whoever has most of them has it, on however few masters they lie. Where nothing could be read the rest
// may lie of the three that most have.
std::optional<Message> whyByKeys(std::span<ReleaseResult *const> results, bool isAnyUnread) {
  constexpr std::size_t usual = 3;
  std::size_t refused = 0, all = 0;
  for (const auto *result : results) {
    all += result->plan->votes;
    refused += isRefused(*result) ? result->plan->votes : 0;
  }
  if (refused * 2 > all)
    return LH_MESSAGE("PlanWords", "refused for %1 of its %2 keys, so its holder would keep it")(refused, all);
  const auto unseen = isAnyUnread && all < usual ? usual - all : 0;
  return (refused + unseen) * 2 > all + unseen
             ? std::optional<Message>(LH_MESSAGE("PlanWords", "refused by masters that may have most of its keys, so its holder would keep it"))
             : std::nullopt;
}

bool isOfSeveral(const ReleaseResult *result) { return result->now && (result->now->members.size() > 1 || isNamedRedlock(*result->now)); }

// `unreached`: with those that refuse it they may have it for its holder; where none refuses it, what may be a lock of one server alone is freed
// where it can be reached.
std::optional<Message> whyByMasters(std::span<ReleaseResult *const> results, std::size_t unread, std::size_t unreached, std::size_t masters) {
  const auto refused = unread + static_cast<std::size_t>(std::ranges::count_if(results, [](const ReleaseResult *result) { return isRefused(*result); }));
  if (refused * 2 > masters)
    return LH_MESSAGE("PlanWords", "refused by %1 of %2 masters, so its holder would keep it")(refused, masters);
  if (refused > 0 && (refused + unreached) * 2 > masters)
    return LH_MESSAGE("PlanWords", "refused by %1 of %2 masters, and %3 more cannot be reached, so its holder would keep it")(refused, masters, unreached);
  if (unreached * 2 > masters && (results.size() > 1 || std::ranges::any_of(results, isOfSeveral)))
    return LH_MESSAGE("PlanWords",
                      "%1 of %2 masters cannot be reached, so its holder may keep it: wait until they answer, or name it alone, with --node, to free it here")(
        unreached, masters);
  return std::nullopt;
}

// Whether it may be one of several masters' lock by what was seen of it here alone.
bool mayLieOnSeveral(const ReleaseResult *result) { return isOfSeveral(result) || (result->now && mayBeRedlock(*result->now)); }

/// What is known of one name on some masters.
struct OfName {
  std::size_t unread = 0;     // who holds it there is not known
  std::vector<LockId> looked; // where it was asked for, and answered
};

void holdBackOn(const MasterSet &masters, std::span<ReleaseResult> planned) {
  const bool refuseKeys = masters.unread() > masters.unfollowed();
  if (masters.size() < 2 || (masters.unread() == 0 && std::ranges::none_of(planned, isRefused)))
    return;
  std::map<LockName, OfName> names;
  std::map<std::pair<LockName, std::string>, std::vector<ReleaseResult *>> holds;
  for (auto &result : planned) {
    if (!masters.contains(result.lock))
      continue;
    auto &name = names[result.lock.key];
    if (isPlanned(result))
      holds[{result.lock.key, result.plan->expectHolder}].push_back(&result);
    else if (isRefused(result))
      ++name.unread;
    if (result.verdict != Verdict::Unreachable)
      name.looked.push_back(result.lock);
  }
  for (const auto &[hold, results] : holds) {
    const auto &[unread, looked] = names[hold.first];
    const bool isOfCluster = masters.find(results.front()->lock)->isCluster; // its masters have a part of the keys each
    const bool isOfKeys = isOfCluster && std::ranges::any_of(results, [](const ReleaseResult *result) { return result->plan->votes > 0; });
    const bool maySpread = !isOfCluster && (results.size() > 1 || std::ranges::any_of(results, mayLieOnSeveral));
    const auto unseen = refuseKeys && maySpread ? masters.refusingCompanions(looked, hold.first.bytes()) : 0;
    const auto unreached = maySpread ? masters.downCompanion(looked) : 0;
    const auto why =
        isOfKeys ? whyByKeys(results, unread > 0) : whyByMasters(results, unread + unseen, unreached, isOfCluster ? results.size() + unread : masters.size());
    if (!why)
      continue;
    const auto unknown = isOfCluster ? 0 : unread + unseen + unreached; // where it may lie: it may be a lock of this server alone, too
    const bool isKnown = unknown == 0 || results.size() > 1 || std::ranges::any_of(results, isOfSeveral);
    const auto words =
        isKnown         ? *why
        : unreached > 0 ? LH_MESSAGE("PlanWords", "%1 of %2 masters refuse its key or cannot be reached: if it lies there too, its holder would keep it; name "
                                                  "it alone, with --node, to free it here")(unknown, masters.size())
                        : LH_MESSAGE("PlanWords", "%1 of %2 masters refuse its key: if it lies there too, its holder would keep it; name it alone, with "
                                                  "--node, to free it here")(unknown, masters.size());
    for (auto *result : results)
      holdOne(*result->plan, words);
  }
}

} // namespace

void guardMajority(std::span<ReleaseResult> planned, std::span<const NodeStatus> nodes) {
  for (const auto &[db, masters] : mastersByDatabase(nodes))
    for (const auto &kind : masters.byKind())
      holdBackOn(kind, planned);
}

bool settleMajority(std::span<ReleaseResult> planned) {
  bool isAny = false;
  for (auto &result : planned) {
    if (!isPlanned(result) || !result.plan->heldBack)
      continue;
    isAny = true;
    result.verdict = result.plan->heldBack;
    result.detail = Message::joined({*result.plan->refusal, nothingWasChanged});
  }
  return isAny;
}

} // namespace lockhouse
