// SPDX-License-Identifier: Apache-2.0
#include "core/net/connection/subscriptions.h"

#include <gtest/gtest.h>

namespace lockhouse {
namespace {

Subscriptions::Done marker(int &calls) {
  return [&calls](Result<void>) { ++calls; };
}

TEST(Subscriptions, letsEveryHolderWaitForTheOneAnswer) {
  Subscriptions held;
  int calls = 0;
  auto first = marker(calls), second = marker(calls), third = marker(calls);
  EXPECT_FALSE(held.add("c", first));
  EXPECT_TRUE(held.needsSending("c"));
  const auto ticket = held.sent("c");
  EXPECT_FALSE(held.add("c", second));
  EXPECT_FALSE(held.needsSending("c"));
  EXPECT_EQ(held.confirm("c", ticket).size(), 2U);
  EXPECT_TRUE(held.add("c", third)) << "confirmed already";
  EXPECT_TRUE(static_cast<bool>(third)) << "left to the caller";
}

TEST(Subscriptions, leavesWithItsLastHolderOnly) {
  Subscriptions held;
  Subscriptions::Done none;
  held.add("c", none);
  held.add("c", none);
  EXPECT_FALSE(held.remove("c"));
  EXPECT_TRUE(held.holds("c"));
  EXPECT_TRUE(held.remove("c"));
  EXPECT_FALSE(held.holds("c"));
  EXPECT_FALSE(held.remove("c"));
}

TEST(Subscriptions, doesNotTakeTheAnswerToAnEarlierOneForALaterOne) {
  Subscriptions held;
  int calls = 0;
  Subscriptions::Done none;
  held.add("c", none);
  const auto first = held.sent("c");
  held.remove("c");
  auto done = marker(calls);
  held.add("c", done);
  const auto second = held.sent("c");
  EXPECT_TRUE(held.confirm("c", first).empty());
  EXPECT_TRUE(held.refuse("c", first).empty());
  EXPECT_TRUE(held.holds("c"));
  EXPECT_EQ(held.confirm("c", second).size(), 1U);
}

TEST(Subscriptions, forgetsARefusedChannel) {
  Subscriptions held;
  int calls = 0;
  auto done = marker(calls);
  held.add("c", done);
  EXPECT_EQ(held.refuse("c", held.sent("c")).size(), 1U);
  EXPECT_FALSE(held.holds("c"));
}

TEST(Subscriptions, sendsEverythingAgainOnANewConnection) {
  Subscriptions held;
  Subscriptions::Done none;
  int calls = 0;
  auto done = marker(calls);
  held.add("a", none);
  held.confirm("a", held.sent("a"));
  held.add("b", done);
  held.sent("b");
  EXPECT_EQ(held.reset().size(), 1U);
  EXPECT_EQ(held.channels(), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(held.needsSending("a"));
  EXPECT_TRUE(held.needsSending("b"));
}

} // namespace
} // namespace lockhouse
