// SPDX-License-Identifier: Apache-2.0
#include "core/watch/scan/type_predictor.h"

#include <algorithm>

namespace lockhouse {
namespace {

constexpr std::uint32_t enoughHits = 8;
constexpr std::uint32_t enoughLights = 64;
constexpr std::uint32_t hitsPerMiss = 64; // of every sixteenth probe: at most about one WRONGTYPE in a thousand reads
constexpr std::size_t namePrefix = 96;    // of a name of any length

struct NameKinds {
  std::uint64_t coarse = 0;
  std::uint64_t fine = 0;
};

constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15U;
  return hash ^ (hash >> 29);
}

constexpr bool isWordChar(unsigned char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80; }
constexpr bool isDigit(unsigned char c) { return c >= '0' && c <= '9'; }

// Words are runs of letters and digits; one with a digit is an id and says nothing but that it is there.
NameKinds kindsOf(std::string_view key) {
  NameKinds kinds{1, 2};
  std::uint64_t word = 7, words = 0;
  bool id = false, open = false;
  const auto close = [&] {
    if (!open)
      return;
    kinds.fine = mix(kinds.fine, id ? 3 : word);
    if (words++ == 0)
      kinds.coarse = mix(kinds.coarse, id ? 3 : word);
    word = 7;
    id = open = false;
  };
  for (const char byte : key.substr(0, namePrefix)) {
    const auto c = static_cast<unsigned char>(byte);
    if (!isWordChar(c) && !isDigit(c)) {
      close();
      continue;
    }
    open = true;
    id |= isDigit(c);
    word = word * 31 + c;
  }
  close();
  kinds.coarse = mix(kinds.coarse, words);
  return kinds;
}

} // namespace

bool TypePredictor::Kind::isSure() const { return hits >= enoughHits && hits / hitsPerMiss >= misses; }

void TypePredictor::Kind::learn(std::uint64_t kind, ValueType seen) {
  if (name != kind)
    *this = {.name = kind, .type = seen};
  if (type == seen) {
    ++hits;
    return;
  }
  ++misses;
  if (misses > hits)
    *this = {.name = kind, .type = seen, .hits = 1};
}

TypePredictor::Guess TypePredictor::Kind::guess() const { return {type, sizes >= enoughHits && tokenSizes * 3 > sizes, lights >= enoughLights}; }

TypePredictor::Guess TypePredictor::guess(std::string_view key) const {
  const auto kinds = kindsOf(key);
  const auto &coarse = m_coarse[kinds.coarse % size];
  if (coarse.name == kinds.coarse && coarse.isSure())
    return coarse.guess();
  const auto &fine = m_fine[kinds.fine % size];
  return fine.name == kinds.fine && fine.isSure() ? fine.guess() : Guess{};
}

void TypePredictor::learnSize(std::string_view key, bool isTokenSized) {
  const auto kinds = kindsOf(key);
  for (auto *kind : {&m_coarse[kinds.coarse % size], &m_fine[kinds.fine % size]}) {
    if (kind->name != kinds.coarse && kind->name != kinds.fine)
      continue;
    ++kind->sizes;
    kind->tokenSizes += isTokenSized;
  }
}

void TypePredictor::learnWeight(std::string_view key, bool isLight) {
  const auto kinds = kindsOf(key);
  for (auto *kind : {&m_coarse[kinds.coarse % size], &m_fine[kinds.fine % size]})
    if (kind->name == kinds.coarse || kind->name == kinds.fine)
      kind->lights = isLight ? std::min(kind->lights + 1, enoughLights) : 0;
}

void TypePredictor::learn(std::string_view key, ValueType type) {
  const auto kinds = kindsOf(key);
  m_coarse[kinds.coarse % size].learn(kinds.coarse, type);
  m_fine[kinds.fine % size].learn(kinds.fine, type);
}

} // namespace lockhouse
