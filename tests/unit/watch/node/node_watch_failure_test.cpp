// SPDX-License-Identifier: Apache-2.0
// Every way in which a NodeWatcher can come to doubt what it shows.
#include "tests/unit/watch/desk.h"

#include <gmock/gmock.h>

namespace lockhouse::test {
namespace {

using testing::HasSubstr;

const Error lost{ErrorCode::Unreachable, Message::verbatim("the connection was lost"), "node:1", {}};

struct Doubt : testing::Test {
  Desk desk;
  Doubt() {
    desk.string("lock:a", hex32, seconds(60));
    desk.connect();
    desk.story();
  }
  void reconnect() {
    desk.pass(seconds(1));
    desk.serve();
    desk.pass(seconds(1));
    desk.event(watching::FeedUp{});
    desk.serve();
  }
};

TEST_F(Doubt, aLostFeedMakesEveryRowStaleUntilItIsReadAgain) {
  desk.event(watching::FeedDown{lost});
  EXPECT_EQ(desk.story(), "stale lock:a");
  EXPECT_EQ(desk.status().state, NodeState::Stale);
  EXPECT_EQ(desk.status().staleSince, desk.now());
  EXPECT_EQ(stateAt(*desk.lock("lock:a"), desk.now()), LockState::Stale);
  reconnect();
  EXPECT_EQ(desk.story(), "live lock:a");
  EXPECT_EQ(desk.status().state, NodeState::Live);
}

TEST_F(Doubt, whatHappenedMeanwhileIsToldAsDifference) {
  desk.event(watching::CommandsDown{lost});
  EXPECT_EQ(desk.status().state, NodeState::Down);
  EXPECT_EQ(desk.story(), "stale lock:a");
  desk.clear();
  desk.string("lock:b", hex32, seconds(60));
  desk.event(watching::CommandsUp{});
  reconnect();
  EXPECT_THAT(desk.story(), testing::AllOf(HasSubstr("vanished lock:a"), HasSubstr("appeared lock:b")));
}

TEST_F(Doubt, whatWasRefusedIsAskedForAgainOnANewConnection) {
  desk.refused.insert("MEMORY");
  desk.hash("stock", {{owner1, "1"}});
  desk.hint({"stock"});
  desk.serve();
  ASSERT_TRUE(desk.lock("stock")) << "without its weight too";
  desk.refused.clear();
  desk.served.clear();
  desk.event(watching::CommandsDown{lost});
  desk.hash("other", {{owner1, "1"}});
  desk.event(watching::CommandsUp{});
  reconnect();
  EXPECT_GT(desk.served["MEMORY"], 0U);
}

TEST_F(Doubt, answersOfADeadEpochChangeNothing) {
  desk.remove("lock:a");
  desk.hint({"lock:a"});
  ASSERT_GT(desk.pending(), 0U);
  desk.event(watching::FeedDown{lost});
  desk.story();
  desk.serve();
  EXPECT_NE(desk.lock("lock:a"), nullptr) << "read before the feed was back: proves nothing";
}

TEST_F(Doubt, aPongThatDoesNotComeEndsTheEpoch) {
  ASSERT_TRUE(desk.ping);
  desk.pass(milliseconds(2999));
  desk.serve();
  EXPECT_EQ(desk.status().state, NodeState::Live);
  desk.pass(milliseconds(2));
  EXPECT_EQ(desk.status().state, NodeState::Stale);
  EXPECT_EQ(desk.story(), "stale lock:a");
  EXPECT_EQ(desk.feedsClosed, 1U);
}

TEST_F(Doubt, anotherRunIdEndsTheEpoch) {
  desk.runId = "run-2";
  desk.pass(milliseconds(1001));
  desk.serve();
  EXPECT_EQ(desk.status().state, NodeState::Stale);
  EXPECT_THAT(desk.status().error->what.english(), HasSubstr("another server"));
}

TEST_F(Doubt, aPromotedReplicaAndARestartedMasterKeepTheirOrigin) {
  const auto becomes = [this](const std::string &role, const std::string &replication) {
    desk.info = "role:" + role + "\r\nmaster_replid:" + replication + "\r\n";
    desk.connect();
    EXPECT_EQ(desk.status().replicationId, replication);
    return desk.status().formerReplicationId;
  };
  EXPECT_EQ(becomes("slave", "one"), "");
  EXPECT_EQ(becomes("master", "two"), "one");
  EXPECT_EQ(becomes("master", "three"), "two");
  EXPECT_EQ(becomes("slave", "four"), "");
}

TEST_F(Doubt, aFlushIsReadAndNamed) {
  desk.clear();
  desk.event(watching::AllInvalidated{});
  desk.serve();
  EXPECT_EQ(desk.story(), "vanished lock:a (flushed)");
  EXPECT_EQ(desk.status().state, NodeState::Live);
  EXPECT_EQ(desk.status().divergences, 0U);
}

TEST_F(Doubt, aFlushThatASweepMetBeforeTheWordOfItIsNoDivergence) {
  const auto heartbeat = [&] {
    desk.pong();
    desk.pass(milliseconds(1));
    desk.pong();
    desk.pass(milliseconds(999));
  };
  for (int second = 0; second < 29; ++second) {
    heartbeat();
    desk.serve();
  }
  desk.clear();
  for (int step = 0; step < 5; ++step) { // the next sweep sets out
    desk.pass(milliseconds(500));
    desk.serve();
  }
  EXPECT_EQ(desk.story(), "vanished lock:a");
  desk.event(watching::AllInvalidated{});
  desk.serve();
  for (int second = 0; second < 3; ++second) {
    heartbeat();
    desk.serve();
  }
  EXPECT_EQ(desk.status().divergences, 0U);
}

TEST_F(Doubt, aFlushOfAnotherDatabaseChangesNothing) {
  desk.event(watching::AllInvalidated{});
  desk.serve();
  EXPECT_EQ(desk.story(), "");
}

TEST_F(Doubt, dataThatChangesInSilenceIsReadAgain) {
  desk.clear(); // as SWAPDB would
  ++desk.readQueue;
  for (int beat = 0; beat < 3; ++beat) {
    desk.pass(milliseconds(1000));
    desk.serve();
    desk.pong();
  }
  EXPECT_THAT(desk.story(), HasSubstr("vanished lock:a"));
}

TEST_F(Doubt, moreHintsThanMemoryIsGivenToMakesTheMirrorAnew) {
  const std::string longName(1024 * 1024, 'x');
  for (int i = 0; i < 40 && desk.status().state == NodeState::Live; ++i)
    desk.hint({longName + std::to_string(i)});
  EXPECT_EQ(desk.status().state, NodeState::Stale);
  EXPECT_THAT(desk.status().error->what.english(), HasSubstr("faster than they can be read"));
}

TEST_F(Doubt, aServerThatLoadsItsDataIsWaitedFor) {
  desk.event(watching::CommandsDown{lost});
  desk.info = "loading:1\r\n";
  desk.event(watching::CommandsUp{});
  desk.serve();
  EXPECT_EQ(desk.status().state, NodeState::Stale);
  EXPECT_THAT(desk.status().error->what.english(), HasSubstr("reading its data"));
  desk.info.clear();
  reconnect();
  EXPECT_EQ(desk.status().state, NodeState::Live);
}

TEST_F(Doubt, aReadWhileTheNodeIsDownIsAnsweredAtOnce) {
  desk.event(watching::CommandsDown{lost});
  desk.event(watching::ReadWanted{LockName("lock:a"), 3});
  ASSERT_EQ(desk.readsDone.size(), 1U);
  EXPECT_EQ(desk.readsDone[0].record.error().code, ErrorCode::Unreachable);
}

TEST_F(Doubt, everyEventIsLegalInEveryState) {
  const auto all = [&] {
    desk.event(watching::Answered{0xffff'ffff'ffff'ffffU, Reply()});
    desk.event(watching::Answered{tagOf(AskedBy::Reads, 12345 << 8), Reply()});
    desk.event(watching::Answered{tagOf(AskedBy::KeyspaceScan, 99), Reply()});
    desk.event(watching::FeedPong{77});
    desk.event(watching::FeedSubscribed{});
    desk.event(watching::AllInvalidated{});
    desk.event(watching::KeyEvent{"del", "x"});
    desk.event(watching::Tick{});
    desk.event(watching::FeedDown{lost});
    desk.event(watching::FeedUp{});
    desk.event(watching::CommandsDown{lost});
    desk.event(watching::CommandsUp{});
  };
  for (int i = 0; i < 20; ++i) {
    all();
    for (int answers = 0; answers < i; ++answers)
      desk.answerOne();
    desk.pass(milliseconds(170));
  }
  desk.serve();
  reconnect();
  EXPECT_EQ(desk.status().state, NodeState::Live);
}

struct Poorer : testing::Test {
  Desk desk;
  const Error refused{ErrorCode::NotPermitted, Message::verbatim("CLIENT TRACKING is refused"), "node:1", {}};
  void upWithoutTracking() {
    desk.event(watching::CommandsUp{});
    desk.serve();
    desk.event(watching::FeedUp{refused});
  }
};

TEST_F(Poorer, withoutTrackingKeyspaceEventsAreTaken) {
  desk.flags = words({"notify-keyspace-events", "AKE"});
  upWithoutTracking();
  EXPECT_EQ(desk.subscribedAll, 1U);
  desk.event(watching::FeedSubscribed{});
  desk.serve();
  EXPECT_EQ(desk.status().feed, FeedKind::Keyspace);
  EXPECT_EQ(desk.status().state, NodeState::Live);
  EXPECT_EQ(desk.status().error->what.english(), refused.what.english());
  desk.string("lock:a", hex32, seconds(20));
  desk.event(watching::KeyEvent{"set", "lock:a"});
  desk.serve();
  EXPECT_EQ(desk.story(), "appeared lock:a");
}

TEST_F(Poorer, notificationsWhoseFlagsAreNotToldMeanPolling) {
  desk.flags = failure("NOPERM this user has no permissions to run the 'config|get' command");
  upWithoutTracking();
  desk.event(watching::FeedSubscribed{});
  desk.serve();
  EXPECT_EQ(desk.status().feed, FeedKind::Poll);
  EXPECT_EQ(desk.status().state, NodeState::Live);
  EXPECT_FALSE(desk.status().exactAsOf);
}

TEST_F(Poorer, notificationsThatAreOffMeanPolling) {
  desk.flags = words({"notify-keyspace-events", ""});
  upWithoutTracking();
  desk.event(watching::FeedSubscribed{});
  desk.serve();
  EXPECT_EQ(desk.status().feed, FeedKind::Poll);
  EXPECT_THAT(desk.status().error->what.english(), HasSubstr("notifications are off"));
}

TEST_F(Poorer, withoutSubscriptionsTheServerIsPolledEverySecond) {
  upWithoutTracking();
  desk.event(watching::FeedSubscribed{std::unexpected(refused)});
  desk.serve();
  EXPECT_EQ(desk.status().feed, FeedKind::Poll);
  EXPECT_EQ(desk.status().state, NodeState::Live);
  desk.string("lock:a", hex32, seconds(20));
  desk.pass(milliseconds(1001));
  desk.serve();
  EXPECT_EQ(desk.story(), "appeared lock:a");
  desk.remove("lock:a");
  for (int i = 0; i < 3; ++i) {
    desk.pass(milliseconds(600));
    desk.serve();
  }
  EXPECT_THAT(desk.story(), HasSubstr("vanished lock:a"));
  EXPECT_FALSE(desk.status().exactAsOf) << "polling proves nothing";
}

TEST_F(Poorer, notificationsSwitchedOffWhileWatchingAreNoticed) {
  desk.flags = words({"notify-keyspace-events", "AKE"});
  upWithoutTracking();
  desk.event(watching::FeedSubscribed{});
  desk.serve();
  ASSERT_EQ(desk.status().feed, FeedKind::Keyspace);
  for (int beat = 0; beat < 6; ++beat) { // data changes, nobody says so
    ++desk.readQueue;
    desk.pass(milliseconds(1000));
    desk.serve();
    desk.pong();
  }
  EXPECT_EQ(desk.status().feed, FeedKind::Poll);
  EXPECT_THAT(desk.status().error->what.english(), HasSubstr("silent"));
}

TEST_F(Poorer, withoutASecondConnectionTheServerIsPolled) {
  desk.event(watching::CommandsUp{});
  desk.serve();
  for (int i = 0; i < 3; ++i) {
    desk.event(watching::FeedDown{lost});
    desk.pass(seconds(6));
  }
  desk.serve();
  EXPECT_EQ(desk.status().feed, FeedKind::Poll);
  EXPECT_EQ(desk.status().state, NodeState::Live);
  desk.pass(seconds(11));
  desk.event(watching::FeedUp{});
  desk.serve();
  EXPECT_EQ(desk.status().feed, FeedKind::Tracking) << "a better feed is taken when it comes";
}

TEST_F(Poorer, keysThatMayNotBeReadAreSkipped) {
  desk.string("secret:1", hex32);
  desk.string("lock:a", hex32);
  desk.refusedKeys.insert("secret:1");
  desk.refused = {"HRANDFIELD", "TIME", "CONFIG"};
  desk.hash("lock:r", {{owner1, "1"}});
  desk.connect();
  EXPECT_EQ(desk.status().state, NodeState::Live);
  EXPECT_EQ(desk.watch.cache().size(), 2U);
}

TEST_F(Poorer, aLockThatMovesToAnotherMasterIsNoneHereAnyMore) {
  for (const auto *key : {"lock:a", "lock:b"}) {
    desk.string(key, hex32, seconds(60));
  }
  desk.hash("lock:r", {{owner1, "1"}}, seconds(60));
  desk.connect();
  desk.story();
  desk.movedKeys = {"lock:a", "lock:r"};
  desk.refusedKeys = {"lock:b"};
  desk.hint({"lock:a", "lock:b", "lock:r"});
  desk.serve();
  EXPECT_FALSE(desk.lock("lock:a"));
  EXPECT_FALSE(desk.lock("lock:r"));
  ASSERT_TRUE(desk.lock("lock:b"));
  EXPECT_TRUE(desk.lock("lock:b")->staleSince) << "what it is now may not be known";
  EXPECT_THAT(desk.story(), testing::HasSubstr("vanished lock:a"));
}

TEST_F(Poorer, aUserWhoMayNotScanIsTold) {
  desk.refused = {"SCAN"};
  desk.connect();
  EXPECT_EQ(desk.status().state, NodeState::Down);
  EXPECT_EQ(desk.status().error->code, ErrorCode::NotPermitted);
}

TEST_F(Poorer, withoutInfoTheRestStillWorks) {
  desk.refused = {"INFO"};
  desk.string("lock:a", hex32);
  desk.connect();
  EXPECT_EQ(desk.status().state, NodeState::Live);
  EXPECT_EQ(desk.status().role, "");
}

TEST(Divergence, whatOnlyASweepFindsIsCountedAfterTheNextBarrier) {
  Desk desk;
  desk.connect();
  desk.string("lock:silent", hex32); // no hint
  desk.pass(milliseconds(100));
  for (int second = 0; second < 34; ++second) {
    desk.pong();
    desk.pass(milliseconds(1));
    desk.pong();
    desk.pass(milliseconds(999));
    desk.serve();
  }
  EXPECT_EQ(desk.story(), "appeared lock:silent");
  EXPECT_EQ(desk.status().divergences, 1U);
}

} // namespace
} // namespace lockhouse::test
