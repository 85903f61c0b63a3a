// SPDX-License-Identifier: Apache-2.0
// Hand-made records and snapshots for the tests of the console's models.
#pragma once

#include "core/watch/record/lock_snapshot.h"

#include <algorithm>
#include <initializer_list>

namespace lockhouse::ui::samples {

inline const SteadyTime start{std::chrono::hours(10)};

inline LockRecord held(std::string key, std::string holder = "web-3:17", milliseconds left = seconds(20)) {
  LockRecord record;
  record.id = {NodeId("n1"), 0, LockName(std::move(key))};
  record.family = "redisson-lock";
  record.kind = LockKind::Reentrant;
  record.holders = {{std::move(holder), 1, HoldMode::Exclusive}};
  record.waiters = 0;
  record.expiresAt = start + left;
  record.lease = seconds(30);
  record.confidence = 1;
  record.evidence = {Message::verbatim("a hash with one field uuid:thread")};
  record.seenAt = start;
  record.heldSince = start - milliseconds(12400);
  record.heldSinceExact = true;
  return record;
}

inline LockRecordPtr share(LockRecord record) { return std::make_shared<const LockRecord>(std::move(record)); }

inline NodeStatus liveNode(std::string name = "n1") {
  NodeStatus node;
  node.id = NodeId(name);
  node.address = name;
  node.state = NodeState::Live;
  node.feed = FeedKind::Tracking;
  node.exactAsOf = start;
  node.scanComplete = true;
  node.scannedAt = start;
  node.keysScanned = 1000;
  return node;
}

inline LockSnapshotPtr snapshot(std::vector<LockRecordPtr> locks, std::vector<NodeStatus> nodes = {liveNode()}) {
  auto made = std::make_shared<LockSnapshot>();
  made->at = start;
  made->nodes = std::move(nodes);
  std::ranges::sort(locks, {}, [](const LockRecordPtr &lock) { return lock->id; });
  made->locks = std::move(locks);
  return made;
}

} // namespace lockhouse::ui::samples
