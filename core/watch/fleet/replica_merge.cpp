// SPDX-License-Identifier: Apache-2.0
#include "core/watch/fleet/replica_merge.h"

#include "core/watch/fleet/master_set.h"
#include "core/watch/node/subscriber_counts.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <ranges>

namespace lockhouse {
namespace {

auto rowsOf(std::vector<LockRecordPtr> &locks, const NodeStatus &node) {
  const auto place = [](const LockRecordPtr &lock) { return std::pair<const NodeId &, int>(lock->id.node, lock->id.db); };
  return std::ranges::equal_range(locks, std::pair<const NodeId &, int>(node.id, node.db), {}, place);
}

LockRecordPtr noted(const LockRecord &lock) {
  auto whole = std::make_shared<LockRecord>(lock);
  whole->evidence.emplace_back(LH_MESSAGE("Evidence", "only a replica shows it: its master has no such lock, or nothing there tells that it is one"));
  return whole;
}

auto whereIs(std::vector<LockRecordPtr> &locks, const LockId &id) {
  return std::ranges::lower_bound(locks, id, {}, [](const LockRecordPtr &lock) -> const LockId & { return lock->id; });
}

/// What replicas heard, by the locks of their masters; and the rows that masters have by that alone.
class Heard {
public:
  void add(const LockRecord &copy, const NodeStatus &master, const FamilyRegistry &families) {
    if (const auto clients = listeningTo(copy, families); clients > 0)
      m_counts[{master.id, master.db, copy.id.key}] += clients;
  }
  /// A copy that makes a lock of its master's key.
  void found(const LockRecord &copy, const NodeStatus &master) { m_found.try_emplace({master.id, master.db, copy.id.key}, atMaster(copy, master)); }

  void addTo(std::vector<LockRecordPtr> &locks) const {
    for (const auto &[id, copy] : m_found)
      locks.insert(whereIs(locks, id), copy);
    for (const auto &[id, clients] : m_counts)
      if (const auto row = whereIs(locks, id); row != locks.end() && (*row)->id == id)
        *row = withListeners(*row, clients);
  }

private:
  std::map<LockId, std::uint64_t> m_counts;
  std::map<LockId, LockRecordPtr> m_found;
};

} // namespace

std::uint64_t listeningTo(const LockRecord &lock, const FamilyRegistry &families) {
  return !lock.staleSince && lock.waiters && lock.queue.empty() && listenersChannel(lock, families) ? *lock.waiters : 0;
}

bool isKnownByListeners(const LockRecord &lock, const FamilyRegistry &families) {
  return !lock.isHeld() && lock.type != ValueType::None && listeningTo(lock, families) > 0;
}

LockRecordPtr atMaster(const LockRecord &copy, const NodeStatus &master) {
  auto whole = std::make_shared<LockRecord>(copy);
  whole->id = {master.id, master.db, copy.id.key};
  whole->waiters.reset();
  whole->moreMayWait = false;
  return whole;
}

LockRecordPtr withListeners(const LockRecordPtr &lock, std::uint64_t elsewhere) {
  auto whole = std::make_shared<LockRecord>(*lock);
  whole->waiters = whole->waiters.value_or(0) + elsewhere;
  whole->moreMayWait = true;
  whole->evidence.push_back(LH_MESSAGE("Evidence", "clients that listen for its release at a replica: %1")(elsewhere));
  return whole;
}

bool isMasterOf(const NodeStatus &node, const NodeStatus &replica) {
  return !replica.replicationId.empty() && replica.role == "replica" && node.role == "master" && node.replicationId == replica.replicationId &&
         node.db == replica.db && !node.twin;
}

const NodeStatus *masterOf(const NodeStatus &replica, std::span<const NodeStatus> nodes) {
  const auto found = std::ranges::find_if(nodes, [&replica](const NodeStatus &node) { return isMasterOf(node, replica); });
  return found == nodes.end() ? nullptr : &*found;
}

void mergeReplicas(std::vector<LockRecordPtr> &locks, std::span<const NodeStatus> nodes, const FamilyRegistry &families) {
  std::vector<std::pair<std::size_t, LockRecordPtr>> changed; // put in at last: until then the rows are in order
  Heard heard;
  for (const auto &replica : nodes) {
    const auto *successor = successorOf(replica, nodes);
    const auto *master = successor ? successor : masterOf(replica, nodes);
    if (!master)
      continue;
    const auto originals = rowsOf(locks, *master);
    for (const auto &copy : rowsOf(locks, replica)) {
      const auto index = static_cast<std::size_t>(&copy - locks.data());
      const auto original = std::ranges::lower_bound(originals, copy->id.key, {}, [](const LockRecordPtr &lock) -> const LockName & { return lock->id.key; });
      const bool isThere = original != originals.end() && (*original)->id.key == copy->id.key;
      const bool isLive = master->state == NodeState::Live;
      const bool isFound = !isThere && isLive && isKnownByListeners(*copy, families);
      if (isThere ? (*original)->staleSince.has_value() : !isFound && !(isLive && master->scanComplete))
        continue;
      if (isFound)
        heard.found(*copy, *master);
      if (isThere || isFound)
        heard.add(*copy, *master, families);
      const bool isLeftOver = successor || copy->staleSince; // at a replica: of a time when it was the master
      changed.emplace_back(index, isThere || isFound || isLeftOver ? nullptr : noted(*copy));
    }
  }
  for (auto &[i, row] : changed)
    locks[i] = std::move(row);
  std::erase(locks, nullptr);
  heard.addTo(locks);
}

} // namespace lockhouse
