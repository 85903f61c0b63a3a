// SPDX-License-Identifier: Apache-2.0
// Semaphore and ExpirablePermits against what Redisson's semaphores leave in Redis and say on their channel.
#include "tests/contract/world/lock_world.h"

#include <gmock/gmock.h>

using namespace lockhouse;
using namespace lockhouse::test;
using testing::ElementsAre;

namespace {

constexpr const char *channel = "redisson_sc:{pool}";
constexpr const char *javaPermit = "0123456789abcdef"; // 16 bytes

} // namespace

class CountedPermits : public LockContract {
protected:
  Owner &user(Party &client, std::int64_t permits, std::int64_t capacity = 5, LockOptions options = {}) {
    options.mode = {.permits = permits, .capacity = capacity};
    return client.owner(primitive(), "pool", options);
  }
  bool isExpirable() const { return primitive().info().name == "ExpirablePermits"; }
  std::string outKey() const { return isExpirable() ? "{pool}:timeout" : "lockhouse:permits:{pool}"; }
  std::string free() { return probe().text({"GET", "pool"}); }
  std::int64_t out() { return probe().number({"ZCARD", outKey()}); }
  std::string serverTimePlus(milliseconds more) {
    const Reply now = probe()({"TIME"});
    return std::to_string(std::stoll(std::string(*now.array().at(0).text())) * 1000 + more.count());
  }
  const AcquirePolicy patient = AcquirePolicy::pubSub(1h);
};
INSTANTIATE_TEST_SUITE_P(Every, CountedPermits, testing::Combine(testing::Values("Semaphore", "ExpirablePermits"), testing::Values(Topology::UnixSocket)),
                         contractName);

TEST_P(CountedPermits, ofACounterOfOursLeaveNothingWhenAllAreBack) {
  auto &one = user(party(), 2);
  auto &two = user(party(), 3);
  auto &three = user(party(), 1);
  ASSERT_TRUE(one.takes());
  EXPECT_EQ(free(), "3");
  ASSERT_TRUE(two.takes());
  EXPECT_EQ(free(), "0");
  EXPECT_EQ(out(), 5);
  EXPECT_FALSE(three.takes());
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
  EXPECT_EQ(free(), "2");
  EXPECT_TRUE(three.takes());
  EXPECT_EQ(two.release(), ReleaseOutcome::Released);
  EXPECT_EQ(three.release(), ReleaseOutcome::Released);
  EXPECT_EQ(probe().number({"DBSIZE"}), 0);
}

TEST_P(CountedPermits, ofACounterOfRedissonGoBackToItAndItStays) {
  probe()({"SET", "pool", "2"}); // trySetPermits
  probe().listenToAll();
  auto &one = user(party(), 1, 100);
  auto &two = user(party(), 2, 100);
  ASSERT_TRUE(one.takes());
  EXPECT_FALSE(two.takes()) << "what Redisson said counts, not what we say";
  EXPECT_EQ(free(), "1");
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
  EXPECT_EQ(free(), "2");
  EXPECT_EQ(probe().number({"DBSIZE"}), 1);
  EXPECT_TRUE(eventually([&] { return !probe().heard().empty(); }));
  EXPECT_THAT(probe().heard(), ElementsAre(std::string(channel) + " 2")) << "the new number";
  probe()({"DEL", "pool"});
}

TEST_P(CountedPermits, aWaiterIsWokenByWhatRedissonGivesBack) {
  probe()({"SET", "pool", "0"});
  auto &one = user(party(), 2);
  auto waiting = one.start(patient);
  ASSERT_TRUE(eventually([&] { return probe()({"PUBSUB", "NUMSUB", channel}).array().at(1).integer() == 1; }));
  probe()({"INCRBY", "pool", "1"});
  probe()({"PUBLISH", channel, "1"});
  EXPECT_EQ(waiting.wait_for(50ms), std::future_status::timeout) << "one is not enough";
  probe()({"INCRBY", "pool", "1"});
  probe()({"PUBLISH", channel, "2"});
  ASSERT_EQ(waiting.wait_for(20s), std::future_status::ready);
  EXPECT_TRUE(std::holds_alternative<Acquired>(waiting.get()));
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
  probe()({"DEL", "pool"});
}

