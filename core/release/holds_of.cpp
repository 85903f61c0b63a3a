// SPDX-License-Identifier: Apache-2.0
#include "core/release/holds_of.h"

#include "core/base/lockhouse_names.h"
#include "core/base/redisson_names.h"

#include <algorithm>

namespace lockhouse {

std::vector<Holder> holdsOf(const LockRecord &lock, const std::optional<std::string> &holder) {
  std::vector<Holder> holds;
  const auto isHis = [&](const Holder &one) {
    return !holder || redisson::isHoldOf(one.id, *holder) || (lock.family == handoff && own::isHandoffOf(one.id, *holder));
  };
  std::ranges::copy_if(lock.holders, std::back_inserter(holds), isHis);
  std::ranges::stable_sort(holds, {}, [](const Holder &one) { return one.mode == HoldMode::Write; });
  return holds;
}

std::vector<std::string> unreadHoldsOf(const LockRecord &lock, const std::string &holder) {
  std::vector<std::string> holds;
  if (lock.unread == 0 || lock.type == ValueType::List || lock.holders.empty())
    return holds;
  holds.push_back(holder);
  if (lock.family == "redisson-rw" && redisson::isOwner(holder))
    holds.push_back(redisson::writerOf(holder));
  std::erase_if(holds, [&](const std::string &hold) { return std::ranges::find(lock.holders, hold, &Holder::id) != lock.holders.end(); });
  return holds;
}

bool mayHideHoldsOf(const LockRecord &lock, const std::string &holder) {
  const bool isThread = redisson::isOwner(holder) && lock.family.starts_with("redisson-") && lock.type == ValueType::Hash;
  return lock.unread > 0 && (lock.type == ValueType::List || isThread);
}

bool GoneBefore::contains(std::string_view holder) const {
  if (!order || holder == own)
    return false;
  const auto found = order->find(holder);
  return found != order->end() && found->second < place;
}

LockRecord without(LockRecord lock, const GoneBefore &gone) {
  std::erase_if(lock.holders, [&](const Holder &one) {
    const bool isGone = gone.contains(one.id);
    if (isGone && one.count == 0 && lock.strays > 0)
      --lock.strays; // an odd count is one of them
    return isGone;
  });
  return lock;
}

} // namespace lockhouse
