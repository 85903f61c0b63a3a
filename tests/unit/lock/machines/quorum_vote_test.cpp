// SPDX-License-Identifier: Apache-2.0
#include "core/lock/machines/quorum_vote.h"

#include "tests/unit/lock/manual_time.h"

#include <gtest/gtest.h>

using namespace lockhouse;
using namespace lockhouse::test;

TEST(QuorumVotes, areToldNodeByNode) {
  const std::vector<NodeVote> votes{
      {.node = NodeId("a:1"), .vote = Vote::Granted},
      {.node = NodeId("b:2"), .vote = Vote::Refused, .holder = "3f78", .timeLeft = 290ms},
      {.node = NodeId("c:3"), .vote = Vote::Silent},
      {.node = NodeId("d:4"), .vote = Vote::Unreachable, .why = {ErrorCode::Unreachable, Message::verbatim("connection refused"), "d:4", {}}},
      {.node = NodeId("e:5"), .vote = Vote::InDoubt, .why = {ErrorCode::InDoubt, Message::verbatim("the connection was lost"), "e:5", {}}},
  };
  EXPECT_EQ(votesMessage(votes).english(),
            "a:1: granted; b:2: held by 3f78 for 290 ms yet; c:3: no answer in time, in doubt; d:4: no connection: connection refused; "
            "e:5: in doubt: the connection was lost");
}

TEST(QuorumVotes, holdersBytesAreMadeSafe) {
  const NodeVote vote{.node = NodeId("a"), .vote = Vote::Refused, .holder = std::string("\x1b[31m")};
  EXPECT_EQ(votesMessage(std::span(&vote, 1)).english().find('\x1b'), std::string::npos);
}

TEST(QuorumVotes, nameWhoHoldsMost) {
  const std::vector<NodeVote> votes{
      {.node = NodeId("a"), .vote = Vote::Refused, .holder = "one", .timeLeft = 10ms},
      {.node = NodeId("b"), .vote = Vote::Refused, .holder = "two", .timeLeft = 20ms},
      {.node = NodeId("c"), .vote = Vote::Refused, .holder = "two", .timeLeft = 30ms},
  };
  const auto *leader = leadingRefusal(votes);
  ASSERT_NE(leader, nullptr);
  EXPECT_EQ(leader->holder, "two");
  EXPECT_EQ(leader->timeLeft, 30ms);
  EXPECT_EQ(leadingRefusal({}), nullptr);
}

TEST(Quorum, isMoreThanHalf) {
  EXPECT_EQ(quorumOf(1), 1U);
  EXPECT_EQ(quorumOf(3), 2U);
  EXPECT_EQ(quorumOf(5), 3U);
}

TEST(QuorumVotes, aQuorumIsTheFewestNodesThatOneHolderTooManyCannotHave) {
  for (std::size_t members = 1; members <= mostMembers; ++members)
    for (std::int64_t capacity = 1; capacity <= 40; ++capacity) {
      const auto room = members * static_cast<std::size_t>(capacity); // places at all nodes together
      const auto holders = static_cast<std::size_t>(capacity) + 1;
      const auto quorum = quorumOf(members, capacity);
      EXPECT_GT(holders * quorum, room) << members << " nodes, " << capacity << " permits";
      EXPECT_LE(quorum, members);
      EXPECT_LE(holders * (quorum - 1), room) << "and with one node less they could";
    }
  EXPECT_EQ(quorumOf(5), 3U);
  EXPECT_EQ(quorumOf(5, 2), 4U);
  EXPECT_EQ(quorumOf(5, 4), 5U);
}
