// SPDX-License-Identifier: Apache-2.0
// Forms that ordinary data has too, where its name says so.
#include "core/watch/name_evidence.h"
#include "core/watch/recognisers/every_claim.h"

#include <algorithm>

namespace lockhouse {
namespace {

constexpr double unsure = 0.4;

}

// As PHP serialises it any text of 16 letters that was cached looks alike; only a name of its own, or a word, tells that it is an owner.
std::optional<Claim> claimLaravel(const Family &family, const KeyFacts &facts) {
  constexpr double byOwnName = 0.95;
  auto claim = claimByForms(family, facts);
  if (!claim || claim->draft.confidence >= byOwnName || !facts.value.starts_with("s:") || nameEvidence(facts.key).lock)
    return claim;
  claim->draft.confidence = std::min(claim->draft.confidence, unsure);
  claim->draft.evidence.emplace_back("the name does not speak of a lock");
  return claim;
}

std::optional<Claim> claimUnlessNamedOtherwise(const Family &family, const KeyFacts &facts) {
  auto claim = claimByForms(family, facts);
  if (!claim)
    return std::nullopt;
  const auto name = nameEvidence(facts.key);
  if (!name.attribute && (!name.contrary || name.lock))
    return claim;
  claim->draft.confidence = std::min(claim->draft.confidence, unsure);
  claim->draft.evidence.emplace_back(name.attribute ? "the name speaks of something about a lock" : "the name speaks of something else too");
  return claim;
}

} // namespace lockhouse
