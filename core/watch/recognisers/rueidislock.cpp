// SPDX-License-Identifier: Apache-2.0
// rueidislock keeps one lock under several keys, rueidislock:<i>:<name>; whoever has most of them holds it. The row is that of key 0,
// also while that one is missing.
#include "core/watch/recognisers/every_claim.h"
#include "core/watch/vote_fold.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace lockhouse {
namespace {

constexpr std::size_t tokenSize = 24;
constexpr std::size_t usualMajority = 2; // of three keys

} // namespace

std::optional<Claim> claimRueidisLock(const Family &family, const KeyFacts &facts) {
  const auto &form = family.forms.front();
  const bool isThere = facts.type == ValueType::String && formFits(form, facts);
  if ((!isThere && facts.type != ValueType::None) || (form.key && !form.key->matches(facts.key)))
    return std::nullopt;
  std::map<std::string, std::size_t> votes;
  std::optional<milliseconds> left;
  if (isThere)
    ++votes[facts.value];
  for (const auto &beside : facts.beside)
    if (beside.form->role == Role::Vote && beside.value.size() == tokenSize) {
      ++votes[beside.value];
      left = std::max(left, beside.ttl);
    }
  const auto most = std::ranges::max_element(votes, {}, [](const auto &vote) { return vote.second; });
  if (most == votes.end())
    return std::nullopt;
  Claim claim{.draft = {}, .isByName = true};
  auto &draft = claim.draft;
  draft.kind = family.kind;
  draft.confidence = form.confidence;
  draft.holders.push_back({most->first, 1, HoldMode::Exclusive});
  draft.evidence = {form.evidence};
  draft.votes = most->second;
  draft.neededVotes = usualMajority;
  tellVotes(draft);
  if (votes.size() > 1)
    draft.evidence.push_back(fmt::format("clients that have some of its keys: {}", votes.size()));
  if (!isThere && left)
    draft.expiresAt = facts.seenAt + *left;
  return claim;
}

} // namespace lockhouse
