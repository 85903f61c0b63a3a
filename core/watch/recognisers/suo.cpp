// SPDX-License-Identifier: Apache-2.0
// suo packs all holders into one string: an array of [time, token], in MessagePack.
// Source: MessagePack specification: 0x9n an array of n, 0xdc one of more than 15, its length in two bytes, 0xcb a double, 0xb8 a text of 24 bytes.
#include "core/watch/detect/every_claim.h"
#include "core/watch/detect/first_signs.h"
#include "core/watch/record/metadata.h"

#include <bit>
#include <fmt/format.h>

namespace lockhouse {
namespace {

constexpr std::size_t entrySize = 1 + 9 + 25; // array of two, double, text of 24
constexpr std::size_t mostShort = 15;         // of an array whose length fits into its first byte

// How many it has, and how many bytes say so.
std::optional<std::pair<std::size_t, std::size_t>> lengthOf(std::string_view value) {
  const auto at = [value](std::size_t i) { return static_cast<unsigned char>(value[i]); };
  if (!value.empty() && (at(0) & 0xf0) == 0x90)
    return std::pair<std::size_t, std::size_t>(at(0) & 0x0f, 1);
  if (value.size() >= 3 && at(0) == 0xdc)
    return std::pair<std::size_t, std::size_t>(at(1) << 8 | at(2), 3);
  return std::nullopt;
}

double doubleAt(std::string_view bytes) {
  std::uint64_t bits = 0;
  for (const char byte : bytes.substr(0, 8))
    bits = bits << 8 | static_cast<unsigned char>(byte);
  return std::bit_cast<double>(bits);
}

bool isEntry(std::string_view entry) {
  const auto at = [entry](std::size_t i) { return static_cast<unsigned char>(entry[i]); };
  const auto time = at(1) == 0xcb ? doubleAt(entry.substr(2)) : 0;
  return at(0) == 0x92 && time >= 1'262'304'000 && time < 4'102'444'800 && at(10) == 0xb8;
}

} // namespace

bool mayBeSuo(std::string_view value) {
  const auto length = value.size() > entrySize ? lengthOf(value) : std::nullopt;
  return length && length->first > 0 && value.size() >= length->second + entrySize && isEntry(value.substr(length->second));
}

bool mayBeSuoOf(std::size_t size) { return size > 1 + mostShort * entrySize ? size % entrySize == 3 : size % entrySize == 1 && size > entrySize; }

std::optional<FamilyMatch> matchSuo(const Family &family, const KeyFacts &facts) {
  const std::string_view value = facts.value;
  if (facts.type != ValueType::String || !mayBeSuo(value))
    return std::nullopt;
  const auto [count, head] = *lengthOf(value);
  FamilyMatch match{.draft = {}, .isByName = true};
  auto &draft = match.draft;
  for (std::size_t i = 0; i < count && head + (i + 1) * entrySize <= value.size(); ++i) {
    const auto entry = value.substr(head + i * entrySize, entrySize);
    if (!isEntry(entry))
      return std::nullopt;
    draft.holders.push_back({std::string(entry.substr(11, 24)), 1, HoldMode::Exclusive});
    const auto since = fmt::format("{:.3f}", doubleAt(entry.substr(2)));
    Captures captures;
    captures.set("since", since);
    joinMetadata(draft.extras, metadataOf(captures, facts.serverTime), i);
  }
  draft.kind = family.kind;
  draft.confidence = family.forms.front().confidence;
  draft.evidence = {evidenceOf(family.forms.front())};
  draft.unread = count - draft.holders.size();
  if (draft.unread > 0)
    draft.evidence.push_back(LH_MESSAGE("Evidence", "it has %1 holders, of whom %2 were read")(count, draft.holders.size()));
  return match;
}

} // namespace lockhouse
