// SPDX-License-Identifier: Apache-2.0
// A hash of an owner and its count. Whoever ends between HSET and EXPIRE leaves one without a lease, which nobody frees: what tells it from
// a register of figures is then its name, and what its owner looks like.
#include "core/base/redisson_names.h"
#include "core/watch/detect/every_claim.h"
#include "core/watch/recognisers/redisson_parts.h"
#include "core/watch/record/metadata.h"

#include <algorithm>

namespace lockhouse {
namespace {

constexpr double unsure = 0.4;

// Of the locks that a shop sells: "inventory:lock:5", but not "inventory:5:lock".
bool isArticle(std::string_view key, const NameEvidence &name) { return name.goods && !name.leads && key.back() >= '0' && key.back() <= '9'; }

bool isLikely(std::string_view key, const NameEvidence &name, const Holder &holder) {
  const bool isNamed = !isArticle(key, name) && name.whole && !name.hidden && !name.explained;
  if (looksLikeOwner(holder.id))
    return isNamed && (name.edge || name.segment || name.apart);
  return isNamed && !name.data && (name.leads || (name.edge && holder.count == 1));
}

} // namespace

std::optional<FamilyMatch> matchHandmadeCount(const Family &family, const KeyFacts &facts) {
  auto match = matchByForms(family, facts);
  // A client of Redisson's is none by hand: those who wait for it have to be told.
  if (match && redisson::isOwner(match->draft.holders.front().id) && isOfRandomClient(match->draft.holders.front().id))
    return std::nullopt;
  if (match && facts.name().counts) // "rate:lock:7": by client, in a window
    match->draft.confidence = std::min(match->draft.confidence, unsure);
  if (!match || facts.ttl)
    return match;
  match->draft.evidence.emplace_back(neverExpires);
  if (!isLikely(facts.key, facts.name(), match->draft.holders.front()))
    match->draft.confidence = std::min(match->draft.confidence, unsure);
  return match;
}

} // namespace lockhouse
