// SPDX-License-Identifier: Apache-2.0
#include "core/release/warnings/warning_summary.h"

#include <algorithm>
#include <unordered_set>

namespace lockhouse {
namespace {

// The same message, whatever its names, figures and times; messages that are joined, or filled in, count as words.
bool areAlike(const Message &a, const Message &b) {
  if (!a.verbatimText().empty())
    return a == b;
  if (!a.is(b.text()) || a.arguments().size() != b.arguments().size())
    return false;
  return std::ranges::equal(a.arguments(), b.arguments(), [](const Argument &one, const Argument &other) {
    const auto *own = std::get_if<std::vector<Message>>(&one), *its = std::get_if<std::vector<Message>>(&other);
    return own && its ? std::ranges::equal(*own, *its, areAlike) : !std::holds_alternative<Families>(one) || one == other;
  });
}

using Names = std::unordered_set<std::string_view>;

void add(WarningGroup &group, const ReleaseResult &result, std::size_t place, Names &whose) {
  constexpr std::size_t mostNamed = 3;
  ++group.times;
  group.place = std::min(group.place, place);
  group.differs |= result.plan->warnings[place] != group.first;
  whose.insert(result.lock.key.bytes());
  group.names = whose.size();
  if (group.named.size() < std::min(group.names, mostNamed))
    group.named.push_back(result.lock.key);
}

} // namespace

std::vector<WarningGroup> warningGroups(std::span<const ReleaseResult> results) {
  std::vector<WarningGroup> groups;
  std::vector<Names> whose;
  Names all;
  for (const auto &result : results) {
    if (!result.plan || result.verdict)
      continue;
    all.insert(result.lock.key.bytes());
    for (std::size_t place = 0; place < result.plan->warnings.size(); ++place) {
      const auto &warning = result.plan->warnings[place];
      const auto at =
          static_cast<std::size_t>(std::ranges::find_if(groups, [&](const WarningGroup &group) { return areAlike(group.first, warning); }) - groups.begin());
      if (at == groups.size()) {
        groups.push_back({.first = warning, .place = place, .isRefusal = warning == result.plan->refusal});
        whose.emplace_back();
      }
      add(groups[at], result, place, whose[at]);
    }
  }
  for (auto &group : groups)
    group.of = all.size();
  std::ranges::stable_sort(groups, [](const WarningGroup &a, const WarningGroup &b) { return a.place != b.place ? a.place < b.place : a.times > b.times; });
  return groups;
}

} // namespace lockhouse
