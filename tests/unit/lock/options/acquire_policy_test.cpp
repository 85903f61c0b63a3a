// SPDX-License-Identifier: Apache-2.0
#include "core/lock/pages/composition.h"
#include "core/lock/primitives/primitive.h"
#include "core/lock/primitives/redisson/count_down_latch_wait.h"

#include <gtest/gtest.h>

using namespace lockhouse;

TEST(AcquirePolicy, isFoundByItsOwnName) {
  for (const auto &policy : {AcquirePolicy::tryOnce(), AcquirePolicy::spin(), AcquirePolicy::backoff(), AcquirePolicy::pubSub()})
    EXPECT_EQ(AcquirePolicy::named(policy.name()), policy);
}

TEST(AcquirePolicy, isNotFoundByAnUnknownName) {
  for (const auto *name : {"", "Try", "TRY", "poll", "back-off"})
    EXPECT_FALSE(AcquirePolicy::named(name)) << name;
}

TEST(AcquirePolicy, onlyTryDoesNotWait) {
  EXPECT_FALSE(AcquirePolicy::tryOnce().waits());
  for (const auto &policy : {AcquirePolicy::spin(), AcquirePolicy::backoff(), AcquirePolicy::pubSub()})
    EXPECT_TRUE(policy.waits());
}

TEST(PrimitiveInfo, namesOnlyPoliciesThatExist) {
  for (const auto &info : primitiveInfos()) {
    ASSERT_FALSE(info.policies.empty()) << info.name;
    for (const auto name : info.policies)
      EXPECT_TRUE(AcquirePolicy::named(name)) << info.name << ' ' << name;
  }
}

TEST(PrimitiveInfo, leadsToAPrimitiveThatGivesItBack) {
  ASSERT_FALSE(Primitive::all().empty());
  for (const auto *primitive : Primitive::all()) {
    const auto &info = primitive->info();
    EXPECT_EQ(Primitive::find(info.name), primitive);
    ASSERT_NE(findPrimitive(info.name), nullptr) << info.name;
    EXPECT_EQ(findPrimitive(info.name)->source, info.source);
    EXPECT_EQ(primitive->defaultPolicy().name(), info.policies.front());
    EXPECT_TRUE(primitive->takes(primitive->defaultPolicy()));
  }
}

TEST(PrimitiveInfo, isThereForEveryPrimitiveThenForEveryCompositionThenForTheLatch) {
  std::vector<std::string_view> names;
  for (const auto *primitive : Primitive::all())
    names.push_back(primitive->info().name);
  for (const auto &info : compositionInfos()) {
    names.push_back(info.name);
    EXPECT_EQ(Primitive::find(info.name), nullptr) << "it has no format of its own";
  }
  names.push_back(CountDownLatchWait().info().name);
  ASSERT_EQ(primitiveInfos().size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i)
    EXPECT_EQ(primitiveInfos()[i].name, names[i]);
}

TEST(PrimitiveInfo, isNotFoundByAnUnknownName) {
  for (const auto *name : {"", "mutex", "Redlock"}) {
    EXPECT_EQ(findPrimitive(name), nullptr);
    EXPECT_EQ(Primitive::find(name), nullptr);
  }
}
