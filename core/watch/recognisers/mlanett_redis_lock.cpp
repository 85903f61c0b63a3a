// SPDX-License-Identifier: Apache-2.0
// The gem redis-lock keeps the end of a hold in a key of its own, in Unix seconds: Redis knows no lease of either.
#include "core/watch/extras.h"
#include "core/watch/recognisers/every_claim.h"

#include <algorithm>

namespace lockhouse {

std::optional<Claim> claimMlanett(const Family &family, const KeyFacts &facts) {
  const auto *form = fittingForm(family, facts);
  if (!form)
    return std::nullopt;
  Claim claim{.draft = draftOf(family, *form, facts), .isByName = true};
  const auto end = std::ranges::find(facts.beside, &family.beside.front(), &BesideFacts::form);
  const auto until = end == facts.beside.end() || facts.ttl ? std::nullopt : instantOf(end->value);
  if (until)
    noteEnd(facts, *until, claim.draft);
  return claim;
}

} // namespace lockhouse
