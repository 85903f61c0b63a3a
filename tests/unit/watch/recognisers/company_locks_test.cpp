// SPDX-License-Identifier: Apache-2.0
// Locks as a company's own code takes them: SET name owner NX EX 20, whatever comes to hand as name and owner.
#include "tests/unit/watch/corpus/lock_corpus.h"
#include "tests/unit/watch/recognise.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace lockhouse {
namespace {

using test::recognise;

std::optional<LockRecord> lockOf(std::string_view key, const std::string &value, std::optional<milliseconds> ttl = seconds(20)) {
  KeyFacts facts;
  facts.key = key;
  facts.type = ValueType::String;
  facts.value = value;
  facts.ttl = ttl;
  facts.serverTime = test::corpusTime;
  return recognise(facts);
}

const std::vector<const char *> &names() {
  static const std::vector<const char *> all{"lock:order:123",
                                             "order_lock_123",
                                             "order_lock:123",
                                             "mutex:x",
                                             "mutex:payment",
                                             "cron:lock:x",
                                             "cron:lock:nightly-report",
                                             "job:x:lock",
                                             "job:import:lock",
                                             "锁:订单:1",
                                             "订单锁:1",
                                             "分布式锁:订单:1",
                                             "订单:1:锁",
                                             "lock:订单:1",
                                             "distributed_lock:order:1",
                                             "distributed-lock:order",
                                             "dist_lock:inventory:7",
                                             "distributedLock:order",
                                             "locks/cron/nightly",
                                             "app:locks:job-7",
                                             "myapp:prod:lock:order:9",
                                             "order-lock",
                                             "orderLock:9",
                                             "syncLock",
                                             "LOCK_ORDER_9",
                                             "lock_order_9",
                                             "redis_lock:pay:1",
                                             "redislock:pay",
                                             "pay_lock_1",
                                             "payment:lock:1",
                                             "stock_lock:sku-7",
                                             "lock.orders",
                                             "job_mutex",
                                             "import-mutex",
                                             "scheduler_lock",
                                             "schedule:lock:report",
                                             "task_lock:send_mail",
                                             "global_lock",
                                             "cron_lock",
                                             "worker:lock:mail",
                                             "lk:lock:1",
                                             "lock:user:42",
                                             "lock:cache:rebuild",
                                             "distributed_lock:user:7",
                                             "redis_lock:price:sync"};
  return all;
}

const std::vector<std::string> &owners() {
  static const std::vector<std::string> all{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01",
                                            "3f786850e387550fdab836ed7e6dc881",
                                            "web-1",
                                            "ip-10-0-0-7.ec2.internal",
                                            "web-1:4711",
                                            "worker3",
                                            "1",
                                            "locked",
                                            "1795300000",
                                            "1795300000123",
                                            "true",
                                            "4711",
                                            "31337",
                                            "http-nio-8080-exec-3",
                                            "Thread-12",
                                            "pool-1-thread-3",
                                            "main",
                                            "{\"owner\":\"web-1\",\"ts\":1795300000}",
                                            "{\"host\":\"web-1\",\"pid\":4711}",
                                            "{\"pid\": 4711, \"host\": \"web-1\", \"acquired_at\": \"2026-11-20T10:00:00Z\"}",
                                            "alice",
                                            "celery@web-1",
                                            "10.0.0.7:4711",
                                            "node-a|17",
                                            "",
                                            "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:17",
                                            "web-1.4711.140234",
                                            "2026-11-20T10:00:00Z",
                                            "\345\267\245\344\272\2723"};
  return all;
}

TEST(CompanyLocks, areShownWithTheirHolders) {
  for (const auto *name : names())
    for (const auto &owner : owners()) {
      const auto lock = lockOf(name, owner);
      ASSERT_TRUE(lock) << name << " = " << owner;
      EXPECT_GE(lock->confidence, shownConfidence) << name << " = " << owner;
      EXPECT_THAT(lock->holders, testing::ElementsAre(Holder{owner})) << name;
    }
}

// Whatever stands before it, who ends a name so means a lock; of a mere mark without a lease the bytes cannot tell, and a lock that never
// ends is worth more of a look than a flag is of none.
TEST(CompanyLocks, areThoseWhoseNamesEndInLock) {
  for (const auto *name : {"shop:product:lock", "category:nolease:lock", "cart:lock:7", "page:7:lock"})
    EXPECT_GE(lockOf(name, "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", seconds(30))->confidence, shownConfidence) << name;
  const auto mark = lockOf("cart:lock:7", "1", std::nullopt);
  EXPECT_EQ(mark->confidence, shownConfidence);
  EXPECT_THAT(englishOf(mark->evidence),
              testing::IsSupersetOf({"it never expires", "a flag of that name would look the same: as a lock it is one that SETNX left without a lease"}));
  EXPECT_THAT(englishOf(lockOf("cart:lock:7", "1", seconds(30))->evidence), testing::Not(testing::Contains(testing::HasSubstr("flag"))));
}

TEST(CompanyLocks, withoutALeaseAreShownByTheirTokens) {
  for (const std::string_view name : names()) {
    if (name.find("config") != name.npos) // a part of a setting, as likely
      continue;
    EXPECT_GE(lockOf(name, "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", std::nullopt)->confidence, shownConfidence) << name;
  }
}

TEST(CompanyLocks, behindThePrefixesOfLaravelsCacheAreAsSureAsWithoutThem) {
  for (const auto *prefix : {"laravel_database_laravel_cache_:", "acme_cache_:", "laravel-database-laravel-cache-"})
    for (const auto *name : {"import_lock", "cron_lock", "lock:import", "lock:stats", "report"}) {
      const auto bare = lockOf(name, "1", seconds(600)), behind = lockOf(std::string(prefix) + name, "1", seconds(600));
      EXPECT_EQ(bare ? bare->confidence : 0, behind ? behind->confidence : 0) << prefix << name;
    }
  EXPECT_GE(lockOf("acme_cache_:cron_lock", "1", seconds(600))->confidence, shownConfidence);
}

TEST(CompanyLocks, ofALeaderAreShownWhileTheyAreShort) {
  for (const auto *name : {"leader", "leader-election:x", "leader-election", "leader_election:scheduler", "scheduler:leader", "service-leader", "app:leader",
                           "cluster/leader", "leaderelection:x", "leader:scheduler", "cluster:master", "cron-master", "master:scheduler",
                           "n8n:main_instance_leader", "k8s:scheduler:leader", "app1:scheduler:leader"})
    for (const auto *owner : {"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", "3f786850e387550fdab836ed7e6dc881", "web-1", "web-1:4711", "ip-10-0-0-7.ec2.internal"}) {
      const auto lock = lockOf(name, owner, seconds(15));
      ASSERT_TRUE(lock) << name << " = " << owner;
      EXPECT_GE(lock->confidence, shownConfidence) << name << " = " << owner;
      EXPECT_THAT(englishOf(lock->evidence), testing::Contains("the name speaks of a leader"));
      for (const auto ttl : {std::optional<milliseconds>(std::chrono::hours(1)), std::optional<milliseconds>()}) {
        const auto other = lockOf(name, owner, ttl);
        EXPECT_LT(other ? other->confidence : 0, shownConfidence) << name << " = " << owner << ": who leads a team";
      }
    }
}

TEST(CompanyLocks, ofAMasterAreOfWhatOneLeadsAlone) {
  for (const auto *name : {"redis:master", "db:master", "branch:master", "audio:master", "master:key", "price:master", "cluster:2:master"}) {
    const auto lock = lockOf(name, "web-1:4711", seconds(15));
    EXPECT_LT(lock ? lock->confidence : 0, shownConfidence) << name;
  }
}

// As SETNX leaves it, of a thing with a number: a word of yes is a mark as "1" is.
TEST(CompanyLocks, withAWordOfYesForAMarkAreShownOfOneOfMany) {
  for (const auto *mark : {"1", "true", "OK", "yes"})
    for (const auto *name : {"lock:order:98", "lock:ImportJob-17", "mutex:invoice:2026"})
      EXPECT_GE(lockOf(name, mark, std::nullopt)->confidence, shownConfidence) << name << " = " << mark;
  for (const auto *name : {"order:lock", "lock:chapter:3", "lock:enabled", "lock:order:count", "feature:lock:3", "lock:account:42", "lock:user:7"}) {
    const auto flag = lockOf(name, "true", std::nullopt);
    EXPECT_LT(flag ? flag->confidence : 0, shownConfidence) << name;
  }
}

TEST(CompanyLocks, inSortedSetsOfASemaphoreAreRowsWhereverTheirNameSaysSo) {
  const std::string uuid = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01";
  const auto lockIn = [](const char *key, const std::string &owner, const char *score) {
    return recognise(test::factsOf({"", ValueType::SortedSet, key, {{owner, score}}, false, ""}));
  };
  for (const auto *key : {"myapp:semaphore:x", "upload_semaphore", "upload:semaphore", "semaphores:upload", "UploadSemaphore", "SEMAPHORE_UPLOAD"})
    for (const auto &owner : {uuid, std::string("web-1:4711")}) {
      for (const auto *end : {"1795300030000", "1795300030"}) {
        const auto lock = lockIn(key, owner, end);
        ASSERT_TRUE(lock) << key;
        EXPECT_EQ(lock->family, "handmade-zset") << key;
        EXPECT_EQ(lock->kind, LockKind::Semaphore);
        EXPECT_EQ(lock->confidence, 0.6) << key;
      }
      const auto since = lockIn(key, owner, "1795299990.25");
      ASSERT_TRUE(since) << key;
      EXPECT_EQ(since->family, "handmade-since") << key;
      EXPECT_EQ(since->confidence, shownConfidence) << key;
    }
  for (const auto *key : {"app:semaphore:stats", "app:semaphore:history:7", "app:semaphore:waiters", "app:semaphore:schedule", "app:semaphore:queue",
                          "semaphores:log", "app:semaphore:count", "session:semaphore:events"}) {
    for (const auto *score : {"1795300030000", "1795299990.25", "17"}) {
      const auto lock = lockIn(key, uuid, score);
      EXPECT_LT(lock ? lock->confidence : 0, shownConfidence) << key << " with " << score;
    }
  }
  for (const auto *key : {"app:semaphore:x:owner", "upload_semaphore:owner", "semaphores:priorities"}) // of a fair one, in the order in which they came
    EXPECT_LT(lockIn(key, uuid, "17").value_or(LockRecord()).confidence, shownConfidence) << key;
  const auto count = lockOf("myapp:semaphore:x", "1", std::nullopt);
  EXPECT_LT(count ? count->confidence : 0, shownConfidence) << "permits that are counted are nobody's token";
}

TEST(CompanyLocks, inSortedSetsWithTimesOfTakingAreDoubtful) {
  for (const auto *score : {"1795299990.25", "1795299990250"}) {
    const auto lock = recognise(test::factsOf({"", ValueType::SortedSet, "lock:pool", {{"web-1:22", score}}, false, ""}));
    ASSERT_TRUE(lock) << score;
    EXPECT_EQ(lock->family, "handmade-since");
    EXPECT_EQ(lock->confidence, shownConfidence);
    EXPECT_THAT(lock->holders, testing::ElementsAre(Holder{"web-1:22"}));
    EXPECT_EQ(lock->expiresAt, std::nullopt);
    EXPECT_THAT(englishOf(lock->evidence).front(), testing::HasSubstr("when each took it, or when it ended"));
  }
  const auto ends = recognise(test::factsOf({"", ValueType::SortedSet, "lock:pool", {{"web-1:22", "1795300009000"}}, false, ""}));
  EXPECT_EQ(ends->family, "handmade-zset");
}

// "token_refresh_lock:user:17": what is kept under such names otherwise lasts.
TEST(CompanyLocks, ofAShortWhileAreRowsWhateverElseTheirNamesSpeakOf) {
  const auto confidence = [](const std::string &key, const std::string &value, milliseconds lease) {
    const test::LockState state{"", ValueType::String, key, {{value, ""}}, true, ""};
    auto facts = test::factsOf(state);
    facts.ttl = lease;
    const auto lock = recognise(facts);
    return lock ? lock->confidence : 0;
  };
  const std::string uuid = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01";
  for (const auto *key : {"token_refresh_lock:user:17", "password_lock:user:17", "session_lock:user:17", "api_key_lock:user:17"}) {
    EXPECT_GE(confidence(key, uuid, seconds(30)), shownConfidence) << key;
    EXPECT_LT(confidence(key, uuid, std::chrono::hours(24)), shownConfidence) << key;
  }
  for (const auto *key : {"session:lock:user:17", "csrf:lock:user:17"})
    EXPECT_LT(confidence(key, uuid, seconds(30)), shownConfidence) << key << ": it may be of a thing that is called so";
}

TEST(CompanyLocks, ofDiscoursesSiteAreRowsWhateverTheyAreOf) {
  for (const auto *key :
       {"default:topic_id_17", "default:upload_17_photo.png", "default:download_da39a3ee5e6b4b0d3255bfef95601890afd80709", "default:data-explorer_query-id",
        "default:code-review:ensure-post-with-nonce", "default:upload_17_lock-count.png", "db_migration", "forum_b:topic_id_17", "forum_b:upload_17_photo.png",
        "forum_b:download_da39a3ee5e6b4b0d3255bfef95601890afd80709", "forum-b.example:notify_reviewable_job", "forum_b:automation_send_pending_pm_17"}) {
    const test::LockState state{"", ValueType::String, key, {{"1795300060", ""}}, true, ""};
    auto facts = test::factsOf(state);
    facts.serverTime = milliseconds(1'795'300'000'123);
    facts.ttl = milliseconds(60'980);
    const auto lock = recognise(facts);
    ASSERT_TRUE(lock) << key;
    EXPECT_EQ(lock->family, "discourse");
    EXPECT_GE(lock->confidence, shownConfidence) << key;
    facts.ttl = milliseconds(60'000);
    EXPECT_FALSE(recognise(facts)) << key << ": a time that is kept for as long as it lasts";
  }
}

TEST(CompanyLocks, ofPythonRedisLocksManualAreRows) {
  for (const auto *host : {"owned-by-myhost", "owned-by-johns-macbook", "owned-by-web-01"}) {
    const auto lock = recognise(test::factsOf({"", ValueType::String, "lock:name-of-the-lock", {{host, ""}}, false, ""}));
    ASSERT_TRUE(lock) << host;
    EXPECT_EQ(lock->family, "python-redis-lock");
    EXPECT_GE(lock->confidence, shownConfidence);
  }
}

TEST(CompanyLocks, ofDistributedLockAreRowsOnMachinesWithoutANumberToo) {
  const auto confidence = [](const std::string &key, const std::string &host, milliseconds lease) {
    const test::LockState state{"", ValueType::String, key, {{host + "_4711_3f786850e387550fdab836ed7e6dc881", ""}}, true, ""};
    auto facts = test::factsOf(state);
    facts.ttl = lease;
    const auto lock = recognise(facts);
    return lock ? lock->confidence : 0;
  };
  for (const auto *host : {"ubuntu", "localhost", "Johns-MacBook-Pro.local", "WEB01"})
    for (const auto *key : {"AbpBackgroundJobWorker", "AbpInbox_Default", "AbpOutbox_Default", "import:17", "orders:17", "NightlyReport"})
      EXPECT_GE(confidence(key, host, seconds(29)), shownConfidence) << host << " " << key;
  EXPECT_GE(confidence("AbpInbox_Default", "prod-web", seconds(29)), shownConfidence);
  EXPECT_LT(confidence("import:17", "ubuntu", std::chrono::minutes(6)), shownConfidence);
  for (const auto *word : {"seg", "build", "asset", "tenant", "en", "report"})
    EXPECT_LT(confidence("manifest", word, seconds(10)), shownConfidence) << word;
  for (const auto *key : {"csrf:17", "websocket:17"})
    EXPECT_LT(confidence(key, "WEB01", seconds(29)), shownConfidence) << key;
  EXPECT_LT(confidence("gallery", "img", seconds(29)), shownConfidence);
}

// Their strings are shown; what is re-entrant or queues under the same names is not lost either.
TEST(CompanyLocks, ofManyPartsUnderNamesOfAnotherUseTooAreRows) {
  const std::string uuid = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", until = "1795300030000";
  const auto confidence = [](const char *key, ValueType type, const std::string &part, const std::string &other, bool isLeased = true) {
    const auto lock = recognise(test::factsOf({"", type, key, {{part, other}}, isLeased, ""}));
    EXPECT_TRUE(!lock || std::ranges::count(englishOf(lock->evidence), "its name speaks of another use too") == 1) << key;
    return lock ? lock->confidence : 0;
  };
  for (const auto *key : {"user:7:lock", "user-lock", "cache:lock", "user:lock", "lock:session:7", "mutex:auth:9"}) {
    EXPECT_EQ(confidence(key, ValueType::Hash, uuid, "1"), shownConfidence) << key;
    EXPECT_EQ(confidence(key, ValueType::Hash, "web-1:4711", "2"), shownConfidence) << key;
    EXPECT_EQ(confidence(key, ValueType::SortedSet, uuid, until), shownConfidence) << key;
    EXPECT_EQ(confidence(key, ValueType::List, uuid, ""), shownConfidence) << key;
    EXPECT_EQ(confidence(key, ValueType::Hash, "worker-1", "1"), 0.4) << key;
    EXPECT_EQ(confidence(key, ValueType::SortedSet, uuid, until, false), 0.4) << key;
  }
  for (const auto *key : {"session:7:lock", "session-lock", "hash-lock", "lock:csrf:7"})
    EXPECT_EQ(confidence(key, ValueType::Hash, uuid, "1"), 0.4) << key;
  for (const auto *key : {"lock:17:online", "bull:lock:wait", "lock:events", "lock:config", "user:clock", "session:7:locked_at"}) {
    EXPECT_EQ(confidence(key, ValueType::Hash, uuid, "1"), 0) << key;
    EXPECT_EQ(confidence(key, ValueType::List, uuid, ""), 0) << key;
  }
}

TEST(CompanyLocks, ofHoldersWhoHaveAllLapsedAreFreeAndNoRows) {
  const std::string token = "itGRndUan7bU1Qm6ZMjPaAPeUNg6Ls+661NCBxpIyy0=", lapsed = "1795299990000", lasting = "1795300090000";
  using Members = std::vector<std::pair<std::string, std::string>>;
  for (const auto &members : {Members{{token, lapsed}}, {{token, lapsed}, {"__write__", lapsed}}, {{"__write__", lapsed}}})
    EXPECT_FALSE(recognise(test::factsOf({"", ValueType::SortedSet, "lock:inv", members, true, ""}))) << members.front().first;
  for (const auto &members : {Members{{token, lasting}}, {{token, lasting}, {"__write__", lasting}}, {{"__write__", lasting}}})
    EXPECT_TRUE(recognise(test::factsOf({"", ValueType::SortedSet, "lock:inv", members, true, ""}))) << members.front().first;
}

TEST(CompanyLocks, ofSymfonyWithoutALeaseHaveNoEnd) {
  const std::string token = "itGRndUan7bU1Qm6ZMjPaAPeUNg6Ls+661NCBxpIyy0=";
  const auto writer = recognise(test::factsOf({"", ValueType::SortedSet, "symf:inf", {{token, "inf"}, {"__write__", "inf"}}, false, ""}));
  ASSERT_TRUE(writer);
  EXPECT_EQ(writer->family, "symfony");
  EXPECT_GE(writer->confidence, 0.9);
  EXPECT_EQ(writer->expiresAt, std::nullopt);
  EXPECT_EQ(writer->unexpectedEntries, 0U);
  EXPECT_THAT(writer->holders, testing::ElementsAre(Holder{token, 1, HoldMode::Write}));
  EXPECT_GE(recognise(test::factsOf({"", ValueType::SortedSet, "lock:inf", {{token, "inf"}}, false, ""}))->confidence, shownConfidence);
  const auto unnamed = recognise(test::factsOf({"", ValueType::SortedSet, "symf:inf", {{token, "inf"}}, false, ""}));
  ASSERT_TRUE(unnamed) << "a row, though not one that is shown";
  EXPECT_LT(unnamed->confidence, shownConfidence) << "any digests lie there so";
}

TEST(CompanyLocks, ofSymfonyTellHoldsWithoutAnEndFromScoresThatAreNoTimes) {
  const std::string one = "itGRndUan7bU1Qm6ZMjPaAPeUNg6Ls+661NCBxpIyy0=", other = "AzazbxO8rkgWaIITaAWn0b5enydoEP33INAzyk8uU8s=";
  const auto lines = [&](const std::string &score) {
    const auto lock = recognise(test::factsOf({"", ValueType::SortedSet, "lock:inf", {{one, "inf"}, {other, score}}, false, ""}));
    std::vector<std::string> told;
    std::ranges::copy_if(englishOf(lock->evidence), std::back_inserter(told),
                         [](const std::string &line) { return line.contains("no times") || line.contains("without an end"); });
    return told;
  };
  EXPECT_THAT(lines("-inf"), testing::ElementsAre("scores that are no times: 1", "holds without an end: 1"));
  EXPECT_THAT(lines("inf"), testing::ElementsAre("holds without an end: 2"));
  EXPECT_THAT(lines("1795300090000"), testing::ElementsAre("holds without an end: 1"));
}

} // namespace
} // namespace lockhouse
