// SPDX-License-Identifier: Apache-2.0
// RFasterMultiLock: three fields for each value that is locked: value → owner, value:owner:expire_time → epoch ms,
// value:owner:lock_count → count. What lapsed stays until somebody calls; an end that is no number never lapses, for the script that compares it fails.
#include "core/base/redisson_names.h"
#include "core/watch/recognisers/every_claim.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <unordered_map>

namespace lockhouse {
namespace {

constexpr std::size_t valueSize = 22; // 128 bits in base64 without padding

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

} // namespace

bool mayBeLockedValue(std::string_view field) { return field.size() == valueSize || field.ends_with(":expire_time") || field.ends_with(":lock_count"); }

std::optional<Claim> claimRedissonMultiLock(const Family &family, const KeyFacts &facts) {
  const bool isCut = facts.size > facts.fields.size(); // one that was released in between may have left a part
  if (facts.type != ValueType::Hash)
    return std::nullopt;
  const auto find = fieldsOf(facts);
  Claim claim{.draft = {}, .isByName = true};
  auto &draft = claim.draft;
  double last = 0;
  std::size_t triples = 0, endless = 0;
  for (const auto &[value, owner] : facts.fields) {
    if (value.size() != valueSize || !redisson::isOwner(owner))
      continue;
    const auto until = find.find(value + ":" + owner + ":expire_time");
    const auto count = find.find(value + ":" + owner + ":lock_count");
    if (until == find.end() || count == find.end())
      continue;
    ++triples;
    const auto end = numberOf(until->second);
    if (end && *end <= static_cast<double>(facts.serverTime.count()))
      continue;
    endless += !end;
    if (!holdCount(count->second))
      noteOddCount(count->second, draft);
    draft.holders.push_back({.id = value + ":" + owner, .count = holdCount(count->second).value_or(0), .expiresAt = end ? endOf(facts, *end) : std::nullopt});
    last = std::max(last, end.value_or(0));
  }
  const auto strays = facts.fields.size() - 3 * triples; // of a cut one those too whose triple was not read
  if (triples == 0 || (!isCut && strays >= 3 * triples))
    return std::nullopt;
  LockRecord owners;
  for (const auto &holder : draft.holders)
    owners.holders.push_back({holder.id.substr(valueSize + 1), holder.count, holder.mode});
  addOwners(owners);
  draft.extras = std::move(owners.extras);
  draft.unread = isCut ? (facts.size - facts.fields.size()) / 3 : 0;
  draft.kind = family.kind;
  draft.confidence = family.forms.front().confidence;
  draft.evidence.insert(draft.evidence.begin(), family.forms.front().evidence);
  if (endless > 0)
    draft.evidence.push_back(fmt::format("ends that are no times: {}", endless));
  if (!isCut)
    noteStrays(strays, draft);
  if (triples > draft.holders.size())
    draft.evidence.push_back(fmt::format("values that have lapsed: {}", triples - draft.holders.size()));
  if (last > 0 && endless == 0)
    draft.expiresAt = endOf(facts, last);
  if (facts.listeners)
    noteListeners(facts.listeners->lock, draft);
  return claim;
}

} // namespace lockhouse
