// SPDX-License-Identifier: Apache-2.0
// What a hostile or broken server may send. Each is refused with a reason, whole or cut into single bytes; none aborts.
#include "core/net/resp/reply_reader.h"
#include "tests/unit/net/thread_time.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace lockhouse {
namespace {

struct Hostile {
  const char *name;
  std::string bytes;
  const char *fault;
};

void PrintTo(const Hostile &hostile, std::ostream *out) { *out << hostile.name; }

std::string repeated(const std::string &text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i)
    all += text;
  return all;
}

const Hostile hostileReplies[] = {
    {"aBulkLengthThatOverflowsAddition", "$9223372036854775807\r\n", "impossible length"},
    {"aBulkLengthBeyondInt64", "$9223372036854775808\r\n", "impossible length"},
    {"aBulkLengthOverTheServersLimit", "$536870913\r\n", "impossible length"},
    {"aBulkLengthOfMinusTwo", "$-2\r\n", "impossible length"},
    {"aBulkLengthOfMinusZero", "$-0\r\n", "impossible length"},
    {"aBulkLengthWithALeadingZero", "$03\r\nabc\r\n", "impossible length"},
    {"aBulkLengthWithAPlus", "$+3\r\nabc\r\n", "impossible length"},
    {"aBulkLengthWithJunk", "$3x\r\nabc\r\n", "impossible length"},
    {"aBulkLengthWithASpace", "$ 3\r\nabc\r\n", "impossible length"},
    {"aBulkWithoutALength", "$\r\n\r\n", "impossible length"},
    {"aBulkLengthThatNeverEnds", "$" + std::string(30, '1'), "too long"},
    {"aBulkLongerThanAnnounced", "$3\r\nabcd\r\n", "bulk string that does not end with CRLF"},
    {"aBulkShorterThanAnnounced", "$5\r\nabc\r\n+OK\r\n", "bulk string that does not end with CRLF"},
    {"aBulkEndedByLfAlone", "$3\r\nabc\n+OK\r\n", "bulk string that does not end with CRLF"},
    {"aBulkEndedByCrAndAnotherByte", "$3\r\nabc\rX", "bulk string that does not end with CRLF"},
    {"anElidedBulkWithoutCrlf", "$2000000\r\n" + std::string(2000000, 'a') + "XY", "bulk string that does not end with CRLF"},
    {"anArrayOfAHundredMillion", "*100000000\r\n", "too many elements"},
    {"aNestedArrayOfAHundredMillion", "*2\r\n*100000000\r\n", "too many elements"},
    {"anArrayOfInt64Max", "*9223372036854775807\r\n", "too many elements"},
    {"anArrayOfANegativeLength", "*-2\r\n", "impossible length"},
    {"anArrayLengthWithJunk", "*2,\r\n", "impossible length"},
    {"arraysNestedEightDeep", repeated("*1\r\n", 8), "nested too deep"},
    {"wideArraysWithinWideArrays", repeated("*1048576\r\n", 5), "too large"},
    {"anIntegerWithoutDigits", ":\r\n", "integer that is not one"},
    {"anIntegerWithJunk", ":12a\r\n", "integer that is not one"},
    {"anIntegerBeyondInt64", ":9223372036854775808\r\n", "integer that is not one"},
    {"anIntegerWithTwoSigns", ":--1\r\n", "integer that is not one"},
    {"aStatusEndedByLfAlone", "+OK\n", "does not end with CRLF"},
    {"aStatusWithACrInside", "+a\rb\r\n", "does not end with CRLF"},
    {"aTypeAndALineFeed", "+\n", "does not end with CRLF"},
    {"aStatusThatNeverEnds", "+" + std::string(70000, 'x'), "too long"},
    {"anErrorThatNeverEnds", "-" + std::string(70000, 'x'), "too long"},
    {"anEmptyLine", "\r\n", "type that RESP2 does not have"},
    {"aResp3Map", "%1\r\n+a\r\n+b\r\n", "type that RESP2 does not have"},
    {"aResp3Set", "~1\r\n+a\r\n", "type that RESP2 does not have"},
    {"aResp3Push", ">2\r\n+invalidate\r\n*0\r\n", "type that RESP2 does not have"},
    {"aResp3Null", "_\r\n", "type that RESP2 does not have"},
    {"aResp3Boolean", "#t\r\n", "type that RESP2 does not have"},
    {"aResp3Double", ",1.5\r\n", "type that RESP2 does not have"},
    {"aResp3Attribute", "|1\r\n+a\r\n+b\r\n", "type that RESP2 does not have"},
    {"aResp3StreamedString", "$?\r\n;4\r\nabcd\r\n;0\r\n", "impossible length"},
    {"anAnswerOfAWebServer", "HTTP/1.1 400 Bad Request\r\n\r\n", "type that RESP2 does not have"},
    {"aBannerOfSsh", "SSH-2.0-OpenSSH_9.2\r\n", "type that RESP2 does not have"},
    {"zeroBytes", std::string(64, '\0'), "type that RESP2 does not have"},
    {"anUnknownTypeInsideAnArray", "*2\r\n+a\r\n!5\r\nERROR\r\n", "type that RESP2 does not have"},
};

