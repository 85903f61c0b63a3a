// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/watch/scan/tagged_command.h"

#include <optional>
#include <span>

namespace lockhouse {

/// The beats in which a server is asked for INFO, one question at a time, and the estimated share of the server's time that our commands took since
/// the last beat. Pure: times are handed in.
class Heartbeat {
public:
  explicit Heartbeat(milliseconds every) : m_every(every) {}

  void begin(SteadyTime now); ///< a new connection; its first question is sent
  bool isDue(SteadyTime now) const { return now >= m_due; }
  /// True: INFO is to be asked now. False: the last question is not answered yet.
  bool beat(SteadyTime now);
  void answered() { m_isPending = false; }
  std::optional<SteadyTime> dueAt() const { return m_isPending ? std::nullopt : std::optional(m_due); }

  void addCost(std::span<const TaggedCommand> asks);
  /// The share since the last call; nothing if no time passed.
  std::optional<double> takeShare(SteadyTime now);

private:
  milliseconds m_every;
  bool m_isPending = false;
  SteadyTime m_due{}, m_since{};
  std::chrono::nanoseconds m_cost{0}; // of our commands since then, estimated
};

} // namespace lockhouse
