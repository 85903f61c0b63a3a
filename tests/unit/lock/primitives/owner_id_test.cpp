// SPDX-License-Identifier: Apache-2.0
#include "core/lock/primitives/owner_id.h"
#include "core/lock/primitives/primitive.h"
#include "tests/unit/lock/manual_time.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <mutex>
#include <set>
#include <thread>

using namespace lockhouse;
using namespace lockhouse::test;

namespace {

const Primitive &mutex = *Primitive::find("Mutex");
const Primitive &reentrant = *Primitive::find("ReentrantLock");
const std::string uuid = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01";
const WallTime noon = SnowflakeIds::epoch + 24h * 365;

} // namespace

TEST(SnowflakeIds, areTimeWorkerAndSequence) {
  SnowflakeIds ids(5);
  EXPECT_EQ(ids.next(SnowflakeIds::epoch + 3ms), (std::uint64_t{3} << 22) | (5 << 12));
  EXPECT_EQ(ids.next(SnowflakeIds::epoch + 3ms), (std::uint64_t{3} << 22) | (5 << 12) | 1);
  EXPECT_EQ(ids.next(SnowflakeIds::epoch + 4ms), (std::uint64_t{4} << 22) | (5 << 12)) << "the sequence begins anew";
  const auto id = *SnowflakeIds(1023).next(noon);
  EXPECT_EQ(SnowflakeIds::timeOf(id), noon);
  EXPECT_EQ(SnowflakeIds::workerOf(id), 1023);
  EXPECT_EQ(SnowflakeIds::epoch.time_since_epoch(), seconds(1'704'067'200));
}

TEST(SnowflakeIds, growThoughTheClockGoesBackOrStandsBeforeTheirEpoch) {
  SnowflakeIds ids(1);
  const auto first = *ids.next(noon);
  const auto second = *ids.next(noon - 1h);
  const auto third = *ids.next(WallTime{});
  EXPECT_LT(first, second);
  EXPECT_LT(second, third);
  EXPECT_EQ(SnowflakeIds::timeOf(third), noon);
  EXPECT_GT(*SnowflakeIds(1).next(WallTime{}), 0U);
}

TEST(SnowflakeIds, borrowFromTheNextMillisecondWhenOneIsFull) {
  SnowflakeIds ids(7);
  std::set<std::uint64_t> seen;
  std::uint64_t last = 0;
  for (int i = 0; i < 10'000; ++i) {
    const auto id = *ids.next(noon);
    EXPECT_GT(id, last);
    EXPECT_EQ(SnowflakeIds::workerOf(id), 7) << "an overflow must not reach the worker";
    last = id;
    seen.insert(id);
  }
  EXPECT_EQ(seen.size(), 10'000U);
  EXPECT_EQ(SnowflakeIds::timeOf(last), noon + 2ms);
}

TEST(SnowflakeIds, endWithAnErrorWhenTheirTimeIsOver) {
  SnowflakeIds ids(0);
  const auto last = SnowflakeIds::epoch + milliseconds((std::int64_t{1} << 41) - 1);
  EXPECT_LT(*ids.next(last), std::uint64_t{1} << 63) << "positive where numbers have a sign";
  EXPECT_FALSE(ids.next(last + 1ms));
}

RC_GTEST_PROP(SnowflakeIdsProperty, growWhateverTheClockDoes, (const std::vector<std::int16_t> &steps)) {
  SnowflakeIds ids(3);
  auto now = noon;
  std::uint64_t last = 0;
  for (const auto step : steps) {
    now += milliseconds(step);
    const auto id = ids.next(now);
    RC_ASSERT(id.has_value());
    RC_ASSERT(*id > last);
    last = *id;
  }
}

TEST(OwnerIds, followThePrimitiveByDefault) {
  OwnerIds ids({}, uuid);
  EXPECT_EQ(ids.fresh(mutex, 1, noon)->bytes().size(), 32U);
  EXPECT_EQ(ids.fresh(reentrant, 2, noon)->bytes(), uuid + ":2");
}

TEST(OwnerIds, nameEveryHoldDifferentlyInEachFormat) {
  for (const auto format : {OwnerFormat::ByPrimitive, OwnerFormat::Token, OwnerFormat::UuidNumber, OwnerFormat::Snowflake}) {
    OwnerIds ids({.format = format, .worker = 3}, uuid);
    std::set<std::string> seen;
    for (std::uint64_t i = 0; i < 100; ++i)
      seen.insert(ids.fresh(mutex, i, noon)->bytes());
    EXPECT_EQ(seen.size(), 100U) << name(format);
  }
}

TEST(OwnerIds, areOfTheFormatAskedFor) {
  EXPECT_EQ(OwnerIds({.format = OwnerFormat::UuidNumber}, uuid).fresh(mutex, 1, noon)->bytes(), uuid + ":1");
  EXPECT_EQ(OwnerIds({.format = OwnerFormat::Snowflake, .worker = 4}, uuid).fresh(mutex, 1, SnowflakeIds::epoch + 1ms)->bytes(),
            std::to_string((1 << 22) + (4 << 12)))
      << "the first of this worker in this process";
}

TEST(OwnerIds, ofTwoClientsWithTheSameWorkerInOneProcessAreNeverTheSame) {
  OwnerIds one({.format = OwnerFormat::Snowflake, .worker = 9}, uuid), two({.format = OwnerFormat::Snowflake, .worker = 9}, uuid);
  std::set<std::string> seen;
  std::mutex guard;
  const auto take = [&](OwnerIds &ids) {
    for (std::uint64_t i = 0; i < 1000; ++i) {
      const auto id = ids.fresh(mutex, i, noon)->bytes();
      const std::scoped_lock lock(guard);
      seen.insert(id);
    }
  };
  std::thread other([&] { take(two); });
  take(one);
  other.join();
  EXPECT_EQ(seen.size(), 2000U);
}

TEST(OwnerIds, areRefusedWhereThePrimitiveDemandsAnotherFormat) {
  for (const auto format : {OwnerFormat::Token, OwnerFormat::Snowflake}) {
    const auto refused = OwnerIds({.format = format}, uuid).fresh(reentrant, 1, noon);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Usage);
    EXPECT_NE(refused.error().sentence().find("ReentrantLock"), std::string::npos) << refused.error().sentence();
  }
  EXPECT_TRUE(OwnerIds({.format = OwnerFormat::UuidNumber}, uuid).fresh(reentrant, 1, noon));
}

TEST(OwnerIds, refuseAWorkerThatHasNoPlaceInTheNumber) {
  const auto refused = OwnerIds({.format = OwnerFormat::Snowflake, .worker = 1024}, uuid).fresh(mutex, 1, noon);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::Usage);
}

TEST(OwnerIds, areNumberedInTheWayOfThePrimitive) {
  const auto &fair = *Primitive::find("FairLock");
  EXPECT_EQ(OwnerIds({.format = OwnerFormat::UuidNumber}, uuid).fresh(fair, 7, noon)->bytes(), fair.owner(uuid, 7)->bytes());
  EXPECT_FALSE(takesOwner(fair, OwnerFormat::Token));
}

// Whatever primitive is added: its own format is always taken, and what it takes is never a guess.
TEST(OwnerIds, areTakenByEveryPrimitiveInItsOwnFormat) {
  for (const auto *primitive : Primitive::all())
    EXPECT_TRUE(OwnerIds({}, uuid).fresh(*primitive, 1, noon)) << primitive->info().name;
}
