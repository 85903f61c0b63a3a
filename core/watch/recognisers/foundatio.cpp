// SPDX-License-Identifier: Apache-2.0
#include "core/watch/detect/every_claim.h"

namespace lockhouse {

// Its scope stands behind whatever its users put before it.
std::optional<Claim> claimFoundatio(const Family &family, const KeyFacts &facts) {
  constexpr double behindPrefix = 0.8;
  auto claim = claimByForms(family, facts);
  const auto &quoted = family.forms.back();
  if (claim || facts.type != ValueType::String || !facts.ttl || !facts.key.contains(":lock:") || !quoted.element->matches(facts.value))
    return claim;
  claim = Claim{.draft = draftOf(family, quoted, facts), .isByName = true};
  claim->draft.confidence = behindPrefix;
  return claim;
}

} // namespace lockhouse
