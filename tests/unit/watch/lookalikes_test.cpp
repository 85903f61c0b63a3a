// SPDX-License-Identifier: Apache-2.0
// Ordinary data that looks like locks: nothing here may be shown as one.
#include "core/watch/recognisers/recogniser.h"

#include <gtest/gtest.h>

namespace lockhouse {
namespace {

struct LookAlike {
  const char *key;
  std::string value;
};

const std::string uuid = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", hex32 = "3f786850e387550fdab836ed7e6dc881", hex40 = hex32 + "3f786850", hex64 = hex32 + hex32,
                  b64 = "q83vEjRWeJCrze8SNFZ4kA==", alnum20 = "aZ3kP9qL2mX7vB4nT6yU", jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N";

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
      {"lock:long", std::string(200, 'a')},
      {"lock:json", "[1,2,3]"},
      {"lock:text", "two words"},
      {"lock:price", "12.50"},
      {"lock:enabled", "true"},
      {"lock:import", "yes"},
      {"composer.lock", "abc123def"},
      {"lock:owner", "web-1"},
  };
  return cases;
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

TEST(LookAlikes, thereAreMoreThanAHundred) { EXPECT_GE(randomText().size() + plainValues().size(), 110U); }
TEST(LookAlikes, randomTextUnderOtherNamesIsNoLock) { expectNoLocks(randomText()); }
TEST(LookAlikes, plainValuesAreNoLocks) { expectNoLocks(plainValues()); }

TEST(LookAlikes, everyShapeStaysBelowUnderANameWithoutALockWord) {
  for (const auto *name : {"a", "user:1", "x:y:z", "订单", "", "7", "order:7:pay"})
    for (const auto &value : {uuid, hex32, hex40, hex64, b64, alnum20, uuid + ":1", std::string("65f1c2a9b3d7e"), std::string("WEB-01_4242_") + hex32})
      EXPECT_LT(confidence({name, value}, seconds(30)), shownConfidence) << name << " " << value;
}

} // namespace
} // namespace lockhouse
