// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/session/key_owners.h"

#include "app/ctl/cli/node_failure.h"
#include "core/base/redisson_names.h"
#include "core/watch/fleet/cluster_merge.h"
#include "core/watch/fleet/redlock_merge.h"
#include "core/watch/fleet/replica_merge.h"
#include "core/watch/fleet/shared_tokens.h"
#include "core/watch/node/companion_rows.h"

#include <algorithm>

namespace lockhouse::ctl {
namespace {

/// A lock that a key may belong to, which is none itself, and what it is to it.
struct Owner {
  std::string lock;
  std::string role;
  std::string family; // opening of the slug
};

std::vector<Owner> ownersOf(const std::string &key, const FamilyRegistry &families) {
  std::vector<Owner> owners;
  const auto [part, lock] = redisson::partOf(key);
  if (part != redisson::Part::None && part != redisson::Part::UnlockLatch) {
    const auto *role = part == redisson::Part::Queue ? "queue" : part == redisson::Part::Fence ? "fence" : "lease of a reader";
    owners.push_back({std::string(lock), role, "redisson-"});
    owners.push_back({"{" + std::string(lock) + "}", role, "redisson-"}); // its other keys have the same names: see redisson::PartOf
  }
  for (auto &owner : families.ownersOf(key)) {
    const auto &[family, form] = families.companionKeys()[owner.form];
    owners.push_back({std::move(owner.lock), std::string(name(form->role)), family->slug});
  }
  if (auto member = families.memberOf(key, {}); member && member->lock != key)
    owners.push_back({std::move(member->lock), std::string(name(Role::Vote)), member->family->slug});
  return owners;
}

} // namespace

KeyRows rowsOf(const std::string &key, Session &session, std::vector<NodeStatus> nodes) {
  KeyRows found;
  for (auto &node : nodes) {
    const auto lock = session.read({node.id, node.db, LockName(key)});
    if (!lock)
      found.error = found.error && isMoved(lock.error()) ? found.error : lock.error();
    else if (*lock)
      found.locks.push_back(*lock);
    if ((lock || isMoved(lock.error())) && node.state == NodeState::Connecting)
      node.state = NodeState::Live;
    if (!lock && lock.error().code == ErrorCode::NotPermitted && node.state == NodeState::Connecting) {
      node.state = NodeState::Live;
      node.keysRefused = std::max<std::uint64_t>(1, node.keysRefused); // this one
    }
    if (lock || !isMoved(lock.error()))
      found.nodes.push_back(node);
  }
  found.asked = nodes;
  if (found.error && isMoved(*found.error) && !found.nodes.empty()) // of a cluster one master has the key, and the others say so
    found.error.reset();
  const auto &families = session.watcher().families();
  if (std::ranges::any_of(found.locks, [&](const LockRecordPtr &lock) { return mayLieUnderMore(*lock, families); }))
    for (const auto looked = session.awaitScan(neighbourPatience); auto &lock : found.locks)
      lock = withNeighbours(lock, *looked, families);
  std::ranges::sort(found.locks, {}, [](const LockRecordPtr &lock) { return lock->id; });
  mergeReplicas(found.locks, nodes, families);
  std::erase_if(found.nodes, [&](const NodeStatus &node) {
    const auto isThere = [&](const LockRecordPtr &lock) { return lock->id.node == node.id && lock->id.db == node.db; };
    return node.role == "replica" && masterOf(node, nodes) && std::ranges::none_of(found.locks, isThere);
  });
  mergeCluster(found.locks, nodes);
  mergeRedlocks(found.locks, nodes);
  return found;
}

std::string meantKey(const Arguments &arguments, Session &session, const std::vector<NodeStatus> &nodes) {
  const auto isLock = [&](const std::string &key) { return !rowsOf(key, session, nodes).locks.empty(); };
  const auto &shown = arguments.shownKey;
  return shown && *shown != arguments.key && !isLock(arguments.key) && isLock(*shown) ? *shown : arguments.key;
}

std::string keyOfWhole(const std::string &key, Session &session, const std::vector<NodeStatus> &nodes) {
  for (const auto &row : rowsOf(key, session, nodes).locks)
    if (row->votes > 0)
      return row->id.key.bytes();
  return key;
}

std::string findOwners(const std::string &key, Session &session, const std::vector<NodeStatus> &nodes, std::vector<LockRecordPtr> &locks) {
  std::string role;
  for (const auto &owner : ownersOf(key, session.watcher().families())) {
    const auto isKnown = [&](const LockRecordPtr &lock) { return lock->id.key.bytes() == owner.lock; };
    if (std::ranges::any_of(locks, isKnown))
      continue;
    for (auto &lock : rowsOf(owner.lock, session, nodes).locks)
      if (lock->family.starts_with(owner.family) && !lock->isDoubtful() && (locks.empty() || lock->type != ValueType::None)) {
        role = owner.role;
        locks.push_back(std::move(lock));
      }
  }
  return role;
}

bool mayBeCompanion(const std::string &key, const FamilyRegistry &families) { return !families.ownersOf(key).empty(); }

std::optional<OwnerRows> lockOfCompanion(const std::string &key, Session &session, const std::vector<NodeStatus> &nodes, std::span<const LockRecordPtr> found) {
  const auto &families = session.watcher().families();
  const auto owners = families.ownersOf(key);
  if (found.empty() || owners.empty())
    return std::nullopt;
  OwnerRows owner;
  owner.role = findOwners(key, session, nodes, owner.locks);
  const auto isCompanion = [&](const LockRecordPtr &row, const LockRecordPtr &lock) {
    return row->id.node == lock->id.node && row->id.db == lock->id.db && lock->type != ValueType::None && isCompanionOf(*row, owners, *lock, families);
  };
  const auto isNone = [&](const LockRecordPtr &row) {
    return row->id.key.bytes() == key && std::ranges::any_of(owner.locks, [&](const LockRecordPtr &lock) { return isCompanion(row, lock); });
  };
  return std::ranges::all_of(found, isNone) ? std::optional(std::move(owner)) : std::nullopt;
}

std::string roleOf(const std::string &key, const LockRecord &lock, const FamilyRegistry &families) {
  const auto owners = ownersOf(key, families);
  const auto found =
      std::ranges::find_if(owners, [&](const Owner &owner) { return owner.lock == lock.id.key.bytes() && lock.family.starts_with(owner.family); });
  return found == owners.end() ? "part" : found->role;
}

} // namespace lockhouse::ctl
