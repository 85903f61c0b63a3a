// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/time_series.h"

#include <algorithm>
#include <cmath>

namespace lockhouse::ui {

TimeSeries::TimeSeries(milliseconds bucket, std::size_t length) : m_bucket(bucket), m_values(length, gap) {}

void TimeSeries::set(std::int64_t bucket, double value) {
  if (advanceTo(bucket))
    m_values[slot(bucket)] = value;
}

void TimeSeries::add(std::int64_t bucket, double amount) {
  if (!advanceTo(bucket))
    return;
  double &value = m_values[slot(bucket)];
  value = std::isnan(value) ? amount : value + amount;
}

double TimeSeries::at(std::int64_t bucket) const {
  const auto oldest = m_newest - static_cast<std::int64_t>(m_values.size());
  return bucket > oldest && bucket <= m_newest && bucket >= 0 ? m_values[slot(bucket)] : gap;
}

void TimeSeries::clear() {
  std::ranges::fill(m_values, gap);
  m_newest = -1;
}

std::optional<std::int64_t> TimeSeries::newestBucket() const { return m_newest < 0 ? std::nullopt : std::optional(m_newest); }

std::optional<double> TimeSeries::newestValue() const {
  const double value = at(m_newest);
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

double TimeSeries::highest() const {
  double highest = 0;
  for (const double value : m_values)
    highest = std::isnan(value) ? highest : std::max(highest, value);
  return highest;
}

// Makes `bucket` part of the ring; what is skipped becomes a gap. False if it has already left the ring.
bool TimeSeries::advanceTo(std::int64_t bucket) {
  const auto size = static_cast<std::int64_t>(m_values.size());
  if (bucket < 0 || bucket <= m_newest - size)
    return false;
  if (bucket - m_newest >= size)
    std::ranges::fill(m_values, gap);
  else
    for (std::int64_t skipped = m_newest + 1; skipped <= bucket; ++skipped)
      m_values[slot(skipped)] = gap;
  m_newest = std::max(m_newest, bucket);
  return true;
}

} // namespace lockhouse::ui
