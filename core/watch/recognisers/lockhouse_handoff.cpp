// SPDX-License-Identifier: Apache-2.0
// HandoffLock writes its holder's client, number and fence. What a client hands on inside is told to the server when it is over.
#include "core/watch/detect/every_claim.h"
#include "core/watch/record/queue_places.h"
#include "core/watch/text/data_names.h"

#include <fmt/format.h>

namespace lockhouse {

std::optional<Claim> claimHandoff(const Family &family, const KeyFacts &facts) {
  auto claim = claimByForms(family, facts);
  if (!claim)
    return std::nullopt;
  auto &draft = claim->draft;
  draft.family = family.slug;
  if (namesData(facts.name()) && !isWitnessedBy(family, facts)) // the last fence is kept for an hour
    doubtAsData(draft);
  if (const auto first = mayHaveHadIt(draft); first > 0)
    draft.evidence.push_back(
        fmt::format("its holder's client may have handed it on inside, and those may have had it already: of the first in the queue, {}", first));
  return claim;
}

} // namespace lockhouse
