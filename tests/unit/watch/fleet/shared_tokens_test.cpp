// SPDX-License-Identifier: Apache-2.0
#include "core/watch/fleet/shared_tokens.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <fmt/format.h>

namespace lockhouse::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

const std::string hex32 = "3f786850e387550fdab836ed7e6dc881", uuid = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01";

class SharedHolder : public testing::Test {
protected:
  LockRecord &lock(const std::string &key, const std::string &holder = hex32, std::vector<std::string> mayBe = {"node-redlock", "redis-py"}, int db = 0) {
    auto record = std::make_shared<LockRecord>();
    record->id = {NodeId("a"), db, LockName(key)};
    record->family = "token";
    record->mayBe = std::move(mayBe);
    record->type = ValueType::String;
    record->confidence = 0.88;
    record->holders = {{holder}};
    auto &known = *record;
    plain.push_back(std::move(record));
    return known;
  }
  std::vector<LockRecordPtr> note() {
    auto locks = plain;
    std::ranges::sort(locks, {}, [](const LockRecordPtr &record) { return record->id; });
    shared.note(locks, FamilyRegistry::builtIn());
    return locks;
  }
  SharedTokens shared;
  std::vector<LockRecordPtr> plain;
};

TEST_F(SharedHolder, ofALockOfSeveralResourcesIsToldByEachRow) {
  lock("lock:a");
  lock("lock:b");
  lock("lock:c");
  lock("lock:d", "840e8160e63e11f19b2b0242ac1e43bb");
  const auto rows = note();
  EXPECT_THAT(rows[1]->alsoUnder, ElementsAre(LockName("lock:a"), LockName("lock:c")));
  EXPECT_THAT(englishOf(rows[1]->evidence), Contains("its holder has other keys here too: lock:a, lock:c"));
  EXPECT_EQ(rows[1]->family, "node-redlock") << "the others of these bytes write a token once";
  EXPECT_THAT(rows[1]->mayBe, IsEmpty());
  EXPECT_THAT(englishOf(rows[3]->evidence), IsEmpty());
  EXPECT_EQ(rows[3]->family, "token");
}

TEST_F(SharedHolder, ofATokenThatTellsWhenItWasMadeIsNoneOfALibraryThatWritesRandomOnes) {
  for (const auto *key : {"lock:a", "lock:b"})
    lock(key).extras = {{"mac", "02:42:ac:1e:43:bb"}, {"since", "2026-11-24T05:00:00Z"}};
  const auto rows = note();
  EXPECT_THAT(rows[0]->alsoUnder, ElementsAre(LockName("lock:b")));
  EXPECT_EQ(rows[0]->family, "token");
  EXPECT_THAT(rows[0]->mayBe, Contains("node-redlock"));
}