class HostileReplies : public testing::TestWithParam<Hostile> {};

// Feeds `bytes` in pieces of `size` until the reader stops; its last word.
ReplyReader::Step feedInPieces(ReplyReader &reader, std::string_view bytes, std::size_t size) {
  auto step = ReplyReader::Step::More;
  for (Reply reply; !bytes.empty() && step != ReplyReader::Step::Broken; bytes.remove_prefix(std::min(size, bytes.size()))) {
    reader.feed(bytes.substr(0, size));
    do
      step = reader.next(reply);
    while (step == ReplyReader::Step::Reply);
  }
  return step;
}

TEST_P(HostileReplies, areRefusedWithAReason) {
  ReplyReader reader;
  EXPECT_EQ(feedInPieces(reader, GetParam().bytes, GetParam().bytes.size()), ReplyReader::Step::Broken);
  EXPECT_NE(reader.fault().english().find(GetParam().fault), std::string::npos) << reader.fault().english();
}

TEST_P(HostileReplies, areRefusedByteByByteToo) {
  ReplyReader reader;
  EXPECT_EQ(feedInPieces(reader, GetParam().bytes, 1), ReplyReader::Step::Broken);
  EXPECT_NE(reader.fault().english().find(GetParam().fault), std::string::npos) << reader.fault().english();
}

TEST_P(HostileReplies, doNotTakeTheGoodReplyBeforeThemAlong) {
  ReplyReader reader;
  const std::string bytes = ":42\r\n" + GetParam().bytes;
  reader.feed(bytes);
  Reply reply;
  ASSERT_EQ(reader.next(reply), ReplyReader::Step::Reply);
  EXPECT_EQ(reply.integer(), 42);
  EXPECT_EQ(reader.next(reply), ReplyReader::Step::Broken);
  EXPECT_EQ(reader.next(reply), ReplyReader::Step::Broken) << "a broken reader stays broken";
}

INSTANTIATE_TEST_SUITE_P(, HostileReplies, testing::ValuesIn(hostileReplies), [](const auto &hostile) { return hostile.param.name; });

TEST(ReplyGuard, rejectsManyBulksThatTogetherAreTooLarge) {
  ReplyReader reader({.total = 64 * 1024});
  EXPECT_EQ(feedInPieces(reader, "*100\r\n" + repeated("$1024\r\n" + std::string(1024, 'a') + "\r\n", 100), 700), ReplyReader::Step::Broken);
  EXPECT_EQ(reader.fault().english(), "a reply that is too large");
}

TEST(ReplyGuard, rejectsAStatusLineOf64MegabytesInSmallPiecesForLessThanALookAtIt) {
  const std::string bytes = "+" + std::string(64 << 20, 'x');
  constexpr std::size_t piece = 16 * 1024;
  const void *found = bytes.data();
  const auto look = test::threadTime([&] { found = std::memchr(bytes.data(), '\n', bytes.size()); });
  const auto read = test::threadTime([&] {
    ReplyReader reader;
    Reply reply;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      reader.feed(std::string_view(bytes).substr(at, piece));
      reader.next(reply);
    }
    EXPECT_EQ(reader.next(reply), ReplyReader::Step::Broken);
  });
  EXPECT_EQ(found, nullptr);
  EXPECT_LT(read, look);
}

// A quadratic reader would take sixteen times as long a byte for a line sixteen times as long.
TEST(ReplyGuard, takesLinearTimeForALineThatComesByteByByte) {
  const auto timeFor = [](std::size_t length, std::size_t lines) {
    const std::string line = "+" + std::string(length, 'x') + "\r\n";
    return test::threadTime([&] {
      ReplyReader reader;
      for (std::size_t i = 0; i < lines; ++i)
        feedInPieces(reader, line, 1);
    });
  };
  EXPECT_LT(timeFor(64000, 1), 4 * timeFor(4000, 16));
}

TEST(ReplyGuard, takesLinearTimeForAnElidedBulkInSmallPieces) {
  const auto timeFor = [](std::size_t size) {
    const std::string head = "$" + std::to_string(size) + "\r\n";
    const std::string piece(16 * 1024, 'x');
    return test::threadTime([&] {
      ReplyReader reader;
      Reply reply;
      reader.feed(head);
      EXPECT_EQ(reader.next(reply), ReplyReader::Step::More);
      for (std::size_t sent = 0; sent < size; sent += piece.size()) {
        reader.feed(std::string_view(piece).substr(0, size - sent));
        EXPECT_EQ(reader.next(reply), ReplyReader::Step::More);
      }
      reader.feed("\r\n");
      EXPECT_EQ(reader.next(reply), ReplyReader::Step::Reply);
      EXPECT_EQ(reply.elided(), size);
    });
  };
  EXPECT_LT(timeFor(std::size_t{256} << 20), 4 * 8 * timeFor(std::size_t{32} << 20));
}

} // namespace
} // namespace lockhouse
