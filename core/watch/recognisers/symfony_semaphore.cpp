// SPDX-License-Identifier: Apache-2.0
// Symfony's semaphore: one sorted set says until when each token holds, another how many permits it has.
#include "core/base/safe_text.h"
#include "core/watch/detect/every_claim.h"
#include "core/watch/record/metadata.h"
#include "core/watch/text/data_names.h"

#include <algorithm>

namespace lockhouse {

std::optional<FamilyMatch> matchSymfonySemaphore(const Family &family, const KeyFacts &facts) {
  const CompanionFacts *weights = nullptr;
  std::optional<std::string> besideIt;
  for (const auto &companion : family.companion) { // of which a name behind a prefix has one, and any other name another
    weights = weights ? weights : facts.find(companion);
    besideIt = besideIt ? besideIt : companionName(family, companion.key, facts.key);
  }
  const auto *form = fittingForm(family, facts);
  if (!form)
    return std::nullopt;
  FamilyMatch match{.draft = draftOf(family, *form, facts), .isByName = true};
  if (!weights && besideIt && !facts.isOdd(*besideIt))
    match.draft.evidence.push_back(companionIsMissing(safeText(*besideIt, 120)));
  for (auto &holder : match.draft.holders) {
    if (!weights)
      break;
    const auto weight = std::ranges::find(weights->members, holder.id, &Member::bytes);
    if (weight != weights->members.end() && weight->score >= 1 && weight->score < 1e9)
      holder.count = static_cast<std::int64_t>(weight->score);
  }
  if (!weights && namesData(facts.name()))
    doubtAsData(match.draft);
  return match.draft.holders.empty() && match.draft.queue.empty() ? std::nullopt : std::optional(std::move(match)); // all have lapsed
}

} // namespace lockhouse
