// SPDX-License-Identifier: Apache-2.0
// What frameworks and products keep in Redis, as they write it: queues, sessions, caches, limits, presence, sign-in. Nothing of it is a lock,
// but for those at the end.
#include "tests/unit/watch/corpus/lock_corpus.h"
#include "tests/unit/watch/recognise.h"

#include <gmock/gmock.h>

namespace lockhouse {
namespace {

using namespace std::string_literals;
using test::LockState;
using test::recognise;

const std::string uuid = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", uuid2 = "0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02", hex32 = "3f786850e387550fdab836ed7e6dc881",
                  hex40 = hex32 + "3f786850", hex64 = hex32 + hex32, jid = "7736f3eec580dcfc43fe5d04",
                  b64of32 = "itGRndUan7bU1Qm6ZMjPaAPeUNg6Ls+661NCBxpIyy0=", alnum24 = "rZ3kP9qL2mX7vB4nT6yUaB3d",
                  alnum43 = "aZ3kP9qL2mX7vB4nT6yUaZ3kP9qL2mX7vB4nT6yUaZ3", machine = "img_1_" + hex32;

LockState string(std::string key, std::string value) { return {"", ValueType::String, std::move(key), {{std::move(value), ""}}, true, ""}; }
LockState of(ValueType type, std::string key, std::vector<std::pair<std::string, std::string>> parts) {
  return {"", type, std::move(key), std::move(parts), true, ""};
}

std::vector<LockState> queues() {
  using enum ValueType;
  return {
      of(Hash, "horizon:" + uuid, {{"id", uuid}, {"queue", "default"}, {"status", "pending"}, {"reserved_at", "1795300000.25"}}),
      of(SortedSet, "horizon:recent_jobs", {{uuid, "-1795300000.25"}}),
      of(SortedSet, "horizon:masters", {{"web-1-AbCd", "1795300015"}}),
      of(SortedSet, "horizon:supervisors", {{"web-1-AbCd:supervisor-1", "1795300029"}}),
      of(Hash, "horizon:supervisor:web-1-AbCd:supervisor-1", {{"pid", "4711"}, {"status", "running"}}),
      string("horizon:monitor:time-to-clear", "1"),
      of(SortedSet, "laravel_database_queues:default:reserved", {{"{\"uuid\":\"" + uuid + "\"}", "1795300090"}}),
      of(Hash, "laravel_database_throttle-key", {{"start", "1795300000.1"}, {"end", "1795300060"}, {"count", "3"}}),
      string("laravel_database_laravel_cache_:5c785c036466adea360111aa28563bfd556b5fba:timer", "i:1795300060;"),
      of(Hash, "unacked", {{uuid, "[{\"body\":\"W10=\"},\"\",\"celery\"]"}}),
      of(SortedSet, "unacked_index", {{uuid, "1795300000.25"}}),
      string("chord-unlock-" + uuid, "1"),
      string("celery-task-meta-" + uuid, "{\"status\":\"SUCCESS\"}"),
      of(Set, "_kombu.binding.celery",
         {{"celery\x06\x16\x06\x16"
           "celery",
           ""}}),
      of(SortedSet, "redbeat::schedule", {{"redbeat:cleanup", "1795300060.5"}}),
      of(SortedSet, "retry", {{"{\"class\":\"A\",\"jid\":\"" + jid + "\"}", "1795300060.25"}}),
      of(SortedSet, "throttled:mailer:concurrency.v2", {{jid, "1795300900"}}),
      of(Hash, "web-1:4711:3f786850e387", {{"info", "{}"}, {"busy", "1"}, {"beat", "1795300000.25"}}),
      of(Hash, "BID-aZ3kP9qL2mX7vB", {{"created_at", "1795300000.25"}, {"pending", "3"}}),
      of(Set, "resque:workers", {{"web-1:4711:*", ""}}),
      of(SortedSet, "resque:delayed_queue_schedule", {{"1795300060", "1795300060"}}),
      of(Hash, "bull:mail:meta", {{"opts.maxLenEvents", "10000"}, {"version", "bullmq:5.1.0"}}),
      of(SortedSet, "bull:mail:repeat", {{hex32, "1795300060000"}}),
      of(SortedSet, "bull:mail:failed", {{uuid, "1795300000000"}}),
      of(SortedSet, "bq:mail:delayed", {{"1", "1795300060000"}}),
  };
}

// Of queues that are called after a lock.
std::vector<LockState> queuesByLocks() {
  using enum ValueType;
  std::vector<LockState> all;
  for (const auto *queue : {"lock", "locks", "mutex", "lock-cleanup", "lock_sync", "release-locks", "lock:low"}) {
    const auto name = std::string(queue);
    all.push_back(of(List, "rq:queue:" + name, {{uuid, ""}, {uuid2, ""}}));
    for (const auto *kept : {"wip", "canceled", "finished", "scheduled", "failed", "deferred"})
      all.push_back(of(SortedSet, "rq:" + std::string(kept) + ":" + name, {{uuid, "1795300180"}}));
    for (const auto *kept : {"pending", "active"})
      all.push_back(of(List, "asynq:{" + name + "}:" + kept, {{uuid, ""}}));
    for (const auto *kept : {"lease", "retry", "completed", "archived", "scheduled"})
      all.push_back(of(SortedSet, "asynq:{" + name + "}:" + kept, {{uuid, "1795300030"}}));
    for (const auto *hangfire : {"{hangfire}:queue:", "hangfire:queue:"})
      for (const auto *behind : {"", ":dequeued"})
        all.push_back(of(List, hangfire + name + behind, {{uuid, ""}}));
    for (const auto *behind : {"", ".DQ"})
      all.push_back(of(List, "dramatiq:" + name + behind, {{uuid, ""}}));
    all.push_back(of(SortedSet, "dramatiq:" + name + ".XQ", {{uuid, "1795300000000"}}));
  }
  return all;
}

std::vector<LockState> sessions() {
  using enum ValueType;
  return {
      string("spring:session:sessions:expires:" + uuid, ""),
      of(SortedSet, "spring:session:sessions:expirations", {{uuid, "1795301800000"}}),
      of(Set, "spring:session:expirations:1795300020000", {{"expires:" + uuid, ""}}),
      string(":1:django.contrib.sessions.cacheaz3kp9ql2mx7vb4nt6yuaz3kp9ql2mx7", "\x80\x05\x95"),
      string("sess:aZ3kP9qL2mX7vB4nT6yUaZ3kP9qL2mX7", "{\"cookie\":{\"originalMaxAge\":86400000}}"),
      string("session:" + uuid, hex64),
      of(Hash, "sess_az3kp9ql2mx7vb4nt6yuaz3kp9", {{"data", "x"}, {"lock", "1"}, {"pid", "web-1|4711"}, {"wait", "0"}}),
      string("_session_id:2::" + hex64, "\x04\x08{\x07"),
      of(SortedSet, "sessions:7", {{b64of32, "1795301800000"}}),
      of(SortedSet, "active_sessions", {{uuid, "1795301800000"}}),
      string("user:session:" + uuid, "{\"sessionToken\":\"" + uuid2 + "\"}"),
      string("oauth:refresh:" + uuid, uuid2),
      string("pkce:" + uuid, alnum43),
      string("webauthn:challenge:7", b64of32),
      string("magic-link:alice", alnum43),
      string("mfa:challenge:7", uuid),
      string("mfa:code:7", "492817"),
      string("login:nonce:aZ3kP9qL2mX7vB4n", "aZ3kP9qL2mX7vB4nT6yUaZ3kP9qL2mX7"),
      string("pwreset:" + hex64, "7"),
      string("sso:state:" + alnum24, uuid),
      string("idempotency:" + uuid, "{\"status\":201}"),
      string("idempotency-key:" + uuid, "completed"),
      of(SortedSet, "jwt:blacklist", {{b64of32, "1795301800000"}}),
      of(SortedSet, "active_tokens", {{b64of32, "1795301800000"}}),
  };
}

std::vector<LockState> others() {
  using enum ValueType;
  return {
      string("wp:transient:doing_cron", "1795300000.2512340546"),
      string("wp:site-transient:doing_cron", "s:21:\"1795300000.2512340546\";"),
      of(Hash, "zc:k:a1b_CONFIG_GLOBAL", {{"d", "gz:x"}, {"t", ""}, {"m", "1795300000"}, {"i", "0"}}),
      string("rack::attack:5984333:req/ip:10.0.0.7", "17"),
      string("LIMITS:LIMITER/10.0.0.7/index/5/1/minute", "3"),
      of(Hash, "{" + hex64 + ":default}", {{"totalHits", "3"}}),
      of(SortedSet, "ratelimit:sw:7", {{"1795300000000:aZ3kP9", "1795300000000"}}),
      of(Hash, "tokenbucket:7", {{"tokens", "9.5"}, {"ts", "1795300000.25"}}),
      string("gitlab:etag:/g/p/noteable/issue/7/notes", hex32),
      string("runner:build_queue:" + jid, hex32),
      string("gitlab:sidekiq_status:" + jid, "1"),
      of(SortedSet, "feed:home:7", {{"111794843784651", "111794843784651"}}),
      string("timeline:public:cursor", alnum24),
      string("spam_check:hash:7", hex64),
      string("default:csrf_token_" + hex32, "1"),
      of(SortedSet, "leaderboard:weekly", {{uuid, "1520"}, {uuid2, "1340"}}),
      of(SortedSet, "presence:lobby", {{uuid + "_1", "1795300030000"}}),
      of(SortedSet, "uploads:recent", {{machine, "1795300030000"}}),
      of(SortedSet, "gallery", {{machine, "1795300030000"}}),
      of(Hash, "presence:ws", {{"node-1:" + uuid, "1795300000000"}}),
      of(Hash, "features", {{"checkout", "1"}}),
      string("hold:seat:7A", uuid),
      string("reservation:7", uuid),
      string("checkout:7", uuid),
      string("processing:7", "web-1:4711"),
      string("import:7:running", uuid),
      string("node:web-1", uuid),
      string("stream:7:key", hex32),
      string("deploy:current", hex40),
      string("rl:0:orders", "{\"remaining\":3}"),
  };
}

TEST(FrameworksData, isNoLock) {
  for (const auto &data : {queues(), queuesByLocks(), sessions(), others()})
    for (auto state : data)
      for (const bool hasLease : {true, false}) {
        state.hasLease = hasLease;
        const auto lock = recognise(test::factsOf(state));
        EXPECT_LT(lock ? lock->confidence : 0, shownConfidence) << state.key << " as " << (lock ? lock->family : "nothing") << (hasLease ? " leased" : "");
      }
  EXPECT_GE(queues().size() + sessions().size() + others().size(), 75U);
}

TEST(FrameworksData, hasLocksAmongIt) {
  const auto familyOf = [](const LockState &state) {
    const auto lock = recognise(test::factsOf(state));
    return lock && lock->confidence >= shownConfidence ? lock->family : std::string("nothing");
  };
  EXPECT_EQ(familyOf(string("gitlab:exclusive_lease:project_housekeeping:7", uuid)), "gitlab");
  EXPECT_EQ(familyOf(string("laravel_database_laravel_cache_:framework/schedule-" + hex40, "aZ3kP9qL2mX7vB4n")), "laravel");
  EXPECT_EQ(familyOf(string("airflow:lock:dag:7", uuid)), "token");
  EXPECT_EQ(familyOf(string("discourse:mutex:x", "1795300019")), "discourse");
  EXPECT_EQ(familyOf(string("app1::lock", "8f0c2f6a9d1b11efb1c30242ac120002")), "redbeat");
  EXPECT_EQ(familyOf(string("unacked_mutex", "8f0c2f6a9d1b11efb1c30242ac120002")), "kombu");
}

// A mere "-lock" behind a name is what anybody writes.
TEST(FrameworksData, ofWhichALockMayBeAnybodysSaysSo) {
  const auto state = string("payment-lock", uuid);
  const auto lock = recognise(test::factsOf(state));
  ASSERT_TRUE(lock);
  EXPECT_EQ(lock->family, "aiocache");
  EXPECT_THAT(lock->mayBe, testing::IsSupersetOf({"redlock-rb", "aioredlock", "sherlock"}));
}

TEST(FrameworksData, ofHueyNamesItsQueueOnce) {
  for (const auto &[key, queue] : {std::pair("huey.r.myapp.myapp.lock.daily", "myapp"), {"huey.r.myapp2.my-app2.lock.daily", "my-app2"}}) {
    const auto state = string(key, "x");
    EXPECT_THAT(recognise(test::factsOf(state))->extras, testing::ElementsAre(MetadataEntry{"queue", queue}, MetadataEntry{"task", "daily"}));
  }
}

// What PHP's session handlers, Java's default serialiser and JSON ones make of a token.
TEST(FrameworksData, packsTheTokensOfLocks) {
  const std::string java = std::string("\xac\xed\0\5t\0$", 7) + uuid;
  for (const auto &value : {java, "\"" + uuid + "\"", std::string("s:16:\"aZ3kP9qL2mX7vB4n\";"), "s:36:\"" + uuid + "\";"}) {
    for (const auto &key : {std::string("orders:lock"), std::string("lock:orders"), std::string("\xac\xed\0\5t\0\x0block:orders", 18)}) {
      const auto state = string(key, value);
      const auto lock = recognise(test::factsOf(state));
      ASSERT_TRUE(lock) << value;
      EXPECT_EQ(lock->family, "token");
      EXPECT_GE(lock->confidence, 0.7) << value;
      EXPECT_EQ(lock->holders, (std::vector<Holder>{{value}})) << "its bytes, against which a release compares";
    }
    const auto data = string("promo:7", value);
    const auto other = recognise(test::factsOf(data));
    EXPECT_LT(other ? other->confidence : 0, shownConfidence) << value;
  }
  const auto packed = string("orders:lock", "s:16:\"aZ3kP9qL2mX7vB4n\";");
  EXPECT_THAT(recognise(test::factsOf(packed))->mayBe, testing::Contains("laravel"));
  for (const auto &value : {std::string("\xac\xed\0\5t\0\6locked", 13), std::string("s:6:\"locked\";")}) {
    const auto state = string("orders:lock", value);
    EXPECT_GE(recognise(test::factsOf(state))->confidence, shownConfidence) << value;
  }
  for (const auto &value :
       {std::string("\xac\xed\0\5t\0\x20") + uuid, std::string("s:9:\"locked\";"), std::string("s:0:\"\";"), std::string("s:x:\"locked\";")}) {
    const auto state = string("orders:7:lock", value);
    const auto lock = recognise(test::factsOf(state));
    EXPECT_LT(lock ? lock->confidence : 0, shownConfidence) << "no such length";
  }
}

// What Django's cache keeps of a lock that was taken with add(), as Celery's documentation shows it.
TEST(FrameworksData, picklesTheTokensOfLocks) {
  const auto framed = [&](char protocol, const std::string &text) {
    return "\x80"s + protocol + "\x95"s + static_cast<char>(text.size() + 4) + std::string(7, '\0') + "\x8c"s + static_cast<char>(text.size()) + text +
           "\x94."s;
  };
  const auto plain = [](const std::string &text) { return "\x80\2X"s + static_cast<char>(text.size()) + "\0\0\0"s + text + "q\0."s; };
  for (const auto &value : {framed(5, uuid), framed(4, uuid), plain(uuid)})
    for (const auto *key : {":1:proj.tasks.import_feed-lock-0cc175b9c0f1b6a831c399e269772661", ":1:lock:orders", "shop:2:orders_lock"}) {
      const auto state = string(key, value);
      const auto lock = recognise(test::factsOf(state));
      ASSERT_TRUE(lock) << key;
      EXPECT_GE(lock->confidence, shownConfidence) << key;
      EXPECT_EQ(lock->holders, (std::vector<Holder>{{value}})) << "its bytes, against which a release compares";
    }
  for (const auto &value : {framed(5, "locked"), plain("locked"), framed(5, "1"), "\x80\5\x88."s}) {
    const auto state = string(":1:orders_lock", value);
    const auto lock = recognise(test::factsOf(state));
    EXPECT_GE(lock ? lock->confidence : 0, shownConfidence) << value;
  }
  const auto whole = framed(5, uuid);
  for (const auto &value : {whole.substr(0, 40), whole + "x", "\x80\5\x89."s, "\x80\5K\7."s, "\x80\5]\x94."s, "\x80\5N."s, "\x80\5\x95"s, "\x80\5\x8c$."s}) {
    const auto state = string(":1:orders_lock", value);
    const auto lock = recognise(test::factsOf(state));
    EXPECT_LT(lock ? lock->confidence : 0, shownConfidence) << "no one short text";
  }
  for (const auto *key : {":1:user:7", ":1:views.decorators.cache.cache_page..GET.0cc175b9c0f1b6a831c399e269772661", ":1:lock_settings", ":1:clock:7"}) {
    const auto state = string(key, framed(5, uuid));
    const auto lock = recognise(test::factsOf(state));
    EXPECT_LT(lock ? lock->confidence : 0, shownConfidence) << key;
  }
}

} // namespace
} // namespace lockhouse
