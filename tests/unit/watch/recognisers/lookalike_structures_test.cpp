// SPDX-License-Identifier: Apache-2.0
// Ordinary hashes, sorted sets, lists and sets that look like locks: nothing here may be shown as one.
#include "tests/unit/watch/corpus/lock_corpus.h"
#include "tests/unit/watch/recognise.h"

#include <gtest/gtest.h>

namespace lockhouse {
namespace {

using test::recognise;

// Hashes, sorted sets, lists and sets that applications keep for other reasons.
const std::vector<test::LockState> &structures() {
  static const std::vector<test::LockState> cases{
      {"", ValueType::SortedSet, "lock:schedule", {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", "1795300060000"}, {"job-17", "1795300090000"}}, true, ""},
      {"", ValueType::SortedSet, "lock:schedule:7", {{"job-17", "1795300060"}, {"job-18", "1795299060"}}, true, ""},
      {"", ValueType::SortedSet, "app:lock:expirations", {{"order-7", "1795300060000"}}, true, ""},
      {"", ValueType::SortedSet, "lock:timers", {{"door-7", "1795299060000"}}, true, ""},
      {"", ValueType::Hash, "cursor:doc:lock", {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", "17"}}, true, ""},
      {"", ValueType::Hash, "lock:17:online", {{"web-1:4711", "1"}}, true, ""},
      {"", ValueType::SortedSet, "lock:17:heartbeat", {{"web-1:4711", "1795299999000"}}, true, ""},
      {"", ValueType::SortedSet, "sw:POST:/locks/17", {{"1795300000000827", "1795300000000"}}, true, ""},
      {"", ValueType::SortedSet, "sidekiq-scheduler:pushed:release_lock", {{"1795299940", "1795299940"}}, true, ""},
      {"", ValueType::SortedSet, "cron_job:lock_cleaner:enqueued", {{"2026-11-21T16:50:00Z", "1795299940.123"}}, true, ""},
      {"", ValueType::SortedSet, "bull:lock:repeat", {{"9dd4e461268c8034f5c8564e155c67a6", "1795300060000"}}, true, ""},
      {"", ValueType::SortedSet, "bull:mutex:completed", {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", "1795299940000"}}, true, ""},
      {"", ValueType::String, "app-cache-laravel_unique_job:App\\Jobs\\X:7:released:5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", {{"b:1;", ""}}, true, ""},
      {"", ValueType::String, "laravel_unique_job:App\\Jobs\\X:7:released:5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", {{"1", ""}}, true, ""},
      {"", ValueType::String, "bull:lock:meta-paused", {{"1", ""}}, true, ""},
      {"", ValueType::Hash, "job:locked_at", {{"7", "1795300000"}}, true, ""},
      {"", ValueType::Hash, "blocklist", {{"10.0.0.1", "1"}}, true, ""},
      {"", ValueType::List, "blocked:users", {{"7", ""}, {"8", ""}}, true, ""},
      {"", ValueType::List, "clock:ticks", {{"1795300000", ""}}, true, ""},
      {"", ValueType::SortedSet, "block:heights", {{"a", "1"}, {"b", "2"}}, true, ""},
      {"", ValueType::SortedSet, "unlock:times", {{"door-1", "1795300009000"}}, true, ""},
      {"", ValueType::Set, "locked:accounts", {{"alice", ""}, {"bob", ""}}, true, ""},
      {"", ValueType::Hash, "user:1", {{"name", "Alice"}, {"mail", "a@b.c"}}, true, ""},
      {"", ValueType::Hash, "session:9", {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", "1"}}, true, ""},
      {"", ValueType::Hash, "cart:7", {{"sku-1", "2"}, {"sku-2", "1"}}, true, ""},
      {"", ValueType::Hash, "counters", {{"hits", "10"}}, true, ""},
      {"", ValueType::Hash, "devices:7", {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", "iphone"}, {"0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02", "mac"}}, true, ""},
      {"", ValueType::Hash, "presence", {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", "1795300000000"}}, true, ""},
      {"", ValueType::Hash, "votes:1", {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", "1"}, {"0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02", "1"}}, true, ""},
      {"", ValueType::Hash, "config", {{"mode", "dark"}}, true, ""},
      {"", ValueType::Hash, "settings:1", {{"mode", "read"}, {"theme", "dark"}}, true, ""},
      {"", ValueType::Hash, "stats:day", {{"a", "1"}, {"b", "2"}, {"c", "3"}}, true, ""},
      {"", ValueType::Hash, "bull:mail:1", {{"data", "{}"}, {"opts", "{}"}, {"timestamp", "1795300000000"}}, true, ""},
      {"", ValueType::Hash, "asynq:{default}:t:5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", {{"msg", "x"}, {"state", "active"}}, true, ""},
      {"", ValueType::Hash, "huey.results.app", {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", "x"}, {"task", "y"}}, true, ""},
      {"", ValueType::Hash, "oauth:app", {{"client", "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01"}}, true, ""},
      {"", ValueType::Hash, "flags", {{"checkout", "true"}}, true, ""},
      {"", ValueType::Hash, "limits:1.2.3.4", {{"start", "1"}, {"end", "2"}, {"count", "3"}}, true, ""},
      {"", ValueType::Hash, "leaderboard:meta", {{"owner", "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01"}}, true, ""},
      {"", ValueType::Hash, "ws:conn", {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:1", "node-1"}}, true, ""},
      {"", ValueType::Hash, "trace:1", {{"span", "3f786850e387550fdab836ed7e6dc881"}}, true, ""},
      {"", ValueType::Hash, "geo:1", {{"lat", "1.0"}, {"lon", "2.0"}}, true, ""},
      {"", ValueType::Hash, "inventory", {{"sku:1", "5"}, {"sku:2", "6"}, {"sku:3", "7"}}, true, ""},
      {"", ValueType::Hash, "room:1", {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", "read"}}, true, ""},
      {"", ValueType::Hash, "acl", {{"mode", "write"}, {"alice", "1"}}, true, ""},
      {"", ValueType::Hash, "quota", {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", "100000"}}, true, ""},
      {"", ValueType::Hash, "profile:lockscreen", {{"image", "x.png"}}, true, ""},
      {"", ValueType::Hash, "lock:settings", {{"timeout", "30"}, {"retries", "5"}}, true, ""},
      {"", ValueType::Hash, "feature:lock", {{"enabled", "true"}, {"since", "2026"}}, true, ""},
      {"", ValueType::Hash, "users:LOCKED", {{"507f1f77bcf86cd799439011", "1795388117.25"}}, false, ""},
      {"", ValueType::Hash, "posts:LOCKED", {{"507f1f77bcf86cd799439011", "{\"by\":\"admin\"}"}}, false, ""},
      {"", ValueType::Hash, "locks:by_host", {{"web-1:22", "3"}}, false, ""},
      {"", ValueType::String, "lock_errors_total:2026-11-22", {{"1", ""}}, true, ""},
      {"", ValueType::Hash, "lock_retries", {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", "3"}}, false, ""},
      {"", ValueType::List, "locks:recent", {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", ""}}, false, ""},
      {"", ValueType::Hash, "files:LOCKED", {{"readme.md", "alice"}}, true, ""},
      {"", ValueType::Hash, "issue:7:LOCKED", {{"by", "bob"}}, true, ""},
      {"", ValueType::Hash, "cluster:slots:GRABBED", {{"1", "node-a"}, {"2", "node-b"}}, true, ""},
      {"", ValueType::SortedSet, "leaderboard", {{"alice", "100"}, {"bob", "90"}}, true, ""},
      {"",
       ValueType::SortedSet,
       "timeline:7",
       {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", "1795300000000"}, {"0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02", "1795299999995"}},
       true,
       ""},
      {"", ValueType::SortedSet, "recent", {{"item:1", "1795300000000"}}, true, ""},
      {"", ValueType::SortedSet, "delayed:jobs", {{"{\"id\":1}", "1795300005000"}}, true, ""},
      {"", ValueType::SortedSet, "bull:mail:delayed", {{"1", "7353548800000000"}}, true, ""},
      {"", ValueType::SortedSet, "asynq:{default}:lease", {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", "1795300030"}}, true, ""},
      {"", ValueType::SortedSet, "rate:1.2.3.4", {{"1795300000000", "1795300000000"}, {"1795299999999", "1795299999999"}}, true, ""},
      {"",
       ValueType::SortedSet,
       "rate:api:7",
       {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", "1795300000000"}, {"0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02", "1795299999900"}},
       true,
       ""},
      {"", ValueType::SortedSet, "sessions:online", {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", "1795300000"}}, true, ""},
      {"", ValueType::SortedSet, "prices", {{"BTC", "64000.5"}}, true, ""},
      {"", ValueType::SortedSet, "geo:drivers", {{"d1", "3479099956230698"}, {"d2", "3479447370796909"}}, true, ""},
      {"", ValueType::SortedSet, "autocomplete", {{"apple", "0"}, {"ant", "0"}}, true, ""},
      {"", ValueType::SortedSet, "trending", {{"#redis", "12.5"}}, true, ""},
      {"", ValueType::SortedSet, "schedule", {{"job-1", "1795300000"}}, true, ""},
      {"", ValueType::SortedSet, "sliding:window", {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:1", "1795300000000"}}, true, ""},
      {"", ValueType::SortedSet, "expiry:index", {{"session:1", "1795300060"}}, true, ""},
      {"", ValueType::SortedSet, "semaphores", {{"a", "1"}}, true, ""},
      {"", ValueType::SortedSet, "queue:priority", {{"t1", "1"}, {"t2", "5"}}, true, ""},
      {"", ValueType::SortedSet, "unacked_index", {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", "1795300000.0"}}, true, ""},
      {"", ValueType::SortedSet, "ranks", {{"x", "1"}, {"y", "2"}}, true, ""},
      {"", ValueType::SortedSet, "events:2026", {{"login", "1795300000000"}}, true, ""},
      {"", ValueType::SortedSet, "uniquejobs:digests", {{"uniquejobs:3f786850e387550fdab836ed7e6dc881", "1795300000.0"}}, true, ""},
      {"", ValueType::SortedSet, "dedupe", {{"3f786850e387550fdab836ed7e6dc881", "1795300000"}}, true, ""},
      {"", ValueType::SortedSet, "ttl:tokens", {{"3f786850e387550fdab836ed7e6dc881", "1795300030000"}}, true, ""},
      {"", ValueType::SortedSet, "score:lockers", {{"a", "4"}}, true, ""},
      {"", ValueType::Hash, "visits", {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", "5"}}, false, ""},
      {"", ValueType::Hash, "visits:day", {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:1", "5"}, {"0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02:1", "2"}}, false, ""},
      {"", ValueType::Hash, "plays", {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", "1"}}, false, ""},
      {"", ValueType::Hash, "scores:7", {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", "3"}, {"0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02", "4"}}, true, ""},
      {"", ValueType::SortedSet, "signatures", {{"itGRndUan7bU1Qm6ZMjPaAPeUNg6Ls+661NCBxpIyy0=", "1795300060000"}}, false, ""},
      {"",
       ValueType::SortedSet,
       "digests:seen",
       {{"itGRndUan7bU1Qm6ZMjPaAPeUNg6Ls+661NCBxpIyy0=", "1795300060000"}, {"/SJ8x3HTnsz4C3wsWFe3wl8DlMq5OqvFq84hP9izfcY=", "1795300061000"}},
       false,
       ""},
      {"", ValueType::SortedSet, "hmac:index", {{"itGRndUan7bU1Qm6ZMjPaAPeUNg6Ls+661NCBxpIyy0=", "1795290000000"}}, false, ""},
      {"",
       ValueType::SortedSet,
       "semaphore:queue",
       {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", "1795300300000"}, {"0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02", "1795300400000"}},
       true,
       ""},
      {"", ValueType::SortedSet, "semaphore:history", {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", "1795299995000"}}, false, ""},
      {"", ValueType::SortedSet, "semaphore:schedule", {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", "1795386400000"}}, false, ""},
      {"", ValueType::SortedSet, "{session}:timeout", {{"abcdefghijklmnop", "1795300060000"}}, false, ""},
      {"", ValueType::SortedSet, "{cache}:time", {{"user:1", "1795300060"}}, false, ""},
      {"", ValueType::SortedSet, "{feed}:time", {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", "1795300060"}}, true, ""},
      {"", ValueType::SortedSet, "hashes", {{"itGRndUan7bU1Qm6ZMjPaAPeUNg6Ls+661NCBxpIyy0=", "inf"}}, true, ""},
      {"", ValueType::SortedSet, "lock:drivers", {{"d1", "3479099956230698"}, {"d2", "3479447370796909"}}, true, ""},
      {"", ValueType::List, "queue:mail", {{"{\"id\":1}", ""}, {"{\"id\":2}", ""}}, true, ""},
      {"", ValueType::List, "logs", {{"line", ""}}, true, ""},
      {"", ValueType::List, "bull:mail:wait", {{"1", ""}, {"2", ""}}, true, ""},
      {"", ValueType::List, "notifications:7", {{"hi", ""}}, true, ""},
      {"", ValueType::List, "celery", {{"{\"body\":\"x\"}", ""}}, true, ""},
      {"", ValueType::List, "history:urls", {{"/a", ""}, {"/b", ""}}, true, ""},
      {"", ValueType::List, "recent:views", {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", ""}, {"0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02", ""}}, true, ""},
      {"", ValueType::List, "chat:1", {{"hello", ""}}, true, ""},
      {"", ValueType::List, "tasks", {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", ""}}, true, ""},
      {"", ValueType::List, "undo:1", {{"x", ""}}, true, ""},
      {"", ValueType::Set, "tags:1", {{"a", ""}, {"b", ""}}, true, ""},
      {"", ValueType::Set, "online", {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", ""}, {"0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02", ""}}, true, ""},
      {"", ValueType::Set, "bull:mail:stalled", {{"1", ""}}, true, ""},
      {"", ValueType::Set, "followers:1", {{"2", ""}, {"3", ""}}, true, ""},
      {"", ValueType::Set, "ips", {{"10.0.0.1", ""}}, true, ""},
      {"", ValueType::Set, "book.readers", {{"alice", ""}, {"bob", ""}}, true, ""},
      {"", ValueType::Set, "page:1:readers", {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", ""}}, true, ""},
      {"", ValueType::Set, "newsletter.readers", {{"a@b.c", ""}}, true, ""},
      {"", ValueType::Set, "roles:1", {{"admin", ""}}, true, ""},
      {"", ValueType::Set, "visited", {{"3f786850e387550fdab836ed7e6dc881", ""}}, true, ""},
  };
  return cases;
}

TEST(LookAlikes, thereAreManyStructures) { EXPECT_GE(structures().size(), 96U) << "with the strings more than 300"; }

// A client and a number, as Redisson writes them too, but for the lease.
TEST(LookAlikes, aHashOfOneFieldOfAnIdIsNoLockWithoutALeaseOrByAnotherId) {
  const std::string v4 = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:5", v7 = "0190f5a0-1234-7abc-8def-0123456789ab:1";
  const auto confidence = [](const char *key, const std::string &field, bool isLeased) {
    const auto lock = recognise(test::factsOf({"", ValueType::Hash, key, {{field, "1"}}, isLeased, ""}));
    return lock ? lock->confidence : 0;
  };
  for (const auto *key : {"cart:9", "ratings:movie7", "presence:room", "votes:7", "unread:7", "sockets:1", "progress:1", "cart:items", "session:7", "inventory",
                          "shop:inventory:7", "product:9"})
    EXPECT_LT(confidence(key, v4, false), shownConfidence) << key;
  for (const auto *key : {"cart:9", "stock", "x"})
    for (const bool isLeased : {true, false})
      EXPECT_LT(confidence(key, v7, isLeased), shownConfidence) << key;
  for (const auto *key : {"cart:9", "stock", "session:7", "lock:cart:9", "inventory", "product:9"})
    EXPECT_GE(confidence(key, v4, true), 0.9) << key;
  EXPECT_GE(confidence("cart:9:lock", v4, false), 0.9);
  for (const auto *key : {"stock", "stuck", "order:7"})
    EXPECT_GE(confidence(key, v4, false), shownConfidence) << key << ": less sure, for Redisson's have a lease";
}

// When a client was last seen, under its id: in seconds or milliseconds, with a fraction or without.
TEST(LookAlikes, aTimeUnderAnIdIsNoCountOfALock) {
  const std::string client = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:5";
  const auto confidence = [&client](const char *key, const char *value, std::optional<milliseconds> ttl) {
    auto state = test::LockState{"", ValueType::Hash, key, {{client, value}}, true, ""};
    auto facts = test::factsOf(state);
    facts.ttl = ttl;
    const auto lock = recognise(facts);
    return lock ? lock->confidence : 0;
  };
  for (const auto *key : {"online:7", "editor:doc:7", "heartbeats", "last_seen:7", "room:12:members", "doc:cursor:7", "players:7", "poll:7", "x", "lock:x"})
    for (const auto *value : {"1795446881", "1795446881853", "1795446881853000", "1795446881853000000", "1795446881.853", "1.795446881853e+12", "1000000000"})
      for (const auto ttl : {std::optional<milliseconds>(seconds(30)), std::optional<milliseconds>(std::chrono::hours(1)), std::optional<milliseconds>()})
        EXPECT_LT(confidence(key, value, ttl), shownConfidence) << key << " = " << value;
  for (const auto *key : {"online:7", "typing:room:7", "presence:7", "ws:connections", "doc:7:viewers"}) {
    EXPECT_LT(confidence(key, "1", std::chrono::hours(1)), shownConfidence) << key << ": who is there";
    const bool isCrowd = !std::string_view(key).contains("connections");
    EXPECT_EQ(confidence(key, "1", seconds(30)) < shownConfidence, isCrowd) << key << ": nobody has that alone";
  }
  for (const auto *count : {"1", "3", "1000", "999999999"})
    EXPECT_GE(confidence("poll:7", count, seconds(30)), 0.9) << count;
}

// Tokens with ends of their own, as sessions and the like are kept to be cleared away when they are over.
TEST(LookAlikes, tokensWithEndsUnderNamesOfDataAreNoLocks) {
  const std::vector<std::string> tokens{"itGRndUan7bU1Qm6ZMjPaAPeUNg6Ls+661NCBxpIyy0=", "web-1_4711_3f786850e387550fdab836ed7e6dc881"};
  const auto of = [](const std::string &key, const std::string &member) {
    const auto seconds = key.ends_with(":time");
    return recognise(test::factsOf({"", ValueType::SortedSet, key, {{member, seconds ? "1795300060" : "1795300060000"}}, true, ""}));
  };
  for (const auto &token : tokens) {
    for (const auto *key : {"sessions:user:9",  "csrf:tokens:5",       "uploads:recent",    "img_1_3f786850e387550fdab836ed7e6dc881",
                            "online:users",     "active_tokens",       "jwt:blacklist",     "delayed:jobs",
                            "refresh_tokens:7", "user:7:devices",      "oauth:states",      "password_resets",
                            "otp:pending",      "cache:expiry",        "api:keys:expiring", "carts:idle",
                            "feed:7",           "{sessions}:time",     "presence:lobby",    "invites:open",
                            "subscriptions:7",  "email:verifications", "auth:attempts:7"}) {
      const auto lock = of(key, token);
      EXPECT_LT(lock ? lock->confidence : 0, shownConfidence) << key << " " << token;
    }
    for (const auto *key : {"invoice-7", "orders", "stock:42", "lock:sessions:9", "uploads:lock", "jobs:import", "x"})
      EXPECT_GE(of(key, token)->confidence, 0.9) << key << " " << token;
  }
  const auto picture = of("gallery", "img_1_3f786850e387550fdab836ed7e6dc881");
  EXPECT_LT(picture->confidence, shownConfidence) << "no machine's name";
  const auto closed =
      recognise(test::factsOf({"", ValueType::SortedSet, "sessions:user:9", {{tokens[0], "1795300060000"}, {"__write__", "1795300060000"}}, true, ""}));
  EXPECT_GE(closed->confidence, 0.9) << "its mark is nobody else's";
}

TEST(LookAlikes, structuresAreNoLocks) {
  for (const auto &data : structures()) {
    const auto lock = recognise(test::factsOf(data));
    EXPECT_LT(lock ? lock->confidence : 0, shownConfidence) << data.key << " as " << (lock ? lock->family : "nothing");
  }
}

} // namespace
} // namespace lockhouse
