// SPDX-License-Identifier: Apache-2.0
// Commands and replies of the primitives that share their data with Redisson.
#include "core/lock/primitives/primitive.h"
#include "tests/unit/lock/manual_time.h"

#include <gtest/gtest.h>

#include <set>

using namespace lockhouse;
using namespace lockhouse::test;

namespace {

using Kind = AcquireAnswer::Kind;

const Primitive &fair = *Primitive::find("FairLock");
const Primitive &fenced = *Primitive::find("FencedLock");
const Primitive &readWrite = *Primitive::find("ReadWriteLock");
const Primitive &semaphore = *Primitive::find("Semaphore");
const Primitive &permits = *Primitive::find("ExpirablePermits");
const LockName stock("stock");
const LockToken owner("5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:042");

/// Of an EVALSHA: the keys and arguments.
std::vector<std::string> words(const Command &command) {
  std::vector<std::string> all;
  for (std::size_t i = 2; i < command.size(); ++i)
    all.emplace_back(command[i]);
  return all;
}

Reply number(std::int64_t value) { return Reply(value); }
Reply text(std::string value) { return Reply(std::move(value)); }
Reply error(const char *words) { return Reply(Reply::Failure{words}); }

} // namespace

TEST(FairLockCommands, nameTheLineAndItsTimesAsRedissonDoes) {
  Primitive::Ask ask{stock, owner, 30s, 1};
  ask.waits = true;
  EXPECT_EQ(words(fair.acquire(ask, false)),
            (std::vector<std::string>{"3", "stock", "redisson_lock_queue:{stock}", "redisson_lock_timeout:{stock}", "30000", owner.bytes(), "1", "1"}));
  ask.waits = false;
  EXPECT_EQ(words(fair.acquire(ask, true)).back(), "0") << "who does not wait takes no place";
  EXPECT_EQ(words(fair.release({stock, owner, 30s, 0}, false)),
            (std::vector<std::string>{"3", "stock", "redisson_lock_queue:{stock}", "redisson_lock_timeout:{stock}", "30000", owner.bytes(), "0",
                                      "redisson_lock__channel:{stock}", "PUBLISH"}));
  EXPECT_EQ(words(fair.renew({stock, owner, 30s, 1})), (std::vector<std::string>{"1", "stock", "30000", owner.bytes()}));
  EXPECT_EQ(fair.ownerChannel(stock, owner).bytes(), "redisson_lock__channel:{stock}:" + owner.bytes());
}

TEST(FairLockOwners, areToldFromJavaThreadsByAZero) { EXPECT_EQ(fair.owner("5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", 42).value(), owner); }

TEST(FairLockReplies, toAnAcquire) {
  EXPECT_EQ(fair.readAcquire(number(2)).kind, Kind::Granted);
  EXPECT_EQ(fair.readAcquire(number(0)).kind, Kind::HoldLost);
  const auto placed = fair.readAcquire(Reply(Reply::Array{number(1200), text("somebody"), number(1)}));
  EXPECT_EQ(placed.kind, Kind::Refused);
  EXPECT_EQ(placed.timeLeft, 1200ms);
  EXPECT_EQ(placed.holder, "somebody");
  EXPECT_TRUE(placed.queued);
  EXPECT_TRUE(placed.newPlace);
  const auto again = fair.readAcquire(Reply(Reply::Array{number(-1), Reply(), number(0)}));
  EXPECT_TRUE(again.queued);
  EXPECT_FALSE(again.newPlace);
  EXPECT_FALSE(again.timeLeft);
  EXPECT_FALSE(again.holder);
  EXPECT_FALSE(fair.readAcquire(Reply(Reply::Array{number(5), Reply(), number(-1)})).queued);
  EXPECT_EQ(fair.readAcquire(Reply(Reply::Array{number(5), Reply()})).kind, Kind::Rejected);
  EXPECT_EQ(fair.readAcquire(error("LOADING x")).kind, Kind::Busy);
  EXPECT_EQ(fair.readAcquire(error("NOPERM x")).kind, Kind::Rejected);
}

