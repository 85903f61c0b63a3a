// SPDX-License-Identifier: Apache-2.0
#include "core/watch/node/hold_history.h"

#include "core/watch/detect/family.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace lockhouse {
namespace {

struct HoldHistory : testing::Test {
  SteadyTime now{seconds(100)};
  HoldMemory memory;
  LockRecord record;

  LockRecord read(std::vector<Holder> holders, std::optional<milliseconds> ttl) const {
    LockRecord made;
    made.holders = std::move(holders);
    made.seenAt = now;
    if (ttl)
      made.expiresAt = now + *ttl;
    return made;
  }
  // Of a read that took `jitter` from the send to the answer.
  std::optional<LeaseEnd> end(std::optional<milliseconds> ttl, milliseconds jitter = milliseconds(1)) const {
    return ttl ? std::optional(LeaseEnd{now - jitter + *ttl, now + *ttl}) : std::nullopt;
  }
  void begin(std::optional<milliseconds> ttl) {
    record = read({{"a", 1, HoldMode::Exclusive}}, ttl);
    beginHold(record, memory, end(ttl), true);
  }
  std::optional<ChangeKind> next(std::vector<Holder> holders, std::optional<milliseconds> ttl, milliseconds jitter = milliseconds(1)) {
    auto after = read(std::move(holders), ttl);
    const auto kind = carryOn(record, after, memory, end(ttl, jitter), true);
    record = after;
    return kind;
  }
};

TEST_F(HoldHistory, aLeaseThatRunsDownIsNoChange) {
  begin(seconds(30));
  for (int i = 1; i <= 20; ++i) {
    now += seconds(1);
    EXPECT_EQ(next({{"a", 1, HoldMode::Exclusive}}, seconds(30 - i)), std::nullopt);
  }
  EXPECT_EQ(record.renewals, 0U);
  EXPECT_EQ(record.lease, seconds(30));
}

TEST_F(HoldHistory, aSlowAnswerIsNotTakenForARenewal) {
  begin(seconds(30));
  now += milliseconds(5000); // the answer took four of the five seconds: PTTL was counted at the first
  EXPECT_EQ(next({{"a", 1, HoldMode::Exclusive}}, milliseconds(29'000), milliseconds(4500)), std::nullopt);
}

TEST_F(HoldHistory, anEndByTheServersClockIsComparedByThatClock) {
  const auto at = [this](milliseconds left, milliseconds own) { return LeaseEnd{now + left, now + left, own}; };
  record = read({{"a", 1, HoldMode::Exclusive}}, seconds(30));
  beginHold(record, memory, at(seconds(30), milliseconds(1'700'000'030'000)), true);
  const auto seen = [&](LeaseEnd end) {
    auto after = read({{"a", 1, HoldMode::Exclusive}}, seconds(30));
    const auto kind = carryOn(record, after, memory, end, true);
    record = after;
    return kind;
  };
  EXPECT_EQ(seen(at(milliseconds(30'180), milliseconds(1'700'000'030'000))), std::nullopt) << "INFO was slow to answer";
  EXPECT_EQ(seen(at(milliseconds(29'900), milliseconds(1'700'000'030'000))), std::nullopt);
  auto ofKey = at(milliseconds(30'150), milliseconds(1'700'000'030'000));
  ofKey.earliest -= milliseconds(1);
  EXPECT_EQ(seen(ofKey), std::nullopt) << "the key ends about then too";
  EXPECT_EQ(record.renewals, 0U);
  EXPECT_EQ(seen(at(milliseconds(30'020), milliseconds(1'700'000'030'100))), ChangeKind::Lease) << "however little it is";
  EXPECT_EQ(record.renewals, 1U);
  EXPECT_EQ(seen(at(seconds(2), milliseconds(1'700'000'030'100))), ChangeKind::Shortened) << "the key will be gone long before";
  EXPECT_EQ(record.renewals, 1U);
}

// What was read of a lock, asked for at 100 s and answered 30 ms later.
struct EndOfLease : testing::Test {
  const SteadyTime asked{seconds(100)}, answered = asked + milliseconds(30);
  KeyFacts facts;
  LockRecord record;
  CompanionKey form{.key = *Pattern::parse("{name}.other"), .type = ValueType::Set, .role = Role::Readers, .field = {}, .opening = {}, .wake = {}};
  EndOfLease() {
    facts.seenAt = record.seenAt = answered;
    facts.serverTime = milliseconds(1'700'000'000'000);
    record.type = ValueType::String;
    record.holders = {{"a", 1, HoldMode::Read}};
  }
  void expectEnd(SteadyTime earliest, SteadyTime latest) {
    const auto end = endOfLease(record, facts, asked);
    ASSERT_TRUE(end);
    EXPECT_EQ(end->earliest, earliest);
    EXPECT_EQ(end->latest, latest);
    EXPECT_EQ(record.expiresAt, latest);
  }
};

TEST_F(EndOfLease, ofAKeyWasCountedBetweenTheSendAndTheAnswer) {
  facts.ttl = seconds(10);
  expectEnd(asked + seconds(10), answered + seconds(10));
}

TEST_F(EndOfLease, ofReadersBesideItsKeyIsKnownNoBetterAndNeverThatOfAWriterWhoWaits) {
  facts.ttl = seconds(10);
  facts.companion = {{.form = &form, .value = {}, .members = {{"a"}}, .size = 1, .ttl = seconds(60)}};
  record.expiresAt = answered + seconds(60);
  expectEnd(asked + seconds(60), answered + seconds(60));
  EXPECT_FALSE(endOfLease(record, facts, asked)->own);
  record.expiresAt.reset();
  EXPECT_FALSE(endOfLease(record, facts, asked)) << "theirs does not end";
  EXPECT_FALSE(record.expiresAt);
  record.holders = {{"b", 1, HoldMode::Write}};
  expectEnd(asked + seconds(10), answered + seconds(10));
}

TEST_F(EndOfLease, ofSeveralKeysIsNotThatOfTheOneOfTheRow) {
  form.role = Role::Vote;
  facts.ttl = seconds(2);
  record.neededVotes = record.votes = 2;
  record.expiresAt = answered + seconds(5);
  expectEnd(asked + seconds(5), answered + seconds(5));
}

TEST_F(EndOfLease, thatItsBytesTellIsExactUnlessItsKeyEndsBefore) {
  record.type = ValueType::SortedSet;
  record.expiresAt = answered + seconds(5);
  record.holders.front().expiresAt = answered + seconds(5);
  facts.ttl = seconds(8);
  expectEnd(answered + seconds(5), answered + seconds(5));
  EXPECT_EQ(endOfLease(record, facts, asked)->own, milliseconds(1'700'000'005'000));
  facts.ttl = seconds(3);
  expectEnd(asked + seconds(3), answered + seconds(3));
  EXPECT_EQ(record.holders.front().expiresAt, answered + seconds(3));
  record.holders.clear();
  EXPECT_FALSE(endOfLease(record, facts, asked));
}

TEST_F(HoldHistory, aLongerTimeToLiveIsARenewal) {
  begin(seconds(30));
  now += seconds(10);
  EXPECT_EQ(next({{"a", 1, HoldMode::Exclusive}}, seconds(30)), ChangeKind::Lease);
  EXPECT_EQ(record.renewals, 1U);
  EXPECT_FALSE(record.renewalPeriod);
  now += seconds(10);
  EXPECT_EQ(next({{"a", 1, HoldMode::Exclusive}}, seconds(30)), ChangeKind::Lease);
  EXPECT_EQ(record.renewalPeriod, seconds(10));
  EXPECT_TRUE(record.heldSinceExact);
  EXPECT_EQ(record.heldSince, SteadyTime(seconds(100)));
}

TEST_F(HoldHistory, severalHoldersTellNoPeriodOfTheirRenewals) {
  const std::vector<Holder> both{{"a", 1, HoldMode::Read}, {"b", 1, HoldMode::Read}};
  record = read(both, seconds(30));
  beginHold(record, memory, end(seconds(30)), true);
  for (int i = 0; i < 4; ++i) { // each every 10 s, one a second after the other
    now += i % 2 == 0 ? seconds(1) : seconds(9);
    EXPECT_EQ(next(both, seconds(30)), ChangeKind::Lease);
    EXPECT_FALSE(record.renewalPeriod);
  }
  EXPECT_EQ(record.renewals, 4U);
  EXPECT_EQ(record.renewedAt, now);
  now += seconds(5);
  EXPECT_EQ(stateAt(record, now), LockState::Held);
}

TEST_F(HoldHistory, aPeriodIsToldAnewWhereHoldersComeAndGo) {
  begin(seconds(30));
  const std::vector<Holder> one{{"a", 1, HoldMode::Exclusive}}, both{{"a", 1, HoldMode::Exclusive}, {"b", 1, HoldMode::Exclusive}};
  for (int i = 0; i < 2; ++i) {
    now += seconds(10);
    next(one, seconds(30));
  }
  EXPECT_EQ(record.renewalPeriod, seconds(10));
  now += seconds(8);
  EXPECT_EQ(next(both, seconds(30)), ChangeKind::Holder);
  EXPECT_FALSE(record.renewalPeriod);
  now += seconds(2);
  next(both, seconds(30));
  now += seconds(7);
  EXPECT_EQ(next(one, seconds(30)), ChangeKind::Holder);
  now += seconds(3);
  EXPECT_EQ(next(one, seconds(31)), ChangeKind::Lease);
  EXPECT_FALSE(record.renewalPeriod) << "the last before may have been the other's";
  now += seconds(10);
  EXPECT_EQ(next(one, seconds(31)), ChangeKind::Lease);
  EXPECT_EQ(record.renewalPeriod, seconds(10));
}

TEST_F(HoldHistory, aLeaseThatIsCutIsAChangeButNoRenewal) {
  begin(seconds(30));
  EXPECT_EQ(next({{"a", 1, HoldMode::Exclusive}}, seconds(5)), ChangeKind::Shortened);
  EXPECT_EQ(record.renewals, 0U);
  EXPECT_EQ(record.lease, seconds(30));
  EXPECT_EQ(next({{"a", 1, HoldMode::Exclusive}}, std::nullopt), ChangeKind::Lease) << "it was taken away";
  EXPECT_EQ(record.expiresAt, std::nullopt);
}

TEST_F(HoldHistory, aLeaseStaysCutUntilItIsRenewed) {
  begin(seconds(30));
  next({{"a", 1, HoldMode::Exclusive}}, seconds(10));
  EXPECT_TRUE(record.isShortened);
  now += seconds(1);
  EXPECT_EQ(next({{"a", 1, HoldMode::Exclusive}}, seconds(9)), std::nullopt);
  EXPECT_TRUE(record.isShortened);
  now += seconds(1);
  EXPECT_EQ(next({{"a", 1, HoldMode::Exclusive}}, seconds(30)), ChangeKind::Lease);
  EXPECT_FALSE(record.isShortened);
  EXPECT_EQ(record.renewals, 1U);
  next({{"a", 1, HoldMode::Exclusive}}, seconds(10));
  EXPECT_EQ(next({{"b", 1, HoldMode::Exclusive}}, seconds(10)), ChangeKind::Holder);
  EXPECT_FALSE(record.isShortened) << "a hold of its own";
}

TEST_F(HoldHistory, theMostSignificantChangeIsTold) {
  begin(seconds(30));
  EXPECT_EQ(next({{"a", 2, HoldMode::Exclusive}}, seconds(60)), ChangeKind::Count);
  EXPECT_EQ(record.renewals, 0U) << "a re-entry, not a renewal";
  EXPECT_EQ(next({{"b", 1, HoldMode::Exclusive}}, seconds(90)), ChangeKind::Holder);
}

TEST_F(HoldHistory, aNewHolderBeginsANewHold) {
  begin(seconds(30));
  now += seconds(10);
  next({{"a", 1, HoldMode::Exclusive}}, seconds(30));
  now += seconds(1);
  EXPECT_EQ(next({{"b", 1, HoldMode::Exclusive}}, seconds(8)), ChangeKind::Holder);
  EXPECT_EQ(record.heldSince, now);
  EXPECT_EQ(record.renewals, 0U);
  EXPECT_EQ(record.lease, seconds(8));
}

TEST_F(HoldHistory, readersComeAndGoWithinOneHold) {
  begin(seconds(30));
  const auto since = record.heldSince;
  now += seconds(1);
  EXPECT_EQ(next({{"a", 1, HoldMode::Read}, {"b", 1, HoldMode::Read}}, seconds(30)), ChangeKind::Holder);
  EXPECT_EQ(record.heldSince, since);
}

TEST_F(HoldHistory, theOrderOfHoldersDoesNotMatter) {
  record = read({{"a", 1, HoldMode::Read}, {"b", 2, HoldMode::Read}}, seconds(30));
  beginHold(record, memory, end(seconds(30)), true);
  EXPECT_EQ(next({{"b", 2, HoldMode::Read}, {"a", 1, HoldMode::Read}}, seconds(30)), std::nullopt);
}

TEST_F(HoldHistory, manyHoldersAreTheSameInWhicheverOrder) {
  std::vector<Holder> many;
  for (int i = 0; i < 1000; ++i)
    many.push_back({"permit-" + std::to_string(i % 900)});
  record = read(many, seconds(30));
  beginHold(record, memory, end(seconds(30)), true);
  std::ranges::reverse(many);
  EXPECT_EQ(next(many, seconds(30)), std::nullopt);
  many[7].count = 2;
  EXPECT_EQ(next(many, seconds(30)), ChangeKind::Count);
  std::ranges::rotate(many, many.begin() + 500);
  EXPECT_EQ(next(many, seconds(30)), std::nullopt);
  many[8].id = many[9].id;
  EXPECT_EQ(next(many, seconds(30)), ChangeKind::Holder) << "one who is there twice is no other";
  EXPECT_EQ(next({{"another"}}, seconds(30)), ChangeKind::Holder);
}

TEST_F(HoldHistory, beginsAnewWhereTheFenceTellsThatItWasTakenAgain) {
  for (const bool isOurs : {true, false}) {
    now = SteadyTime(seconds(100));
    begin(seconds(30));
    record.fence = Fence{7};
    const auto family = isOurs ? "lockhouse-handoff" : "redisson-lock";
    const auto read2 = [&](std::uint64_t fence) {
      now += seconds(10);
      auto after = read({{"a", 1, HoldMode::Exclusive}}, seconds(30));
      after.fence = Fence{fence};
      after.family = family;
      const auto kind = carryOn(record, after, memory, end(seconds(30)), true);
      record = after;
      return kind;
    };
    EXPECT_EQ(read2(7), ChangeKind::Lease);
    EXPECT_EQ(record.renewals, 1U);
    EXPECT_EQ(read2(8), isOurs ? ChangeKind::Holder : ChangeKind::Lease);
    EXPECT_EQ(record.heldSince, isOurs ? now : SteadyTime(seconds(100))) << "Redisson's may have gone deeper and come back";
    EXPECT_EQ(record.renewals, isOurs ? 0U : 2U);
  }
}

} // namespace
} // namespace lockhouse
