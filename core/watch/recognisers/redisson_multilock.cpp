// SPDX-License-Identifier: Apache-2.0
// RFasterMultiLock: three fields for each value that is locked: value → owner, value:owner:expire_time → epoch ms,
// value:owner:lock_count → count. What lapsed stays until somebody calls; an end that is no number never lapses, for the script that compares it fails.
#include "core/base/redisson_names.h"
#include "core/watch/detect/every_claim.h"
#include "core/watch/detect/first_signs.h"
#include "core/watch/recognisers/redisson_parts.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <unordered_map>

namespace lockhouse {
namespace {

constexpr std::size_t valueSize = 22; // 128 bits in base64 without padding
constexpr std::string_view endMark = ":expire_time", countMark = ":lock_count";

std::unordered_map<std::string_view, std::string_view> fieldsOf(const KeyFacts &facts) {
  std::unordered_map<std::string_view, std::string_view> fields;
  for (const auto &[field, value] : facts.fields)
    fields.emplace(field, value);
  return fields;
}

std::optional<double> numberOf(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(static_cast<double>(number)) : std::nullopt;
}

/// The values that are locked, each by its three fields.
struct LockedValues {
  std::size_t found = 0, endless = 0; ///< those that have lapsed too; those whose end is no time
  double lastEnd = 0;
};

// Puts those that have not lapsed into `draft`.
LockedValues takeValues(const KeyFacts &facts, LockRecord &draft) {
  const auto find = fieldsOf(facts);
  LockedValues values;
  for (const auto &[value, owner] : facts.fields) {
    if (value.size() != valueSize || !redisson::isOwner(owner))
      continue;
    const auto until = find.find(fmt::format("{}:{}{}", value, owner, endMark));
    const auto count = find.find(fmt::format("{}:{}{}", value, owner, countMark));
    if (until == find.end() || count == find.end())
      continue;
    ++values.found;
    const auto end = numberOf(until->second);
    if (end && *end <= static_cast<double>(facts.serverTime.count()))
      continue;
    values.endless += !end;
    values.lastEnd = std::max(values.lastEnd, end.value_or(0));
    if (!redisson::holdCount(count->second))
      noteOddCount(count->second, draft);
    draft.holders.push_back(
        {.id = value + ":" + owner, .count = redisson::holdCount(count->second).value_or(0), .expiresAt = end ? endOf(facts, *end) : std::nullopt});
  }
  return values;
}

// Whether it is the end or the count of an owner's hold. Whoever takes a value whose hold has lapsed leaves both there.
bool isOfHold(std::string_view field) {
  const auto mark = field.ends_with(endMark) ? endMark : countMark;
  if (!field.ends_with(mark) || field.size() <= valueSize + 1 + mark.size() || field[valueSize] != ':')
    return false;
  return redisson::isOwner(field.substr(valueSize + 1, field.size() - valueSize - 1 - mark.size()));
}

// Of the holders without the values in front of them.
std::vector<MetadataEntry> ownersOf(const LockRecord &draft) {
  LockRecord owners;
  for (const auto &holder : draft.holders)
    owners.holders.push_back({holder.id.substr(valueSize + 1), holder.count, holder.mode});
  addOwners(owners);
  return std::move(owners.extras);
}

} // namespace

bool mayBeLockedValue(std::string_view field) { return field.size() == valueSize || field.ends_with(endMark) || field.ends_with(countMark); }

std::optional<FamilyMatch> matchRedissonMultiLock(const Family &family, const KeyFacts &facts) {
  if (facts.type != ValueType::Hash)
    return std::nullopt;
  const bool isCut = facts.size > facts.fields.size(); // one that was released in between may have left a part
  FamilyMatch match{.draft = {}, .isByName = true};
  auto &draft = match.draft;
  const auto values = takeValues(facts, draft);
  const auto ofHolds = static_cast<std::size_t>(std::ranges::count_if(facts.fields, [](const auto &field) { return isOfHold(field.first); }));
  const auto left = ofHolds - 2 * values.found;                                 // of holds that have lapsed
  const auto unexpectedEntries = facts.fields.size() - 3 * values.found - left; // of a cut one those too whose triple was not read
  if (values.found == 0 || (!isCut && unexpectedEntries >= 3 * values.found))
    return std::nullopt;
  draft.extras = ownersOf(draft);
  draft.unread = isCut ? (facts.size - facts.fields.size()) / 3 : 0;
  draft.kind = family.kind;
  draft.confidence = family.forms.front().confidence;
  draft.evidence.insert(draft.evidence.begin(), evidenceOf(family.forms.front()));
  if (values.endless > 0)
    draft.evidence.push_back(LH_MESSAGE("Evidence", "ends that are no times: %1")(values.endless));
  if (!isCut)
    noteUnexpected(unexpectedEntries, draft);
  if (!isCut && left > 0)
    draft.evidence.push_back(LH_MESSAGE("Evidence", "fields that are left of holds which have lapsed: %1")(left));
  if (values.found > draft.holders.size())
    draft.evidence.push_back(LH_MESSAGE("Evidence", "values that have lapsed: %1")(values.found - draft.holders.size()));
  if (values.lastEnd > 0 && values.endless == 0)
    draft.expiresAt = endOf(facts, values.lastEnd);
  if (facts.listeners)
    noteListeners(facts.listeners->lock, draft);
  return match;
}

} // namespace lockhouse
