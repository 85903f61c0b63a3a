// SPDX-License-Identifier: Apache-2.0
#include "core/watch/fleet/replica_changes.h"

#include "core/watch/fleet/replica_merge.h"

#include <algorithm>

namespace lockhouse {
namespace {

LockRecordPtr heard(LockRecordPtr lock, std::uint64_t clients) { return lock && clients > 0 && !lock->staleSince ? withListeners(lock, clients) : lock; }

} // namespace

ReplicaChanges::ReplicaChanges(std::span<NodeWatcher *const> nodes, const FamilyRegistry &families)
    : m_nodes(nodes), m_families(&families),
      m_hasReplicas(std::ranges::any_of(nodes, [](const NodeWatcher *node) { return node->status().role == "replica"; })) {}

LockChange ReplicaChanges::asTold(LockChange change) const {
  const auto *node = m_hasReplicas ? find(change.id) : nullptr;
  if (!node)
    return change;
  if (auto *master = masterOf(node->status()))
    return ofReplica(std::move(change), node->status().id, *master);
  const auto clients = heardFor(change.id);
  change.before = heard(std::move(change.before), clients);
  change.after = heard(std::move(change.after), clients);
  return change;
}

LockRecordPtr ReplicaChanges::withHeard(const LockRecordPtr &lock) const { return m_hasReplicas ? heard(lock, heardFor(lock->id)) : lock; }

LockChange ReplicaChanges::ofReplica(LockChange change, const NodeId &replica, NodeWatcher &master) const {
  const auto before = clientsOf(change.before), after = clientsOf(change.after);
  const auto &status = master.status();
  const LockId id{status.id, status.db, change.id.key};
  const auto others = heardFor(id, &replica);
  if (const auto *known = master.cache().find(change.id.key.bytes())) {
    if (change.kind != ChangeKind::Waiters || before == after || known->record->staleSince)
      return change;
    change.before = heard(known->record, others + before);
    change.after = heard(known->record, others + after);
  } else {
    const auto isHeard = [this](const LockRecordPtr &lock) { return !lock || isKnownByListeners(*lock, *m_families); };
    if (status.state != NodeState::Live || !isHeard(change.before) || !isHeard(change.after))
      return change;
    change.before = change.before ? heard(atMaster(*change.before, status), others + before) : nullptr;
    change.after = change.after ? heard(atMaster(*change.after, status), others + after) : nullptr;
  }
  change.id = id;
  return change;
}

std::uint64_t ReplicaChanges::clientsOf(const LockRecordPtr &lock) const { return lock ? listeningTo(*lock, *m_families) : 0; }

NodeWatcher *ReplicaChanges::find(const LockId &id) const {
  const auto found = std::ranges::find_if(m_nodes, [&id](const NodeWatcher *node) { return node->status().id == id.node && node->status().db == id.db; });
  return found == m_nodes.end() ? nullptr : *found;
}

NodeWatcher *ReplicaChanges::masterOf(const NodeStatus &replica) const {
  const auto found = std::ranges::find_if(m_nodes, [&replica](const NodeWatcher *node) { return isMasterOf(node->status(), replica); });
  return found == m_nodes.end() ? nullptr : *found;
}

std::uint64_t ReplicaChanges::heardFor(const LockId &id, const NodeId *except) const {
  const auto *master = find(id);
  std::uint64_t clients = 0;
  for (auto *node : m_nodes) {
    if (!master || !isMasterOf(master->status(), node->status()) || (except && node->status().id == *except))
      continue;
    const auto *known = node->cache().find(id.key.bytes());
    clients += known ? clientsOf(known->record) : 0;
  }
  return clients;
}

} // namespace lockhouse
