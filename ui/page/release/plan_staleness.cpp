// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/release/plan_staleness.h"

#include "core/release/plan/hold_selection.h"
#include "core/release/result/script_result.h"
#include "ui/model/tables/release_table_model.h"

#include <algorithm>

namespace lockhouse::ui {

namespace {

const LockMember *memberAt(const LockRecord &row, const LockId &lock) {
  const auto member = std::ranges::find_if(row.members, [&](const LockMember &one) { return one.node == lock.node && one.db == lock.db; });
  return member == row.members.end() ? nullptr : &*member;
}

// As the master of `lock` has it, whatever most of the others have. Null: it has none of this holder.
const Holder *holdOn(const LockRecord &row, const LockId &lock, const std::string &holder) {
  const LockMember *member = memberAt(row, lock);
  const auto holders = member ? holdersThere(row, *member) : std::span<const Holder>(row.holders);
  const auto hold = std::ranges::find(holders, holder, &Holder::id);
  return hold == holders.end() ? nullptr : &*hold;
}

// What the master of `lock` has of `row`, whatever most of the others have.
LockRecordPtr asThere(const LockRecordPtr &row, const LockId &lock) {
  const LockMember *member = memberAt(*row, lock);
  if (!member || member->there)
    return member ? member->there : row;
  auto there = std::make_shared<LockRecord>(*row);
  const auto holders = holdersThere(*row, *member);
  there->id = lock;
  there->holders.assign(holders.begin(), holders.end());
  there->expiresAt = member->expiresAt;
  there->members.clear();
  there->masters = there->unfollowed = there->sharedOn = 0;
  return there;
}

// Whether what `now` shows of the hold may be older than the plan. Of a lock on several masters no row tells when each was read; but what
// is another there than the operator saw, who saw it as it is planned for, came after that.
bool mayBeOlder(const ReleasePlan &plan, const LockRecord &now, const LockRecordPtr &seen, SteadyTime planned) {
  if (!memberAt(now, plan.lock))
    return now.seenAt < planned;
  const Holder *hold = seen ? holdOn(*seen, plan.lock, plan.expectHolder) : nullptr;
  return !hold || hold->count != plan.expectCount;
}

} // namespace

NewsSincePlan newsSince(const LockRecord &read, const LockRecord &now) {
  constexpr milliseconds grain(50); // of one end as it is read twice
  NewsSincePlan news;
  if (read.expiresAt && now.expiresAt && *now.expiresAt > *read.expiresAt + grain && now.renewedAt && *now.renewedAt > read.seenAt)
    news.renewed = now.renewedAt;
  news.isShortened = now.isShortened && now.expiresAt && (!read.expiresAt || *now.expiresAt + grain < *read.expiresAt);
  if (read.waiters && now.waiters && *read.waiters != *now.waiters)
    news.waiters = now.waiters;
  return news;
}

std::optional<SteadyTime> unfollowedSince(const LockSnapshot &snapshot, const LockId &lock) {
  const auto node = std::ranges::find_if(snapshot.nodes, [&](const NodeStatus &one) { return one.id == lock.node && one.db == lock.db; });
  if (node != snapshot.nodes.end() && (node->state == NodeState::Stale || node->state == NodeState::Down))
    return node->staleSince.value_or(snapshot.at);
  const LockRecordPtr row = snapshot.find(lock);
  if (!row)
    return {};
  const LockMember *member = memberAt(*row, lock);
  return member ? member->staleSince : row->staleSince;
}

std::optional<PlanStaleness> changeSince(const ReleasePlan &plan, const LockRecordPtr &read, const LockRecordPtr &seen, bool isOver,
                                         const LockSnapshot &snapshot) {
  const SteadyTime planned = read ? read->seenAt : SteadyTime{}; // what was seen before that is known to the plan
  if (const auto lost = isOver ? std::nullopt : unfollowedSince(snapshot, plan.lock)) {
    if (*lost <= planned)
      return {};
    return PlanStaleness{Verdict::Unreachable, nodeNotFollowed, read};
  }
  const LockRecordPtr now = snapshot.find(plan.lock);
  if (!now)
    return snapshot.at < planned ? std::nullopt
                                 : std::optional(PlanStaleness{
                                       Verdict::AlreadyFree, LH_MESSAGE("PlanWords", "already free: the key is gone, or holds something else now"), {}, true});
  if (now->isDoubtful() && !(seen && seen->isDoubtful()) && !isOver && now->seenAt >= planned)
    return PlanStaleness{Verdict::NotALock, LH_MESSAGE("PlanWords", "the key holds something else now, which looks like data, not like a lock"), {}, true};
  const Holder *hold = holdOn(*now, plan.lock, plan.expectHolder);
  const bool isThere = hold != nullptr;
  if (isThere && hold->count == plan.expectCount) {
    if (isOver || (now->heldSinceExact && now->heldSince > seen->seenAt))
      return PlanStaleness{Verdict::Changed, acquiredAgain({}), asThere(now, plan.lock), true, true};
    return {};
  }
  if (!isOver && (mayBeOlder(plan, *now, seen, planned) || (!isThere && now->unread > 0))) // what is not among those that were read may still be there
    return {};
  if (isThere)
    return PlanStaleness{Verdict::Changed, countChanged(hold->count), asThere(now, plan.lock), isOver};
  return PlanStaleness{Verdict::Changed, holdsNoLonger, asThere(now, plan.lock), true};
}

} // namespace lockhouse::ui
