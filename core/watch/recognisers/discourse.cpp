// SPDX-License-Identifier: Apache-2.0
// Discourse's mutex: a string with the second in which it ends, by the server's whole seconds; its key lapses between one and two seconds
// later. Many values are times: only the name, or that of Discourse's site, and that second together tell.
#include "core/watch/detect/every_claim.h"
#include "core/watch/record/metadata.h"
#include "core/watch/text/id_time.h"
#include "core/watch/text/name_classifier.h"

namespace lockhouse {
namespace {

constexpr double sure = 0.65, bySite = 0.55;
constexpr milliseconds least = seconds(1), most = seconds(2), blur = milliseconds(200); // between the reads of its lease and of the clock

} // namespace

std::optional<FamilyMatch> matchDiscourse(const Family &family, const KeyFacts &facts) {
  const auto *form = facts.type == ValueType::String && facts.ttl ? fittingForm(family, facts) : nullptr;
  const auto end = form ? instantOf(facts.value) : std::nullopt;
  const auto name = end ? facts.name() : NameEvidence();
  const bool isNamed = name.lock && !name.attribute && !name.contrary;
  const bool isOfSite = end && form->key.has_value();
  if (!end || !(isNamed || isOfSite))
    return std::nullopt;
  const auto late = facts.serverTime + *facts.ttl - *end;
  if (late < (isNamed ? least - blur : least) || late > most + blur) // any other time ends within the second after it
    return std::nullopt;
  FamilyMatch match{.draft = draftOf(family, *form, facts)};
  match.draft.confidence = isNamed ? sure : bySite;
  match.draft.evidence.emplace_back(LH_MESSAGE("Evidence", "its lease ends a second after the time that it names, as Discourse has it"));
  return match;
}

} // namespace lockhouse
