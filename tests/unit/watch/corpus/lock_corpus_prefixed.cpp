// SPDX-License-Identifier: Apache-2.0
// Locks as their libraries leave them where a connection, a namespace or a setting puts a prefix before their names, or packs what they write.
#include "tests/unit/watch/corpus/lock_corpus.h"

namespace lockhouse::test {

using namespace std::string_literals;

namespace {

LockState string(std::string_view family, std::string key, std::string value, bool hasLease = true, std::string_view mayBe = "") {
  return {family, ValueType::String, std::move(key), {{std::move(value), ""}}, hasLease, mayBe};
}

const std::string uuid = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", v1 = "8f0c2f6a9d1b11efb1c30242ac120002", v4 = "9e6fb65d00ab432ab38e667f022e872d",
                  sha1 = "86f7e437faa5a7fce15d1ddcb9eaeaea377667b8", md5 = "3701288f29b3d73f6ac2b69edd2c19f2", igbinary = "\0\0\0\2\x11\x10QnYGCnaVJHy63AfE"s;

} // namespace

std::vector<LockState> prefixedLocks() {
  return {
      {"redis-semaphore", ValueType::SortedSet, "acme:semaphore:dl", {{uuid, "1795300000000"}}, true, ""},
      {"redis-semaphore", ValueType::SortedSet, "acme-semaphore:dl", {{uuid + "_0", "1795299999900"}, {uuid + "_1", "1795299999900"}}, true, ""},
      string("mlanett-redis-lock", "acme:lock:owner:x", "web-1:1234", false),
      string("shedlock", "job-lock:default:report", "ADDED:2026-11-21T16:39:00.123Z@张三-PC:" + uuid),
      string("distributedlock", "lock-orders", "张三-PC_4711_" + md5),
      {"distributedlock-semaphore", ValueType::SortedSet, "张三:pool", {{"张三-PC_4711_" + md5, "1795300060000"}}, true, ""},
      {"huey", ValueType::Hash, "huey.results.app", {{"app.lock.每晚", "\200\004\2251."}}, false, ""},
      string("mlanett-redis-lock", "acme:prod:lock:owner:report:7", "web-2:1234", false),
      string("laravel", "acme_database_framework/schedule-" + sha1, igbinary),
      string("laravel", "framework/schedule-" + sha1 + "1030", "b:1;"),
      string("laravel", "acme_database_acme_cache_laravel_unique_job:App\\Jobs\\X:17", igbinary),
      string("laravel", "laravel-queue-overlap:App\\Jobs\\X:17", "\xb0QnYGCnaVJHy63AfE"),
      string("phpredis-session", "sess:5k2mq0v7c1h8r4t6b3n9s0d2fa_LOCK", "web-1|123"),
      string("phpredis-session", "5k2mq0v7c1h8r4t6b3n9s0d2fa3f2c1a_LOCK", "web-1|123"),
      string("phpredis-session", "PHPSESS_5k2mq0v7c1h8r4t6b3n9s0d2fa_LOCK", "api.example.org|4711"),
      string("redbeat", "redbeat-prod:lock", v1),
      string("redbeat", "acme:redbeat:lock", v1),
      string("hangfire", "{acme-hf}:recurring-jobs:lock", uuid),
      string("hangfire", "acme:locks:schedulepoller", uuid),
      string("hangfire", "acme:job:77:state-lock", uuid),
      string("csrediscore", "my_CSRedisClientLock:x", uuid),
      string("freeredis", "acme:RedisClientLock:x", uuid),
      string("lock4j", "prod.lock4j:x", v4),
      string("activejob-uniqueness", "acme:activejob_uniqueness:my_job:" + md5, uuid),
      string("resque-lock", "acme:resque:lock:Up", "true", false),
      string("resque-lock", "lock:Reports::Nightly", "true", false),
      string("resque-lock", "acme:resque:lock:Up:1", "1795300060", false),
      string("setnx-legacy", "acme:lock:Up:1", "1795300060", false, "resque-lock"),
      string("token", "acme:mutex:pay", uuid, true, "redis-semaphore-mutex"),
      string("token", "acme:redlock:x", uuid, true, "redlock-net"),
      string("token", "acme:redlock:y", uuid, true, "pottery"),
  };
}

} // namespace lockhouse::test
