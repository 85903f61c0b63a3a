// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/fleet/redlock_merge.h"
#include "core/watch/node/node_watcher.h"
#include "core/watch/record/lock_change.h"

#include <deque>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace lockhouse {

/// One lock, one event: of a lock that lies on several masters (see RedlockMerge and mergeCluster) one change is told of the row that it is, with
/// its members, where each master has one of its own: appeared, renewed, vanished once. A member that comes or goes later changes the
/// members of the row, and is no second lock.
/// Each master tells at its own time, so a change of such a lock waits until every master that has to do with it has told, at most
/// `patience`. So does the first that is seen of a token that a library of Redlocks may have left, unless that name was found to lie
/// on one master alone before. Everything else is told at once, and with fewer than two masters nothing is looked at.
/// Who listens at replicas is told with the master's lock (see ReplicaChanges).
/// What is told is numbered anew, without gaps. Memory: O(names on several masters) and the names last told, bounded. Pure: times are handed in.
class ChangeMerge {
public:
  static constexpr milliseconds patience{50};

  /// What is to be told now, in order: of `raw`, the newest changes of all nodes, and of what waits no longer.
  std::vector<LockChange> merge(std::vector<LockChange> raw, std::span<NodeWatcher *const> nodes, SteadyTime now,
                                const FamilyRegistry &families = FamilyRegistry::builtIn());
  std::optional<SteadyTime> dueAt() const; ///< when the next has waited enough

private:
  struct Bytes { // looks names up without a copy
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const { return std::hash<std::string_view>{}(name); }
  };
  template <class Value> using ByName = std::unordered_map<std::string, Value, Bytes, std::equal_to<>>;
  struct Name {
    RedlockMerge members;             // remembers that it was folded
    std::vector<LockRecordPtr> told;  // its rows
    std::vector<LockRecordPtr> rows;  // as they were when the last change came
    std::vector<LockChange> raw;      // since they were told
    std::optional<ChangeCause> cause; // why one of its masters let go of it last, while the same hold goes on at the others
    std::uint64_t number = 0;         // of its place in m_waiting
  };
  struct Place {
    SteadyTime due;
    std::uint64_t number;
    std::optional<int> db;
    std::string name;
  };
  struct Names {
    ByName<Name> known;
    ByName<bool> lore; // names told before: whether they lay on several masters
    void remember(std::string_view key, bool isSpread);
    std::optional<bool> loreOf(std::string_view key) const;
  };
  class Sight;
  class Sights;

  std::uint64_t m_lastSeq = 0, m_lastNumber = 0;
  std::map<std::optional<int>, Names> m_names; // see mastersByDatabase
  WallTime m_lastAt{};                         // of what was told
  std::deque<Place> m_waiting;                 // by time; those that were told meanwhile lead nowhere
  std::vector<LockChange> m_out;

  void take(LockChange change, Names &names, Sight &sight, std::optional<int> db, SteadyTime now);
  void settleWaiting(Sights &sights, SteadyTime now);
  bool mayWait(const Name &name, std::span<const LockRecordPtr> rows, std::optional<bool> wasSpread, const Sight &sight) const;
  void settle(Names &names, ByName<Name>::iterator name, std::vector<LockRecordPtr> rows);
  void tell(LockChange change);
};

} // namespace lockhouse
