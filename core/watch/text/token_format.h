// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/message.h"

#include <cstddef>
#include <string_view>

namespace lockhouse {

/// What the value of a string looks like, judged as an owner token of a lock. A shape alone never makes a lock: session ids and
/// CSRF tokens have the same shapes.
struct TokenFormat {
  /// Loose: an owner or anything, "4711", "alice", {"pid":1}; Trivial: "1"; Word: a host or worker name; Time: "1795271640"; Generic:
  /// random bytes; Distinct: one library's own. Phrase: words with spaces,
  /// or what somebody gave out: "sk_live_4eC39HqLyjWDarjtT1zdp7dc".
  enum class Class { None, Phrase, Loose, Trivial, Word, Time, Generic, Distinct };
  Class kind = Class::None;
  double trust = 0;       ///< 0 … 1 under a name that speaks of a lock
  MessageFormat<0> words; ///< evidence, for people
};

constexpr std::size_t longestToken = 128;   // bytes
constexpr std::size_t longestHolder = 1024; // that are read of one whose lock is known by its name; of a longer one these are its first

/// Generic, Distinct or None: what speaks for itself. Of a value cut at longestToken + 1 bytes; longer ones have no shape.
TokenFormat tokenFormat(std::string_view value);
/// Phrase to Time, or None: what counts only under a name that speaks of a lock. Of a value without a tokenFormat.
TokenFormat plainShape(std::string_view value);

/// Whether 13 hex digits are PHP's uniqid: seconds and microseconds.
bool isUniqid(std::string_view value);
/// Whether bytes are random and no text: counters, bitmaps and structures repeat theirs, and some formats open with a mark of their own.
bool isRandomBytes(std::string_view value);

} // namespace lockhouse
