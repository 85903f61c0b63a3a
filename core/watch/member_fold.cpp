// SPDX-License-Identifier: Apache-2.0
#include "core/watch/member_fold.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>

namespace lockhouse {
namespace {

constexpr std::size_t leastToken = 16; // bytes: a shorter value may be the same on two nodes by accident
constexpr double certain = 0.95;       // of a row that is shown anyway: nobody writes one random token to several masters but for this
constexpr double likely = 0.6;         // of a row that would not be: services that write the same cache twice do

using Members = std::vector<std::size_t>; // indexes of rows, in the order of their nodes

bool mayBeMember(const LockRecord &record) {
  return record.type == ValueType::String && record.kind == LockKind::Mutex && record.holders.size() == 1 && record.queue.empty() &&
         record.holders.front().id.size() >= leastToken && (record.confidence >= shownConfidence || record.expiresAt);
}

/// The masters that are watched, each server once, and which rows lie on one.
class Masters {
public:
  explicit Masters(std::span<const NodeStatus> nodes) {
    std::vector<std::string_view> seen;
    for (const auto &node : nodes) {
      if (node.role == "replica" || node.twin || (!node.runId.empty() && std::ranges::find(seen, node.runId) != seen.end()))
        continue;
      seen.push_back(node.runId);
      m_nodes.push_back(&node);
    }
  }
  std::size_t size() const { return m_nodes.size(); }
  bool contains(const LockId &id) const {
    return std::ranges::any_of(m_nodes, [&id](const NodeStatus *node) { return node->id == id.node && node->db == id.db; });
  }

private:
  std::vector<const NodeStatus *> m_nodes;
};

// Rows of several masters that agree in key and holder.
std::vector<Members> agreeing(const std::vector<LockRecordPtr> &locks, const Masters &masters) {
  std::unordered_map<std::string_view, std::vector<Members>> byKey;
  const LockRecord *before = nullptr;
  bool isOnMaster = false;
  for (std::size_t i = 0; i < locks.size(); ++i) {
    const auto &lock = *locks[i];
    if (!before || before->id.node != lock.id.node || before->id.db != lock.id.db)
      isOnMaster = masters.contains(lock.id);
    before = &lock;
    if (!isOnMaster || !mayBeMember(lock))
      continue;
    auto &groups = byKey[lock.id.key.bytes()];
    const auto group = std::ranges::find_if(groups, [&](const Members &members) { return locks[members.front()]->holders == lock.holders; });
    if (group == groups.end())
      groups.push_back({i});
    else
      group->push_back(i);
  }
  std::vector<Members> all;
  for (auto &[key, groups] : byKey)
    for (auto &members : groups)
      if (members.size() > 1)
        all.push_back(std::move(members));
  return all;
}

// When fewer than `needed` of them are left.
std::optional<SteadyTime> endOf(const std::vector<LockMember> &members, std::size_t needed) {
  std::vector<SteadyTime> ends;
  for (const auto &member : members)
    ends.push_back(member.expiresAt.value_or(SteadyTime::max()));
  std::ranges::sort(ends, std::greater());
  const auto end = ends[std::min(needed, ends.size()) - 1];
  return end == SteadyTime::max() ? std::nullopt : std::optional(end);
}

// Stale only where what is still live is no majority.
std::optional<SteadyTime> staleSince(const std::vector<LockMember> &members, std::size_t needed) {
  std::optional<SteadyTime> first;
  std::size_t live = 0;
  for (const auto &member : members) {
    live += !member.staleSince;
    if (member.staleSince)
      first = std::min(*member.staleSince, first.value_or(*member.staleSince));
  }
  return live >= needed ? std::nullopt : first;
}

void takeHistory(LockRecord &whole, const LockRecord &member) {
  whole.seenAt = std::min(whole.seenAt, member.seenAt);
  whole.heldSinceExact = whole.heldSince <= member.heldSince ? whole.heldSinceExact : member.heldSinceExact;
  whole.heldSince = std::min(whole.heldSince, member.heldSince);
  whole.lease = std::max(whole.lease, member.lease);
  if (member.renewals > whole.renewals) {
    whole.renewals = member.renewals;
    whole.renewalPeriod = member.renewalPeriod;
  }
  whole.renewedAt = std::max(whole.renewedAt, member.renewedAt);
  if (member.waiters)
    whole.waiters = std::max(*member.waiters, whole.waiters.value_or(0));
}

LockRecordPtr folded(const std::vector<LockRecordPtr> &locks, const Members &members, std::size_t masters) {
  auto whole = std::make_shared<LockRecord>(*locks[members.front()]);
  whole->masters = masters;
  for (const auto i : members) {
    const auto &member = *locks[i];
    whole->members.push_back({member.id.node, member.id.db, member.expiresAt, member.staleSince});
    takeHistory(*whole, member);
  }
  const auto needed = masters / 2 + 1;
  whole->expiresAt = endOf(whole->members, whole->hasMajority() ? needed : 1);
  whole->staleSince = staleSince(whole->members, std::min(needed, members.size()));
  whole->confidence = std::max(whole->confidence, whole->confidence < shownConfidence ? likely : certain);
  if (whole->hasMajority())
    whole->evidence.push_back(fmt::format("the same token lies on {} of {} masters: a Redlock, held by its majority", members.size(), masters));
  else
    whole->evidence.push_back(
        fmt::format("the same token lies on {} of {} masters: a Redlock without a majority, which nobody holds", members.size(), masters));
  return whole;
}

} // namespace

void foldMembers(std::vector<LockRecordPtr> &locks, std::span<const NodeStatus> nodes) {
  const Masters masters(nodes);
  if (masters.size() < 2)
    return;
  const auto groups = agreeing(locks, masters);
  if (groups.empty())
    return;
  for (const auto &members : groups) {
    auto whole = folded(locks, members, masters.size());
    for (const auto i : members)
      locks[i] = nullptr;
    locks[members.front()] = std::move(whole);
  }
  std::erase(locks, nullptr);
}

} // namespace lockhouse
