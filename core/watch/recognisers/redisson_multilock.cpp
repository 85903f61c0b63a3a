// SPDX-License-Identifier: Apache-2.0
// RFasterMultiLock: three fields for each value that is locked: value → owner, value:owner:expire_time → epoch ms,
// value:owner:lock_count → count. What lapsed stays until somebody calls.
#include "core/base/redisson_names.h"
#include "core/watch/recognisers/every_claim.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace lockhouse {
namespace {

constexpr std::size_t valueSize = 22; // 128 bits in base64 without padding

std::optional<std::string_view> valueOf(const KeyFacts &facts, std::string_view field) {
  const auto found = std::ranges::find(facts.fields, field, [](const auto &each) { return std::string_view(each.first); });
  return found == facts.fields.end() ? std::nullopt : std::optional(std::string_view(found->second));
}

double numberOf(std::string_view text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return static_cast<double>(number);
}

} // namespace

bool mayBeLockedValue(std::string_view field) { return field.size() == valueSize || field.ends_with(":expire_time") || field.ends_with(":lock_count"); }

std::optional<Claim> claimRedissonMultiLock(const Family &family, const KeyFacts &facts) {
  if (facts.type != ValueType::Hash || facts.fields.empty() || facts.fields.size() % 3 != 0)
    return std::nullopt;
  Claim claim{.draft = {}, .isByName = true};
  auto &draft = claim.draft;
  double last = 0;
  std::size_t triples = 0;
  for (const auto &[value, owner] : facts.fields) {
    if (value.size() != valueSize || !redisson::isOwner(owner))
      continue;
    const auto until = valueOf(facts, value + ":" + owner + ":expire_time");
    const auto count = valueOf(facts, value + ":" + owner + ":lock_count");
    if (!until || !count || !holdCount(*count))
      return std::nullopt;
    ++triples;
    if (numberOf(*until) <= static_cast<double>(facts.serverTime.count()))
      continue;
    draft.holders.push_back({value + ":" + owner, *holdCount(*count), HoldMode::Exclusive});
    last = std::max(last, numberOf(*until));
  }
  if (triples * 3 != facts.fields.size())
    return std::nullopt;
  draft.kind = family.kind;
  draft.confidence = family.forms.front().confidence;
  draft.evidence = {family.forms.front().evidence};
  if (triples > draft.holders.size())
    draft.evidence.push_back(fmt::format("values that have lapsed: {}", triples - draft.holders.size()));
  if (last > 0)
    draft.expiresAt = endOf(facts, last);
  if (facts.listeners)
    noteListeners(facts.listeners->lock, draft);
  return claim;
}

} // namespace lockhouse
