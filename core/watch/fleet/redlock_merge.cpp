// SPDX-License-Identifier: Apache-2.0
#include "core/watch/fleet/redlock_merge.h"

#include "core/watch/fleet/redlock_holders.h"
#include "core/watch/fleet/redlock_members.h"
#include "core/watch/record/metadata.h"
#include "core/watch/text/data_names.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <ranges>

namespace lockhouse {
namespace {

constexpr double likely = 0.6; // of a row that would not be: services that write the same cache twice do

// One random token on most of three masters or more, for as short as locks are held, under a name that tells of nothing else.
bool isUnnamedRedlock(const LockRecord &whole) {
  const auto name = nameEvidence(whole.id.key.bytes());
  const bool tellsOfMore = namesData(name) || name.secret || name.figure || name.goods || name.event || name.connected || name.tally || name.explained;
  return whole.hasMajority() && whole.masters > 2 && whole.lease && *whole.lease <= longestHold && !tellsOfMore;
}

// Set on most of its masters at once, or renewed there one after the other: caches of the same content lapse each in its own time.
bool isOfOneTime(const LockRecord &whole, const std::vector<LockRecordPtr> &locks, const MemberRows &members) {
  constexpr auto atOnce = seconds(5);
  std::vector<SteadyTime> ends;
  for (const auto &member : whole.members)
    if (member.expiresAt)
      ends.push_back(*member.expiresAt);
  std::ranges::sort(ends);
  const auto most = whole.masters / 2 + 1;
  for (std::size_t i = 0; i + most <= ends.size(); ++i)
    if (ends[i + most - 1] - ends[i] <= atOnce)
      return true;
  return std::ranges::any_of(members, [&locks](std::size_t i) { return locks[i]->renewals > 0; });
}

// What a row that was folded goes by.
const std::string &nameOfAll(const LockRecord &record) { return record.holders.front().id; }

std::size_t hashOf(const Holder &holder) { return std::hash<std::string_view>{}(holder.id); }

// One holder's: with the count that most of its masters have.
void setCount(LockRecord &whole, const std::vector<LockRecordPtr> &locks, const MemberRows &members) {
  std::map<std::int64_t, std::size_t> masters;
  for (const auto i : members)
    ++masters[locks[i]->holders.front().count];
  const auto most = std::ranges::max_element(masters, {}, [](const auto &one) { return one.second; })->first;
  whole.holders.front().count = most;
  std::size_t others = 0;
  for (std::size_t i = 0; i < members.size(); ++i)
    if (const auto &holder = locks[members[i]]->holders.front(); holder.count != most) {
      whole.members[i].own = holder;
      ++others;
    }
  if (others > 0)
    whole.evidence.push_back(LH_MESSAGE("Evidence", "masters on which its holder has another count: %1")(others));
}

// Where it has a lease on others: what lies there was not given back, or never renewed as it should be.
void noteEndless(LockRecord &whole) {
  const auto endless = static_cast<std::size_t>(std::ranges::count_if(whole.members, [](const LockMember &member) { return !member.expiresAt; }));
  if (endless > 0 && endless < whole.members.size())
    whole.evidence.push_back(LH_MESSAGE("Evidence", "masters on which its token never expires: %1")(endless));
}

LockRecordPtr split(const std::vector<LockRecordPtr> &locks, const MemberRows &members, const MasterSet &masters) {
  auto whole = std::make_shared<LockRecord>(*locks[members.front()]);
  whole->masters = masters.size();
  whole->holders.clear();
  for (const auto i : members) {
    const auto &member = *locks[i];
    const auto &holder = member.holders.front();
    whole->members.push_back(memberOf(member));
    whole->members.back().own = holder;
    if (std::ranges::find(whole->holders, holder) == whole->holders.end())
      whole->holders.push_back(holder);
    takeHistory(*whole, member);
  }
  whole->expiresAt = endOf(whole->members, 1);
  whole->staleSince = staleSince(whole->members, 1);
  whole->unfollowed = masters.unseenCompanion(whole->members, whole->id.key.bytes());
  whole->evidence.push_back(splitEvidence(*whole, whole->unfollowed));
  whole->evidence.emplace_back(LH_MESSAGE("Evidence", "they may be locks of their own, on masters that have nothing to do with each other"));
  return whole;
}

// How many masters its Redlock has is known to its clients alone: those that are watched may be more.
Message majorityEvidence(const LockRecord &whole) {
  const bool areMany = whole.holders.size() > 1;
  const auto on = whole.members.size(), masters = whole.masters, asLastSeen = whole.seenLastOn();
  if (whole.hasMajority() && asLastSeen > 0)
    return areMany ? LH_MESSAGE("Evidence", "the same holders lie on %1 of %2 masters, %3 of them as last seen: a Redlock, held by its majority")(on, masters,
                                                                                                                                                  asLastSeen)
                   : LH_MESSAGE("Evidence", "the same token lies on %1 of %2 masters, %3 of them as last seen: a Redlock, held by its majority")(on, masters,
                                                                                                                                                 asLastSeen);
  if (whole.hasMajority())
    return areMany ? LH_MESSAGE("Evidence", "the same holders lie on %1 of %2 masters: a Redlock, held by its majority")(on, masters)
                   : LH_MESSAGE("Evidence", "the same token lies on %1 of %2 masters: a Redlock, held by its majority")(on, masters);
  if (whole.mayHaveMajority())
    return areMany
               ? LH_MESSAGE("Evidence", "the same holders lie on %1 of %2 masters, of which %3 are not followed or refuse keys: a Redlock, and who holds it is "
                                        "not known")(on, masters, whole.unfollowed)
               : LH_MESSAGE("Evidence", "the same token lies on %1 of %2 masters, of which %3 are not followed or refuse keys: a Redlock, and who holds it is "
                                        "not known")(on, masters, whole.unfollowed);
  if (const auto mostOf = 2 * on - 1; mostOf > 1)
    return areMany
               ? LH_MESSAGE("Evidence", "the same holders lie on %1 of %2 masters: a Redlock that nobody holds, unless no more than %3 masters are its own")(
                     on, masters, mostOf)
               : LH_MESSAGE("Evidence", "the same token lies on %1 of %2 masters: a Redlock that nobody holds, unless no more than %3 masters are its own")(
                     on, masters, mostOf);
  return areMany ? LH_MESSAGE("Evidence", "the same holders lie on %1 of %2 masters: a Redlock without a majority, which nobody holds")(on, masters)
                 : LH_MESSAGE("Evidence", "the same token lies on %1 of %2 masters: a Redlock without a majority, which nobody holds")(on, masters);
}

// `lost`: rows by others, whom these keep out.
LockRecordPtr merged(const std::vector<LockRecordPtr> &locks, const MemberRows &members, const MemberRows &lost, const MasterSet &masters) {
  auto whole = std::make_shared<LockRecord>(*locks[members.front()]);
  whole->masters = masters.size();
  if (whole->holders.size() > 1)
    setEnds(*whole, locks, members);
  else // that of one master alone; its members tell theirs
    whole->holders.front().expiresAt.reset();
  for (const auto i : members) {
    const auto &member = *locks[i];
    whole->members.push_back(memberOf(member));
    whole->confidence = std::max(whole->confidence, member.confidence);
    takeHistory(*whole, member);
  }
  auto looked = whole->members;
  for (const auto i : lost)
    if (!locks[i]->staleSince)
      looked.push_back(memberOf(*locks[i]));
  whole->unfollowed = masters.unseenCompanion(looked, whole->id.key.bytes());
  noteEndless(*whole);
  const auto needed = masters.size() / 2 + 1;
  whole->expiresAt = latestEnd(*whole).or_else([&] { return endOf(whole->members, whole->hasMajority() ? needed : 1); });
  whole->staleSince = staleSince(whole->members, std::min(needed, members.size()));
  if (!whole->isDoubtful() || (isUnnamedRedlock(*whole) && isOfOneTime(*whole, locks, members)))
    whole->confidence = std::max(whole->confidence, whole->isDoubtful() || isByOwnersName(*whole) ? likely : certain);
  if (whole->expiresAt) // of most masters, whatever the first has
    std::ranges::replace(whole->evidence, Message(neverExpires), Message(hasLease));
  whole->evidence.push_back(majorityEvidence(*whole));
  if (whole->holders.size() == 1)
    setCount(*whole, locks, members);
  for (const auto i : lost) {
    whole->members.push_back(memberOf(*locks[i]));
    whole->members.back().own = locks[i]->holders.front();
  }
  if (!lost.empty())
    whole->evidence.push_back(LH_MESSAGE("Evidence", "masters on which another token lies under this name: %1")(lost.size()));
  return whole;
}

Message aloneEvidence(const LockRecord &record, bool isNamed) {
  if (record.unfollowed > 0)
    return LH_MESSAGE("Evidence",
                      "its token lies on %1 of %2 masters, of which %3 are not followed or refuse keys: if it is a Redlock, who holds it is not known")(
        1, record.masters, record.unfollowed);
  return isNamed
             ? LH_MESSAGE(
                   "Evidence",
                   "its token lies on %1 of %2 masters, and by its name or library it is a Redlock: unless its clients use this master alone, nobody holds it")(
                   1, record.masters)
             : LH_MESSAGE("Evidence",
                          "its token lies on %1 of %2 masters: a lock of this master alone, or what is left of a Redlock that nobody holds")(1, record.masters);
}

bool hasNotes(const LockRecord &lock, std::size_t others) { return isOfThreads(lock) ? others > 0 : mayBeRedlock(lock); }

// What a row alone says of the masters.
void addNotes(LockRecord &lock, std::size_t masters, std::size_t unfollowed, std::size_t others) {
  if (isOfThreads(lock)) {
    lock.evidence.push_back(LH_MESSAGE(
        "Evidence", "masters on which a client's thread of this number holds this name: %1 of %2; a RedissonRedLock lies so, each lock by a client of its own")(
        others + 1, masters));
    return;
  }
  lock.masters = masters;
  if (1 + unfollowed > masters / 2)
    lock.unfollowed = unfollowed;
  tellAlone(lock);
  if (others > 0)
    lock.evidence.push_back(LH_MESSAGE("Evidence", "masters on which another token lies under this name: %1")(others));
}

} // namespace

void tellAlone(LockRecord &record) {
  if (record.masters < 2 || !record.members.empty())
    return;
  std::erase(record.evidence, aloneEvidence(record, false));
  const bool isNamed = record.masters > 2 && isNamedRedlock(record);
  if (isNamed)
    record.members = {memberOf(record)};
  record.evidence.push_back(aloneEvidence(record, isNamed));
}

bool RedlockMerge::Memory::wasMerged(const LockRecord &lock) const {
  const auto found = merged.find(lock.id.key.bytes());
  if (found == merged.end())
    return false;
  if (!isShared(lock))
    return std::ranges::find(found->second.rows, nameOfAll(lock)) != found->second.rows.end();
  return std::ranges::any_of(lock.holders, [&](const Holder &holder) { return std::ranges::binary_search(found->second.holders, hashOf(holder)); });
}

LockRecordPtr RedlockMerge::Memory::withNotes(const LockRecordPtr &lock, const MasterSet &masters, std::size_t others, Memory &kept) {
  const auto unfollowed = masters.unseenCompanion(std::array{memberOf(*lock)}, lock->id.key.bytes());
  auto known = noted.extract(lock.get());
  const bool isNew = known.empty() || known.mapped().masters != masters.size() || known.mapped().unfollowed != unfollowed || known.mapped().others != others;
  if (!isNew)
    return kept.noted.insert(std::move(known)).position->second.noted;
  Noted now{.plain = lock, .noted = lock, .masters = masters.size(), .unfollowed = unfollowed, .others = others};
  if (hasNotes(*lock, others)) {
    auto whole = std::make_shared<LockRecord>(*lock);
    addNotes(*whole, masters.size(), unfollowed, others);
    now.noted = std::move(whole);
  }
  return kept.noted.emplace(lock.get(), std::move(now)).first->second.noted;
}

/// One fold of all rows of some masters.
class RedlockMerge::Round {
public:
  Round(Memory &memory, std::vector<LockRecordPtr> &locks, const MasterSet &masters, SteadyTime now)
      : m_memory(memory), m_locks(locks), m_masters(masters), m_now(now) {}

