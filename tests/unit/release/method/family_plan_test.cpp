// SPDX-License-Identifier: Apache-2.0
// What the plans of some families say besides.
#include "core/watch/record/metadata.h"
#include "tests/unit/release/planned.h"

#include <gmock/gmock.h>

namespace lockhouse {
namespace {

using test::at;
using test::owner;
using test::planned;
using test::record;
using testing::Contains;
using testing::HasSubstr;

TEST(FamilyPlan, saysThatAHandoffLocksHolderMayHaveHandedItToTheNextAlready) {
  const std::string client = std::string(owner).substr(0, std::string_view(owner).rfind(':'));
  auto lock = record("lockhouse-handoff", LockKind::Fair, "desk", {{std::string(owner) + ":1795300010", 1}});
  const auto warnings = [&](const std::string &next) {
    lock.queue = {{next, at(seconds(5))}};
    return englishOf(planned(lock, std::string(owner)).warnings);
  };
  EXPECT_THAT(warnings(client + ":999"), Contains(HasSubstr(":999 is of the holder's own client, which may have handed it the lock already")));
  EXPECT_THAT(warnings("0e9a0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:999"), testing::Not(Contains(HasSubstr("of the holder's own client"))));
}

TEST(FamilyPlan, namesTheWriterWhoKeepsReadersOutOfADistributedLockBehindItsLastReader) {
  auto lock = record("distributedlock-rw", LockKind::ReadWrite, "a.writer", {{"web-1_1_a", 1, HoldMode::Read}, {"web-2_1_b", 1, HoldMode::Read}});
  lock.queue = {{"web-3_1_c", std::nullopt}};
  EXPECT_EQ(planned(lock, "web-1_1_a").next, std::nullopt);
  lock.holders.pop_back();
  EXPECT_EQ(planned(lock, "web-1_1_a").next, "web-3_1_c");
  EXPECT_THAT(planned(lock, "web-1_1_a").wakes, testing::IsEmpty()) << "it looks again by itself";
}

TEST(FamilyPlan, saysThatTheMarkOfAWriterOfSymfonysGoesWithHim) {
  auto lock = record("symfony", LockKind::ReadWrite, "s", {{"token-of-a-writer", 1, HoldMode::Write}});
  lock.type = ValueType::SortedSet;
  EXPECT_THAT(englishOf(textsOf(planned(lock, "token-of-a-writer").effects)), Contains("takes __write__ out of s"));
  lock.holders.front().mode = HoldMode::Read;
  EXPECT_THAT(englishOf(textsOf(planned(lock, "token-of-a-writer").effects)), testing::Not(Contains(HasSubstr("__write__"))));
}

TEST(FamilyPlan, ofAMarkSaysThatNobodyWaitsForIt) {
  auto mark = record("celery-singleton", LockKind::Mutex, "SINGLETONLOCK_1234567890abcdef1234567890abcdef", {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", 1}});
  mark.type = ValueType::String;
  const std::string nobody = "tells nobody: nobody waits for it, whoever does not get it goes on without it";
  const auto plan = planned(mark, mark.holders.front().id);
  EXPECT_THAT(englishOf(textsOf(plan.effects)), Contains(nobody));
  EXPECT_FALSE(plan.isWaitedFor);
  auto wanted = test::intent(mark, mark.holders.front().id);
  wanted.shortenTo = seconds(5);
  const auto shorter = planRelease(mark, wanted, at(seconds(0)));
  ASSERT_TRUE(shorter) << shorter.error().detail.english();
  EXPECT_THAT(englishOf(textsOf(shorter->effects)), Contains(nobody));
  EXPECT_FALSE(shorter->isWaitedFor);
  EXPECT_TRUE(planned(record("redis-py", LockKind::Mutex, "x", {{"5b1c0a3e6f0d4f1a9c582f4f0e7a1b01", 1}}), "5b1c0a3e6f0d4f1a9c582f4f0e7a1b01").isWaitedFor);
}

TEST(FamilyPlan, ofASymfonySemaphoreTakesNothingOutOfWeightsThatAreMissingOrSomethingElse) {
  auto pool = record("symfony-semaphore", LockKind::Semaphore, "{pool}:time", {{"token", 1}});
  pool.type = ValueType::SortedSet;
  const auto takes = Contains("takes token out of {pool}:weight");
  EXPECT_THAT(englishOf(textsOf(planned(pool, "token").effects)), takes);
  pool.evidence = {companionIsMissing("{pool}:weight")};
  EXPECT_THAT(englishOf(textsOf(planned(pool, "token").effects)), testing::Not(takes));
  pool.evidence.clear();
  pool.foreign = {"{pool}:weight"};
  EXPECT_THAT(englishOf(textsOf(planned(pool, "token").effects)), testing::Not(takes));
}

TEST(FamilyPlan, ofAFairLockCallsNoQueueEmptyThatIsNoList) {
  auto lock = test::fair({});
  EXPECT_THAT(englishOf(textsOf(planned(lock, owner).effects)), Contains("tells nobody: the queue is empty"));
  lock.foreign = {"redisson_lock_queue:{f}"};
  EXPECT_THAT(englishOf(textsOf(planned(lock, owner).effects)), Contains("tells nobody: redisson_lock_queue:{f} is no list, so nobody queues there"));
}

TEST(FamilyPlan, ofADeepReadHoldSaysThatNotAllOfItsTimeoutKeysAreDeleted) {
  const auto cut = Contains(HasSubstr("only the first 1024 of its timeout keys are deleted with it"));
  EXPECT_THAT(englishOf(planned(test::readers({{owner, 1'000'000, HoldMode::Read}}), owner).warnings), cut);
  EXPECT_THAT(englishOf(planned(test::readers({{owner, 1024, HoldMode::Read}}), owner).warnings), testing::Not(cut));
}

TEST(FamilyPlan, wakesWhoIsBlockedOnAListBeforeTheLockGoesAsItsLibraryDoes) {
  const auto wordsFor = [](const char *family, const char *key) {
    auto lock = record(family, LockKind::Mutex, key, {{"Zk9xT2w3dFp1R2hYc0pLbWJ2", 1}});
    lock.type = ValueType::String;
    return englishOf(textsOf(planned(lock, "Zk9xT2w3dFp1R2hYc0pLbWJ2").effects));
  };
  EXPECT_THAT(wordsFor("python-redis-lock", "lock:orders"),
              testing::ElementsAre("empties lock-signal:orders",
                                   "leaves one element in lock-signal:orders for 1.0 s: one waiter that is blocked there takes the lock",
                                   "deletes lock:orders if its value is still Zk9xT2w3dFp1R2hYc0pLbWJ2"));
  EXPECT_THAT(wordsFor("walrus", "lock:orders"),
              testing::ElementsAre("empties lock.event:orders", "leaves one element in lock.event:orders: one waiter that is blocked there takes the lock",
                                   "deletes lock:orders if its value is still Zk9xT2w3dFp1R2hYc0pLbWJ2"));
}

TEST(FamilyPlan, saysOfNobodyThatHeIsNextBehindOneWhoseDeadlineWasNotRead) {
  auto lock = record("lockhouse-handoff", LockKind::Mutex, "desk", {{std::string(test::owner) + ":1795300000000007", 1}});
  lock.type = ValueType::String;
  lock.queue = {{test::other, std::nullopt}, {test::third, test::at(seconds(9))}};
  const auto plan = planned(lock, lock.holders.front().id);
  EXPECT_EQ(plan.next, std::nullopt);
  EXPECT_THAT(englishOf(textsOf(plan.effects)), testing::Contains(testing::HasSubstr("it is not known who that is")));
  lock.waiters = 1; // all were read: without a deadline nobody lives
  EXPECT_EQ(planned(lock, lock.holders.front().id).next, test::third);
}

} // namespace
} // namespace lockhouse
