// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/message.h"

#include <cstddef>
#include <string_view>

namespace lockhouse {

/// What the value of a string looks like if it is taken for the owner token of a lock. Session ids and CSRF tokens have the same formats, so
/// a format alone makes no lock.
struct TokenFormat {
  /// Phrase: words with spaces, or an issued key, "sk_live_4eC39HqLyjWDarjtT1zdp7dc". Loose: an owner or anything, "4711", "alice", {"pid":1}.
  /// Trivial: a mark, "1". Word: a host or worker name. Time: "1795271640". Generic: random bytes. Distinct: one library's own format.
  enum class Class { None, Phrase, Loose, Trivial, Word, Time, Generic, Distinct };
  Class kind = Class::None;
  double trust = 0;       ///< 0 … 1, under a name that suggests a lock
  MessageFormat<0> words; ///< evidence, for people
};

constexpr std::size_t longestToken = 128;   // bytes
constexpr std::size_t longestHolder = 1024; // bytes that are read of a holder if the name makes the lock

/// Generic, Distinct or None: a format that is a token under any name. The value may be cut at longestToken + 1 bytes: longer ones have no format.
TokenFormat tokenFormat(std::string_view value);
/// Phrase to Time, or None: what counts only under a name that suggests a lock. The value has no tokenFormat().
TokenFormat plainShape(std::string_view value);

/// Whether 13 hex digits are PHP's uniqid: seconds and microseconds.
bool isUniqid(std::string_view value);
/// Whether bytes are random and no text. Counters, bitmaps and structures repeat bytes, and some formats start with a known mark.
bool isRandomBytes(std::string_view value);

} // namespace lockhouse
