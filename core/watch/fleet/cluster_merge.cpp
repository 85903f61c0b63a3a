// SPDX-License-Identifier: Apache-2.0
#include "core/watch/fleet/cluster_merge.h"

#include "core/watch/detect/vote_evidence.h"

#include "core/watch/fleet/master_set.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <ranges>

namespace lockhouse {
namespace {

constexpr std::size_t usualKeys = 3;

using Members = std::vector<std::size_t>; // indexes of rows, in the order of their nodes
using Ends = std::vector<SteadyTime>;     // of one token: of each key that carries it

// How many masters of a cluster are not watched, or not followed, or refuse keys, at least: the rest of a lock's keys may lie where nobody looks.
std::size_t hiddenOf(const MasterSet &masters) {
  const auto all = masters.ofCluster();
  if (!masters.areOfCluster())
    return 0;
  return all > 0 ? all - std::min(all, masters.readOfCluster()) : masters.size() == 1 ? 1 : masters.unread();
}

std::size_t keysOf(const LockRecord &lock) {
  auto keys = lock.votes;
  for (const auto &other : lock.outvoted)
    keys += static_cast<std::size_t>(other.count);
  return keys;
}

bool hasKey(const LockRecord &lock, std::string_view holder) {
  return lock.holders.front().id == holder || std::ranges::find(lock.outvoted, holder, &Holder::id) != lock.outvoted.end();
}

// When fewer keys than it needs are left: each lapses with its row.
std::optional<SteadyTime> endOf(Ends ends, std::size_t needed) {
  std::ranges::sort(ends, std::greater());
  const auto end = ends[std::min(std::max<std::size_t>(needed, 1), ends.size()) - 1];
  return end == SteadyTime::max() ? std::nullopt : std::optional(end);
}

// What was seen of the hold on one more master.
void takeHistory(LockRecord &whole, const LockRecord &member) {
  whole.lease = std::max(whole.lease, member.lease);
  whole.isShortened |= member.isShortened;
  whole.heldSinceExact = whole.heldSince <= member.heldSince ? whole.heldSinceExact : member.heldSinceExact;
  whole.heldSince = std::min(whole.heldSince, member.heldSince);
}

/// Who has keys of one lock, which lie on several masters.
struct Voter {
  Ends ends;                                // of each key that carries his token
  SteadyTime heldSince = SteadyTime::max(); // as far as it was seen
};

std::map<std::string, Voter> votersOf(const std::vector<LockRecordPtr> &locks, const Members &members) {
  std::map<std::string, Voter> voters;
  const auto add = [&voters](const Holder &holder, std::size_t keys, std::optional<SteadyTime> end) -> Voter & {
    auto &voter = voters[holder.id];
    voter.ends.insert(voter.ends.end(), keys, end.value_or(SteadyTime::max()));
    return voter;
  };
  for (const auto i : members) {
    auto &first = add(locks[i]->holders.front(), locks[i]->votes, locks[i]->expiresAt);
    first.heldSince = std::min(first.heldSince, locks[i]->heldSince);
    for (const auto &other : locks[i]->outvoted)
      add(other, static_cast<std::size_t>(other.count), other.expiresAt);
  }
  return voters;
}

Holder outvoted(const std::string &id, const Ends &ends) {
  const auto first = std::ranges::min(ends);
  return {.id = id, .count = static_cast<std::int64_t>(ends.size()), .expiresAt = first == SteadyTime::max() ? std::nullopt : std::optional(first)};
}

// Of a holder whose keys lie beside others' on each of his masters, whose rows tell of these.
void forgetHistory(LockRecord &lock) {
  lock.heldSince = lock.seenAt;
  lock.heldSinceExact = lock.isShortened = false;
  lock.renewals = 0;
  lock.renewedAt.reset();
  lock.renewalPeriod.reset();
  lock.lease.reset();
}

// By whoever has most of its keys; of as many, who has them for longest.
LockRecordPtr merged(const std::vector<LockRecordPtr> &locks, Members members, std::size_t masters) {
  const auto voters = votersOf(locks, members);
  const auto &[holder, own] =
      *std::ranges::max_element(voters, {}, [](const auto &each) { return std::pair(each.second.ends.size(), -each.second.heldSince.time_since_epoch()); });
  const auto isFirst = [&](std::size_t i) { return locks[i]->holders.front().id == holder; };
  std::ranges::stable_partition(members, [&](std::size_t i) { return hasKey(*locks[i], holder); });
  std::ranges::stable_partition(members, isFirst);
  auto whole = std::make_shared<LockRecord>(*locks[members.front()]);
  if (!isFirst(members.front()))
    forgetHistory(*whole);
  whole->holders.front() = {.id = holder};
  whole->masters = masters;
  for (const auto i : members) {
    const auto &member = *locks[i];
    whole->members.push_back({.node = member.id.node, .db = member.id.db, .expiresAt = member.expiresAt, .staleSince = member.staleSince});
    if (!hasKey(member, holder)) {
      whole->members.back().own = member.holders.front();
      continue;
    }
    if (isFirst(i))
      takeHistory(*whole, member);
    whole->seenAt = std::min(whole->seenAt, member.seenAt);
    if (member.staleSince)
      whole->staleSince = std::min(*member.staleSince, whole->staleSince.value_or(*member.staleSince));
  }
  whole->votes = own.ends.size();
  whole->neededVotes = usualKeys / 2 + 1;
  whole->unfollowed = 0;
  whole->outvoted.clear();
  for (const auto &[id, other] : voters)
    if (id != holder)
      whole->outvoted.push_back(outvoted(id, other.ends));
  whole->expiresAt = endOf(own.ends, whole->neededVotes);
  if (whole->votes >= whole->neededVotes)
    whole->confidence = std::max(whole->confidence, byVotes);
  tellVotes(*whole);
  return whole;
}

// Where nobody else has a key it is taken for held: whoever has lost a vote leaves nothing behind.
LockRecordPtr unsure(const LockRecord &lock, std::size_t hidden) {
  auto whole = std::make_shared<LockRecord>(lock);
  whole->unfollowed = hidden;
  if (lock.outvoted.empty())
    whole->neededVotes = 0;
  tellVotes(*whole);
  return whole;
}

void mergeVotesOf(const MasterSet &masters, std::vector<LockRecordPtr> &locks) {
  const auto hidden = hiddenOf(masters);
  if (masters.size() == 0 || (masters.size() == 1 && hidden == 0))
    return;
  const bool isOne = masters.areOfCluster(); // else what others have under this name is a lock of their own
  std::map<std::pair<std::string_view, std::string_view>, Members> byKey;
  for (std::size_t i = 0; i < locks.size(); ++i)
    if (const auto &lock = *locks[i]; lock.votes > 0 && lock.holders.size() == 1 && masters.contains(lock.id))
      byKey[{lock.id.key.bytes(), isOne ? std::string_view() : lock.holders.front().id}].push_back(i);
  std::vector<std::pair<std::size_t, LockRecordPtr>> changed; // the map has views into rows: these are put in at last
  for (const auto &[key, members] : byKey) {
    auto row = members.size() < 2 ? locks[members.front()] : merged(locks, members, masters.size());
    const bool areClosed = std::ranges::any_of(members, [&locks](std::size_t i) { return locks[i]->unfollowed > 0; }); // some of its keys, to this user
    if ((hidden > 0 || areClosed) && !row->hasMajority() && keysOf(*row) < usualKeys)
      row = unsure(*row, std::max<std::size_t>(hidden, 1));
    const auto place = std::ranges::find_if(members, [&](std::size_t i) { return locks[i]->id == row->id; });
    for (const auto i : members)
      changed.emplace_back(i, i == *place ? row : nullptr);
  }
  for (auto &[i, row] : changed)
    locks[i] = std::move(row);
  std::erase(locks, nullptr);
}

} // namespace

void mergeCluster(std::vector<LockRecordPtr> &locks, std::span<const NodeStatus> nodes) {
  for (const auto &[db, masters] : mastersByDatabase(nodes))
    for (const auto &kind : masters.byKind())
      mergeVotesOf(kind, locks);
}

} // namespace lockhouse
