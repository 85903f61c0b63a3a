// SPDX-License-Identifier: Apache-2.0
#include "core/base/sealed_token.h"

#include "core/base/encoding.h"
#include "core/base/random.h"

#include <array>
#include <cstdint>

namespace lockhouse {
namespace {

constexpr std::size_t randomSize = 16, size = randomSize + 2, textSize = 24;

// FNV-1a (Fowler, Noll, Vo) of 32 bits, folded to 16.
std::array<char, 2> checkOf(std::string_view bytes) {
  std::uint32_t sum = 0x811c9dc5U;
  for (const char byte : bytes)
    sum = (sum ^ static_cast<unsigned char>(byte)) * 0x01000193U;
  const auto merged = (sum >> 16U) ^ (sum & 0xffffU);
  return {static_cast<char>(merged >> 8U), static_cast<char>(merged & 0xffU)};
}

} // namespace

Result<LockToken> sealedToken() {
  std::array<char, size> bytes{};
  if (auto filled = randomBytes(std::span(bytes).first(randomSize)); !filled)
    return std::unexpected(std::move(filled.error()));
  const auto check = checkOf({bytes.data(), randomSize});
  bytes[randomSize] = check[0];
  bytes[randomSize + 1] = check[1];
  return LockToken(base64({bytes.data(), bytes.size()}));
}

bool isSealedToken(std::string_view text) {
  const auto bytes = text.size() == textSize ? fromBase64(text) : std::nullopt;
  if (!bytes || bytes->size() != size)
    return false;
  const auto check = checkOf(std::string_view(*bytes).substr(0, randomSize));
  return (*bytes)[randomSize] == check[0] && (*bytes)[randomSize + 1] == check[1];
}

} // namespace lockhouse
