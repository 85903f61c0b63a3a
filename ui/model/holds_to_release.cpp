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
    std::vector<LockMember> places = lock.members;
    if (places.empty())
      places.push_back({.node = lock.id.node, .db = lock.id.db, .expiresAt = {}, .staleSince = {}});
    for (const Holder &one : holdsOf(lock, holder))
      for (const LockMember &place : places)
        if (!place.own || place.own->id == one.id)
          holds.push_back({{{place.node, place.db, lock.id.key}, one.id, place.own.value_or(one).count, {}, shortenTo}, number, locks[number]});
    for (std::string &unread : holder ? unreadHoldsOf(lock, *holder) : std::vector<std::string>())
      holds.push_back(
          {{.lock = lock.id, .holder = std::move(unread), .count = {}, .reason = {}, .shortenTo = shortenTo, .isPresumed = true}, number, locks[number]});
  }
  return holds;
}

bool mayBeHeldBy(const LockRecord &lock, const std::string &holder) { return !holdsOf(lock, holder).empty() || !unreadHoldsOf(lock, holder).empty(); }

} // namespace lockhouse::ui
