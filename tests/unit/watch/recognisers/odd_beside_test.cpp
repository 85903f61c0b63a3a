// SPDX-License-Identifier: Apache-2.0
// Keys of a lock that are of another type than its library's, or missing: who holds it is shown all the same, and what is odd is named.
#include "core/base/redisson_names.h"
#include "tests/unit/watch/corpus/lock_corpus.h"
#include "tests/unit/watch/recognise.h"

#include <gmock/gmock.h>

namespace lockhouse {
namespace {

using test::recognise;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Not;

const std::string reader = "H_1_3f786850e387550fdab836ed7e6dc881", a = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:1";

const CompanionKey *companionOf(std::string_view slug) { return &FamilyRegistry::builtIn().find(slug)->companion.front(); }

struct OddBeside : testing::Test {
  KeyFacts facts;
  OddBeside() {
    facts.serverTime = test::corpusTime;
    facts.seenAt = SteadyTime(seconds(5));
  }
  void readers() {
    facts.key = "w.writer";
    facts.companion = {{.form = companionOf("distributedlock-rw"), .key = "w.readers", .value = {}, .members = {{reader}}, .size = 1, .ttl = seconds(20)}};
  }
  void expectReaders() {
    const auto lock = recognise(facts);
    ASSERT_TRUE(lock);
    EXPECT_EQ(lock->family, "distributedlock-rw");
    EXPECT_THAT(lock->holders, ElementsAre(Holder{reader, 1, HoldMode::Read}));
    EXPECT_EQ(lock->type, ValueType::None) << "its key is none of it";
    EXPECT_EQ(lock->unread, 0U);
    EXPECT_EQ(lock->expiresAt, facts.seenAt + seconds(20));
    EXPECT_GE(lock->confidence, 0.9);
    EXPECT_THAT(englishOf(lock->evidence), Contains("its writer's key holds something else"));
  }
};

TEST_F(OddBeside, whatLiesUnderTheNameOfAWriterHidesNoReader) {
  readers();
  facts.type = ValueType::Hash;
  facts.fields = {{"a", "1"}};
  facts.size = 1;
  expectReaders();
  facts.fields.clear();
  facts.type = ValueType::String;
  facts.value = "plain string";
  facts.size = facts.value.size();
  expectReaders();
  facts.type = ValueType::List;
  facts.members.assign(1000, {"a"});
  facts.size = 5000;
  expectReaders();
}

TEST_F(OddBeside, whatLiesUnderTheNameOfAWriterAloneIsNoLock) {
  facts.key = "w.writer";
  facts.type = ValueType::Hash;
  facts.fields = {{"a", "1"}};
  facts.size = 1;
  EXPECT_FALSE(recognise(facts));
}

TEST_F(OddBeside, aPermitIsHeldOnceWhateverIsInsteadOfTheNumber) {
  facts.key = "pool";
  facts.companion = {{.form = companionOf("redisson-permits"),
                      .key = "{pool}:timeout",
                      .value = {},
                      .members = {{std::string("\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\xff", 16), 1'795'300'060'000}},
                      .size = 1,
                      .ttl = {}}};
  for (const auto &[type, value] : {std::pair(ValueType::String, "abc"), {ValueType::String, ""}, {ValueType::List, ""}}) {
    facts.type = type;
    facts.value = value;
    facts.size = facts.value.size();
    const auto lock = recognise(facts);
    ASSERT_TRUE(lock) << value;
    EXPECT_EQ(lock->holders.size(), 1U);
    EXPECT_EQ(depthOf(*lock), 1);
    EXPECT_THAT(englishOf(lock->evidence), Contains("its number of free permits is no number"));
  }
}

TEST_F(OddBeside, deadlinesWithoutAQueueAreCalledNoQueue) {
  constexpr auto queued = "a queue of Redisson waiters lies beside it", unqueued = "deadlines of Redisson waiters lie beside it, and no queue of them";
  facts.key = "stock";
  facts.type = ValueType::Hash;
  facts.fields = {{a, "1"}};
  facts.size = 1;
  facts.places = {{"0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02:5", 1'795'300'060'000.0}};
  const auto missing = recognise(facts);
  ASSERT_TRUE(missing);
  EXPECT_EQ(missing->family, "redisson-fair");
  EXPECT_EQ(missing->waiters, std::nullopt) << "who stood there may wait still";
  EXPECT_THAT(englishOf(missing->evidence), AllOf(Contains(unqueued), Not(Contains(queued))));
  facts.problems = {{redisson::queueKey("stock"), KeyFacts::Odd::Refused}};
  EXPECT_EQ(recognise(facts)->waiters, std::nullopt) << "whoever stands there is not known";
  EXPECT_THAT(englishOf(recognise(facts)->evidence),
              AllOf(Contains(redisson::queueKey("stock") + " beside it may not be read by this user"), Not(Contains(unqueued))));
  facts.problems.clear();
  facts.queue = {facts.places.front().first};
  facts.queueLength = 1;
  EXPECT_THAT(englishOf(recognise(facts)->evidence), AllOf(Contains(queued), Not(Contains(unqueued))));
}

TEST_F(OddBeside, aNumberOfReadersNamesNoneOfThem) {
  facts.key = "cd7b7016d386154eef09f535315f4953/lockfiles/a536c301240f2b271b94eacb036a0c5f";
  facts.type = ValueType::String;
  facts.value = "3";
  facts.size = 1;
  facts.ttl = seconds(30);
  const auto lock = recognise(facts);
  ASSERT_TRUE(lock);
  EXPECT_EQ(lock->family, "nextcloud");
  EXPECT_THAT(lock->holders, ElementsAre(Holder{"", 3, HoldMode::Read}));
}

TEST_F(OddBeside, aLongLineOfWhoWaitsForAMutexIsSaidToBeCut) {
  facts.key = "lock:mx";
  facts.type = ValueType::String;
  facts.value = "3f786850e387550fdab836ed7e6dc881";
  facts.ttl = seconds(20);
  facts.companion = {
      {.form = companionOf("token"), .key = "lockhouse:listeners:{lock:mx}", .value = {}, .members = {{"c:1", 1795300020000}}, .size = 5000, .ttl = {}}};
  const auto lock = recognise(facts);
  ASSERT_TRUE(lock);
  EXPECT_EQ(lock->waiters, 5000U);
  EXPECT_THAT(englishOf(lock->evidence), Contains("5000 wait, of whom 1 were read"));
}

} // namespace
} // namespace lockhouse
