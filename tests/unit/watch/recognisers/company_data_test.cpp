// SPDX-License-Identifier: Apache-2.0
// What a company keeps in Redis beside its locks: caches, sessions, tokens, limits, flags, shop, devices, figures. Nothing of it is a lock.
#include "tests/unit/watch/corpus/lock_corpus.h"
#include "tests/unit/watch/recognise.h"

#include <gtest/gtest.h>

namespace lockhouse {
namespace {

using test::recognise;

struct Data {
  std::string value;
  std::vector<const char *> keys;
};

double confidence(std::string_view key, const std::string &value, std::optional<milliseconds> ttl) {
  KeyFacts facts;
  facts.key = key;
  facts.type = ValueType::String;
  facts.value = value;
  facts.size = value.size();
  facts.ttl = ttl;
  facts.serverTime = test::corpusTime;
  const auto lock = recognise(facts);
  return lock ? lock->confidence : 0;
}

const std::vector<Data> &strings() {
  static const std::vector<Data> data{
      {"",
       {"spring:session:sessions:expires:5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", "spring:session:expirations:1795300020000",
        "seen:3f786850e387550fdab836ed7e6dc881", "user:5:price_lock", "cart:5:price_lock", "quote:7:rate_lock"}},
      {"a:1:{s:6:\"_token\";s:40:\"aZ3kP9qL2mX7vB4nT6yUaZ3kP9qL2mX7vB4nT6yU\";}", {"laravel_session:aZ3kP9qL2mX7vB4nT6yUaZ3kP9qL2mX7vB4nT6yU"}},
      {"{\"cookie\":{\"originalMaxAge\":null}}", {"connect.sid:s%3AV1StGXR8_Z5jdHi6B-myT"}},
      {"{\"user\":7}", {"sess:V1StGXR8_Z5jdHi6B-myT"}},
      {std::string("\004\010{", 3), {"rails:session:2::3f786850e387550fdab836ed7e6dc8813f786850e387550fdab836ed7e6dc881"}},
      {".eJxaZ3kP9qL2mX7vB4nT6yU", {"django.contrib.sessions.cacheaZ3kP9qL2mX7vB4nT6yU32abcd"}},
      {"3f786850e387550fdab836ed7e6dc8813f786850", {"auth:token:7", "asset_manifest:sha", "repo:7:Cargo.lock:sha", "go.work.lock", "flake.lock:rev", "令牌:7"}},
      {"aZ3kP9qL2mX7vB4nT6yUaZ3kP9qL2mX7vB4nT6yU", {"user:7:refresh_token"}},
      {"1",
       {"jwt:blacklist:5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01",
        "totp:used:7:492817",
        "cdn:purge:3f786850e387550fdab836ed7e6dc881",
        "rate_limit:{7}:1795300000",
        "account:locked:alice",
        "user:7:locked",
        "is_locked:7",
        "locked:alice",
        "auto-lock-enabled",
        "autolock",
        "request_id:5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01",
        "dedup:3f786850e387550fdab836ed7e6dc8813f786850",
        "processed:5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01",
        "webhook:seen:evt_aZ3kP9qL2mX7vB4n",
        "msg:seen:5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01",
        "nonce:3f786850e387550fdab836ed7e6dc881",
        "sprite:lock:3f786850e387550fdab836ed7e6dc881",
        "deadlocks:total",
        "lock:enabled",
        "lock:min",
        "socket.io#/#room",
        "bull:mail:meta-paused",
        "smart_lock:7:online",
        "car:7:doorlock",
        "scooter:12:lock_status",
        "numlock",
        "nft:locked:7",
        "block:ip:10.0.0.7",
        "blocked:10.0.0.7",
        "lockout:alice",
        "exclusive_deal:7",
        "forum:thread:locked:7",
        "锁定:用户:7",
        "用户:7:锁定",
        "账号锁定:alice",
        "锁状态:7",
        "封锁:7"}},
      {"true",
       {"jwt_blacklist:3f786850e387550fdab836ed7e6dc881", "user:7:locked", "ff:lock_screen_v2", "flag:auto-lock", "auto_lock:7", "rotation_lock",
        "lockdown:active"}},
      {"1795300000",
       {"revoked:5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", "cache:stamp:users", "users:locked_until:7", "dedupe:event:5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01",
        "deadlock:last", "online:alice", "heartbeat:worker-1", "cron:last_run:report", "achievement_unlock:7", "死锁:最近", "上锁时间:7"}},
      {"3f786850e387550fdab836ed7e6dc8813f786850e387550fdab836ed7e6dc881",
       {"password_reset:7", "device_token:7", "apns:7", "deps:Gemfile.lock", "pip:requirements.lock:hash", "terraform:.terraform.lock.hcl",
        "helm:Chart.lock:digest", "buf.lock", "bun.lockb", "master:key", "val:7", "区块链:7"}},
      {"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01",
       {"pwd-reset:alice@example.org",
        "2fa:pending:7",
        "cart:7:id",
        "price_lock:7:quote",
        "pricelock:7",
        "rate-lock:7",
        "ws:ticket:7",
        "tenant:7:smartlock",
        "stockroom:7",
        "flock:7",
        "locksmith:7",
        "hemlock:7",
        "sherlock:holmes",
        "gridlock:7",
        "livelock:x",
        "interlocking:7",
        "matlock:7",
        "lockheed:7",
        "locker:7",
        "locket:7",
        "locke:7",
        "lockup:7",
        "lockwood:7",
        "clockwork:7",
        "leader:team:5",
        "team:5:leader",
        "guild:7:leader",
        "leaderboard:season",
        "lease:apartment:7",
        "car_lease:7",
        "thought-leader:7",
        "singleton:user",
        "exclusive:offer:7",
        "cheerleader:7",
        "master:7",
        "owner:7",
        "id:7",
        "uuid:7",
        "ref:7",
        "x",
        "订单:1",
        "room:lockdown",
        "doc:7:locked_by",
        "解锁:用户:7",
        "锁屏:壁纸:7",
        "会话:7",
        "购物车:7",
        "排行榜:日:种子",
        "智能锁:7",
        "车锁:7",
        "锁骨:7",
        "连锁店:7",
        "锁匠:7",
        "枷锁:歌曲:7",
        "锁链:7"}},
      {"aZ3kP9qL2mX7vB4nT6yU", {"magic_link:7", "oidc:nonce:aZ3kP9qL2mX7vB4nT6yU"}},
      {"7", {"email_verification:aZ3kP9qL2mX7vB4nT6yU", "resque:stat:processed"}},
      {"492817", {"otp:+8613800000000", "验证码:13800000000"}},
      {"882193", {"sms:code:13800000000"}},
      {"x7Kp", {"captcha:5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01"}},
      {"aZ3kP9qL2mX7vB4n", {"captcha_id:9", "a:b", "优惠券:7"}},
      {"aZ3kP9qL2mX7vB4nT6yU:APA91baZ3kP9qL2mX7vB4nT6yUaZ3kP9qL2mX7vB4nT6yU", {"fcm:token:7"}},
      {"q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=", {"webauthn:challenge:7"}},
      {"itGRndUan7bU1Qm6ZMjPaAPeUNg6Ls+661NCBxpIyy0=", {"pkce:aZ3kP9qL2mX7vB4nT6yU"}},
      {"/home", {"saml:relay:5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01"}},
      {"<div>x</div>", {"views:posts/1-20261120100000:3f786850e387550fdab836ed7e6dc881"}},
      {"<p>", {"views/en/home/3f786850e387550fdab836ed7e6dc881"}},
      {"{\"a\":\"b\"}", {"cache:zh-CN:i18n:3f786850e387550fdab836ed7e6dc881"}},
      {"x",
       {":1:views.decorators.cache.cache_header..3f786850e387550fdab836ed7e6dc881", "rq:job:5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", "rq:worker:web-1.4711",
        "horizon:job:5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", "delayed:timestamps:1795300000"}},
      {"<ul>", {":1:template.cache.sidebar.3f786850e387550fdab836ed7e6dc881"}},
      {"a:0:{}", {"laravel_cache:config"}},
      {"i:1;", {"laravel_database_laravel_cache:3f786850e387550fdab836ed7e6dc8813f786850"}},
      {"s:5:\"Alice\";", {"laravel_cache_:user:7:name"}},
      {"{\"id\":7}", {"app:cache:product:7"}},
      {"{\"@class\":\"com.x.User\"}", {"spring:cache:users::7"}},
      {"query { me { id } }", {"apq:3f786850e387550fdab836ed7e6dc8813f786850e387550fdab836ed7e6dc881"}},
      {"query Q{a}", {"graphql:persisted:3f786850e387550fdab836ed7e6dc8813f786850e387550fdab836ed7e6dc881"}},
      {"3f786850e387550fdab836ed7e6dc881",
       {"etag:/index.html",
        "page_version:home",
        "wishlist:7:hash",
        "static:img/lock.png",
        "static:img/lock.svg",
        "static:img/lock.jpg",
        "static:img/lock.html",
        "static:img/lock.css",
        "static:img/lock.js",
        "static:img/lock.json",
        "static:img/lock.md",
        "static:img/lock.txt",
        "static:img/lock.pdf",
        "static:img/lock.gif",
        "static:img/lock.webp",
        "static:img/lock.ico",
        "static:img/lock.woff2",
        "static:img/lock.py",
        "static:img/lock.go",
        "static:img/lock.rb",
        "static:img/lock.ts",
        "static:img/lock.vue",
        "static:img/lock.xml",
        "static:img/lock.yml",
        "static:img/lock.zip",
        "icons/padlock.svg",
        "icon:lock-outline",
        "icon:lock",
        "package-lock.json:etag",
        "blockquote:7",
        "key:7",
        "缓存:首页",
        "指纹锁:7"}},
      {"9e6fb65d00ab432ab38e667f022e872d", {"fragment:header:v", "cache_version", "u:7", "s:aZ3kP9qL2mX7vB4n"}},
      {"<html>", {"html:blog:unlocking-growth"}},
      {"5",
       {"ratelimit:10.0.0.7:/login", "login:failures:10.0.0.7", "settings:auto_lock_minutes", "autolock:minutes:7", "promo:lockdown10:used",
        "prom:lock_acquire_seconds_count", "lock:size", "lock:max", "lock:default", "限流:接口:7"}},
      {"17",
       {"rl:5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", "coupon:LOCK10", "prometheus:lock_contention_total", "stats:lock:acquired", "stats:locks:today",
        "lock_stats:today", "lock:stats", "db:locks:count", "kafka:offset:orders:0", "sidekiq:stat:processed", "bull:mail:id", "team:5:leader", "tag:lock",
        "topic:locks"}},
      {"3",
       {"throttle:api:7",
        "login_attempts:alice",
        "locked_accounts:count",
        "lock_count",
        "inventory:7:locked",
        "inventory_locked:7",
        "locks:active",
        "locks:total",
        "lock_waiters:7",
        "lock:waiters:count",
        "redlock:metrics:failures",
        "lock:level",
        "unlock:level:7",
        "leaderboard:version",
        "tags:mutex",
        "row:7:lock_version",
        "record:optimistic_lock:7",
        "entity:7:optlock",
        "锁次数:7",
        "死锁:统计",
        "锁:数量",
        "锁:次数:alice"}},
      {"fraud", {"account_lock_reason:7"}},
      {"lost", {"card:7:lock_reason"}},
      {"on", {"feature:checkout_v2", "child_lock:tv-1", "caps_lock"}},
      {"30", {"config:deadlock_timeout", "lock:ttl", "screen_lock:timeout", "锁配置", "锁:超时时间", "锁:配置"}},
      {"{\"status\":200}", {"idempotency:5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01"}},
      {"processing", {"idem:5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01"}},
      {std::string("\001\000\200\000\000\000\000\000\000\000\000\000\000\000\000\000", 16), {"bloom:users"}},
      {"42", {"stock:sku-7", "job:7:progress", "库存:商品:7"}},
      {"0", {"sku:7:stock"}},
      {"2", {"stock:locked:sku-7", "stock_lock_qty:7", "lock:version"}},
      {"paid", {"order:7:status"}},
      {"{\"items\":[]}", {"checkout:5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01"}},
      {"12.50", {"product:padlock:price"}},
      {"12", {"product:bike-lock:stock", "product:bike-lock-7:stock", "seat:7:lock_price", "metrics:lock:wait", "clock_drift", "document:7:lock_version"}},
      {"1024", {"sku:combination-lock:views", "dau:2026-11-20"}},
      {"[1,2]", {"category:locks"}},
      {"[]", {"search:bike lock"}},
      {"[7,8]", {"search:locks:page:1"}},
      {"99", {"flash_sale:7:remaining"}},
      {"99.90", {"flashsale:lock_price:7", "price_lock:7"}},
      {"4.25", {"rate_lock:loan:7"}},
      {"lock_128_3f786850e387550fdab836ed7e6dc881",
       {"thumb:lock.png", "thumb:lock.svg", "thumb:lock.jpg", "thumb:lock.html", "thumb:lock.css", "thumb:lock.js",    "thumb:lock.json", "thumb:lock.md",
        "thumb:lock.txt", "thumb:lock.pdf", "thumb:lock.gif", "thumb:lock.webp", "thumb:lock.ico", "thumb:lock.woff2", "thumb:lock.py",   "thumb:lock.go",
        "thumb:lock.rb",  "thumb:lock.ts",  "thumb:lock.vue", "thumb:lock.xml",  "thumb:lock.yml", "thumb:lock.zip"}},
      {"e897", {"font:lock-icon:glyph"}},
      {"1f512", {"emoji:lock"}},
      {"<svg/>", {"svg:lock"}},
      {"v1", {"ci:7:yarn.lock"}},
      {std::string("HYLL\001\000\000\000\351\234\201\222\351\234\201\222\351\234\201\222", 20), {"hll:visitors:2026-11-20"}},
      {"12.5", {"metrics:lock_wait_ms:p99"}},
      {"0.25", {"mutex_contention"}},
      {"5000", {"pg:lock_timeout", "lock_timeout_ms"}},
      {"200", {"lock:retry:delay"}},
      {"app", {"lock:prefix", "lock:namespace"}},
      {"redis", {"lock:type", "lock:driver"}},
      {"strict", {"lock:mode"}},
      {"x-1", {"lock:name"}},
      {"1795300000000", {"presence:7", "lastseen:7", "chat:lock-pickers:last"}},
      {"node-1", {"ws:conn:5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01"}},
      {"df1b9af0e6c711f1a73602fc00000001",
       {"ws:ticket:8", ":1:session_id_9", ":1:visitor_id_9", ":1:request-7", ":1:token_9", ":2:device_uuid_9", ":1:csrf_9", ":1:trace_id", ":1:api_key_9"}},
      {"4711", {"worker:web-1:pid", "room:204:lock:pin", "locker:7:code", "密码锁:7"}},
      {"orders-0", {"kafka:consumer:5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01"}},
      {"1795300000000-0", {"stream:cursor:orders"}},
      {"running", {"job:7:status"}},
      {"{\"state\":\"SUCCESS\"}", {"task:5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01"}},
      {"{\"status\":\"SUCCESS\",\"result\":null}", {"celery-task-meta-5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01"}},
      {std::string("\200\004", 2), {"arq:result:9e6fb65d00ab432ab38e667f022e872d"}},
      {"LOCKED", {"door:7:lock_state"}},
      {"locked", {"lock:7:state", "vehicle:7:lock", "门锁:7:状态"}},
      {"87", {"lock:7:battery", "智能锁:7:电量"}},
      {"-70", {"iot:lock:7:rssi"}},
      {"closed", {"iot/lock/7/status", "bike:7:lock"}},
      {"1.2.3", {"device:lock-77:fw"}},
      {"482913", {"airbnb:lock:code:7", "unlock_code:7", "解锁码:7"}},
      {"open", {"hotel:lock:204"}},
      {"812345", {"tx:lock_time:3f786850e387550fdab836ed7e6dc8813f786850e387550fdab836ed7e6dc881"}},
      {"86400", {"wallet:lock_period:7"}},
      {"2027-01-01", {"token:lockup:7"}},
      {"1000", {"staking:lock:7:amount", "锁仓:7"}},
      {"1000.5", {"vesting:lock:7"}},
      {"0.003", {"clock:skew:web-1"}},
      {"10", {"o'clock"}},
      {"60", {"warlock:level"}},
      {"1795300060", {"lockout:until:alice"}},
      {"alice",
       {"group:7:leader", "quiz:7:leader", "team5:leader", "squad:a1b2c3:leader", "guild:dragons:leader", "clan-leader", "leader:photo", "thread:7:locked_by"}},
      {"active", {"lease:7:status"}},
      {"aa:bb:cc:dd:ee:ff", {"dhcp:lease:10.0.0.7"}},
      {"https://example.org", {"l:aB3x"}},
      {"df1b9af0-e6c7-11f1-a736-02fc00000001", {"guid:7"}},
      {"red-lock-7", {"product:7:slug"}},
      {"mutex-1", {"name:7"}},
      {"s:16:\"aZ3kP9qL2mX7vB4n\";",
       {"app_database_app_cache_token", "laravel_database_laravel_cache_api_key", "shop-database-shop-cache-coupon", "shop-database-shop-cache-secret",
        "laravel-database-laravel-cache-invite_code", "shop_database_shop_cache_promo_code"}},
      {"99.9", {"价格锁定:7", "锁价:7"}},
      {"text", {"分布式锁:文档"}},
  };
  return data;
}

TEST(CompanyData, ofEveryKindIsManifold) {
  std::size_t keys = 0;
  for (const auto &data : strings())
    keys += data.keys.size();
  EXPECT_GE(keys, 380U) << "with the structures more than 450";
}

TEST(CompanyData, inStringsIsNoLock) {
  for (const auto &[value, keys] : strings())
    for (const auto *key : keys)
      for (const auto ttl : {std::optional<milliseconds>(seconds(30)), std::optional<milliseconds>(std::chrono::minutes(30)), std::optional<milliseconds>()})
        EXPECT_LT(confidence(key, value, ttl), shownConfidence) << key << " = " << value << (ttl ? " with" : " without") << " a time to live";
}

TEST(CompanyData, thatNamesATimeIsNoLock) {
  const auto in = [](seconds span) { return std::to_string(floor<seconds>(test::corpusTime + span).count()); };
  EXPECT_LT(confidence("login:lock:bob", in(seconds(900)), seconds(900)), shownConfidence) << "until when he may not try again";
  EXPECT_LT(confidence("vesting:lock:77", in(std::chrono::days(300)), std::nullopt), shownConfidence);
  EXPECT_LT(confidence("orientation_lock:77", "1", std::nullopt), shownConfidence);
}

TEST(CompanyData, underAShortNameNeedsAShortLease) {
  for (const auto *key : {"l:short", "l:x9Kp"})
    for (const auto ttl : {std::optional<milliseconds>(std::chrono::days(1)), std::optional<milliseconds>()})
      EXPECT_LT(confidence(key, "9e6fb65d00ab432ab38e667f022e872d", ttl), shownConfidence) << key << ": Sentry's locks end, and soon";
  EXPECT_GE(confidence("l:orders", "9e6fb65d00ab432ab38e667f022e872d", std::chrono::minutes(5)), shownConfidence);
}

TEST(CompanyData, ofTimeBasedUuidsLastsLongerThanALock) {
  for (const auto *key : {"request:7:trace", "visit:7", "event:7", "span:7"})
    for (const auto *value : {"df1b9af0e6c711f1a73602fc00000001", "df1b9af0-e6c7-11f1-a736-02fc00000001"})
      for (const auto ttl : {std::optional<milliseconds>(std::chrono::minutes(30)), std::optional<milliseconds>()})
        EXPECT_LT(confidence(key, value, ttl), shownConfidence) << key;
}

TEST(CompanyData, ofLaravelIsSerialised) {
  EXPECT_LT(confidence("shop_database_shop_cache_promo", "s:16:\"aZ3kP9qL2mX7vB4n\";", seconds(30)), shownConfidence);
  EXPECT_GE(confidence("shop_database_shop_cache_promo", "aZ3kP9qL2mX7vB4n", seconds(30)), shownConfidence) << "a lock's owner is not";
}

} // namespace
} // namespace lockhouse
