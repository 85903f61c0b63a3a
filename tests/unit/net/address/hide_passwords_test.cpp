// SPDX-License-Identifier: Apache-2.0
#include "core/net/address/hide_passwords.h"

#include <array>
#include <gtest/gtest.h>

namespace lockhouse {
namespace {

TEST(HidePasswords, overwritesThoseOfUrlsAndLeavesTheLengthOfEveryWord) {
  std::string program = "lockhousectl";
  std::string url = "redis://user:s3cret@host:6379/0";
  std::string joined = "--url=redis://:p@ss@host";
  std::string socket = "unix://:s3cret@/run/redis.sock?db=1";
  std::string plain = "redis://host:6379";
  std::array<char *, 5> words{program.data(), url.data(), joined.data(), socket.data(), plain.data()};
  hidePasswords(5, words.data());
  EXPECT_EQ(program, "lockhousectl");
  EXPECT_EQ(url, "redis://user:******@host:6379/0");
  EXPECT_EQ(joined, "--url=redis://:****@host");
  EXPECT_EQ(socket, "unix://:******@/run/redis.sock?db=1");
  EXPECT_EQ(plain, "redis://host:6379");
}

TEST(HidePasswords, bearsAProgramWithoutAName) { hidePasswords(0, nullptr); }

TEST(HidePasswords, leavesNoneInASentence) {
  EXPECT_EQ(withoutPassword("--url: redis://u:s3cret@host is no port"), "--url: redis://u:***@host is no port");
  EXPECT_EQ(withoutPassword("redis://:one@a redis://:two@b"), "redis://:***@b");
  EXPECT_EQ(withoutPassword("\x1b[31m"), "\\x1b[31m");
}

} // namespace
} // namespace lockhouse