TEST(FairLockReplies, toRenewalsAndReleases) {
  EXPECT_EQ(fair.readRenew(number(1)), RenewAnswer::Renewed);
  EXPECT_EQ(fair.readRenew(number(0)), RenewAnswer::TakenOver);
  EXPECT_EQ(fair.readRenew(number(-1)), RenewAnswer::Gone);
  EXPECT_EQ(fair.readRelease(number(1)), ReleaseAnswer::StillHeld);
  EXPECT_EQ(fair.readRelease(number(0)), ReleaseAnswer::Released);
  EXPECT_EQ(fair.readRelease(number(-1)), ReleaseAnswer::NotOwner);
  EXPECT_EQ(fair.readRelease(error("BUSY x")), ReleaseAnswer::Busy);
  EXPECT_EQ(fair.readRelease(error("NOPERM x")), ReleaseAnswer::Rejected);
}

TEST(FencedLockCommands, nameTheCounterAsRedissonDoes) {
  EXPECT_EQ(words(fenced.acquire({stock, owner, 30s, 2}, false)),
            (std::vector<std::string>{"2", "stock", "redisson_lock_token:{stock}", "30000", owner.bytes(), "2"}));
  EXPECT_EQ(words(fenced.release({stock, owner, 30s, 0}, false)),
            (std::vector<std::string>{"1", "stock", "30000", owner.bytes(), "0", "redisson_lock__channel:{stock}", "PUBLISH"}));
  EXPECT_EQ(fenced.lasting(stock), (std::vector<std::string>{"redisson_lock_token:{stock}"}));
}

