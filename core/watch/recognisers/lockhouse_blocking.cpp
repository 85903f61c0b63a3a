// SPDX-License-Identifier: Apache-2.0
// BlockingLock writes what python-redis-lock does, under any name. Few others keep such text for minutes alone.
#include "core/watch/name_evidence.h"
#include "core/watch/recognisers/data_names.h"
#include "core/watch/recognisers/every_claim.h"

#include <algorithm>

namespace lockhouse {

std::optional<Claim> claimBlockingLock(const Family &family, const KeyFacts &facts) {
  constexpr std::string_view pythons = "lock:"; // of these names both wake each other by lock-signal:
  constexpr double named = 0.8;
  if (facts.type != ValueType::String || facts.key.starts_with(pythons))
    return std::nullopt;
  auto claim = claimByForms(family, facts);
  if (!claim || isWitnessedBy(family, facts))
    return claim;
  const auto isBetween = [&](char least, char most) { return std::ranges::any_of(facts.value, [=](char c) { return c >= least && c <= most; }); };
  const auto &name = facts.name();
  if (!isBetween('a', 'z') || !isBetween('A', 'Z') || name.contrary || name.attribute || name.hidden || namesData(name) ||
      (!name.lock && *facts.ttl > longestHold))
    return std::nullopt;
  if (name.lock)
    claim->draft.confidence = named;
  claim->draft.evidence.emplace_back(name.lock ? "the name speaks of a lock" : "the name does not speak of a lock");
  return claim;
}

} // namespace lockhouse
