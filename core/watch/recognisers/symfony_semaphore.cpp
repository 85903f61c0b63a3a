// SPDX-License-Identifier: Apache-2.0
// Symfony's semaphore: one sorted set says until when each token holds, another how many permits it has.
#include "core/watch/recognisers/every_claim.h"

#include <algorithm>

namespace lockhouse {

std::optional<Claim> claimSymfonySemaphore(const Family &family, const KeyFacts &facts) {
  const auto *weights = facts.find(family.beside.front());
  const auto *form = weights ? fittingForm(family, facts) : nullptr;
  if (!form)
    return std::nullopt;
  Claim claim{.draft = draftOf(family, *form, facts), .isByName = true};
  for (auto &holder : claim.draft.holders) {
    const auto weight = std::ranges::find(weights->members, holder.id, &Member::bytes);
    if (weight != weights->members.end() && weight->score >= 1 && weight->score < 1e9)
      holder.count = static_cast<std::int64_t>(weight->score);
  }
  return claim.draft.holders.empty() && claim.draft.queue.empty() ? std::nullopt : std::optional(std::move(claim)); // all have lapsed
}

} // namespace lockhouse
