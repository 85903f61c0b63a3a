// SPDX-License-Identifier: Apache-2.0
#include "core/base/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace lockhouse {
namespace {

constexpr unsigned bits = 4;
constexpr std::uint64_t perOctave = 1U << bits;

// Values below 16 have a step each; above, the four bits after the leading one choose the step in its octave.
std::size_t stepOf(std::uint64_t value) {
  if (value < perOctave)
    return value;
  const auto octave = static_cast<unsigned>(std::bit_width(value)) - 1 - bits;
  return (static_cast<std::size_t>(octave + 1) << bits) + ((value >> octave) & (perOctave - 1));
}

std::uint64_t upperEdge(std::size_t step) {
  if (step < perOctave)
    return step;
  const std::size_t octave = (step >> bits) - 1;
  return (((step & (perOctave - 1)) + perOctave + 1) << octave) - 1;
}

} // namespace

void Histogram::add(std::chrono::nanoseconds duration) {
  const auto value = static_cast<std::uint64_t>(std::max<std::chrono::nanoseconds::rep>(duration.count(), 0));
  ++m_steps[std::min(stepOf(value), m_steps.size() - 1)];
  ++m_count;
  m_max = std::max(m_max, duration);
  m_sum += std::chrono::nanoseconds(value);
}

void Histogram::merge(const Histogram &other) {
  for (std::size_t i = 0; i < m_steps.size(); ++i)
    m_steps[i] += other.m_steps[i];
  m_count += other.m_count;
  m_max = std::max(m_max, other.m_max);
  m_sum += other.m_sum;
}

std::uint64_t Histogram::countBelow(unsigned power) const {
  const auto end = std::min(static_cast<std::size_t>(std::max(power, bits) - bits + 1) << bits, m_steps.size());
  return std::accumulate(m_steps.begin(), m_steps.begin() + static_cast<std::ptrdiff_t>(end), std::uint64_t{0});
}

std::chrono::nanoseconds Histogram::quantile(double q) const {
  if (m_count == 0)
    return {};
  const auto rank =
      std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(std::clamp(std::isnan(q) ? 0.0 : q, 0.0, 1.0) * static_cast<double>(m_count))));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < m_steps.size(); ++i) {
    seen += m_steps[i];
    if (seen >= rank)
      return std::min(m_max, std::chrono::nanoseconds(upperEdge(i)));
  }
  return m_max;
}

} // namespace lockhouse
