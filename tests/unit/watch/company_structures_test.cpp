// SPDX-License-Identifier: Apache-2.0
// What a company keeps in hashes, sorted sets, lists and sets beside its locks. Nothing of it is a lock.
#include "tests/unit/watch/corpus/lock_corpus.h"
#include "tests/unit/watch/recognise.h"

#include <gtest/gtest.h>

namespace lockhouse {
namespace {

using test::recognise;

const std::vector<test::LockState> &structures() {
  static const std::vector<test::LockState> data{
      {"", ValueType::Hash, "session:5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", {{"user", "7"}, {"csrf", "3f786850e387550fdab836ed7e6dc881"}}, true, ""},
      {"", ValueType::Hash, "cart:7", {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", "1"}}, true, ""},
      {"", ValueType::Hash, "cart:5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", {{"sku-7", "2"}}, true, ""},
      {"", ValueType::Hash, "presence:room:7", {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", "1795300000000"}}, true, ""},
      {"", ValueType::Hash, "stats:GRABBED", {{"clicks", "17.5"}}, true, ""},
      {"", ValueType::Hash, "stats:GRABBED", {{"0", "1795300000.25"}}, true, ""},
      {"", ValueType::Hash, "stats:GRABBED", {{"clicks", "1795300000.25"}, {"views", "1795300000.25"}}, true, ""},
      {"", ValueType::Hash, "coupons:GRABBED", {{"alice", "1795300000.25"}}, true, ""},
      {"", ValueType::Hash, "daily:GRABBED", {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", "1795300000.25"}}, true, ""},
      {"", ValueType::Hash, "deals:GRABBED", {{"sku-7", "1795300000"}}, true, ""},
      {"", ValueType::Hash, "lock:stats", {{"web-1", "17"}}, true, ""},
      {"", ValueType::Hash, "locks:by_user", {{"alice-7", "3"}}, true, ""},
      {"", ValueType::Hash, "lock_counts", {{"web-1", "3"}}, true, ""},
      {"", ValueType::Hash, "lock:owners", {{"order-7", "1"}}, true, ""},
      {"", ValueType::Hash, "lock:count:per_host", {{"web-1:22", "3"}}, true, ""},
      {"", ValueType::Hash, "lock:errors", {{"web-1", "3"}}, true, ""},
      {"", ValueType::Hash, "door_lock:events", {{"web-1", "3"}}, true, ""},
      {"", ValueType::Hash, "rq:workers:x", {{"birth", "2026-11-20"}}, true, ""},
      {"", ValueType::Hash, "user:7:lock", {{"attempts", "3"}}, true, ""},
      {"", ValueType::Hash, "user:7:lock", {{"alice-7", "3"}}, true, ""},
      {"", ValueType::Hash, "lock:config", {{"retries-1", "3"}}, true, ""},
      {"", ValueType::Hash, "votes:5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", {{"0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02", "1"}}, true, ""},
      {"", ValueType::Hash, "bull:mail:7", {{"data", "{}"}, {"attemptsMade", "1"}}, true, ""},
      {"", ValueType::Hash, "page_views:lock-picking-101", {{"2026-11-20", "17"}}, true, ""},
      {"", ValueType::Hash, "product:padlock", {{"sku-1", "3"}}, true, ""},
      {"", ValueType::Hash, "staking:locks", {{"0x378368f4ae1b2c3d4e5f60718293a4b5c6d7e8f9", "100"}}, false, ""},
      {"", ValueType::SortedSet, "locks:expiring_codes", {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", "1795300060000"}}, false, ""},
      {"", ValueType::SortedSet, "{q}:time", {{"job-1", "1795300060"}, {"job-2", "1795300061"}}, true, ""},
      {"", ValueType::SortedSet, "{q}:time", {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", "1795300060"}}, true, ""},
      {"", ValueType::SortedSet, "{q}:weight", {{"job-1", "3"}}, true, ""},
      {"", ValueType::SortedSet, "{feed}:time", {{"post-7", "1795300060"}}, true, ""},
      {"", ValueType::SortedSet, "locks:recent", {{"web-1", "1795300000000"}}, true, ""},
      {"", ValueType::SortedSet, "lock:history", {{"web-1", "1795300000000"}}, true, ""},
      {"", ValueType::SortedSet, "lock:log", {{"web-1", "1795300000000"}}, true, ""},
      {"", ValueType::SortedSet, "lock:attempts:alice", {{"10.0.0.7", "1795300000000"}}, true, ""},
      {"", ValueType::SortedSet, "lockouts", {{"alice-7", "1795300060000"}}, true, ""},
      {"", ValueType::SortedSet, "door:lock:events", {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", "1795300000000"}}, true, ""},
      {"", ValueType::SortedSet, "lock:events", {{"web-1", "1795300000000"}}, true, ""},
      {"", ValueType::SortedSet, "locks:expired", {{"web-1", "1795300000000"}}, true, ""},
      {"", ValueType::SortedSet, "locks:index", {{"order-7", "1795300060000"}}, true, ""},
      {"", ValueType::SortedSet, "lock:timeouts", {{"web-1", "1795300060000"}}, true, ""},
      {"", ValueType::SortedSet, "unlocks", {{"web-1", "1795300000000"}}, true, ""},
      {"", ValueType::SortedSet, "block:times", {{"web-1", "1795300000000"}}, true, ""},
      {"", ValueType::SortedSet, "lock:leaderboard", {{"alice-7", "17"}}, true, ""},
      {"", ValueType::SortedSet, "lock:scores", {{"alice-7", "1795300"}}, true, ""},
      {"", ValueType::SortedSet, "lock:metrics", {{"p-99", "1795300000000"}}, true, ""},
      {"", ValueType::SortedSet, "locks:popular", {{"bike-7", "3"}}, true, ""},
      {"", ValueType::SortedSet, "lock:queue:priority", {{"t-1", "1"}}, true, ""},
      {"", ValueType::SortedSet, "lock:audit", {{"alice-7", "1795300000000"}}, true, ""},
      {"", ValueType::SortedSet, "lock:changes", {{"row-7", "1795300000000"}}, true, ""},
      {"", ValueType::List, "lock:events", {{"web-1", ""}}, true, ""},
      {"", ValueType::List, "lock:log", {{"2026-11-20T10:00:00Z", ""}}, true, ""},
      {"", ValueType::List, "locks:recent", {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", ""}}, true, ""},
      {"", ValueType::List, "lock:history", {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", ""}}, true, ""},
      {"", ValueType::List, "lock:errors", {{"web-1", ""}}, true, ""},
      {"", ValueType::List, "lock:notifications", {{"web-1", ""}}, true, ""},
      {"", ValueType::List, "lock:messages", {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", ""}}, true, ""},
      {"", ValueType::List, "lock_tests", {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", ""}}, true, ""},
      {"", ValueType::List, "door:lock:log", {{"1795300000", ""}}, true, ""},
      {"", ValueType::List, "unlock:queue", {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", ""}}, true, ""},
      {"", ValueType::List, "block:queue", {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", ""}}, true, ""},
      {"", ValueType::List, "clock:ticks", {{"1795300000", ""}}, true, ""},
      {"", ValueType::List, "lock:audit", {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", ""}}, true, ""},
      {"", ValueType::List, "lock:samples", {{"12", ""}, {"13", ""}}, true, ""},
      {"", ValueType::List, "recent:locks", {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", ""}}, true, ""},
      {"", ValueType::List, "article:lock:comments", {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", ""}}, true, ""},
      {"", ValueType::List, "lock:images", {{"a-1.png", ""}}, true, ""},
      {"", ValueType::Set, "locks", {{"a", ""}, {"b", ""}}, true, ""},
      {"", ValueType::Set, "locked:users", {{"alice", ""}}, true, ""},
      {"", ValueType::Set, "lock:keys", {{"lock:a", ""}}, true, ""},
      {"", ValueType::Set, "lock:owners", {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", ""}}, true, ""},
      {"", ValueType::Set, "page.readers", {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", ""}}, true, ""},
      {"", ValueType::Set, "blog:readers", {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", ""}, {"0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02", ""}}, true, ""},
  };
  return data;
}

TEST(CompanyData, inStructuresIsNoLock) {
  for (auto data : structures())
    for (const bool hasLease : {true, false}) {
      data.hasLease = hasLease;
      const auto lock = recognise(test::factsOf(data));
      EXPECT_LT(lock ? lock->confidence : 0, shownConfidence) << data.key << " as " << (lock ? lock->family : "nothing");
    }
}

// Members that could be owners, and times.
TEST(CompanyData, inSortedSetsOfTimesIsNoLock) {
  const std::vector<std::pair<const char *, const char *>> members{
      {"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", "1795300000000"}, {"web-1", "1795300060"}, {"user-7", "1795300060000"}};
  for (const auto *key : {"feed:7", "timeline:7", "ratelimit:7", "sliding:7", "online", "recent:7", "delayed", "retry", "dead", "schedule", "presence:room:7",
                          "active:sessions", "events", "leaderboard", "rate:7", "jobs:scheduled"})
    for (const auto &[member, score] : members) {
      const auto lock = recognise(test::factsOf({"", ValueType::SortedSet, key, {{member, score}}, true, ""}));
      EXPECT_LT(lock ? lock->confidence : 0, shownConfidence) << key << " of " << member;
    }
}

} // namespace
} // namespace lockhouse
