// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/change_since_plan.h"

#include <algorithm>

namespace lockhouse::ui {

std::optional<SteadyTime> unfollowedSince(const LockSnapshot &snapshot, const LockId &lock) {
  const auto node = std::ranges::find_if(snapshot.nodes, [&](const NodeStatus &one) { return one.id == lock.node && one.db == lock.db; });
  if (node != snapshot.nodes.end() && (node->state == NodeState::Stale || node->state == NodeState::Down))
    return node->staleSince.value_or(snapshot.at);
  const LockRecordPtr row = snapshot.find(lock);
  if (!row)
    return {};
  const auto member = std::ranges::find_if(row->members, [&](const LockMember &one) { return one.node == lock.node && one.db == lock.db; });
  return member == row->members.end() ? row->staleSince : member->staleSince;
}

std::optional<ChangeSincePlan> changeSince(const ReleasePlan &plan, const LockRecordPtr &read, const LockRecordPtr &seen, bool isOver,
                                           const LockSnapshot &snapshot) {
  const SteadyTime planned = read ? read->seenAt : SteadyTime{}; // what was seen before that is known to the plan
  if (const auto lost = isOver ? std::nullopt : unfollowedSince(snapshot, plan.lock)) {
    if (*lost <= planned)
      return {};
    return ChangeSincePlan{Verdict::Unreachable, "its node is not followed any more: whether it is still held so is not known", read};
  }
  const LockRecordPtr now = snapshot.find(plan.lock);
  if (!now)
    return snapshot.at < planned ? std::nullopt : std::optional(ChangeSincePlan{Verdict::AlreadyFree, "already free: the key is gone", {}, true});
  const auto hold = std::ranges::find(now->holders, plan.expectHolder, &Holder::id);
  const bool isThere = hold != now->holders.end();
  if (isThere && hold->count == plan.expectCount) {
    if (isOver || (now->heldSinceExact && now->heldSince > seen->seenAt))
      return ChangeSincePlan{Verdict::Changed, "changed: acquired again since it was seen", now, true};
    return {};
  }
  if (!isOver && (now->seenAt < planned || (!isThere && now->unread > 0))) // what is not among those that were read may still be there
    return {};
  if (isThere)
    return ChangeSincePlan{Verdict::Changed, "changed: the same holder's count is " + std::to_string(hold->count) + " now", now, isOver};
  return ChangeSincePlan{Verdict::Changed, "changed: this holder no longer holds it", now, true};
}

} // namespace lockhouse::ui
