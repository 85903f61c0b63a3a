// SPDX-License-Identifier: Apache-2.0
#include "core/watch/lock_snapshot.h"

#include <gtest/gtest.h>

namespace lockhouse {
namespace {

const SteadyTime now{seconds(100)};

LockRecord held(std::optional<milliseconds> left, std::optional<milliseconds> lease = {}) {
  LockRecord record;
  record.holders = {{"a", 1, HoldMode::Exclusive}};
  if (left)
    record.expiresAt = now + *left;
  record.lease = lease;
  return record;
}

TEST(LockStateAt, isHeldAndContendedByItsWaiters) {
  auto record = held(seconds(20), seconds(30));
  EXPECT_EQ(stateAt(record, now), LockState::Held);
  record.waiters = 2;
  EXPECT_EQ(stateAt(record, now), LockState::Contended);
  record.holders.clear();
  EXPECT_EQ(stateAt(record, now), LockState::Waiting);
}

TEST(LockStateAt, neverExpiresWithoutALease) { EXPECT_EQ(stateAt(held({}), now), LockState::NeverExpires); }

TEST(LockStateAt, isExpiringInTheLastTenthAndUnderTenSeconds) {
  EXPECT_EQ(stateAt(held(milliseconds(2999), seconds(30)), now), LockState::Expiring);
  EXPECT_EQ(stateAt(held(milliseconds(3000), seconds(30)), now), LockState::Held);
  EXPECT_EQ(stateAt(held(seconds(11), seconds(1000)), now), LockState::Held);
}

TEST(LockStateAt, isSuspectWhenTwoRenewalsFailToCome) {
  auto record = held(seconds(25), seconds(30));
  record.renewalPeriod = seconds(10);
  record.renewedAt = now - seconds(20);
  EXPECT_EQ(stateAt(record, now), LockState::Held);
  record.renewedAt = now - seconds(21);
  EXPECT_EQ(stateAt(record, now), LockState::Suspect);
}

TEST(LockStateAt, isStaleBeforeAllElse) {
  auto record = held({});
  record.staleSince = now;
  EXPECT_EQ(stateAt(record, now), LockState::Stale);
}

TEST(TimeLeft, isNeverBelowZeroAndNothingWithoutALease) {
  EXPECT_EQ(timeLeft(held(seconds(2)), now), seconds(2));
  EXPECT_EQ(timeLeft(held(seconds(-2)), now), milliseconds(0));
  EXPECT_EQ(timeLeft(held({}), now), std::nullopt);
}

TEST(LockSnapshot, findsByIdAndOnlyThat) {
  LockSnapshot snapshot;
  for (const auto *key : {"a", "b", "d"}) {
    LockRecord record;
    record.id = {NodeId("n"), 0, LockName(key)};
    snapshot.locks.push_back(std::make_shared<const LockRecord>(record));
  }
  EXPECT_EQ(snapshot.find({NodeId("n"), 0, LockName("b")}), snapshot.locks[1]);
  EXPECT_EQ(snapshot.find({NodeId("n"), 0, LockName("c")}), nullptr);
  EXPECT_EQ(snapshot.find({NodeId("n"), 1, LockName("b")}), nullptr);
}

} // namespace
} // namespace lockhouse
