// SPDX-License-Identifier: Apache-2.0
#include "core/net/resp/reply_reader.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace lockhouse {
namespace {

std::vector<Reply> readAll(std::string_view bytes, const ReplyLimits &limits = {}) {
  ReplyReader reader(limits);
  reader.feed(bytes);
  std::vector<Reply> replies;
  Reply reply;
  while (reader.next(reply) == ReplyReader::Step::Reply)
    replies.push_back(std::move(reply));
  EXPECT_TRUE(reader.fault().empty());
  return replies;
}

Reply readOne(std::string_view bytes, const ReplyLimits &limits = {}) {
  auto replies = readAll(bytes, limits);
  EXPECT_EQ(replies.size(), 1U);
  return replies.empty() ? Reply(Reply::Failure{"nothing read"}) : std::move(replies.front());
}

TEST(ReplyReader, readsEachTypeOfReply) {
  EXPECT_EQ(readOne("+OK\r\n"), Reply(Reply::Status{"OK"}));
  EXPECT_EQ(readOne("-NOSCRIPT No matching script.\r\n"), Reply(Reply::Failure{"NOSCRIPT No matching script."}));
  EXPECT_EQ(readOne(":7\r\n"), Reply(std::int64_t{7}));
  EXPECT_EQ(readOne("$3\r\nabc\r\n"), Reply(std::string("abc")));
  EXPECT_EQ(readOne("$-1\r\n"), Reply());
  EXPECT_EQ(readOne("*-1\r\n"), Reply());
  EXPECT_EQ(readOne("*2\r\n:1\r\n$1\r\nb\r\n"), Reply(Reply::Array{Reply(std::int64_t{1}), Reply(std::string("b"))}));
}

TEST(ReplyReader, readsTheSmallestOfEachType) {
  EXPECT_EQ(readOne("+\r\n"), Reply(Reply::Status{""}));
  EXPECT_EQ(readOne("-\r\n"), Reply(Reply::Failure{""}));
  EXPECT_EQ(readOne("$0\r\n\r\n"), Reply(std::string()));
  EXPECT_EQ(readOne("*0\r\n"), Reply(Reply::Array{}));
  EXPECT_EQ(readOne("*1\r\n*0\r\n"), Reply(Reply::Array{Reply(Reply::Array{})}));
}

TEST(ReplyReader, readsTheLargestIntegers) {
  EXPECT_EQ(readOne(":9223372036854775807\r\n").integer(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(readOne(":-9223372036854775808\r\n").integer(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(readOne(":0\r\n").integer(), 0);
}

TEST(ReplyReader, keepsBytesThatLookLikeFramesInsideABulk) {
  const std::string bytes("\r\n$5\r\n\0*1\r\n", 12);
  EXPECT_EQ(readOne("$12\r\n" + bytes + "\r\n"), Reply(bytes));
}

TEST(ReplyReader, readsArraysAsDeepAsItMay) {
  Reply expected(std::int64_t{1});
  std::string bytes = ":1\r\n";
  for (int depth = 0; depth < 7; ++depth) {
    expected = Reply(Reply::Array{std::move(expected)});
    bytes.insert(0, "*1\r\n");
  }
  EXPECT_EQ(readOne(bytes), expected);
}

TEST(ReplyReader, readsALineOfExactlyTheLimit) {
  const std::string text(64 * 1024, 'x');
  EXPECT_EQ(readOne("-" + text + "\r\n"), Reply(Reply::Failure{text}));
}

TEST(ReplyReader, handsOnTheLengthOfABulkThatIsTooLongToKeep) {
  const ReplyLimits limits{.line = 64, .bulk = 4};
  EXPECT_EQ(readOne("$4\r\nabcd\r\n", limits), Reply(std::string("abcd")));
  EXPECT_EQ(readOne("$5\r\nabcde\r\n", limits), Reply(Reply::Elided{5}));
}

TEST(ReplyReader, elidesInsideAnArrayWithoutLosingItsNeighbours) {
  const auto reply = readOne("*5\r\n:5\r\n$6\r\nabcdef\r\n*2\r\n$1\r\na\r\n$7\r\nabcdefg\r\n:6\r\n$2\r\nzz\r\n", {.line = 64, .bulk = 4});
  const Reply inner(Reply::Array{Reply(std::string("a")), Reply(Reply::Elided{7})});
  EXPECT_EQ(reply, Reply(Reply::Array{Reply(std::int64_t{5}), Reply(Reply::Elided{6}), inner, Reply(std::int64_t{6}), Reply(std::string("zz"))}));
}

TEST(ReplyReader, doesNotCountAnElidedBulkTowardsTheTotal) {
  const ReplyLimits limits{.line = 64, .bulk = 4, .elements = 8, .depth = 2, .total = 1000};
  const std::string large = "$5000\r\n" + std::string(5000, 'x') + "\r\n";
  EXPECT_EQ(readOne("*2\r\n" + large + ":1\r\n", limits).array().size(), 2U);
}

TEST(ReplyReader, goesOnAfterALargeReply) {
  const std::string large(900000, 'x');
  const auto replies = readAll("$900000\r\n" + large + "\r\n+OK\r\n");
  ASSERT_EQ(replies.size(), 2U);
  EXPECT_EQ(replies[0], Reply(large));
  EXPECT_TRUE(replies[1].isOk());
}

TEST(ReplyReader, readsAThousandRepliesOfOnePiece) {
  std::string bytes;
  for (int i = 0; i < 1000; ++i)
    bytes += ":" + std::to_string(i) + "\r\n";
  const auto replies = readAll(bytes);
  ASSERT_EQ(replies.size(), 1000U);
  for (int i = 0; i < 1000; ++i)
    EXPECT_EQ(replies[static_cast<std::size_t>(i)].integer(), i);
}

} // namespace
} // namespace lockhouse
