// SPDX-License-Identifier: Apache-2.0
#include "core/watch/scan/key_reader.h"

#include "tests/unit/watch/read_desk.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace lockhouse::test {
namespace {

struct Reading : ReadDesk {
  Reading() { heuristics.mayWeigh = false; } // weighing has tests of its own
};

TEST_F(Reading, anUnknownStringGoesByItsTypeAndHead) {
  KeyReader read("lock:a", {}, FamilyRegistry::builtIn());
  read.start(ValueType::Unknown, heuristics, now, asks);
  EXPECT_EQ(answer(read, {status("string")}), KeyReader::End::Pending);
  EXPECT_EQ(asked(), std::vector<std::string>{"GETRANGE"});
  EXPECT_EQ(answer(read, {bulk(hex32)}), KeyReader::End::Pending);
  EXPECT_EQ(asked(), (std::vector<std::string>{"GETRANGE", "PTTL"}));
  EXPECT_EQ(answer(read, {bulk(hex32), number(20'000)}), KeyReader::End::Lock);
  EXPECT_EQ(read.facts().value, hex32);
  EXPECT_EQ(read.facts().ttl, seconds(20));
}

TEST_F(Reading, aLeaseOfAThousandYearsIsOneOfAHundred) {
  KeyReader read("lock:a", {}, FamilyRegistry::builtIn());
  read.start(ValueType::String, heuristics, now, asks);
  EXPECT_EQ(answer(read, {bulk(hex32), number(31'536'000'000'000)}), KeyReader::End::Lock);
  ASSERT_TRUE(read.facts().ttl);
  EXPECT_GT(*read.facts().ttl, std::chrono::years(99));
  EXPECT_GT(now + *read.facts().ttl, now) << "which the clock can count";
}

TEST_F(Reading, aValueThatIsLongerThanATokenIsNoLock) {
  KeyReader read("page:a", {}, FamilyRegistry::builtIn());
  read.start(ValueType::String, heuristics, now, asks);
  EXPECT_EQ(answer(read, {bulk(std::string(129, 'a')), number(-1)}), KeyReader::End::NoLock);
}

TEST_F(Reading, aKeyThatIsGoneMeanwhileIsAbsent) {
  KeyReader read("lock:a", {}, FamilyRegistry::builtIn());
  read.start(ValueType::String, heuristics, now, asks);
  EXPECT_EQ(answer(read, {bulk(""), number(-2)}), KeyReader::End::Absent);
}

TEST_F(Reading, aKeyThatChangedItsTypeIsReadAnew) {
  KeyReader read("k", {}, FamilyRegistry::builtIn());
  read.start(ValueType::String, heuristics, now, asks);
  EXPECT_EQ(answer(read, {failure("WRONGTYPE x"), number(-1)}), KeyReader::End::Pending);
  EXPECT_EQ(asked(), std::vector<std::string>{"TYPE"});
  EXPECT_EQ(answer(read, {status("hash")}), KeyReader::End::Pending);
  EXPECT_EQ(answer(read, {number(1)}), KeyReader::End::Pending);
  EXPECT_EQ(answer(read, {fields("0", {owner1, "2"})}), KeyReader::End::Pending);
  EXPECT_EQ(answer(read, {fields("0", {owner1, "2"}), number(-1)}), KeyReader::End::Lock);
  EXPECT_EQ(read.facts().fields.at(0).second, "2");
}

TEST_F(Reading, aKeyThatNeverStandsStillIsGivenUp) {
  KeyReader read("k", {}, FamilyRegistry::builtIn());
  read.start(ValueType::String, heuristics, now, asks);
  auto end = KeyReader::End::Pending;
  for (int i = 0; i < 10 && end == KeyReader::End::Pending; ++i) {
    end =
        answer(read, std::vector<Result<Reply>>(asks.size(), asks.size() == 1 && asks[0].command.name() == "TYPE" ? status("string") : failure("WRONGTYPE x")));
  }
  EXPECT_EQ(end, KeyReader::End::Failed);
}

TEST_F(Reading, aBigForeignHashCostsThreeSmallCommands) {
  KeyReader read("user:1", {}, FamilyRegistry::builtIn());
  learnHash("user:1");
  read.start(ValueType::Unknown, heuristics, now, asks);
  EXPECT_EQ(answer(read, {number(1'000'000)}), KeyReader::End::Pending);
  EXPECT_EQ(asked(), std::vector<std::string>{"HSCAN"});
  EXPECT_EQ(answer(read, {fields("17", {})}), KeyReader::End::Pending);
  EXPECT_EQ(asked(), std::vector<std::string>{"HSTRLEN"});
  EXPECT_EQ(answer(read, {number(0)}), KeyReader::End::NoLock);
}

TEST_F(Reading, aHashOfManyHoldersIsReadPageByPage) {
  KeyReader read("rw", {}, FamilyRegistry::builtIn());
  read.start(ValueType::Hash, heuristics, now, asks);
  EXPECT_EQ(answer(read, {fields("17", {"mode", "read", owner1, "1"}), number(30'000)}), KeyReader::End::Pending);
  EXPECT_EQ(asks.at(0).command[2], "17");
  EXPECT_EQ(asked(), (std::vector<std::string>{"HSCAN", "HLEN"}));
  EXPECT_EQ(answer(read, {fields("0", {owner2, "1", owner1, "1"}), number(3)}), KeyReader::End::Pending);
  EXPECT_EQ(answer(read, {number(-2), number(-2)}), KeyReader::End::Lock) << "leases that nobody keeps";
  EXPECT_EQ(read.facts().fields.size(), 3U) << "HSCAN may repeat";
  EXPECT_EQ(read.facts().size, 3U);
}

TEST_F(Reading, ofAMillionHoldersAThousandAreReadAndAllAreCounted) {
  KeyReader read("rw", {}, FamilyRegistry::builtIn());
  read.start(ValueType::Hash, heuristics, now, asks);
  const auto page = [](int number) {
    Reply::Array flat;
    for (int i = 0; i < 100; ++i) {
      const auto digits = std::to_string(100 + number * 100 + i).substr(0, 4);
      flat.push_back(bulk(std::string(36 - digits.size(), '0').replace(8, 1, "-").replace(13, 1, "-").replace(18, 1, "-").replace(23, 1, "-") + digits + ":1"));
      flat.push_back(bulk("1"));
    }
    Reply::Array halves;
    halves.push_back(bulk("17"));
    halves.push_back(Reply(std::move(flat)));
    return Reply(std::move(halves));
  };
  answer(read, {page(0), number(30'000)});
  int pages = 1;
  for (auto end = answer(read, {page(pages++), number(1'000'000)}); end == KeyReader::End::Pending && asked() == std::vector<std::string>{"HSCAN"}; ++pages)
    end = answer(read, {page(pages)});
  EXPECT_EQ(pages, 11);
  ASSERT_EQ(asked(), std::vector<std::string>{"HGET"}) << "the mode lies behind what is read";
  EXPECT_EQ(answer(read, {bulk("read")}), KeyReader::End::Pending);
  ASSERT_EQ(asks.size(), 100U);
  std::vector<Result<Reply>> leases;
  for (int i = 0; i < 100; ++i)
    leases.emplace_back(number(20'000));
  EXPECT_EQ(answer(read, std::move(leases)), KeyReader::End::Lock);
  EXPECT_EQ(read.facts().readerLeases.size(), 100U);
  EXPECT_EQ(read.facts().size, 1'000'000U);
  const auto lock = FamilyRegistry::builtIn().recognise(read.facts());
  ASSERT_TRUE(lock);
  EXPECT_EQ(lock->family, "redisson-rw");
  EXPECT_EQ(std::ranges::count(lock->evidence, "it has 1000000 entries, of which 1101 were read", &Message::english), 1);
}

TEST_F(Reading, everyOtherTypeIsReadBoundedAndCounted) {
  struct Case {
    ValueType type;
    const char *content;
    Reply whole, page;
    std::vector<std::string> more;
  };
  Reply::Array thousand, scored;
  for (int i = 0; i < 1000; ++i) {
    thousand.push_back(bulk(std::to_string(i)));
    scored.push_back(bulk(std::to_string(i)));
    scored.push_back(bulk("1"));
  }
  const std::vector<Case> cases{{ValueType::List, "LRANGE", words({"a", "b"}), Reply(thousand), {"LLEN"}},
                                {ValueType::Set, "SSCAN", fields("0", {"a", "b"}), fields("17", {"a", "b"}), {"SCARD"}},
                                {ValueType::SortedSet, "ZRANGE", words({"a", "1", "b", "2"}), Reply(scored), {"ZCARD", "ZRANGE"}}};
  for (const auto &[type, content, whole, page, more] : cases) {
    KeyReader read("k", {}, FamilyRegistry::builtIn());
    asks.clear();
    read.start(type, heuristics, now, asks);
    EXPECT_EQ(asked(), (std::vector<std::string>{content, "PTTL"}));
    EXPECT_EQ(answer(read, {whole, number(-1)}), KeyReader::End::Lock);
    EXPECT_EQ(read.facts().members.size(), 2U);
    EXPECT_EQ(read.facts().size, 2U);
    KeyReader cut("k", {}, FamilyRegistry::builtIn());
    asks.clear();
    cut.start(type, heuristics, now, asks);
    EXPECT_EQ(answer(cut, {page, number(-1)}), KeyReader::End::Pending);
    ASSERT_EQ(asked(), more);
    EXPECT_EQ(more.size() == 1 ? answer(cut, {number(5000)}) : answer(cut, {number(5000), words({"z", "2"})}), KeyReader::End::Lock);
    EXPECT_EQ(cut.facts().size, 5000U);
  }
}

TEST_F(Reading, aSortedSetIsKnownByItsFirstMember) {
  KeyReader lock("pool", {}, FamilyRegistry::builtIn());
  lock.start(ValueType::Unknown, heuristics, now, asks);
  answer(lock, {status("zset")});
  EXPECT_EQ(asked(), std::vector<std::string>{"ZRANGE"});
  answer(lock, {words({"web-1_4711_3f786850e387550fdab836ed7e6dc881"})});
  EXPECT_EQ(asked(), (std::vector<std::string>{"ZRANGE", "PTTL"}));
  asks.clear();
  KeyReader other("leaderboard", {}, FamilyRegistry::builtIn());
  other.start(ValueType::Unknown, heuristics, now, asks);
  answer(other, {status("zset")});
  EXPECT_EQ(answer(other, {words({"alice"})}), KeyReader::End::NoLock);
}

TEST_F(Reading, theKeysBesideALockAreReadWithIt) {
  const auto &families = FamilyRegistry::builtIn();
  const auto owners = families.ownersOf("lockhouse:queue:{k}");
  ASSERT_FALSE(owners.empty());
  KeyReader read("k", {.others = std::uint64_t{1} << owners.front().form}, families);
  read.start(ValueType::String, heuristics, now, asks);
  EXPECT_EQ(asked(), (std::vector<std::string>{"GETRANGE", "PTTL", "ZRANGE", "PTTL"}));
  Reply::Array places;
  for (int i = 0; i < 1000; ++i) {
    places.push_back(bulk(std::to_string(i)));
    places.push_back(bulk("1"));
  }
  EXPECT_EQ(answer(read, {bulk(hex32), number(20'000), Reply(std::move(places)), number(5)}), KeyReader::End::Pending);
  ASSERT_EQ(asked(), std::vector<std::string>{"ZCARD"});
  EXPECT_EQ(answer(read, {number(70'000)}), KeyReader::End::Lock);
  ASSERT_EQ(read.facts().companion.size(), 1U);
  EXPECT_EQ(read.facts().companion[0].size, 70'000U);
  EXPECT_EQ(read.facts().companion[0].ttl, milliseconds(5));
}

TEST_F(Reading, aKeyBesideALockThatIsSomethingElseIsSaidAndDoesNotHideTheLock) {
  const auto &families = FamilyRegistry::builtIn();
  KeyReader read("k", {.others = std::uint64_t{1} << families.ownersOf("lockhouse:queue:{k}").front().form}, families);
  read.start(ValueType::String, heuristics, now, asks);
  const auto wrong = failure("WRONGTYPE no");
  EXPECT_EQ(answer(read, {bulk(hex32), number(20'000), wrong, number(5)}), KeyReader::End::Lock);
  EXPECT_TRUE(read.facts().companion.empty());
  EXPECT_EQ(read.facts().problems, (std::vector{KeyFacts::Problem{"lockhouse:queue:{k}", KeyFacts::Odd::OtherType}}));
}

TEST_F(Reading, aKeyBesideALockWhoseSlotIsOnItsWayIsSaidToBeThat) {
  const auto &families = FamilyRegistry::builtIn();
  for (const auto *error : {"ASK 1 127.0.0.1:7001", "TRYAGAIN Multiple keys request during rehashing of slot"}) {
    KeyReader read("k", {.others = std::uint64_t{1} << families.ownersOf("lockhouse:queue:{k}").front().form}, families);
    read.start(ValueType::String, heuristics, now, asks);
    EXPECT_EQ(answer(read, {bulk(hex32), number(20'000), failure(error), failure(error)}), KeyReader::End::Lock);
    EXPECT_EQ(read.facts().problems, (std::vector{KeyFacts::Problem{"lockhouse:queue:{k}", KeyFacts::Odd::Unserved}}));
  }
}

TEST_F(Reading, aJobsLockIsKnownByItsJob) {
  KeyReader read("app:mail:7:lock", {}, FamilyRegistry::builtIn());
  read.start(ValueType::String, heuristics, now, asks);
  EXPECT_EQ(asked(), (std::vector<std::string>{"GETRANGE", "PTTL", "HSTRLEN", "HSTRLEN"})) << "a job of BullMQ, of Bull";
  EXPECT_EQ(answer(read, {bulk(owner1), number(20'000), number(4), number(4)}), KeyReader::End::Lock);
  EXPECT_EQ(FamilyRegistry::builtIn().recognise(read.facts())->family, "bullmq-job");
}

TEST_F(Reading, aQueueIsReadWithItsTrueLength) {
  KeyReader read("f", {.queue = true}, FamilyRegistry::builtIn());
  read.start(ValueType::Hash, heuristics, now, asks);
  EXPECT_EQ(asked(), (std::vector<std::string>{"HSCAN", "PTTL", "LRANGE", "ZRANGE"}));
  EXPECT_EQ(answer(read, {fields("0", {owner1, "1"}), number(30'000), Reply(Reply::Array(1000, bulk(owner2))), words({owner2, "17"})}),
            KeyReader::End::Pending);
  ASSERT_EQ(asked(), std::vector<std::string>{"LLEN"});
  EXPECT_EQ(answer(read, {number(5000)}), KeyReader::End::Lock);
  EXPECT_EQ(read.facts().queueLength, 5000U);
  EXPECT_EQ(read.facts().places.at(0).second, 17);
}

TEST_F(Reading, aQueueAloneBelongsToTheBracedNameIfThatIsThere) {
  KeyReader read("f", {.queue = true}, FamilyRegistry::builtIn());
  read.start(ValueType::None, heuristics, now, asks);
  EXPECT_EQ(asked(), (std::vector<std::string>{"LRANGE", "ZRANGE", "HLEN", "TYPE"}));
  EXPECT_EQ(answer(read, {words({owner2}), words({}), number(1), status("none")}), KeyReader::End::NoLock);
}

// He waited when the key was gone, and has it when the queue is read: he is in neither of both answers.
TEST_F(Reading, aKeyThatHasComeWhileItsQueueWasReadIsReadAnew) {
  KeyReader read("f", {.queue = true}, FamilyRegistry::builtIn());
  read.start(ValueType::Hash, heuristics, now, asks);
  answer(read, {fields("0", {}), number(-2), words({owner2}), words({})});
  EXPECT_EQ(asked(), (std::vector<std::string>{"LRANGE", "ZRANGE", "HLEN", "TYPE"}));
  EXPECT_EQ(answer(read, {words({}), words({}), number(0), status("hash")}), KeyReader::End::Pending);
  EXPECT_EQ(asked(), std::vector<std::string>{"TYPE"});
  EXPECT_EQ(answer(read, {status("hash")}), KeyReader::End::Pending);
  EXPECT_EQ(answer(read, {fields("0", {owner2, "1"}), number(30'000), words({}), words({})}), KeyReader::End::Lock);
  EXPECT_EQ(read.facts().fields.size(), 1U);
}

TEST_F(Reading, aKeyThatComesAndGoesAllTheTimeIsNoFailure) {
  KeyReader read("f", {.queue = true}, FamilyRegistry::builtIn());
  read.start(ValueType::Hash, heuristics, now, asks);
  auto end = KeyReader::End::Pending;
  for (int round = 0; round < 9 && end == KeyReader::End::Pending; ++round) {
    answer(read, {fields("0", {}), number(-2), words({owner2}), words({})});
    end = answer(read, {words({}), words({}), number(0), status("hash")});
    if (end == KeyReader::End::Pending)
      answer(read, {status("hash")});
  }
  EXPECT_EQ(end, KeyReader::End::Absent);
}

TEST_F(Reading, aForeignFieldStopsTheReading) {
  KeyReader read("x", {}, FamilyRegistry::builtIn());
  read.start(ValueType::Hash, heuristics, now, asks);
  EXPECT_EQ(answer(read, {fields("17", {"mode", "read", "name", "x"}), number(-1)}), KeyReader::End::NoLock);
}

TEST_F(Reading, aForeignFieldBesideAnOwnerDoesNotHideIt) {
  KeyReader read("lock:x", {}, FamilyRegistry::builtIn());
  learnHash("lock:x");
  read.start(ValueType::Unknown, heuristics, now, asks);
  answer(read, {number(2)});
  EXPECT_EQ(asked(), std::vector<std::string>{"HSCAN"});
  answer(read, {fields("0", {owner1, "1", "note", "x"})});
  EXPECT_EQ(asked(), (std::vector<std::string>{"HSCAN", "PTTL"}));
  EXPECT_EQ(answer(read, {fields("0", {owner1, "1", "note", "x"}), number(-1)}), KeyReader::End::Lock);
  EXPECT_EQ(read.facts().fields.size(), 2U);
}

TEST_F(Reading, aHashThatDidNotShowAllItsFieldsIsAskedForItsMode) {
  KeyReader read("x", {}, FamilyRegistry::builtIn());
  learnHash("x");
  read.start(ValueType::Unknown, heuristics, now, asks);
  answer(read, {number(3)});
  answer(read, {fields("1", {"note", "x"})});
  EXPECT_EQ(asked(), std::vector<std::string>{"HGET"});
}

TEST_F(Reading, ofAHashOfTwoFieldsTheServerPicksTheOwners) {
  KeyReader read("x", {}, FamilyRegistry::builtIn());
  learnHash("x");
  read.start(ValueType::Unknown, heuristics, now, asks);
  answer(read, {number(2)});
  ASSERT_EQ(asked(), std::vector<std::string>{"HSCAN"});
  EXPECT_EQ(asks.at(0).command[3], "MATCH");
  answer(read, {fields("0", {owner1, "1"})});
  EXPECT_EQ(asked(), (std::vector<std::string>{"HSCAN", "PTTL"}));
}

TEST_F(Reading, aHashOfOneFieldIsKnownByThat) {
  learnHash("k");
  KeyReader foreign("k", {}, FamilyRegistry::builtIn());
  foreign.start(ValueType::Unknown, heuristics, now, asks);
  answer(foreign, {number(1)});
  EXPECT_EQ(asked(), std::vector<std::string>{"HSCAN"});
  EXPECT_EQ(answer(foreign, {fields("0", {})}), KeyReader::End::NoLock);
  KeyReader lock("k", {}, FamilyRegistry::builtIn());
  lock.start(ValueType::Unknown, heuristics, now, asks);
  answer(lock, {number(1)});
  answer(lock, {fields("0", {owner1, "1"})});
  EXPECT_EQ(asked(), (std::vector<std::string>{"HSCAN", "PTTL"}));
}

TEST_F(Reading, aKeyWhoseLeaseMayNotBeReadIsNotSaidToBeWithoutOne) {
  KeyReader read("lock:k", {}, FamilyRegistry::builtIn());
  read.start(ValueType::String, heuristics, now, asks);
  EXPECT_EQ(answer(read, {bulk(hex32), failure("NOPERM no PTTL")}), KeyReader::End::Refused);
}

TEST_F(Reading, aKeyOfAnotherNodesSlotIsAGapAndNoFailure) {
  for (const auto *error : {"MOVED 1 127.0.0.1:7001", "CLUSTERDOWN Hash slot not served", "ASK 1 127.0.0.1:7001"}) {
    KeyReader look("k", {}, FamilyRegistry::builtIn());
    look.start(ValueType::Unknown, heuristics, now, asks);
    EXPECT_EQ(answer(look, {failure(error)}), KeyReader::End::Refused) << error;
    KeyReader whole("k", {}, FamilyRegistry::builtIn());
    whole.start(ValueType::String, heuristics, now, asks);
    EXPECT_EQ(answer(whole, {failure(error), failure(error)}), KeyReader::End::Refused) << error;
  }
}

TEST_F(Reading, aKeyOfAnotherNodesSlotMayHaveKeysBesideItHere) {
  const auto companion = FamilyRegistry::builtIn().ownersOf("rueidislock:1:job").at(0);
  const auto moved = failure("MOVED 1 127.0.0.1:7001");
  const std::string votes = "\x01\xff\x80\x03\x9a\xbc\xde\xf0\x11\x92\x13\xf4\x15\x96\x17\xf8\x19\xfa\x1b\xfc\x1d\xfe\x1f\x90";
  KeyReader read(companion.lock, {.others = std::uint64_t{1} << companion.form}, FamilyRegistry::builtIn());
  read.start(ValueType::Unknown, heuristics, now, asks);
  answer(read, {moved});
  EXPECT_EQ(asked(), (std::vector<std::string>{"GETRANGE", "PTTL"}));
  EXPECT_EQ(answer(read, {bulk(votes), number(5000)}), KeyReader::End::Lock);
  KeyReader none(companion.lock, {.others = std::uint64_t{1} << companion.form}, FamilyRegistry::builtIn());
  none.start(ValueType::Unknown, heuristics, now, asks);
  answer(none, {moved});
  EXPECT_EQ(answer(none, {bulk(""), number(-2)}), KeyReader::End::Absent);
  ASSERT_TRUE(none.error());
  EXPECT_THAT(none.error()->sentence(), testing::HasSubstr("MOVED"));
}

TEST_F(Reading, aRefusedKeyIsRefusedAndALostConnectionIsAnError) {
  KeyReader refused("k", {}, FamilyRegistry::builtIn());
  refused.start(ValueType::Unknown, heuristics, now, asks);
  EXPECT_EQ(answer(refused, {failure("NOPERM no key")}), KeyReader::End::Refused);
  KeyReader lost("k", {}, FamilyRegistry::builtIn());
  lost.start(ValueType::String, heuristics, now, asks);
  const std::unexpected<Error> gone(Error{ErrorCode::InDoubt, Message::verbatim("lost"), {}, {}});
  EXPECT_EQ(answer(lost, {gone, gone}), KeyReader::End::Failed);
  EXPECT_EQ(lost.error()->code, ErrorCode::InDoubt);
}

TEST_F(Reading, answersOfAnyShapeAreBorne) {
  const std::vector<Reply> shapes{
      Reply(),           number(-7), bulk("x"), status("OK"), failure("ERR x"), Reply(Reply::Elided{1 << 30}), words({}), words({"a"}), words({"a", "b", "c"}),
      fields("x", {"a"})};
  for (const auto type : {ValueType::Unknown, ValueType::String, ValueType::Hash, ValueType::List, ValueType::Set, ValueType::SortedSet, ValueType::None})
    for (const auto &shape : shapes) {
      KeyReader read("k", {.queue = true, .fence = true, .listeners = true, .sharded = true, .numbers = true, .others = ~std::uint64_t{0}},
                     FamilyRegistry::builtIn());
      asks.clear();
      read.start(type, heuristics, now, asks);
      auto end = KeyReader::End::Pending;
      for (int turn = 0; turn < 300 && end == KeyReader::End::Pending; ++turn)
        end = answer(read, std::vector<Result<Reply>>(asks.size(), shape));
      EXPECT_NE(end, KeyReader::End::Pending);
    }
}

} // namespace
} // namespace lockhouse::test
