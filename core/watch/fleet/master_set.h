// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/record/lock_snapshot.h"

#include <map>
#include <optional>
#include <span>
#include <vector>

namespace lockhouse {

/// Whether what lies on two masters is of one origin: one of them was a replica of the other, or both of a third, or was the other's master
/// before it was restarted. What both have under a name is one hold.
bool areOfOneOrigin(const NodeStatus &a, const NodeStatus &b);
/// The master that has taken the place of one that is not followed any more, with what that had; null: none has.
const NodeStatus *successorOf(const NodeStatus &former, std::span<const NodeStatus> nodes);

/// The masters that are watched, each server once, and which rows lie on one. Of those of one origin it is the one that is followed best, or the first.
class MasterSet {
public:
  MasterSet() = default;
  explicit MasterSet(std::span<const NodeStatus> nodes);
  explicit MasterSet(std::vector<const NodeStatus *> nodes);
  std::size_t size() const { return m_nodes.size(); }
  const NodeStatus *first() const { return m_nodes.empty() ? nullptr : m_nodes.front(); }
  std::size_t unfollowed() const; ///< of which nothing is known now
  std::size_t unread() const;     ///< … or of which not all keys could be read
  /// Of those that are no `members` of the lock under `key`, how many may have it unseen: they are not followed, or a key of that name is
  /// among those that could not be read.
  std::size_t unseenCompanion(std::span<const LockMember> members, std::string_view key) const;
  std::size_t refusingCompanions(std::span<const LockId> looked,
                                 std::string_view key) const;      ///< of those that are none of where it was looked: of which it is the latter
  std::size_t downCompanion(std::span<const LockId> looked) const; ///< the same that cannot be reached
  bool areMet() const;                                             ///< each was looked at, or tried, at least once
  bool contains(const LockId &id) const { return find(id) != nullptr; }
  const NodeStatus *find(const LockId &id) const; ///< null: its node is none of them
  bool areOfCluster() const;                      ///< those that told what they are
  std::size_t readOfCluster() const;              ///< of these, how many are followed, and all of their keys could be read
  std::vector<MasterSet> byKind() const;          ///< those of a cluster and single servers apart; one that never told goes with the cluster's
  std::size_t ofCluster() const;                  ///< how many masters their cluster has, as those tell that are followed; 0: they do not

private:
  std::vector<const NodeStatus *> m_nodes;
};

/// Whether a server is watched under several of its databases: a lock is then one of one database, on all of its masters.
bool haveSeveralDatabases(std::span<const NodeStatus *const> nodes);
/// The masters among which a lock may be shared: all, under no database, or where haveSeveralDatabases() those of each.
std::map<std::optional<int>, MasterSet> mastersByDatabase(std::span<const NodeStatus> nodes);

} // namespace lockhouse
