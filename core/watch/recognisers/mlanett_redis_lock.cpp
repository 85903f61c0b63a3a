// SPDX-License-Identifier: Apache-2.0
// The gem redis-lock keeps the end of a hold in a key of its own, in Unix seconds: Redis knows no lease of either.
#include "core/base/safe_text.h"
#include "core/watch/detect/every_claim.h"
#include "core/watch/record/extras.h"
#include "core/watch/text/id_time.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace lockhouse {

std::optional<Claim> claimMlanett(const Family &family, const KeyFacts &facts) {
  const auto *form = fittingForm(family, facts);
  if (!form)
    return std::nullopt;
  Claim claim{.draft = draftOf(family, *form, facts), .isByName = true};
  const BesideFacts *end = nullptr;
  for (const auto &beside : family.beside) // of which a name in a namespace has one, and any other name another
    end = end ? end : facts.find(beside);
  const auto until = !end || facts.ttl ? std::nullopt : instantOf(end->value);
  if (until) {
    Captures captures;
    captures.set("until", end->value);
    std::ranges::copy(extrasOf(captures, facts.serverTime), std::back_inserter(claim.draft.extras));
    std::ranges::sort(claim.draft.extras, {}, &Extra::name);
    noteEnd(facts, *until, claim.draft);
  } else if (end && !facts.ttl)
    claim.draft.evidence.push_back(fmt::format("its end, in a key of its own, is no time: {}", safeText(end->value, 40)));
  return claim;
}

} // namespace lockhouse
