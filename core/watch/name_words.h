// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace lockhouse {

// What the words of keys' names mean: lists of words in small letters, and which of them a word is in.

/// A bit for each list; see name_words.cpp.
enum class List : std::uint32_t {
  Locks = 1U << 0,
  Trades = 1U << 1,
  Leases = 1U << 2,
  Secrets = 1U << 3,
  Uses = 1U << 4,
  Explainers = 1U << 5,
  Pictures = 1U << 6,
  Subjects = 1U << 7,
  Data = 1U << 8,
  Ids = 1U << 9,
  Goods = 1U << 10,
  Records = 1U << 11,
  Measures = 1U << 12,
  Attributes = 1U << 13,
  Shared = 1U << 14,
  Repeats = 1U << 15,
  Presence = 1U << 16,
  Moments = 1U << 17,
  Tallies = 1U << 18,
  Events = 1U << 19,
  Crowds = 1U << 20,
  ShutOut = 1U << 21,
  Toggles = 1U << 22,
  Counters = 1U << 23,
  LeadingCounters = 1U << 24,
  Chronicles = 1U << 25,
  Periods = 1U << 26,
  EndMeasures = 1U << 27,
  Semaphores = 1U << 28,
  Led = 1U << 29,
  Persons = 1U << 30,
  Teams = 1U << 31,
};

class WordLists {
public:
  WordLists() = default;
  explicit WordLists(std::string_view word); ///< one look-up
  bool has(List list) const { return (m_bits & static_cast<std::uint32_t>(list)) != 0; }

private:
  std::uint32_t m_bits = 0;
};

/// Those that mean lock. In front of them stands maySpeakOfLock() (name_evidence.h), by pairs of their letters: it has to let each of them through.
std::span<const std::string_view> wordsForLocks();

bool endsLikeLock(std::string_view word);     ///< "joblock"; not "block", "clock", "padlock"
bool isFileEnding(std::string_view word);     ///< "png"
bool namesLockFile(std::string_view keyName); ///< what package managers call the file that pins versions: "yarn.lock"

} // namespace lockhouse
