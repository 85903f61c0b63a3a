// SPDX-License-Identifier: Apache-2.0
#include "core/watch/fleet/redlock_holders.h"

#include "core/watch/fleet/redlock_members.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>

namespace lockhouse {
namespace {

struct Hold {
  std::string_view id;
  HoldMode mode;
  bool operator==(const Hold &) const = default;
};

struct HashOfHold {
  std::size_t operator()(const Hold &hold) const { return std::hash<std::string_view>{}(hold.id) * 3 + static_cast<std::size_t>(hold.mode); }
};

Hold holdOf(const Holder &holder) { return {holder.id, holder.mode}; }

// On how many masters one lies, and the count that most of them have (the majority vote of Boyer and Moore).
struct Share {
  const Holder *holder = nullptr; ///< as the first has it
  const LockRecord *last = nullptr;
  std::size_t masters = 0, lead = 0;
  std::int64_t count = 0;
  std::vector<SteadyTime> ends{}; ///< of his leases, where all are known

  void add(const LockRecord &row, const Holder &there) {
    if (last == &row)
      return;
    if (lead == 0)
      count = there.count;
    lead = count == there.count ? lead + 1 : lead - 1;
    last = &row;
    ++masters;
    const bool isAlone = row.holdersAtMost() == 1; // then what is the lock's is his
    if (const auto end = isAlone ? row.expiresAt : there.expiresAt)
      ends.push_back(*end);
  }
  /// When he has fewer than most of so many masters, or, where he has not as many, none.
  std::optional<SteadyTime> end(std::size_t ofMasters) const {
    if (ends.size() < masters)
      return std::nullopt;
    auto latest = ends;
    std::ranges::sort(latest, std::greater());
    return latest[masters * 2 > ofMasters ? ofMasters / 2 : 0];
  }
};

/// All holders of some rows, in the order in which they are met.
class Shares {
public:
  void add(const LockRecord &row) {
    for (const auto &holder : row.holders) {
      const auto [place, isNew] = m_places.try_emplace(holdOf(holder), m_shares.size());
      if (isNew)
        m_shares.push_back({.holder = &holder});
      m_shares[place->second].add(row, holder);
    }
  }
  const std::vector<Share> &inOrder() const { return m_shares; }
  const Share &of(const Holder &holder) const { return m_shares[m_places.at(holdOf(holder))]; }
  std::size_t most() const { return m_shares.empty() ? 0 : std::ranges::max(m_shares, {}, &Share::masters).masters; }

private:
  std::unordered_map<Hold, std::size_t, HashOfHold> m_places;
  std::vector<Share> m_shares;
};

// What one master has, told of the row's holders alone, or by what lies there.
LockMember shareOf(const LockRecordPtr &row, const Shares &shares, const auto &isHolder, std::size_t holders) {
  const auto isWhole = [&](const Holder &holder) { return isHolder(shares.of(holder)) && shares.of(holder).count == holder.count; };
  auto member = memberOf(*row);
  if (row->holders.size() == holders && std::ranges::all_of(row->holders, isWhole))
    return member;
  if (row->holders.size() == 1)
    member.own = row->holders.front();
  else
    member.there = row;
  member.areOthers = std::ranges::none_of(row->holders, [&](const Holder &holder) { return isHolder(shares.of(holder)); });
  return member;
}

// `shares`: of all who lie there, whether they hold it or not.
void tellShares(LockRecord &whole, const std::vector<Share> &shares) {
  const auto mayHold = [&whole](const Share &share) { return (share.masters + whole.unfollowed) * 2 > whole.masters; };
  if (whole.isSplit()) {
    whole.evidence.push_back(splitEvidence(whole, std::ranges::any_of(shares, mayHold) ? whole.unfollowed : 0));
    return;
  }
  whole.evidence.push_back(LH_MESSAGE("Evidence", "holders who lie on most of the %1 masters, each by himself: %2")(whole.masters, whole.holders.size()));
  const auto may = static_cast<std::size_t>(std::ranges::count_if(shares, mayHold)) - whole.holders.size();
  if (may > 0)
    whole.evidence.push_back(
        LH_MESSAGE("Evidence", "holders on too few masters, who may hold it, for %1 are not followed or refuse keys: %2")(whole.unfollowed, may));
  if (const auto none = shares.size() - whole.holders.size() - may; none > 0)
    whole.evidence.push_back(LH_MESSAGE("Evidence", "holders on too few masters, who do not hold it: %1")(none));
}

} // namespace

bool isShared(const LockRecord &lock) { return lock.kind == LockKind::ReadWrite || lock.kind == LockKind::Semaphore; }

bool haveSpreadHolder(std::span<const MemberRows> groups, const std::vector<LockRecordPtr> &locks) {
  if (std::ranges::any_of(groups, [](const MemberRows &members) { return members.size() > 1; }))
    return true;
  Shares shares;
  for (const auto &members : groups)
    shares.add(*locks[members.front()]);
  return shares.most() > 1;
}

std::optional<SteadyTime> latestEnd(const LockRecord &whole) {
  const auto hasEnd = [](const Holder &holder) { return holder.expiresAt.has_value(); };
  if (whole.holders.empty() || !whole.hasMajority() || !std::ranges::all_of(whole.holders, hasEnd))
    return std::nullopt;
  return std::ranges::max(whole.holders, {}, &Holder::expiresAt).expiresAt;
}

void setEnds(LockRecord &whole, const std::vector<LockRecordPtr> &locks, const MemberRows &rows) {
  Shares shares;
  for (const auto i : rows)
    shares.add(*locks[i]);
  for (auto &holder : whole.holders)
    holder.expiresAt = shares.of(holder).end(whole.masters);
}

LockRecordPtr mergeShares(const std::vector<LockRecordPtr> &locks, const MemberRows &rows, const MasterSet &onMasters) {
  const auto masters = onMasters.size();
  Shares shares;
  for (const auto i : rows)
    shares.add(*locks[i]);
  const auto most = shares.most();
  const auto isHolder = [&](const Share &share) { return most * 2 <= masters || share.masters * 2 > masters; };
  std::vector<Holder> holders;
  for (const auto &share : shares.inOrder())
    if (isHolder(share))
      holders.push_back({.id = share.holder->id, .count = share.count, .mode = share.holder->mode, .expiresAt = share.end(masters)});
  std::vector<std::pair<LockMember, std::size_t>> members;
  for (const auto i : rows)
    members.emplace_back(shareOf(locks[i], shares, isHolder, holders.size()), i);
  const auto others = std::ranges::stable_partition(members, [](const auto &one) { return !one.first.areOthers; });
  const auto own = static_cast<std::size_t>(others.begin() - members.begin());
  auto whole = std::make_shared<LockRecord>(*locks[members.front().second]);
  whole->holders = std::move(holders);
  whole->masters = masters;
  whole->sharedOn = most;
  for (auto &[member, i] : std::span(members).first(own)) {
    whole->members.push_back(std::move(member));
    takeHistory(*whole, *locks[i]);
  }
  const auto needed = masters / 2 + 1;
  whole->expiresAt = latestEnd(*whole).or_else([&] { return endOf(whole->members, whole->hasMajority() ? needed : 1); });
  whole->staleSince = staleSince(whole->members, std::min(needed, own));
  for (auto &[member, i] : std::span(members).subspan(own))
    whole->members.push_back(std::move(member));
  whole->confidence = std::max(whole->confidence, certain);
  whole->unfollowed = onMasters.unseenCompanion(whole->members, whole->id.key.bytes());
  tellShares(*whole, shares.inOrder());
  return whole;
}

std::vector<LesserHolder> lesserHolders(const LockRecord &row) {
  std::vector<LesserHolder> lesser;
  if (row.sharedOn == 0)
    return lesser;
  constexpr auto none = ~std::size_t{0};
  std::unordered_map<Hold, std::size_t, HashOfHold> places;
  for (const auto &holder : row.holders)
    places.emplace(holdOf(holder), none);
  const auto add = [&](const Holder &holder) {
    const auto [place, isNew] = places.try_emplace(holdOf(holder), lesser.size());
    if (isNew)
      lesser.push_back({holder, 0});
    if (place->second != none)
      ++lesser[place->second].masters;
  };
  for (const auto &member : row.members)
    if (member.there)
      std::ranges::for_each(member.there->holders, add);
    else if (member.own)
      add(*member.own);
  return lesser;
}

} // namespace lockhouse
