// SPDX-License-Identifier: Apache-2.0
#include "core/lock/formats/stripe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

using namespace lockhouse;
using namespace std::string_literals;

// Written down from another implementation: whatever changes one of them would part the processes of two versions.
TEST(StripeHash, isWhatItsDescriptionSays) {
  EXPECT_EQ(stripeHash(""), 0xefd01f60ba992926U);
  EXPECT_EQ(stripeHash("a"), 0x82a2a958a9bece5bU);
  EXPECT_EQ(stripeHash("foobar"), 0x2c22194922d1672bU);
  EXPECT_EQ(stripeHash("order:7"), 0xd6d23d643ec0988dU);
  EXPECT_EQ(stripeHash("订单:7"), 0x61128e6dec38aa87U) << "bytes above 127 are no negative numbers";
  EXPECT_EQ(stripeHash("\0\xff\0"s), 0x3b170ca7c3697056U);
  EXPECT_EQ(stripeHash(std::string(1000, 'x')), 0x27c232bef26106baU);
}

TEST(StripeOf, isTheHashModuloTheStripes) {
  EXPECT_EQ(stripeOf("order:7", 64), 13U);
  EXPECT_EQ(stripeOf("order:7", 1000), 357U);
  EXPECT_EQ(stripeOf("order:7", 1), 0U);
}

TEST(StripeOf, spreadsKeysThatDifferInOneDigitOnly) {
  std::array<int, 64> keys{};
  for (int i = 0; i < 64'000; ++i)
    ++keys.at(stripeOf("order:" + std::to_string(i), keys.size()));
  const auto [fewest, most] = std::ranges::minmax(keys); // 1000 on the mean, 32 by chance
  EXPECT_GT(fewest, 840);
  EXPECT_LT(most, 1160);
}

TEST(StripeName, isTheBaseAndTheNumber) {
  EXPECT_EQ(stripeName(LockName("orders"), 7), LockName("orders:stripe:7"));
  EXPECT_EQ(stripeName(LockName("{shop}:orders"), 0), LockName("{shop}:orders:stripe:0")) << "a tag of the base stays the name's tag";
}
