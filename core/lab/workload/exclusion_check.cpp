// SPDX-License-Identifier: Apache-2.0
#include "core/lab/workload/exclusion_check.h"

#include <algorithm>

namespace lockhouse {

std::uint64_t ExclusionCheck::violations() const {
  std::uint64_t counted = 0;
  for (const auto &resource : m_resources)
    counted += resource.counter;
  return std::max(m_overlaps, m_leaves - std::min(m_leaves, counted));
}

} // namespace lockhouse
