// SPDX-License-Identifier: Apache-2.0
// Ordinary data that has the very form of a lock, and often a time to live: what its names speak of says that it is none.
#include "tests/unit/watch/corpus/lock_corpus.h"
#include "tests/unit/watch/recognise.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace lockhouse {
namespace {

using test::factsOf;
using test::LockState;

using std::chrono::minutes;
using Time = std::optional<milliseconds>;
const Time never;

double confidenceOf(const LockState &state, Time ttl) {
  auto facts = factsOf(state);
  facts.ttl = ttl;
  const auto lock = test::recognise(facts);
  return lock ? lock->confidence : 0;
}

double ofString(const char *key, const std::string &value, Time ttl) { return confidenceOf({"", ValueType::String, key, {{value, ""}}, true, ""}, ttl); }

const std::string client = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:5";

TEST(LeasedData, ofDigestsThatLapseIsNoSemaphore) {
  const std::string digest = "itGRndUan7bU1Qm6ZMjPaAPeUNg6Ls+661NCBxpIyy0=";
  for (const auto *key : {"replay:seen", "webhook:nonces", "replays", "webhooks:seen", "saml:replay:7", "nonces:used", "signatures:seen", "messages:seen",
                          "captcha:solved", "challenges:open", "magic-links:used", "blobs:expiring"})
    for (const auto ttl : {Time(seconds(60)), never})
      EXPECT_LT(confidenceOf({"", ValueType::SortedSet, key, {{digest, "1795300060000"}}, true, ""}, ttl), shownConfidence) << key;
  for (const auto *key : {"orders", "lock:replay:7", "stock:42", "invoice-7"})
    EXPECT_GE(confidenceOf({"", ValueType::SortedSet, key, {{digest, "1795300060000"}}, true, ""}, seconds(60)), 0.9) << key;
}

TEST(LeasedData, ofDigestsThatOutlastTheLastOfTheirEndsIsNoLockOfSymfonys) {
  const std::string digest = "itGRndUan7bU1Qm6ZMjPaAPeUNg6Ls+661NCBxpIyy0=", other = "/SJ8x3HTnsz4C3wsWFe3wl8DlMq5OqvFq84hP9izfcY=";
  const auto of = [&](const char *key, Time ttl) {
    return confidenceOf({"", ValueType::SortedSet, key, {{digest, "1795300060000"}, {other, "1795303600000"}}, true, ""}, ttl);
  };
  for (const auto *key : {"wg:peers", "jti:revoked", "content:digests", "vpn:peers", "grants:active", "keyring"})
    EXPECT_LT(of(key, std::chrono::hours(24)), shownConfidence) << key;
  EXPECT_GE(of("orders", std::chrono::hours(1)), 0.9) << "the key ends with the last of its holds";
}

// .NET's clients and those of Lockhouse keep a key for longer than the leases in it.
TEST(LeasedData, ofALibrarysHoldersThatAllHaveLapsedIsNoTimeOfTaking) {
  const auto of = [](const char *key, const std::string &member) {
    return confidenceOf({"", ValueType::SortedSet, key, {{member, "1795299990000.375"}}, true, ""}, seconds(60));
  };
  for (const auto *key : {"lock:imports", "locks:sem:orders", "acme:semaphore:dl"})
    for (const std::string &member : {std::string("WEB01_4711_3f786850e387550fdab836ed7e6dc881"), client + "/1", "r/" + client})
      EXPECT_LT(of(key, member), shownConfidence) << key << " " << member;
  EXPECT_GE(of("lock:imports", "web-1:4711"), shownConfidence);
}

// Past the end of the key, no clock is ahead by just its time to live.
TEST(LeasedData, ofEndsUnderTheTextbooksNameIsNoTimeOfRefresh) {
  const std::string uuid = client.substr(0, 36);
  for (const int left : {5, 10, 20, 30, 60, -20, -30}) { // below zero: in seconds
    const auto end = left < 0 ? std::to_string(1'795'300'000 - left) : std::to_string(1'795'300'000'000 + left * 1000);
    auto state = LockState{"", ValueType::SortedSet, "semaphore:gpu", {{uuid, end}}, true, ""};
    auto facts = factsOf(state);
    facts.ttl = seconds(std::abs(left)) - milliseconds(3);
    const auto lock = test::recognise(facts);
    ASSERT_TRUE(lock) << left;
    EXPECT_EQ(lock->family, "handmade-zset") << left;
    EXPECT_TRUE(lock->holders.front().expiresAt) << left;
  }
}

// However many of them have lapsed, or end soon.
TEST(LeasedData, whichEndsFarAheadMakesEndsOfAllTimesBesideIt) {
  const auto uuidOf = [](std::size_t number) { return fmt::format("d0c1a2b3-1111-4222-8333-00000000000{}", number); };
  const auto wordOf = [](std::size_t number) { return fmt::format("web-{}:4711", number); };
  for (const std::vector<int> &lefts : {std::vector{-3, 600}, {4, 60}, {1, 3, 60}, {-3, -4, -5, 50, 51, 52}, {-3, -4, -5, -6, 55}})
    for (const Time ttl : {never, Time(seconds(700))})
      for (const auto *key : {"semaphore:pool", "app:semaphore:pool"})
        for (const bool isWord : {false, true}) {
          LockState state{"", ValueType::SortedSet, key, {}, true, ""};
          for (std::size_t i = 0; i < lefts.size(); ++i)
            state.parts.emplace_back(isWord ? wordOf(i) : uuidOf(i), std::to_string(1'795'300'000'000 + lefts[i] * 1000));
          auto facts = factsOf(state);
          facts.ttl = ttl;
          const auto lock = test::recognise(facts);
          ASSERT_TRUE(lock) << key;
          EXPECT_EQ(lock->family, "handmade-zset") << key << " " << lefts.size();
          EXPECT_EQ(static_cast<std::ptrdiff_t>(lock->holders.size()), std::ranges::count_if(lefts, [](int left) { return left > 0; }));
        }
}

TEST(LeasedData, ofVersionsUnderNamesOfDataIsNoLockOfOurs) {
  for (const auto *key : {"session:9f3", "csrf:12", "cache:user:12", "last_seen:12", "idempotency:12"})
    EXPECT_LT(ofString(key, client + ":1795300000123456", seconds(300)), shownConfidence) << key;
  for (const auto *key : {"online:users", "delayed_jobs", "cache:expiry"})
    EXPECT_LT(confidenceOf({"", ValueType::SortedSet, key, {{client + "/3", "1795300060000"}}, true, ""}, seconds(60)), shownConfidence) << key;
  EXPECT_GE(ofString("orders:7", client + ":1795300000123456", seconds(300)), 0.9);
  EXPECT_GE(ofString("lock:cache:user:12", client + ":1795300000123456", seconds(300)), 0.9);
  EXPECT_GE(confidenceOf({"", ValueType::SortedSet, "lanes", {{client + "/3", "1795300060000"}}, true, ""}, seconds(60)), 0.9);
}

TEST(LeasedData, ofReportsIsNoSemaphore) {
  for (const auto &[key, member] : {std::pair("reports:ready", "report_7_3f786850e387550fdab836ed7e6dc881"),
                                    {"reports:ready", "report_2026_3f786850e387550fdab836ed7e6dc881"},
                                    {"archive:done", "invoice_2026_3f786850e387550fdab836ed7e6dc881"},
                                    {"exports:done", "export_12_3f786850e387550fdab836ed7e6dc881"},
                                    {"thumbnails", "thumb_640_3f786850e387550fdab836ed7e6dc881"},
                                    {"backup:expiry", "backup_20261120_3f786850e387550fdab836ed7e6dc881"}})
    EXPECT_LT(confidenceOf({"", ValueType::SortedSet, key, {{member, "1795300060000"}}, true, ""}, seconds(60)), shownConfidence) << key << " " << member;
  for (const auto *member :
       {"web-1_4711_3f786850e387550fdab836ed7e6dc881", "WEB01_4711_3f786850e387550fdab836ed7e6dc881", "localhost_4711_3f786850e387550fdab836ed7e6dc881"})
    EXPECT_GE(confidenceOf({"", ValueType::SortedSet, "import", {{member, "1795300060000"}}, true, ""}, seconds(60)), 0.9) << member;
}

TEST(LeasedData, ofClientsIsNoLockOfRedissons) {
  const auto of = [](const char *key, Time ttl) { return confidenceOf({"", ValueType::Hash, key, {{client, "1"}}, true, ""}, ttl); };
  for (const auto *key : {"limiter:login", "rl:api:/orders", "hits:2026-11-25", "attempts:otp", "leaderboard:hour", "flags:exposure", "metrics:req",
                          "stats:minute:1826", "api:calls:7"})
    EXPECT_LT(of(key, seconds(60)), shownConfidence) << key;
  for (const auto *key : {"ratelimit:api", "rate_limit:7", "throttle:login", "votes:7", "ratings:movie7", "presence:room:9", "online:7", "locks:online",
                          "locks:lastseen", "post:7:reactions", "quota:tenant:7", "banner:clicks", "poll:votes"})
    for (const auto ttl : {Time(seconds(60)), Time(std::chrono::hours(1)), never})
      EXPECT_LT(of(key, ttl), shownConfidence) << key;
  for (const auto *key : {"cart:9", "session:7", "uploads:7", "wishlist:7", "scores:7", "bag:5", "playlist:7", "saved:5", "purchases:5", "reserved:5",
                          "likes:5", "post:5:likes", "favourites:7", "history:7", "user:7:bookmarks", "watchlist:7"}) {
    for (const auto ttl : {Time(std::chrono::hours(1)), Time(std::chrono::days(1)), never})
      EXPECT_LT(of(key, ttl), shownConfidence) << key << ": longer than a lock is held";
    EXPECT_GE(of(key, seconds(60)), 0.9) << key << ": lock() with a lease of the caller's";
    EXPECT_GE(of(key, seconds(30)), 0.9) << key;
  }
  for (const auto *key : {"order:7", "stock", "lock:votes:7", "lock:cart:9"})
    EXPECT_GE(of(key, std::chrono::hours(1)), 0.9) << key;
}

TEST(LeasedData, isNoLockOfRedissonsThatWasEnteredMoreOftenThanAnybodyEnters) {
  const auto of = [](const char *key, const char *count, Time ttl) { return confidenceOf({"", ValueType::Hash, key, {{client, count}}, true, ""}, ttl); };
  for (const auto *key : {"consumer:offsets", "statistics:17", "stock:sku-9", "balance", "inventory:9"})
    for (const auto ttl : {Time(std::chrono::days(1)), never})
      EXPECT_LT(of(key, "918273", ttl), shownConfidence) << key;
  EXPECT_LT(of("lock:statistics", "54321", never), shownConfidence);
  EXPECT_GE(of("lock:orders", "4000", seconds(20)), 0.9) << "whose holder never leaves it again is to be found";
}

TEST(LeasedData, ofClientsTellsWhyItIsNoLockYet) {
  const auto of = [](Time ttl) {
    auto facts = factsOf({"", ValueType::Hash, "user:7:session", {{client, "1"}}, true, ""});
    facts.ttl = ttl;
    return *test::recognise(facts);
  };
  EXPECT_LT(of(minutes(9)).confidence, shownConfidence);
  EXPECT_THAT(englishOf(of(minutes(9)).evidence), testing::Contains(testing::HasSubstr("with less than five minutes left it is shown as a lock")));
  EXPECT_GE(of(minutes(4)).confidence, 0.9);
  EXPECT_THAT(englishOf(of(minutes(4)).evidence), testing::Not(testing::Contains(testing::HasSubstr("five minutes"))));
}

// Redisson gives a lock 30 s, and its watchdog renews it to as much every 10 s.
TEST(LeasedData, isALockOfRedissonsWithTheLeaseOfItsWatchdogWhateverItsName) {
  const auto of = [](const char *key, const std::string &owner, Time ttl) { return confidenceOf({"", ValueType::Hash, key, {{owner, "1"}}, true, ""}, ttl); };
  for (const auto *key : {"quota:acme", "ratelimit:acme", "votes:5", "poll:votes", "reactions:7", "cart:9", "visits:7"})
    for (const auto ttl : {Time(milliseconds(1)), Time(seconds(28)), Time(seconds(30))}) {
      EXPECT_GE(of(key, client, ttl), shownConfidence) << key;
      EXPECT_LT(of(key, "df1b9af0-e6c7-11f1-a736-02fc00000001:5", ttl), shownConfidence) << key << ": no client of Redisson's is named so";
    }
  for (const auto *key : {"presence:room:9", "online:7", "typing:7", "doc:7:viewers"})
    EXPECT_LT(of(key, client, seconds(20)), shownConfidence) << key << ": who is there is noted for as short a time";
  EXPECT_GE(of("lock:online:17", client, seconds(20)), shownConfidence) << "a lock on that";
}

// Whatever else its name speaks of: whoever released it as a hash by hand would wake nobody.
TEST(LeasedData, isALockOfRedissonsForAsLongAsItIsWhereItsNameSpeaksOfALock) {
  for (const auto *key : {"userLock",
                          "user-lock",
                          "user:lock:5",
                          "user-import-lock",
                          "users-sync-lock",
                          "lock:session:9",
                          "apiLock",
                          "api-sync-lock",
                          "cache-rebuild-lock",
                          "config-reload-lock",
                          "settings-lock",
                          "feature-sync-lock",
                          "MyService.userSync.lock",
                          "session-cleanup-lock",
                          "token-refresh-lock",
                          "token:refresh:lock",
                          "cache:refresh:lock",
                          "quota-reset-lock",
                          "login-lock:5",
                          "counter-lock",
                          "presence-lock",
                          "online-lock",
                          "session-lock:abc",
                          "session_lock:17",
                          "stats-lock"})
    for (const auto ttl : {Time(seconds(20)), Time(minutes(10)), Time(std::chrono::hours(2))}) {
      auto facts = factsOf({"", ValueType::Hash, key, {{client, "1"}}, true, ""});
      facts.ttl = ttl;
      const auto lock = test::recognise(facts);
      ASSERT_TRUE(lock) << key;
      EXPECT_EQ(lock->family, "redisson-lock") << key;
      EXPECT_GE(lock->confidence, shownConfidence) << key;
    }
}

TEST(LeasedData, isALockOfRedissonsWithoutALeaseWhereItsNameSpeaksOfNothingElse) {
  const auto of = [](const char *key) { return test::recognise(factsOf({"", ValueType::Hash, key, {{client, "2"}}, false, ""})); };
  for (const auto *key : {"stuck", "order:7", "turn:7"}) {
    const auto lock = of(key);
    ASSERT_TRUE(lock) << key;
    EXPECT_GE(lock->confidence, shownConfidence) << key;
    EXPECT_LT(lock->confidence, 0.9) << key;
    EXPECT_THAT(englishOf(lock->evidence), testing::Contains("it has no lease, without which Redisson takes no lock")) << key;
  }
  for (const auto *key : {"lock:order:7", "lock:cart:9"})
    EXPECT_GE(of(key)->confidence, 0.9) << key << ": its name speaks for it";
  for (const auto *key : {"bookings", "warehouse:berlin", "\xe5\xba\x93\xe5\xad\x98:17"})
    EXPECT_LT(confidenceOf({"", ValueType::Hash, key, {{client, "12"}}, false, ""}, never), shownConfidence) << key << ": nobody enters a lock as often";
}

TEST(LeasedData, ofEighteenRandomBytesIsNoBlockingLock) {
  for (const auto *key : {"captcha:7", "chal:7", "challenge:webauthn:7", "magic-link:7", "blob:7", "magic:alice", "captchas:9", "blobs:7", "webhook:7",
                          "attachment:7", "export:7"})
    for (const auto ttl : {Time(seconds(20)), Time(std::chrono::minutes(4)), never})
      EXPECT_LT(ofString(key, "Zk9xT2w3dFp1R2hYc0pLbWJ2", ttl), shownConfidence) << key;
  for (const auto *key : {"checkout:7", "payment:300", "sms:code:7", "qrlogin:7", "totp:7", "salt:7", "turn:cred:7", "cursor:7", "result:7", "stress:7"})
    EXPECT_LT(ofString(key, "Zk9xT2w3dFp1R2hYc0pLbWJ2", seconds(20)), shownConfidence) << key;
  EXPECT_GE(ofString("captcha:lock:7", "Zk9xT2w3dFp1R2hYc0pLbWJ2", seconds(20)), shownConfidence);
}

TEST(LeasedData, thatIsSwitchedOnIsNoLockOfSetnx) {
  for (const auto *key :
       {"use_redlock", "use-lock", "enable-lock", "lock_v2_enabled", "lock-rollout", "rollout:row-lock", "ff:edit-lock", "growthbook:lock",
        "mutex:profile:enabled", "ab:lock:variant", "prefs:7:lock", "lock_ui", "with_lock", "ui-lock", "chapter:7:lock", "level:7:lock", "achievement:7:lock"})
    EXPECT_LT(ofString(key, "1", never), shownConfidence) << key;
  EXPECT_GE(ofString("level:7:lock", "1", seconds(20)), shownConfidence) << "it lapses";
  EXPECT_GE(ofString("import:lock", "1", never), shownConfidence);
}

TEST(LeasedData, thatIsKeptAboutLocksIsNone) {
  const std::string uuid = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", other = "0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02";
  for (const auto *key :
       {"lock:failures", "lock:requests", "lock:contention", "lock:durations", "lock:alerts", "lock:violations", "lock:access_log", "lock:users",
        "lock:devices", "lock:subscribers", "mutex:latencies", "locks:top", "lock:failures:today", "lock:stats:daily", "mutex:usage:week:48"}) {
    EXPECT_LT(confidenceOf({"", ValueType::List, key, {{uuid, ""}, {other, ""}}, false, ""}, never), shownConfidence) << key;
    EXPECT_LT(confidenceOf({"", ValueType::Hash, key, {{uuid, "3"}}, false, ""}, never), shownConfidence) << key;
    for (const auto *score : {"1795299999000", "1795300060000"})
      EXPECT_LT(confidenceOf({"", ValueType::SortedSet, key, {{uuid, score}}, false, ""}, never), shownConfidence) << key << " " << score;
  }
}

TEST(LeasedData, thatCountsWhatLocksDoIsNone) {
  for (const auto *key : {"lock:requests", "lock:failures", "lock:rejected", "lock:contention", "lock:renewals", "lock:ratelimit:77", "lock:percent",
                          "lock:debug", "mutex:acquisitions"})
    EXPECT_LT(ofString(key, "1", seconds(60)), shownConfidence) << key;
  for (const auto *key : {"lock:users", "lock:report", "lock:import", "lock:devices:7", "lock:requests:17", "lock:journal:42", "lock:backend:3",
                          "lock:update-usage", "lock:batch:requests", "lock:retry-failed", "lock:ratelimit:sync", "votes:7:lock"})
    EXPECT_GE(ofString(key, "1", seconds(60)), shownConfidence) << key;
  const std::string uuid = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01";
  for (const auto *key : {"lock:acquisitions", "lock:hits", "rate:lock:77"})
    for (const auto ttl : {Time(seconds(60)), never})
      EXPECT_LT(confidenceOf({"", ValueType::Hash, key, {{uuid, "3"}}, true, ""}, ttl), shownConfidence) << key;
  EXPECT_GE(confidenceOf({"", ValueType::Hash, "lock:downloads:7", {{uuid, "1"}}, true, ""}, seconds(60)), shownConfidence);
  for (const auto *key : {"metrics-lock", "metrics:flush:lock", "rate-sync-lock"})
    EXPECT_GE(confidenceOf({"", ValueType::Hash, key, {{"web-1:4711", "1"}}, true, ""}, seconds(30)), shownConfidence) << key;
  for (const auto *key : {"locks:registry", "locks:all", "lock:names"})
    EXPECT_LT(confidenceOf({"", ValueType::SortedSet, key, {{"order:7", "1795300060000"}}, true, ""}, never), shownConfidence) << key;
  for (const auto *key : {"app:lock:index:17", "app:lock:metrics:17"})
    EXPECT_GE(ofString(key, uuid, seconds(30)), shownConfidence) << key;
  for (const auto *key : {"lock:failed", "lock:journal"})
    EXPECT_LT(confidenceOf({"", ValueType::List, key, {{uuid, ""}}, true, ""}, seconds(60)), shownConfidence) << key;
}

TEST(LeasedData, ofWhoIsThereIsNoLockByItsFirstWordAlone) {
  for (const auto *key : {"locks:lastseen", "locks:online", "lock:presence", "locks:typing", "locks:viewers"})
    for (const auto *value : {"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", "3f786850e387550fdab836ed7e6dc881", "1795300000", "17", "web-1:4711"})
      for (const auto ttl : {Time(seconds(20)), never})
        EXPECT_LT(ofString(key, value, ttl), shownConfidence) << key << " = " << value;
  for (const auto *key : {"locks:lastseen", "locks:online"})
    for (const auto *score : {"1795299999000", "1795300060000", "1795299999"})
      EXPECT_LT(confidenceOf({"", ValueType::SortedSet, key, {{"web-1:4711", score}}, true, ""}, seconds(20)), shownConfidence) << key << " " << score;
  EXPECT_GE(ofString("lock:online:7", "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", seconds(20)), shownConfidence);
}

TEST(LeasedData, ofTimeBasedUuidsIsNoLockOfRedisPys) {
  for (const auto *key : {"message:7", "msg:7", "celery:task:current", "export:5", "exports:7:current", "job:current", "correlation:7", "blob:7", "challenge:7",
                          "webhook:7:seen"})
    for (const auto *value : {"df1b9af0e6c711f1a73602fc00000001", "df1b9af0-e6c7-11f1-a736-02fc00000001"})
      EXPECT_LT(ofString(key, value, seconds(60)), shownConfidence) << key << " = " << value;
  EXPECT_GE(ofString("import:5", "df1b9af0e6c711f1a73602fc00000001", seconds(60)), shownConfidence);
  EXPECT_GE(ofString("lock:message:7", "df1b9af0e6c711f1a73602fc00000001", seconds(60)), 0.8);
}

TEST(LeasedData, ofTimesOfALockIsNoneOfTheNpmPackages) {
  for (const auto *key : {"lock.updated", "lock.created", "lock.modified", "lock.deleted", "lock.renewed", "lock.timestamp", "lock.message_id", "lock.last",
                          "lock.since", "lock.updated_at"})
    for (const auto ttl : {Time(std::chrono::hours(1)), never})
      EXPECT_LT(ofString(key, "1795300000123", ttl), shownConfidence) << key;
  for (const auto *key : {"lock.orders", "lock.report:7"})
    for (const auto ttl : {Time(seconds(60)), never})
      EXPECT_GE(ofString(key, "1795300060123", ttl), 0.9) << key;
  EXPECT_GE(ofString("lock.updated", "1795300060123", seconds(60)), 0.9) << "its value is when its own lease ends";
}

} // namespace
} // namespace lockhouse