TEST_F(SharedHolder, ofThreeDoubtfulRowsUnderOnePrefixIsToldWhichStayDoubtful) {
  const auto put = [this](const std::string &key, milliseconds lease = milliseconds(60'000), const std::string &holder = uuid) {
    auto &record = lock(key, holder, {"aioredlock", "spring-integration"});
    record.confidence = 0.4;
    record.expiresAt = record.seenAt + lease;
  };
  for (const auto *key : {"orders:1", "orders:2", "orders:3", "stock:1", "stock:2"})
    put(key);
  put("orders:4", milliseconds(60'001)); // longer than a registry's
  const std::string other = "0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02";
  for (const auto *key : {"user:1:tenant", "user:2:tenant", "user:3:tenant", "cart:1", "cart:2", "cart:3"})
    put(key, milliseconds(60'000), other);
  for (const auto &row : note()) {
    const auto &key = row->id.key.bytes();
    EXPECT_TRUE(row->isDoubtful()) << key;
    EXPECT_EQ(row->family, "token") << key;
    if (key < "orders:1" || key > "orders:3") {
      EXPECT_THAT(englishOf(row->evidence), IsEmpty()) << key;
      continue;
    }
    EXPECT_EQ(row->alsoUnder.size(), 2U) << key;
    EXPECT_THAT(row->mayBe, ElementsAre("spring-integration")) << key;
    EXPECT_THAT(englishOf(row->evidence), Contains("one token under several keys, as spring-integration writes")) << key;
  }
  EXPECT_EQ(note()[6], note()[6]) << "the same record while nothing changes";
}

TEST_F(SharedHolder, ofARegistryThatIsCalledAsTheLibraryIsItsLock) {
  for (const auto *key : {"spring-integration:order:7", "spring-integration:order:8", "other:order:7", "other:order:8"}) {
    auto &record = lock(key, uuid, {"aioredlock", "spring-integration"});
    record.confidence = 0.4;
    record.expiresAt = record.seenAt + seconds(60);
  }
  const auto rows = note();
  EXPECT_EQ(std::ranges::count_if(rows, [](const auto &row) { return !row->isDoubtful(); }), 2);
  for (const auto &row : rows)
    EXPECT_EQ(row->family, row->id.key.bytes().starts_with("spring") ? "spring-integration" : "token") << row->id.key.bytes();
}

TEST_F(SharedHolder, ofARowThatWasReadAloneIsToldByALookAtItsDatabaseOrThatThereWasNone) {
  lock("lock:a");
  lock("lock:b");
  lock("lock:d", "840e8160e63e11f19b2b0242ac1e43bb");
  LockSnapshot looked;
  looked.locks = note();
  looked.nodes.resize(1);
  looked.nodes[0].id = NodeId("a");
  const auto &families = FamilyRegistry::builtIn();
  EXPECT_THAT(englishOf(withNeighbours(plain[0], looked, families)->evidence), ElementsAre(unlookedKeys().english()));
  looked.nodes[0].scanComplete = true;
  const auto told = withNeighbours(plain[0], looked, families);
  EXPECT_EQ(told->family, "node-redlock");
  EXPECT_THAT(englishOf(told->evidence), Contains("its holder has other keys here too: lock:b"));
  EXPECT_EQ(withNeighbours(plain[2], looked, families), plain[2]) << "it was looked for, and there is none";
  lock("lock:e"); // taken since
  EXPECT_THAT(englishOf(withNeighbours(plain[3], looked, families)->evidence), ElementsAre(unlookedKeys().english()));
  lock("lock:f", hex32, {"redis-py"});
  EXPECT_EQ(withNeighbours(plain[4], looked, families), plain[4]) << "that library writes a token once";
}

TEST_F(SharedHolder, ofAnInstanceLeavesTheLibrariesThatWriteOneTokenEverywhere) {
  lock("reg:a", uuid, {"sherlock", "spring-integration"});
  lock("reg:b", uuid, {"sherlock", "spring-integration"});
  EXPECT_EQ(note()[0]->family, "spring-integration");
}

// Two names without a prefix in common are of no registry.
TEST_F(SharedHolder, ofNoRegistryLeavesAllLibrariesButForTheirLeases) {
  const std::vector<std::string> all{"async-redis-lock", "sherlock", "spring-integration"};
  for (const auto *key : {"resA:lock", "resB:lock"})
    lock(key, uuid, all).expiresAt = SteadyTime(milliseconds(30'000));
  const std::string other = "0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02", third = "7a1b2c3d-1a2b-4c3d-8e4f-5a6b7c8d9e03";
  for (const auto *key : {"resC:lock", "resD:lock"})
    lock(key, other, all).expiresAt = SteadyTime(milliseconds(3000));
  for (const auto *key : {"shop:lock:1", "shop:lock:2"})
    lock(key, third, all).expiresAt = SteadyTime(milliseconds(2500));
  const auto rows = note();
  EXPECT_EQ(rows[0]->family, "token");
  EXPECT_EQ(rows[0]->mayBe, all);
  EXPECT_THAT(rows[0]->alsoUnder, ElementsAre(LockName("resB:lock"))) << "that is told all the same";
  EXPECT_EQ(rows[2]->family, "async-redis-lock");
  EXPECT_EQ(rows[4]->family, "token");
  EXPECT_THAT(rows[4]->mayBe, ElementsAre("async-redis-lock", "spring-integration"));
}

TEST_F(SharedHolder, ofHangfireUnderAPrefixOfItsUsersIsHangfires) {
  lock("acme:hangfire:job:1042:dequeued:lock", uuid, {"hangfire", "sherlock", "spring-integration"}).expiresAt = SteadyTime(milliseconds(30'000));
  lock("acme:hangfire:lock:recurring-job:report", uuid, {"sherlock", "spring-integration"});
  lock("acme:hangfire:recurring-jobs:lock", uuid, {"spring-integration"}).family = "hangfire";
  const auto rows = note();
  for (const auto &row : rows)
    EXPECT_EQ(row->family, "hangfire") << row->id.key.bytes();
  EXPECT_THAT(rows[0]->mayBe, IsEmpty());
}

// Its ending is what Spring's paths may have too, and it makes each token for one key.
TEST_F(SharedHolder, isNoneOfAiocaches) {
  for (const auto *key : {"orders:7-lock", "orders:8-lock"}) {
    auto &record = lock(key, uuid, {"sherlock", "spring-integration"});
    record.family = "aiocache";
    record.evidence = {Message::ofFamily("Evidence", "aiocache's suffix and a UUID")};
  }
  auto &alone = lock("orders:9-lock", "0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02", {"sherlock", "spring-integration"});
  alone.family = "aiocache";
  const auto rows = note();
  for (const auto row : {0U, 1U}) {
    EXPECT_EQ(rows[row]->family, "spring-integration");
    EXPECT_THAT(rows[row]->mayBe, IsEmpty());
    EXPECT_THAT(englishOf(rows[row]->evidence), testing::Not(Contains("aiocache's suffix and a UUID")));
    EXPECT_THAT(englishOf(rows[row]->evidence), Contains("one token under several keys, as spring-integration writes"));
  }
  EXPECT_EQ(rows[2]->family, "aiocache");
}

TEST_F(SharedHolder, ofARegistryProvesItsLocksWhateverTheirPathsSpeakOf) {
  const auto doubtful = [this](const std::string &key, const std::string &holder) -> LockRecord & {
    auto &record = lock(key, holder, {"sherlock", "spring-integration"});
    record.confidence = 0.3;
    record.expiresAt = SteadyTime(std::chrono::seconds(60));
    return record;
  };
  const std::string other = "0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02", third = "7a1b2c3d-1a2b-4c3d-8e4f-5a6b7c8d9e03";
  lock("my-locks:order:7", uuid, {"sherlock", "spring-integration"});
  doubtful("my-locks:session:7", uuid);
  doubtful("RedisLockRegistry:status:7", other);
  doubtful("RedisLockRegistry:token", other);
  doubtful("cache:status:7", third); // no registry of locks
  doubtful("cache:token", third);
  doubtful("other-locks:token", uuid);
  doubtful("my-locks:status", uuid).expiresAt.reset();
  for (const auto &row : note()) {
    const auto key = std::string(row->id.key.bytes());
    const bool isProven = key == "my-locks:order:7" || key == "my-locks:session:7" || key.starts_with("RedisLockRegistry");
    EXPECT_EQ(row->family, isProven ? "spring-integration" : "token") << key;
    EXPECT_EQ(row->confidence >= shownConfidence, isProven) << key;
    EXPECT_EQ(row->alsoUnder.size(), isProven ? 1U : 0U) << key;
  }
  LockSnapshot looked;
  looked.locks = note();
  looked.nodes.resize(1);
  looked.nodes[0].id = NodeId("a");
  looked.nodes[0].scanComplete = true;
  EXPECT_GE(withNeighbours(plain[1], looked, FamilyRegistry::builtIn())->confidence, shownConfidence) << "and so it is where it is read alone";
}

TEST_F(SharedHolder, ofALockOfSeveralResourcesProvesThoseWhoseNamesTellOfNoLock) {
  const auto leased = [this](const std::string &key, double confidence, int ends = 60'000, const std::string &holder = hex32) -> LockRecord & {
    auto &record = lock(key, holder);
    record.confidence = confidence;
    record.expiresAt = SteadyTime(milliseconds(ends));
    return record;
  };
  const std::string other = "89e6c98d92887913cadf06b2adb97f26", third = "aaf4c61ddcc5e8a2dabede0f3b482cd9";
  leased("order:7", 0.4);
  leased("user:7", 0.3, 60'004);
  leased("lock:a", 0.88, 60'002);
  leased("job:7:token", 0.4, 90'000); // written at another time
  leased("lock:a:idempotency", 0.3, 60'001);
  leased("lock:b", 0.88, 60'000, other);
  leased("data:7", 0.4, 60'000, other).mayBe = {"redis-py"}; // which writes a token once
  leased("data:8", 0.4, 60'000, other).expiresAt.reset();
  leased("order:8", 0.4, 60'000, third); // nothing of theirs is a lock by its name
  leased("order:9", 0.4, 60'000, third);
  for (const auto &row : note()) {
    const auto &key = row->id.key.bytes();
    const bool isProven = key == "order:7" || key == "user:7" || key == "lock:a";
    EXPECT_EQ(row->family, isProven ? "node-redlock" : "token") << key;
    EXPECT_EQ(row->confidence >= shownConfidence, isProven || key == "lock:b") << key;
    const bool isTold = key == "order:8" || key == "order:9";
    EXPECT_EQ(row->alsoUnder.size(), isProven ? 2U : isTold ? 1U : 0U) << key << ": for whoever knows that it is a lock";
  }
  LockSnapshot looked;
  looked.locks = note();
  looked.nodes.resize(1);
  looked.nodes[0].id = NodeId("a");
  looked.nodes[0].scanComplete = true;
  EXPECT_GE(withNeighbours(plain[0], looked, FamilyRegistry::builtIn())->confidence, shownConfidence) << "and so it is where it is read alone";
  const auto eight = withNeighbours(plain[8], looked, FamilyRegistry::builtIn());
  EXPECT_EQ(eight->id.key.bytes(), "order:8");
  EXPECT_EQ(eight->alsoUnder.size(), 1U);
  EXPECT_LT(eight->confidence, shownConfidence) << "data stays data";
  EXPECT_THAT(englishOf(looked.find({NodeId("a"), 0, LockName("lock:a")})->evidence), Contains("its holder has other keys here too: order:7, user:7"));
}

TEST_F(SharedHolder, ofALockOfSeveralResourcesOnOneOfSeveralMastersIsSuspectUnderEachName) {
  for (const auto *key : {"order:7", "lock:a"})
    lock(key).expiresAt = SteadyTime(std::chrono::seconds(60));
  auto order = std::make_shared<LockRecord>(*plain[0]);
  order->confidence = 0.4;
  plain[0] = std::move(order);
  EXPECT_THAT(note()[1]->members, IsEmpty()) << "there is one master";
  auto alone = std::make_shared<LockRecord>(*plain[1]);
  alone->masters = 3; // as RedlockMerge leaves it
  plain[1] = std::move(alone);
  for (const auto &row : note()) {
    EXPECT_EQ(row->family, "node-redlock");
    EXPECT_EQ(row->masters, 3U);
    EXPECT_EQ(stateAt(*row, SteadyTime{}), LockState::Suspect) << row->id.key.bytes();
  }
}

TEST_F(SharedHolder, ofAFamilyThatIsCertainLeavesItAsItIs) {
  lock("r1", uuid + ":1", {}).family = "redisson-lock";
  lock("r2", uuid + ":1", {}).family = "redisson-lock";
  const auto rows = note();
  EXPECT_EQ(rows[0]->family, "redisson-lock");
  EXPECT_THAT(englishOf(rows[0]->evidence), ElementsAre("its holder has other keys here too: r2"));
}

TEST_F(SharedHolder, isOfOneDatabaseAndNoAccident) {
  lock("lock:a", "1");
  lock("lock:b", "1");
  lock("lock:c");
  lock("lock:c", hex32, {}, 1);
  lock("data:a", uuid).confidence = 0.4;
  lock("data:b", uuid).confidence = 0.4;
  for (const auto &row : note())
    EXPECT_THAT(englishOf(row->evidence), IsEmpty());
}

TEST_F(SharedHolder, ofManyKeysNamesNoneAndKeepsItsRowsWhenOneMoreComes) {
  for (int i = 10; i < 20; ++i)
    lock(fmt::format("lock:{}", i));
  const auto before = note();
  EXPECT_THAT(englishOf(before[0]->evidence), Contains("its holder has more than eight other keys here"));
  EXPECT_THAT(before[0]->alsoUnder, IsEmpty());
  lock("lock:99");
  const auto after = note();
  ASSERT_EQ(after.size(), 11U);
  EXPECT_EQ(before[0], after[0]) << "nothing about it has changed";
}

TEST_F(SharedHolder, isForgottenWithItsOtherKeys) {
  lock("lock:a");
  lock("lock:b");
  EXPECT_EQ(note()[0]->alsoUnder.size(), 1U);
  plain.pop_back();
  EXPECT_EQ(note()[0], plain[0]);
}

} // namespace
} // namespace lockhouse::test
