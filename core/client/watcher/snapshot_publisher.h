// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/watcher/snapshot_throttle.h"
#include "core/net/loop/loop.h"
#include "core/watch/fleet/snapshot_builder.h"

#include <functional>
#include <memory>
#include <mutex>

namespace lockhouse {

/// Builds snapshots of all nodes and hands them on: when the last one is old enough, and at once after a node's first scan, because only then all its
/// locks are known. All calls on the loop's thread, except latest().
class SnapshotPublisher {
public:
  using Handler = std::move_only_function<void(LockSnapshotPtr)>;

  /// The references live longer.
  SnapshotPublisher(const std::vector<NodeWatcher *> &nodes, const ChangeLog &log, const FamilyRegistry &families, milliseconds every)
      : m_nodes(nodes), m_log(log), m_families(families), m_throttle(every) {}

  void onSnapshot(Handler handler) { m_handler = std::move(handler); } ///< before open()
  void open(Loop &loop);                                               ///< publishes the first one
  void close() { m_timer.reset(); }
  void check();                   ///< something may be new: publishes now, later or not at all
  LockSnapshotPtr latest() const; ///< never null. Any thread.

private:
  const std::vector<NodeWatcher *> &m_nodes;
  const ChangeLog &m_log;
  const FamilyRegistry &m_families;
  SnapshotThrottle m_throttle;
  Handler m_handler;
  mutable std::mutex m_mutex; // instead of std::atomic<shared_ptr>: in libstdc++ 12 its load unlocks without an order
  LockSnapshotPtr m_latest = std::make_shared<const LockSnapshot>();
  SnapshotBuilder m_builder;
  std::unique_ptr<Timer> m_timer;
  std::ptrdiff_t m_scanned = 0; // nodes whose first scan ended

  void publish();
};

} // namespace lockhouse
