// SPDX-License-Identifier: Apache-2.0
// rueidislock keeps one lock under several keys, rueidislock:<i>:<name> or behind a prefix of its users'; whoever has most of them holds it.
// The row is that of key 0, also while that one is missing.
#include "core/watch/detect/every_claim.h"
#include "core/watch/detect/vote_evidence.h"
#include "core/watch/text/data_names.h"
#include "core/watch/text/name_classifier.h"

#include <algorithm>
#include <functional>
#include <map>
#include <vector>

namespace lockhouse {
namespace {

constexpr std::size_t tokenSize = 24;
constexpr std::size_t usualMajority = 2; // of three keys
constexpr double unsure = 0.45;          // of one key alone, under a prefix of its users'
constexpr double named = 0.72;           // where that speaks of a lock: more than as a token by itself

constexpr auto endless = milliseconds::max();

using Votes = std::vector<milliseconds>; // of one token: what each of its keys has left

// A random token with a lease, where the name does not say that it is something else: under several numbered keys it proves a lock.
bool mayBeVotes(const Votes &votes, const KeyFacts &facts) {
  const auto longest = std::ranges::max(votes);
  if (longest == endless)
    return false;
  const auto &name = facts.name();
  return longest <= longestHold || !(name.contrary || name.attribute || name.data);
}

// When it has fewer keys than make a majority; where it has no majority, when the last of them is gone.
std::optional<SteadyTime> endOf(Votes votes, SteadyTime now) {
  std::ranges::sort(votes, std::greater());
  const auto left = votes[votes.size() < usualMajority ? 0 : usualMajority - 1];
  return left == endless ? std::nullopt : std::optional(now + left);
}

std::optional<SteadyTime> firstEnd(const Votes &votes, SteadyTime now) {
  const auto left = std::ranges::min(votes);
  return left == endless ? std::nullopt : std::optional(now + left);
}

// Whether some of its other keys may not be read by this user, or cannot now.
bool areSomeClosed(const Family &family, const KeyFacts &facts) {
  const auto keys = memberKeys(family, facts.key);
  return std::ranges::any_of(keys, [&facts](const std::string &key) { return facts.isClosed(key); });
}

double trustInOne(const NameEvidence &name) { return name.lock && !name.attribute && !name.contrary ? named : unsure; }

} // namespace

std::optional<FamilyMatch> matchRueidisLock(const Family &family, const KeyFacts &facts) {
  const auto found = std::ranges::find_if(family.forms, [&](const Form &each) { return each.key && each.key->matches(facts.key); });
  const bool isThere = facts.type == ValueType::String && found != family.forms.end() && formFits(*found, facts);
  if (found == family.forms.end() || (!isThere && facts.type != ValueType::None))
    return std::nullopt;
  const auto &form = *found;
  std::map<std::string, Votes> votes;
  if (isThere)
    votes[facts.value].push_back(facts.ttl.value_or(endless));
  for (const auto &companion : facts.companion)
    if (companion.form->role == Role::Vote && companion.value.size() == tokenSize)
      votes[companion.value].push_back(companion.ttl.value_or(endless));
  const auto most = std::ranges::max_element(votes, {}, [](const auto &vote) { return vote.second.size(); });
  const bool isNamed = form.confidence > 0, isProven = isNamed || (most != votes.end() && most->second.size() >= usualMajority);
  if (most == votes.end() || (!isNamed && !mayBeVotes(most->second, facts)))
    return std::nullopt;
  const bool areClosed = areSomeClosed(family, facts);
  if (!(isProven || facts.isOfCluster || areClosed)) // other masters may have the rest, or who may read it
    return std::nullopt;
  FamilyMatch match{.draft = {}, .isByName = true};
  auto &draft = match.draft;
  draft.kind = family.kind;
  draft.confidence = isNamed ? form.confidence : isProven ? byVotes : trustInOne(facts.name());
  draft.holders.push_back({most->first, 1, HoldMode::Exclusive});
  draft.evidence = {evidenceOf(form)};
  draft.votes = most->second.size();
  draft.neededVotes = usualMajority;
  for (const auto &[id, own] : votes)
    if (&id != &most->first)
      draft.outvoted.push_back({.id = id, .count = static_cast<std::int64_t>(own.size()), .expiresAt = firstEnd(own, facts.seenAt)});
  if (areClosed && draft.votes < usualMajority) { // nobody can tell whether it has most of them
    draft.unfollowed = 1;
    draft.neededVotes = draft.outvoted.empty() ? 0 : usualMajority;
  }
  tellVotes(draft);
  draft.expiresAt = endOf(most->second, facts.seenAt);
  return match;
}

} // namespace lockhouse
