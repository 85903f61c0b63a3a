// SPDX-License-Identifier: Apache-2.0
#include "core/watch/detect/every_claim.h"

namespace lockhouse {

// Its scope stands behind whatever its users put before it.
std::optional<FamilyMatch> matchFoundatio(const Family &family, const KeyFacts &facts) {
  constexpr double behindPrefix = 0.8;
  auto match = matchByForms(family, facts);
  const auto &quoted = family.forms.back();
  if (match || facts.type != ValueType::String || !facts.ttl || !facts.key.contains(":lock:") || !quoted.element->matches(facts.value))
    return match;
  match = FamilyMatch{.draft = draftOf(family, quoted, facts), .isByName = true};
  match->draft.confidence = behindPrefix;
  return match;
}

} // namespace lockhouse
