// SPDX-License-Identifier: Apache-2.0
// A line of tickets: the first is the owner's, the others wait in their order.
#include "core/watch/detect/every_claim.h"
#include "core/watch/record/metadata.h"

#include <fmt/format.h>

namespace lockhouse {

FamilyMatch matchLine(const Family &family, const Form &form, const KeyFacts &facts) {
  FamilyMatch match{.draft = {}, .isLine = true};
  auto &draft = match.draft;
  draft.kind = family.kind;
  draft.confidence = form.confidence;
  if (!form.evidence.empty())
    draft.evidence = {evidenceOf(form)};
  const auto &first = facts.members.front().bytes;
  draft.holders.push_back({first, 1, form.mode});
  if (Captures captures; form.element && form.element->matches(first, &captures))
    draft.extras = metadataOf(captures, facts.serverTime);
  doubtMixedName(form, facts, draft);
  for (std::size_t i = 1; i < facts.members.size(); ++i)
    draft.queue.push_back({facts.members[i].bytes, std::nullopt});
  draft.waiters = facts.size - 1;
  if (facts.size > facts.members.size())
    draft.evidence.push_back(LH_MESSAGE("Evidence", "%1 wait, of whom %2 were read")(facts.size - 1, draft.queue.size()));
  addCompanion(family, facts, draft);
  noteUnexpected(unexpectedEntriesOf(form, facts, false).value_or(0), draft);
  return match;
}

std::optional<FamilyMatch> matchHandmadeList(const Family &family, const KeyFacts &facts) {
  const auto *form = facts.type == ValueType::List ? fittingForm(family, facts) : nullptr;
  if (!form || facts.mayBeCompanion)
    return std::nullopt;
  auto match = matchLine(family, *form, facts);
  match.isByName = true;
  return match;
}

} // namespace lockhouse
