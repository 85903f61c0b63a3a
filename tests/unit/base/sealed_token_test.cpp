// SPDX-License-Identifier: Apache-2.0
#include "core/base/sealed_token.h"

#include <gtest/gtest.h>

#include <set>

namespace lockhouse {
namespace {

TEST(SealedToken, isKnownAndNoTwoAreTheSame) {
  std::set<std::string> seen;
  for (int i = 0; i < 1'000; ++i) {
    const auto token = sealedToken();
    ASSERT_TRUE(token);
    EXPECT_EQ(token->bytes().size(), 24U);
    EXPECT_TRUE(isSealedToken(token->bytes())) << token->bytes();
    EXPECT_TRUE(seen.insert(token->bytes()).second);
  }
}

TEST(SealedToken, isNotWhatOnlyHasItsForm) {
  auto token = sealedToken()->bytes();
  token[5] = token[5] == 'A' ? 'B' : 'A';
  EXPECT_FALSE(isSealedToken(token)) << "one character is another";
  for (const auto *text : {"Zk9xT2w3dFp1R2hYc0pLbWJ2", "q83v+jRWeJCrze8S/FZ4kA7b", "", "AAAAAAAAAAAAAAAAAAAAAAA=", "not base64 at all ______"})
    EXPECT_FALSE(isSealedToken(text)) << text;
}

} // namespace
} // namespace lockhouse
