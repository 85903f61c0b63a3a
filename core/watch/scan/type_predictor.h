// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/record/lock_record.h"

#include <array>
#include <string_view>

namespace lockhouse {

/// Guesses what type a key holds from the names and types seen before, so that a sweep needs one command a key instead of TYPE and
/// a read: applications name keys alike that hold alike ("user:42:cart"). Fixed memory. A wrong guess costs a WRONGTYPE error and
/// is remembered; where names tell nothing, Unknown is answered and the caller asks TYPE.
class TypePredictor {
public:
  struct Guess {
    ValueType type = ValueType::Unknown; ///< Unknown, or what this kind of name nearly always had
    bool isTokenSized = false;           ///< of strings: their length seldom tells that they are no tokens; of hashes: nor their fields that they are no locks
    bool isLight = false;                ///< of collections: none that was weighed was heavy
  };
  Guess guess(std::string_view key) const;
  void learn(std::string_view key, ValueType type);
  void learnSize(std::string_view key, bool isTokenSized); ///< of a string, or of a hash with as many fields as a lock has
  void learnWeight(std::string_view key, bool isLight);    ///< of a collection

private:
  struct Kind {
    std::uint64_t name = 0; // hash of the kind of name
    ValueType type = ValueType::Unknown;
    std::uint32_t hits = 0;
    std::uint32_t misses = 0;
    std::uint32_t sizes = 0;      // strings whose length was seen
    std::uint32_t tokenSizes = 0; // … and could be a token's
    std::uint32_t lights = 0;     // collections that were weighed since the last heavy one
    bool isSure() const;
    Guess guess() const;
    void learn(std::uint64_t kind, ValueType seen);
  };
  static constexpr std::size_t size = 1024; // a power of two
  std::array<Kind, size> m_coarse{};        // by first word and number of words
  std::array<Kind, size> m_fine{};          // by all words that hold no digit
};

} // namespace lockhouse