TEST(FencedLockReplies, toAnAcquire) {
  const auto granted = fenced.readAcquire(Reply(Reply::Array{number(1), text("1700000000000000")}));
  EXPECT_EQ(granted.kind, Kind::Granted);
  EXPECT_EQ(granted.fence, Fence{1'700'000'000'000'000});
  for (const auto *fence : {"", "x", "-1", "99999999999999999999999"})
    EXPECT_EQ(fenced.readAcquire(Reply(Reply::Array{number(1), text(fence)})).kind, Kind::Rejected) << "a hold without its fence is none";
  EXPECT_EQ(fenced.readAcquire(number(0)).kind, Kind::HoldLost);
  EXPECT_EQ(fenced.readAcquire(number(1)).kind, Kind::Rejected);
  const auto refused = fenced.readAcquire(Reply(Reply::Array{number(0), number(1200), text("somebody")}));
  EXPECT_EQ(refused.kind, Kind::Refused);
  EXPECT_EQ(refused.timeLeft, 1200ms);
  EXPECT_EQ(refused.holder, "somebody");
  EXPECT_FALSE(fenced.readAcquire(Reply(Reply::Array{number(0), number(-1)})).timeLeft);
  EXPECT_EQ(fenced.readAcquire(error("TRYAGAIN x")).kind, Kind::Busy);
}

TEST(ReadWriteCommands, tellReadersFromWritersByTheirScriptAndNameTheLeases) {
  const Primitive::Ask reads{.name = stock, .owner = owner, .lease = 30s, .count = 2, .mode = {.shared = true}};
  const Primitive::Ask writes{.name = stock, .owner = owner, .lease = 30s, .count = 2};
  EXPECT_EQ(words(readWrite.acquire(reads, false)), (std::vector<std::string>{"2", "stock", "{stock}:", "30000", owner.bytes(), "2"}));
  EXPECT_EQ(words(readWrite.release(writes, false)),
            (std::vector<std::string>{"2", "stock", "{stock}:", "30000", owner.bytes(), "2", "redisson_rwlock:{stock}", "PUBLISH"}));
  EXPECT_NE(readWrite.acquire(reads, false)[1], readWrite.acquire(writes, false)[1]);
  EXPECT_NE(readWrite.renew(reads)[1], readWrite.renew(writes)[1]);
  EXPECT_NE(readWrite.release(reads, false)[1], readWrite.release(writes, false)[1]);
  EXPECT_EQ(words(readWrite.acquire({LockName("a{b}"), owner, 30s, 1}, false))[2], "a{b}:");
}

TEST(ReadWriteReplies, toAnAcquire) {
  const auto granted = readWrite.readAcquire(Reply(Reply::Array{number(1), number(1'000'000)}));
  EXPECT_EQ(granted.kind, Kind::Granted);
  EXPECT_EQ(granted.room, 1'000'000);
  EXPECT_EQ(readWrite.readAcquire(number(0)).kind, Kind::HoldLost);
  EXPECT_EQ(readWrite.readAcquire(number(1)).kind, Kind::Rejected);
  const auto refused = readWrite.readAcquire(Reply(Reply::Array{number(0), number(1200), Reply()}));
  EXPECT_EQ(refused.kind, Kind::Refused);
  EXPECT_EQ(refused.timeLeft, 1200ms);
  EXPECT_FALSE(refused.holder);
  EXPECT_EQ(readWrite.readAcquire(error("BUSY x")).kind, Kind::Busy);
  EXPECT_EQ(readWrite.readAcquire(error("WRONGTYPE x")).kind, Kind::Rejected);
}

TEST(PermitCommands, nameCounterPermitsAndCapacityAndEachPermit) {
  const Primitive::Ask ask{.name = stock, .owner = owner, .lease = 30s, .count = 1, .mode = {.permits = 2, .capacity = 7}};
  EXPECT_EQ(words(semaphore.acquire(ask, false)),
            (std::vector<std::string>{"3", "stock", "lockhouse:permits:{stock}", "lockhouse:capacity:{stock}", "30000", "7", "redisson_sc:{stock}", "PUBLISH",
                                      owner.bytes() + ":0", owner.bytes() + ":1"}));
  EXPECT_EQ(words(permits.release(ask, false))[2], "{stock}:timeout");
  EXPECT_EQ(words(permits.renew(ask)).size(), 4 + 1 + 2U);
}

TEST(PermitOwners, ofExpirablePermitsAre16BytesThatLeaveRoomForACount) {
  const auto token = permits.owner("client", 1).value();
  EXPECT_EQ(token.bytes().size(), 16U);
  EXPECT_NE(token, permits.owner("client", 1).value());
  const Primitive::Ask ask{.name = stock, .owner = token, .lease = 30s, .count = 1, .mode = {.permits = 600, .capacity = 600}};
  const auto all = words(permits.acquire(ask, false));
  EXPECT_EQ(std::set<std::string>(all.end() - 600, all.end()).size(), 600U);
  EXPECT_EQ(all[all.size() - 600], token.bytes());
}

TEST(PermitReplies, tellTheRoomThatIsLeft) {
  for (const auto *primitive : {&semaphore, &permits}) {
    const auto granted = primitive->readAcquire(Reply(Reply::Array{number(1), number(3)}));
    EXPECT_EQ(granted.kind, Kind::Granted);
    EXPECT_EQ(granted.room, 3);
    EXPECT_EQ(primitive->readAcquire(Reply(Reply::Array{number(0), number(-1)})).kind, Kind::Refused);
    EXPECT_EQ(primitive->readAcquire(error("ERR the key holds no number of permits")).kind, Kind::Rejected);
    EXPECT_EQ(primitive->readRenew(error("WRONGTYPE x")), RenewAnswer::TakenOver);
    EXPECT_EQ(primitive->readRelease(number(-1)), ReleaseAnswer::NotOwner);
    EXPECT_EQ(primitive->readRelease(number(0)), ReleaseAnswer::Released);
  }
}
