// SPDX-License-Identifier: Apache-2.0
#include "core/watch/text/id_time.h"

#include "tests/unit/watch/recognise.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace lockhouse {
namespace {

using test::recognise;

// One random token in 64 has the digits of a time-based UUID, and tells of any time from 1582 to 5236.
TEST(UuidTime, ofDigitsThatTellOfNoTimeOfOursIsRandom) {
  const auto read = [](const std::string &value, std::string_view key = "lock:orders") {
    KeyFacts facts;
    facts.key = key;
    facts.type = ValueType::String;
    facts.value = value;
    facts.ttl = seconds(20);
    facts.serverTime = milliseconds(1'795'500'000'000);
    return recognise(facts).value_or(LockRecord{});
  };
  const auto tells = [&read](const std::string &value) {
    const auto lock = read(value);
    const auto isTold = [](const MetadataEntry &extra) { return extra.name == "since" || extra.name == "mac"; };
    return std::ranges::any_of(lock.extras, isTold);
  };
  const std::string year2026 = "df1b9af0e6c711f1a73602fc00000001", year4601 = "df1b9af0e6c71d39a73602fc00000001", year2008 = "df1b9af0e6c711dba73602fc00000001",
                    year1659 = "df1b9af0e6c71055a73602fc00000001", year2040 = "df1b9af0e6c71200a73602fc00000001";
  EXPECT_TRUE(tells(year2026));
  for (const auto &random : {year4601, year2008, year1659}) {
    EXPECT_FALSE(tells(random)) << random;
    EXPECT_EQ(englishOf(read(random).evidence).at(0), "value is 32 hex digits, as node-redlock and others write");
    EXPECT_LT(read(random, "order:7").confidence, shownConfidence) << random << " is nobody's but redis-py's only with a time";
    EXPECT_FALSE(tells(random.substr(0, 8) + "-" + random.substr(8, 4) + "-" + random.substr(12, 4) + "-" + random.substr(16, 4) + "-" + random.substr(20)));
  }
  EXPECT_FALSE(tells(year2040)) << "years ahead of the server's clock";
}

TEST(UuidTime, tellsOfNoTimeAheadOfTheServersByMoreThanADay) {
  const auto since = [](milliseconds serverTime) {
    KeyFacts facts;
    facts.key = "job:lock";
    facts.type = ValueType::String;
    facts.value = "6b021aa04265b"; // of 1795300000
    facts.ttl = seconds(20);
    facts.serverTime = serverTime;
    return std::ranges::count(recognise(facts)->extras, "since", &MetadataEntry::name);
  };
  constexpr seconds made(1'795'300'000);
  EXPECT_EQ(since(made), 1);
  EXPECT_EQ(since(made - std::chrono::hours(23)), 1) << "clocks differ";
  EXPECT_EQ(since(made - std::chrono::hours(25)), 0);
  EXPECT_EQ(since(milliseconds(0)), 1) << "the server's time is not known";
}

} // namespace
} // namespace lockhouse
