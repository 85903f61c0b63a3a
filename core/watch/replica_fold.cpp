// SPDX-License-Identifier: Apache-2.0
#include "core/watch/replica_fold.h"

#include <algorithm>
#include <ranges>

namespace lockhouse {
namespace {

auto rowsOf(std::vector<LockRecordPtr> &locks, const NodeStatus &node) {
  const auto place = [](const LockRecordPtr &lock) { return std::pair<const NodeId &, int>(lock->id.node, lock->id.db); };
  return std::ranges::equal_range(locks, std::pair<const NodeId &, int>(node.id, node.db), {}, place);
}

LockRecordPtr noted(const LockRecord &lock) {
  auto whole = std::make_shared<LockRecord>(lock);
  whole->evidence.emplace_back("only a replica shows it: its master has no such lock, or nothing there tells that it is one");
  return whole;
}

} // namespace

const NodeStatus *masterOf(const NodeStatus &replica, std::span<const NodeStatus> nodes) {
  const auto isIts = [&replica](const NodeStatus &node) {
    return node.role == "master" && node.replicationId == replica.replicationId && node.db == replica.db && !node.twin;
  };
  const auto found = replica.replicationId.empty() ? nodes.end() : std::ranges::find_if(nodes, isIts);
  return found == nodes.end() ? nullptr : &*found;
}

void foldReplicas(std::vector<LockRecordPtr> &locks, std::span<const NodeStatus> nodes) {
  std::vector<std::pair<std::size_t, LockRecordPtr>> changed; // put in at last: until then the rows are in order
  for (const auto &replica : nodes) {
    const auto *master = replica.role == "replica" ? masterOf(replica, nodes) : nullptr;
    if (!master)
      continue;
    const auto originals = rowsOf(locks, *master);
    for (const auto &copy : rowsOf(locks, replica)) {
      const auto index = static_cast<std::size_t>(&copy - locks.data());
      const auto original = std::ranges::lower_bound(originals, copy->id.key, {}, [](const LockRecordPtr &lock) -> const LockName & { return lock->id.key; });
      if (original == originals.end() || (*original)->id.key != copy->id.key) {
        if (master->state == NodeState::Live && master->scanComplete)
          changed.emplace_back(index, noted(*copy));
      } else if (!(*original)->staleSince)
        changed.emplace_back(index, nullptr);
    }
  }
  for (auto &[i, row] : changed)
    locks[i] = std::move(row);
  std::erase(locks, nullptr);
}

} // namespace lockhouse
