// SPDX-License-Identifier: Apache-2.0
// HandoffLock writes its holder's client, number and fence. What a client hands on inside is told to the server when it is over.
#include "core/watch/detect/every_claim.h"
#include "core/watch/record/queue_positions.h"
#include "core/watch/text/data_names.h"

#include <fmt/format.h>

namespace lockhouse {

std::optional<FamilyMatch> matchHandoff(const Family &family, const KeyFacts &facts) {
  auto match = matchByForms(family, facts);
  if (!match)
    return std::nullopt;
  auto &draft = match->draft;
  draft.family = family.slug;
  if (namesData(facts.name()) && !hasCompanionEvidence(family, facts)) // the last fence is kept for an hour
    doubtAsData(draft);
  if (const auto first = localHandoffCandidates(draft); first > 0)
    draft.evidence.push_back(
        LH_MESSAGE("Evidence", "its holder's client may have handed it on inside, and those may have had it already: of the first in the queue, %1")(first));
  return match;
}

} // namespace lockhouse
