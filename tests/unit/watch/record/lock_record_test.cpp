// SPDX-License-Identifier: Apache-2.0
#include "core/watch/record/lock_change.h"
#include "core/watch/record/lock_snapshot.h"

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

TEST(LockStateAt, isSuspectWhereItsOwnBytesNameAnEndThatIsPast) {
  for (const auto left : {std::optional<milliseconds>(seconds(-60)), std::optional<milliseconds>()}) {
    auto record = held(left);
    record.isOver = true;
    EXPECT_EQ(stateAt(record, now), LockState::Suspect);
    EXPECT_EQ(timeLeft(record, now), milliseconds(0));
  }
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

TEST(ChangeAsShown, isOfRowsThatAreSurelyEnoughLocks) {
  const auto record = [](double confidence) {
    LockRecord made;
    made.confidence = confidence;
    return std::make_shared<const LockRecord>(made);
  };
  const auto sure = record(0.9), unsure = record(0.4);
  const auto shown = [](ChangeKind kind, LockRecordPtr before, LockRecordPtr after) {
    LockChange change;
    change.kind = kind;
    change.before = std::move(before);
    change.after = std::move(after);
    return asShown(change);
  };
  EXPECT_EQ(shown(ChangeKind::Count, sure, sure)->kind, ChangeKind::Count);
  EXPECT_FALSE(shown(ChangeKind::Appeared, nullptr, unsure));
  EXPECT_FALSE(shown(ChangeKind::Holder, unsure, unsure));
  const auto came = shown(ChangeKind::Lease, unsure, sure);
  EXPECT_EQ(came->kind, ChangeKind::Appeared);
  EXPECT_EQ(came->before, nullptr);
  const auto gone = shown(ChangeKind::Holder, sure, unsure);
  EXPECT_EQ(gone->kind, ChangeKind::Vanished);
  EXPECT_EQ(gone->cause, ChangeCause::Replaced);
  EXPECT_EQ(gone->after, nullptr);
  EXPECT_EQ(shown(ChangeKind::Lease, sure, unsure)->cause, std::nullopt);
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
