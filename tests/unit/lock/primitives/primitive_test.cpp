// SPDX-License-Identifier: Apache-2.0
#include "core/lock/primitives/primitive.h"
#include "tests/unit/lock/manual_time.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

using namespace lockhouse;
using namespace lockhouse::test;

namespace {

const Primitive &mutex = *Primitive::find("Mutex");
const Primitive &reentrant = *Primitive::find("ReentrantLock");
const LockName stock("stock");
const LockToken owner("5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:42");

std::vector<std::string> words(const Command &command) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < command.size(); ++i)
    all.emplace_back(command[i]);
  return all;
}

Reply error(const char *text) { return Reply(Reply::Failure{text}); }

} // namespace

TEST(MutexCommands, acquiresByAPlainSet) {
  EXPECT_EQ(words(mutex.acquire({stock, owner, 30s, 1}, false)), (std::vector<std::string>{"SET", "stock", owner.bytes(), "NX", "PX", "30000"}));
}

TEST(MutexCommands, everythingElseIsOneScriptWithTheLockAsItsOnlyKey) {
  for (const auto &command : {mutex.acquire({stock, owner, 30s, 1}, true), mutex.renew({stock, owner, 30s, 1}), mutex.release({stock, owner, 30s, 0}, false)}) {
    ASSERT_NE(command.script(), nullptr);
    EXPECT_EQ(command[0], "EVALSHA");
    EXPECT_EQ(command[1], command.script()->sha1);
    EXPECT_EQ(command[2], "1");
    EXPECT_EQ(command[3], "stock");
  }
}

TEST(MutexCommands, whoListensIsWrittenDownBesideTheLockAndToldByTheRelease) {
  const Primitive::Ask ask{.name = stock, .owner = owner, .lease = 30s, .count = 0, .listener = "client:7"};
  for (const auto &command : {mutex.acquire(ask, false), mutex.acquire(ask, true), mutex.release(ask, true)}) {
    ASSERT_NE(command.script(), nullptr);
    EXPECT_EQ(command[2], "2");
    EXPECT_EQ(command[3], "stock");
    EXPECT_EQ(command[4], "lockhouse:listeners:{stock}");
    EXPECT_EQ(command[5], owner.bytes());
    EXPECT_EQ(std::ranges::count(words(command), "client:7"), 1);
  }
  EXPECT_EQ(mutex.release(ask, false).script()->body.find("PUBLISH"), std::string_view::npos);
}

TEST(MutexCommands, releaseManyTogetherWithEachTokenInThePlaceOfItsLock) {
  const std::vector<LockName> names{LockName("a"), LockName("b"), LockName(std::string("c\0'\r\n", 5))};
  const std::vector<LockToken> tokens{LockToken("1"), LockToken("2"), LockToken("3")};
  std::vector<Primitive::Ask> asks;
  for (std::size_t i = 0; i < names.size(); ++i)
    asks.push_back({names[i], tokens[i], 30s, 0});
  const auto command = mutex.releaseTogether(asks);
  ASSERT_NE(command.script(), nullptr);
  EXPECT_EQ(command.script()->body.find("PUBLISH"), std::string_view::npos) << "as a release without wake";
  EXPECT_EQ(words(command), (std::vector<std::string>{"EVALSHA", std::string(command.script()->sha1), "3", "a", "b", names[2].bytes(), "1", "2", "3"}));
}

TEST(MutexCommands, releaseAsManyTogetherAsAScriptCanTake) {
  const auto most = mutex.mostTogether();
  EXPECT_GT(most, 1U);
  EXPECT_LE(most, 1000U) << "Lua's unpack() takes no more than its stack, and the server answers nobody else meanwhile";
  const std::vector<Primitive::Ask> asks(most, {stock, owner, 30s, 0});
  EXPECT_EQ(mutex.releaseTogether(asks).size(), 3 + 2 * most);
}

TEST(ReentrantCommands, areReleasedOneByOne) { EXPECT_EQ(reentrant.mostTogether(), 0U); }

TEST(ReentrantCommands, areScriptsWithTheLockAsTheirOnlyKey) {
  EXPECT_EQ(words(reentrant.acquire({stock, owner, 30s, 3}, false)),
            (std::vector<std::string>{"EVALSHA", std::string(reentrant.acquire({stock, owner, 30s, 3}, false).script()->sha1), "1", "stock", "30000",
                                      owner.bytes(), "3"}));
  const auto release = words(reentrant.release({stock, owner, 30s, 2}, false));
  EXPECT_EQ(std::vector(release.begin() + 2, release.end()),
            (std::vector<std::string>{"1", "stock", "30000", owner.bytes(), "2", "redisson_lock__channel:{stock}", "PUBLISH"}));
}

TEST(ReentrantCommands, putNoBracesRoundANameThatHasSome) {
  EXPECT_EQ(reentrant.wakeChannel(LockName("order:{7}:pay")).bytes(), "redisson_lock__channel:order:{7}:pay");
  EXPECT_EQ(reentrant.wakeChannel(LockName("a{")).bytes(), "redisson_lock__channel:a{");
  EXPECT_EQ(reentrant.wakeChannel(LockName("a}")).bytes(), "redisson_lock__channel:{a}}");
}

TEST(Commands, carryHostileNamesAsTheyAre) {
  const std::string hostile("'\"]]--\r\n\0{}%s*", 14);
  for (const Primitive *primitive : {&mutex, &reentrant})
    for (const auto &command : {primitive->acquire({LockName(hostile), owner, 30s, 1}, true), primitive->renew({LockName(hostile), owner, 30s, 1}),
                                primitive->release({LockName(hostile), owner, 30s, 0}, true)})
      EXPECT_EQ(command[3], hostile);
}

