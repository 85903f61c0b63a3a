// SPDX-License-Identifier: Apache-2.0
#include "core/base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace lockhouse {
namespace {

bool isLowerHex(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

TEST(RandomToken, is32LowerCaseHexDigits) {
  const auto token = randomToken();
  ASSERT_TRUE(token);
  EXPECT_EQ(token->bytes().size(), 32U);
  EXPECT_TRUE(isLowerHex(token->bytes()));
}

TEST(RandomToken, neverRepeatsAcrossThreads) {
  constexpr std::size_t threads = 4, each = 50000;
  std::array<std::vector<std::string>, threads> made;
  {
    std::vector<std::jthread> workers;
    for (auto &mine : made)
      workers.emplace_back([&mine] {
        for (std::size_t i = 0; i < each; ++i)
          mine.push_back(randomToken().value().bytes());
      });
  }
  std::set<std::string> all;
  for (const auto &mine : made)
    all.insert(mine.begin(), mine.end());
  EXPECT_EQ(all.size(), threads * each);
}

TEST(RandomUuid, isVersion4OfRfc9562) {
  for (int i = 0; i < 200; ++i) {
    const auto uuid = randomUuid().value();
    ASSERT_EQ(uuid.size(), 36U);
    for (const std::size_t dash : {8U, 13U, 18U, 23U})
      EXPECT_EQ(uuid[dash], '-');
    EXPECT_EQ(uuid[14], '4');
    EXPECT_NE(std::string_view("89ab").find(uuid[19]), std::string_view::npos) << uuid;
    std::string digits = uuid;
    std::erase(digits, '-');
    EXPECT_EQ(digits.size(), 32U);
    EXPECT_TRUE(isLowerHex(digits));
  }
}

TEST(RandomBytes, everyBitIsSetAboutHalfTheTime) {
  std::array<int, 128> ones{};
  constexpr int draws = 20000;
  for (int draw = 0; draw < draws; ++draw) {
    std::array<char, 16> bytes{};
    ASSERT_TRUE(randomBytes(bytes));
    for (std::size_t bit = 0; bit < ones.size(); ++bit)
      ones[bit] += (static_cast<unsigned char>(bytes[bit / 8]) >> (bit % 8)) & 1;
  }
  for (const int count : ones)
    EXPECT_NEAR(count, draws * 0.5, 600) << "more than eight standard deviations off";
}

TEST(RandomBytes, fillsAnyLength) {
  for (const std::size_t size : {0U, 1U, 255U, 256U, 257U, 1024U, 4096U, 100000U}) {
    std::vector<char> bytes(size);
    ASSERT_TRUE(randomBytes(bytes)) << size;
    if (size < 255)
      continue;
    EXPECT_GT(std::set<char>(bytes.begin(), bytes.end()).size(), 100U) << "random bytes of length " << size << " are not all alike";
  }
}

// What a forked child draws next, sent home through a pipe.
std::string drawInAChild() {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0)
    return {};
  const pid_t child = fork();
  if (child == 0) {
    std::array<char, 64> bytes{};
    const bool drawn = randomBytes(bytes).has_value();
    const bool sent = drawn && write(ends[1], bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
    _exit(sent ? 0 : 1);
  }
  close(ends[1]);
  std::string got(64, '\0');
  const ssize_t size = read(ends[0], got.data(), got.size());
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return size == 64 ? got : std::string{};
}

TEST(RandomBytes, aForkedChildNeverDrawsItsParentsOrItsSiblingsBytes) {
  std::array<char, 16> warm{};
  ASSERT_TRUE(randomBytes(warm)); // the parent's pool is full now
  std::set<std::string> drawn;
  for (int i = 0; i < 3; ++i)
    drawn.insert(drawInAChild());
  std::string mine(64, '\0');
  ASSERT_TRUE(randomBytes(mine));
  drawn.insert(mine);
  EXPECT_FALSE(drawn.contains(std::string{}));
  EXPECT_EQ(drawn.size(), 4U);
}

TEST(RandomSeed, isAnotherEveryTime) {
  std::set<std::uint64_t> seeds;
  for (int i = 0; i < 1000; ++i)
    seeds.insert(randomSeed());
  EXPECT_EQ(seeds.size(), 1000U);
  EXPECT_GT(*seeds.rbegin(), 1ULL << 60U) << "all 64 bits are drawn";
}

TEST(Jitter, followsSplitmix64) {
  Jitter jitter(1234567);
  for (const std::uint64_t expected : {6457827717110365317ULL, 3203168211198807973ULL, 9817491932198370423ULL, 4593380528125082431ULL, 16408922859458223821ULL})
    EXPECT_EQ(jitter.next(), expected);
}

TEST(Jitter, unitStaysBelowOne) {
  Jitter jitter(9);
  double least = 1, most = 0, sum = 0;
  for (int i = 0; i < 100000; ++i) {
    const double value = jitter.unit();
    least = std::min(least, value);
    most = std::max(most, value);
    sum += value;
  }
  EXPECT_GE(least, 0);
  EXPECT_LT(most, 1);
  EXPECT_NEAR(sum / 100000, 0.5, 0.01);
}

} // namespace
} // namespace lockhouse
