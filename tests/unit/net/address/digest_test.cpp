// SPDX-License-Identifier: Apache-2.0
#include "core/net/address/digest.h"

#include "core/base/encoding.h"

#include <gtest/gtest.h>

namespace lockhouse {
namespace {

// FIPS 180-4 examples and the digest of nothing.
TEST(Sha256, givesThePublishedDigests) {
  EXPECT_EQ(hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex(sha256(std::string(1000000, 'a'))), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, takesEveryByteIntoAccount) { EXPECT_NE(sha256(std::string("a\0b", 3)), sha256(std::string("a\0c", 3))); }

} // namespace
} // namespace lockhouse
