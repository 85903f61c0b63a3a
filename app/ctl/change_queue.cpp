// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/change_queue.h"

#include <utility>

namespace lockhouse::ctl {

void ChangeQueue::put(std::span<const LockChange> changes) {
  std::unique_lock guard(m_mutex);
  m_room.wait(guard, [this] { return m_closed || m_changes.size() < most; });
  if (m_closed)
    return;
  m_changes.insert(m_changes.end(), changes.begin(), changes.end());
  m_reader.tell();
}

std::vector<LockChange> ChangeQueue::take() {
  const std::scoped_lock guard(m_mutex);
  m_room.notify_all();
  return std::exchange(m_changes, {});
}

void ChangeQueue::close() {
  const std::scoped_lock guard(m_mutex);
  m_closed = true;
  m_room.notify_all();
}

} // namespace lockhouse::ctl
