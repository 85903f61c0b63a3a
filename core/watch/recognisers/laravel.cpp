// SPDX-License-Identifier: Apache-2.0
#include "core/watch/detect/every_claim.h"
#include "core/watch/text/name_evidence.h"

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
std::optional<Claim> claimLaravel(const Family &family, const KeyFacts &facts) {
  constexpr double byOwnName = 0.95;
  if (const auto job = facts.key.find("laravel_unique_job:"); job != facts.key.npos && facts.key.find(":released:", job) != facts.key.npos)
    return std::nullopt; // the note of who released it, which is kept for a day
  auto claim = claimByForms(family, facts);
  if (!claim || claim->draft.confidence >= byOwnName)
    return claim;
  const auto &name = facts.name();
  if (name.lock || (!name.secret && !facts.value.starts_with("s:") && !hasOthersStore(family, facts)))
    return claim;
  claim->draft.confidence = std::min(claim->draft.confidence, unsure);
  claim->draft.evidence.emplace_back("the name does not speak of a lock");
  return claim;
}

// Behind Laravel's prefix.
std::optional<Claim> claimLaravelFunnel(const Family &family, const KeyFacts &facts) {
  constexpr double byPrefix = 0.75;
  constexpr milliseconds longestSlot = std::chrono::hours(1); // a minute, where a job says nothing else
  const auto &form = family.forms.front();
  const auto isIn = [&facts](std::string_view word) { return facts.key.contains(word); };
  if (facts.type != ValueType::String || !facts.ttl || !(isIn("_database_") || isIn("-database-")) || !formFits(form, facts))
    return std::nullopt;
  const auto &name = facts.name();
  Claim claim{.draft = draftOf(family, form, facts), .isByName = true};
  const bool isSlot = *facts.ttl <= longestSlot && !name.secret && !name.attribute && !name.contrary && !name.data;
  claim.draft.confidence = isSlot ? byPrefix : unsure;
  return claim;
}

} // namespace lockhouse
