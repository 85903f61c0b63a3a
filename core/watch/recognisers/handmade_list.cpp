// SPDX-License-Identifier: Apache-2.0
// A list of tickets: the first is the owner's, the others wait in their order.
#include "core/watch/recognisers/every_claim.h"

#include <fmt/format.h>

namespace lockhouse {

std::optional<Claim> claimHandmadeList(const Family &family, const KeyFacts &facts) {
  const auto *form = facts.type == ValueType::List ? fittingForm(family, facts) : nullptr;
  if (!form || facts.mayLieBeside)
    return std::nullopt;
  Claim claim{.draft = {}, .isByName = true, .isLine = true};
  auto &draft = claim.draft;
  draft.kind = family.kind;
  draft.confidence = form->confidence;
  draft.evidence = {form->evidence};
  draft.holders.push_back({facts.members.front().bytes, 1, HoldMode::Exclusive});
  doubtMixedName(*form, facts, draft);
  for (std::size_t i = 1; i < facts.members.size(); ++i)
    draft.queue.push_back({facts.members[i].bytes, std::nullopt});
  draft.waiters = facts.size - 1;
  if (facts.size > facts.members.size())
    draft.evidence.push_back(fmt::format("{} wait, of whom {} were read", facts.size - 1, draft.queue.size()));
  noteStrays(straysOf(*form, facts, false).value_or(0), draft);
  return claim;
}

} // namespace lockhouse
