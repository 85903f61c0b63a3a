// SPDX-License-Identifier: Apache-2.0
// BlockingLock writes what python-redis-lock does, under any name. Few others keep such text for minutes alone.
#include "core/base/sealed_token.h"
#include "core/watch/detect/every_claim.h"
#include "core/watch/text/data_names.h"
#include "core/watch/text/name_classifier.h"

#include <algorithm>

namespace lockhouse {

std::optional<FamilyMatch> matchBlockingLock(const Family &family, const KeyFacts &facts) {
  constexpr std::string_view pythons = "lock:"; // of these names both wake each other by lock-signal:
  constexpr double sealed = 0.8, unnamed = 0.45;
  if (facts.type != ValueType::String || facts.key.starts_with(pythons))
    return std::nullopt;
  auto match = matchByForms(family, facts);
  if (!match || hasCompanionEvidence(family, facts))
    return match;
  const auto &name = facts.name();
  const bool isKeptLong = *facts.ttl > longestHold && (name.contrary || namesData(name)); // of so many sessions some look like it
  if (isSealedToken(facts.value) && !isKeptLong) {
    match->draft.confidence = sealed;
    match->draft.evidence.emplace_back(LH_MESSAGE("Evidence", "its last two bytes check the others, as in BlockingLock's tokens"));
    return match;
  }
  const auto isBetween = [&](char least, char most) { return std::ranges::any_of(facts.value, [=](char c) { return c >= least && c <= most; }); };
  if (!isBetween('a', 'z') || !isBetween('A', 'Z') || name.contrary || name.attribute || name.hidden || namesData(name) ||
      (!name.lock && *facts.ttl > longestHold))
    return std::nullopt;
  match->draft.confidence = name.lock ? sealed : unnamed;
  match->draft.evidence.emplace_back(name.lock ? LH_MESSAGE("Evidence", "the name speaks of a lock")
                                               : LH_MESSAGE("Evidence", "the name does not speak of a lock"));
  return match;
}

} // namespace lockhouse
