// SPDX-License-Identifier: Apache-2.0
// release where a lock has more holds than are read of it at once.
#include "tests/server/ctl/ctl_house.h"

#include <fmt/format.h>

namespace lockhouse {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class UnreadHoldsVerb : public test::CtlHouse {};

TEST_F(UnreadHoldsVerb, ofALockThatStaySayHowManyTheyAreAndAreNotDone) {
  redis({"SET", "permits", "0"});
  redis({"EVAL", "for i = 1, 1500 do redis.call('ZADD', '{permits}:timeout', '1895300000000', string.format('%015d\255', i)) end", "0"});
  std::vector<std::string> plan{"release", "--filter", "permits", "--reason", "x", "--plan"}, apply = plan;
  apply.back() = "--apply";
  const auto seen = ctl(plan);
  EXPECT_EQ(seen.code, 0);
  EXPECT_THAT(seen.out, HasSubstr("1000 of 1000 would be freed by --apply"));
  EXPECT_THAT(seen.out, HasSubstr("500 other holds were not read and stay"));
  EXPECT_THAT(seen.err, AllOf(HasSubstr("permits on "), HasSubstr("500 holds beyond what is read at once, which stay after --apply: run that again for them")));
  const auto first = ctl(apply);
  EXPECT_EQ(first.code, 5) << "a part is not all";
  EXPECT_THAT(first.out, HasSubstr("1000 of 1000 done. 500 other holds were not read and stay."));
  EXPECT_THAT(first.err, HasSubstr("500 holds beyond what is read at once, which stay: run this again for them"));
  const auto rest = ctl(apply);
  EXPECT_EQ(rest.code, 0) << rest.err;
  EXPECT_THAT(rest.out, AllOf(HasSubstr("500 of 500 done."), Not(HasSubstr("not read"))));
  EXPECT_EQ(redis({"EXISTS", "{permits}:timeout"}).integer(), 0);
}

TEST_F(UnreadHoldsVerb, areCountedInJson) {
  redis({"EVAL", "for i = 1, 2500 do redis.call('SADD', 'doc.readers', string.format('web1_%d_%032x', i, i)) end", "0"});
  const auto seen = json({"release", "--filter", "doc", "--reason", "x", "--plan"});
  const auto read = seen["results"].size();
  ASSERT_EQ(seen["unread"].size(), 1U);
  EXPECT_EQ(seen["unread"][0]["key"], "doc.writer");
  EXPECT_EQ(seen["unread"][0]["holds"], 2500 - read);
  EXPECT_EQ(seen["results"][0]["now"]["holders"].size(), read);
  EXPECT_EQ(seen["results"][1]["now"]["holders_left_out"], read - 1);
}

// A group of 1500 values, each locked by a thread of its own: under which names another thread's lie there cannot be asked for.
TEST_F(UnreadHoldsVerb, ofAThreadThatHasNoneOfThoseThatWereReadAreNotCalledNone) {
  redis({"EVAL",
         "for i = 1, 1500 do local value = string.format('%021dA', i) local owner = '5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:' .. i "
         "redis.call('HSET', 'group', value, owner, value .. ':' .. owner .. ':lock_count', '1', value .. ':' .. owner .. ':expire_time', '1895300000000') end",
         "0"});
  const std::string stranger = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:9999";
  const auto unknown = AllOf(HasSubstr("holds that were not read: whether some of them are of "), HasSubstr("holds nothing of what was read on these nodes"));
  const auto ended = ctl({"release", "--all", "--holder", stranger, "--reason", "x", "--plan"});
  EXPECT_EQ(ended.code, 5);
  EXPECT_THAT(ended.err, unknown);
  const auto filtered = ctl({"release", "--filter", "holder:" + stranger, "--reason", "x", "--plan"});
  EXPECT_EQ(filtered.code, 5);
  EXPECT_THAT(filtered.err, AllOf(HasSubstr("are of a holder that the filter names is not known"), HasSubstr("lets no hold through of what was read")));
  const auto elsewhere = ctl({"release", "--filter", "name:other holder:" + stranger, "--reason", "x", "--plan"});
  EXPECT_EQ(elsewhere.code, 5);
  EXPECT_THAT(elsewhere.err, Not(HasSubstr("not read")));
}

TEST_F(UnreadHoldsVerb, ofKeysThatThisUserMayNotReadAreNotCalledNone) {
  redis({"ACL", "SETUSER", "part", "on", ">pw", "~app:*", "&*", "+@all"});
  redis({"SET", "lock:b", test::token, "PX", "60000"});
  const auto asPart = [this](std::vector<std::string> meant, int code) {
    meant.insert(meant.begin(), {"--url", "redis://part:pw@" + address(), "release"});
    meant.insert(meant.end(), {"--reason", "x", "--plan"});
    const auto ended = bare(meant);
    EXPECT_EQ(ended.code, code);
    return ended.err;
  };
  const auto closed = HasSubstr("1 of its keys may not be read by this user; a lock among them is not among these and stays");
  EXPECT_THAT(asPart({"--all", "--holder", test::token}, 4), AllOf(closed, HasSubstr("holds nothing of what was read on these nodes")));
  EXPECT_THAT(asPart({"--filter", "name:b"}, 5), AllOf(closed, HasSubstr("lets no hold through of what was read")));
  EXPECT_THAT(asPart({"--filter", "pay:9"}, 5), AllOf(closed, HasSubstr("no word of a filter")));
}

TEST_F(UnreadHoldsVerb, ofRedissonsPermitsAreFoundByTheDigitsThatItsApiShows) {
  redis({"SET", "permits", "0"});
  redis({"EVAL", "for i = 1, 2500 do redis.call('ZADD', '{permits}:timeout', '1895300000000', string.format('%013d\\1\\2\\255', i)) end", "0"});
  const auto lock = json({"show", "permits"})["locks"][0];
  std::string digits;
  for (int i = 1; i <= 2500 && digits.empty(); ++i) {
    const auto number = fmt::format("{:013}", i);
    std::string hex;
    for (const char c : number)
      hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
    hex += "0102ff";
    if (lock.dump().find(number) == std::string::npos)
      digits = hex;
  }
  ASSERT_FALSE(digits.empty());
  const auto ended = ctl({"release", "permits", "--holder", digits, "--reason", "x", "--apply"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(redis({"ZCARD", "{permits}:timeout"}).integer(), 2499);
}

} // namespace
} // namespace lockhouse
