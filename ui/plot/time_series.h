// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/clock.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace lockhouse::ui {

/// The newest `length` values of one quantity, one to a bucket of time, in memory that is taken once. A bucket that nobody
/// vouched for is a gap (NaN), never a zero and never its neighbour's value.
class TimeSeries {
public:
  static constexpr double gap = std::numeric_limits<double>::quiet_NaN();

  explicit TimeSeries(milliseconds bucket = seconds(1), std::size_t length = 300);

  milliseconds bucket() const { return m_bucket; }
  std::size_t length() const { return m_values.size(); }
  std::int64_t bucketOf(SteadyTime at) const { return at.time_since_epoch() / m_bucket; }

  /// Buckets older than the ring, or beyond it, are none of these functions' business: set and add ignore what is too old.
  void set(std::int64_t bucket, double value);
  void add(std::int64_t bucket, double amount); ///< a gap counts as zero
  double at(std::int64_t bucket) const;         ///< NaN for a gap and for anything outside the ring
  void clear();

  std::optional<std::int64_t> newestBucket() const;
  std::optional<double> newestValue() const; ///< of the newest bucket; nothing if that is a gap
  double highest() const;                    ///< 0 when there is no value

private:
  milliseconds m_bucket;
  std::vector<double> m_values;
  std::int64_t m_newest = -1;

  std::size_t slot(std::int64_t bucket) const { return static_cast<std::size_t>(bucket) % m_values.size(); }
  bool advanceTo(std::int64_t bucket);
};

} // namespace lockhouse::ui
