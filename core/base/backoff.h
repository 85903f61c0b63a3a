// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/base/random.h"

namespace lockhouse {

/// Exponential backoff with full jitter: the n-th wait is uniform in [0, min(cap, base·2ⁿ)].
/// Source: M. Brooker, "Exponential Backoff And Jitter" (AWS Architecture Blog, 2015).
class Backoff {
public:
  Backoff(microseconds base, microseconds cap, std::uint64_t seed) : m_base(base), m_cap(cap), m_jitter(seed) {}
  microseconds next();
  void reset() { m_tries = 0; }

private:
  microseconds m_base;
  microseconds m_cap;
  unsigned m_tries = 0;
  Jitter m_jitter;
};

} // namespace lockhouse
