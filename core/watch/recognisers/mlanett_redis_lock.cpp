// SPDX-License-Identifier: Apache-2.0
// The gem redis-lock keeps the end of a hold in a key of its own, in Unix seconds: Redis knows no lease of either.
#include "core/base/safe_text.h"
#include "core/watch/detect/every_claim.h"
#include "core/watch/record/metadata.h"
#include "core/watch/text/id_time.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace lockhouse {

std::optional<FamilyMatch> matchMlanett(const Family &family, const KeyFacts &facts) {
  const auto *form = fittingForm(family, facts);
  if (!form)
    return std::nullopt;
  FamilyMatch match{.draft = draftOf(family, *form, facts), .isByName = true};
  const CompanionFacts *end = nullptr;
  for (const auto &companion : family.companion) // of which a name in a namespace has one, and any other name another
    end = end ? end : facts.find(companion);
  const auto until = !end || facts.ttl ? std::nullopt : instantOf(end->value);
  if (until) {
    Captures captures;
    captures.set("until", end->value);
    std::ranges::copy(metadataOf(captures, facts.serverTime), std::back_inserter(match.draft.extras));
    std::ranges::sort(match.draft.extras, {}, &MetadataEntry::name);
    noteEnd(facts, *until, match.draft);
  } else if (end && !facts.ttl)
    match.draft.evidence.push_back(LH_MESSAGE("Evidence", "its end, in a key of its own, is no time: %1")(safeText(end->value, 40)));
  return match;
}

} // namespace lockhouse