TEST_P(CountedPermits, ofWhoEndedComeBackAfterTheirLeaseAndAreTold) {
  probe()({"SET", "pool", "0"});
  probe()({"ZADD", outKey(), serverTimePlus(-1s), javaPermit});
  probe()({"ZADD", outKey(), serverTimePlus(60s), "fedcba9876543210"});
  probe().listenToAll();
  auto &one = user(party(), 1);
  EXPECT_TRUE(one.takes());
  EXPECT_EQ(out(), 2);
  EXPECT_EQ(free(), "0");
  EXPECT_TRUE(eventually([&] { return !probe().heard().empty(); }));
  EXPECT_EQ(probe().heard().front(), std::string(channel) + " 1");
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
  probe()({"DEL", "pool", outKey()});
}

TEST_P(CountedPermits, aWaiterGetsInWhenALeaseEndsThoughNobodyPublishes) {
  probe()({"SET", "pool", "0"});
  probe()({"ZADD", outKey(), serverTimePlus(300ms), javaPermit});
  auto &one = user(party(), 1);
  auto waiting = one.start(patient);
  ASSERT_EQ(waiting.wait_for(20s), std::future_status::ready) << "long before the poll";
  EXPECT_TRUE(std::holds_alternative<Acquired>(waiting.get()));
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
  probe()({"DEL", "pool"});
}

TEST_P(CountedPermits, thatLapsedAndWereTakenBackAreLostAndNotGivenBackTwice) {
  probe()({"SET", "pool", "1"});
  auto &one = user(party(), 1, 5, {.lease = 600ms});
  ASSERT_TRUE(one.takes());
  probe()({"DEL", outKey()}); // as who finds them lapsed does
  probe()({"SET", "pool", "1"});
  ASSERT_TRUE(eventually([&] { return one.loss().has_value(); }));
  EXPECT_EQ(one.release(), ReleaseOutcome::NotOwner);
  EXPECT_EQ(free(), "1");
  probe()({"DEL", "pool"});
}

TEST_P(CountedPermits, ofOneOwnerAreAsManyIdsAsHeTook) {
  auto &one = user(party(), 300, 1000);
  const auto outcome = one.tryAcquire();
  ASSERT_TRUE(std::holds_alternative<Acquired>(outcome));
  EXPECT_EQ(out(), 300);
  EXPECT_EQ(free(), "700");
  if (isExpirable()) {
    const Reply ids = probe()({"ZRANGE", outKey(), "0", "-1"});
    for (const auto &id : ids.array())
      EXPECT_EQ(id.text()->size(), 16U) << "as Redisson stores them";
    EXPECT_EQ(std::get<Acquired>(outcome).token.bytes().size(), 16U);
  }
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
}

TEST_P(CountedPermits, waitersOfAClientGetInInTheirOrderAndAllAtOnceIfThereIsRoom) {
  auto &all = user(party(), 5);
  ASSERT_TRUE(all.takes());
  auto &client = party();
  auto &wide = user(client, 4);
  auto wideWaits = wide.start(patient);
  ASSERT_TRUE(eventually([&] { return probe()({"PUBSUB", "NUMSUB", channel}).array().at(1).integer() == 1; }));
  std::vector<Owner *> narrow;
  std::vector<std::future<AcquireOutcome>> waits;
  for (int i = 0; i < 5; ++i) {
    narrow.push_back(&user(client, 1));
    waits.push_back(narrow.back()->start(patient));
  }
  EXPECT_EQ(all.release(), ReleaseOutcome::Released);
  ASSERT_TRUE(std::holds_alternative<Acquired>(wideWaits.get()));
  ASSERT_TRUE(std::holds_alternative<Acquired>(waits[0].get()));
  EXPECT_EQ(waits[1].wait_for(50ms), std::future_status::timeout) << "five are out";
  EXPECT_EQ(wide.release(), ReleaseOutcome::Released);
  for (std::size_t i = 1; i < waits.size(); ++i) {
    ASSERT_EQ(waits[i].wait_for(20s), std::future_status::ready);
    EXPECT_TRUE(std::holds_alternative<Acquired>(waits[i].get()));
  }
  for (auto *one : narrow)
    EXPECT_EQ(one->release(), ReleaseOutcome::Released);
}

TEST_P(CountedPermits, aKeyThatHoldsNoNumberIsToldAndUntouched) {
  probe()({"SET", "pool", "precious"});
  auto &one = user(party(), 1);
  EXPECT_TRUE(std::holds_alternative<Failed>(one.tryAcquire()));
  EXPECT_EQ(free(), "precious");
  EXPECT_EQ(probe().number({"DBSIZE"}), 1);
  probe()({"DEL", "pool"});
}
