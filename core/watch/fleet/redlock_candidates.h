// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/fleet/master_set.h"
#include "core/watch/record/lock_record.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace lockhouse {

/// Which rows of one name on several masters may be one lock: what RedlockMerge puts into one.
using MemberRows = std::vector<std::size_t>; ///< indexes of rows, in the order of their nodes

bool isToken(const LockRecord &record);
bool isOfThreads(const LockRecord &record); ///< its holders are Redisson's clients and threads

/// Whether its value is a name that its owner has everywhere, and shorter than random tokens: "web-1:4711". Two may write it who know nothing of
/// each other, so it tells of one lock only where most of three masters or more have it.
bool isByOwnersName(const LockRecord &record);

/// Whether libraries of Redlocks leave what lies there, by the value alone or under their own names.
bool mayBeRedlock(const LockRecord &record);
/// Whether its name or its library says that it is one. No data tell it from a lock that its clients keep on one master.
bool isNamedRedlock(const LockRecord &record);

/// Whether what lies in two rows of one name has the form of one library's locks.
bool areOfOneForm(const LockRecord &a, const LockRecord &b);
/// Whether two rows of one name, by different holders, may be members of one lock all the same.
bool areAlike(const LockRecord &a, const LockRecord &b);

/// Rows of masters by their names; those of one name that agree in their holders together.
std::unordered_map<std::string_view, std::vector<MemberRows>> groupsByName(const std::vector<LockRecordPtr> &locks, const MasterSet &masters);

/// What rows of one name by other holders say of one that has no majority.
struct Rivals {
  bool areShared = false; ///< one of its holders lies elsewhere with others, or without them: no set of holders can be told
  bool isLost = false;    ///< another has a majority who keeps these out
};

Rivals rivalsOf(const MemberRows &members, const std::vector<MemberRows> &groups, const std::vector<LockRecordPtr> &locks, std::size_t masters);

/// A vote that nobody has won: most of three masters or more have a token, of one holder or another, and none is on most of them, counted
/// are all that are watched. Not where several are redis-py's by their form, which knows one master. Nor in a cluster, where each name is one
/// master's.
bool isSplit(const std::vector<MemberRows> &groups, const std::vector<LockRecordPtr> &locks, const MasterSet &masters);
/// Whether one of them was renewed: whoever has no majority renews nothing, and each has a lock of his own. Unless a majority was lost meanwhile.
bool areRenewed(const std::vector<MemberRows> &groups, const std::vector<LockRecordPtr> &locks);
/// Whether two of the holders have been seen for longer than a vote lasts by `now`: each has a lock of his own.
bool haveStayed(const std::vector<MemberRows> &groups, const std::vector<LockRecordPtr> &locks, SteadyTime now);

} // namespace lockhouse
