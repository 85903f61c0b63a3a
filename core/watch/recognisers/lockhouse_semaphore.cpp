// SPDX-License-Identifier: Apache-2.0
// LeasedSemaphore writes <client>:<number>/1 … /<permits>, one member for each permit of a hold: they come and go together. How many there
// are lies beside it.
#include "core/base/redisson_names.h"
#include "core/watch/detect/every_claim.h"
#include "core/watch/recognisers/redisson_parts.h"
#include "core/watch/text/data_names.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <unordered_map>

namespace lockhouse {
namespace {

// Nothing: not known.
std::optional<std::int64_t> capacityOf(const Family &family, const KeyFacts &facts) {
  const auto companion = std::ranges::find(family.companion, Role::Part, &CompanionKey::role);
  const auto *capacity = companion == family.companion.end() ? nullptr : facts.find(*companion);
  constexpr std::size_t longest = 15; // digits
  return capacity && capacity->value.size() <= longest && !capacity->value.starts_with('0') ? redisson::holdCount(capacity->value) : std::nullopt;
}

} // namespace

std::optional<FamilyMatch> matchLeasedSemaphore(const Family &family, const KeyFacts &facts) {
  const auto *form = fittingForm(family, facts, nullptr, hasCompanionEvidence(family, facts));
  if (!form)
    return std::nullopt;
  FamilyMatch match{.draft = draftOf(family, *form, facts), .isByName = form->key.has_value()};
  auto &draft = match.draft;
  if (draft.holders.empty() && draft.queue.empty())
    return std::nullopt; // all of them have lapsed, and nobody waits
  std::vector<Holder> holds;
  std::unordered_map<std::string, std::size_t> places;
  for (auto &permit : draft.holders) {
    permit.id.resize(permit.id.rfind('/'));
    const auto [place, isNew] = places.emplace(permit.id, holds.size());
    if (isNew)
      holds.push_back(std::move(permit));
    else
      ++holds[place->second].count;
  }
  draft.holders = std::move(holds);
  const auto held = std::accumulate(draft.holders.begin(), draft.holders.end(), static_cast<std::int64_t>(draft.unread),
                                    [](std::int64_t sum, const Holder &holder) { return sum + holder.count; });
  if (namesData(facts.name()) && !hasCompanionEvidence(family, facts)) // its capacity lies beside it as long as anybody holds one
    doubtAsData(draft);
  if (const auto capacity = capacityOf(family, facts)) {
    draft.extras.push_back({"free", std::to_string(*capacity - held)}); // below zero: somebody has lowered it meanwhile
    std::ranges::sort(draft.extras, {}, &MetadataEntry::name);
  }
  return match;
}

} // namespace lockhouse
