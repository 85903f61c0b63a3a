// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/text/lock_text.h"

#include "tests/unit/watch/records.h"

#include <gmock/gmock.h>

namespace lockhouse::ctl {
namespace {

using test::at;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(LockText, opensWithASentence) {
  auto lock = test::record("redisson-fair", LockKind::Fair, "order", {{test::owner, 2}});
  lock.queue = {{test::other, at(seconds(65))}};
  lock.waiters = 1;
  const auto page = lockPage(lock, at(seconds(0)));
  EXPECT_THAT(page, StartsWith(std::string("order is held by ") + test::owner + ", 2 deep; it expires in 10.0 s; 1 waits.\n"));
  EXPECT_THAT(page, HasSubstr("leaves in 1 min 5 s"));
}

TEST(LockText, showsWhosePlaceHasLapsedAsLapsed) {
  auto lock = test::record("redisson-fair", LockKind::Fair, "order", {{test::owner, 1}});
  lock.queue = {{test::other, at(seconds(-65))}, {"next", at(seconds(5))}};
  lock.waiters = 1;
  lock.moreMayWait = true;
  const auto page = lockPage(lock, at(seconds(0)));
  EXPECT_THAT(page, HasSubstr("; at least 1 waits.\n"));
  EXPECT_THAT(page, HasSubstr(std::string("lapsed      ") + test::other + "  left 1 min 5 s ago\n"));
  EXPECT_THAT(page, HasSubstr("waits       next  leaves in 5.0 s\n"));
  EXPECT_THAT(page, Not(HasSubstr("more")));
  lock.waiters = 5;
  EXPECT_THAT(lockPage(lock, at(seconds(0))), HasSubstr("waits       and 4 more\n"));
}

TEST(LockText, saysWhoAloneMayTakeAFreeFairLock) {
  auto lock = test::record("redisson-fair", LockKind::Fair, "order", {});
  lock.queue = {{"lapsed", at(seconds(-1))}, {test::other, at(seconds(65))}};
  lock.waiters = 1;
  lock.moreMayWait = true;
  EXPECT_THAT(
      lockPage(lock, at(seconds(0))),
      StartsWith(std::string("order is free; at least 1 waits for it.\n") + test::other +
                 " alone may take it, until its place in the queue lapses: where its client is gone, take it out of redisson_lock_queue:{order} (LREM)"));
  lock.queue.pop_back();
  lock.waiters = 0;
  lock.moreMayWait = false;
  EXPECT_THAT(lockPage(lock, at(seconds(0))), StartsWith("order is free; 0 wait for it.\n\n"));
}

TEST(LockText, saysWhatIsNotKnown) {
  auto lock = test::record("token", LockKind::Mutex, "t", {{"token", 1}});
  lock.expiresAt.reset();
  EXPECT_THAT(lockPage(lock, at(seconds(0))), StartsWith("t is held by token, once; it never expires; who waits is not known.\n"));
  lock.holders.clear();
  lock.waiters = 3;
  EXPECT_THAT(lockPage(lock, at(seconds(0))), StartsWith("t is free; 3 wait for it.\n"));
}

TEST(LockText, showsANumberThatIsNobody) {
  auto lock = test::record("redisson-semaphore", LockKind::Semaphore, "pool", {});
  lock.number = 7;
  lock.waiters = 2;
  lock.moreMayWait = true;
  EXPECT_THAT(lockPage(lock, at(seconds(0))), StartsWith("pool has 7 free permits, and nothing tells who holds the others; at least 2 wait.\n"));
  const std::vector<LockRecordPtr> locks{std::make_shared<LockRecord>(lock)};
  EXPECT_THAT(locksText(locks, at(seconds(0)), false), testing::ContainsRegex(" - +7 +- +2\\+\n"));
  lock.kind = LockKind::Latch;
  EXPECT_THAT(lockPage(lock, at(seconds(0))), StartsWith("pool has 7 to count down; at least 2 wait for it.\n"));
}

TEST(LockText, callsWhatWasNotReadHoldsForOneHolderMayHaveManyOfThem) {
  auto lock = test::record("redisson-semaphore", LockKind::Semaphore, "permits", {{"one", 1}, {"two", 1}});
  EXPECT_EQ(holderWords(lock), "one and 1 more");
  EXPECT_THAT(lockPage(lock, at(seconds(0))), StartsWith("permits is held by 2 holders, one first; "));
  lock.unread = 1'000;
  EXPECT_EQ(holderWords(lock), "one and at most 1001 more holds");
  EXPECT_THAT(lockPage(lock, at(seconds(0))), StartsWith("permits is held by at most 1002 holds, one first; "));
}

TEST(LockText, showsTheEmptyKey) {
  const auto lock = test::record("token", LockKind::Mutex, "", {{"token", 1}});
  EXPECT_THAT(lockPage(lock, at(seconds(0))), StartsWith("\"\" is held by token"));
}

TEST(LockText, escapesWhatComesFromOutside) {
  auto lock = test::record("token", LockKind::Mutex, "lock:\x1b[31mred\n", {{"\x1b[2J\xff", 1}});
  const std::vector<LockRecordPtr> locks{std::make_shared<LockRecord>(lock)};
  for (const auto &text : {locksText(locks, at(seconds(0)), false), lockPage(lock, at(seconds(0)))})
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(locksText(locks, at(seconds(0)), false), HasSubstr("lock:\\x1b[31mred\\n"));
}

TEST(LockText, boundsTheLengthOfNames) {
  const std::vector<LockRecordPtr> locks{std::make_shared<LockRecord>(test::record("token", LockKind::Mutex, std::string(100'000, 'k'), {{"t", 1}}))};
  EXPECT_LT(locksText(locks, at(seconds(0)), false).size(), 600U);
}

TEST(LockText, saysWhyANodeIsDown) {
  NodeStatus node;
  node.id = NodeId("127.0.0.1:1");
  node.state = NodeState::Down;
  node.error = Error{ErrorCode::Unreachable, Message::verbatim("connection refused"), "127.0.0.1:1", Message::verbatim("start the server")};
  EXPECT_THAT(nodeLine(node), HasSubstr("down: 127.0.0.1:1: connection refused"));
}

} // namespace
} // namespace lockhouse::ctl
