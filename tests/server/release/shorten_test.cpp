// SPDX-License-Identifier: Apache-2.0
// A lease that is shortened instead of ended.
#include "tests/server/release/operator_house.h"

#include <fmt/format.h>
#include <tuple>

namespace lockhouse {
namespace {

using test::other;
using test::owner;
using test::token;
using testing::HasSubstr;

class Shortened : public test::OperatorHouse {
protected:
  std::int64_t left(std::string_view key) { return redis({"PTTL", key}).integer().value_or(-3); }
};

TEST_F(Shortened, aTokensLeaseEndsThenAndIsNeverMadeLonger) {
  redis({"SET", "lock:a", token, "PX", "600000"});
  EXPECT_EQ(shorten("lock:a", token, seconds(60)).verdict, Verdict::Shortened);
  EXPECT_LE(left("lock:a"), 60'000);
  EXPECT_EQ(shorten("lock:a", token, seconds(500)).verdict, Verdict::Kept);
  EXPECT_LE(left("lock:a"), 60'000);
  EXPECT_EQ(shorten("lock:a", "somebody else", seconds(1)).verdict, Verdict::Changed);
  EXPECT_GT(left("lock:a"), 1'000);
  const auto log = audited();
  ASSERT_FALSE(log.empty());
  EXPECT_EQ(log.front().action, "shorten");
  EXPECT_EQ(log.at(1).verdict, "shortened");
}

TEST_F(Shortened, aWriterOfDistributedLockHasTheLeaseOfHisKeyAndItsReadersHaveOneTogether) {
  const std::string writer = "web1_12_" + std::string(32, 'a'), reader = "web2_7_" + std::string(32, 'b');
  redis({"SET", "doc.writer", writer, "PX", "600000"});
  EXPECT_EQ(shorten("doc.writer", writer, seconds(60)).verdict, Verdict::Shortened);
  EXPECT_LE(left("doc.writer"), 60'000);
  redis({"SET", "doc.writer", writer + "_WRITERWAITING", "PX", "600000"});
  redis({"SADD", "doc.readers", reader});
  redis({"PEXPIRE", "doc.readers", "600000"});
  const auto refused = shorten("doc.writer", reader, seconds(60));
  EXPECT_EQ(refused.verdict, Verdict::Unreleasable);
  EXPECT_THAT(refused.detail.english(), HasSubstr("all of its holders share one time to live"));
}

TEST_F(Shortened, aLockWithoutAnEndGetsOne) {
  redis({"SET", "lock:a", token});
  const auto done = shorten("lock:a", token, seconds(60));
  EXPECT_EQ(done.verdict, Verdict::Shortened) << done.detail.english();
  EXPECT_GT(left("lock:a"), 0);
}

TEST_F(Shortened, aLockWhoseValueIsItsEndIsKeptWhereThatComesSooner) {
  const auto now = serverNow();
  for (const auto &[key, end, past] : {std::tuple("lock:MyJob-[1]", std::to_string(now / 1000 + 30), std::to_string(now / 1000 - 3)),
                                       {"lock.foo", std::to_string(now + 30'000), std::to_string(now - 3'000)}}) {
    redis({"SET", key, end});
    EXPECT_EQ(shorten(key, end, seconds(600)).verdict, Verdict::Kept) << key;
    EXPECT_EQ(left(key), -1) << key;
    EXPECT_EQ(shorten(key, end, seconds(10)).verdict, Verdict::Shortened) << key;
    EXPECT_LE(left(key), 10'000) << key;
    redis({"SET", key, past, "PX", "600000"});
    EXPECT_EQ(stateAt(*read(key), SteadyClock::now()), LockState::Suspect) << key << ": whatever its key lasts";
    const auto done = shorten(key, past, seconds(10));
    EXPECT_EQ(done.verdict, Verdict::Kept) << done.detail.english();
    EXPECT_GT(left(key), 10'000) << key;
  }
}

TEST_F(Shortened, aLeaseEndsInTheUnitThatItsSetHas) {
  for (const std::int64_t unit : {1, 1000}) {
    redis({"FLUSHALL"});
    redis({"ZADD", "lock:pool", std::to_string((serverNow() + 600'000) / unit), "web-1:1"});
    const auto done = shorten("lock:pool", "web-1:1", seconds(60));
    EXPECT_EQ(done.verdict, Verdict::Shortened) << unit << ": " << done.detail.english();
    const auto end = std::stod(std::string(redis({"ZSCORE", "lock:pool", "web-1:1"}).text().value_or("0"))) * static_cast<double>(unit);
    EXPECT_LE(end, static_cast<double>(serverNow() + 61'000)) << unit;
    EXPECT_GT(end, static_cast<double>(serverNow())) << unit;
  }
}

TEST_F(Shortened, aReaderAmongOthersIsRefusedForHisHoldEndsWithTheirs) {
  readLock("rw", {owner, other}, "600000");
  redis({"PEXPIRE", "rw", "600000"});
  const auto done = shorten("rw", owner, seconds(60));
  EXPECT_EQ(done.verdict, Verdict::Unreleasable) << done.detail.english();
  EXPECT_EQ(done.detail.english(), "each of its readers has a lease of its own, and the lock lasts as long as the longest of them; release the hold");
  EXPECT_GT(left("{rw}:" + std::string(owner) + ":rwlock_timeout:1"), 60'000);
  EXPECT_GT(left("rw"), 60'000);
  const auto writer = std::string(owner) + ":write";
  redis({"DEL", "rw"});
  redis({"HSET", "rw", "mode", "write", writer, "1", owner, "1"});
  EXPECT_EQ(shorten("rw", writer, seconds(60)).verdict, Verdict::Unreleasable) << "he reads too";
  EXPECT_EQ(left("rw"), -1);
}

TEST_F(Shortened, aReaderAloneEndsWithTheLockUnlessAnotherCame) {
  readLock("rw", {owner}, "600000");
  redis({"PEXPIRE", "rw", "600000"});
  redis({"HSET", "rw", owner, "2"});
  redis({"SET", "{rw}:" + std::string(owner) + ":rwlock_timeout:2", "1"});
  const auto done = shorten("rw", owner, seconds(60));
  EXPECT_EQ(done.verdict, Verdict::Shortened) << done.detail.english();
  EXPECT_LE(left("rw"), 60'000);
  for (const auto *entry : {"1", "2"}) { // of which the lock's lease is made when another reader leaves
    const auto lease = left("{rw}:" + std::string(owner) + ":rwlock_timeout:" + entry);
    EXPECT_TRUE(lease > 0 && lease <= 60'000) << entry << ": " << lease;
  }
  redis({"PEXPIRE", "rw", "600000"});
  const auto plan = planNow("rw", owner, seconds(60));
  redis({"HSET", "rw", other, "1"});
  const auto answer = run(plan);
  EXPECT_EQ(answer.verdict, Verdict::Changed);
  EXPECT_THAT(answer.detail.english(), HasSubstr("share its time to live"));
  EXPECT_GT(left("rw"), 60'000);
}

TEST_F(Shortened, aHoldInASortedSetHasAnEndOfItsOwn) {
  const std::string one = "web-1_4711_3f786850e387550fdab836ed7e6dc881", two = "web-2_4711_3f786850e387550fdab836ed7e6dc882";
  const auto now = serverNow();
  for (const auto &member : {one, two})
    ASSERT_FALSE(redis.send({"ZADD", "pool", std::to_string(now + 600'000), member})->isFailure());
  EXPECT_EQ(shorten("pool", one, seconds(60)).verdict, Verdict::Shortened);
  const auto score = [&](const std::string &member) { return std::stod(std::string(redis({"ZSCORE", "pool", member}).text().value_or("0"))); };
  EXPECT_LE(score(one), static_cast<double>(serverNow() + 60'000));
  EXPECT_EQ(score(two), static_cast<double>(now + 600'000));
}

TEST_F(Shortened, aLockOfSymfonyEndsWithTheLastOfItsHolds) {
  const std::string one = "itGRndUan7bU1Qm6ZMjPaAPeUNg6Ls+661NCBxpIyy0=", two = "jtGRndUan7bU1Qm6ZMjPaAPeUNg6Ls+661NCBxpIyy0=";
  const auto now = serverNow();
  const auto holds = [&](const std::string &key, const std::vector<std::pair<std::string, std::int64_t>> &members) {
    for (const auto &[member, lasts] : members)
      redis({"ZADD", key, std::to_string(now + lasts), member});
    redis({"PEXPIRE", key, "600000"});
  };
  holds("writes", {{one, 600'000}, {"__write__", 600'000}});
  EXPECT_EQ(shorten("writes", one, seconds(60)).verdict, Verdict::Shortened);
  EXPECT_LE(left("writes"), 60'000);
  EXPECT_GT(left("writes"), 0);
  holds("reads", {{one, 600'000}, {two, 300'000}});
  EXPECT_EQ(shorten("reads", one, seconds(60)).verdict, Verdict::Shortened);
  EXPECT_LE(left("reads"), 300'000);
  EXPECT_GT(left("reads"), 60'000) << "the other one stays";
  holds("lock:endless", {{one, 600'000}});
  redis({"ZADD", "lock:endless", "inf", two});
  EXPECT_EQ(shorten("lock:endless", one, seconds(60)).verdict, Verdict::Shortened);
  EXPECT_GT(left("lock:endless"), 60'000);
}

TEST_F(Shortened, isRefusedWhereOneTimeToLiveIsOfAll) {
  redis({"SADD", "a.readers", "web-1_4711_3f786850e387550fdab836ed7e6dc881"});
  const auto free = shorten("a.writer", "web-1_4711_3f786850e387550fdab836ed7e6dc881", seconds(1));
  EXPECT_THAT(free.detail.english(), HasSubstr("no lease"));
  redis({"PEXPIRE", "a.readers", "600000"});
  const auto readers = shorten("a.writer", "web-1_4711_3f786850e387550fdab836ed7e6dc881", seconds(1));
  EXPECT_EQ(readers.verdict, Verdict::Unreleasable);
  EXPECT_EQ(readers.detail.english(), "all of its holders share one time to live; release the hold") << "which is a lease";
  redis({"RPUSH", "lock:queue", "ticket-1", "ticket-2"});
  const auto list = shorten("lock:queue", "ticket-1", seconds(1));
  EXPECT_EQ(list.verdict, Verdict::Unreleasable);
  EXPECT_THAT(list.detail.english(), HasSubstr("no lease"));
  const std::string file = "3f786850e387550fdab836ed7e6dc881/lockfiles/3f786850e387550fdab836ed7e6dc881";
  redis({"SET", file, "2", "PX", "600000"});
  const auto number = shorten(file, "", seconds(1));
  EXPECT_EQ(number.verdict, Verdict::Unreleasable) << number.detail.english();
  EXPECT_THAT(number.detail.english(), HasSubstr("it would end for all of them"));
  EXPECT_GT(left(file), 500'000);
  redis({"HSET", "semaphore:GRABBED", "0", "1795300000.5", "1", "1795300001.5"});
  EXPECT_EQ(shorten("semaphore:GRABBED", "0", seconds(1)).verdict, Verdict::Unreleasable);
}

TEST_F(Shortened, isRefusedWhereTheEndLiesInAKeyOfItsOwn) {
  const auto end = std::to_string(serverNow() / 1000 + 600);
  redis({"SET", "lock:owner:ruby", "web-0:4711"});
  redis({"SET", "lock:expire:ruby", end});
  const auto done = shorten("lock:owner:ruby", "web-0:4711", seconds(60));
  EXPECT_EQ(done.verdict, Verdict::Unreleasable) << done.detail.english();
  EXPECT_EQ(left("lock:owner:ruby"), -1) << "a holder who goes on writes the end alone";
  EXPECT_EQ(redis({"GET", "lock:expire:ruby"}).text(), end);
}

TEST_F(Shortened, isRefusedWhereItWouldDoHarm) {
  redis({"HSET", "huey.results.app", "app.lock.task1", "x", "r1", "y"});
  EXPECT_EQ(shorten("huey.results.app", "app.lock.task1", seconds(1)).verdict, Verdict::Unreleasable) << "results lie there too";
  redis({"SET", "lock:j", "Zk9xT2w3dFp1R2hYc0pLbWJ2"});
  EXPECT_EQ(shorten("lock:j", "Zk9xT2w3dFp1R2hYc0pLbWJ2", seconds(1)).verdict, Verdict::Unreleasable) << "who is blocked on a list is not told";
  const std::string votes("\x01\xff\x80\x03\x9a\xbc\xde\xf0\x11\x92\x13\xf4\x15\x96\x17\xf8\x19\xfa\x1b\xfc\x1d\xfe\x1f\x90", 24);
  redis({"SET", "rueidislock:0:a", votes});
  EXPECT_EQ(shorten("rueidislock:0:a", votes, seconds(1)).verdict, Verdict::Unreleasable) << "one key of several";
}

TEST_F(Shortened, aSymfonyLocksMarkEndsWithIt) {
  const std::string holder = "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=";
  const auto end = std::to_string(serverNow() + 600'000);
  ASSERT_FALSE(redis.send({"ZADD", "symf", end, holder, end, "__write__"})->isFailure());
  EXPECT_EQ(shorten("symf", holder, seconds(60)).verdict, Verdict::Shortened);
  for (const auto &member : {holder, std::string("__write__")})
    EXPECT_LE(std::stod(std::string(redis({"ZSCORE", "symf", member}).text().value_or("0"))), static_cast<double>(serverNow() + 60'000));
}

TEST_F(Shortened, aCountOtherThanWasSeenIsChanged) {
  redis({"HSET", "stock", owner, "2"});
  redis({"PEXPIRE", "stock", "600000"});
  EXPECT_EQ(shorten("stock", owner, seconds(60)).verdict, Verdict::Shortened);
  EXPECT_LE(left("stock"), 60'000);
}

TEST_F(Shortened, wakesWhoSleepsUntilTheEndThatHeSaw) {
  redis({"HSET", "stock", owner, "1"});
  readLock("rw", {owner}, "600000");
  redis({"PEXPIRE", "rw", "600000"});
  for (const auto &[key, channel, messages] : {std::tuple("stock", "redisson_lock__channel:{stock}", std::vector<std::string>{"0"}),
                                               std::tuple("rw", "redisson_rwlock:{rw}", std::vector<std::string>{"1", "0"})}) {
    test::Listener waiter(m_uri, channel);
    test::ShardListener clusterWaiter(m_uri, channel);
    const auto plan = planNow(key, owner, seconds(60));
    EXPECT_THAT(englishOf(textsOf(plan.effects)), testing::Contains(HasSubstr(fmt::format("on {} (PUBLISH and SPUBLISH)", channel))));
    EXPECT_EQ(shorten(key, owner, seconds(60)).verdict, Verdict::Shortened);
    EXPECT_EQ(waiter.heard(), messages) << key;
    EXPECT_EQ(clusterWaiter.heard(), messages) << key;
    EXPECT_EQ(shorten(key, owner, seconds(60)).verdict, Verdict::Kept);
    EXPECT_EQ(waiter.heard().size(), messages.size()) << "nothing was shortened";
  }
}

TEST_F(Shortened, saysWhomNothingWakes) {
  fairLock("f", {other});
  EXPECT_THAT(englishOf(planNow("f", owner, seconds(5)).warnings), testing::Contains(HasSubstr("the head of the queue sleeps")));
  const std::string registry = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01";
  redis({"SET", "my-lock:path", registry, "PX", "60000"});
  EXPECT_THAT(englishOf(planNow("my-lock:path", registry, seconds(5)).warnings),
              testing::Contains(HasSubstr("where it is of spring-integration, who waits for a message")));
  redis({"SET", "lock:a", token, "PX", "60000"});
  redis({"SET", "desk", owner, "PX", "60000"});
  redis({"RPUSH", "lockhouse:line:{desk}", other});
  EXPECT_THAT(englishOf(textsOf(planNow("desk", owner, seconds(5)).effects)),
              testing::Contains(HasSubstr("who waits asks again every third of his own lease")));
  EXPECT_THAT(englishOf(textsOf(planNow("lock:a", token, seconds(5)).effects)),
              testing::Contains("tells nobody: clients of this kind of lock try again by themselves"));
}

TEST_F(Shortened, isRefusedInWordsThatAreTrueAndOfferAWay) {
  const std::string permit("\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\xff", 16);
  redis({"SET", "pool", "2"});
  redis({"ZADD", "{pool}:timeout", "922337203685477", permit});
  const auto refused = shorten("pool", permit, seconds(5));
  EXPECT_EQ(refused.verdict, Verdict::Unreleasable);
  EXPECT_THAT(refused.detail.english(), HasSubstr("has a lease of its own, or none; release the permit"));
  redis({"HSET", "bull:q:1", "data", "{}", "name", "x", "opts", "{}", "timestamp", "1795300000000"});
  redis({"SET", "bull:q:1:lock", "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:3", "PX", "30000"});
  EXPECT_THAT(shorten("bull:q:1:lock", "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:3", seconds(5)).detail.english(),
              HasSubstr("use BullMQ to fail, retry or remove the job"));
}

} // namespace
} // namespace lockhouse
