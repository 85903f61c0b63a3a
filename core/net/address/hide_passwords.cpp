// SPDX-License-Identifier: Apache-2.0
#include "core/net/address/hide_passwords.h"

#include "core/base/safe_text.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace lockhouse {
namespace {

// Where the password of a URL in `word` starts and ends, if it has one. Rather too much than too little: the word may be no good URL.
std::optional<std::pair<std::size_t, std::size_t>> passwordIn(std::string_view word) {
  const auto scheme = word.find("://");
  if (scheme == std::string_view::npos)
    return std::nullopt;
  const auto start = scheme + 3;
  const auto at = word.rfind('@');
  const auto colon = word.find(':', start);
  if (at == std::string_view::npos || colon == std::string_view::npos || colon >= at)
    return std::nullopt;
  return std::pair(colon + 1, at);
}

} // namespace

void hidePasswords(int argc, char **argv) {
  for (int i = 1; i < argc; ++i)
    if (const auto secret = passwordIn(argv[i]))
      std::fill(argv[i] + secret->first, argv[i] + secret->second, '*');
}

std::string withoutPassword(std::string word) {
  if (const auto secret = passwordIn(word))
    word.replace(secret->first, secret->second - secret->first, "***");
  return safeText(word, 120);
}

} // namespace lockhouse
