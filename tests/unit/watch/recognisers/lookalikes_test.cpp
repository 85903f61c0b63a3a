// SPDX-License-Identifier: Apache-2.0
// Ordinary data that looks like locks: nothing here may be shown as one.

#include "tests/unit/watch/recognise.h"

#include <gtest/gtest.h>

namespace lockhouse {
namespace {

using test::recognise;

struct LookAlike {
  const char *key;
  std::string value;
};

const std::string uuid = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", hex32 = "3f786850e387550fdab836ed7e6dc881", hex40 = hex32 + "3f786850", hex64 = hex32 + hex32,
                  b64 = "q83vEjRWeJCrze8SNFZ4kA==", alnum20 = "aZ3kP9qL2mX7vB4nT6yU", jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N",
                  hyperLogLog("HYLL\x01\0\0\0\xe9\x9c\x81\x92\xa3\xb4\xc5\xd6\x5f\x7e\x80\x6b", 20);

// Random text that applications keep for other reasons.
const std::vector<LookAlike> &randomText() {
  static const std::vector<LookAlike> cases{
      {"session:42", uuid},
      {"package-lock:hash", hex40},
      {"yarn.lock:sha", hex40},
      {"yarn.lock", hex32},
      {"build:42:Gemfile.lock", hex32},
      {"file.lock.md5", hex32},
      {"gitlab:lock_token:1", uuid},
      {"lock:version", uuid},
      {"sess:"
       "abc",
       hex32},
      {"sessions/9", alnum20},
      {"PHPREDIS_SESSION:abc", hex32},
      {"csrf:7", hex40},
      {"xsrf-token:7", b64},
      {"csrf_token", alnum20},
      {"nonce:1", hex32},
      {"otp:alice", "492817"},
      {"oauth:state:1", alnum20},
      {"oauth:code:1", hex40},
      {"access_token:7", hex64},
      {"refresh:7", hex64},
      {"jwt:7", jwt},
      {"api_key:7", hex32},
      {"apikey:alice", hex40},
      {"etag:/index", hex32},
      {"md5:/file", hex32},
      {"sha1:/file", hex40},
      {"sha256:/file", hex64},
      {"checksum:9", hex64},
      {"hash:9", hex32},
      {"digest:9", b64},
      {"cache:user:1", uuid},
      {"cache:avatar:1", hex32},
      {"cookie:1", alnum20},
      {"remember:1", hex64},
      {"password:reset:1", hex40},
      {"reset_token:1", alnum20},
      {"verify:mail:1", uuid},
      {"signup:1", uuid},
      {"invite:1", alnum20},
      {"idempotency:1", uuid},
      {"request:1", uuid},
      {"trace:1", hex32},
      {"correlation:1", uuid},
      {"unlock_token:alice", hex40},
      {"unlock:alice", uuid},
      {"account:unlock:1", b64},
      {"lockout:alice", uuid},
      {"lockouts:1", hex32},
      {"block:123", hex64},
      {"block:hash:9", hex64},
      {"blocks:1", hex64},
      {"blockchain:tip", hex64},
      {"clock:node", uuid},
      {"timeclock:employee:17:session", uuid},
      {"punchclock:device:17", uuid},
      {"contentblock:home", hex32},
      {"ttlock:access_token", hex32},
      {"author:blaylock", uuid},
      {"user:1:id", uuid},
      {"device:1", uuid},
      {"order:1:ref", uuid},
      {"tenant:1", uuid},
      {"leader:team:5", uuid},
      {"file:1", hex40},
      {"git:head", hex40},
      {"commit:master", hex40},
      {"image:1", hex64},
      {"webhook:secret:1", hex64},
      {"mongo:id", "507f1f77bcf86cd799439011"},
      {"ulid:1", "01ARZ3NDEKTSV4RRFFQ69G5FAV"},
      {"shorturl:abc", uuid},
      {"download:1", alnum20},
      {"report_2024", "report_2024_" + hex32},
      {"asset:app.js", "app_12_" + hex32},
      {"price:xyz", hex32},
      {"locale:1", uuid},
      {"location:1", uuid},
      {"stock:1", uuid},
      {"pocket:1", hex32},
      {"flocks:1", uuid},
      {"padlock:sku", alnum20},
      {"sherlock:case", uuid},
      {"device:doorlock:77", uuid},
      {"doorlocks:77", uuid},
      {"smartlock:77:pin", hex32},
      {"SmartLock:77:pin", hex32},
      {"lock:77:pin", hex32},
      {"hotel:lock:passcode:204", alnum20},
      {"fleet:bikelock:12", uuid},
      {"wallet:timelock:tx", hex64},
      {"htlc:hashlock:1", hex64},
      {"chain:lastblock", hex64},
      {"chain:genesisblock", hex64},
      {"theme:screenlock:wallpaper", uuid},
      {"parent:childlock:tablet-4", uuid},
      {"fx:ratelock:EURUSD", alnum20},
      {"padlocks:sku:9", b64},
      {"keyboard:capslock:sound", hex32},
      {"deno.lock", hex64},
      {"ci:cache:requirements.lock", hex40},
      {"nuget:packages.lock.json", hex64},
      {"build:7:pixi.lock:checksum", hex64},
      {"door:lock:token", hex64},
      {"lock:firmware:etag", hex32},
      {"sidekiq:job:7", "507f1f77bcf86cd799439011"},
      {"presence:room:9", uuid},
      {"feature:rollout:salt", hex32},
      {"payments:intent:7", alnum20},
  };
  return cases;
}

// Words, numbers and markup, under names that speak of locks too.
const std::vector<LookAlike> &plainValues() {
  static const std::vector<LookAlike> cases{
      {"session:1", "{\"user\":1}"},
      {"page:home", "<html></html>"},
      {"counter", "17"},
      {"price", "12.50"},
      {"name", "Alice"},
      {"flag", "true"},
      {"cache:1", std::string(4000, 'x')},
      {"date", "2026-11-20T10:00:00Z"},
      {"ip", "10.0.0.7"},
      {"empty", ""},
      {"mail", "a@example.org"},
      {"blob", std::string("\0\1\2", 3)},
      {"url", "https://example.org/a?b=c"},
      {"host", "web-1"},
      {"host2", "web-1:4242"},
      {"version", "1.2.3"},
      {"build", "20261120.1"},
      {"color", "#ff00aa"},
      {"phone", "+43 1 58801"},
      {"lang", "zh_CN"},
      {"one", "1"},
      {"yes", "yes"},
      {"ok", "OK"},
      {"locked_until", "1700000000"},
      {"lock_version", "12"},
      {"lock:count", "17"},
      {"lock:attempts:alice", "3"},
      {"lock:timeout", "30"},
      {"lock:status", "open"},
      {"door:lock:firmware", "v1.2.3-b4"},
      {"lock:message", "closed for the holidays"},
      {"lock:page", "<html>"},
      {"lock:config", "{\"a\":1}"},
      {"screen:lock", "{\"on\":true}"},
      {"lockfile", "package-lock.json v2"},
      {"locksmith:phone", "+43 1 58801"},
      {"deadlock:report", "none"},
      {"clock:time", "10:00:00"},
      {"block:height", "812345"},
      {"unlock:count", "5"},
      {"stock", "42"},
      {"lock:prose", std::string(200, ' ')},
      {"lock:json", "[1,2,3]"},
      {"lock:text", "two words"},
      {"lock:price", "12.50"},
      {"lock:enabled", "true"},
      {"composer.lock", "abc123def"},
      {"lock:owner", "web-1"},
      {"lock:until", "1795271640"},
      {"lock:since:alice", "2026-11-20T10:00:00Z"},
      {"lock:expires", "1795271640123"},
      {"app:lock:deployed", "release-2026-11-20-rc1"},
      {"app:lock:artifact", "release-2026-11-20-build-17-rc1.tar"},
      {"lock:acquired:total", "17"},
      {"lock:wait:p99", "0.250"},
      {"lock:metrics", "{\"held\":3,\"waiting\":1}"},
      {"lock:history:7", "alice@example.org"},
      {"counter:lock", "4711"},
      {"locks:held", "42"},
      {"ratelimit:lock:alice", "3"},
      {"throttle:lock:10.0.0.7", "5"},
      {"quota:lock", "1"},
      {"feature:screenlock", "1"},
      {"feature:lock:dark-mode", "true"},
      {"flags:lock", "1"},
      {"toggle:lock", "locked"},
      {"settings:lock", "1"},
      {"user:42:lock", "1"},
      {"config:lock:mode", "v2"},
      {"price:lock:EURUSD", "1.0842"},
      {"job:lock:payload", "{\"class\":\"Import\",\"args\":[7]}"},
      {"queue:lock:page", "<li>7</li>"},
      {"lock:note", "back in five minutes"},
      {"lock:color:7", "ff00aa12"},
      {"door:lock:battery", "87"},
      {"doorlock:77", "locked"},
      {"smartlock:77", "web-1:4711"},
      {"device:timelock", "1795271640"},
      {"session:lock", "alice"},
      {"status:lock", "closed"},
      {"unlock:at", "1795271640"},
      {"alarm:clock:at", "1795271640123"},
      {"cache:html:home", "1795271640123"},
      {"updated_at", "1795271640"},
      {"last_seen:alice", "1795271640.123456"},
      {"heartbeat:web-1", "1795271640123"},
      {"pid", "4711"},
      {"owner", "alice"},
      {"cargo.lock", "2026-11-20T10:00:00Z"},
      {"lock:hll", hyperLogLog},
      {"visitors:lock:today", hyperLogLog},
      {"lock:bitmap", std::string("\x80\0\0\0\0\0\0\x01\0\0\0\x80\x80\0\0\x91", 16)},
      {"lock:pair", std::string("\x91\0\0\0\0\0\0\0\x92\0\0\0\0\0\0\0\x93\0\0\0\0\0\0\0", 24)},
      {"lock:page:gz", std::string("\x1f\x8b\x08\0\0\0\0\0\0\x03\xcb\x48\xcd\xc9\xc9\x07\0\x86\xa6\x10\x36\x05\0\0\0", 24)},
      {"lock:java", std::string("\xac\xed\0\x05\x74\0\x0d\xe2\x82\xac\xc3\xa9\xc3\xbc\xc3\xa0\xc3\xa7!", 20)},
  };
  return cases;
}

// Lock words beside others that explain random text as well: only a lease speaks for a lock.
const std::vector<LookAlike> &doubtful() {
  static const std::vector<LookAlike> cases{
      {"csrf:lock", hex32},
      {"xsrf:lock:7", b64},
      {"nonce:lock:1", hex32},
      {"lock:csrf", hex32},
      {"lock:password:reset:7", hex64},
      {"state:lock", hex32},
      {"oauth:state:lock", alnum20},
      {"session:lock", uuid},
      {"door:lock:77", uuid},
      {"smart-lock:77", uuid},
      {"door:77:lock", hex32},
      {"keypad:lock:1", hex32},
      {"screen:lock:wallpaper", uuid},
      {"version:lock", hex40},
      {"content:hash:lock", hex64},
      {"wallet:coinlock:tx", hex64},
      {"gunlock:7", uuid},
      {"parcel:locker:12", uuid},
      {"lockers:12:locker", alnum20},
      {"trunklock:serial:9", hex32},
  };
  return cases;
}

// Names that have a lock in them and are of something else, with any value.
const std::vector<std::string> &namesOfOtherThings() {
  static const std::vector<std::string> names{"lock_screen:alice",
                                              "lock_screen_pin:7",
                                              "lock_screen_wallpaper:7",
                                              "lockscreen:7",
                                              "user_lockfile_hash",
                                              "lockfile:checksum:main",
                                              "composer_lock_hash:app",
                                              "lock_code:12",
                                              "idem:lock:order-7",
                                              "idem:lock",
                                              "idempotency:lock:7",
                                              "idempotent-lock:7",
                                              "idempotency_key_lock:7",
                                              "lock_duration:7",
                                              "account_lockout:alice",
                                              "lockdown:level",
                                              "wallet:timelock:7",
                                              "tx:locktime:9",
                                              "lockbox:7",
                                              "lock_color:7",
                                              "locket:7",
                                              "unlock_code:7",
                                              "lock_battery:7",
                                              "padlock:7:key",
                                              "user:screenlock:7"};
  return names;
}

double confidence(const LookAlike &data, std::optional<milliseconds> ttl) {
  KeyFacts facts;
  facts.key = data.key;
  facts.type = ValueType::String;
  facts.value = data.value.substr(0, 129);
  facts.ttl = ttl;
  const auto lock = recognise(facts);
  return lock ? lock->confidence : 0;
}

void expectNoLocks(const std::vector<LookAlike> &cases) {
  for (const auto &data : cases)
    for (const auto ttl : {std::optional<milliseconds>(seconds(30)), std::optional<milliseconds>()})
      EXPECT_LT(confidence(data, ttl), shownConfidence) << data.key << " = " << data.value.substr(0, 60) << (ttl ? " with" : " without") << " a time to live";
}

TEST(LookAlikes, thereAreManyOfEveryKind) { EXPECT_GE(randomText().size() + plainValues().size() + doubtful().size(), 218U); }
TEST(LookAlikes, randomTextUnderOtherNamesIsNoLock) { expectNoLocks(randomText()); }
TEST(LookAlikes, plainValuesAreNoLocks) { expectNoLocks(plainValues()); }

TEST(LookAlikes, namesOfOtherThingsMakeNoLockOfAnyValue) {
  EXPECT_GE(namesOfOtherThings().size(), 25U);
  for (const auto &name : namesOfOtherThings())
    for (const auto &value : {uuid, hex32, hex40, alnum20, std::string("1"), std::string("locked"), std::string(), std::string("1795300000")})
      expectNoLocks({{name.c_str(), value}});
}

// A shop that sells locks, and what explains random text in front of a name.
TEST(LookAlikes, aThingCalledLockIsNone) {
  for (const auto *key : {"etag:bike-lock", "etag:smart-lock", "csrf:bike-lock", "cache:product:bike-lock", "api_key:lock", "category:lock", "page:lock",
                          "session:lock:12", "csrf:lock", "otp:lock:7", "page:bicycle-lock:html"})
    for (const auto &value : {uuid, hex32})
      expectNoLocks({{key, value}});
  expectNoLocks({{"mutex:12:mqtt:client_id", hex32}});
  for (const auto *key : {"mutex:12:mqtt:client_id", "mutex:stock"})
    EXPECT_LT(confidence({key, uuid}, {}), confidence({"mutex:stock", uuid}, seconds(30))) << "redis-semaphore's has a lease";
  for (const auto *key : {"session:12:lock", "page:lock:12", "cache:users:lock", "password:reset:42:lock", "lock:session:12", "status:7:lock"})
    EXPECT_GE(confidence({key, uuid}, seconds(30)), shownConfidence) << key;
  EXPECT_LT(confidence({"redlock:config", uuid}, {}), shownConfidence) << "RedLock.net knows no lock without a lease";
}

// What is noted of whom or what again and again; a token with a lease is a lock there too.
TEST(LookAlikes, whatIsNotedOfAThingCalledLockIsNone) {
  for (const auto *key : {"cursor:doc:lock", "lock:17:heartbeat", "lock:17:online", "heartbeat:node:lock", "app:lock:17:heartbeat", "online:door:lock"}) {
    for (const auto &value : {std::string("1"), std::string("true"), std::string("4711"), std::string("1795300000"), std::string("1795300000123"),
                              std::string("2026-11-20T10:00:00Z"), std::string("web-1:4711"), std::string(), std::string("{\"host\":\"a\"}")})
      expectNoLocks({{key, value}});
    for (const auto &value : {uuid, hex32, b64, alnum20}) {
      EXPECT_LT(confidence({key, value}, {}), shownConfidence) << key;
      EXPECT_GE(confidence({key, value}, seconds(30)), shownConfidence) << key;
    }
  }
}

TEST(LookAlikes, aKeyThatSomebodyGaveOutIsNoToken) {
  for (const auto *key : {"app:lock:stripe", "shop:lock:webhook:7", "door:lock:api", "tenant:7:lock:key"})
    expectNoLocks({{key, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"},
                   {key, "sk_live_51H8sK2eZvKYlo2CUI79vXWyAbCd"},
                   {key, "ghp_16C7e42F292c6912E7710c838347Ae178B4a"},
                   {key, "github_pat_11ABCDEFG0aZ3kP9qL2mX7vB4nT6yU"},
                   {key, "glpat-aZ3kP9qL2mX7vB4nT6yU"},
                   {key, "xoxb-123456789012-aZ3kP9qL2mX7vB4n"},
                   {key, "acme_key_aZ3kP9qL2mX7vB4nT6yU"},
                   {key, "evt_1NG8Du2eZvKYlo2CUI79vXWy"},
                   {key, "AKIAIOSFODNN7EXAMPLE"},
                   {key, "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N"}});
  for (const auto *key : {"lock:job", "job:lock"})
    EXPECT_GE(confidence({key, "worker_aZ3kP9qL2mX7vB4nT6yU"}, seconds(30)), shownConfidence) << key << ": an owner may call himself so";
}

TEST(LookAlikes, anEntryOfASpringCacheThatIsCalledLockIsNone) {
  const std::string java = std::string("\xac\xed\0\5t\0\x24", 7) + uuid;
  for (const auto *key : {"lock::42", "lock::order:7", "locks::42", "app:lock::42"}) {
    for (const auto &value : {java, "\"" + uuid + "\"", std::string("alice"), std::string("1"), std::string("web-1:4711"), std::string(),
                              std::string("{\"@class\":\"com.acme.Lock\",\"owner\":\"alice\"}"), std::string("1795300000123")})
      expectNoLocks({{key, value}});
    EXPECT_GE(confidence({key, uuid}, seconds(30)), shownConfidence) << key << ": a token with a lease is a lock by that name";
  }
  EXPECT_GE(confidence({"lock~lock", ""}, {}), shownConfidence) << "its lock";
  EXPECT_GE(confidence({"redbeat::lock", "8f0c2f6a9d1b11efb1c30242ac120002"}, seconds(30)), shownConfidence);
  EXPECT_GE(confidence({"app::lock::order", "web-1:4711"}, seconds(30)), shownConfidence) << "who parts names so everywhere";
}

TEST(LookAlikes, aTimeBasedUuidOfARecordIsNoLock) {
  for (const auto *key : {"cart:7", "upload:7", "job:7:id", "order:7:ref", "task_id:7", "invite:7", "device:7", "task:7:task_id"})
    expectNoLocks({{key, "8f0c2f6a9d1b11efb1c30242ac120002"}});
}

TEST(LookAlikes, anEmptyValueUnderANameOfOneWordIsNoLock) { expectNoLocks({{"user_lock", ""}}); }

TEST(LookAlikes, aNameThatSpeaksOfMoreThanALockNeedsALease) {
  for (const auto &data : doubtful())
    EXPECT_LT(confidence(data, {}), shownConfidence) << data.key;
}

TEST(LookAlikes, everyShapeStaysBelowUnderANameWithoutALockWord) {
  for (const auto *name : {"a", "user:1", "x:y:z", "订单", "", "7", "order:7:pay"})
    for (const auto &value : {uuid, hex32, hex40, hex64, b64, alnum20, uuid + ":1", std::string("65f1c2a9b3d7e"), std::string("report_2026_") + hex32})
      EXPECT_LT(confidence({name, value}, seconds(30)), shownConfidence) << name << " " << value;
}

} // namespace
} // namespace lockhouse
