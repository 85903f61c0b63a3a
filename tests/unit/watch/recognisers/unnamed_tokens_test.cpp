// SPDX-License-Identifier: Apache-2.0
// Tokens under names that speak of no lock: what their bytes and their leases say for them.
#include "core/watch/detect/first_signs.h"
#include "tests/unit/watch/recognise.h"

#include <gmock/gmock.h>

namespace lockhouse {
namespace {

using test::recognise;

const std::string uuid = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", hex32 = "3f786850e387550fdab836ed7e6dc881";

KeyFacts factsOf(std::string_view key, std::string value, std::optional<milliseconds> ttl) {
  KeyFacts facts;
  facts.key = key;
  facts.type = ValueType::String;
  facts.value = std::move(value);
  facts.ttl = ttl;
  facts.serverTime = milliseconds(1'795'500'000'000); // 2026
  return facts;
}

double confidence(std::string_view key, std::string value, std::optional<milliseconds> ttl = seconds(20)) {
  const auto lock = recognise(factsOf(key, std::move(value), ttl));
  return lock ? lock->confidence : 0;
}

TEST(UnnamedToken, ofBsmRedislockMayHaveAnyWordsBehind) {
  for (const auto *value : {"Vb3-9xQm_KfL2wTz7RnPaAhost-1", "Vb3-9xQm_KfL2wTz7RnPaAmy data", "Vb3-9xQm_KfL2wTz7RnPaA host 1"}) {
    const auto lock = recognise(factsOf("my-key", value, seconds(60)));
    ASSERT_TRUE(lock) << value;
    EXPECT_EQ(lock->confidence, 0.4) << value;
    EXPECT_THAT(lock->mayBe, testing::Contains("bsm-redislock")) << value;
    EXPECT_GE(confidence("lock:orders", value), 0.55) << value;
    EXPECT_TRUE(mayBeToken("my-key", value)) << value;
  }
}

// Its lock has no lease unless its user wants one: after a crash it lies there for ever.
TEST(UnnamedToken, ofATimeBasedUuidIsRedisPysUnderAnyNameThatSpeaksOfNothingElse) {
  const std::string v1 = "df1b9af0e6c711f1a73602fc00000001";
  for (const auto *key : {"order:7", "import-customers", "batch:reindex", "nightly"}) {
    EXPECT_GT(confidence(key, v1, seconds(10)), shownConfidence) << key;
    for (const auto ttl : {std::optional<milliseconds>(seconds(600)), std::optional<milliseconds>(std::chrono::days(1)), std::optional<milliseconds>()}) {
      EXPECT_EQ(confidence(key, v1, ttl), shownConfidence) << key;
      EXPECT_LT(confidence(key, "df1b9af0e6c711e1a73602fc00000001", ttl), shownConfidence) << key << ": of 2012";
      EXPECT_LT(confidence(key, "df1b9af0e6c711f2a73602fc00000001", ttl), shownConfidence) << key << ": of a time to come";
      EXPECT_LT(confidence(key, hex32, ttl), shownConfidence) << key;
    }
  }
  for (const auto *key : {"session:7", "cache:7", "cart:7", "task_id:7", "visit:7", "latest:import", "worker:id:5"})
    EXPECT_LT(confidence(key, v1, std::nullopt), shownConfidence) << key;
  EXPECT_LT(confidence("session:7", v1, seconds(10)), shownConfidence);
  EXPECT_LT(confidence("order:7", hex32, seconds(10)), shownConfidence);
}

// As the READMEs of redlock-py and aioredlock have it.
TEST(UnnamedToken, underTheNameOfAResourceIsALockWhileItIsShort) {
  for (const auto *key : {"my_resource_name", "resource_name", "app:resource_key", "resourceName"})
    for (const auto &value : {uuid, std::string("aB3dE5fG7hJ9kL1mN3pQ5r")}) {
      EXPECT_EQ(confidence(key, value, seconds(10)), shownConfidence) << key;
      EXPECT_TRUE(mayBeToken(key, value)) << key;
      for (const auto ttl : {std::optional<milliseconds>(seconds(1800)), std::optional<milliseconds>()})
        EXPECT_LT(confidence(key, value, ttl), shownConfidence) << key;
    }
  for (const auto *key : {"resource_name:7", "user_name", "resource:7:name", "human_resources_name"})
    EXPECT_LT(confidence(key, uuid, seconds(10)), shownConfidence) << key;
}

} // namespace
} // namespace lockhouse
