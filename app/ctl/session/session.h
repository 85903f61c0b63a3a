// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/ctl/cli/arguments.h"
#include "core/client/watcher/watcher.h"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <span>

namespace lockhouse::ctl {

/// One look at the nodes, for verbs that end by themselves: a loop, and a watcher that tries each node once.
class Session {
public:
  explicit Session(const Arguments &arguments);
  ~Session();
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  Loop &loop() { return m_loop; }
  Watcher &watcher() { return m_watcher; }
  /// Waits until every node is known to be up (with its whole sweep done, when `swept`) or down.
  LockSnapshotPtr awaitNodes(bool scanned);
  /// The same, but no longer than that: what has been seen by then.
  LockSnapshotPtr awaitScan(milliseconds patience);
  /// Waits until these are known to be lost, but no longer than that: what has been seen by then.
  LockSnapshotPtr awaitLoss(std::span<const LockId> ofNodes, milliseconds patience);
  /// Reads one lock afresh, blocking.
  Result<LockRecordPtr> read(const LockId &id);

private:
  bool areKnown(bool scanned) const; // m_mutex is held

  std::mutex m_mutex;
  std::condition_variable m_published;
  LockSnapshotPtr m_snapshot;
  Loop m_loop;
  Watcher m_watcher; // last: its handlers use all of the above
};

/// How long a verb about one lock waits for a look at its neighbours, where one token may lie under several keys.
constexpr milliseconds neighbourPatience(1000);

ConnectionOptions connectionOptions();

/// Whether a row is shown: surely enough a lock, or everything was asked for.
bool isShown(const LockRecord &record, const Arguments &arguments);

/// The nodes that --node means: all without it, each server once. Error Usage when there is no such node.
Result<std::vector<NodeStatus>> chosenNodes(const LockSnapshot &snapshot, const std::string &node);

} // namespace lockhouse::ctl
