// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/support/connection_log.h"
#include "core/client/support/metrics.h"
#include "core/client/support/timer_heap.h"
#include "core/lock/machines/acquire_machine.h"
#include "core/lock/primitives/primitive.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lockhouse {

/// Where the events of one lock are recorded: the metrics of its primitive, and the log.
struct LockStats {
  LockMetrics &metrics;
  const ConnectionLog &log;
  const LockName &lock;
  SteadyTime freedAt = TimerHeap::never;       // the last release by this client, or message about one; until the next grant
  std::optional<std::string> otherHolder = {}; // by the last refusal; until the next grant
  SteadyTime otherHolderSince{};               // when a refusal first named it
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

/// Records the acquires and holds of one owner. A hold over several nodes takes a copy of its own. Loop thread only.
class LockMetricsRecorder {
public:
  explicit LockMetricsRecorder(LockStats &stats) : m_stats(&stats) {}

  void began(SteadyTime now);                                             ///< an acquire
  void refused(const std::optional<std::string> &holder, SteadyTime now); ///< the acquire, for now; by that holder, if the server named one
  /// How long ago a refusal first named that holder; nothing if it was not the last one.
  std::optional<milliseconds> firstSeen(const std::optional<std::string> &holder, SteadyTime now) const;
  /// The acquire. `why` it is in doubt, if it is.
  void concluded(AcquireMachine::Verdict verdict, const Error &why, SteadyTime now);
  void held(SteadyTime now);         ///< by its first count
  void releaseBegan(SteadyTime now); ///< of the last count
  void freed(SteadyTime now);        ///< a message said so, unless this client released it before
  void releaseEnded(ReleaseOutcome outcome, const Error &why);
  void lost(LossReason reason, SteadyTime now);
  void renewalDue(SteadyTime planned);
  void renewalAnswered(bool renewed, SteadyTime now);

private:
  void log(LogEvent::Level level, LogEvent::Kind kind, std::string_view what) const;

  LockStats *m_stats;
  SteadyTime m_began{};
  SteadyTime m_heldSince{};
  SteadyTime m_renewalPlanned = TimerHeap::never; // of the one without a reply yet, retries included
};

} // namespace lockhouse
