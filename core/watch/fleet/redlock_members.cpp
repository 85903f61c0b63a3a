// SPDX-License-Identifier: Apache-2.0
#include "core/watch/fleet/redlock_members.h"

#include <algorithm>
#include <fmt/format.h>

namespace lockhouse {

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

Message splitEvidence(const LockRecord &whole, std::size_t unfollowed) {
  const auto holders = whole.holders.size(), on = whole.members.size();
  return unfollowed == 0
             ? LH_MESSAGE("Evidence", "tokens of %1 holders lie on %2 of %3 masters, none on most of them: if it is a Redlock, nobody holds it")(holders, on,
                                                                                                                                                 whole.masters)
             : LH_MESSAGE("Evidence", "tokens of %1 holders lie on %2 of %3 masters, none on most of them, and %4 are not followed or refuse keys: if "
                                      "it is a Redlock, who holds it is not known")(holders, on, whole.masters, unfollowed);
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
  if (whole.holders.size() > 1) // of one who lies there alone: whose renewals the others are is not known
    whole.renewalPeriod.reset();
  whole.renewedAt = std::max(whole.renewedAt, member.renewedAt);
  whole.isShortened |= member.isShortened;
  if (member.waiters)
    whole.waiters = std::max(*member.waiters, whole.waiters.value_or(0));
  whole.moreMayWait |= member.moreMayWait;
  if (member.queue.size() > whole.queue.size())
    whole.queue = member.queue;
}

LockMember memberOf(const LockRecord &lock) { return {.node = lock.id.node, .db = lock.id.db, .expiresAt = lock.expiresAt, .staleSince = lock.staleSince}; }

} // namespace lockhouse
