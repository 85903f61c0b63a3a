// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/fleet/redlock_candidates.h"
#include "core/watch/record/lock_snapshot.h"

#include <map>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

namespace lockhouse {

/// One lock, one row: where the same random token, or the same client and thread of Redisson's, lies under the same name on several
/// masters that share no data, it is one lock by the Redlock algorithm, and its rows become one, under the id of the first node. So it is
/// with readers, writers and permits, where all holders are the same ones with the same modes, each named by no accident.
/// Held by quorum: its lease ends when fewer than a majority of the watched masters are left. With fewer members than a majority nobody
/// holds it, and its evidence says so. So it stays when one member is left of a row that was folded before.
/// What lies on other masters by another holder, whom the majority keeps out, is left of a lost vote or of an older hold: it is no lock of
/// its own, but a member of the majority's row, behind the others, and names who has it (LockMember::own).
/// Where the holder is one, his counts may differ: the row has that of most masters, and the members with another say so. A split vote,
/// where most of three masters or more have tokens that may be a Redlock's and none is on most of them, is one row too, held by
/// nobody that is seen, with all tokens as holders and each member's own; of masters that are not followed its evidence tells. It lasts for a
/// moment, since losers give back what they got: where two of its holders have stayed for longer, each has a lock of his own. Not where one of
/// them had a majority before, as when one of his masters comes back empty: what was one lock stays one.
/// An owner's name instead of a random token (isByOwnersName) tells of one lock where most of three masters or more have it.
/// A token without a lease under a name that tells of no lock is a member too, where the same has a lease on others.
/// Anything else on one master alone stays a row. Where three or more are watched that are no cluster, a token that is a Redlock's by its name
/// or library (isNamedRedlock) is such a member without a majority there too, and suspect; one that a Redlock library may have left, or
/// anybody, is held, for most locks are one master's own, and its evidence says what it may be. The same of a thread of Redisson's whose
/// number other clients have on the other masters, for RedissonRedLock locks each by a client of its own, and no data tell that from
/// clients that have nothing to do with each other.
/// Of a lock that several hold (member_shares.h), of whom one lies on two masters or was folded before, all masters are one row, in which each
/// holder stands by a majority of his own; the others are told by its members.
/// Where a server is watched under several databases, each database is folded by itself.
/// Rows of replicas stay as they are. O(locks), and nothing with fewer than two masters. Remembers what was folded and noted last: O(locks).
/// Source: https://redis.io/docs/latest/develop/use/patterns/distributed-locks/
class RedlockMerge {
public:
  /// `locks` is sorted by id before and after. `now` tells how long each has been seen.
  void merge(std::vector<LockRecordPtr> &locks, std::span<const NodeStatus> nodes, SteadyTime now);

private:
  class Round;
  /// A row that lies alone, and what it says with its notes: made anew only when one of these is different.
  struct Noted {
    LockRecordPtr plain, noted;
    std::size_t masters = 0, unfollowed = 0, others = 0;
  };
  /// By name: those of each row and, of a lock that several hold, the hash of each, in order.
  struct Merged {
    std::vector<std::string> rows;
    std::vector<std::size_t> holders;
  };
  struct Memory {
    std::map<std::string, Merged, std::less<>> merged;
    std::unordered_map<const LockRecord *, Noted> noted;
    std::set<std::string, std::less<>> apart; ///< names that would be a vote, if their holders had not stayed

    bool wasMerged(const LockRecord &lock) const;
    LockRecordPtr withNotes(const LockRecordPtr &lock, const MasterSet &masters, std::size_t others, Memory &kept);
  };
  std::map<std::optional<int>, Memory> m_memories; // see mastersByDatabase
};

/// What a token on one of several masters (LockRecord::masters) is by its family: told anew where that is known better. No others' row changes.
void tellAlone(LockRecord &record);

/// The same of rows of which nothing is known from before, nor for how long they have been there.
void mergeRedlocks(std::vector<LockRecordPtr> &locks, std::span<const NodeStatus> nodes);

} // namespace lockhouse
