// SPDX-License-Identifier: Apache-2.0
// A hash of many fields of which a lock's are few, or lie far from each other.
#include "tests/unit/watch/read_desk.h"

namespace lockhouse::test {
namespace {

struct LongHash : ReadDesk {
  LongHash() { heuristics.mayWeigh = false; }
};

TEST_F(LongHash, ofHueysResultsOnlyTheLocksAreFetched) {
  KeyReader read("huey.results.app", {}, FamilyRegistry::builtIn());
  read.start(ValueType::Hash, heuristics, now, asks);
  EXPECT_EQ(asks.at(0).command[4], "*.lock.*");
  EXPECT_EQ(answer(read, {fields("17", {}), number(-1)}), KeyReader::End::Pending);
  EXPECT_EQ(answer(read, {fields("0", {"app.lock.nightly", "x"}), number(2001)}), KeyReader::End::Lock);
  const auto lock = FamilyRegistry::builtIn().recognise(read.facts());
  ASSERT_TRUE(lock);
  EXPECT_EQ(lock->family, "huey");
  EXPECT_EQ(lock->holders.size(), 1U);
  EXPECT_EQ(lock->unread, 0U) << "the results are none of it";
}

TEST_F(LongHash, ofMoreThanAThousandLocksAmongResultsTheRestIsCounted) {
  KeyReader read("huey.results.app", {}, FamilyRegistry::builtIn());
  read.start(ValueType::Hash, heuristics, now, asks);
  EXPECT_EQ(answer(read, {fields("17", "app.lock.", 0, 1050), number(-1)}), KeyReader::End::Pending);
  ASSERT_EQ(asked(), (std::vector<std::string>{"HSCAN", "HLEN"}));
  EXPECT_EQ(answer(read, {fields("0", "app.lock.", 1050, 450), number(2100)}), KeyReader::End::Lock);
  const auto lock = FamilyRegistry::builtIn().recognise(read.facts());
  ASSERT_TRUE(lock);
  EXPECT_EQ(lock->holders.size(), 1100U);
  EXPECT_EQ(lock->unread, 400U) << "the other 600 are results";
  EXPECT_THAT(englishOf(lock->evidence), testing::Contains("it has 2100 entries, of which 1700 were read"));
}

TEST_F(LongHash, ofLocksOfOnePageTheRestIsCountedToo) {
  KeyReader read("huey.results.app", {}, FamilyRegistry::builtIn());
  read.start(ValueType::Hash, heuristics, now, asks);
  EXPECT_EQ(answer(read, {fields("0", "app.lock.", 0, 1500), number(-1)}), KeyReader::End::Lock);
  const auto lock = FamilyRegistry::builtIn().recognise(read.facts());
  ASSERT_TRUE(lock);
  EXPECT_EQ(lock->holders.size() + lock->unread, 1500U);
}

TEST_F(LongHash, ofMoreThanAHundredThousandResultsSomeAreNotLookedAt) {
  KeyReader read("huey.results.app", {}, FamilyRegistry::builtIn());
  read.start(ValueType::Hash, heuristics, now, asks);
  auto end = answer(read, {fields("1", {"app.lock.nightly", "x"}), number(-1)});
  end = answer(read, {fields("2", {}), number(1'000'000)});
  int pages = 2;
  for (; end == KeyReader::End::Pending && pages < 1000; ++pages)
    end = answer(read, {fields(std::to_string(pages + 1), {})});
  EXPECT_EQ(end, KeyReader::End::Lock);
  EXPECT_LE(pages, 101);
  const auto lock = FamilyRegistry::builtIn().recognise(read.facts());
  ASSERT_TRUE(lock);
  EXPECT_EQ(lock->unread, 0U) << "results are no holds";
  EXPECT_THAT(englishOf(lock->evidence), testing::Contains(testing::HasSubstr("entries, of which")));
}

TEST_F(LongHash, whoseLockWasNotMetWithinTheBoundIsNotCalledNone) {
  for (const bool isAskedFor : {false, true}) {
    KeyReader read("huey.results.app", {.light = true, .others = isAskedFor ? everyOther : 0}, FamilyRegistry::builtIn());
    asks.clear();
    read.start(ValueType::Hash, heuristics, now, asks);
    int pages = 0;
    auto end = KeyReader::End::Pending;
    while (end == KeyReader::End::Pending && pages < 10'000) {
      std::vector<Result<Reply>> replies;
      for (const auto &ask : asks) {
        const auto name = ask.command.name();
        const bool isOfResults = name == "HSCAN" && ask.command[1] == "huey.results.app";
        pages += isOfResults ? 1 : 0;
        replies.emplace_back(isOfResults                          ? fields(std::to_string(pages), {})
                             : name == "HLEN"                     ? number(2'000'000)
                             : name == "PTTL"                     ? number(-1)
                             : name == "HSCAN" || name == "SSCAN" ? fields("0", {})
                                                                  : words({})); // nothing lies beside it
      }
      end = answer(read, std::move(replies));
    }
    EXPECT_EQ(pages, isAskedFor ? 1001 : 101) << "who asks for one key has more time";
    EXPECT_FALSE(FamilyRegistry::builtIn().recognise(read.facts()));
    ASSERT_TRUE(read.isUnread());
    EXPECT_EQ(read.unread()->code, ErrorCode::TooLong);
    EXPECT_THAT(read.unread()->what.english(), testing::HasSubstr("of its 2000000 entries " + std::to_string(pages * 1000) + " were looked at"));
  }
  KeyReader whole("huey.results.app", {.light = true}, FamilyRegistry::builtIn());
  asks.clear();
  whole.start(ValueType::Hash, heuristics, now, asks);
  EXPECT_EQ(answer(whole, {fields("0", {}), number(-1)}), KeyReader::End::Lock);
  EXPECT_FALSE(whole.isUnread());
}

TEST_F(LongHash, ofAGroupOfManyValuesEachIsReadByItsCount) {
  const std::string value = "q83vEjRWeJCrze8SNFZ4kA", owner = owner1, hold = value + ":" + owner;
  KeyReader read("group", {}, FamilyRegistry::builtIn());
  read.start(ValueType::Hash, heuristics, now, asks);
  EXPECT_EQ(answer(read, {fields("17", {hold + ":lock_count", "1", "Zm9vYmFyYmF6cXV4MTIzNA", owner}), number(30'000)}), KeyReader::End::Pending);
  ASSERT_EQ(asked(), (std::vector<std::string>{"HSCAN", "HLEN"}));
  EXPECT_EQ(asks.at(0).command[4], "*:lock_count");
  EXPECT_EQ(answer(read, {fields("0", {hold + ":lock_count", "1"}), number(600)}), KeyReader::End::Pending);
  ASSERT_EQ(asked(), std::vector<std::string>{"HMGET"});
  EXPECT_EQ(answer(read, {words({owner, "9000000000000"})}), KeyReader::End::Lock);
  const auto lock = FamilyRegistry::builtIn().recognise(read.facts());
  ASSERT_TRUE(lock);
  EXPECT_EQ(lock->family, "redisson-multilock");
  EXPECT_EQ(lock->holders.size(), 1U);
  EXPECT_EQ(lock->unread, 199U);
}

TEST_F(LongHash, isLookedAtForCountsOfLockedValues) {
  EXPECT_EQ(judge(Probe::Length, "group", number(6000), heuristics), Probe::LockCounts);
  EXPECT_EQ(judge(Probe::Length, "group", number(29), heuristics), Probe::LockCounts) << "threes, and two of a hold that has lapsed";
  EXPECT_EQ(judge(Probe::LockCounts, "group", fields("17", {"a:lock_count", "1"}), heuristics), Probe::HashLock);
  EXPECT_EQ(judge(Probe::LockCounts, "group", fields("17", {}), heuristics), Probe::ModeLength);
}

TEST_F(LongHash, isNotLookedAtForCountsWhereOneOfItsFewFieldsIsLong) {
  ASSERT_EQ(judge(Probe::HashWeight, "group", number(10'000'000), heuristics), Probe::HeavyLength);
  EXPECT_EQ(probeCommand(Probe::HeavyLength, "group").name(), "HLEN");
  EXPECT_EQ(judge(Probe::HeavyLength, "group", number(4), heuristics), Probe::ModeLength) << "one may be called 'x:lock_count', and 10 MB long";
  EXPECT_EQ(judge(Probe::HeavyLength, "group", number(60'000), heuristics), Probe::LockCounts);
}

} // namespace
} // namespace lockhouse::test
