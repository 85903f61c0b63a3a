// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/model/holds_to_release.h"

#include "core/release/holds_of.h"

#include <algorithm>

namespace lockhouse::ui {

std::vector<HoldToRelease> holdsToRelease(std::vector<LockRecordPtr> locks, const std::optional<std::string> &holder, std::optional<milliseconds> shortenTo) {
  std::ranges::stable_sort(locks, {}, [](const LockRecordPtr &lock) { return lock->waiters.value_or(0); });
  std::vector<HoldToRelease> holds;
  for (std::size_t number = 0; number < locks.size(); ++number) {
    const LockRecord &lock = *locks[number];
    std::vector<LockId> places;
    for (const LockMember &member : lock.members)
      places.push_back({member.node, member.db, lock.id.key});
    if (places.empty())
      places.push_back(lock.id);
    for (const Holder &one : holdsOf(lock, holder))
      for (const LockId &place : places)
        holds.push_back({{place, one.id, one.count, {}, shortenTo}, number, locks[number]});
  }
  return holds;
}

} // namespace lockhouse::ui
