// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/support/connection_log.h"
#include "core/client/support/metrics.h"
#include "core/client/support/timer_heap.h"
#include "core/lock/primitives/primitive.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lockhouse {

/// Where what happens to one lock is written down: the metrics of its primitive, and the log.
struct LockStats {
  LockMetrics &metrics;
  const ConnectionLog &log;
  const LockName &lock;
  SteadyTime freedAt = TimerHeap::never;    // last released by one of ours, or told to be; until the next grant
  std::optional<std::string> stranger = {}; // who else had it when it was last asked for; until the next grant
  SteadyTime strangerSince{};               // when we were first told of him
};

/// The metrics of one driver, a part for each primitive. Loop thread only.
class LockStatsTable {
public:
  /// It stays where it is as long as this.
  LockMetrics &of(const Primitive &primitive) {
    for (const auto &known : m_metrics)
      if (known->primitive == primitive.info().name)
        return *known;
    m_metrics.push_back(std::make_unique<LockMetrics>());
    m_metrics.back()->primitive = primitive.info().name;
    return *m_metrics.back();
  }
  std::vector<LockMetrics> all() const {
    std::vector<LockMetrics> all;
    for (const auto &known : m_metrics)
      all.push_back(*known);
    return all;
  }

private:
  std::vector<std::unique_ptr<LockMetrics>> m_metrics;
};

} // namespace lockhouse
