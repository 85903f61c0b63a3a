// SPDX-License-Identifier: Apache-2.0

#include "tests/unit/watch/recognise.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace lockhouse {
namespace {

using test::recognise;

const std::string a = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:1", b = "0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02:5";

KeyFacts hash(std::vector<std::pair<std::string, std::string>> fields) {
  KeyFacts facts;
  facts.key = "stock";
  facts.type = ValueType::Hash;
  facts.fields = std::move(fields);
  facts.ttl = seconds(30);
  facts.seenAt = SteadyTime(seconds(50));
  facts.serverTime = milliseconds(1'700'000'000'000);
  return facts;
}

TEST(RedissonLock, isAHashOfOneOwnerAndItsCount) {
  for (const auto *count : {"1", "3", "1000"}) {
    const auto lock = recognise(hash({{a, count}}));
    ASSERT_TRUE(lock);
    EXPECT_EQ(lock->family, "redisson-lock");
    EXPECT_EQ(lock->kind, LockKind::Reentrant);
    EXPECT_EQ(lock->holders, (std::vector<Holder>{{a, std::stol(count), HoldMode::Exclusive}}));
    EXPECT_GE(lock->confidence, 0.9);
    EXPECT_EQ(lock->waiters, std::nullopt);
  }
}

std::string extra(const std::optional<LockRecord> &lock, std::string_view name) {
  const auto found = std::ranges::find(lock->extras, name, &MetadataEntry::name);
  return found == lock->extras.end() ? std::string("nothing") : found->value;
}

TEST(RedissonLock, tellsClientAndThreadOfATransactionToo) {
  const auto lock = recognise(hash({{a + ":3f786850e387550fdab836ed7e6dc881", "1"}}));
  EXPECT_EQ(extra(lock, "instance"), a.substr(0, 36));
  EXPECT_EQ(extra(lock, "thread"), "1");
}

TEST(RedissonReadWrite, tellsClientAndThreadOfEachHolder) {
  const auto two = recognise(hash({{"mode", "read"}, {a, "1"}, {b, "2"}}));
  EXPECT_EQ(extra(two, "instance"), a.substr(0, 36) + ", " + b.substr(0, 36));
  EXPECT_EQ(extra(two, "thread"), "1, 5");
  const auto writer = recognise(hash({{"mode", "write"}, {b + ":write", "1"}}));
  EXPECT_EQ(extra(writer, "instance"), b.substr(0, 36));
  EXPECT_EQ(extra(writer, "thread"), "5");
  std::vector<std::pair<std::string, std::string>> many{{"mode", "read"}};
  for (int i = 0; i < 100; ++i)
    many.emplace_back(a + std::to_string(i), "1");
  EXPECT_EQ(extra(recognise(hash(many)), "thread"), "10, 11, 12, 13, 14, 15, 16, 17, …") << "of very many the first";
}

TEST(RedissonLock, ofATransactionIsKnown) { EXPECT_TRUE(recognise(hash({{a + ":3f786850e387550fdab836ed7e6dc881", "1"}}))); }

TEST(RedissonLock, isWaitedForByWhoListens) {
  auto facts = hash({{a, "1"}});
  facts.listeners = {.lock = 3, .readWrite = 7};
  EXPECT_EQ(recognise(facts)->waiters, 3U);
  facts.listeners = {.lock = 0, .readWrite = 7};
  EXPECT_EQ(recognise(facts)->waiters, std::nullopt) << "unknown, never 0";
}

TEST(RedissonLock, hasItsFence) {
  auto facts = hash({{a, "1"}});
  facts.fence = Fence{33};
  EXPECT_EQ(recognise(facts)->fence, Fence{33});
}

double confidenceOf(const std::optional<LockRecord> &lock) { return lock ? lock->confidence : 0; }

TEST(RedissonLock, isNoOtherHash) {
  for (const auto &fields :
       std::vector<std::vector<std::pair<std::string, std::string>>>{{{"name", "Alice"}}, {{a, "x"}}, {{a, ""}}, {{a, "1"}, {b, "1"}}, {{"count", "1"}}, {}})
    EXPECT_LT(confidenceOf(recognise(hash(fields))), shownConfidence);
}

TEST(RedissonFair, keepsTheQueueInOrderWithItsDeadlines) {
  auto facts = hash({{a, "1"}});
  facts.queue = {b, a};
  facts.queueLength = 1200;
  facts.places = {{b, 1'700'000'300'000.0}, {a, 1'700'000'305'000.0}};
  const auto lock = recognise(facts);
  ASSERT_TRUE(lock);
  EXPECT_EQ(lock->family, "redisson-fair");
  EXPECT_EQ(lock->kind, LockKind::Fair);
  EXPECT_EQ(lock->waiters, 1200U) << "exact, though the queue shown is cut";
  EXPECT_EQ(lock->queue, (std::vector<Waiter>{{b, facts.seenAt + seconds(300)}, {a, facts.seenAt + seconds(305)}}));
}

TEST(RedissonFair, isWaitingWhenNobodyHoldsIt) {
  auto facts = hash({});
  facts.type = ValueType::None;
  facts.ttl.reset();
  facts.queue = {b};
  facts.queueLength = 1;
  const auto lock = recognise(facts);
  ASSERT_TRUE(lock);
  EXPECT_FALSE(lock->isHeld());
  EXPECT_EQ(stateAt(*lock, SteadyTime(seconds(50))), LockState::Waiting);
}

TEST(RedissonFair, saysNothingOfADeadlineItCannotBelieve) {
  auto facts = hash({{a, "1"}});
  facts.queue = {b, a};
  facts.places = {{b, 1e300}, {a, std::nan("")}};
  const auto lock = recognise(facts);
  ASSERT_TRUE(lock);
  EXPECT_EQ(lock->queue[0].leavesAt, std::nullopt);
  EXPECT_EQ(lock->queue[1].leavesAt, std::nullopt);
}

TEST(RedissonFair, saysWhichDeadlinesAreNoTimes) {
  auto facts = hash({{a, "1"}});
  facts.queue = {b, a};
  facts.places = {{b, 5}, {a, 1e300}};
  const auto lock = recognise(facts);
  ASSERT_TRUE(lock);
  EXPECT_THAT(englishOf(lock->evidence), testing::Contains("deadlines in its queue that are no times: 2"));
  ASSERT_TRUE(lock->queue[0].leavesAt);
  EXPECT_GT(*lock->queue[0].leavesAt, facts.seenAt - seconds(1)) << "when it lapsed nothing tells, and no age is made up";
  facts.places = {{b, static_cast<double>(facts.serverTime.count()) + 5000}};
  EXPECT_THAT(englishOf(recognise(facts)->evidence), testing::Not(testing::Contains(testing::HasSubstr("no times"))));
}

TEST(RedissonFair, ofWhichNoPlaceThatWasReadIsGoodStillHasNoWaitersThatAreKnown) {
  auto facts = hash({{a, "1"}});
  facts.queue = {b, a};
  facts.places = {{b, 1}, {a, 2}};
  facts.queueLength = 1500;
  const auto lock = recognise(facts);
  ASSERT_TRUE(lock);
  EXPECT_EQ(lock->waiters, std::nullopt);
  EXPECT_THAT(englishOf(lock->evidence),
              testing::IsSupersetOf({"places in its queue: 1500, of which 2 were read", "whether the places behind those have lapsed too is not known"}));
  facts.places.back().second = static_cast<double>(facts.serverTime.count()) + 5000;
  EXPECT_EQ(recognise(facts)->waiters, 1499U) << "they lapse in their order";
}

// Deadlines at one instant are read in the order of their letters, and the queue in its own.
TEST(RedissonFair, whoseDeadlinesThatWereReadAreOthersHasNoWaitersThatAreKnown) {
  auto facts = hash({{a, "1"}});
  facts.queue = {b, a};
  facts.queueLength = 1500;
  facts.places = {{b, 1000}, {"another", 1000}};
  EXPECT_EQ(recognise(facts)->waiters, std::nullopt);
  EXPECT_THAT(englishOf(recognise(facts)->evidence), testing::Contains(testing::HasSubstr("the deadlines that were read are of others")));
  facts.places = {{b, 1000}};
  EXPECT_EQ(recognise(facts)->waiters, 1499U);
}

TEST(RedissonFair, saysThatItsQueueWasNotReadWhole) {
  auto facts = hash({{a, "1"}});
  facts.queue = {b, a};
  facts.queueLength = 1500;
  const auto lock = recognise(facts);
  ASSERT_TRUE(lock);
  EXPECT_THAT(englishOf(lock->evidence), testing::Contains("1500 wait, of whom 2 were read"));
  facts.queueLength = 2;
  EXPECT_THAT(englishOf(recognise(facts)->evidence), testing::Not(testing::Contains(testing::HasSubstr("were read"))));
}

// Whoever releases drops such a place, so a plan must not count on it.
TEST(RedissonFair, takesAPlaceThatLapsedLongAgoForLapsed) {
  auto facts = hash({{a, "1"}});
  facts.queue = {b, a};
  facts.places = {{b, 1000}, {a, -std::numeric_limits<double>::infinity()}};
  const auto lock = recognise(facts);
  ASSERT_TRUE(lock);
  for (const auto &waiter : lock->queue)
    EXPECT_LT(waiter.leavesAt.value_or(SteadyTime::max()), facts.seenAt);
}

TEST(RedissonFair, isNoneWhereNobodyHoldsItAndEveryPlaceHasLapsed) {
  auto facts = hash({});
  facts.type = ValueType::None;
  facts.queue = {b, a};
  facts.places = {{b, 1000}, {a, 2000}};
  EXPECT_FALSE(recognise(facts)) << "whoever comes next clears it away";
  facts.places.back().second = static_cast<double>(facts.serverTime.count()) + 5000;
  EXPECT_EQ(recognise(facts)->waiters, 1U);
}

TEST(RedissonFair, isNoListOfOtherThings) {
  auto facts = hash({});
  facts.type = ValueType::None;
  facts.queue = {"job 1", "job 2"};
  EXPECT_FALSE(recognise(facts));
  facts = hash({{a, "1"}});
  facts.queue = {"job 1"};
  const auto lock = recognise(facts);
  ASSERT_TRUE(lock) << "the holder is still a lock";
  EXPECT_EQ(lock->family, "redisson-fair") << "and a release has to mind its queue";
  EXPECT_THAT(englishOf(lock->evidence), testing::Contains("not everyone in its queue is a Redisson client"));
}

TEST(RedissonReadWrite, hasItsReadersAndTheirCounts) {
  const auto lock = recognise(hash({{"mode", "read"}, {a, "1"}, {b, "2"}}));
  ASSERT_TRUE(lock);
  EXPECT_EQ(lock->family, "redisson-rw");
  EXPECT_EQ(lock->kind, LockKind::ReadWrite);
  EXPECT_EQ(lock->holders, (std::vector<Holder>{{a, 1, HoldMode::Read}, {b, 2, HoldMode::Read}}));
  EXPECT_GE(lock->confidence, 0.9);
}

TEST(RedissonReadWrite, saysOfHowManyReadersNoLeaseIsKnown) {
  auto facts = hash({{"mode", "read"}, {a, "1"}, {b, "2"}});
  EXPECT_THAT(englishOf(recognise(facts)->evidence), testing::Not(testing::Contains(testing::HasSubstr("own leases")))) << "it keeps none";
  facts.readerLeases = {{a, seconds(20)}};
  EXPECT_THAT(englishOf(recognise(facts)->evidence), testing::Contains("readers of whose own leases nothing is known: 1"));
  facts.readerLeases.push_back({b, seconds(0)});
  EXPECT_THAT(englishOf(recognise(facts)->evidence), testing::Not(testing::Contains(testing::HasSubstr("own leases"))));
}

TEST(RedissonReadWrite, hasItsWriter) {
  const auto lock = recognise(hash({{"mode", "write"}, {a + ":write", "1"}}));
  ASSERT_TRUE(lock);
  EXPECT_EQ(lock->holders, (std::vector<Holder>{{a + ":write", 1, HoldMode::Write}}));
}

TEST(RedissonReadWrite, showsADowngradeInProgress) {
  const auto lock = recognise(hash({{"mode", "write"}, {a + ":write", "1"}, {a, "1"}}));
  ASSERT_TRUE(lock);
  EXPECT_EQ(lock->holders.size(), 2U);
}

TEST(RedissonReadWrite, isNoOtherHashWithAMode) {
  for (const auto &fields : std::vector<std::vector<std::pair<std::string, std::string>>>{
           {{"mode", "read"}}, {{"mode", "dark"}, {a, "1"}}, {{"mode", "read"}, {"name", "x"}}, {{a, "1"}, {b, "1"}}})
    EXPECT_FALSE(recognise(hash(fields)));
}

// As an RLock's.
TEST(RedissonReadWrite, ofWhichNoCountIsANumberIsDoubtful) {
  for (const auto &fields : std::vector<std::vector<std::pair<std::string, std::string>>>{
           {{"mode", "read"}, {a, "many"}}, {{"mode", "write"}, {a + ":write", "many"}}, {{"mode", "read"}, {a, "many"}, {b, "more"}}}) {
    auto facts = hash(fields);
    const auto lock = recognise(facts);
    ASSERT_TRUE(lock);
    EXPECT_EQ(lock->family, "redisson-rw");
    EXPECT_LT(lock->confidence, shownConfidence);
    EXPECT_THAT(englishOf(lock->evidence), testing::Contains("its count is no number"));
    facts.ttl.reset();
    EXPECT_FALSE(recognise(facts));
    facts.key = "orders:lock";
    EXPECT_GE(recognise(facts)->confidence, shownConfidence) << "its name speaks of a lock";
  }
}

} // namespace
} // namespace lockhouse
