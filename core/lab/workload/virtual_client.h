// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/node/owner_session.h"
#include "core/lab/workload/stress_state.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace lockhouse {

/// One client of a stress run: acquires, holds, releases and thinks, until its quota is done or the run stops. Loop thread only.
class VirtualClient {
public:
  /// `resources`: what the lock of `session` guards, by their numbers in the check. `reads`: together with other readers. `quota`: how many pairs;
  /// nothing = until it is stopped.
  VirtualClient(StressState &state, std::vector<std::size_t> resources, bool reads, std::unique_ptr<OwnerSession> session, std::optional<std::uint64_t> quota);
  VirtualClient(const VirtualClient &) = delete;
  VirtualClient &operator=(const VirtualClient &) = delete;

  void start();
  /// Releases what it holds, or cancels its acquire. StressState::isStopping is set before.
  void stop();
  void connectionLost();
  void connectionReturned(); ///< StressState::isDisconnected is cleared before
  std::uint64_t pairs() const { return m_pairs; }

private:
  enum class Stage : std::uint8_t { Thinking, Disconnected, Acquiring, Holding, Releasing, Finished };

  void acquire();
  void acquired(const AcquireOutcome &outcome);
  void release();
  void released(ReleaseOutcome outcome);
  void lost();
  void refused(const AcquireOutcome &outcome);
  void next();
  void pause(milliseconds length);
  void tryLater();
  void enter();
  void leave();
  void abandon();
  void finish();

  StressState &m_state;
  const std::vector<std::size_t> m_resources;
  const bool m_reads;
  std::optional<Timer> m_timer; // made when it is first needed
  std::optional<std::uint64_t> m_quota;
  std::uint64_t m_pairs = 0;
  std::vector<std::uint64_t> m_readings; // of m_resources, while inside
  bool m_inside = false;
  SteadyTime m_since{};
  Stage m_stage = Stage::Thinking;
  std::unique_ptr<OwnerSession> m_session; // last: it ends with a call to its handler
};

} // namespace lockhouse