  void run() {
    for (auto &[key, groups] : groupsByName(m_locks, m_masters))
      if (groups.size() > 1 && isSplit(groups, m_locks, m_masters) && (wereOne(groups) || !areApart(key, groups))) {
        mergeSplit(key, groups);
      } else {
        if (groups.size() > 1)
          mergeShared(key, groups);
        mergeName(key, groups);
      }
    for (auto &[key, merged] : kept.merged)
      std::ranges::sort(merged.holders);
    for (auto &[i, row] : m_changed) // the names are views into rows: these are put in at last
      m_locks[i] = std::move(row);
    std::erase(m_locks, nullptr);
  }
  Memory kept; // for the next one

private:
  Memory &m_memory;
  std::vector<LockRecordPtr> &m_locks;
  const MasterSet &m_masters;
  SteadyTime m_now;
  std::vector<std::pair<std::size_t, LockRecordPtr>> m_changed;

  bool wasMerged(const MemberRows &members) const { return m_memory.wasMerged(*m_locks[members.front()]); }
  // Of a lock that one of them held by a majority, which is lost: how long it was held, and how often renewed, tells of no lock of its own.
  bool wereOne(const std::vector<MemberRows> &groups) const {
    return std::ranges::all_of(groups, [this](const MemberRows &members) { return wasMerged(members); });
  }
  // By name or library it is a Redlock: that nobody renews it, nor gives it back, is what a crowd that ended leaves.
  bool areNamed(const std::vector<MemberRows> &groups) const {
    return std::ranges::all_of(groups, [this](const MemberRows &members) { return isNamedRedlock(*m_locks[members.front()]); });
  }
  // Once they were seen to be, they stay so: the next to take one of them has not stayed yet.
  bool areApart(std::string_view key, const std::vector<MemberRows> &groups) {
    const bool are = areRenewed(groups, m_locks) || m_memory.apart.contains(key) || (!areNamed(groups) && haveStayed(groups, m_locks, m_now));
    if (are)
      kept.apart.emplace(key);
    return are;
  }
  // An owner's name may be the same on two masters by accident.
  bool isCertain(const MemberRows &members) const { return !isByOwnersName(*m_locks[members.front()]); }
  bool isMost(const MemberRows &members) const { return members.size() * 2 > m_masters.size() && (m_masters.size() > 2 || isCertain(members)); }

