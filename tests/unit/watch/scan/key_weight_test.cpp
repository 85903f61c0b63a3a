// SPDX-License-Identifier: Apache-2.0
#include "core/base/redisson_names.h"
#include "core/watch/scan/key_reader.h"

#include "tests/unit/watch/read_desk.h"

#include <gmock/gmock.h>

namespace lockhouse::test {
namespace {

using Weighing = ReadDesk;

TEST_F(Weighing, anAbsentKeyBesideWhichNothingCanLieIsAbsent) {
  const auto forms = FamilyRegistry::builtIn().companionKeys();
  for (std::size_t i = 0; i < forms.size(); ++i) {
    if (companionName(*forms[i].family, forms[i].form->key, "x"))
      continue;
    KeyReader read("x", {.others = std::uint64_t{1} << i}, FamilyRegistry::builtIn());
    read.start(ValueType::Unknown, heuristics, now, asks);
    EXPECT_EQ(answer(read, {status("none")}), KeyReader::End::Absent) << forms[i].form->key.text() << ": it would be waited for for ever";
  }
}

TEST_F(Weighing, aLightHashIsFetched) {
  KeyReader read("k", {}, FamilyRegistry::builtIn());
  read.start(ValueType::Hash, heuristics, now, asks);
  EXPECT_EQ(asked(), std::vector<std::string>{"MEMORY"});
  answer(read, {number(120)});
  EXPECT_EQ(asked(), (std::vector<std::string>{"HSCAN", "PTTL"}));
  EXPECT_EQ(answer(read, {fields("0", {owner1, "1"}), number(-1)}), KeyReader::End::Lock);
  EXPECT_TRUE(read.companion().light);
}

TEST_F(Weighing, aStringIsNotWeighed) {
  KeyReader read("k", {}, FamilyRegistry::builtIn());
  read.start(ValueType::String, heuristics, now, asks);
  EXPECT_EQ(asked(), (std::vector<std::string>{"GETRANGE", "PTTL"}));
}

TEST_F(Weighing, whatIsKnownToBeLightIsFetchedAtOnce) {
  KeyReader read("k", {.light = true}, FamilyRegistry::builtIn());
  read.start(ValueType::Hash, heuristics, now, asks);
  EXPECT_EQ(asked(), (std::vector<std::string>{"HSCAN", "PTTL"}));
}

TEST_F(Weighing, whatIsSoNoLongerIsWeighedAfterAll) {
  KeyReader read("k", {.light = true}, FamilyRegistry::builtIn());
  read.start(ValueType::Hash, heuristics, now, asks);
  Reply::Array flat;
  flat.push_back(bulk(owner1));
  flat.push_back(bulk("1"));
  flat.push_back(bulk("note"));
  flat.emplace_back(Reply::Elided{10'000'000});
  Reply::Array halves;
  halves.push_back(bulk("0"));
  halves.emplace_back(std::move(flat));
  EXPECT_EQ(answer(read, {Reply(std::move(halves)), number(-1)}), KeyReader::End::Pending);
  EXPECT_EQ(asked(), std::vector<std::string>{"MEMORY"});
}

TEST_F(Weighing, manyEntriesAreFetchedAndLongOnesAreNot) {
  KeyReader many("queue", {}, FamilyRegistry::builtIn());
  many.start(ValueType::List, heuristics, now, asks);
  answer(many, {number(60'000'000)});
  EXPECT_EQ(asked(), std::vector<std::string>{"LLEN"});
  answer(many, {number(1'000'000)});
  EXPECT_EQ(asked(), (std::vector<std::string>{"LRANGE", "PTTL"}));
  asks.clear();
  KeyReader few("queue", {}, FamilyRegistry::builtIn());
  few.start(ValueType::List, heuristics, now, asks);
  answer(few, {number(60'000'000)});
  answer(few, {number(6)});
  EXPECT_EQ(asked(), std::vector<std::string>{"PTTL"});
  EXPECT_EQ(answer(few, {number(-1)}), KeyReader::End::NoLock);
}

TEST_F(Weighing, ofResultsThatAreLongTheNamesAreFetchedAlone) {
  KeyReader read("huey.results.z", {}, FamilyRegistry::builtIn());
  read.start(ValueType::Hash, heuristics, now, asks);
  answer(read, {number(10'000'200)});
  answer(read, {number(2)});
  ASSERT_EQ(asked(), (std::vector<std::string>{"HKEYS", "PTTL"}));
  EXPECT_EQ(answer(read, {words({"a-result", "z.lock.a"}), number(-1)}), KeyReader::End::Lock);
  const auto lock = FamilyRegistry::builtIn().recognise(read.facts());
  ASSERT_TRUE(lock);
  EXPECT_EQ(lock->family, "huey");
  EXPECT_EQ(lock->holders, (std::vector<Holder>{{"z.lock.a", 1, HoldMode::Exclusive}}));
  EXPECT_EQ(lock->unread, 0U);
}

TEST_F(Weighing, whoMayNotAskForNamesAloneSiftsTheFields) {
  KeyReader read("huey.results.z", {}, FamilyRegistry::builtIn());
  read.start(ValueType::Hash, heuristics, now, asks);
  answer(read, {number(10'000'200)});
  answer(read, {number(2)});
  EXPECT_EQ(answer(read, {failure("NOPERM this user has no permissions to run the 'hkeys' command"), number(-1)}), KeyReader::End::Pending);
  ASSERT_EQ(asked(), (std::vector<std::string>{"HSCAN", "HLEN"}));
  EXPECT_EQ(answer(read, {fields("0", {"z.lock.a", "1"}), number(2)}), KeyReader::End::Lock);
  EXPECT_TRUE(FamilyRegistry::builtIn().recognise(read.facts()));
}

TEST_F(Weighing, underANameOfLocksEntriesThatAreTooLongAreToldOf) {
  for (const auto &[key, isNamed] : {std::pair("semaphore:z", true), {"scores:z", false}}) {
    KeyReader read(key, {}, FamilyRegistry::builtIn());
    asks.clear();
    read.start(ValueType::SortedSet, heuristics, now, asks);
    answer(read, {number(10'000'200)});
    answer(read, {number(2)});
    EXPECT_EQ(answer(read, {number(-1)}), KeyReader::End::NoLock);
    EXPECT_EQ(read.isUnread(), isNamed) << key;
    EXPECT_EQ(read.unread().has_value(), isNamed);
  }
}

TEST_F(Weighing, ofAHashOfLongEntriesNothingIsFetched) {
  KeyReader read("order:1", {}, FamilyRegistry::builtIn());
  read.start(ValueType::Hash, heuristics, now, asks);
  answer(read, {number(10'000'200)});
  answer(read, {number(2)});
  ASSERT_EQ(asked(), std::vector<std::string>{"PTTL"});
  EXPECT_EQ(answer(read, {number(30'000)}), KeyReader::End::NoLock);
  EXPECT_FALSE(read.companion().light);
}

TEST_F(Weighing, ofAKindOfNameWhoseHashesWereAllLightASampleIsWeighed) {
  const auto firstOf = [this](const std::string &key) {
    KeyReader read(key, {}, FamilyRegistry::builtIn());
    asks.clear();
    read.start(ValueType::Unknown, heuristics, now, asks);
    return asked().front();
  };
  for (int i = 0; i < 100; ++i) {
    heuristics.types.learn("user:1:profile", ValueType::Hash);
    heuristics.types.learnWeight("user:1:profile", true);
  }
  heuristics.probes = 1;
  EXPECT_EQ(firstOf("user:2:profile"), "HSCAN");
  EXPECT_EQ(firstOf("user:2:basket"), "HSCAN") << "by its first word and their number";
  EXPECT_EQ(firstOf("visit:2:profile"), "TYPE");
  heuristics.probes = 16;
  EXPECT_EQ(firstOf("user:2:profile"), "MEMORY");
  heuristics.probes = 1;
  heuristics.types.learnWeight("user:3:profile", false);
  EXPECT_EQ(firstOf("user:2:profile"), "MEMORY") << "one was heavy";
}

TEST_F(Weighing, aHashThatIsLargerThanOthersOfItsKindIsLookedAtFurther) {
  for (int i = 0; i < 100; ++i) {
    heuristics.types.learn("user:1:profile", ValueType::Hash);
    heuristics.types.learnWeight("user:1:profile", true);
  }
  heuristics.probes = 1;
  KeyReader read("user:2:profile", {}, FamilyRegistry::builtIn());
  read.start(ValueType::Unknown, heuristics, now, asks);
  answer(read, {fields("17", {})});
  EXPECT_EQ(asked(), std::vector<std::string>{"HLEN"});
}

TEST_F(Weighing, whatIsToBeReadBesideALightKeyIsWeighedStill) {
  Companion light{.light = true};
  light.add({});
  EXPECT_TRUE(light.light);
  light.add({.queue = true});
  EXPECT_FALSE(light.light);
}

TEST_F(Weighing, aLookAtAHashGoesByItsWeight) {
  const std::vector<std::pair<std::int64_t, std::string>> cases{{150, "HSCAN"}, {20'000, "HLEN"}, {30'000'000, "HLEN"}, {300'000, "HSCAN"}};
  for (const auto &[bytes, next] : cases) {
    KeyReader read("profile", {}, FamilyRegistry::builtIn());
    asks.clear();
    read.start(ValueType::Unknown, heuristics, now, asks);
    answer(read, {status("hash")});
    ASSERT_EQ(asked(), std::vector<std::string>{"MEMORY"});
    answer(read, {number(bytes)});
    EXPECT_EQ(asked(), std::vector<std::string>{next}) << bytes;
  }
  EXPECT_EQ(asks.at(0).command[4], "*:lock_count");
  KeyReader gone("profile", {}, FamilyRegistry::builtIn());
  asks.clear();
  gone.start(ValueType::Unknown, heuristics, now, asks);
  answer(gone, {status("hash")});
  EXPECT_EQ(answer(gone, {Reply()}), KeyReader::End::Absent);
}

// The server counts the name of a key among what it weighs.
TEST_F(Weighing, aLongNameIsNoWeightOfWhatItHolds) {
  const std::string name(1'000'000, 'n');
  KeyReader read(name, {}, FamilyRegistry::builtIn());
  asks.clear();
  read.start(ValueType::Unknown, heuristics, now, asks);
  answer(read, {status("hash")});
  answer(read, {number(1'048'700)});
  EXPECT_EQ(asks.at(0).command[4], redisson::ownerGlob) << "as of any small one";
  KeyReader whole(name, {}, FamilyRegistry::builtIn());
  asks.clear();
  whole.start(ValueType::Hash, heuristics, now, asks);
  answer(whole, {number(1'048'700)});
  EXPECT_EQ(asked(), (std::vector<std::string>{"HSCAN", "PTTL"}));
}

TEST_F(Weighing, aHugeHashIsALockByTheLengthOfItsMode) {
  for (const auto &[reply, end] :
       std::vector<std::pair<Reply, KeyReader::End>>{{number(0), KeyReader::End::NoLock},
                                                     {number(10'000'000), KeyReader::End::NoLock},
                                                     {number(4), KeyReader::End::Pending},
                                                     {failure("NOPERM User u has no permissions to run the 'hstrlen' command"), KeyReader::End::NoLock}}) {
    KeyReader read("profile", {}, FamilyRegistry::builtIn());
    asks.clear();
    read.start(ValueType::Unknown, heuristics, now, asks);
    answer(read, {status("hash")});
    answer(read, {number(30'000'000)});
    ASSERT_EQ(answer(read, {fields("17", {})}), KeyReader::End::Pending);
    EXPECT_EQ(answer(read, {reply}), end);
  }
  EXPECT_TRUE(heuristics.mayWeigh);
}

TEST_F(Weighing, ofALongQueueBesideALockItsLengthIsTold) {
  KeyReader read("f", {.queue = true}, FamilyRegistry::builtIn());
  read.start(ValueType::Hash, heuristics, now, asks);
  answer(read, {number(100), number(20'000'000), number(100)});
  answer(read, {number(2)});
  ASSERT_EQ(asked(), (std::vector<std::string>{"HSCAN", "PTTL", "LLEN", "ZRANGE"}));
  answer(read, {fields("0", {owner1, "1"}), number(30'000), number(2), words({})});
  EXPECT_EQ(read.facts().queueLength, 2U);
  EXPECT_THAT(read.facts().problems, testing::Contains(KeyFacts::Problem{"redisson_lock_queue:{f}", KeyFacts::Odd::Heavy}));
}

TEST_F(Weighing, whereItIsForbiddenNothingIsWeighedAnyMore) {
  for (const auto *error : {"NOPERM this user has no permissions to run the 'memory|usage' command", "ERR unknown command 'MEMORY'"}) {
    heuristics.mayWeigh = true;
    KeyReader read("k", {}, FamilyRegistry::builtIn());
    read.start(ValueType::Hash, heuristics, now, asks);
    answer(read, {failure(error)});
    EXPECT_EQ(asked(), (std::vector<std::string>{"HSCAN", "PTTL"}));
    EXPECT_FALSE(heuristics.mayWeigh) << error;
    asks.clear();
  }
}

TEST_F(Weighing, aKeyThatMayNotBeReadDoesNotForbidTheOthers) {
  KeyReader read("k", {}, FamilyRegistry::builtIn());
  read.start(ValueType::Hash, heuristics, now, asks);
  const auto refused = failure("NOPERM this user has no permissions to access one of the keys used as arguments");
  answer(read, {refused});
  EXPECT_EQ(answer(read, {refused, refused}), KeyReader::End::Refused);
  EXPECT_TRUE(heuristics.mayWeigh);
}

TEST_F(Weighing, aLookAtASortedSetIsTakenWhenItIsLight) {
  for (const auto &[bytes, next] : std::vector<std::pair<std::int64_t, std::string>>{{200, "ZRANGE"}, {30'000'000, "MEMORY"}}) {
    KeyReader read("board", {}, FamilyRegistry::builtIn());
    asks.clear();
    read.start(ValueType::Unknown, heuristics, now, asks);
    answer(read, {status("zset")});
    ASSERT_EQ(asked(), std::vector<std::string>{"MEMORY"});
    answer(read, {number(bytes)});
    EXPECT_EQ(asked(), std::vector<std::string>{next}) << bytes;
  }
}

} // namespace
} // namespace lockhouse::test
