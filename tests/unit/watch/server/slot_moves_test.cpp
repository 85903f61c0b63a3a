// SPDX-License-Identifier: Apache-2.0
#include "core/watch/server/slot_moves.h"

#include <gtest/gtest.h>

namespace lockhouse {
namespace {

Reply nodes(const std::string &slots) {
  return Reply("07c3 127.0.0.1:30004@31004 slave e7d1 0 1426238317239 4 connected\n"
               "e7d1 127.0.0.1:30001@31001,host myself,master - 0 0 1 connected" +
               slots + "\n67ed 127.0.0.1:30002@31002 master - 0 1426238316232 2 connected 5461-10922\n");
}

bool haveMoved(const std::string &before, const std::string &after) {
  SlotMoves moves;
  EXPECT_TRUE(moves.begin());
  moves.take(nodes(before));
  EXPECT_FALSE(moves.isAsking());
  EXPECT_TRUE(moves.end());
  EXPECT_TRUE(moves.isAsking());
  moves.take(nodes(after));
  EXPECT_FALSE(moves.isAsking());
  EXPECT_TRUE(moves.areKnown());
  EXPECT_FALSE(moves.end()) << "once a sweep";
  return moves.haveMoved();
}

TEST(SlotMoves, areSeenByWhatAMasterTellsOfItselfBeforeAndAfter) {
  EXPECT_FALSE(haveMoved(" 0-5460", " 0-5460"));
  EXPECT_FALSE(haveMoved("", "")) << "a master without slots";
  EXPECT_TRUE(haveMoved(" 0-5460", " 1-5460"));
  EXPECT_TRUE(haveMoved(" 0-5460", " 0-5460 5461"));
  EXPECT_TRUE(haveMoved(" 0-5460 [93->-67ed]", " 0-5460 [93->-67ed]")) << "its keys are on their way";
}

TEST(SlotMoves, areNotKnownWhereAnAnswerIsAnError) {
  SlotMoves moves;
  EXPECT_TRUE(moves.begin());
  moves.take(nodes(" 0-5460"));
  EXPECT_TRUE(moves.end());
  moves.take(Reply(Reply::Failure{"BUSY Redis is busy running a script"}));
  EXPECT_FALSE(moves.haveMoved());
  EXPECT_FALSE(moves.areKnown());
  EXPECT_TRUE(moves.begin()) << "later it may answer";
}

TEST(SlotMoves, areNotAskedForAgainWhereThisUserMayNot) {
  SlotMoves moves;
  EXPECT_TRUE(moves.begin());
  moves.take(Reply(Reply::Failure{"NOPERM this user has no permissions to run the 'cluster|nodes' command"}));
  EXPECT_TRUE(moves.end());
  moves.take(Reply(Reply::Failure{"NOPERM this user has no permissions to run the 'cluster|nodes' command"}));
  EXPECT_FALSE(moves.haveMoved());
  EXPECT_FALSE(moves.begin());
  EXPECT_FALSE(moves.end());
}

} // namespace
} // namespace lockhouse
