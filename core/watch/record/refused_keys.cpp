// SPDX-License-Identifier: Apache-2.0
#include "core/watch/record/refused_keys.h"

#include <algorithm>
#include <functional>

namespace lockhouse {
namespace {

constexpr std::size_t mostKept = 1'000'000; // 8 MB
constexpr std::size_t mostSince = 10'000;

} // namespace

void Refusals::add(const Refusals &others) {
  rights |= others.rights;
  clusterDown |= others.clusterDown;
  slotsMove |= others.slotsMove;
}

std::size_t RefusedKeys::hashOf(std::string_view key) { return std::hash<std::string_view>()(key); }

void RefusedKeys::add(std::size_t hash, const Refusals &why) {
  ++m_count;
  m_why.add(why);
  if (m_hashes.size() < mostKept)
    m_hashes.push_back(hash);
}

void RefusedKeys::add(const RefusedKeys &others) {
  m_count += others.m_count;
  m_why.add(others.m_why);
  const auto room = std::min(mostKept - m_hashes.size(), others.m_hashes.size());
  m_hashes.insert(m_hashes.end(), others.m_hashes.begin(), others.m_hashes.begin() + static_cast<std::ptrdiff_t>(room));
}

void RefusedKeys::sort() {
  std::ranges::sort(m_hashes);
  const auto twice = std::ranges::unique(m_hashes);
  m_count -= twice.size();
  m_hashes.erase(twice.begin(), twice.end());
}

bool RefusedKeys::mayHave(std::string_view key) const { return m_count > m_hashes.size() || std::ranges::binary_search(m_hashes, hashOf(key)); }

void RefusedSince::add(std::string_view key) {
  const auto hash = RefusedKeys::hashOf(key);
  for (auto *each : {&m_all, &m_duringScan})
    if (each->size() <= mostSince)
      m_hasChanged |= each->insert(hash).second;
}

void RefusedSince::beginScan() { m_duringScan.clear(); }

void RefusedSince::endScan() {
  m_hasChanged |= m_all != m_duringScan;
  m_all = m_duringScan;
}

void RefusedSince::clear() {
  m_hasChanged |= !m_all.empty();
  m_all.clear();
  m_duringScan.clear();
}

std::shared_ptr<const RefusedKeys> RefusedSince::told() const {
  if (m_all.empty())
    return nullptr;
  auto keys = std::make_shared<RefusedKeys>();
  for (const auto hash : m_all)
    keys->add(hash, {.rights = true});
  if (m_all.size() > mostSince)
    keys->addUnnamed();
  keys->sort();
  return keys;
}

} // namespace lockhouse