TEST(Owners, ofAMutexAre128BitsAndNeverTheSame) {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) {
    const auto token = mutex.owner("client", 1).value().bytes();
    EXPECT_EQ(token.size(), 32U);
    EXPECT_EQ(token.find_first_not_of("0123456789abcdef"), std::string::npos);
    EXPECT_TRUE(seen.insert(token).second);
  }
}

TEST(Owners, ofAReentrantLockHaveRedissonsForm) { EXPECT_EQ(reentrant.owner("5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", 42).value(), owner); }

TEST(Replies, toAMutexAcquire) {
  using Kind = AcquireAnswer::Kind;
  EXPECT_EQ(mutex.readAcquire(Reply(Reply::Status{"OK"})).kind, Kind::Granted);
  EXPECT_EQ(mutex.readAcquire(Reply(std::int64_t{1})).kind, Kind::Granted);
  EXPECT_EQ(mutex.readAcquire(Reply()).kind, Kind::Refused);
  const auto refused = mutex.readAcquire(Reply(Reply::Array{Reply(std::int64_t{1200}), Reply(std::string("tok"))}));
  EXPECT_EQ(refused.kind, Kind::Refused);
  EXPECT_EQ(refused.timeLeft, 1200ms);
  EXPECT_EQ(refused.holder, "tok");
  const auto eternal = mutex.readAcquire(Reply(Reply::Array{Reply(std::int64_t{-1})}));
  EXPECT_FALSE(eternal.timeLeft);
  EXPECT_FALSE(eternal.holder);
}

TEST(Replies, toAReentrantAcquire) {
  using Kind = AcquireAnswer::Kind;
  EXPECT_EQ(reentrant.readAcquire(Reply(std::int64_t{3})).kind, Kind::Granted);
  EXPECT_EQ(reentrant.readAcquire(Reply(std::int64_t{0})).kind, Kind::HoldLost);
  EXPECT_EQ(reentrant.readAcquire(Reply(Reply::Array{Reply(std::int64_t{5}), Reply(owner.bytes())})).holder, owner.bytes());
}

TEST(Replies, thatAreErrorsOfABusyNodeMayBeTriedAgainAndOthersNot) {
  for (const Primitive *primitive : {&mutex, &reentrant}) {
    for (const auto *text : {"LOADING Redis is loading", "BUSY a script", "TRYAGAIN x", "CLUSTERDOWN x", "MASTERDOWN x"}) {
      EXPECT_EQ(primitive->readAcquire(error(text)).kind, AcquireAnswer::Kind::Busy);
      EXPECT_EQ(primitive->readRenew(error(text)), RenewAnswer::Busy);
      EXPECT_EQ(primitive->readRelease(error(text)), ReleaseAnswer::Busy);
    }
    for (const auto *text : {"NOPERM x", "OOM x", "READONLY x", "ERR x", "BUSYGROUP x", ""}) {
      EXPECT_EQ(primitive->readAcquire(error(text)).kind, AcquireAnswer::Kind::Rejected) << text;
      EXPECT_EQ(primitive->readRenew(error(text)), RenewAnswer::Rejected);
      EXPECT_EQ(primitive->readRelease(error(text)), ReleaseAnswer::Rejected);
    }
  }
}

TEST(Replies, thatTheKeyHasAnotherTypeMeanItIsNotOursAnyMore) {
  for (const Primitive *primitive : {&mutex, &reentrant}) {
    EXPECT_EQ(primitive->readRenew(error("WRONGTYPE x")), RenewAnswer::TakenOver);
    EXPECT_EQ(primitive->readRelease(error("WRONGTYPE x")), ReleaseAnswer::NotOwner);
  }
}

TEST(Replies, toRenewalsAndReleases) {
  for (const Primitive *primitive : {&mutex, &reentrant}) {
    EXPECT_EQ(primitive->readRenew(Reply(std::int64_t{1})), RenewAnswer::Renewed);
    EXPECT_EQ(primitive->readRenew(Reply(std::int64_t{0})), RenewAnswer::TakenOver);
    EXPECT_EQ(primitive->readRenew(Reply(std::int64_t{-1})), RenewAnswer::Gone);
  }
  EXPECT_EQ(mutex.readRelease(Reply(std::int64_t{1})), ReleaseAnswer::Released);
  EXPECT_EQ(mutex.readRelease(Reply(std::int64_t{0})), ReleaseAnswer::NotOwner);
  EXPECT_EQ(reentrant.readRelease(Reply(std::int64_t{2})), ReleaseAnswer::StillHeld);
  EXPECT_EQ(reentrant.readRelease(Reply(std::int64_t{0})), ReleaseAnswer::Released);
  EXPECT_EQ(reentrant.readRelease(Reply(std::int64_t{-1})), ReleaseAnswer::NotOwner);
}

TEST(Replies, thatNoRedisGivesGrantNothing) {
  for (const Primitive *primitive : {&mutex, &reentrant})
    for (const auto &reply : {Reply(std::string("OK")), Reply(Reply::Status{"QUEUED"}), Reply(Reply::Elided{9})}) {
      EXPECT_NE(primitive->readAcquire(reply).kind, AcquireAnswer::Kind::Granted);
      EXPECT_EQ(primitive->readRenew(reply), RenewAnswer::Rejected);
      EXPECT_EQ(primitive->readRelease(reply), ReleaseAnswer::Rejected);
    }
}

TEST(SetnxReplies, aKeyOfAnotherTypeIsSomebodyElses) {
  const auto answer =
      Primitive::find("SetnxLock")->readAcquireStep("GET", Reply(Reply::Failure{"WRONGTYPE Operation against a key holding the wrong kind of value"}));
  EXPECT_EQ(answer.kind, AcquireAnswer::Kind::Refused);
  EXPECT_FALSE(answer.holder);
}
