// SPDX-License-Identifier: Apache-2.0
#include "core/lab/stress/lock_layout.h"

#include "core/lock/formats/stripe.h"
#include "core/lock/pages/composition.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace lockhouse {
namespace {

constexpr std::size_t multiNames = 3;

} // namespace

LockLayout::LockLayout(const StressOptions &options, const std::string &prefix)
    : m_keys(options.keys), m_stripes(hasStripes(options.primitive) ? options.stripes : 0), m_isMulti(options.primitive == multiLockInfo().name),
      m_leavesBeforeRelease(m_isMulti || m_stripes > 0 || options.primitive == fallbackLockInfo().name) {
  const std::size_t each = m_isMulti ? multiNames : 1;
  const auto keys = m_keys == 0 ? options.clients * each : std::max<std::size_t>(m_keys, each);
  for (std::size_t i = 0; i < keys + (m_stripes > 0 ? 1 : 0); ++i)
    m_names.emplace_back(fmt::format("{}{}", prefix, i));
  m_count = keys + m_stripes;
}

std::vector<std::size_t> LockLayout::of(unsigned client) const {
  const std::size_t first = m_keys == 0 ? client * (m_isMulti ? multiNames : 1) : client % m_keys;
  if (m_isMulti)
    return {first % m_count, (first + 1) % m_count, (first + 2) % m_count};
  if (m_stripes > 0)
    return {first, m_names.size() - 1 + static_cast<std::size_t>(stripeOf(m_names[first].bytes(), m_stripes))};
  return {first};
}

std::size_t LockLayout::stripesUsed() const {
  std::set<std::uint64_t> used;
  for (std::size_t i = 0; m_stripes > 0 && i + 1 < m_names.size(); ++i)
    used.insert(stripeOf(m_names[i].bytes(), m_stripes));
  return used.size();
}

} // namespace lockhouse
