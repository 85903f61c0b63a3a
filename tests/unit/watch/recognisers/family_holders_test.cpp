// SPDX-License-Identifier: Apache-2.0
// Families that are known by what their holders are called.
#include "core/watch/record/metadata.h"
#include "core/watch/text/id_time.h"
#include "tests/unit/watch/corpus/lock_corpus.h"
#include "tests/unit/watch/recognise.h"

#include <gmock/gmock.h>

namespace lockhouse {
namespace {

using test::corpusTime;
using test::recognise;

TEST(FamilyRegistry, ofDistributedLockAreKnownByMachineProcessAndIdWhileTheyAreHeld) {
  const auto confidence = [](std::string_view key, std::string_view machine, std::optional<milliseconds> ttl) {
    KeyFacts facts;
    facts.key = key;
    facts.type = ValueType::String;
    facts.value = std::string(machine) + "_4321_3f786850e387550fdab836ed7e6dc881";
    facts.ttl = ttl;
    const auto lock = recognise(facts);
    return lock && lock->family == "distributedlock" ? lock->confidence : 0;
  };
  for (const auto *machine : {"WEB01", "web-1", "3f786850e387", "DESKTOP-A1", "web01"}) {
    for (const auto *key : {"order:7", "MyJob:7", "MyLockName", "lock:refresh_token:7"})
      EXPECT_GE(confidence(key, machine, seconds(30)), shownConfidence) << key << " = " << machine;
    for (const auto *key : {"session:7", "worker:id:5", "worker:5:id", "device:5"})
      EXPECT_LT(confidence(key, machine, seconds(30)), shownConfidence) << key << ": what somebody is named by";
    EXPECT_LT(confidence("order:7", machine, {}), shownConfidence);
    EXPECT_LT(confidence("order:7", machine, std::chrono::minutes(30)), shownConfidence);
  }
  EXPECT_LT(confidence("order:7", "report", seconds(30)), shownConfidence) << "a version of a file";
}

TEST(FamilyRegistry, ofTheGemsSemaphoreAreKnownWhateverTheirUsersCallThem) {
  for (const auto *key : {"SEMAPHORE:api:GRABBED", "SEMAPHORE:session:GRABBED", "SEMAPHORE:one:GRABBED"}) {
    KeyFacts facts;
    facts.key = key;
    facts.type = ValueType::Hash;
    facts.fields = {{"0", "1795271640.4"}};
    facts.size = 1;
    facts.serverTime = corpusTime;
    const auto lock = recognise(facts);
    ASSERT_TRUE(lock) << key;
    EXPECT_EQ(lock->family, "gem-redis-semaphore");
    EXPECT_GE(lock->confidence, 0.8) << key;
  }
}

// Two decimals make a time as long as PHP's uniqid.
TEST(FamilyRegistry, ofTheGemsSemaphoreTellSinceWhenInAnyNumberOfDecimals) {
  for (const auto *time : {"1795271640", "1795271640.4", "1795271640.42", "1795271640.423", "1795271640.4231234"}) {
    KeyFacts facts;
    facts.key = "SEMAPHORE:api:GRABBED";
    facts.type = ValueType::Hash;
    facts.fields = {{"0", time}};
    facts.size = 1;
    facts.serverTime = corpusTime;
    EXPECT_THAT(recognise(facts)->extras, testing::Contains(testing::Field(&MetadataEntry::name, "since"))) << time;
  }
}

TEST(FamilyRegistry, ofATimeOfThirteenDigitsTellMillisecondsOrPhpsUniqidByWhichOfThemIsOfOurTime) {
  EXPECT_EQ(instantOf("1795271640423"), milliseconds(1'795'271'640'423));
  EXPECT_EQ(instantOf("6912345678901"), milliseconds(0x69123456 * std::int64_t{1000} + 0x78901 / 1000)) << "a uniqid without a letter";
}

} // namespace
} // namespace lockhouse
