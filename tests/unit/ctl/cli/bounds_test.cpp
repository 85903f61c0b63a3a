// SPDX-License-Identifier: Apache-2.0
// Numbers and words at the edges of what the command line takes: refused in one sentence, never cut, wrapped or left out.
#include "app/ctl/cli/arguments.h"

#include <gmock/gmock.h>

namespace lockhouse::ctl {
namespace {

using testing::HasSubstr;
using testing::Not;
using Words = std::vector<std::string>;

std::string usageError(const Words &words) {
  const auto parsed = parseArguments(words, nullptr);
  EXPECT_FALSE(parsed) << testing::PrintToString(words);
  if (parsed)
    return {};
  EXPECT_EQ(parsed.error().code, 2);
  EXPECT_EQ(parsed.error().text.find('\n'), std::string::npos);
  return parsed.error().text;
}

Words release(Words more) {
  Words words{"release", "k", "--holder", "h"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(Bounds, aNumberIsDigitsWithinWhatItsTypeHolds) {
  for (const auto *number : {"-1", "-3", "+1", "1.5", "1e3", "0x10", " 1", "18446744073709551616", "99999999999999999999", "nan", ""}) {
    EXPECT_THAT(usageError({"stress", "--count", number}), HasSubstr("--count: give a whole number from 1 to")) << number;
    EXPECT_THAT(usageError({"stress", "--count", "1", "--clients", number}), HasSubstr("--clients: give a whole number from 1 to")) << number;
    EXPECT_THAT(usageError({"stress", "--count", "1", "--hold", number}), HasSubstr("--hold: give a whole number from 0 to")) << number;
    EXPECT_THAT(usageError({"audit", "--last", number}), HasSubstr("--last: give a whole number from 0 to")) << number;
    EXPECT_THAT(usageError(release({"--reason", "x", "--plan", "--count", number})), HasSubstr("--count: give a whole number from 1 to")) << number;
  }
  EXPECT_THAT(usageError({"stress", "--count", "1", "--keys", "-1"}), HasSubstr("--keys is own or a number above 0"));
  EXPECT_THAT(usageError({"stress", "--count", "1", "--keys", "4294967296"}), HasSubstr("--keys is own or a number above 0"));
  EXPECT_EQ(parseArguments({"stress", "--count", "9223372036854775807"}, nullptr).value().stress.count, 9'223'372'036'854'775'807U);
}

TEST(Bounds, secondsAreFiniteAndTheSentenceNamesBothEnds) {
  for (const auto *seconds : {"nan", "inf", "-1", "1e8", "soon", "1s", ""})
    EXPECT_THAT(usageError({"watch", "--for", seconds}), HasSubstr("--for: give seconds, from 0 to 10000000")) << seconds;
  EXPECT_THAT(usageError({"stress", "--duration", "nan"}), HasSubstr("--duration: give seconds, from 0.001 to 10000000"));
  EXPECT_EQ(parseArguments({"watch", "--for", "0.25"}, nullptr).value().watchFor, milliseconds(250));
}

TEST(Bounds, anEmptyValueIsNoDefault) {
  for (const auto *option : {"--keys", "--policy", "--primitive"})
    EXPECT_THAT(usageError({"stress", "--count", "1", option, ""}), HasSubstr(option));
  EXPECT_THAT(usageError(release({"--reason", "", "--plan"})), HasSubstr("--reason"));
  EXPECT_THAT(usageError({"audit", "--audit", ""}), HasSubstr("--audit"));
  EXPECT_THAT(usageError({"show", "k", "--node", ""}), HasSubstr("--node"));
  EXPECT_THAT(usageError({"show", "--node=", "k"}), HasSubstr("--node")) << "the key is no node";
}

TEST(Bounds, anOptionIsNoValue) {
  EXPECT_THAT(usageError(release({"--reason", "--plan", "--apply"})), HasSubstr("--reason"));
  EXPECT_THAT(usageError({"release", "k", "--holder", "--count", "3", "--reason", "x", "--plan"}), HasSubstr("--holder"));
  EXPECT_THAT(usageError({"release", "--holder", "--key-b64", "YQ==", "--reason", "x", "--plan"}), HasSubstr("--holder"));
  EXPECT_EQ(parseArguments(release({"--reason", "-- dead since noon", "--plan"}), nullptr).value().reason, "-- dead since noon");
}

TEST(Bounds, oneDatabaseOfOneServerIsGivenOnce) {
  const auto error = usageError({"--url", "redis://op:secret@a:1", "--url", "redis://b:1", "--url", "redis://eye:other@a:1/0", "list"});
  EXPECT_THAT(error, HasSubstr("redis://op"));
  EXPECT_THAT(error, HasSubstr("redis://eye"));
  EXPECT_THAT(error, Not(HasSubstr("secret")));
  EXPECT_THAT(error, Not(HasSubstr("other@")));
  EXPECT_TRUE(parseArguments({"--url", "redis://a:1/0", "--url", "redis://a:1/1", "list"}, nullptr));
}

TEST(Bounds, ofATypeAreThoseOfKeys) {
  EXPECT_THAT(usageError(release({"--plan", "--type", "foo"})), HasSubstr("--type: give string, hash, list, set or zset"));
  EXPECT_EQ(parseArguments(release({"--plan", "--type", "zset"}), nullptr).value().type, ValueType::SortedSet);
}

} // namespace
} // namespace lockhouse::ctl
