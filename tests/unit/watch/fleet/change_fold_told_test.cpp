// SPDX-License-Identifier: Apache-2.0
// What one event of a lock on several masters says: why, when, and what became of its lease.
#include "tests/unit/watch/changes_fold.h"

#include <algorithm>

namespace lockhouse::test {
namespace {

TEST_F(ChangesFold, tellsALeaseThatIsCutFromOneThatIsRenewed) {
  masters(3);
  setAll("redlock:a");
  told();
  setAll("redlock:a", 4s);
  EXPECT_EQ(told(), "shortened redlock:a 3/3");
  EXPECT_TRUE(last.after->isShortened);
  setAll("redlock:a");
  EXPECT_EQ(told(), "lease redlock:a 3/3");
  EXPECT_FALSE(last.after->isShortened);
}

TEST_F(ChangesFold, isNeverToldOfATimeBeforeThatOfTheLast) {
  masters(3);
  setAll("redlock:a");
  told();
  remove(0, "redlock:a"); // which waits for the others
  desks[1]->pass(30ms);
  set(1, "plain:lock", "x");
  pass(ChangeMerge::patience);
  told();
  EXPECT_GE(times.size(), 3U);
  EXPECT_TRUE(std::ranges::is_sorted(times));
}

// A master that stood still meanwhile answers when nobody remembers that its key was to be released, too.
TEST_F(ChangesFold, remembersWhyTheOtherMastersLetGo) {
  masters(3);
  setAll("redlock:a");
  told();
  for (std::size_t i = 0; i < 2; ++i)
    desks[i]->event(watching::ReleaseExpected{{LockName("redlock:a")}});
  remove(0, "redlock:a");
  remove(1, "redlock:a");
  pass(ChangeMerge::patience);
  EXPECT_EQ(told(), "members redlock:a 1/3");
  EXPECT_EQ(last.cause, ChangeCause::Released);
  EXPECT_EQ(last.before->id.node, NodeId("a"));
  EXPECT_EQ(last.id.node, NodeId("c"));
  remove(2, "redlock:a");
  EXPECT_EQ(told(), "vanished redlock:a");
  EXPECT_EQ(last.cause, ChangeCause::Released);
}

TEST_F(ChangesFold, saysWhyThoseLetGoThatAreFollowedStill) {
  masters(3);
  setAll("redlock:a");
  told();
  desks[2]->event(watching::FeedDown{{ErrorCode::Unreachable, Message::verbatim("it stands still"), {}, {}}});
  hear(2);
  told();
  for (std::size_t i = 0; i < 2; ++i)
    desks[i]->event(watching::ReleaseExpected{{LockName("redlock:a")}});
  remove(0, "redlock:a");
  remove(1, "redlock:a");
  pass(ChangeMerge::patience);
  told();
  EXPECT_EQ(last.before->id.node, NodeId("a"));
  ASSERT_TRUE(last.after);
  EXPECT_EQ(last.id.node, NodeId("c"));
  EXPECT_EQ(last.cause, ChangeCause::Released);
}

// Of two masters neither of whom has a majority each row was told by itself; whoever goes by the last word of a place must not take the lock for gone.
TEST_F(ChangesFold, tellsWhoLostItBeforeItSaysWhoHasItWhereTwoRowsBecomeOne) {
  for (const std::size_t first : {0U, 1U}) {
    desks.clear(), nodes.clear();
    masters(2);
    merge = ChangeMerge();
    lastSeq = 0;
    set(0, "lock:a", std::string(32, '1'));
    set(1, "lock:a", std::string(32, '2'));
    pass(ChangeMerge::patience);
    told();
    for (const auto desk : {first, 1 - first})
      set(desk, "lock:a", std::string(32, '3'));
    pass(ChangeMerge::patience);
    EXPECT_THAT(told(), testing::EndsWith("vanished lock:a, members lock:a 2/2")) << first;
    ASSERT_TRUE(last.after);
    EXPECT_EQ(last.after->holders.front().id, std::string(32, '3'));
  }
}

} // namespace
} // namespace lockhouse::test