  void put(const MemberRows &members, LockRecordPtr whole, const MemberRows &lost = {}) {
    m_changed.emplace_back(members.front(), std::move(whole));
    for (const auto i : members | std::views::drop(1))
      m_changed.emplace_back(i, nullptr);
    for (const auto i : lost)
      m_changed.emplace_back(i, nullptr);
  }

  void mergeSplit(std::string_view key, const std::vector<MemberRows> &groups) {
    MemberRows all;
    for (const auto &members : groups) {
      if (wasMerged(members))
        remember(key, members);
      all.insert(all.end(), members.begin(), members.end());
    }
    std::ranges::sort(all);
    put(all, split(m_locks, all, m_masters));
  }

  // Takes those out of `groups` that are one lock by several holders.
  void mergeShared(std::string_view key, std::vector<MemberRows> &groups) {
    for (auto first = groups.begin(); first != groups.end();) {
      const auto &row = *m_locks[first->front()];
      const auto end = std::stable_partition(first, groups.end(), [&](const MemberRows &members) { return areOfOneForm(row, *m_locks[members.front()]); });
      const std::span<const MemberRows> alike(first, end);
      const auto isKnown = [this](const MemberRows &members) { return wasMerged(members); };
      if (!isShared(row) || alike.size() < 2 || !(haveSpreadHolder(alike, m_locks) || std::ranges::any_of(alike, isKnown))) {
        first = end;
        continue;
      }
      MemberRows all;
      for (const auto &members : alike) {
        remember(key, members);
        all.insert(all.end(), members.begin(), members.end());
      }
      std::ranges::sort(all);
      auto whole = mergeShares(m_locks, all, m_masters);
      const auto isFirst = [&](std::size_t i) { return m_locks[i]->id == whole->id; };
      std::ranges::partition(all, isFirst);
      put(all, std::move(whole));
      first = groups.erase(first, end);
    }
  }

