// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lab/stress/stress_run.h"
#include "core/lab/workload/stress_backend.h"
#include "core/lab/workload/virtual_client.h"

#include <deque>

namespace lockhouse {

/// What a run measures from its first acquire to its last release: time, waits, commands, outages. Loop thread only.
class StressMeasurement {
public:
  StressMeasurement(StressState &state, const std::deque<VirtualClient> &clients, const StressBackend &backend);

  void begin();
  void noteConnection(bool isDisconnected); ///< while the clients run
  /// What has happened since begin(), and its rates since the last call.
  StressProgress progress();
  void finish();        ///< no client works any more; only the first call counts
  void countCommands(); ///< the last command has been sent
  std::uint64_t violations() const;
  /// Fills in what was measured. `callsBefore` and `callsAfter`: what the servers have run in all; nothing: they do not say.
  void fill(StressReport &report, std::optional<std::uint64_t> callsBefore, std::optional<std::uint64_t> callsAfter);

private:
  StressState &m_state;
  const std::deque<VirtualClient> &m_clients;
  const StressBackend &m_backend;
  Histogram m_waits;
  SteadyTime m_began{}, m_lastProgress{}, m_finished{};
  std::uint64_t m_pairsAtLastProgress = 0;
  std::uint64_t m_commandsBefore = 0, m_commands = 0;
  std::optional<SteadyTime> m_disconnectedSince;
  SteadyClock::duration m_timeDisconnected{};
};

} // namespace lockhouse
