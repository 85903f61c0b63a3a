// SPDX-License-Identifier: Apache-2.0
#include "core/client/api/lock_handle.h"

#include <gtest/gtest.h>

using namespace lockhouse;
using namespace std::chrono_literals;

namespace {

std::string sentence(AcquireOutcome outcome, const char *lock = "order:7") { return NotAcquired{std::move(outcome), LockName(lock)}.sentence(); }

} // namespace

TEST(NotAcquired, saysWhichLockAndWhichCaseAndWho) {
  EXPECT_EQ(sentence(Contended{"tok", 1200ms}), "lock order:7: it is held by tok, for 1200 ms yet unless renewed");
  EXPECT_EQ(sentence(Contended{}), "lock order:7: somebody else holds it");
  EXPECT_EQ(sentence(TimedOut{"tok"}), "lock order:7: not acquired within the wait limit; it is held by tok");
  EXPECT_EQ(sentence(Contended{"tok", 1200ms, 300ms}), "lock order:7: it is held by tok, first seen so 300 ms ago, for 1200 ms yet unless renewed");
  EXPECT_EQ(sentence(Contended{"tok", 1200ms, 0ms}), sentence(Contended{"tok", 1200ms})) << "it was seen just now";
  EXPECT_EQ(sentence(TimedOut{"tok", 5s}), "lock order:7: not acquired within the wait limit; it is held by tok, first seen so 5000 ms ago");
  const Error silent{ErrorCode::Timeout, Message::verbatim("the node has not answered"), "127.0.0.1:1", {}};
  EXPECT_EQ(sentence(TimedOut{.unanswered = silent}), "lock order:7: not acquired within the wait limit; " + silent.sentence()) << "nobody is known to have it";
  EXPECT_EQ(sentence(Cancelled{}), "lock order:7: the acquire was cancelled");
}

TEST(NotAcquired, carriesTheErrorOfAFailure) {
  const Error error{ErrorCode::Unreachable, Message::verbatim("connection refused"), "127.0.0.1:1", Message::verbatim("start the server")};
  EXPECT_NE(sentence(Failed{error}).find(error.sentence()), std::string::npos);
  EXPECT_NE(sentence(InDoubt{error}).find("given back"), std::string::npos);
}

TEST(NotAcquired, showsHostileBytesHarmlessly) {
  const auto shown = sentence(Contended{"\x1b[31mred\xff", {}}, "lock:\x07\n");
  for (const char c : shown)
    EXPECT_TRUE(c >= ' ' && c <= '~') << shown;
}

TEST(LockHandle, thatHoldsNothingIsSafeToUse) {
  LockHandle none;
  EXPECT_FALSE(none.isHeld());
  EXPECT_FALSE(none);
  EXPECT_EQ(none.count(), 0);
  EXPECT_EQ(none.release(), ReleaseOutcome::NotOwner);
  EXPECT_FALSE(none.lossReason());
  EXPECT_FALSE(none.stopToken().stop_requested());
  EXPECT_TRUE(none.token().empty());
  EXPECT_TRUE(std::holds_alternative<Failed>(none.acquireAgain()));
  const LockHandle moved = std::move(none);
  EXPECT_FALSE(moved.isHeld());
}
