// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/json.h"
#include "app/ctl/lock_text.h"
#include "app/ctl/node_failure.h"
#include "app/ctl/session.h"
#include "app/ctl/verbs.h"

#include "core/base/redisson_names.h"
#include "core/base/safe_text.h"
#include "core/release/lock_json.h"
#include "core/watch/member_fold.h"
#include "core/watch/replica_fold.h"
#include "core/watch/shared_holders.h"
#include "core/watch/vote_fold.h"

#include <algorithm>
#include <fmt/format.h>

namespace lockhouse::ctl {
namespace {

/// The rows of one key, folded, and what went wrong where there are none.
struct Found {
  std::vector<LockRecordPtr> locks;
  std::optional<Error> error;
};

Found find(const std::string &key, Session &session, const std::vector<NodeStatus> &nodes) {
  Found found;
  bool isServed = false; // of a cluster one master has the key, and the others say so
  for (const auto &node : nodes) {
    const auto lock = session.read({node.id, node.db, LockName(key)});
    if (!lock)
      found.error = found.error && isMoved(lock.error()) ? found.error : lock.error();
    else if (*lock)
      found.locks.push_back(*lock);
    isServed |= lock.has_value();
  }
  if (found.error && isServed && isMoved(*found.error))
    found.error.reset();
  const auto &families = session.watcher().families();
  if (std::ranges::any_of(found.locks, [&](const LockRecordPtr &lock) { return mayLieUnderMore(*lock, families); }))
    for (const auto looked = session.awaitSweep(neighbourPatience); auto &lock : found.locks)
      lock = withNeighbours(lock, *looked, families);
  foldReplicas(found.locks, nodes);
  foldVotes(found.locks, nodes);
  foldMembers(found.locks, nodes);
  return found;
}

/// A lock that a key may belong to, which is none itself, and what it is to it.
struct Owner {
  std::string lock;
  std::string role;
  std::string family; // opening of the slug
};

std::vector<Owner> ownersOf(const std::string &key, const Families &families) {
  std::vector<Owner> owners;
  const auto [part, lock] = redisson::partOf(key);
  if (part != redisson::Part::None && part != redisson::Part::UnlockLatch) {
    const auto *role = part == redisson::Part::Queue ? "queue" : part == redisson::Part::Fence ? "fence" : "lease of a reader";
    owners.push_back({std::string(lock), role, "redisson-"});
    owners.push_back({"{" + std::string(lock) + "}", role, "redisson-"}); // its other keys have the same names: see redisson::PartOf
  }
  for (auto &owner : families.ownersOf(key)) {
    const auto &[family, form] = families.besideForms()[owner.form];
    owners.push_back({std::move(owner.lock), std::string(name(form->role)), family->slug});
  }
  return owners;
}

// The locks beside which the key lies; what it is to them, empty: to none.
std::string findOwners(const std::string &key, Session &session, const std::vector<NodeStatus> &nodes, std::vector<LockRecordPtr> &locks) {
  std::string role;
  for (const auto &owner : ownersOf(key, session.watcher().families())) {
    const auto isKnown = [&](const LockRecordPtr &lock) { return lock->id.key.bytes() == owner.lock; };
    if (std::ranges::any_of(locks, isKnown))
      continue;
    for (auto &lock : find(owner.lock, session, nodes).locks)
      if (lock->family.starts_with(owner.family) && lock->confidence >= shownConfidence && (locks.empty() || lock->type != ValueType::None)) {
        role = owner.role;
        locks.push_back(std::move(lock));
      }
  }
  return role;
}

// What a key is to the lock that a read of it was answered with.
std::string roleOf(const std::string &key, const LockRecord &lock, const Families &families) {
  const auto owners = ownersOf(key, families);
  const auto found =
      std::ranges::find_if(owners, [&](const Owner &owner) { return owner.lock == lock.id.key.bytes() && lock.family.starts_with(owner.family); });
  return found == owners.end() ? "part" : found->role;
}

std::string showText(const std::string &key, const std::string &role, std::span<const NodeStatus> nodes, std::span<const LockRecordPtr> locks, SteadyTime now) {
  if (locks.empty())
    return fmt::format("There is no lock {} on {}{}.\n", keyWords(key), safeText(nodes.front().address),
                       nodes.size() > 1 ? fmt::format(" and {} other nodes", nodes.size() - 1) : "");
  std::string text = role.empty() ? "" : fmt::format("{} is no lock itself: it lies beside this one, as its {}.\n\n", keyWords(key), role);
  for (const auto &lock : locks)
    text += (&lock == locks.data() ? "" : "\n") + lockPage(*lock, now);
  return text;
}

Json showJson(const std::string &key, const std::string &role, const std::vector<NodeStatus> &nodes, std::span<const LockRecordPtr> locks, SteadyTime now) {
  auto object = listJson(nodes, locks, now);
  object["beside"] = nullptr;
  if (role.empty())
    return object;
  putBytes(object["beside"], "key", key);
  object["beside"]["role"] = role;
  return object;
}

} // namespace

ExitCode runShow(const Arguments &arguments, const Output &output) {
  Session session(arguments);
  const auto snapshot = session.awaitNodes(false);
  if (const auto failure = allDown(*snapshot))
    return output.failed(failure->code, failure->sentence);
  const auto nodes = chosenNodes(*snapshot, arguments.node);
  if (!nodes)
    return output.failed(nodes.error());
  auto found = find(arguments.key, session, *nodes);
  if (found.error && found.locks.empty()) {
    const auto failure = nodeFailure(*found.error);
    return output.failed(failure.code, failure.sentence);
  }
  auto &locks = found.locks;
  std::erase_if(locks, [&](const LockRecordPtr &lock) { return !isShown(*lock, arguments); });
  std::string role;
  if (locks.empty())
    role = findOwners(arguments.key, session, *nodes, locks);
  else if (locks.front()->id.key.bytes() != arguments.key)
    role = roleOf(arguments.key, *locks.front(), session.watcher().families());
  const auto now = SteadyClock::now();
  output.put(arguments.json ? oneLine(showJson(arguments.key, role, *nodes, locks, now)) : showText(arguments.key, role, *nodes, locks, now));
  return ExitCode::Done;
}

} // namespace lockhouse::ctl
