// SPDX-License-Identifier: Apache-2.0
// Every library's lock, as it lies on a real server: read as what it is, and freed the way of its library or refused in words.
#include "tests/server/release/families_house.h"

#include <algorithm>
#include <array>
#include <thread>

namespace lockhouse {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::Contains;
using testing::Eq;
using testing::HasSubstr;

using FamiliesReleased = test::FamiliesHouse;

TEST_F(FamiliesReleased, areReadAsWhatTheyAre) {
  for (const auto &state : test::lockCorpus()) {
    write(state);
    const auto lock = read(state.key);
    ASSERT_TRUE(lock) << state.family << " " << state.key;
    EXPECT_EQ(lock->family, state.family) << state.key;
    EXPECT_EQ(lock->type, state.type);
  }
}

TEST_F(FamiliesReleased, areFreedOfOneHolderOrRefusedInWords) {
  for (const auto &state : test::lockCorpus()) {
    write(state);
    const auto lock = read(state.key);
    ASSERT_TRUE(lock && (lock->isHeld() || !lock->queue.empty())) << state.family;
    if (!lock->isHeld())
      continue;
    const auto holder = lock->holders.front();
    const auto planned = plan(state.key, holder.id);
    const auto done = apply(state.key, holder.id);
    if (done.verdict == Verdict::Unreleasable) {
      EXPECT_EQ(planned.verdict, Verdict::Unreleasable);
      EXPECT_EQ(redis({"EXISTS", state.key}).integer(), 1) << state.family;
      EXPECT_FALSE(done.detail.empty());
      continue;
    }
    EXPECT_FALSE(planned.verdict) << state.family << ": " << planned.detail.english();
    ASSERT_EQ(done.verdict, Verdict::Released) << state.family << ": " << done.detail.english();
    const auto left = read(state.key);
    const auto heirs = state.type == ValueType::List ? std::min<std::size_t>(1, lock->queue.size()) : 0; // the next ticket's owner
    EXPECT_EQ(left ? left->holders.size() : 0, lock->holders.size() - 1 + heirs) << state.family << ": the others stay";
    EXPECT_EQ(apply(state.key, holder.id).verdict == Verdict::Released, false) << state.family << ": once is once";
  }
}

TEST_F(FamiliesReleased, ofOthersThanWasSeenAreLeft) {
  for (const auto &state : test::lockCorpus()) {
    write(state);
    const auto done = apply(state.key, "somebody else");
    EXPECT_THAT(done.verdict, AnyOf(Eq(Verdict::Changed), Eq(Verdict::Unreleasable), Eq(Verdict::AlreadyFree))) << state.family << " " << done.detail.english();
    EXPECT_EQ(redis({"EXISTS", state.key}).integer(), 1) << state.family;
  }
}

TEST_F(FamiliesReleased, sayWhatTheirLibraryMayDoAfterwards) {
  redis({"SET", "redlock:a", test::token}); // no UUID: any token
  redis({"SET", "redlock:b", "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", "PX", "60000"});
  const auto planned = plan("redlock:b", "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01");
  ASSERT_TRUE(planned.plan) << planned.detail.english();
  EXPECT_EQ(planned.family, "redlock-net");
  EXPECT_THAT(englishOf(planned.plan->warnings), Contains(HasSubstr("may make the deleted key anew")));
  EXPECT_THAT(englishOf(planned.plan->warnings), Contains(AllOf(HasSubstr("it may be "), HasSubstr("pottery"))));
  redis({"SET", "mutex:b", "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", "PX", "60000"});
  const auto mutex = plan("mutex:b", "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01");
  ASSERT_TRUE(mutex.plan) << mutex.detail.english();
  EXPECT_EQ(mutex.family, "redis-semaphore-mutex");
  EXPECT_THAT(englishOf(mutex.plan->warnings), Contains(HasSubstr("where it is of aioredlock, redlock-rb, its holder may make the deleted key anew")));
}

TEST_F(FamiliesReleased, wakeWhoIsBlockedOnAList) {
  for (const auto *signal : {"lock-signal:stock", "lock.event:stock"}) {
    const bool isWalrus = std::string_view(signal).starts_with("lock.");
    const std::string holder =
        isWalrus ? std::string(
                       "\x01\xff\x80\x03\x9a\xbc\xde\xf0\x11\x92\x13\xf4\x15\x96\x17\xf8\x19\xfa\x1b\xfc\x1d\xfe\x1f\x90\x21\xa2\x23\xa4\x25\xa6\x27\xa8", 32)
                 : std::string("Zk9xT2w3dFp1R2hYc0pLbWJ2");
    ASSERT_TRUE(redis.send({"SET", "lock:stock", holder})->isOk());
    test::RawRedis waiter(m_uri);
    std::jthread blocked([&] {
      const auto woken = waiter.send({"BLPOP", signal, "20"});
      EXPECT_TRUE(woken && woken->array().size() == 2) << signal;
    });
    while (redis({"INFO", "clients"}).text()->find("blocked_clients:1") == std::string_view::npos)
      std::this_thread::yield();
    const auto done = apply("lock:stock", holder);
    EXPECT_EQ(done.verdict, Verdict::Released) << done.detail.english();
    blocked.join();
    EXPECT_EQ(redis({"EXISTS", "lock:stock"}).integer(), 0);
    redis({"DEL", signal});
  }
}

TEST_F(FamiliesReleased, withoutEveryRightNothingIsChanged) {
  const std::string holder = "Zk9xT2w3dFp1R2hYc0pLbWJ2", permit("\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\xff", 16);
  for (const auto *right : {"-lpush", "-pexpire", "-zrem", "-hdel"}) {
    redis({"FLUSHALL"});
    ASSERT_TRUE(redis.send({"SET", "lock:stock", holder})->isOk());
    redis({"HSET", "SEMAPHORE:gate:GRABBED", "0", "1795300000.5"});
    redis({"SET", "pool", "2"});
    ASSERT_FALSE(redis.send({"ZADD", "{pool}:timeout", std::to_string(serverNow() + 60'000), permit})->isFailure());
    ASSERT_TRUE(redis.send({"ACL", "SETUSER", "keeper", "reset", "on", ">pw", "&*", "~*", "+@all", right})->isOk());
    const auto before = std::array{*redis({"DUMP", "lock:stock"}).bulk(), *redis({"DUMP", "SEMAPHORE:gate:GRABBED"}).bulk(), *redis({"DUMP", "pool"}).bulk()};
    enter("keeper", "pw");
    for (const auto &[key, id] : {std::pair<std::string, std::string>{"lock:stock", holder}, {"SEMAPHORE:gate:GRABBED", "0"}, {"pool", permit}})
      if (const auto verdict = apply(key, id).verdict; verdict != Verdict::Released) {
        EXPECT_EQ(verdict, Verdict::NotAllowed) << right << " " << key;
        EXPECT_TRUE(std::ranges::find(before, *redis({"DUMP", key}).bulk()) != before.end()) << right << ": " << key << " was changed";
      }
    redis({"DEL", "lock-signal:stock"});
  }
}

TEST_F(FamiliesReleased, whoMayListenIsToldWhereTheBytesDoNotTell) {
  const std::string registry = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01";
  redis({"SET", "locks:orders", registry, "PX", "60000"});
  test::Listener waiter(m_uri, "locks-channel"), newer(m_uri, "locks-channel:locks:orders");
  const auto result = apply("locks:orders", registry);
  EXPECT_EQ(result.verdict, Verdict::Released);
  EXPECT_THAT(result.detail.english(), HasSubstr("2 clients were told"));
  EXPECT_THAT(waiter.heard(), testing::ElementsAre("locks:orders")) << "as waiters of Spring Integration 6.5 listen";
  EXPECT_THAT(newer.heard(), testing::ElementsAre("locks:orders")) << "as those of later ones do";
}

TEST_F(FamiliesReleased, whoMayNotTellOneOfTheChannelsThatItOnlyMayHaveTellsTheOther) {
  const std::string registry = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01";
  redis({"SET", "locks:orders", registry, "PX", "60000"});
  const auto redisUri = m_uri;
  redis({"ACL", "SETUSER", "partly", "on", ">pw", "~*", "+@all", "resetchannels", "&__redis__:*", "&locks-channel"});
  enter("partly", "pw");
  test::Listener waiter(redisUri, "locks-channel");
  EXPECT_EQ(apply("locks:orders", registry).verdict, Verdict::Released);
  EXPECT_THAT(waiter.heard(), testing::ElementsAre("locks:orders"));
}

TEST_F(FamiliesReleased, aPermitOfRedissonComesBackAndIsTold) {
  const std::string permit("\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\xff", 16);
  for (const int free : {2, 0, -2}) { // fewer than none: their number was lowered while they were out
    redis({"SET", "pool", std::to_string(free)});
    ASSERT_FALSE(redis.send({"ZADD", "{pool}:timeout", std::to_string(serverNow() + 60'000), permit})->isFailure());
    test::Listener waiter(m_uri, "redisson_sc:{pool}");
    const auto lock = read("pool");
    ASSERT_TRUE(lock) << free;
    EXPECT_EQ(lock->family, "redisson-permits");
    EXPECT_EQ(lock->waiters, 1U) << free;
    EXPECT_EQ(lock->holders, (std::vector<Holder>{{permit, 1, HoldMode::Exclusive}})) << free;
    EXPECT_THAT(englishOf(lock->evidence), Contains("free permits: " + std::to_string(free)));
    EXPECT_THAT(englishOf(textsOf(plan("pool", permit).plan->effects)),
                Contains(HasSubstr(free < 0 ? "nobody goes on before it is more than 0" : "a waiter that it is enough for goes on")));
    EXPECT_EQ(apply("pool", permit).verdict, Verdict::Released) << free;
    EXPECT_EQ(redis({"GET", "pool"}).text(), std::to_string(free + 1));
    EXPECT_EQ(redis({"ZCARD", "{pool}:timeout"}).integer(), 0);
    EXPECT_THAT(waiter.heard(), testing::ElementsAre(std::to_string(free + 1)));
  }
}

TEST_F(FamiliesReleased, aBareNumberIsALockWhileSomebodyListens) {
  redis({"SET", "permits", "3"});
  redis({"SET", "parts", "2"});
  const auto before = read("permits");
  EXPECT_TRUE(!before || before->confidence < shownConfidence);
  test::Listener semaphore(m_uri, "redisson_sc:{permits}"), latch(m_uri, "redisson_countdownlatch__channel__{parts}");
  EXPECT_EQ(read("permits")->family, "redisson-semaphore");
  EXPECT_EQ(read("parts")->family, "redisson-latch");
  redis({"SET", "permits", "-2"});
  redis({"SET", "parts", "-2"});
  ASSERT_TRUE(read("permits")) << "its permits were lowered while they were out";
  EXPECT_EQ(read("permits")->number, -2);
  EXPECT_EQ(read("permits")->waiters, 1U);
  EXPECT_FALSE(read("parts")) << "a latch is gone at none";
  for (const auto *holder : {"3", "whoever"}) {
    const auto result = apply("permits", holder);
    EXPECT_EQ(result.verdict, Verdict::Unreleasable) << holder;
    EXPECT_THAT(result.detail.english(), HasSubstr("release() in any of its clients"));
  }
}

TEST_F(FamiliesReleased, aStrayFieldOrAnOddCountKeepsNoLockFromBeingFreed) {
  const std::string reader = test::other;
  redis({"HSET", "stock", test::owner, "2", "note", "x"});
  redis({"HSET", "lock:odd", test::owner, "x"});
  redis({"HSET", "rw", "mode", "read", test::owner, "1", "note", "x"});
  redis({"HSET", "many", "mode", "read", test::owner, "1", reader, "many", test::third, "1"});
  for (const auto *key : {"stock", "lock:odd", "rw"}) {
    test::Listener waiter(m_uri, std::string(key) == "rw" ? "redisson_rwlock:{rw}" : "redisson_lock__channel:{" + std::string(key) + "}");
    const auto done = apply(key, test::owner);
    EXPECT_EQ(done.verdict, Verdict::Released) << key << ": " << done.detail.english();
    EXPECT_EQ(redis({"EXISTS", key}).integer(), 0) << key << ": as its library deletes the whole of it";
    EXPECT_THAT(waiter.heard(), Contains("0")) << key;
  }
  EXPECT_EQ(apply("many", reader).verdict, Verdict::Released);
  EXPECT_EQ(redis({"HLEN", "many"}).integer(), 3) << "the two others and the mode stay";
}

TEST_F(FamiliesReleased, aStrayFieldThatCameAfterThePlanIsNotDeletedUnseen) {
  redis({"HSET", "stock", test::owner, "1"});
  const auto plan = planNow("stock", test::owner);
  redis({"HSET", "stock", "note", "x"});
  EXPECT_EQ(run(plan).verdict, Verdict::NotALock);
  EXPECT_EQ(redis({"HLEN", "stock"}).integer(), 2);
  redis({"DEL", "stock"});
  redis({"HSET", "lock:odd", test::owner, "x"});
  const auto odd = planNow("lock:odd", test::owner);
  redis({"HSET", "lock:odd", test::owner, "1"});
  EXPECT_EQ(run(odd).verdict, Verdict::Changed) << "it became a count";
}

TEST_F(FamiliesReleased, aStrayMemberHidesNoSortedSetOfHolders) {
  const std::string holder = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01";
  ASSERT_FALSE(redis.send({"ZADD", "semaphore:orders", "7", "note", std::to_string(serverNow()), holder})->isFailure());
  EXPECT_EQ(apply("semaphore:orders", holder).verdict, Verdict::Released);
  EXPECT_EQ(redis({"ZCARD", "semaphore:orders"}).integer(), 1);
}

TEST_F(FamiliesReleased, ofThousandsOfHoldersAnyOneIsTakenOut) {
  const auto uuid = [](int i) { return "5b1c0a3e-6f0d-4f1a-9c58-" + std::to_string(100'000'000'000 + i); };
  Command zset{"ZADD", "semaphore:big"}, hash{"HSET", "rw", "mode", "read"}, set{"SADD", "book.readers"};
  const auto now = serverNow();
  for (int i = 0; i < 3000; ++i) {
    zset.arg(std::to_string(now + i)).arg(uuid(i));
    hash.arg(uuid(i) + ":1").arg("1");
    set.arg("web-1_" + std::to_string(i + 1) + "_3f786850e387550fdab836ed7e6dc881");
  }
  for (auto *command : {&zset, &hash, &set})
    ASSERT_FALSE(redis.send(std::move(*command))->isFailure());
  EXPECT_THAT(englishOf(read("semaphore:big")->evidence), Contains("it has 3000 entries, of which 2000 were read")) << "the first and the last";
  EXPECT_EQ(apply("semaphore:big", uuid(1500)).verdict, Verdict::Released);
  EXPECT_EQ(redis({"ZCARD", "semaphore:big"}).integer(), 2999);
  EXPECT_EQ(apply("semaphore:big", uuid(1500)).verdict, Verdict::Changed) << "once is once";
  const auto seen = read("rw");
  for (int i = 0, taken = 0; i < 3000 && taken < 2; ++i)
    if (std::ranges::find(seen->holders, uuid(i) + ":1", &Holder::id) == seen->holders.end()) {
      ++taken;
      EXPECT_EQ(apply("rw", uuid(i) + ":1").verdict, Verdict::Released);
      EXPECT_EQ(apply("rw", uuid(i) + ":1").verdict, Verdict::Changed);
    }
  EXPECT_EQ(redis({"HLEN", "rw"}).integer(), 2999);
  for (int i = 3000; i > 2990; --i)
    EXPECT_EQ(apply("book.writer", "web-1_" + std::to_string(i) + "_3f786850e387550fdab836ed7e6dc881").verdict, Verdict::Released);
  EXPECT_EQ(redis({"SCARD", "book.readers"}).integer(), 2990);
}

TEST_F(FamiliesReleased, aKeyBesideThatHoldsSomethingElseIsLeftAndNamed) {
  const std::string token = "Zk9xT2w3dFp1R2hYc0pLbWJ2";
  redis({"SET", "lock:stock", token});
  redis({"SET", "lock-signal:stock", "foreign"});
  redis({"HSET", "SEMAPHORE:gate:GRABBED", "0", "1795300000.5"});
  redis({"SADD", "SEMAPHORE:gate:AVAILABLE", "foreign"});
  redis({"HSET", "f", test::owner, "1"});
  redis({"SET", "redisson_lock_queue:{f}", "foreign"});
  ASSERT_FALSE(redis.send({"ZADD", "redisson_lock_timeout:{f}", std::to_string(serverNow() + 60'000), test::other})->isFailure());
  const std::vector<std::array<std::string, 3>> cases{{{"lock:stock", token, "lock-signal:stock"}},
                                                      {{"SEMAPHORE:gate:GRABBED", "0", "SEMAPHORE:gate:AVAILABLE"}},
                                                      {{"f", test::owner, "redisson_lock_queue:{f}"}}};
  for (const auto &[key, holder, companion] : cases) {
    const auto before = *redis({"DUMP", companion}).bulk();
    const auto done = apply(key, holder);
    EXPECT_EQ(done.verdict, Verdict::Released) << key << ": " << done.detail.english();
    EXPECT_THAT(done.detail.english(), HasSubstr(companion + " beside it holds something else and was left"));
    EXPECT_EQ(redis({"EXISTS", key}).integer(), 0);
    EXPECT_EQ(*redis({"DUMP", companion}).bulk(), before);
  }
}

TEST_F(FamiliesReleased, theEndOfARubyLockGoesWithItAndAForeignLockOfThatNameStays) {
  const auto end = std::to_string(serverNow() / 1000 + 60);
  redis({"SET", "lock:owner:orders", "web-0:4711"});
  redis({"SET", "lock:expire:orders", end});
  EXPECT_EQ(apply("lock:owner:orders", "web-0:4711").verdict, Verdict::Released);
  EXPECT_EQ(redis({"EXISTS", "lock:expire:orders"}).integer(), 0);
  redis({"SET", "lock:owner:orders", "web-0:4711"});
  redis({"SET", "lock:expire:orders", test::token, "PX", "60000"});
  const auto foreign = read("lock:expire:orders");
  ASSERT_TRUE(foreign) << "it is shown as the lock that it is";
  EXPECT_EQ(foreign->family, "token");
  const auto done = apply("lock:owner:orders", "web-0:4711");
  EXPECT_EQ(done.verdict, Verdict::Released);
  EXPECT_THAT(done.detail.english(), HasSubstr("lock:expire:orders beside it holds something else and was left"));
  EXPECT_EQ(redis({"GET", "lock:expire:orders"}).text(), test::token);
  redis({"SET", "lock:owner:orders", "web-0:4711"});
  redis({"SET", "lock:expire:orders", end, "PX", "60000"});
  EXPECT_EQ(apply("lock:owner:orders", "web-0:4711").verdict, Verdict::Released);
  EXPECT_EQ(redis({"EXISTS", "lock:expire:orders"}).integer(), 1) << "the library gives its times no lease";
}

TEST_F(FamiliesReleased, whatLiesBesideALockBehindAPrefixGoesWithIt) {
  const auto end = std::to_string(serverNow() / 1000 + 60);
  const std::string token = "AzazbxO8rkgWaIITaAWn0b5enydoEP33INAzyk8uU8s=";
  redis({"SET", "acme:lock:owner:orders", "web-0:4711"});
  redis({"SET", "acme:lock:expire:orders", end});
  EXPECT_GT(*timeLeft(*read("acme:lock:owner:orders"), SteadyClock::now()), seconds(30));
  EXPECT_EQ(apply("acme:lock:owner:orders", "web-0:4711").verdict, Verdict::Released);
  EXPECT_EQ(redis({"EXISTS", "acme:lock:expire:orders"}).integer(), 0);
  redis({"ZADD", "acme:{pool}:time", end, token});
  redis({"ZADD", "acme:{pool}:weight", "3", token});
  EXPECT_EQ(read("acme:{pool}:time")->holders, (std::vector<Holder>{{token, 3, HoldMode::Exclusive}}));
  EXPECT_EQ(apply("acme:{pool}:time", token).verdict, Verdict::Released);
  EXPECT_EQ(redis({"EXISTS", "acme:{pool}:time", "acme:{pool}:weight"}).integer(), 0);
}

TEST_F(FamiliesReleased, allPermitsOfOneHolderAreGivenBackTogetherOrNone) {
  const std::string x = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", y = "0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02", now = std::to_string(serverNow());
  ASSERT_FALSE(redis.send({"ZADD", "semaphore:orders", now, x + "_0", now, x + "_1", now, x + "_2", now, y + "_0"})->isFailure());
  EXPECT_EQ(read("semaphore:orders")->holders.size(), 2U);
  const auto plan = planNow("semaphore:orders", x);
  EXPECT_EQ(plan.expectCount, 3);
  redis({"ZADD", "semaphore:orders", now, x + "_3"});
  const auto more = run(plan);
  EXPECT_EQ(more.verdict, Verdict::Changed);
  EXPECT_THAT(more.detail.english(), HasSubstr("count 4"));
  EXPECT_EQ(redis({"ZCARD", "semaphore:orders"}).integer(), 5);
  EXPECT_EQ(apply("semaphore:orders", x).verdict, Verdict::Released);
  EXPECT_EQ(redis({"ZRANGE", "semaphore:orders", "0", "-1"}).array().at(0).text(), y + "_0");
}

TEST_F(FamiliesReleased, thousandsOfPermitsOfOneHolderAreCountedExactlyAndGivenBackTogether) {
  const std::string x = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", y = "0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02", now = std::to_string(serverNow());
  for (const int count : {1000, 1001, 1500, 2000, 9000}) {
    Command all{"ZADD", "semaphore:orders", now, y + "_0"};
    for (int i = 0; i < count; ++i)
      all.arg(now).arg(x + "_" + std::to_string(i));
    ASSERT_FALSE(redis.send(Command(all))->isFailure());
    const auto planned = plan("semaphore:orders", x);
    ASSERT_TRUE(planned.plan) << planned.detail.english();
    EXPECT_EQ(planned.plan->expectCount, count);
    EXPECT_THAT(englishOf(textsOf(planned.plan->effects)),
                AllOf(Contains("with it go all " + std::to_string(count) + " of its permits"), Contains("1 other hold stays")));
    EXPECT_EQ(apply("semaphore:orders", x, count + 1).verdict, Verdict::Changed);
    EXPECT_EQ(apply("semaphore:orders", y, 1 + count % 2).verdict, count % 2 == 0 ? Verdict::Released : Verdict::Changed);
    redis({"ZADD", "semaphore:orders", now, y + "_0"});
    const auto seen = read("semaphore:orders")->holders;
    const auto done = apply("semaphore:orders", x, std::ranges::find(seen, x, &Holder::id)->count);
    EXPECT_EQ(done.verdict, Verdict::Released) << count << ": " << done.detail.english();
    EXPECT_EQ(redis({"ZCARD", "semaphore:orders"}).integer(), 1) << count;
    ASSERT_FALSE(redis.send(Command(all))->isFailure());
    EXPECT_EQ(apply("semaphore:orders", x, count).verdict, Verdict::Released) << "as the plan tells them";
    redis({"DEL", "semaphore:orders"});
  }
}

TEST_F(FamiliesReleased, theSecondTicketOfAListGetsItNext) {
  redis({"RPUSH", "lock:tickets", "ticket-1", "ticket-2", "ticket-3"});
  EXPECT_EQ(plan("lock:tickets", "ticket-1").plan->next, "ticket-2");
  redis({"LTRIM", "lock:tickets", "0", "0"});
  EXPECT_EQ(plan("lock:tickets", "ticket-1").plan->next, std::nullopt);
}

TEST_F(FamiliesReleased, aTokenOfTheGemRedisSemaphoreIsGivenBackOnce) {
  redis({"HSET", "SEMAPHORE:gate:GRABBED", "0", "1795300000.5", "1", "1795300000.5"});
  redis({"RPUSH", "SEMAPHORE:gate:AVAILABLE", "2", "0"});
  redis({"SET", "SEMAPHORE:gate:EXISTS", "1"});
  EXPECT_THAT(englishOf(textsOf(plan("SEMAPHORE:gate:GRABBED", "0").plan->effects)),
              Contains("pushes one element to SEMAPHORE:gate:AVAILABLE unless it lies there already: one waiter that is blocked there goes on"));
  const auto twice = apply("SEMAPHORE:gate:GRABBED", "0");
  EXPECT_EQ(twice.verdict, Verdict::Released);
  EXPECT_EQ(twice.detail.english(), "released; 0 was free already: it was not pushed a second time; 1 other hold stays");
  EXPECT_EQ(redis({"LLEN", "SEMAPHORE:gate:AVAILABLE"}).integer(), 2);
  EXPECT_EQ(apply("SEMAPHORE:gate:GRABBED", "1").detail.english(), "released");
  EXPECT_EQ(redis({"LLEN", "SEMAPHORE:gate:AVAILABLE"}).integer(), 3);
}

TEST_F(FamiliesReleased, aHolderOfSymfonysSemaphoreGoesWithHisWeight) {
  const auto end = std::to_string(serverNow() / 1000 + 60);
  redis({"ZADD", "{pool}:time", end, "AzazbxO8rkgWaIITaAWn0b5enydoEP33INAzyk8uU8s=", end, "FdIFAZ0Cm8syBw9kWf6ISWXSPkpQNg4zJlf779wfBqU="});
  redis({"ZADD", "{pool}:weight", "3", "AzazbxO8rkgWaIITaAWn0b5enydoEP33INAzyk8uU8s=", "1", "FdIFAZ0Cm8syBw9kWf6ISWXSPkpQNg4zJlf779wfBqU="});
  const auto lock = read("{pool}:time");
  ASSERT_TRUE(lock);
  EXPECT_EQ(lock->family, "symfony-semaphore");
  EXPECT_EQ(lock->holders, (std::vector<Holder>{{"AzazbxO8rkgWaIITaAWn0b5enydoEP33INAzyk8uU8s=", 3, HoldMode::Exclusive},
                                                {"FdIFAZ0Cm8syBw9kWf6ISWXSPkpQNg4zJlf779wfBqU=", 1, HoldMode::Exclusive}}));
  const auto plan = planNow("{pool}:time", "AzazbxO8rkgWaIITaAWn0b5enydoEP33INAzyk8uU8s=");
  redis({"ZADD", "{pool}:weight", "2", "AzazbxO8rkgWaIITaAWn0b5enydoEP33INAzyk8uU8s="});
  EXPECT_EQ(run(plan).verdict, Verdict::Changed);
  EXPECT_EQ(redis({"ZCARD", "{pool}:time"}).integer(), 2);
  EXPECT_EQ(apply("{pool}:time", "AzazbxO8rkgWaIITaAWn0b5enydoEP33INAzyk8uU8s=").verdict, Verdict::Released);
  EXPECT_EQ(redis({"ZRANGE", "{pool}:time", "0", "-1"}).array().size(), 1U);
  EXPECT_EQ(redis({"ZRANGE", "{pool}:weight", "0", "-1"}).array().at(0).text(), "FdIFAZ0Cm8syBw9kWf6ISWXSPkpQNg4zJlf779wfBqU=");
}

} // namespace
} // namespace lockhouse
