// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/backoff.h"
#include "core/base/error.h"

#include <algorithm>

namespace lockhouse {

/// How long a connection that was lost waits until it dials again. The pauses grow, and begin anew after a connection that lasted longer
/// than the longest of them. Loop thread only.
class RedialPause {
public:
  RedialPause(milliseconds base, milliseconds cap, std::uint64_t seed) : m_cap(cap), m_backoff(base, cap, seed) {}

  void connected(SteadyTime now) { m_connectedAt = now; }
  void lost(bool wasConnected, SteadyTime now) {
    if (wasConnected && now - m_connectedAt > m_cap)
      m_backoff.reset();
  }
  std::chrono::nanoseconds next(const Error &why) {
    const auto pause = std::chrono::nanoseconds(m_backoff.next());
    // Wrong passwords lock accounts and fill logs.
    return why.code == ErrorCode::AuthFailed ? std::max<std::chrono::nanoseconds>(pause, m_cap) : pause;
  }

private:
  milliseconds m_cap;
  Backoff m_backoff;
  SteadyTime m_connectedAt{};
};

} // namespace lockhouse
