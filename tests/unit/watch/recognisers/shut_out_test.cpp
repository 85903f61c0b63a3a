// SPDX-License-Identifier: Apache-2.0
// Who is locked out of an account, by his name or his address: a lock that nobody holds.
#include "tests/unit/watch/recognise.h"

#include <gtest/gtest.h>

namespace lockhouse {
namespace {

constexpr milliseconds now(1'795'271'640'123);

double confidenceOf(const KeyFacts &facts) {
  const auto row = test::recognise(facts);
  return row ? row->confidence : 0;
}

double ofString(std::string_view key, std::string value, std::optional<milliseconds> ttl) {
  KeyFacts facts;
  facts.key = key;
  facts.type = ValueType::String;
  facts.value = std::move(value);
  facts.ttl = ttl;
  facts.serverTime = now;
  return confidenceOf(facts);
}

TEST(ShutOut, isNoLockWhereAMarkOrATimeLiesForLonger) {
  for (const auto *key : {"account:5:lock", "ip-lock:1.2.3.4", "account_lock:7", "login-lock:alice", "accountLock:7"})
    for (const auto *value : {"1", "1795271640", "1795271640123", "true", "admin"})
      for (const auto ttl : {std::optional<milliseconds>(), std::optional<milliseconds>(std::chrono::minutes(15))})
        EXPECT_LT(ofString(key, value, ttl), shownConfidence) << key << " = " << value;
}

TEST(ShutOut, isALockWhereItIsHeldAsShortlyOrByAToken) {
  EXPECT_GE(ofString("account:5:lock", "1", seconds(10)), shownConfidence);
  EXPECT_GE(ofString("lock:account:5", "1", std::chrono::minutes(15)), shownConfidence);
  EXPECT_GE(ofString("account:5:lock", "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", std::chrono::minutes(15)), shownConfidence);
}

TEST(ShutOut, isNoSetOfLeases) {
  for (const auto *key : {"account_locks", "ip-locks", "locks:tenants"}) {
    KeyFacts facts;
    facts.key = key;
    facts.type = ValueType::SortedSet;
    facts.members = {{"user-17", static_cast<double>(now.count() + 60'000)}, {"user-23", static_cast<double>(now.count() + 90'000)}};
    facts.size = 2;
    facts.serverTime = now;
    if (std::string_view(key) == "locks:tenants")
      EXPECT_GE(confidenceOf(facts), shownConfidence) << key;
    else
      EXPECT_LT(confidenceOf(facts), shownConfidence) << key;
  }
}

TEST(FarEnds, areOfNoLock) {
  for (const auto &[key, ahead, isLock] : {std::tuple("lock:77:guests", std::chrono::hours(120), false),
                                           {"lock:warranty", std::chrono::hours(7200), false},
                                           {"lock:leases", std::chrono::hours(1), true}}) {
    KeyFacts facts;
    facts.key = key;
    facts.type = ValueType::SortedSet;
    facts.members = {{"guest-17", static_cast<double>((now + ahead).count())}};
    facts.size = 1;
    facts.serverTime = now;
    facts.seenAt = SteadyTime(seconds(100));
    EXPECT_EQ(confidenceOf(facts) >= shownConfidence, isLock) << key;
  }
  EXPECT_LT(ofString("lock:77:installed_at", "1760271640", {}), shownConfidence);
}

TEST(ShutOut, aMachinesConnectionIsNoLock) {
  for (const auto *key : {"ws:conn:17", "websocket:17"})
    EXPECT_LT(ofString(key, "web-1_4711_3f786850e387550fdab836ed7e6dc881", seconds(30)), shownConfidence) << key;
  EXPECT_GE(ofString("orders:17", "web-1_4711_3f786850e387550fdab836ed7e6dc881", seconds(30)), shownConfidence);
}

// Those who listen for a Mutex note until when they do.
TEST(MutexWaiters, areTheyWhosePlacesHaveNotLapsed) {
  const auto &families = FamilyRegistry::builtIn();
  const auto &queue = families.find("token")->companion.front();
  KeyFacts facts;
  facts.key = "lock:orders";
  facts.type = ValueType::String;
  facts.value = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:1";
  facts.ttl = seconds(10);
  facts.serverTime = now;
  facts.seenAt = SteadyTime(seconds(100));
  facts.companion.push_back({.form = &queue,
                             .key = "lockhouse:listeners:{lock:orders}",
                             .members = {{"7b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:3", static_cast<double>(now.count() - 5'000)},
                                         {"8b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:4", static_cast<double>(now.count() + 5'000)}},
                             .size = 2,
                             .ttl = {}});
  const auto row = families.recognise(facts);
  ASSERT_TRUE(row);
  EXPECT_EQ(row->waiters, 1U);
  ASSERT_EQ(row->queue.size(), 2U);
  EXPECT_EQ(row->queue.back().leavesAt, facts.seenAt + seconds(5));
}

} // namespace
} // namespace lockhouse
