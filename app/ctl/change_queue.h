// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/ctl/signal_wait.h"
#include "core/watch/lock_change.h"

#include <condition_variable>
#include <mutex>
#include <span>
#include <vector>

namespace lockhouse::ctl {

/// Changes on their way from the loop to the thread that prints. Bounded: while the reader of the output is slow the loop waits,
/// so that Redis is read no faster than lines are taken, and nothing is lost or piled up.
class ChangeQueue {
public:
  explicit ChangeQueue(const SignalWait &reader) : m_reader(reader) {}

  void put(std::span<const LockChange> changes); ///< loop thread; waits for room
  std::vector<LockChange> take();                ///< empty if there are none now
  void close();                                  ///< put() waits no longer and drops what it is given

private:
  static constexpr std::size_t most = 100'000;
  const SignalWait &m_reader;
  std::mutex m_mutex;
  std::condition_variable m_room;
  std::vector<LockChange> m_changes;
  bool m_closed = false;
};

} // namespace lockhouse::ctl
