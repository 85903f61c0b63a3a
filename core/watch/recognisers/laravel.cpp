// SPDX-License-Identifier: Apache-2.0
#include "core/watch/detect/every_claim.h"
#include "core/watch/text/name_classifier.h"

#include <algorithm>

namespace lockhouse {
namespace {

constexpr double unsure = 0.4;

// Both of its prefixes are made of the application's name: "shop-database-user-cache-5" is what users keep.
bool hasOthersStore(const Family &family, const KeyFacts &facts) {
  const auto *form = fittingForm(family, facts);
  Captures captures;
  if (!form || !form->key || !form->key->matches(facts.key, &captures))
    return false;
  const auto app = captures.find("app"), store = captures.find("store");
  return app && store && *app != *store;
}

} // namespace

// As PHP serialises it any text of 16 letters that was cached looks alike, and so does a password or the like as it is; only a name of its
// own, or a word, tells that it is an owner.
std::optional<FamilyMatch> matchLaravel(const Family &family, const KeyFacts &facts) {
  constexpr double byOwnName = 0.95;
  if (const auto job = facts.key.find("laravel_unique_job:"); job != facts.key.npos && facts.key.find(":released:", job) != facts.key.npos)
    return std::nullopt; // the note of who released it, which is kept for a day
  auto match = matchByForms(family, facts);
  if (!match || match->draft.confidence >= byOwnName)
    return match;
  const auto &name = facts.name();
  if (name.lock || (!name.secret && !facts.value.starts_with("s:") && !hasOthersStore(family, facts)))
    return match;
  match->draft.confidence = std::min(match->draft.confidence, unsure);
  match->draft.evidence.emplace_back(LH_MESSAGE("Evidence", "the name does not speak of a lock"));
  return match;
}

// Behind Laravel's prefix.
std::optional<FamilyMatch> matchLaravelFunnel(const Family &family, const KeyFacts &facts) {
  constexpr double byPrefix = 0.75;
  constexpr milliseconds longestSlot = std::chrono::hours(1); // a minute, where a job says nothing else
  const auto &form = family.forms.front();
  const auto isIn = [&facts](std::string_view word) { return facts.key.contains(word); };
  if (facts.type != ValueType::String || !facts.ttl || !(isIn("_database_") || isIn("-database-")) || !formFits(form, facts))
    return std::nullopt;
  const auto &name = facts.name();
  FamilyMatch match{.draft = draftOf(family, form, facts), .isByName = true};
  const bool isSlot = *facts.ttl <= longestSlot && !name.secret && !name.attribute && !name.contrary && !name.data;
  match.draft.confidence = isSlot ? byPrefix : unsure;
  return match;
}

} // namespace lockhouse
