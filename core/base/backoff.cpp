// SPDX-License-Identifier: Apache-2.0
#include "core/base/backoff.h"

#include <algorithm>

namespace lockhouse {

microseconds Backoff::next() {
  const unsigned doublings = std::min(m_tries++, 32U);
  const double most = std::min(static_cast<double>(m_cap.count()), static_cast<double>(m_base.count()) * static_cast<double>(1ULL << doublings));
  return microseconds(static_cast<microseconds::rep>(most * m_jitter.unit()));
}

} // namespace lockhouse
