// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/release/make_plan.h"
#include "core/watch/record/queue_positions.h"

#include "tests/unit/watch/records.h"

#include <gtest/gtest.h>

namespace lockhouse::test {

inline ReleaseIntent intent(const LockRecord &lock, std::string holder, std::optional<std::int64_t> count = {}) {
  return {lock.id, std::move(holder), count, "stuck"};
}

inline ReleasePlan planned(const LockRecord &lock, std::string holder, SteadyTime now = at(seconds(0))) {
  const auto plan = planRelease(lock, intent(lock, std::move(holder)), now);
  EXPECT_TRUE(plan) << plan.error().detail.english();
  return plan.value_or(ReleasePlan{});
}

inline Refusal refused(const LockRecord &lock, const ReleaseIntent &wanted) {
  const auto plan = planRelease(lock, wanted, at(seconds(0)));
  EXPECT_FALSE(plan);
  return plan ? Refusal{} : plan.error();
}

inline LockRecord fair(std::vector<Waiter> queue) {
  auto lock = record("redisson-fair", LockKind::Fair, "f", {{owner, 1}});
  lock.queue = std::move(queue);
  lock.waiters = lock.queue.size() - lapsedPlaces(lock, lock.seenAt);
  return lock;
}

inline LockRecord readers(std::vector<Holder> holders) { return record("redisson-rw", LockKind::ReadWrite, "rw", std::move(holders)); }

} // namespace lockhouse::test
