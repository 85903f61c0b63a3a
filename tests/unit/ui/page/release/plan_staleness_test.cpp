// SPDX-License-Identifier: Apache-2.0
#include "ui/page/release/plan_staleness.h"

#include "tests/unit/ui/locks.h"

#include <gtest/gtest.h>

namespace lockhouse::ui::tests {
namespace {

using namespace std::chrono_literals;

const std::string token = "3f786850e387550fdab836ed7e6dc881", other = "89e6c98d92887913cadf06b2adb97f26";
const SteadyTime start{100s};

/// A Redlock on the masters a, b and c, and the plan for what b has of it.
class ChangeSince : public ::testing::Test {
protected:
  static LockRecord redlock() {
    LockRecord lock = Locks::record("lock:a", {token});
    lock.family = "token";
    lock.type = ValueType::String;
    lock.kind = LockKind::Mutex;
    lock.masters = 3;
    lock.seenAt = lock.heldSince = start;
    lock.expiresAt = start + 60s;
    for (const char *node : {"a", "b", "c"})
      lock.members.push_back({.node = NodeId(node), .db = 0, .expiresAt = lock.expiresAt, .staleSince = {}});
    return lock;
  }
  static ReleasePlan plan(const std::string &node = "b") {
    ReleasePlan plan;
    plan.lock = Locks::id("lock:a", node);
    plan.expectHolder = token;
    plan.expectCount = 1;
    return plan;
  }
  /// What has become of it, when the snapshot has this row.
  static std::optional<PlanStaleness> since(LockRecord now, const ReleasePlan &plan = ChangeSince::plan(), LockRecord seen = redlock()) {
    LockRecord read = Locks::record("lock:a", {token}, plan.lock.node.bytes());
    read.seenAt = start + 1s; // after the row was: it is as old as the oldest of its members
    LockSnapshot snapshot = Locks::snapshot({Locks::node("a"), Locks::node("b"), Locks::node("c")}, {Locks::share(std::move(now))});
    snapshot.at = start + 5s;
    return changeSince(plan, Locks::share(read), Locks::share(std::move(seen)), false, snapshot);
  }
};

TEST(NewsSince, tellWhatGoesOnWithTheSameHold) {
  LockRecord read = Locks::record("lock:a", {token});
  read.seenAt = start;
  read.expiresAt = start + 30s;
  read.waiters = 2;
  LockRecord now = read;
  EXPECT_EQ(newsSince(read, now), NewsSincePlan());
  now.renewedAt = start - 1s;
  EXPECT_FALSE(newsSince(read, now).renewed) << "that was known to the plan";
  now.renewedAt = start + 10s;
  EXPECT_FALSE(newsSince(read, now).renewed) << "its lease is what it was";
  now.expiresAt = start + 40s;
  now.waiters = 3;
  EXPECT_EQ(newsSince(read, now), (NewsSincePlan{.renewed = start + 10s, .isShortened = false, .waiters = 3}));
  now = read;
  now.expiresAt = start + 10s;
  now.isShortened = true;
  EXPECT_EQ(newsSince(read, now), (NewsSincePlan{.renewed = {}, .isShortened = true, .waiters = {}}));
}

TEST_F(ChangeSince, ofAMemberThatIsAsItWasSeenIsNothing) { EXPECT_FALSE(since(redlock())); }

TEST_F(ChangeSince, ofAMemberIsToldThoughMostMastersStillHaveTheHolder) {
  auto now = redlock();
  std::swap(now.members[1], now.members[2]); // what others have is last
  now.members[2].own = Holder{other};
  const auto change = since(now);
  ASSERT_TRUE(change);
  EXPECT_EQ(change->verdict, Verdict::Changed);
  EXPECT_EQ(change->detail.english(), "changed: this holder no longer holds it");
  EXPECT_EQ(change->now->holders, std::vector{Holder{other}}) << "whoever most of the others have";
  EXPECT_FALSE(since(now, plan("a"))) << "there it is as it was";
  const auto several = Locks::share(Locks::record("lock:a", {other, token + "2"}, "b"));
  now.members[2].there = several;
  EXPECT_EQ(since(now)->now, several);
}

TEST_F(ChangeSince, ofAMemberIsToldOfItsOwnCount) {
  auto now = redlock();
  now.members[1].own = Holder{token, 2};
  const auto change = since(now);
  ASSERT_TRUE(change);
  EXPECT_EQ(change->detail.english(), "changed: the same holder's count is 2 now");
  EXPECT_EQ(change->now->holders, (std::vector{Holder{token, 2}}));
}

TEST_F(ChangeSince, ofAMemberThatIsGoneIsThatItIsFree) {
  auto now = redlock();
  now.members.erase(now.members.begin() + 1);
  const auto change = since(now);
  ASSERT_TRUE(change);
  EXPECT_EQ(change->verdict, Verdict::AlreadyFree);
}

TEST_F(ChangeSince, ofALockWhosePlaceOtherDataTookIsThatItIsNone) {
  auto now = Locks::record("lock:a", {"{\"json\":1}"}, "b");
  now.confidence = 0.4;
  now.seenAt = start + 3s;
  const auto change = since(now, plan(), Locks::record("lock:a", {token}, "b"));
  ASSERT_TRUE(change);
  EXPECT_EQ(change->verdict, Verdict::NotALock);
  EXPECT_FALSE(change->now) << "that is no holder";
}

TEST_F(ChangeSince, ofAHoldThatFellOutOfWhatIsReadIsNothing) {
  auto now = Locks::record("lock:a", {other}, "b");
  now.seenAt = start + 3s;
  now.unread = 5;
  EXPECT_FALSE(since(now, plan(), Locks::record("lock:a", {token}, "b"))) << "it may be among the five";
  now.unread = 0;
  EXPECT_TRUE(since(now, plan(), Locks::record("lock:a", {token}, "b")));
}

TEST_F(ChangeSince, ofAHoldThatLooksTheSameAndBeganLaterIsThatItWasAcquiredAgain) {
  auto now = Locks::record("lock:a", {token}, "b");
  now.seenAt = now.heldSince = start + 3s;
  now.heldSinceExact = true;
  auto seen = Locks::record("lock:a", {token}, "b");
  seen.seenAt = start;
  const auto change = since(now, plan(), seen);
  ASSERT_TRUE(change);
  EXPECT_TRUE(change->isAcquiredAgain);
  now.holders.front().count = 2;
  ASSERT_TRUE(since(now, plan(), seen));
  EXPECT_FALSE(since(now, plan(), seen)->isAcquiredAgain);
}

TEST_F(ChangeSince, ofAMemberThatWasAnotherWhenItWasSeenIsKnownToThePlan) {
  auto before = redlock();
  before.members[1].own = Holder{token, 2};
  EXPECT_FALSE(since(before, plan(), before)) << "it was read since, with the count that is planned for";
}

TEST_F(ChangeSince, ofAMemberWhoseFeedBrokeIsThatNothingIsKnown) {
  auto now = redlock();
  now.members[1].staleSince = start + 2s;
  const auto change = since(now);
  ASSERT_TRUE(change);
  EXPECT_EQ(change->verdict, Verdict::Unreachable);
  EXPECT_FALSE(since(now, plan("c")));
}

} // namespace
} // namespace lockhouse::ui::tests