  void mergeName(std::string_view key, const std::vector<MemberRows> &groups) {
    MemberRows lost;
    for (const auto &members : groups)
      if (!isMost(members))
        mergeMinority(key, members, groups, lost);
    std::ranges::sort(lost);
    const auto winner = std::ranges::find_if(groups, [this](const MemberRows &members) { return isMost(members); });
    if (winner == groups.end())
      return;
    remember(key, *winner);
    put(*winner, merged(m_locks, *winner, lost, m_masters), lost);
  }

  void mergeMinority(std::string_view key, const MemberRows &members, const std::vector<MemberRows> &groups, MemberRows &lost) {
    const auto &first = m_locks[members.front()];
    const auto rivals = rivalsOf(members, groups, m_locks, m_masters.size());
    if (!rivals.areShared && (rivals.isLost || (members.size() > 1 && isCertain(members)) || m_memory.wasMerged(*first))) {
      remember(key, members);
      if (rivals.isLost)
        lost.insert(lost.end(), members.begin(), members.end());
      else
        put(members, merged(m_locks, members, {}, m_masters));
    } else if (m_masters.areMet() && !m_masters.first()->isCluster && members.size() == 1 && (isToken(*first) || isOfThreads(*first))) {
      std::size_t others = 0;
      for (const auto &other : groups)
        others += &other != &members && areAlike(*m_locks[other.front()], *first) ? other.size() : 0;
      m_changed.emplace_back(members.front(), m_memory.withNotes(first, m_masters, others, kept));
    }
  }

  void remember(std::string_view key, const MemberRows &members) {
    const auto &row = *m_locks[members.front()];
    auto &merged = kept.merged[std::string(key)];
    if (isShared(row))
      std::ranges::transform(row.holders, std::back_inserter(merged.holders), hashOf);
    else
      merged.rows.push_back(nameOfAll(row));
  }
};

void RedlockMerge::merge(std::vector<LockRecordPtr> &locks, std::span<const NodeStatus> nodes, SteadyTime now) {
  std::map<std::optional<int>, Memory> kept;
  for (const auto &[db, masters] : mastersByDatabase(nodes)) {
    Round round(m_memories[db], locks, masters, now);
    if (masters.size() > 1)
      round.run();
    kept.emplace(db, std::move(round.kept));
  }
  m_memories = std::move(kept);
}

void mergeRedlocks(std::vector<LockRecordPtr> &locks, std::span<const NodeStatus> nodes) { RedlockMerge().merge(locks, nodes, SteadyTime::min()); }

} // namespace lockhouse
