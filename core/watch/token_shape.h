// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace lockhouse {

/// What the value of a string looks like, judged as an owner token of a lock. A shape alone never makes a lock: session ids and
/// CSRF tokens have the same shapes.
struct TokenShape {
  enum class Class { None, Trivial, Word, Generic, Distinct };
  Class kind = Class::None; ///< Trivial: "1"; Word: a host or worker name; Generic: random bytes; Distinct: one library's own
  double trust = 0;         ///< 0 … 1 under a name that speaks of a lock
  std::string_view words;   ///< evidence, for people
};

/// How strongly a key's name speaks of a lock, and of something else.
struct NameEvidence {
  bool lock = false;      ///< a word of it means lock: "lock", "mutex", "jobLock", "redlock"; not "block", "clock", "unlock"
  bool edge = false;      ///< … and it is the first or last word
  bool lease = false;     ///< "lease", "leader": weaker
  bool attribute = false; ///< its neighbour makes it something about a lock, or a file: "lock:enabled", "yarn.lock"
  bool contrary = false;  ///< a word names another use of random text: session, csrf, nonce, cache …
};

constexpr std::size_t longestToken = 128;

/// Of a value cut at longestToken + 1 bytes; longer ones have no shape.
TokenShape tokenShape(std::string_view value);
NameEvidence nameEvidence(std::string_view key);
bool maySpeakOfLock(std::string_view key); ///< quick: false only if nameEvidence(key).lock is false

} // namespace lockhouse
