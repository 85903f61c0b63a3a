// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/ctl/cli/signal_wait.h"
#include "core/watch/record/lock_change.h"

#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

namespace lockhouse::ctl {

/// Changes on their way from the loop to the thread that prints. Bounded, and never waited for: while the reader of the output is
/// slow the loop goes on watching, and what finds no room is dropped and counted.
class ChangeQueue {
public:
  struct Taken {
    std::vector<LockChange> changes; ///< in order, without a gap between them
    std::uint64_t dropped = 0;       ///< behind them
  };

  explicit ChangeQueue(const SignalWait &reader, std::size_t most = 100'000) : m_reader(reader), m_most(most) {}

  void put(std::span<const LockChange> changes); ///< loop thread
  Taken take();                                  ///< empty if there are none now

private:
  const SignalWait &m_reader;
  const std::size_t m_most;
  std::mutex m_mutex;
  Taken m_waiting;
};

} // namespace lockhouse::ctl
