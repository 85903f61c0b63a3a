// SPDX-License-Identifier: Apache-2.0
// What FairReadWriteLock says to the server as its owners change, and what the answers of the locks with a line mean.
#include "core/lock/primitives/primitive.h"
#include "tests/unit/lock/manual_time.h"

#include <gtest/gtest.h>

using namespace lockhouse;
using namespace lockhouse::test;

namespace {

using Kind = AcquireAnswer::Kind;

const Primitive &readWrite = *Primitive::find("FairReadWriteLock");
const LockName stock("stock");
const LockToken owner("5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:42");

Primitive::Ask ask(std::int64_t upgrades, bool reads, bool upgrading = false) {
  return {.name = stock,
          .owner = owner,
          .lease = 30s,
          .count = 1,
          .mode = {.shared = reads},
          .upgrades = upgrades,
          .settledUpgrades = std::max<std::int64_t>(upgrades - 1, 0),
          .upgrading = upgrading};
}
/// The arguments behind the four keys.
std::vector<std::string> arguments(const Command &command) {
  std::vector<std::string> all;
  for (std::size_t i = 7; i < command.size(); ++i)
    all.emplace_back(command[i]);
  return all;
}
Reply number(std::int64_t value) { return Reply(value); }
Reply text(const char *value) { return Reply(std::string(value)); }

} // namespace

TEST(SharedLockCommands, haveTheSameFourKeysEach) {
  for (const auto &command : {readWrite.acquire(ask(0, true), false), readWrite.acquire(ask(1, true, true), false), readWrite.renew(ask(0, true)),
                              readWrite.release(ask(1, true), false)}) {
    EXPECT_EQ(command[2], "4");
    EXPECT_EQ(command[3], "stock");
    EXPECT_EQ(command[4], "lockhouse:queue:{stock}");
  }
}

TEST(SharedLockCommands, renewTheHolderAsWhatHeIsByNow) {
  EXPECT_EQ(arguments(readWrite.renew(ask(0, true))), (std::vector<std::string>{owner.bytes(), "30000", "r", "0", "0"}));
  EXPECT_EQ(arguments(readWrite.renew(ask(0, false))), (std::vector<std::string>{owner.bytes(), "30000", "w", "0", "0"}));
  EXPECT_EQ(arguments(readWrite.renew(ask(1, true, true))), (std::vector<std::string>{owner.bytes(), "30000", "u", "0", "1"}));
  EXPECT_EQ(arguments(readWrite.renew(ask(12, false))), (std::vector<std::string>{owner.bytes(), "30000", "w", "11", "12"}));
}

TEST(SharedLockCommands, tellTheNumberOfAnUpgradeAndTakeItBackByAReadersRenewal) {
  auto wish = ask(2, true, true);
  wish.waits = true;
  EXPECT_EQ(arguments(readWrite.acquire(wish, false)),
            (std::vector<std::string>{owner.bytes(), "30000", "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", "1", "1", "1", "2"}));
  EXPECT_EQ(arguments(readWrite.release(ask(2, true), false)), (std::vector<std::string>{owner.bytes(), "30000", "r", "1", "2"}));
  auto last = ask(2, false);
  last.count = 0;
  EXPECT_EQ(arguments(readWrite.release(last, false)), (std::vector<std::string>{owner.bytes(), "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", "w", "1", "2"}));
}

TEST(SharedLockAnswers, tellOfAnotherReaderWhoIsBecomingTheWriterAndOfALostHold) {
  const auto answer = readWrite.readAcquire(Reply(Reply::Array{number(-1), text("other:7")}));
  EXPECT_EQ(answer.kind, Kind::Deadlock);
  EXPECT_EQ(answer.holder, "other:7");
  EXPECT_EQ(readWrite.readAcquire(number(0)).kind, Kind::HoldLost);
  EXPECT_EQ(readWrite.readAcquire(Reply(Reply::Array{number(-1), text("x"), number(0)})).kind, Kind::Rejected);
}

TEST(SharedLockAnswers, nameTheHolderWithoutWhatHeIs) {
  for (const auto *member : {"r/other:7", "w/other:7", "w12/other:7"}) {
    const auto answer = readWrite.readAcquire(Reply(Reply::Array{number(0), number(70), text(member), number(1), number(1), text("99")}));
    EXPECT_EQ(answer.kind, Kind::Refused);
    EXPECT_EQ(answer.holder, "other:7") << member;
  }
}

TEST(LineAnswers, meanTheSameForEveryLockWithALineAtTheServer) {
  for (const auto *name : {"FairReadWriteLock", "LeasedSemaphore", "HandoffLock", "ListFairLock", "ZsetFairLock"}) {
    SCOPED_TRACE(name);
    const auto &lock = *Primitive::find(name);
    EXPECT_EQ(lock.readAcquire(Reply(Reply::Array{number(1), text("77")})).kind, Kind::Granted);
    const auto placed = lock.readAcquire(Reply(Reply::Array{number(0), number(1200), text("other:7"), number(1), number(1)}));
    EXPECT_EQ(placed.kind, Kind::Refused);
    EXPECT_EQ(placed.timeLeft, 1200ms);
    EXPECT_TRUE(placed.holder);
    EXPECT_TRUE(placed.queued && placed.newPlace && placed.refreshed);
    const auto stands = lock.readAcquire(Reply(Reply::Array{number(0), number(-1), text(""), number(0), number(0)}));
    EXPECT_TRUE(stands.queued);
    EXPECT_FALSE(stands.newPlace || stands.refreshed || stands.timeLeft || stands.holder);
    EXPECT_FALSE(lock.readAcquire(Reply(Reply::Array{number(0), number(-1), text(""), number(-1)})).queued);
    for (const auto &strange : {Reply(Reply::Array{}), Reply(Reply::Array{number(0)}), Reply(Reply::Array{number(0), number(1), text("x")}),
                                Reply(Reply::Array{number(2), number(1), text("x"), number(0)}), Reply(Reply::Array{text("1"), text("x")}), text("1")})
      EXPECT_EQ(lock.readAcquire(strange).kind, Kind::Rejected);
    EXPECT_EQ(lock.readAcquire(Reply(Reply::Failure{"LOADING x"})).kind, Kind::Busy);
  }
}

TEST(LineAnswers, giveTheFenceOfAHandoffLocksHolderApart) {
  const auto &handoff = *Primitive::find("HandoffLock");
  const auto answer = handoff.readAcquire(Reply(Reply::Array{number(0), number(70), text("client:7:1234"), number(0), number(0)}));
  EXPECT_EQ(answer.holder, "client:7");
  EXPECT_EQ(answer.fence, Fence{1234});
  const auto foreign = handoff.readAcquire(Reply(Reply::Array{number(0), number(70), text("somebody"), number(0), number(0)}));
  EXPECT_EQ(foreign.holder, "somebody");
  EXPECT_FALSE(foreign.fence);
}
