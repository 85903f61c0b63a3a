// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"

#include <algorithm>

namespace lockhouse {

/// Paces the reads that follow changes, so that they take no more than `share` of the server's time: by the virtual scheduling of the
/// generic cell rate algorithm (ITU-T I.371). What waits meanwhile is read once for all its changes. Bursts of `burst` pass at once.
/// A machine without I/O; times are handed in.
class ReadRateLimiter {
public:
  explicit ReadRateLimiter(double share) : m_each(static_cast<std::int64_t>(static_cast<double>(cost.count()) / share)) {}

  /// Whether one more may set out now.
  bool take(SteadyTime now) {
    if (now < m_restsUntil)
      return false;
    if (m_next > now) {
      m_restsUntil = m_next + rest;
      return false;
    }
    m_next = std::max(m_next, now - burst * m_each) + m_each;
    return true;
  }
  /// When one may set out that was refused.
  SteadyTime restsUntil() const { return m_restsUntil; }

private:
  static constexpr std::chrono::nanoseconds cost{2400}; // of the two commands of a string that are written with few others, measured on Redis 7.0
  static constexpr std::int64_t burst = 500;
  static constexpr milliseconds rest{50}; // so that many set out together: a write of few costs a server more than they do

  std::chrono::nanoseconds m_each;
  SteadyTime m_next{}, m_restsUntil{};
};

} // namespace lockhouse
