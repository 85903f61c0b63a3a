// SPDX-License-Identifier: Apache-2.0
#include "core/watch/scan/read_scheduler.h"

#include <algorithm>

namespace lockhouse {

// A queue that refused known keys would end the epoch, and each epoch after it in the same way.
void ReadScheduler::markAll(std::vector<std::string> keys, ReadQueue::Mark mark, SteadyTime now) {
  m_backlog = std::move(keys);
  m_backlogMark = mark;
  fillQueue(now);
}

void ReadScheduler::fillQueue(SteadyTime now) {
  while (!m_backlog.empty() && m_queue.waiting() < mostPaced && m_queue.mark(m_backlog.back(), m_backlogMark, now))
    m_backlog.pop_back();
}

void ReadScheduler::clear() {
  m_queue.clear();
  m_backlog.clear();
}

bool ReadScheduler::isHinted(std::string_view key) const {
  return isBacklogHinted() || m_queue.isHinted(key); // it may be in the backlog
}

// A key that waits for room and not for a time needs no tick.
std::optional<SteadyTime> ReadScheduler::dueAt() const {
  if (!hasRoomToRead())
    return std::nullopt;
  auto due = m_queue.nextDeferred();
  if (m_queue.waiting() > 0) {
    const auto restsUntil = m_limiter ? m_limiter->restsUntil() : SteadyTime();
    due = std::min(due.value_or(restsUntil), restsUntil);
  }
  return due;
}

} // namespace lockhouse
