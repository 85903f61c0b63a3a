// SPDX-License-Identifier: Apache-2.0
// Symfony's lock: a sorted set of tokens with the ends of their leases; one that is held exclusively has the member __write__ too.
#include "core/watch/detect/every_claim.h"
#include "core/watch/text/data_names.h"
#include "core/watch/text/name_classifier.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace lockhouse {
namespace {

constexpr double farEnd = 4'102'444'799'999.0; // epoch ms of the last of our times
constexpr double unleased = 0.45;              // the library has each of its keys end with the last of its holds: others of that form may be any digests

// A reader who left may have had the longest lease, which the key keeps.
bool mayEndWithTheLast(const KeyFacts &facts, const KeyFacts &tokens) {
  constexpr double skew = 5'000; // ms
  if (!facts.ttl)
    return false;
  const auto &last = facts.tail.empty() ? tokens.members : facts.tail; // in the order of their scores
  const auto end = static_cast<double>((facts.serverTime + *facts.ttl).count());
  return *facts.ttl <= longestHold || (!last.empty() && std::abs(last.back().score - end) <= skew);
}

} // namespace

std::optional<FamilyMatch> matchSymfony(const Family &family, const KeyFacts &facts) {
  constexpr std::string_view mark = "__write__";
  if (facts.type != ValueType::SortedSet)
    return std::nullopt;
  auto tokens = facts;
  const auto now = static_cast<double>(facts.serverTime.count());
  const bool isMarked = std::ranges::any_of(tokens.members, [now](const Member &member) { return member.bytes == mark && member.score > now; });
  const auto marks = std::erase_if(tokens.members, [](const Member &member) { return member.bytes == mark; });
  tokens.size -= std::min<std::uint64_t>(tokens.size, marks);
  if (isMarked && tokens.members.empty()) { // its token was taken out, and it stays closed
    FamilyMatch match{.draft = {}, .isByName = true};
    match.draft.kind = family.kind;
    match.draft.scores = family.forms.front().score;
    match.draft.confidence = family.forms.front().confidence;
    match.draft.holders.push_back({std::string(mark), 1, HoldMode::Write});
    match.draft.evidence = {LH_MESSAGE("Evidence", "only its mark of a writer is left, which keeps it closed")};
    return match;
  }
  const bool isEndless = std::ranges::any_of(tokens.members, [](const Member &member) { return std::isinf(member.score) && member.score > 0; });
  for (auto &member : tokens.members) // a lock without a lease
    if (std::isinf(member.score) && member.score > 0)
      member.score = farEnd;
  const auto *form = fittingForm(family, tokens, nullptr, marks > 0);
  if (!form)
    return std::nullopt;
  FamilyMatch match{.draft = draftOf(family, *form, tokens), .isByName = true};
  if (marks > 0 && tokens.members.size() > 1 + match.draft.unexpectedEntries) // one token alone writes
    return std::nullopt;
  if (isEndless) {
    match.draft.expiresAt.reset();
    match.draft.evidence.push_back(LH_MESSAGE("Evidence", "holds without an end: %1")(std::ranges::count(tokens.members, farEnd, &Member::score)));
  }
  if (marks == 0 && (isEndless || !mayEndWithTheLast(facts, tokens)) && !facts.name().lock)
    match.draft.confidence = std::min(match.draft.confidence, unleased);
  if (marks == 0 && namesData(facts.name()))
    doubtAsData(match.draft);
  match.draft.evidence.emplace_back(marks > 0 ? LH_MESSAGE("Evidence", "held exclusively: its mark of a writer is there")
                                              : LH_MESSAGE("Evidence", "shared: there is no mark of a writer"));
  for (auto &holder : match.draft.holders) {
    holder.mode = marks > 0 ? HoldMode::Write : HoldMode::Read;
    holder.expiresAt = isEndless && holder.expiresAt == endOf(facts, farEnd) ? std::nullopt : holder.expiresAt;
  }
  return match;
}

} // namespace lockhouse
