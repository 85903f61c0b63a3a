// SPDX-License-Identifier: Apache-2.0
#include "core/release/make_plan.h"

#include "tests/unit/release/planned.h"

#include <gmock/gmock.h>

namespace lockhouse {
namespace {

using test::at;
using test::fair;
using test::intent;
using test::other;
using test::owner;
using test::planned;
using test::readers;
using test::record;
using test::refused;
using test::third;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(PlanRelease, comparesATokenAndDeletesNothingElse) {
  const auto plan = planned(record("token", LockKind::Mutex, "lock:a", {{"secret", 1}}), "secret");
  EXPECT_EQ(plan.script->name, "release-token");
  EXPECT_THAT(plan.keys, ElementsAre("lock:a"));
  EXPECT_THAT(plan.args, ElementsAre("secret", ""));
  EXPECT_EQ(plan.expectHolder, "secret");
  EXPECT_EQ(plan.expectCount, 1);
  EXPECT_THAT(plan.wakes, IsEmpty());
  EXPECT_EQ(plan.next, std::nullopt);
}

TEST(PlanRelease, comparesTheFenceThatTheOperatorSaw) {
  auto lock = record("redisson-lock", LockKind::Reentrant, "stock", {{owner, 1}});
  lock.fence = Fence{2};
  auto wanted = intent(lock, owner);
  wanted.fence = Fence{2};
  EXPECT_TRUE(planRelease(lock, wanted, at(seconds(0))));
  wanted.fence = Fence{1};
  EXPECT_EQ(refused(lock, wanted).verdict, Verdict::Changed);
  EXPECT_EQ(refused(lock, wanted).detail.english(), "changed: acquired again since it was seen");
  wanted.shortenTo = seconds(1);
  EXPECT_EQ(refused(lock, wanted).verdict, Verdict::Changed);
  lock.fence.reset();
  EXPECT_EQ(refused(lock, wanted).detail.english(), "changed: no fence is there to compare with the one that was seen");
}

TEST(PlanRelease, comparesTheTypeThatTheOperatorSaw) {
  auto lock = record("token", LockKind::Mutex, "lock:a", {{"secret", 1}});
  lock.type = ValueType::String;
  auto wanted = intent(lock, "secret");
  wanted.type = ValueType::String;
  EXPECT_TRUE(planRelease(lock, wanted, at(seconds(0))));
  wanted.type = ValueType::Hash;
  EXPECT_EQ(refused(lock, wanted).verdict, Verdict::Changed);
  EXPECT_EQ(refused(lock, wanted).detail.english(), "changed: the key was a hash when it was seen, and is a string now");
}

TEST(PlanRelease, namesAHolderWhoIsTheEmptyString) {
  auto token = record("token", LockKind::Mutex, "lock:a", {{""}});
  token.type = ValueType::String;
  EXPECT_EQ(planned(token, "").effects.front().text.english(), "deletes lock:a if its value is still \"\"");
  auto wish = intent(token, "");
  wish.shortenTo = seconds(1);
  const auto shorter = planRelease(token, wish, at(seconds(0)));
  ASSERT_TRUE(shorter) << shorter.error().detail.english();
  EXPECT_TRUE(shorter->effects.front().text.english().starts_with("lets the hold of \"\" end in")) << shorter->effects.front().text.english();
}

TEST(PlanRelease, namesAKeyThatIsTheEmptyString) {
  const auto first = [](std::string family, LockKind kind, ValueType type, HoldMode mode = HoldMode::Exclusive) {
    auto lock = record(std::move(family), kind, "", {{"", 1, mode}});
    lock.type = type;
    return planned(lock, "").effects.front().text.english();
  };
  EXPECT_EQ(first("token", LockKind::Mutex, ValueType::String), "deletes \"\" if its value is still \"\"");
  EXPECT_EQ(first("redisson-lock", LockKind::Reentrant, ValueType::Hash), "deletes \"\" and with it the hold of \"\"");
  EXPECT_EQ(first("redisson-fair", LockKind::Fair, ValueType::Hash), "deletes \"\" and with it the hold of \"\"");
  EXPECT_EQ(first("redisson-rw", LockKind::ReadWrite, ValueType::Hash, HoldMode::Read), "deletes \"\" and with it the read hold of \"\", and its timeout keys");
  EXPECT_EQ(first("handmade-zset", LockKind::Mutex, ValueType::SortedSet), "takes \"\" out of \"\"");
}

TEST(PlanRelease, takesAHandoffLocksHolderWithTheFenceOrWithout) {
  const std::string value = std::string(owner) + ":1795300010";
  const auto lock = record("lockhouse-handoff", LockKind::Fair, "desk", {{value, 1}});
  for (const auto &spelt : {value, std::string(owner)})
    EXPECT_EQ(planned(lock, spelt).expectHolder, value) << "what lies there is compared whole";
  EXPECT_EQ(refused(lock, intent(lock, std::string(owner) + "1")).verdict, Verdict::Changed);
  EXPECT_EQ(refused(record("token", LockKind::Mutex, "desk", {{value, 1}}), intent(lock, owner)).verdict, Verdict::Changed) << "of no other family";
}

TEST(PlanRelease, tellsTheChannelsOfEveryVersionOfALibraryThatItMayBe) {
  const std::string registry = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01";
  auto lock = record("token", LockKind::Mutex, "locks:orders", {{registry, 1}});
  lock.mayBe = {"sherlock", "spring-integration"};
  const auto plan = planned(lock, registry);
  EXPECT_EQ(plan.script->name, "release-told");
  EXPECT_THAT(plan.keys, ElementsAre("locks:orders"));
  EXPECT_THAT(plan.args, ElementsAre(registry, "", "locks:orders", "may", "1", "1000", "", "locks-channel", "locks-channel:locks:orders"));
  EXPECT_THAT(englishOf(textsOf(plan.effects)), Contains(HasSubstr("publishes locks:orders on locks-channel (")));
  EXPECT_THAT(englishOf(textsOf(plan.effects)), Contains(HasSubstr("publishes locks:orders on locks-channel:locks:orders (")));
}

TEST(PlanRelease, tellsTheChannelsOfEveryRegistryThatAPathMayBeOf) {
  const std::string registry = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01";
  auto lock = record("spring-integration", LockKind::Mutex, "app:locks:order-7", {{registry, 1}});
  lock.type = ValueType::String;
  EXPECT_THAT(planned(lock, registry).args, ElementsAre(registry, "", "app:locks:order-7", "may", "1", "1000", "", "app-channel", "app:locks-channel",
                                                        "app-channel:app:locks:order-7", "app:locks-channel:app:locks:order-7"));
  lock.id.key = LockName("locks:order-7");
  EXPECT_THAT(planned(lock, registry).args,
              ElementsAre(registry, "", "locks:order-7", "must", "1", "1000", "", "locks-channel", "locks-channel:locks:order-7"));
  lock.id.key = LockName("a:b:c:d:e:f:g:h:i:j:k");
  const auto many = planned(lock, registry).args;
  EXPECT_THAT(many, AllOf(testing::SizeIs(7 + 2 * 8), Contains("a:b:c:d:e:f:g:h-channel"), Not(Contains("a:b:c:d:e:f:g:h:i-channel"))));
}

TEST(PlanRelease, saysOfAFileThatOneHasAloneNothingOfReaders) {
  auto lock = record("nextcloud", LockKind::Mutex, "3f786850e387550fdab836ed7e6dc881/lock/a", {{"\"exclusive\"", 1}});
  lock.type = ValueType::String;
  EXPECT_THAT(englishOf(planned(lock, "\"exclusive\"").warnings), Not(Contains(HasSubstr("readers"))));
  lock.holders.front() = {"", 3, HoldMode::Read};
  EXPECT_THAT(refused(lock, intent(lock, "")).detail.english(), HasSubstr("a number of readers lapses by itself"));
}

TEST(PlanRelease, promisesNoLeaseOfReadersWhoseTimeoutKeysMayBeMissing) {
  EXPECT_THAT(
      englishOf(textsOf(planned(readers({{owner, 1, HoldMode::Read}, {other, 1, HoldMode::Read}}), owner).effects)),
      Contains("shortens the lease to the longest of those that stay, where their timeout keys are there; tells nobody, since no writer can enter yet"));
}

TEST(PlanRelease, namesALongTokenOfBytesOnceAndCut) {
  const std::string bytes(32, '\xff');
  auto lock = record("rueidislock", LockKind::Mutex, "rueidislock:0:n", {{bytes, 1}});
  lock.type = ValueType::String;
  const auto said = englishOf(textsOf(planned(lock, bytes).effects));
  EXPECT_EQ(said[1], "deletes rueidislock:1:n if its value is still the same");
  EXPECT_THAT(said[0], HasSubstr("\\xff…\\xff"));
  for (const auto &words : said)
    EXPECT_LT(words.size(), 120U) << words;
}

TEST(PlanRelease, saysWhatElseCanBeDoneWhoeverIsNamedWhereNobodyCanBeEvicted) {
  const auto semaphore = record("redisson-semaphore", LockKind::Semaphore, "pool", {{"0", 1}});
  for (const auto *holder : {"0", "whoever"}) {
    const auto refusal = refused(semaphore, intent(semaphore, holder));
    EXPECT_EQ(refusal.verdict, Verdict::Unreleasable) << holder;
    EXPECT_THAT(refusal.detail.english(), HasSubstr("release() in any of its clients")) << holder;
  }
  auto number = record("redisson-semaphore", LockKind::Semaphore, "pool", {});
  number.number = 0;
  auto shorten = intent(number, "whoever");
  EXPECT_EQ(refused(number, shorten).verdict, Verdict::Unreleasable) << "nobody is named, and it is not free";
  shorten.shortenTo = seconds(1);
  EXPECT_EQ(refused(number, shorten).verdict, Verdict::Unreleasable);
}

TEST(PlanRelease, tellsTheChannelOfAReentrantLock) {
  const auto plan = planned(record("redisson-lock", LockKind::Reentrant, "stock", {{owner, 3}}), owner);
  EXPECT_EQ(plan.script->name, "release-redisson-lock");
  EXPECT_THAT(plan.keys, ElementsAre("stock", "redisson_lock_queue:{stock}")) << "where a queue would be that must not be left asleep";
  EXPECT_THAT(plan.args, ElementsAre(owner, "3", "redisson_lock__channel:{stock}", "1"));
  EXPECT_EQ(plan.expectCount, 3);
}

TEST(PlanRelease, leavesANameWithABraceAsItIs) {
  const auto plain = planned(record("redisson-lock", LockKind::Reentrant, "order:{7}:pay", {{owner, 1}}), owner);
  EXPECT_EQ(plain.args.at(2), "redisson_lock__channel:order:{7}:pay");
  auto lock = fair({});
  lock.id.key = LockName("order:{7}:pay");
  EXPECT_THAT(planned(lock, owner).keys, ElementsAre("order:{7}:pay", "redisson_lock_queue:order:{7}:pay", "redisson_lock_timeout:order:{7}:pay"));
  auto rw = readers({{owner, 1, HoldMode::Read}});
  rw.id.key = LockName("a{b}");
  EXPECT_THAT(planned(rw, owner).keys, ElementsAre("a{b}", std::string("a{b}:") + owner + ":rwlock_timeout:1"));
}

TEST(PlanRelease, warnsOfKeysThatAClusterPutsIntoSeveralSlots) {
  for (const auto *key : {"a}b{", "a}b", "{}x", "x{}"}) {
    auto lock = record("redisson-lock", LockKind::Reentrant, key, {{owner, 1}});
    EXPECT_THAT(englishOf(planned(lock, owner).warnings), Contains(HasSubstr("slots"))) << key;
    lock.family = "token";
    EXPECT_THAT(englishOf(planned(lock, owner).warnings), Not(Contains(HasSubstr("slots")))) << key << ": one key lies in one slot";
  }
  for (const auto *key : {"stock", "order:{7}:pay", "a{b}{c}"}) {
    const auto lock = record("redisson-lock", LockKind::Reentrant, key, {{owner, 1}});
    EXPECT_THAT(englishOf(planned(lock, owner).warnings), Not(Contains(HasSubstr("slots")))) << key;
  }
}

TEST(PlanRelease, comparesTheFencingCounterWhereItWasSeen) {
  auto lock = record("redisson-lock", LockKind::Reentrant, "stock", {{owner, 1}});
  lock.fence = Fence{41};
  EXPECT_THAT(planned(lock, owner).keys, ElementsAre("stock", "redisson_lock_queue:{stock}", "redisson_lock_token:{stock}"));
  EXPECT_EQ(planned(lock, owner).args.back(), "41");
  lock.fence.reset();
  EXPECT_THAT(planned(lock, owner).keys, Not(Contains(HasSubstr("token"))));
}

TEST(PlanRelease, takesOneReaderAndNamesTheLeasesOfThoseWhoStay) {
  const auto plan = planned(readers({{owner, 2, HoldMode::Read}, {other, 1, HoldMode::Read}}), owner);
  const std::string own = std::string("{rw}:") + owner + ":rwlock_timeout:";
  EXPECT_EQ(plan.script->name, "release-redisson-rw");
  EXPECT_THAT(plan.keys, ElementsAre("rw", own + "1", own + "2", std::string("{rw}:") + other + ":rwlock_timeout:1"));
  EXPECT_THAT(plan.args, ElementsAre(owner, "2", "redisson_rwlock:{rw}", "2", "0", "", "", other, "1"));
  EXPECT_THAT(englishOf(plan.warnings), Contains(HasSubstr("1 other hold remains")));
}

TEST(PlanRelease, wakesEverybodyAfterTheLastReader) {
  const auto plan = planned(readers({{owner, 1, HoldMode::Read}}), owner);
  EXPECT_THAT(plan.args, ElementsAre(owner, "1", "redisson_rwlock:{rw}", "1", "0", "", ""));
  EXPECT_THAT(englishOf(textsOf(plan.effects)), Contains(HasSubstr("publishes 1 and 0 on redisson_rwlock:{rw} (PUBLISH and SPUBLISH)")));
}

TEST(PlanRelease, leavesTheReadHoldOfAWriterWhoReadsToo) {
  const std::string writer = std::string(owner) + ":write";
  const auto lock = readers({{writer, 1, HoldMode::Write}, {owner, 1, HoldMode::Read}});
  const auto write = planned(lock, writer);
  EXPECT_THAT(write.keys, ElementsAre("rw"));
  EXPECT_THAT(write.args, ElementsAre(writer, "1", "redisson_rwlock:{rw}", "0", "0", "", ""));
  EXPECT_THAT(englishOf(textsOf(write.effects)), Contains(HasSubstr("its read hold stays")));
  const auto strange = planned(readers({{writer, 1, HoldMode::Write}, {other, 1, HoldMode::Read}}), writer);
  EXPECT_THAT(englishOf(textsOf(strange.effects)), Contains("removes the write hold of " + writer + "; 1 other hold stays")) << "not its own";
  const auto read = planned(lock, owner);
  EXPECT_THAT(read.args, ElementsAre(owner, "1", "redisson_rwlock:{rw}", "1", "0", "", "")) << "the lease of a writer who stays is not shortened";
  EXPECT_THAT(englishOf(textsOf(read.effects)), Contains("leaves the lease as it is; tells nobody, since no writer can enter yet"));
}

TEST(PlanRelease, namesNoMoreTimeoutKeysThanAScriptMayHave) {
  const auto plan = planned(readers({{owner, 5'000'000'000, HoldMode::Read}, {other, 1, HoldMode::Read}}), owner);
  EXPECT_LE(plan.keys.size(), 1025U);
  EXPECT_EQ(plan.args.size(), 7U) << "those who stay cannot all be named, so their lease is left as it is";
  EXPECT_THAT(englishOf(textsOf(plan.effects)), Contains(HasSubstr("leaves the lease as it is")));
}

TEST(PlanRelease, saysWhatBecomesOfEntriesThatTheLibraryDidNotWrite) {
  auto lock = record("redisson-lock", LockKind::Reentrant, "stock", {{owner, 3}});
  lock.type = ValueType::Hash;
  lock.unexpectedEntries = 1;
  const auto whole = planned(lock, owner);
  EXPECT_THAT(whole.args, ElementsAre(owner, "3", "redisson_lock__channel:{stock}", "2"));
  EXPECT_THAT(englishOf(whole.warnings), Contains("entries that are not what its library writes, which keep it closed, are deleted with it: 1"));
  lock.holders = {{owner, 0}};
  const auto odd = planned(lock, owner);
  EXPECT_THAT(odd.args, ElementsAre(owner, "0", "redisson_lock__channel:{stock}", "1")) << "the odd count is the one stray";
  EXPECT_THAT(englishOf(odd.warnings), Contains("its count is no number: none of its library's clients can free it"));
  auto shared = readers({{owner, 1, HoldMode::Read}, {other, 1, HoldMode::Read}});
  shared.type = ValueType::Hash;
  shared.unexpectedEntries = 1;
  const auto one = planned(shared, owner);
  EXPECT_THAT(one.args, ElementsAre(owner, "1", "redisson_rwlock:{rw}", "1", "1", "", "", other, "1"));
  EXPECT_THAT(englishOf(one.warnings), Contains("entries that are not what its library writes, which may keep it closed, stay: 1"));
}

TEST(PlanRelease, saysWhatGoesWithTheLastOfItsUniqueJobs) {
  auto lock = record("sidekiq-unique-jobs", LockKind::Semaphore, "uniquejobs:1f836320adb98bab1686a28d9801210c:LOCKED", {{"7736f3eec580dcfc43fe5d04", 1}});
  lock.type = ValueType::Hash;
  EXPECT_THAT(englishOf(textsOf(planned(lock, "7736f3eec580dcfc43fe5d04").effects)),
              Contains(HasSubstr("its entries in uniquejobs:digests and uniquejobs:expiring_digests")));
  lock.holders.push_back({"8736f3eec580dcfc43fe5d04", 1});
  EXPECT_THAT(englishOf(textsOf(planned(lock, "7736f3eec580dcfc43fe5d04").effects)), Not(Contains(HasSubstr("clears"))));
}

TEST(PlanRelease, refusesAnotherHolderOrCountAndSaysWhoHoldsIt) {
  const auto lock = record("redisson-lock", LockKind::Reentrant, "stock", {{owner, 3}});
  const auto holder = refused(lock, intent(lock, other));
  EXPECT_EQ(holder.verdict, Verdict::Changed);
  EXPECT_THAT(holder.detail.english(), HasSubstr(owner));
  EXPECT_EQ(refused(lock, intent(lock, owner, 2)).verdict, Verdict::Changed);
  EXPECT_TRUE(planRelease(lock, intent(lock, owner, 3), at(seconds(0))));
}

TEST(PlanRelease, refusesWhatNobodyHolds) {
  auto lock = fair({{other, at(seconds(5))}});
  lock.holders.clear();
  EXPECT_EQ(refused(lock, intent(lock, owner)).verdict, Verdict::AlreadyFree);
  EXPECT_THAT(refused(lock, intent(lock, other)).detail.english(),
              AllOf(HasSubstr(std::string(other) + " alone may take it"),
                    EndsWith("take it out of redisson_lock_queue:{f} (LREM) and redisson_lock_timeout:{f} (ZREM)")))
      << "there is no next";
  lock.queue.push_back({"next:1", at(seconds(9))});
  EXPECT_THAT(refused(lock, intent(lock, other)).detail.english(), EndsWith(", then publish 0 on redisson_lock__channel:{f}:next:1"));
  lock.queue.clear();
  EXPECT_EQ(refused(lock, intent(lock, owner)).detail.english(), "nobody holds the lock");
}

TEST(PlanRelease, takesAHolderAsItIsShownWhereThatMeansOneAlone) {
  const std::string one = "<xo\x87\x96-\x01\xff", two = "<xo\\x87\\x96-\\x01\\xff",
                    three("\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\xff", 16);
  auto pool = record("redisson-permits", LockKind::Semaphore, "pool", {{one, 1}, {three, 1}});
  pool.type = ValueType::String;
  pool.extras = {{"free", "2"}};
  EXPECT_EQ(planned(pool, two).expectHolder, one);
  const auto byDigits = planned(pool, "0102030405060708090a0b0c0d0e0fff");
  EXPECT_EQ(byDigits.expectHolder, three);
  EXPECT_EQ(byDigits.effects.front().text.english(), "takes the permit 0102030405060708090a0b0c0d0e0fff back and counts it as free");
  pool.holders.push_back({two, 1});
  EXPECT_EQ(planned(pool, two).expectHolder, two) << "the bytes themselves come first";
  EXPECT_EQ(refused(pool, intent(pool, "<xo")).verdict, Verdict::Changed);
  pool.holders.clear();
  EXPECT_EQ(refused(pool, intent(pool, two)).verdict, Verdict::AlreadyFree) << "all of its permits are free";
}

TEST(PlanRelease, refusesDataAndFamiliesItDoesNotKnow) {
  auto lock = record("token", LockKind::Mutex, "session:1", {{"value", 1}});
  lock.confidence = 0.49;
  EXPECT_EQ(refused(lock, intent(lock, "value")).verdict, Verdict::NotALock);
  EXPECT_THAT(refused(lock, intent(lock, "value")).detail.english(), HasSubstr("with --all"));
  auto vouched = intent(lock, "value");
  vouched.isVouchedFor = true;
  const auto plan = planRelease(lock, vouched, at(seconds(0)));
  ASSERT_TRUE(plan) << plan.error().detail.english();
  EXPECT_THAT(englishOf(plan->warnings).front(), HasSubstr("looks like data, not like a lock (confidence 0.49): make sure"));
  const auto unknown = record("nobodys", LockKind::Mutex, "lock:w", {{"value", 1}});
  EXPECT_EQ(refused(unknown, intent(unknown, "value")).verdict, Verdict::NotALock);
}

TEST(PlanRelease, showsBytesSafely) {
  const auto plan = planned(record("token", LockKind::Mutex, "lock:\x1b[31m", {{"\xff", 1}}), "\xff");
  for (const auto &words : {englishOf(textsOf(plan.effects)), englishOf(plan.warnings)})
    for (const auto &sentence : words)
      EXPECT_EQ(sentence.find_first_of("\x1b\xff"), std::string::npos) << sentence;
  EXPECT_EQ(plan.keys.front(), "lock:\x1b[31m") << "identity stays exact";
}

TEST(PlanRelease, namesTheHoldsOfAThreadThatHaveNamesOfTheirOwn) {
  const auto value = [](char c) { return std::string(22, c) + ":" + owner; };
  auto group = record("redisson-multilock", LockKind::Mutex, "ML", {{value('A'), 2}, {std::string(22, 'B') + ":" + other, 1}});
  const auto one = refused(group, intent(group, owner));
  EXPECT_EQ(one.verdict, Verdict::Changed) << "which value is meant is not said";
  EXPECT_EQ(one.detail.english(),
            "changed: this holder is there as " + value('A') + ", count 2: name that hold, or release all of its holder: release --all --holder");
  EXPECT_EQ(planned(group, value('A')).expectHolder, value('A'));
  group.holders.push_back({value('C'), 1});
  EXPECT_THAT(refused(group, intent(group, owner)).detail.english(), HasSubstr(", count 2, and 1 more: name that hold"));
  EXPECT_THAT(refused(group, intent(group, third)).detail.english(), testing::StartsWith("changed: now held by "));
  EXPECT_THAT(refused(group, intent(group, value('A'), 1)).detail.english(), testing::StartsWith("changed: now held by ")) << "another count";
}

TEST(PlanRelease, ofALockedValueWhoseCountIsNoNumberComparesItsOwnerAlone) {
  const auto hold = std::string(22, 'A') + ":" + owner;
  const auto seen = [&hold](std::int64_t count) { return planned(record("redisson-multilock", LockKind::Mutex, "ML", {{hold, count}}), hold).args.at(7); };
  EXPECT_EQ(seen(2), hold + ":lock_count");
  EXPECT_EQ(seen(0), "");
}

} // namespace
} // namespace lockhouse
