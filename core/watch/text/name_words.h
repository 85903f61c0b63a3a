// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/text/name_words.toml.h"

#include <cstdint>
#include <string_view>

namespace lockhouse {

using WordList = name_words::List; ///< of name_words.toml, where a comment says what each list decides

/// Which lists a word is in. The word is in small letters.
class WordLists {
public:
  WordLists() = default;
  explicit WordLists(std::string_view word); ///< one look-up, without an allocation
  bool has(WordList list) const { return ((m_bits >> static_cast<unsigned>(list)) & 1) != 0; }

private:
  std::uint64_t m_bits = 0;
};

bool endsLikeLock(std::string_view word);     ///< "joblock"; not "block", "clock", "padlock"
bool namesLockFile(std::string_view keyName); ///< "yarn.lock", in which a package manager pins versions

} // namespace lockhouse
