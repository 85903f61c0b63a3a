// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/net/connection/connection.h"
#include "core/watch/detect/family_registry.h"
#include "core/watch/record/lock_change.h"
#include "core/watch/record/lock_snapshot.h"

#include <span>

namespace lockhouse {

struct WatcherOptions {
  ConnectionOptions connection;
  /// Snapshots at most this often, and for at most a fortieth of its thread's time, but once a second, or in a fourth of it, where there is something
  /// new, and whenever the first sweep of a node has ended.
  milliseconds publishEvery{50};
  milliseconds reconcileEvery{30000}; ///< a paced sweep checks the mirror this often
  milliseconds barrierEvery{1000};
  std::shared_ptr<const FamilyRegistry> families; ///< null: the built-in ones
  bool background = true;                         ///< false: the first sweep only, at full speed, for one-shot listings
};

/// Watches every lock of several nodes over Asio connections, one NodeWatcher (core/watch) each. Starts nothing by itself on other
/// threads: everything happens on `loop`, and so do the calls of the handlers. Construct and destroy it on any thread but the
/// loop's; call it on any thread. Reads only: never sends a command that writes.
///
/// A row is live only as long as the feed proves it: where a server stands still without closing its connections, rows turn stale
/// at most four beats (barrierEvery) later; what a server changes without a word (SWAPDB) is found within two. NodeStatus::exactAsOf
/// says up to which instant the snapshot is proven.
/// One server that is named by two addresses is watched once; the other node is Down and says whose twin it is.
///
/// Redis commands: see core/watch/node/node_watcher.h. Two connections a node: commands, feed.
class Watcher {
public:
  using SnapshotHandler = std::move_only_function<void(LockSnapshotPtr)>;
  using ChangesHandler = std::move_only_function<void(std::span<const LockChange>)>;

  Watcher(Loop &loop, std::vector<Uri> nodes, WatcherOptions options);
  ~Watcher(); ///< closes; no handler runs afterwards
  Watcher(const Watcher &) = delete;
  Watcher &operator=(const Watcher &) = delete;

  /// Set before start(). Changes come in order, complete, one for each lock on whichever masters (see ChangeMerge); snapshots are conflated,
  /// newest wins.
  void onSnapshot(SnapshotHandler handler);
  void onChanges(ChangesHandler handler);
  void start();

  const FamilyRegistry &families() const; ///< the ones that it knows. Any thread.
  LockSnapshotPtr snapshot() const;       ///< the newest published; never null. Any thread.
  /// Reads one lock afresh from its node now, past the mirror. `done` on the loop: null record = no lock there.
  void read(const LockId &id, std::move_only_function<void(Result<LockRecordPtr>)> done);
  /// Tells the watcher that this Lockhouse released `id`, so that its vanishing gets the cause Released. Any thread.
  void expectRelease(const LockId &id);
  void expectReleases(std::vector<LockId> ids); ///< the same of many

private:
  class Core;
  std::shared_ptr<Core> m_core;
};

} // namespace lockhouse
