// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/cli/node_failure.h"
#include "core/net/connection/connection.h"

#include <gmock/gmock.h>

namespace lockhouse::ctl {
namespace {

using testing::HasSubstr;
using testing::Not;

NodeStatus node(NodeState state, bool scanned, std::optional<Error> error = {}) {
  NodeStatus status;
  status.address = "h:1";
  status.state = state;
  status.scanComplete = scanned;
  status.error = std::move(error);
  return status;
}

LockSnapshot of(std::vector<NodeStatus> nodes) {
  LockSnapshot snapshot;
  snapshot.nodes = std::move(nodes);
  return snapshot;
}

TEST(NodeFailure, promisesNothingThatAVerbWhichEndsWillNotDo) {
  for (const Message &next :
       {Message(dialledAgain), Message::joined({triedAgain, Message::verbatim("free a client or wait until it has loaded")}), Message(waitForConnection)}) {
    const auto words = forOnce({ErrorCode::Unreachable, Message::verbatim("gone"), "h:1", next}).sentence();
    EXPECT_THAT(words, Not(HasSubstr("it is "))) << words;
    EXPECT_THAT(words, Not(HasSubstr("wait for the connection")));
    EXPECT_THAT(words, testing::MatchesRegex("h:1: gone; .+"));
  }
  EXPECT_EQ(forOnce({ErrorCode::Timeout, Message::verbatim("late"), "h:1", Message::verbatim("check it")}).next.english(), "check it");
}

TEST(NodeFailure, isUnreachableWhateverANodeAnswersInsteadOfItsKeys) {
  EXPECT_EQ(nodeFailure({ErrorCode::Server, Message::verbatim("BUSY"), "h:1", {}}).code, ExitCode::Unreachable);
  EXPECT_EQ(nodeFailure({ErrorCode::Timeout, Message::verbatim("late"), "h:1", {}}).code, ExitCode::Unreachable);
  EXPECT_EQ(nodeFailure({ErrorCode::NotPermitted, Message::verbatim("NOPERM"), "h:1", {}}).code, ExitCode::NotAllowed);
  EXPECT_EQ(nodeFailure({ErrorCode::Usage, Message::verbatim("no such database"), "h:1", {}}).code, ExitCode::Usage);
}

TEST(NodeFailure, knowsWhetherAnyNodeWasLookedAtToTheEnd) {
  const Error busy{ErrorCode::Server, Message::verbatim("BUSY"), "h:1", Message::verbatim("wait")};
  EXPECT_FALSE(noneScanned(of({node(NodeState::Stale, false, busy), node(NodeState::Live, true)})));
  const auto failure = noneScanned(of({node(NodeState::Stale, false, busy), node(NodeState::Connecting, false)}));
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->sentence, "h:1: BUSY; wait");
  const auto silent = noneScanned(of({node(NodeState::Connecting, false)}));
  ASSERT_TRUE(silent);
  EXPECT_EQ(silent->code, ExitCode::Unreachable);
  EXPECT_THAT(silent->sentence, HasSubstr("h:1: no answer"));
  EXPECT_FALSE(allDown(of({node(NodeState::Stale, false, busy)}))) << "it may recover while one watches";
}

TEST(NodeFailure, namesWhatWasLostSinceItWasLookedAt) {
  const Error gone{ErrorCode::Unreachable, Message::verbatim("the connection was lost"), "h:1", dialledAgain};
  const std::vector chosen{node(NodeState::Live, true)};
  const auto seen = asLastSeen(chosen, of({node(NodeState::Down, false, gone)}));
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].state, NodeState::Down);
  EXPECT_TRUE(seen[0].scanComplete) << "what was chosen there was chosen of all of it";
  ASSERT_TRUE(seen[0].error);
  const auto words = lostWords(chosen, seen);
  ASSERT_EQ(words.size(), 1U);
  EXPECT_EQ(words[0], "lost meanwhile: h:1: the connection was lost; check the server, then run this again");
  EXPECT_TRUE(lostWords(chosen, asLastSeen(chosen, of({node(NodeState::Live, true)}))).empty());
  EXPECT_TRUE(lostWords(seen, seen).empty()) << "it was down before";
}

TEST(NodeFailure, saysOfKeysWhyTheyAreNotRead) {
  auto one = node(NodeState::Live, true);
  one.keysRefused = 3;
  const auto told = [&one](Refusals why) {
    one.refusedFor = why;
    return unseenWords({&one, 1}).at(0);
  };
  EXPECT_THAT(told({.rights = true}), HasSubstr("3 of its keys may not be read by this user;"));
  EXPECT_THAT(told({.slotsMove = true}), HasSubstr("3 of its keys cannot be read while the cluster moves their slots (look again when it has);"));
  EXPECT_THAT(told({.clusterDown = true}), HasSubstr("3 of its keys cannot be read while the cluster is down (look again when it serves all of its slots);"));
  EXPECT_THAT(told({true, true, true}), HasSubstr("by this user, or cannot be read while the cluster is down (look again when it serves all of its "
                                                  "slots), or cannot be read while the cluster moves their slots"));
}

TEST(NodeFailure, saysThatSlotsMovedMeanwhile) {
  NodeStatus node;
  node.address = "127.0.0.1:7001";
  node.scanComplete = node.slotsMoved = true;
  EXPECT_THAT(unseenWords(std::span(&node, 1)), testing::ElementsAre(testing::HasSubstr("slots of the cluster moved")));
  ASSERT_TRUE(firstUnswept(std::span(&node, 1)));
  EXPECT_EQ(firstUnswept(std::span(&node, 1))->code, ExitCode::Unreachable);
}

} // namespace
} // namespace lockhouse::ctl
