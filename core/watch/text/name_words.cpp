// SPDX-License-Identifier: Apache-2.0
#include "core/watch/text/name_words.h"

#include "core/base/ascii.h"

#include <algorithm>

namespace lockhouse {
namespace {

using name_words::words;

// A scan looks up several words of each of some hundred thousand names: in a hash table that the compiler fills.
constexpr std::size_t slots = 2048;
static_assert(2 * words.size() < slots, "name_words.toml has become longer: double the slots");

constexpr std::size_t slotOf(std::string_view word) { // FNV-1a
  std::uint32_t hash = 2166136261U;
  for (const char c : word)
    hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash % slots;
}

constexpr auto table = [] {
  std::array<std::uint16_t, slots> places{}; // of a word in `words`, counted from 1
  for (std::size_t i = 0; i < words.size(); ++i) {
    auto slot = slotOf(words[i].text);
    while (places[slot] != 0)
      slot = (slot + 1) % slots;
    places[slot] = static_cast<std::uint16_t>(i + 1);
  }
  return places;
}();

constexpr std::size_t longestWord = std::ranges::max(words, {}, [](const auto &word) { return word.text.size(); }).text.size();

} // namespace

WordLists::WordLists(std::string_view word) {
  if (word.size() > longestWord)
    return;
  for (auto slot = slotOf(word); table[slot] != 0; slot = (slot + 1) % slots)
    if (const auto &known = words[table[slot] - 1U]; known.text == word) {
      m_bits = known.lists;
      return;
    }
}

bool endsLikeLock(std::string_view word) {
  if (word.ends_with("locks"))
    word.remove_suffix(1);
  if (word.ends_with("block") || word.ends_with("clock"))
    return WordLists(word).has(WordList::EndingAsLock) ||
           std::ranges::any_of(name_words::lockEndings, [word](std::string_view ending) { return word.ends_with(ending); });
  return (word.ends_with("lock") || word.ends_with("mutex")) && !WordLists(word).has(WordList::NotLocks);
}

bool namesLockFile(std::string_view name) {
  if (name.find_first_of(".-") == name.npos) // each has one
    return false;
  const auto isSame = [](char ofName, char ofFile) { return lowered(ofName) == ofFile; };
  return std::ranges::any_of(name_words::lockFiles, [&](std::string_view file) { return !std::ranges::search(name, file, isSame).empty(); });
}

} // namespace lockhouse
