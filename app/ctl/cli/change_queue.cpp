// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/cli/change_queue.h"

#include <algorithm>
#include <utility>

namespace lockhouse::ctl {

void ChangeQueue::put(std::span<const LockChange> changes) {
  const std::scoped_lock guard(m_mutex);
  // Once some are dropped, so is what follows them until the rest is taken: what is printed then has one gap, and its place is known.
  const auto room = m_waiting.dropped > 0 ? 0 : m_most - m_waiting.changes.size();
  const auto kept = changes.first(std::min(room, changes.size()));
  m_waiting.changes.insert(m_waiting.changes.end(), kept.begin(), kept.end());
  m_waiting.dropped += changes.size() - kept.size();
  m_reader.tell();
}

ChangeQueue::Taken ChangeQueue::take() {
  const std::scoped_lock guard(m_mutex);
  return std::exchange(m_waiting, {});
}

} // namespace lockhouse::ctl
