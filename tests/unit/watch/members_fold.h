// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/fleet/redlock_merge.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace lockhouse::test {

using namespace std::chrono_literals;

inline constexpr auto token = "3f786850e387550fdab836ed7e6dc881";
inline constexpr auto otherToken = "89e6c98d92887913cadf06b2adb97f26";
inline constexpr auto owner = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:57";
inline const SteadyTime start{100s};

/// Masters, what lies on them, and one memory of what was folded.
class MembersFold : public testing::Test {
protected:
  void node(const std::string &id, std::string role = "master", std::string runId = {}, int db = 0) {
    NodeStatus status;
    status.id = NodeId(id);
    status.role = std::move(role);
    status.runId = runId.empty() ? "run-" + id : std::move(runId);
    status.db = db;
    status.state = NodeState::Live;
    nodes.push_back(status);
  }
  LockRecord &lock(const std::string &node, const std::string &holder = token, milliseconds left = 10s, const std::string &key = "lock:a") {
    auto record = std::make_shared<LockRecord>();
    record->id = {NodeId(node), 0, LockName(key)};
    record->family = "token";
    record->type = ValueType::String;
    record->holders = {{holder}};
    record->confidence = 0.8;
    record->seenAt = record->heldSince = start;
    record->expiresAt = start + left;
    record->lease = left;
    auto &known = *record;
    locks.push_back(std::move(record));
    return known;
  }
  LockRecord &redisson(const std::string &node, const std::string &holder) {
    auto &record = lock(node, holder);
    record.family = "redisson-lock";
    record.type = ValueType::Hash;
    record.kind = LockKind::Reentrant;
    return record;
  }
  /// A hash or a sorted set that may have several holders.
  LockRecord &shared(const std::string &node, const std::string &family, std::vector<Holder> holders, ValueType type = ValueType::SortedSet) {
    auto &record = lock(node);
    record.family = family;
    record.type = type;
    record.kind = LockKind::ReadWrite;
    record.holders = std::move(holders);
    return record;
  }
  LockRecord &redlock(const std::string &node, const std::string &holder = token) {
    auto &record = lock(node, holder);
    record.mayBe = {"node-redlock"};
    return record;
  }
  void merge() {
    std::ranges::sort(locks, {}, [](const LockRecordPtr &record) { return record->id; });
    memory.merge(locks, nodes, now);
  }
  SteadyTime now = start;
  RedlockMerge memory;
  std::vector<NodeStatus> nodes;
  std::vector<LockRecordPtr> locks;
};

} // namespace lockhouse::test
