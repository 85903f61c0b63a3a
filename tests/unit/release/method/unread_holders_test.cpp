// SPDX-License-Identifier: Apache-2.0
// Holders of a lock with so many that not all of them are read.
#include "core/release/method/holder_probe.h"
#include "tests/unit/release/planned.h"

#include <gmock/gmock.h>

namespace lockhouse::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(UnreadHolders, areTakenOutThoughTheyWereNotAmongThoseThatWereRead) {
  auto lock = record("redis-semaphore", LockKind::Semaphore, "semaphore:a", {{owner, 1}, {other, 1}});
  lock.type = ValueType::SortedSet;
  lock.unread = 200;
  const auto plan = planned(lock, third);
  EXPECT_EQ(plan.expectHolder, third);
  EXPECT_THAT(plan.args, Contains(third));
  EXPECT_THAT(englishOf(textsOf(plan.effects)), Contains("at most 201 other holds stay")) << "those that were not read are counted too";
  EXPECT_THAT(englishOf(plan.warnings), Contains(HasSubstr("is not among the entries that were read, and 200 were not")));
  EXPECT_THAT(englishOf(textsOf(planned(lock, owner).effects)), Contains("at most 201 other holds stay"));
  EXPECT_THAT(englishOf(planned(lock, owner).warnings), Not(Contains(HasSubstr("not among the entries"))));
  EXPECT_EQ(planRelease(lock, intent(lock, owner, 7), at(seconds(0)))->expectCount, 7) << "more of his permits may lie there";
  lock.family = "handmade-zset";
  EXPECT_EQ(refused(lock, intent(lock, owner, 7)).detail.english(), "changed: now held by " + std::string(owner) + ", count 1, and at most 201 more");
  auto many = readers({{owner, 1, HoldMode::Read}});
  many.type = ValueType::Hash;
  many.unread = 9;
  EXPECT_THAT(planned(many, third).args, ElementsAre(third, "1", "redisson_rwlock:{rw}", "1", "0", "", ""));
  EXPECT_THAT(englishOf(textsOf(planned(many, third).effects)), Contains(HasSubstr("leaves the lease as it is")));
}

TEST(UnreadHolders, keepALockFromBeingFreeWhereTheyAloneAreLeft) {
  auto many = readers({});
  many.type = ValueType::Hash;
  many.unread = 9;
  EXPECT_EQ(planned(many, third).expectHolder, third);
  EXPECT_THAT(englishOf(textsOf(planned(many, third).effects)), Contains(HasSubstr("8 other holds stay")));
  many.unread = 0;
  EXPECT_EQ(refused(many, intent(many, third)).verdict, Verdict::AlreadyFree);
}

TEST(UnreadHolders, ofAPermitSemaphoreAreFoundByTheDigitsThatRedissonShows) {
  const std::string permit("\x01\x23\x45\x67\x89\xab\xcd\xef\x00\x11\x22\x33\x44\x55\x66\xff", 16), digits = "0123456789abcdef00112233445566ff";
  auto lock = record("redisson-permits", LockKind::Semaphore, "permits", {{std::string(16, '\xfe'), 1}});
  lock.type = ValueType::String;
  lock.extras = {{"free", "0"}};
  lock.unread = 200;
  EXPECT_EQ(planned(lock, digits).expectHolder, permit);
  EXPECT_EQ(planned(lock, "0123456789ABCDEF00112233445566FF").expectHolder, permit);
  EXPECT_EQ(planned(lock, permit).expectHolder, permit);
  EXPECT_EQ(planned(lock, "0123456789abcdef00112233445566f").expectHolder, "0123456789abcdef00112233445566f") << "one digit short";
  lock.holders = {{std::string(32, 'a'), 1}};
  EXPECT_EQ(planned(lock, digits).expectHolder, digits) << "of a library that writes digits";
  lock.family = "redis-semaphore";
  lock.holders = {{std::string(16, '\xfe'), 1}};
  lock.type = ValueType::SortedSet;
  EXPECT_EQ(planned(lock, digits).expectHolder, digits);
}

TEST(UnreadHolders, permitsOfOneHolderAreCountedByTheServerWhereSomeWereRead) {
  auto lock = record("lockhouse-semaphore", LockKind::Semaphore, "desk", {{owner, 3}, {other, 1}});
  lock.type = ValueType::SortedSet;
  lock.scores = ScoreMeaning::Until;
  EXPECT_FALSE(holderProbeOf(planned(lock, owner), lock)) << "all were read";
  lock.unread = 200;
  const auto plan = planned(lock, owner);
  const auto ask = holderProbeOf(plan, lock);
  ASSERT_TRUE(ask);
  EXPECT_EQ(ask->name(), "EVAL");
  EXPECT_EQ((*ask)[4], owner);
  const auto whole = withHolderProbe(Reply(std::int64_t{53}), plan, lock);
  ASSERT_TRUE(whole);
  EXPECT_THAT(whole->holders, Contains(Holder{owner, 53}));
  EXPECT_EQ(whole->unread, 150U);
  auto shorter = intent(lock, owner);
  shorter.shortenTo = seconds(1);
  EXPECT_TRUE(holderProbeOf(*planRelease(lock, shorter, at(seconds(0))), lock));
}

} // namespace
} // namespace lockhouse::test
