// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/record/lock_change.h"
#include "core/watch/record/lock_snapshot.h"

#include <memory>
#include <string>

namespace lockhouse::ui::tests {

/// Records, changes and snapshots as a watcher would publish them, made by hand.
struct Locks {
  static LockId id(const std::string &key, const std::string &node = "a") { return {NodeId(node), 0, LockName(key)}; }

  static LockRecord record(const std::string &key, std::vector<std::string> holders, const std::string &node = "a") {
    LockRecord lock;
    lock.id = id(key, node);
    lock.family = "redisson-lock";
    lock.kind = LockKind::Reentrant;
    lock.confidence = 1;
    for (std::string &holder : holders)
      lock.holders.push_back({.id = std::move(holder)});
    return lock;
  }

  static LockRecordPtr share(LockRecord lock) { return std::make_shared<const LockRecord>(std::move(lock)); }

  static LockChange change(ChangeKind kind, LockRecordPtr before, LockRecordPtr after, WallTime at = {}) {
    LockChange change;
    change.at = at;
    change.id = (after ? after : before)->id;
    change.kind = kind;
    change.before = std::move(before);
    change.after = std::move(after);
    return change;
  }

  static NodeStatus node(const std::string &name, NodeState state = NodeState::Live) {
    NodeStatus status;
    status.id = NodeId(name);
    status.address = name;
    status.state = state;
    status.scanComplete = state == NodeState::Live;
    return status;
  }

  static LockSnapshot snapshot(std::vector<NodeStatus> nodes, std::vector<LockRecordPtr> locks) {
    LockSnapshot snapshot;
    snapshot.nodes = std::move(nodes);
    snapshot.locks = std::move(locks);
    return snapshot;
  }
};

} // namespace lockhouse::ui::tests
