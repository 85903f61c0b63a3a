// SPDX-License-Identifier: Apache-2.0
// What a NodeWatcher shows while nothing fails.
#include "tests/unit/watch/desk.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace lockhouse::test {
namespace {

using testing::HasSubstr;

TEST(NodeWatcher, findsWhatIsThereAndIsLive) {
  Desk desk;
  desk.string("lock:a", hex32, seconds(20));
  desk.string("session:1", "{\"user\":1}");
  desk.hash("stock", {{owner1, "3"}}, seconds(30));
  desk.hash("user:1", {{"name", "Alice"}, {"age", "30"}});
  desk.list("jobs", {"1", "2"});
  desk.connect();
  EXPECT_EQ(desk.status().state, NodeState::Live);
  EXPECT_EQ(desk.status().feed, FeedKind::Tracking);
  EXPECT_TRUE(desk.status().scanComplete);
  EXPECT_EQ(desk.status().keysScanned, 5U);
  EXPECT_EQ(desk.watch.cache().size(), 2U);
  EXPECT_EQ(desk.lock("stock")->holders.at(0).count, 3);
  EXPECT_EQ(desk.lock("lock:a")->holders.at(0).id, hex32);
}

TEST(NodeWatcher, isLiveOverAnEmptyKeyspace) {
  Desk desk;
  desk.connect();
  EXPECT_EQ(desk.status().state, NodeState::Live);
  EXPECT_TRUE(desk.status().scanComplete);
  EXPECT_EQ(desk.watch.cache().size(), 0U);
}

TEST(NodeWatcher, tellsTheLifeOfALock) {
  Desk desk;
  desk.connect();
  desk.hash("stock", {{owner1, "1"}});
  desk.hint({"stock"});
  desk.serve();
  desk.pexpire("stock", seconds(30));
  desk.hint({"stock"});
  desk.serve();
  desk.hash("stock", {{owner1, "2"}}, seconds(30));
  desk.hint({"stock"});
  desk.serve();
  desk.hash("stock", {{owner2, "1"}}, seconds(30));
  desk.hint({"stock"});
  desk.serve();
  desk.remove("stock");
  desk.hint({"stock"});
  desk.serve();
  EXPECT_EQ(desk.story(), "appeared stock, shortened stock, count stock, holder stock, vanished stock");
}

TEST(NodeWatcher, readsAKeyAgainAtItsDeadlineAndCallsItExpired) {
  Desk desk;
  desk.string("lock:e", hex32, milliseconds(300));
  desk.connect();
  desk.story();
  desk.pass(milliseconds(299));
  desk.serve();
  EXPECT_EQ(desk.story(), "");
  desk.pass(milliseconds(5));
  desk.serve();
  EXPECT_EQ(desk.story(), "vanished lock:e (expired)");
}

TEST(NodeWatcher, readsTokensUnderNamesOfSessionsUpToANumber) {
  Desk desk;
  constexpr std::size_t most = 2000;
  for (std::size_t i = 0; i < most + 500; ++i)
    desk.string("session:" + std::to_string(i), uuid1, std::chrono::hours(1));
  desk.string("a:session", uuid1, seconds(30));
  desk.connect();
  EXPECT_TRUE(desk.lock("a:session")) << "a few are of no weight";
  EXPECT_LE(desk.served["PTTL"], most) << "a keyspace may be full of them";
}

TEST(NodeWatcher, believesANotificationAboutTheCause) {
  Desk desk;
  desk.string("lock:a", hex32, seconds(60));
  desk.string("lock:b", hex32);
  desk.connect();
  desk.story();
  desk.clear();
  desk.event(watching::KeyEvent{"evicted", "lock:a"});
  desk.event(watching::KeyEvent{"expired", "lock:b"});
  desk.serve();
  EXPECT_THAT(desk.story(), testing::AllOf(HasSubstr("vanished lock:a (evicted)"), HasSubstr("vanished lock:b (expired)")));
}

TEST(NodeWatcher, takesWhatWasReadBeforeWhatItHearsOfItNext) {
  for (const auto &[event, told] : {std::pair("del", "deleted"), std::pair("expired", "expired")}) {
    Desk desk;
    desk.connect();
    desk.string("lock:a", hex32, seconds(60));
    desk.hint({"lock:a"});
    while (desk.answerAmidTurn()) // in one turn with what comes next
      ;
    desk.remove("lock:a");
    desk.event(watching::KeyEvent{event, "lock:a"});
    desk.serve();
    EXPECT_EQ(desk.story(), std::string("appeared lock:a, vanished lock:a (") + told + ")");
  }
}

TEST(NodeWatcher, keepsAsStaleWhatWasReadInTheTurnInWhichItsConnectionEnded) {
  Desk desk;
  desk.connect();
  desk.string("lock:a", hex32, seconds(60));
  desk.hint({"lock:a"});
  while (desk.answerAmidTurn())
    ;
  desk.event(watching::CommandsDown{{ErrorCode::Unreachable, Message::verbatim("gone"), {}, {}}});
  ASSERT_TRUE(desk.lock("lock:a"));
  EXPECT_TRUE(desk.lock("lock:a")->staleSince);
}

TEST(NodeWatcher, creditsOurOwnRelease) {
  Desk desk;
  desk.string("lock:a", hex32, seconds(60));
  desk.connect();
  desk.story();
  desk.event(watching::ReleaseExpected{{LockName("lock:a")}});
  desk.remove("lock:a");
  desk.hint({"lock:a"});
  desk.serve();
  EXPECT_EQ(desk.story(), "vanished lock:a (released)");
}

TEST(NodeWatcher, saysReplacedWhenOtherDataTakesTheKey) {
  Desk desk;
  desk.hash("stock", {{owner1, "1"}});
  desk.string("lock:a", hex32);
  desk.connect();
  desk.story();
  desk.string("stock", "<html>");
  desk.hash("lock:a", {{owner1, "1"}});
  desk.hint({"stock", "lock:a"});
  desk.serve();
  EXPECT_THAT(desk.story(), testing::AllOf(HasSubstr("vanished stock (replaced)"), HasSubstr("vanished lock:a (replaced), appeared lock:a")));
}

TEST(NodeWatcher, readsAgainWhenAHintComesDuringTheRead) {
  Desk desk;
  desk.connect();
  desk.hash("stock", {{owner1, "1"}});
  desk.hint({"stock"});
  while (desk.served["HSCAN"] == 0)
    ASSERT_TRUE(desk.answerOne());
  desk.hash("stock", {{owner1, "2"}});
  desk.hint({"stock"}); // PTTL of the first read is not answered yet
  desk.serve();
  EXPECT_EQ(desk.lock("stock")->holders.at(0).count, 2);
}

TEST(NodeWatcher, readsAHintedKeyOnceHoweverOftenItIsHinted) {
  Desk desk;
  desk.hash("stock", {{owner1, "1"}});
  desk.connect();
  desk.served.clear();
  for (int i = 0; i < 100; ++i)
    desk.hint({"stock"});
  desk.serve();
  EXPECT_LE(desk.served["HSCAN"], 2U);
}

TEST(NodeWatcher, readsOneLockAfreshPastTheMirror) {
  Desk desk;
  desk.connect();
  desk.hash("stock", {{owner1, "3"}});
  desk.event(watching::ReadWanted{LockName("stock"), 7});
  desk.event(watching::ReadWanted{LockName("nothing"), 8});
  desk.serve();
  ASSERT_EQ(desk.readsDone.size(), 2U);
  std::ranges::sort(desk.readsDone, {}, &WatchActions::ReadDone::request);
  ASSERT_NE(*desk.readsDone[0].record, nullptr);
  EXPECT_EQ((*desk.readsDone[0].record)->holders.at(0).count, 3);
  EXPECT_EQ(*desk.readsDone[1].record, nullptr);
  EXPECT_EQ(desk.watch.cache().size(), 0U);
}

TEST(NodeWatcher, countsRenewalsAndTheirPeriod) {
  Desk desk;
  desk.hash("stock", {{owner1, "1"}}, seconds(30));
  desk.connect();
  for (int i = 0; i < 3; ++i) {
    desk.pass(milliseconds(900));
    desk.pexpire("stock", seconds(30));
    desk.hint({"stock"});
    desk.serve();
  }
  EXPECT_EQ(desk.lock("stock")->renewals, 3U);
  EXPECT_EQ(desk.lock("stock")->renewalPeriod, milliseconds(900));
}

TEST(NodeWatcher, knowsExactlySinceWhenALockIsHeldOnlyIfItSawItCome) {
  Desk desk;
  desk.string("lock:old", hex32);
  desk.connect();
  desk.string("lock:new", hex32);
  desk.hint({"lock:new"});
  desk.serve();
  EXPECT_FALSE(desk.lock("lock:old")->heldSinceExact);
  EXPECT_TRUE(desk.lock("lock:new")->heldSinceExact);
}

TEST(NodeWatcher, isExactAsOfThePingBeforeTheOneAnswered) {
  Desk desk;
  desk.connect();
  const auto first = desk.now();
  ASSERT_TRUE(desk.ping);
  desk.pass(milliseconds(10));
  desk.pong();
  EXPECT_FALSE(desk.status().exactAsOf) << "an invalidation of the same cycle may still follow the first PONG";
  desk.pass(milliseconds(10));
  ASSERT_TRUE(desk.ping);
  desk.pong();
  EXPECT_EQ(desk.status().exactAsOf, first);
}

TEST(NodeWatcher, isNotExactBeforeWhatWasHintedIsRead) {
  Desk desk;
  desk.connect();
  desk.string("lock:a", hex32);
  desk.pong();
  desk.hint({"lock:a"});
  desk.pass(milliseconds(1));
  desk.pong();
  EXPECT_FALSE(desk.status().exactAsOf);
  desk.serve();
  EXPECT_TRUE(desk.status().exactAsOf);
}

TEST(NodeWatcher, defersHotForeignKeysButNeverForLong) {
  Desk desk;
  desk.connect();
  desk.served.clear();
  for (int i = 0; i < 1000; ++i) {
    desk.string("hot", std::to_string(i));
    desk.hint({"hot"});
    desk.serve();
    desk.pass(milliseconds(1));
  }
  desk.serve();
  EXPECT_LE(desk.served["TYPE"] + desk.served["GETRANGE"], 30U) << "for a thousand changes in a second";
  desk.string("hot", hex32, seconds(60));
  desk.hint({"hot"});
  desk.pass(milliseconds(1000));
  desk.serve();
  EXPECT_NE(desk.lock("hot"), nullptr) << "low confidence, but not missed";
}

TEST(NodeWatcher, oneSweepIsEnoughForAListing) {
  auto options = Desk::defaults();
  options.background = false;
  Desk desk(options);
  desk.string("lock:a", hex32, seconds(20));
  desk.event(watching::CommandsUp{});
  desk.serve();
  EXPECT_EQ(desk.status().state, NodeState::Live);
  EXPECT_EQ(desk.status().feed, FeedKind::Poll);
  EXPECT_TRUE(desk.status().scanComplete);
  EXPECT_EQ(desk.feedsOpened, 0U);
  EXPECT_EQ(desk.watch.cache().size(), 1U);
}

TEST(NodeWatcher, seesAReaderWhoIsGoneAmongThoseWhoRenew) {
  Desk desk;
  const auto lease = [](const std::string &reader) { return "{rw}:" + reader + ":rwlock_timeout:1"; };
  desk.hash("rw", {{"mode", "read"}, {owner1, "1"}, {owner2, "1"}}, seconds(30));
  for (const auto &reader : {owner1, owner2})
    desk.string(lease(reader), "1", seconds(30));
  desk.connect();
  ASSERT_TRUE(desk.lock("rw") && desk.lock("rw")->holders.size() == 2U);
  const auto left = [&](std::size_t holder) { return desk.lock("rw")->holders[holder].expiresAt.value_or(SteadyTime{}) - desk.now(); };
  EXPECT_EQ(left(0), seconds(30));
  for (int beat = 0; beat < 20; ++beat) {
    desk.pass(seconds(1));
    desk.pong();
    desk.serve();
  }
  desk.pexpire(lease(owner2), seconds(30));
  desk.hint({lease(owner2)}); // and nothing else
  desk.serve();
  EXPECT_LT(left(0), seconds(11));
  EXPECT_EQ(left(1), seconds(10)) << "the lock is over before";
  desk.pexpire("rw", seconds(30));
  desk.hint({"rw"});
  desk.serve();
  EXPECT_EQ(left(1), seconds(30));
  desk.remove(lease(owner1));
  desk.hint({lease(owner1)});
  desk.serve();
  EXPECT_EQ(left(0), seconds(0));
  EXPECT_EQ(left(1), seconds(30));
}

TEST(NodeWatcher, knowsTheServersTimeToTheMillisecondWhereInfoDoesNotTellIt) {
  Desk desk;
  desk.refused = {"INFO"};
  desk.pass(milliseconds(730));
  desk.connect();
  const auto left = milliseconds(9000);
  const auto ends = std::chrono::floor<milliseconds>(desk.moment().wall.time_since_epoch()) + left;
  desk.zset("lock:s", {{std::string("web-1_4711_") + hex32, static_cast<double>(ends.count())}});
  desk.hint({"lock:s"});
  desk.serve();
  ASSERT_TRUE(desk.lock("lock:s"));
  EXPECT_EQ(desk.lock("lock:s")->expiresAt, desk.now() + left);
}

// They lie there until somebody asks for the lock next: read for the first time, they may be times at which it was taken.
TEST(NodeWatcher, doesNotTakeLeasesThatItSawEndForTimesOfTaking) {
  Desk desk;
  desk.connect();
  const auto in = [&desk](milliseconds time) {
    return static_cast<double>((std::chrono::floor<milliseconds>(desk.moment().wall.time_since_epoch()) + time).count());
  };
  desk.zset("lock:workers", {{"worker-1", in(seconds(1))}, {"worker-2", in(milliseconds(1200))}});
  desk.zset("lock:old", {{"worker-1", in(-seconds(8))}});
  desk.zset("lock:lone", {{uuid1, in(seconds(1))}});
  desk.hint({"lock:workers", "lock:lone", "lock:old"});
  desk.serve();
  EXPECT_TRUE(desk.lock("lock:lone"));
  ASSERT_TRUE(desk.lock("lock:workers"));
  EXPECT_EQ(desk.lock("lock:workers")->family, "handmade-zset");
  ASSERT_TRUE(desk.lock("lock:old"));
  EXPECT_EQ(desk.lock("lock:old")->family, "handmade-since");
  for (int i = 0; i < 8; ++i) {
    desk.pass(milliseconds(250));
    desk.serve();
  }
  desk.serve();
  EXPECT_FALSE(desk.lock("lock:workers") || desk.lock("lock:lone"));
  desk.hint({"lock:workers"});
  desk.serve();
  EXPECT_FALSE(desk.lock("lock:workers")) << "nothing else lies there";
  desk.remove("lock:workers");
  desk.hint({"lock:workers"});
  desk.serve();
  desk.zset("lock:workers", {{"worker-1", in(-seconds(1))}});
  desk.hint({"lock:workers"});
  desk.serve();
  EXPECT_TRUE(desk.lock("lock:workers")) << "of another set nothing is known";
  desk.zset("lock:workers", {{"worker-1", in(seconds(8))}});
  desk.hint({"lock:workers"});
  desk.serve();
  ASSERT_TRUE(desk.lock("lock:workers"));
  EXPECT_EQ(desk.lock("lock:workers")->family, "handmade-zset");
}

// Nobody has cleared the first away when the last gives his hold back.
TEST(NodeWatcher, rememberWhoseLeaseEndedWhileOthersHeld) {
  Desk desk;
  desk.connect();
  const auto in = [&desk](milliseconds time) {
    return static_cast<double>((std::chrono::floor<milliseconds>(desk.moment().wall.time_since_epoch()) + time).count());
  };
  const auto first = in(seconds(1));
  desk.zset("lock:nightly", {{"worker-1", first}, {"worker-2", in(seconds(20))}});
  desk.hint({"lock:nightly"});
  desk.serve();
  for (int i = 0; i < 8; ++i) {
    desk.pass(milliseconds(250));
    desk.serve();
  }
  ASSERT_TRUE(desk.lock("lock:nightly"));
  EXPECT_EQ(desk.lock("lock:nightly")->holders.size(), 1U);
  desk.zset("lock:nightly", {{"worker-1", first}});
  desk.hint({"lock:nightly"});
  desk.serve();
  EXPECT_FALSE(desk.lock("lock:nightly"));
}

// An end may have a fraction of a millisecond: who is read in that millisecond holds on yet, and is looked at again.
TEST(NodeWatcher, takesOutAHolderWhoseEndIsFinerThanTheClock) {
  Desk desk;
  desk.connect();
  const auto in = [&desk](double ms) { return static_cast<double>(std::chrono::floor<milliseconds>(desk.moment().wall.time_since_epoch()).count()) + ms; };
  desk.zset("lock:sem", {{"worker-1", in(60'000)}, {"worker-2", in(2000.5)}});
  desk.hint({"lock:sem"});
  desk.serve();
  ASSERT_TRUE(desk.lock("lock:sem"));
  EXPECT_EQ(desk.lock("lock:sem")->holders.size(), 2U);
  for (int i = 0; i < 300; ++i) {
    desk.pass(milliseconds(10));
    desk.serve();
  }
  ASSERT_TRUE(desk.lock("lock:sem"));
  EXPECT_EQ(desk.lock("lock:sem")->holders.size(), 1U);
}

} // namespace
} // namespace lockhouse::test
