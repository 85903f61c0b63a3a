// SPDX-License-Identifier: Apache-2.0
#include "core/lock/primitive.h"

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
  ASSERT_FALSE(primitiveInfos().empty());
  for (const auto &info : primitiveInfos()) {
    const auto *primitive = Primitive::find(info.name);
    ASSERT_NE(primitive, nullptr) << info.name;
    EXPECT_EQ(primitive->info().name, info.name);
    EXPECT_EQ(primitive->info().source, info.source);
    EXPECT_EQ(findPrimitive(info.name), &info);
    EXPECT_EQ(primitive->defaultPolicy().name(), info.policies.front());
    EXPECT_TRUE(primitive->takes(primitive->defaultPolicy()));
  }
}

TEST(PrimitiveInfo, isThereForEveryPrimitiveInOneOrder) {
  ASSERT_EQ(primitiveInfos().size(), Primitive::all().size());
  for (std::size_t i = 0; i < primitiveInfos().size(); ++i)
    EXPECT_EQ(primitiveInfos()[i].name, Primitive::all()[i]->info().name);
}

TEST(PrimitiveInfo, isNotFoundByAnUnknownName) {
  for (const auto *name : {"", "mutex", "Redlock"}) {
    EXPECT_EQ(findPrimitive(name), nullptr);
    EXPECT_EQ(Primitive::find(name), nullptr);
  }
}
