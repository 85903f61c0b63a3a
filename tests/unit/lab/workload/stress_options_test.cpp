// SPDX-License-Identifier: Apache-2.0
#include "core/lab/workload/stress_options.h"
#include "core/lock/pages/primitive_info.h"

#include <gtest/gtest.h>

using namespace lockhouse;
using namespace std::chrono_literals;

namespace {

StressOptions aRun() {
  StressOptions options;
  options.duration = 1000ms;
  return options;
}

// The words of the refusal; empty if there is none.
std::string refusal(const StressOptions &options) {
  const auto result = completed(options);
  if (result)
    return {};
  EXPECT_EQ(result.error().code, ErrorCode::Usage);
  EXPECT_FALSE(result.error().next.empty()) << "says what to do";
  return result.error().sentence();
}

} // namespace

TEST(StressOptions, defaultPolicyIsThePrimitivesFirst) {
  for (const auto &info : primitiveInfos()) {
    auto options = aRun();
    options.primitive = info.name;
    const auto result = completed(options);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->policy, info.policies.front());
  }
}

TEST(StressOptions, everyPolicyOfEveryPrimitiveIsTaken) {
  for (const auto &info : primitiveInfos())
    for (const auto policy : info.policies) {
      auto options = aRun();
      options.primitive = info.name;
      options.policy = policy;
      EXPECT_EQ(refusal(options), "");
    }
}

TEST(StressOptions, unknownPrimitiveNamesTheKnownOnes) {
  auto options = aRun();
  options.primitive = "Mutexx\x1b[31m";
  const auto words = refusal(options);
  EXPECT_NE(words.find("Mutexx"), std::string::npos);
  EXPECT_NE(words.find("ReentrantLock"), std::string::npos);
  EXPECT_EQ(words.find('\x1b'), std::string::npos);
}

TEST(StressOptions, unknownPolicyNamesTheOnesOfThatPrimitive) {
  auto options = aRun();
  options.policy = "hope";
  const auto words = refusal(options);
  EXPECT_NE(words.find("hope"), std::string::npos);
  for (const auto policy : findPrimitive("Mutex")->policies)
    EXPECT_NE(words.find(policy), std::string::npos);
}

TEST(StressOptions, needsExactlyOneOfDurationAndCount) {
  auto options = aRun();
  options.count = 5;
  EXPECT_NE(refusal(options), "");
  options.duration.reset();
  EXPECT_EQ(refusal(options), "");
  options.count.reset();
  EXPECT_NE(refusal(options), "");
}

TEST(StressOptions, boundsAreChecked) {
  const auto with = [](auto change) {
    auto options = aRun();
    change(options);
    return refusal(options);
  };
  EXPECT_NE(with([](auto &o) { o.clients = 0; }), "");
  EXPECT_NE(with([](auto &o) { o.clients = 100'001; }), "");
  EXPECT_EQ(with([](auto &o) { o.clients = 100'000; }), "");
  EXPECT_NE(with([](auto &o) { o.keys = 100'001; }), "");
  EXPECT_NE(with([](auto &o) { o.stripes = 0; }), "");
  EXPECT_NE(with([](auto &o) { o.stripes = 100'001; }), "");
  EXPECT_NE(with([](auto &o) { o.hold = -1ms; }), "");
  EXPECT_NE(with([](auto &o) { o.think = 2h; }), "");
  EXPECT_NE(with([](auto &o) { o.lease = 9ms; }), "");
  EXPECT_EQ(with([](auto &o) { o.lease = 10ms; }), "");
  EXPECT_NE(with([](auto &o) { o.duration = 0ms; }), "");
  EXPECT_NE(with([](auto &o) { o.duration.reset(), o.count = 0; }), "");
  EXPECT_NE(with([](auto &o) { o.duration.reset(), o.count = 1'000'000'000'001; }), "");
  EXPECT_NE(with([](auto &o) { o.prefix.clear(); }), "");
}
