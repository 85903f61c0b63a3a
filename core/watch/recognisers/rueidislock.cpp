// SPDX-License-Identifier: Apache-2.0
// rueidislock keeps one lock under several keys, rueidislock:<i>:<name> or behind a prefix of its users'; whoever has most of them holds it.
// The row is that of key 0, also while that one is missing.
#include "core/watch/recognisers/every_claim.h"
#include "core/watch/slot_fold.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace lockhouse {
namespace {

constexpr std::size_t tokenSize = 24;
constexpr std::size_t usualMajority = 2; // of three keys
constexpr double byVotes = 0.9;          // under a prefix of its users'

struct Votes {
  std::size_t count = 0;
  bool areLeased = true, areShort = true;
  void add(std::optional<milliseconds> ttl) {
    ++count;
    areLeased &= ttl.has_value();
    areShort &= ttl && *ttl <= longestHold;
  }
};

// One random token with a lease under several numbered keys, where the name does not say that it is something else.
bool proves(const Votes &votes, const KeyFacts &facts) {
  if (votes.count < usualMajority || !votes.areLeased)
    return false;
  const auto &name = facts.name();
  return votes.areShort || !(name.contrary || name.attribute || name.data);
}

} // namespace

std::optional<Claim> claimRueidisLock(const Family &family, const KeyFacts &facts) {
  const auto found = std::ranges::find_if(family.forms, [&](const Form &each) { return each.key && each.key->matches(facts.key); });
  const bool isThere = facts.type == ValueType::String && found != family.forms.end() && formFits(*found, facts);
  if (found == family.forms.end() || (!isThere && facts.type != ValueType::None))
    return std::nullopt;
  const auto &form = *found;
  std::map<std::string, Votes> votes;
  std::optional<milliseconds> left;
  if (isThere)
    votes[facts.value].add(facts.ttl);
  for (const auto &beside : facts.beside)
    if (beside.form->role == Role::Vote && beside.value.size() == tokenSize) {
      votes[beside.value].add(beside.ttl);
      left = std::max(left, beside.ttl);
    }
  const auto most = std::ranges::max_element(votes, {}, [](const auto &vote) { return vote.second.count; });
  if (most == votes.end() || (form.confidence == 0 && !proves(most->second, facts)))
    return std::nullopt;
  Claim claim{.draft = {}, .isByName = true};
  auto &draft = claim.draft;
  draft.kind = family.kind;
  draft.confidence = form.confidence == 0 ? byVotes : form.confidence;
  draft.holders.push_back({most->first, 1, HoldMode::Exclusive});
  draft.evidence = {form.evidence};
  draft.votes = most->second.count;
  draft.neededVotes = usualMajority;
  tellVotes(draft);
  if (votes.size() > 1)
    draft.evidence.push_back(fmt::format("clients that have some of its keys: {}", votes.size()));
  if (!isThere && left)
    draft.expiresAt = facts.seenAt + *left;
  return claim;
}

} // namespace lockhouse
