// SPDX-License-Identifier: Apache-2.0
#include "core/release/holds_of.h"

#include "core/base/redisson_names.h"

#include <algorithm>

namespace lockhouse {

std::vector<Holder> holdsOf(const LockRecord &lock, const std::optional<std::string> &holder) {
  std::vector<Holder> holds;
  std::ranges::copy_if(lock.holders, std::back_inserter(holds), [&](const Holder &one) { return !holder || redisson::isHoldOf(one.id, *holder); });
  std::ranges::stable_sort(holds, {}, [](const Holder &one) { return one.mode == HoldMode::Write; });
  return holds;
}

} // namespace lockhouse
