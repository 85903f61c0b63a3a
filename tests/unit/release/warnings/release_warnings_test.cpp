// SPDX-License-Identifier: Apache-2.0
#include "core/release/warnings/release_warnings.h"

#include "tests/unit/release/planned.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <limits>

namespace lockhouse {
namespace {

using test::at;
using test::fair;
using test::other;
using test::owner;
using test::planned;
using test::readers;
using test::record;
using test::third;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

TEST(ReleaseRisks, saysOfOneHolderWithAnEndOfHisOwnNothingThatIsAnothers) {
  auto pool = record("distributedlock-semaphore", LockKind::Semaphore, "pool", {{"web-1_1_a", 1}, {"web-2_1_b", 1}});
  pool.type = ValueType::SortedSet;
  pool.renewedAt = at(seconds(-2));
  pool.renewals = 4;
  EXPECT_EQ(englishOf(planned(pool, "web-1_1_a").warnings).front(),
            "the last of its leases still runs for 10.0 s; that of this holder may end sooner, and it may still be working");
  pool.expiresAt.reset();
  EXPECT_THAT(englishOf(planned(pool, "web-1_1_a").warnings).front(), HasSubstr("not all of its holds have an end"));
  pool.holders.pop_back();
  EXPECT_THAT(englishOf(planned(pool, "web-1_1_a").warnings).front(), HasSubstr("never expires")) << "what is the lock's is his";
}

TEST(ReleaseRisks, saysOfOurOwnQueuesNothingThatHoldsOfRedissonsAlone) {
  auto queued = record("lockhouse-zset-fair", LockKind::Fair, "k", {{owner, 1}});
  queued.type = ValueType::String;
  queued.queue = {{other, at(seconds(9))}};
  queued.waiters = 1;
  EXPECT_THAT(englishOf(planned(queued, owner).warnings), Not(Contains(HasSubstr("head of the queue"))));
  auto shared = record("lockhouse-rw", LockKind::ReadWrite, "k", {{"r/a:1", 1, HoldMode::Read}, {"r/b:1", 1, HoldMode::Read}});
  shared.type = ValueType::SortedSet;
  EXPECT_THAT(englishOf(planned(shared, "r/a:1").warnings), Not(Contains(HasSubstr("goes on waiting"))));
}

TEST(ReleaseRisks, tellsTheLeaseOfOneAmongOthersWhereItIsKnown) {
  auto rw = readers({{owner, 1, HoldMode::Read}, {other, 1, HoldMode::Read}, {third, 1, HoldMode::Read}});
  rw.expiresAt = at(seconds(29));
  rw.renewedAt = at(seconds(-1));
  rw.holders[0].expiresAt = at(seconds(29));
  rw.holders[1].expiresAt = at(seconds(0));
  EXPECT_EQ(englishOf(planned(rw, owner).warnings).front(), "the lease of this holder still runs for 29.0 s: it may still be working");
  EXPECT_EQ(englishOf(planned(rw, other).warnings).front(),
            "the lease of this holder is over, and the lock lasts for the others: it renews no more, yet may still be working");
  EXPECT_THAT(englishOf(planned(rw, third).warnings).front(), HasSubstr("the lease still runs for 29.0 s")) << "who renewed it is not known";
  auto pool = record("distributedlock-semaphore", LockKind::Semaphore, "pool", {{"web-1_1_a", 1}, {"web-2_1_b", 1}});
  pool.type = ValueType::SortedSet;
  pool.expiresAt = at(seconds(3600));
  pool.holders[0].expiresAt = at(seconds(20));
  EXPECT_THAT(englishOf(planned(pool, "web-1_1_a").warnings).front(), HasSubstr("this holder still runs for 20.0 s"));
}

TEST(ReleaseRisks, infersFromTheUsualLeaseOfItsLibrarySinceWhenItRuns) {
  auto lock = record("redisson-lock", LockKind::Reentrant, "stock", {{owner, 1}});
  const auto said = [&] { return englishOf(planned(lock, owner).warnings).front(); };
  EXPECT_THAT(said(), AllOf(HasSubstr("if its lease is the usual 30.0 s"), HasSubstr("last taken or renewed 20.0 s ago and is overdue")));
  lock.expiresAt = at(seconds(0)) + milliseconds(28'500);
  EXPECT_THAT(said(), AllOf(HasSubstr("taken or renewed 1.5 s ago"), HasSubstr("looks alive")));
  lock.expiresAt = at(seconds(30)) + milliseconds(3);
  EXPECT_THAT(said(), HasSubstr("taken or renewed 0 ms ago")) << "a grain more is the same lease";
  lock.expiresAt = at(seconds(45));
  EXPECT_THAT(said(), HasSubstr("still runs for 45.0 s")) << "longer than the usual one";
  lock.expiresAt.reset();
  EXPECT_THAT(said(), HasSubstr("never expires"));
  auto rw = readers({{owner, 1, HoldMode::Read}, {other, 1, HoldMode::Read}});
  rw.expiresAt = at(seconds(28));
  EXPECT_THAT(englishOf(planned(rw, owner).warnings).front(), HasSubstr("still runs for 28.0 s")) << "another may have renewed it";
  rw.holders.pop_back();
  EXPECT_THAT(englishOf(planned(rw, owner).warnings).front(), HasSubstr("looks alive"));
  lock = record("token", LockKind::Mutex, "lock:a", {{"3f786850e387550fdab836ed7e6dc881", 1}});
  EXPECT_THAT(englishOf(planned(lock, "3f786850e387550fdab836ed7e6dc881").warnings).front(), HasSubstr("still runs")) << "of no library's own";
}

TEST(ReleaseRisks, infersItOfTheOtherLocksOfDistributedLockToo) {
  auto pool = record("distributedlock-semaphore", LockKind::Semaphore, "pool", {{"web-1_1_a", 1}});
  pool.type = ValueType::SortedSet;
  auto writer = record("distributedlock-rw", LockKind::ReadWrite, "n.writer", {{"web-1_1_a", 1, HoldMode::Write}});
  for (auto *lock : {&pool, &writer}) {
    lock->expiresAt = at(seconds(28));
    EXPECT_THAT(englishOf(planned(*lock, "web-1_1_a").warnings).front(), AllOf(HasSubstr("taken or renewed 2.0 s ago"), HasSubstr("looks alive")))
        << lock->family;
  }
}

TEST(ReleaseRisks, infersNothingFromALeaseThatWasShortened) {
  auto lock = record("redisson-lock", LockKind::Reentrant, "stock", {{owner, 1}});
  lock.isShortened = true;
  for (const auto left : {milliseconds(28'500), milliseconds(5'000)}) {
    lock.expiresAt = at(seconds(0)) + left;
    EXPECT_THAT(englishOf(planned(lock, owner).warnings).front(), HasSubstr("the lease still runs for"));
  }
  lock.renewedAt = at(seconds(-2));
  EXPECT_THAT(englishOf(planned(lock, owner).warnings).front(), HasSubstr("looks alive: it renewed 2.0 s ago")) << "that was seen";
}

TEST(ReleaseRisks, saysWhatIsKnownOfTheHoldersLife) {
  auto lock = record("redisson-lock", LockKind::Reentrant, "stock", {{owner, 1}});
  lock.lease = seconds(60);
  EXPECT_THAT(englishOf(planned(lock, owner).warnings).front(), HasSubstr("still runs for 10.0 s")) << "it is not the usual one";
  lock.renewedAt = at(seconds(-2));
  lock.renewals = 4;
  lock.renewalPeriod = seconds(10);
  EXPECT_THAT(englishOf(planned(lock, owner).warnings).front(), HasSubstr("looks alive: it renewed 2.0 s ago"));
  lock.renewedAt = at(seconds(-26));
  EXPECT_THAT(englishOf(planned(lock, owner).warnings).front(), HasSubstr("overdue"));
  lock.expiresAt.reset();
  EXPECT_THAT(englishOf(planned(lock, owner).warnings).front(), HasSubstr("never expires"));
}

TEST(ReleaseRisks, alwaysSaysThatTheEvictedHolderIsNotTold) {
  for (const auto &lock : {record("token", LockKind::Mutex, "t", {{owner, 1}}), fair({}), readers({{owner, 1, HoldMode::Read}})})
    EXPECT_THAT(englishOf(planned(lock, owner).warnings), Contains(HasSubstr("the evicted holder is not told")));
}

TEST(ReleaseRisks, ofADeepHoldOfRedissonsSayWhomItsClientLeavesUnrenewed) {
  const auto unrenewed = [](std::string_view holder, int levels, std::string_view lasts) {
    return fmt::format("{} is {} deep: where Redisson's watchdog renews it, other threads of its client, the next owner too, may not be renewed for about {} "
                       "and may lose the lock: end that process first",
                       holder, levels, lasts);
  };
  auto lock = record("redisson-lock", LockKind::Reentrant, "stock", {{owner, 3}});
  EXPECT_THAT(englishOf(planned(lock, owner).warnings), Contains(unrenewed(owner, 3, "30.0 s")));
  lock.holders.front().count = 1;
  EXPECT_THAT(englishOf(planned(lock, owner).warnings), Not(Contains(HasSubstr("deep"))));
  auto queued = fair({});
  queued.holders.front().count = 12;
  EXPECT_THAT(englishOf(planned(queued, owner).warnings), Contains(unrenewed(owner, 12, "2 min")));
  const auto rw = readers({{owner, 2, HoldMode::Read}, {other, 1, HoldMode::Read}});
  EXPECT_THAT(englishOf(planned(rw, owner).warnings), Contains(unrenewed(owner, 2, "20.0 s")));
  EXPECT_THAT(englishOf(planned(rw, other).warnings), Not(Contains(HasSubstr("deep"))));
  lock.holders.front().count = std::numeric_limits<std::int64_t>::max();
  EXPECT_THAT(englishOf(planned(lock, owner).warnings), Contains(HasSubstr("may not be renewed for about 11574 d 1 h")));
  auto byHand = record("handmade-count", LockKind::Reentrant, "stock", {{"web-1", 3}});
  byHand.type = ValueType::Hash;
  EXPECT_THAT(englishOf(planned(byHand, "web-1").warnings), Not(Contains(HasSubstr("watchdog"))));
}

TEST(ReleaseRisks, ofAShorterLeaseSpeaksOfNoEviction) {
  auto lock = record("token", LockKind::Mutex, "lock:a", {{"secret", 1}});
  lock.type = ValueType::String;
  const auto plan = planRelease(lock, {.lock = lock.id, .holder = "secret", .count = {}, .reason = "stuck", .shortenTo = milliseconds(1000)}, at(seconds(0)));
  ASSERT_TRUE(plan) << plan.error().detail.english();
  EXPECT_THAT(englishOf(plan->warnings), Not(Contains(HasSubstr("evicted"))));
  EXPECT_THAT(englishOf(plan->warnings), Not(Contains(HasSubstr("may still be working"))));
}

TEST(ReleaseRisks, ofAShorterLeaseSayWhenItsWaitersLookWhoHearNothing) {
  auto lock = record("spring-integration", LockKind::Mutex, "registry:path", {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", 1}});
  lock.type = ValueType::String;
  auto shorter = test::intent(lock, lock.holders.front().id);
  shorter.shortenTo = seconds(1);
  const auto plan = planRelease(lock, shorter, at(seconds(0)));
  ASSERT_TRUE(plan) << plan.error().detail.english();
  EXPECT_THAT(englishOf(plan->warnings), Contains(HasSubstr("lock() looks again when the registry's expireAfter has passed")));
  EXPECT_THAT(englishOf(textsOf(plan->effects)), Contains("tells nobody: who waits for a message hears none when a lease ends"));
  EXPECT_THAT(englishOf(planned(lock, lock.holders.front().id).warnings), Not(Contains(HasSubstr("expireAfter")))) << "a release tells them";
}

TEST(ReleaseRisks, ofALeaseShorterThanARenewalSaysThatWhoLivesLosesItToo) {
  auto lock = record("redisson-lock", LockKind::Reentrant, "o", {{owner, 1}});
  lock.type = ValueType::Hash;
  const auto warnings = [&](milliseconds to) {
    const auto plan = planRelease(lock, {.lock = lock.id, .holder = owner, .count = {}, .reason = "stuck", .shortenTo = to}, at(seconds(0)));
    return plan ? englishOf(plan->warnings) : std::vector{plan.error().detail.english()};
  };
  EXPECT_THAT(warnings(seconds(2)),
              Contains(HasSubstr("renews it every 10.0 s where its user chose nothing else: a holder that lives comes too late for 2.0 s")));
  EXPECT_THAT(warnings(seconds(15)), Contains(HasSubstr("a holder that renews in time lengthens the lease again")));
}

TEST(ReleaseRisks, ofWhoeverDeletesWhatLiesThereSayWhatItDoesToTheNextOwner) {
  const auto warnings = [](const LockRecord &lock, std::optional<milliseconds> to) {
    const auto plan = planRelease(lock, {.lock = lock.id, .holder = lock.holders.front().id, .count = {}, .reason = "stuck", .shortenTo = to}, at(seconds(0)));
    return plan ? englishOf(plan->warnings) : std::vector{plan.error().detail.english()};
  };
  const auto tells = Contains(HasSubstr("the next owner's lock too"));
  auto ofCache = record("laravel", LockKind::Mutex, "app_cache_import", {{"aB3dE5gH7jK9mN1p", 1}});
  auto ofJob = record("laravel", LockKind::Mutex, "app_cache_laravel_unique_job:Job:7", {{"aB3dE5gH7jK9mN1p", 1}});
  auto ofTask = record("laravel", LockKind::Mutex, "app_framework/schedule-86f7e437faa5a7fce15d1ddcb9eaeaea377667b8", {{"aB3dE5gH7jK9mN1p", 1}});
  auto ofSpring = record("spring-data-cache", LockKind::Mutex, "users~lock", {{"", 1}});
  for (auto *lock : {&ofCache, &ofJob, &ofTask, &ofSpring})
    lock->type = ValueType::String;
  EXPECT_THAT(warnings(ofCache, {}), Not(tells));
  for (const auto *lock : {&ofJob, &ofTask, &ofSpring})
    for (const auto &to : {std::optional<milliseconds>(), std::optional<milliseconds>(300)})
      EXPECT_THAT(warnings(*lock, to), tells) << lock->id.key.bytes();
}

TEST(ReleaseRisks, saysWhereNothingTellsAHoldFromTheNext) {
  constexpr auto again = "nothing tells this hold from the holder's next one", alike = "every owner writes the same there";
  auto thread = record("redisson-lock", LockKind::Reentrant, "stock", {{owner, 1}});
  EXPECT_THAT(englishOf(planned(thread, owner).warnings), Contains(HasSubstr(again)));
  EXPECT_TRUE(planned(thread, owner).isRepeatable);
  thread.fence = Fence{7};
  EXPECT_FALSE(planned(thread, owner).isRepeatable) << "its fence does";
  for (const auto &[family, value] :
       std::vector<std::pair<std::string, std::string>>{{"token", "1"}, {"redis-objects", ""}, {"nextcloud", "\"exclusive\""}, {"spring-data-cache", ""}}) {
    auto mark = record(family, LockKind::Mutex, "lock:job", {{value, 1}});
    mark.type = ValueType::String;
    for (const auto to : {std::optional<milliseconds>(), std::optional<milliseconds>(1000)}) {
      auto wish = test::intent(mark, value);
      wish.shortenTo = to;
      const auto plan = planRelease(mark, wish, at(seconds(0)));
      ASSERT_TRUE(plan) << family;
      EXPECT_THAT(englishOf(plan->warnings), Contains(HasSubstr(alike))) << family;
      EXPECT_TRUE(plan->isRepeatable) << family;
    }
  }
  auto process = record("mlanett-redis-lock", LockKind::Mutex, "lock:owner:a", {{"web-1:4711", 1}});
  process.type = ValueType::String;
  EXPECT_THAT(englishOf(planned(process, "web-1:4711").warnings), Contains(HasSubstr(again)));
  process.extras = {{"until", "2026-11-21T22:26:50.000Z"}};
  EXPECT_FALSE(planned(process, "web-1:4711").isRepeatable) << "its end does";
  EXPECT_EQ(planned(process, "web-1:4711").expectTime, "1795300010");
  auto token = record("token", LockKind::Mutex, "lock:a", {{"3f786850e387550fdab836ed7e6dc881", 1}});
  token.type = ValueType::String;
  EXPECT_FALSE(planned(token, "3f786850e387550fdab836ed7e6dc881").isRepeatable);
  for (const auto &[family, value] : std::vector<std::pair<std::string, std::string>>{
           {"sentry", "3f786850e387550fdab836ed7e6dc881"}, {"hangfire", "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01"}, {"setnx-legacy", "worker-1"}}) {
    auto lock = record(family, LockKind::Mutex, "lock:job", {{value, 1}});
    lock.type = ValueType::String;
    EXPECT_THAT(englishOf(planned(lock, value).warnings), Contains(HasSubstr(again))) << family;
    EXPECT_TRUE(planned(lock, value).isRepeatable) << family;
  }
  auto pid = record("rq-scheduler", LockKind::Mutex, "rq:scheduler-lock:high", {{"31337", 1}});
  pid.type = ValueType::String;
  EXPECT_TRUE(planned(pid, "31337").isRepeatable) << "a number is no time";
  auto since = record("setnx-legacy", LockKind::Mutex, "lock:job", {{"1795271640", 1}});
  since.type = ValueType::String;
  EXPECT_FALSE(planned(since, "1795271640").isRepeatable) << "the next hold has another time";
  auto task = record("huey", LockKind::Mutex, "huey.results.app", {{"app.lock.daily", 1}});
  task.type = ValueType::Hash;
  EXPECT_THAT(englishOf(planned(task, "app.lock.daily").warnings), Contains(HasSubstr(alike)));
}

TEST(ReleaseRisks, saysOfEveryLibraryOfRedlocksThatMostNodesAreNeeded) {
  const std::string uuid = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01";
  const auto risksOf = [&](const char *family, std::vector<std::string> mayBe = {}) {
    auto lock = record(family, LockKind::Mutex, "stock", {{uuid, 1}});
    lock.type = ValueType::String;
    lock.mayBe = std::move(mayBe);
    return englishOf(planned(lock, uuid).warnings);
  };
  for (const auto *family : {"token", "redlock-net", "node-redlock", "redsync", "aioredlock", "distributedlock"})
    EXPECT_THAT(risksOf(family), Contains(Message(severalNodes).english())) << family;
  EXPECT_THAT(risksOf("lock4j", {"aioredlock"}), Contains(Message(severalNodes).english()));
  EXPECT_THAT(risksOf("gitlab"), Not(Contains(Message(severalNodes).english())));
}

TEST(ReleaseRisks, aShorterLeaseSaysWhatAnEvictionDoes) {
  const std::string uuid = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01";
  const auto risksOf = [&](const char *family, std::vector<std::string> mayBe = {}) {
    auto lock = record(family, LockKind::Mutex, "stock", {{uuid, 1}});
    lock.type = ValueType::String;
    lock.mayBe = std::move(mayBe);
    auto wish = test::intent(lock, uuid);
    wish.shortenTo = seconds(5);
    const auto plan = planRelease(lock, wish, at(seconds(0)));
    EXPECT_TRUE(plan) << family;
    return plan ? englishOf(plan->warnings) : std::vector<std::string>();
  };
  EXPECT_THAT(risksOf("redlock-net"),
              AllOf(Contains("its holder's renewal may make the key anew once its lease has ended"), Contains(HasSubstr("its timer brings the key back"))));
  EXPECT_THAT(risksOf("redbeat"), Contains("the active scheduler's next renewal fails and it ends; one of the others takes over"));
  EXPECT_THAT(risksOf("hangfire"), Contains(HasSubstr("moves to Failed")));
  EXPECT_THAT(risksOf("token", {"redsync"}), Contains(HasSubstr("where it is of redsync, its holder may make the key anew once its lease has ended")));
}

} // namespace
} // namespace lockhouse
