// SPDX-License-Identifier: Apache-2.0
#include "core/base/bytes.h"

#include <gtest/gtest.h>

#include <concepts>
#include <unordered_set>

namespace lockhouse {
namespace {

static_assert(!std::convertible_to<LockName, LockToken> && !std::constructible_from<LockToken, LockName>, "a name is not a token");
static_assert(!std::convertible_to<std::string, LockName> && !std::convertible_to<LockName, std::string>, "bytes become a name only on purpose");
static_assert(!std::equality_comparable_with<LockName, LockToken>);
static_assert(!std::convertible_to<std::uint64_t, Fence>);

TEST(StrongBytes, keepsEveryByte) {
  const std::string all("\x00\xff\xc3\n\x1b%s*", 7);
  EXPECT_EQ(LockName(all).bytes(), all);
  EXPECT_EQ(LockName(std::string_view(all)).bytes().size(), 7U);
  EXPECT_NE(LockName(all), LockName(all.c_str())) << "a C string ends at its NUL";
}

TEST(StrongBytes, ordersByBytes) {
  EXPECT_LT(LockName("a"), LockName("b"));
  EXPECT_LT(LockName("a"), LockName("aa"));
  EXPECT_LT(LockName(std::string("a\x7f")), LockName(std::string("a\x80"))) << "bytes are unsigned";
}

TEST(StrongBytes, hashesByValue) {
  std::unordered_set<LockName> names{LockName("a"), LockName("b"), LockName(std::string("a\0", 2))};
  EXPECT_EQ(names.size(), 3U);
  EXPECT_TRUE(names.contains(LockName("b")));
}

TEST(StrongBytes, movesItsBytesOut) {
  LockName name(std::string(100, 'x'));
  const char *at = name.bytes().data();
  const std::string taken = std::move(name).bytes();
  EXPECT_EQ(taken.data(), at) << "moved, not copied";
}

TEST(Fence, isGreaterForALaterGrant) {
  EXPECT_LT(Fence{1}, Fence{2});
  EXPECT_EQ(Fence{}, Fence{0});
}

} // namespace
} // namespace lockhouse
