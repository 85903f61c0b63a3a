// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"

#include <array>
#include <cstdint>

namespace lockhouse {

/// Durations in fixed memory, log-linear after HdrHistogram (G. Tene): 16 steps an octave, so a quantile is right within 6 %,
/// from 1 ns to 4 h. Not thread-safe: one owner, then merge().
class Histogram {
public:
  void add(std::chrono::nanoseconds duration);
  void merge(const Histogram &other);
  std::uint64_t count() const { return m_count; }
  std::chrono::nanoseconds max() const { return m_max; }
  std::chrono::nanoseconds sum() const { return m_sum; }
  /// How many were shorter than 2^`power` ns (power 4 … 47); exact, since the steps of an octave end there.
  std::uint64_t countBelow(unsigned power) const;
  /// Upper edge of the step that holds quantile `q` in [0, 1], never above max(); zero when empty.
  std::chrono::nanoseconds quantile(double q) const;

private:
  static constexpr std::size_t stepBits = 4;
  static constexpr std::size_t octaves = 44;
  std::array<std::uint64_t, (octaves + 1) << stepBits> m_steps{};
  std::uint64_t m_count = 0;
  std::chrono::nanoseconds m_max{0};
  std::chrono::nanoseconds m_sum{0};
};

} // namespace lockhouse
