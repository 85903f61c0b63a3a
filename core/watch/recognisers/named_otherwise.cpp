// SPDX-License-Identifier: Apache-2.0
// Forms that ordinary data has too, where its name says so.
#include "core/watch/detect/every_claim.h"
#include "core/watch/record/metadata.h"
#include "core/watch/text/data_names.h"
#include "core/watch/text/id_time.h"
#include "core/watch/text/name_classifier.h"

#include <algorithm>

namespace lockhouse {
namespace {

constexpr double unsure = 0.4;

// Its value is when its lease ends: nobody else's is, but by accident.
bool namesItsEnd(const KeyFacts &facts) {
  constexpr milliseconds skew = seconds(5); // of the client's clock
  const auto end = instantOf(facts.value);
  return end && facts.ttl && std::chrono::abs(*end - (facts.serverTime + *facts.ttl)) <= skew;
}

// Times, and ids that look like times: "lock.updated", "lock.message_id".
bool namesFigure(const Family &family, const KeyFacts &facts) {
  const auto &name = facts.name();
  const bool isPrefixed = !facts.key.starts_with("lock."); // "app.lock.x" may be any setting's
  return family.slug == "npm-redis-lock" && (isPrefixed || name.data || name.contrary) && !namesItsEnd(facts);
}

} // namespace

// What a shortener keeps of its links has its prefix, and lasts.
std::optional<FamilyMatch> matchSentry(const Family &family, const KeyFacts &facts) {
  auto match = matchByForms(family, facts);
  if (match && !facts.name().lock && *facts.ttl > longestHold) {
    match->draft.confidence = std::min(match->draft.confidence, unsure);
    match->draft.evidence.emplace_back(LH_MESSAGE("Evidence", "its lease is longer than those of Sentry's locks"));
  }
  return match;
}

std::optional<FamilyMatch> matchUnlessNamedOtherwise(const Family &family, const KeyFacts &facts) {
  auto match = matchByForms(family, facts);
  if (!match)
    return std::nullopt;
  if (family.slug == "aiocache") // its suffix is what others end a lock's name with too
    match->isByName = false;
  const auto &name = facts.name();
  // Whatever its users call it: the gem's keys lie beside each other.
  const bool isOfGem = family.slug == "gem-redis-semaphore" && (facts.key.starts_with("SEMAPHORE:") || hasCompanionEvidence(family, facts));
  if (isOfGem || (!name.attribute && (!name.contrary || name.lock) && !namesFigure(family, facts)) || (family.slug == "npm-redis-lock" && namesItsEnd(facts)))
    return match;
  match->draft.confidence = std::min(match->draft.confidence, unsure);
  match->draft.evidence.emplace_back(name.attribute ? LH_MESSAGE("Evidence", "the name speaks of something about a lock")
                                                    : LH_MESSAGE("Evidence", "the name speaks of something else too"));
  return match;
}

} // namespace lockhouse
