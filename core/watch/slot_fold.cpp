// SPDX-License-Identifier: Apache-2.0
#include "core/watch/slot_fold.h"

#include "core/watch/masters.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <ranges>

namespace lockhouse {
namespace {

constexpr std::string_view count = "keys that carry this holder's token: ";
constexpr std::string_view tooFew = "fewer than two of its keys: unless its clients are set to one, nobody holds it";

using Members = std::vector<std::size_t>; // indexes of rows, in the order of their nodes

// Of a cluster of which not all masters are watched and followed: the rest of a lock's keys may lie where nobody looks.
bool areHiding(const Masters &masters) {
  const auto all = masters.ofCluster();
  const auto followed = masters.size() - masters.unfollowed();
  return masters.areOfCluster() && (all > 0 ? followed < all : masters.size() == 1 || followed < masters.size());
}

// When fewer keys than it needs are left: each lapses with its row.
std::optional<SteadyTime> endOf(const std::vector<LockRecordPtr> &locks, const Members &members, std::size_t needed) {
  std::vector<SteadyTime> ends;
  for (const auto i : members)
    ends.insert(ends.end(), locks[i]->votes, locks[i]->expiresAt.value_or(SteadyTime::max()));
  std::ranges::sort(ends, std::greater());
  const auto end = ends[std::min(std::max<std::size_t>(needed, 1), ends.size()) - 1];
  return end == SteadyTime::max() ? std::nullopt : std::optional(end);
}

LockRecordPtr folded(const std::vector<LockRecordPtr> &locks, const Members &members, std::size_t masters) {
  auto whole = std::make_shared<LockRecord>(*locks[members.front()]);
  whole->masters = masters;
  whole->votes = 0;
  for (const auto i : members) {
    const auto &member = *locks[i];
    whole->members.push_back({.node = member.id.node, .db = member.id.db, .expiresAt = member.expiresAt, .staleSince = member.staleSince});
    whole->votes += member.votes;
    whole->lease = std::max(whole->lease, member.lease);
    whole->isShortened |= member.isShortened;
    whole->heldSinceExact = whole->heldSince <= member.heldSince ? whole->heldSinceExact : member.heldSinceExact;
    whole->heldSince = std::min(whole->heldSince, member.heldSince);
    whole->seenAt = std::min(whole->seenAt, member.seenAt);
    if (member.staleSince)
      whole->staleSince = std::min(*member.staleSince, whole->staleSince.value_or(*member.staleSince));
  }
  whole->expiresAt = endOf(locks, members, whole->neededVotes);
  tellVotes(*whole);
  return whole;
}

LockRecordPtr unsure(const LockRecord &lock) {
  auto whole = std::make_shared<LockRecord>(lock);
  whole->neededVotes = 0;
  tellVotes(*whole);
  whole->evidence.emplace_back("its other keys may lie on masters of this cluster that are not watched");
  return whole;
}

void foldVotesOf(const Masters &masters, std::vector<LockRecordPtr> &locks) {
  const bool mayBeMore = areHiding(masters);
  if (masters.size() == 0 || (masters.size() == 1 && !mayBeMore))
    return;
  std::map<std::pair<std::string_view, std::string_view>, Members> byHolder;
  for (std::size_t i = 0; i < locks.size(); ++i)
    if (const auto &lock = *locks[i]; lock.votes > 0 && lock.holders.size() == 1 && masters.contains(lock.id))
      byHolder[{lock.id.key.bytes(), lock.holders.front().id}].push_back(i);
  std::vector<std::pair<std::size_t, LockRecordPtr>> changed; // the map has views into rows: these are put in at last
  for (const auto &[holder, members] : byHolder) {
    auto row = members.size() < 2 ? locks[members.front()] : folded(locks, members, masters.size());
    if (mayBeMore && !row->hasMajority())
      row = unsure(*row);
    changed.emplace_back(members.front(), std::move(row));
    for (const auto i : members | std::views::drop(1))
      changed.emplace_back(i, nullptr);
  }
  for (auto &[i, row] : changed)
    locks[i] = std::move(row);
  std::erase(locks, nullptr);
}

} // namespace

void tellVotes(LockRecord &record) {
  std::erase_if(record.evidence, [](const std::string &fact) { return fact.starts_with(count) || fact == tooFew; });
  record.evidence.push_back(fmt::format("{}{}", count, record.votes));
  if (record.votes < record.neededVotes)
    record.evidence.emplace_back(tooFew);
}

void foldVotes(std::vector<LockRecordPtr> &locks, std::span<const NodeStatus> nodes) {
  for (const auto &[db, masters] : mastersByDatabase(nodes))
    foldVotesOf(masters, locks);
}

} // namespace lockhouse
