// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/model/tables/holds_to_release.h"

#include "core/release/plan/hold_selection.h"

#include <algorithm>

namespace lockhouse::ui {

std::vector<HoldToRelease> holdsToRelease(std::vector<LockRecordPtr> locks, const std::optional<std::string> &holder, std::optional<milliseconds> shortenTo,
                                          const MeansHold &isMeant) {
  std::ranges::stable_sort(locks, {}, [](const LockRecordPtr &lock) { return lock->waiters.value_or(0); });
  std::vector<HoldToRelease> holds;
  for (std::size_t number = 0; number < locks.size(); ++number) {
    const LockRecord &lock = *locks[number];
    const bool isVouchedFor = lock.isDoubtful(); // shown only where somebody asked for such rows
    for (const PlacedHold &hold : placedHoldsOf(lock, holder))
      if (!isMeant || isMeant(lock, hold.holder))
        holds.push_back({{hold.lock, hold.holder.id, hold.holder.count, {}, shortenTo, 0, false, isVouchedFor}, number, locks[number]});
    for (std::string &unread : holder ? unreadHoldsOf(lock, *holder) : std::vector<std::string>())
      holds.push_back(
          {{.lock = lock.id, .holder = std::move(unread), .count = {}, .reason = {}, .shortenTo = shortenTo, .isPresumed = true}, number, locks[number]});
  }
  return holds;
}

bool mayBeHeldBy(const LockRecord &lock, const std::string &holder) { return !placedHoldsOf(lock, holder).empty() || !unreadHoldsOf(lock, holder).empty(); }

} // namespace lockhouse::ui
