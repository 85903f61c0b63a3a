// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace lockhouse {

// What the words of keys' names mean: lists of words in small letters, and which of them a word is in.

/// A bit for each list; see name_words.cpp.
enum class List : std::uint64_t {
  Locks = 1ULL << 0,
  Trades = 1ULL << 1,
  Leases = 1ULL << 2,
  Secrets = 1ULL << 3,
  Uses = 1ULL << 4,
  Explainers = 1ULL << 5,
  Pictures = 1ULL << 6,
  Subjects = 1ULL << 7,
  Data = 1ULL << 8,
  Ids = 1ULL << 9,
  Goods = 1ULL << 10,
  Records = 1ULL << 11,
  Measures = 1ULL << 12,
  Attributes = 1ULL << 13,
  Shared = 1ULL << 14,
  Repeats = 1ULL << 15,
  HolderProbe = 1ULL << 16,
  Moments = 1ULL << 17,
  Tallies = 1ULL << 18,
  Events = 1ULL << 19,
  Crowds = 1ULL << 20,
  ShutOut = 1ULL << 21,
  Toggles = 1ULL << 22,
  Counters = 1ULL << 23,
  LeadingCounters = 1ULL << 24,
  Chronicles = 1ULL << 25,
  Periods = 1ULL << 26,
  EndMeasures = 1ULL << 27,
  Semaphores = 1ULL << 28,
  Led = 1ULL << 29,
  Persons = 1ULL << 30,
  Teams = 1ULL << 31,
  Fences = 1ULL << 32,
  LastFences = 1ULL << 33,
};

class WordLists {
public:
  WordLists() = default;
  explicit WordLists(std::string_view word); ///< one look-up
  bool has(List list) const { return (m_bits & static_cast<std::uint64_t>(list)) != 0; }

private:
  std::uint64_t m_bits = 0;
};

/// Those that mean lock. In front of them stands maySpeakOfLock() (name_evidence.h), by pairs of their letters: it has to let each of them through.
std::span<const std::string_view> wordsForLocks();

bool endsLikeLock(std::string_view word);     ///< "joblock"; not "block", "clock", "padlock"
bool isFileEnding(std::string_view word);     ///< "png"
bool namesLockFile(std::string_view keyName); ///< what package managers call the file that pins versions: "yarn.lock"

} // namespace lockhouse
