// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/fleet/master_set.h"
#include "core/watch/fleet/redlock_candidates.h"

#include <span>
#include <vector>

namespace lockhouse {

/// Locks that several may hold at once, readers or those who have permits, where not all masters have the same holders. Each holder stands
/// by a majority of his own: the row names those who lie on most of the masters, with the count that most of these have and the
/// end of his lease by a majority. Where none does,
/// it names all, and nobody holds it (LockRecord::sharedOn). A master that has other holders than these says whom: LockMember::own of one,
/// LockMember::there of several, for which no list of holders is copied.

/// Whether several may hold what lies there.
bool isShared(const LockRecord &lock);

/// Whether a holder of one mode lies on two masters: `groups` are of one name and one form.
bool haveSpreadHolder(std::span<const MemberRows> groups, const std::vector<LockRecordPtr> &locks);

/// One row of `rows`, which are in the order of their nodes, on some of `masters`. O(holders).
LockRecordPtr mergeShares(const std::vector<LockRecordPtr> &locks, const MemberRows &rows, const MasterSet &masters);

/// The end of each holder of a row whose members all have the same ones, as it is by a majority of the masters; nothing where not all are known.
void setEnds(LockRecord &whole, const std::vector<LockRecordPtr> &locks, const MemberRows &rows);

/// When the last of its holders has lapsed on most of the masters; nothing where a majority has none of them, or not all of their ends are known.
/// Each master's own end says less: there others may last longer who hold nothing.
std::optional<SteadyTime> latestEnd(const LockRecord &whole);

/// A holder whom too few masters have: he is none of the row's.
struct LesserHolder {
  Holder holder;
  std::size_t masters = 0;
};
/// Of a row of foldShares(), in the order of its members; none of another. O(holders).
std::vector<LesserHolder> lesserHolders(const LockRecord &row);

} // namespace lockhouse
