// SPDX-License-Identifier: Apache-2.0
#include "core/client/watcher/snapshot_publisher.h"

#include <algorithm>
#include <utility>

namespace lockhouse {

void SnapshotPublisher::open(Loop &loop) {
  m_timer = std::make_unique<Timer>(loop);
  publish();
}

void SnapshotPublisher::check() {
  const auto scanned = std::ranges::count_if(m_nodes, [](const NodeWatcher *node) { return node->status().scanComplete; });
  const bool hasScanEnded = std::exchange(m_scanned, scanned) < scanned;
  if (!m_timer || (m_timer->isSet() && !hasScanEnded) || !m_builder.isBehind(m_nodes, m_log.lastSeq()))
    return;
  m_timer->after(hasScanEnded ? std::chrono::nanoseconds(0) : m_throttle.untilDue(SteadyClock::now()), [this] { publish(); });
}

void SnapshotPublisher::publish() {
  m_throttle.run([this](SteadyTime now) {
    auto snapshot = m_builder.build(m_nodes, m_log.lastSeq(), now, m_families);
    {
      const std::scoped_lock guard(m_mutex);
      m_latest = snapshot;
    }
    if (m_handler)
      m_handler(std::move(snapshot));
  });
}

LockSnapshotPtr SnapshotPublisher::latest() const {
  const std::scoped_lock guard(m_mutex);
  return m_latest;
}

} // namespace lockhouse
