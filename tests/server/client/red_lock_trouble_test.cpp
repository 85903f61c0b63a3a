// SPDX-License-Identifier: Apache-2.0
// RedLocks over nodes that do not answer, forget, or are none that may vote.
#include "tests/server/client/quorum_house.h"

#include <future>

using namespace lockhouse;
using namespace lockhouse::test;

namespace {

class RedLockTrouble : public QuorumHouse {
protected:
  std::string refusal(std::vector<Uri> nodes) {
    const auto quorum = Quorum::connect(std::move(nodes), options());
    return quorum ? std::string("(none)") : quorum.error().sentence();
  }
  /// A lock of `quorum` that nodes 0 and 1 have and node 2 has not, and never will by itself.
  LockResult takeAtTwoOfThree(const Quorum &quorum) {
    at(2, {"SET", "k", "of another", "PX", "60000"});
    auto held = quorum.redLock(LockName("k"), {.renew = false}).acquire();
    // It is told of its hold before the last node has answered, which would grant it too if it were asked after this.
    EXPECT_TRUE(eventually([&] { return at(2, {"INFO", "commandstats"}).find("cmdstat_set:calls=2,") != std::string::npos; }));
    at(2, {"DEL", "k"});
    return held;
  }
};

std::string sentenceOf(const LockResult &result) { return result ? std::string() : result.error().sentence(); }
bool has(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

} // namespace

TEST_F(RedLockTrouble, oneNodeOfThreeDownIsBorne) {
  start(3);
  servers[1].kill();
  const auto quorum = connect();
  for (int i = 0; i < 20; ++i) {
    auto held = quorum->redLock(LockName("k")).acquire();
    ASSERT_TRUE(held) << sentenceOf(held);
    EXPECT_EQ(held->release(), ReleaseOutcome::Released);
  }
  EXPECT_TRUE(nothingIsLeft({0, 2}));
}

TEST_F(RedLockTrouble, twoNodesOfFiveDownAreBorne) {
  start(5);
  const auto quorum = connect();
  servers[1].kill();
  servers[4].kill();
  auto held = quorum->redLock(LockName("k"), {.lease = 900ms}).acquire();
  ASSERT_TRUE(held) << sentenceOf(held);
  const auto first = held->validUntil();
  EXPECT_TRUE(eventually([&] { return held->validUntil() > first + 600ms; })) << "three confirm";
  EXPECT_EQ(held->release(), ReleaseOutcome::Released);
  EXPECT_TRUE(nothingIsLeft({0, 2, 3}));
}

TEST_F(RedLockTrouble, twoNodesOfThreeDownFailAtOnceAndLeaveNothing) {
  start(3);
  const auto quorum = connect();
  servers[0].kill();
  servers[2].kill();
  ASSERT_TRUE(eventually([&] {
    const auto standings = quorum->standings();
    return !standings[0].answered && !standings[2].answered;
  }));
  const auto began = SteadyClock::now();
  const auto refused = quorum->redLock(LockName("k")).tryAcquire();
  EXPECT_LT(SteadyClock::now() - began, 250ms) << "the deciding vote is not waited for";
  ASSERT_FALSE(refused);
  ASSERT_TRUE(refused.error().is<Failed>());
  EXPECT_EQ(std::get<Failed>(refused.error().outcome).error.code, ErrorCode::Unreachable);
  const auto sentence = sentenceOf(refused);
  EXPECT_TRUE(has(sentence, proxies[0].uri().address() + ": no connection")) << sentence;
  EXPECT_TRUE(has(sentence, proxies[2].uri().address() + ": no connection")) << sentence;
  EXPECT_TRUE(nothingIsLeft({1}));
}

TEST_F(RedLockTrouble, withoutAQuorumTheWaitLimitHoldsAndTheVotesAreTold) {
  start(3);
  const auto quorum = connect();
  servers[0].kill();
  proxies[1].blackHole(true);
  const auto began = SteadyClock::now();
  const auto refused = quorum->redLock(LockName("k"), {.waitLimit = 150ms}).acquire();
  const auto took = SteadyClock::now() - began;
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is<TimedOut>() || refused.error().is<Failed>());
  EXPECT_GE(took, 150ms);
  EXPECT_LT(took, 450ms);
  EXPECT_TRUE(has(sentenceOf(refused), proxies[0].uri().address() + ": ")) << sentenceOf(refused);
  EXPECT_FALSE(has(sentenceOf(refused), "somebody else holds it")) << sentenceOf(refused);
  EXPECT_TRUE(nothingIsLeft({2}));
}

TEST_F(RedLockTrouble, aWaiterIsServedWhenANodeComesBack) {
  start(3);
  const auto quorum = connect();
  servers[0].kill();
  servers[2].kill();
  auto waiting = std::async(std::launch::async, [&] { return quorum->redLock(LockName("k")).acquire(); });
  EXPECT_EQ(waiting.wait_for(50ms), std::future_status::timeout);
  ASSERT_TRUE(servers[2].restart());
  const auto held = waiting.get();
  EXPECT_TRUE(held) << sentenceOf(held);
}

TEST_F(RedLockTrouble, aBlackHoledNodeIsNotWaitedForWhereTheOthersDecide) {
  start(3);
  const auto quorum = connect();
  proxies[0].blackHole(true);
  const auto began = SteadyClock::now();
  for (int i = 0; i < 20; ++i) {
    auto held = quorum->redLock(LockName("k")).acquire();
    ASSERT_TRUE(held) << sentenceOf(held);
    EXPECT_EQ(held->release(), ReleaseOutcome::Released);
  }
  EXPECT_LT(SteadyClock::now() - began, 300ms * 20) << "less than one node timeout each";
  EXPECT_TRUE(nothingIsLeft({1, 2}));
}

TEST_F(RedLockTrouble, aBlackHoledNodeThatDecidesCostsOneNodeTimeout) {
  start(3);
  const auto quorum = connect();
  const auto stranger = std::string(32, 'f');
  at(1, {"SET", "k", stranger, "PX", "60000"});
  proxies[0].blackHole(true);
  const auto began = SteadyClock::now();
  const auto refused = quorum->redLock(LockName("k")).tryAcquire();
  const auto took = SteadyClock::now() - began;
  ASSERT_FALSE(refused);
  EXPECT_GE(took, 300ms);
  EXPECT_LT(took, 900ms);
  EXPECT_TRUE(has(sentenceOf(refused), "no answer in time") && has(sentenceOf(refused), "held by " + stranger) && has(sentenceOf(refused), ": granted"))
      << sentenceOf(refused);
  const auto again = SteadyClock::now();
  EXPECT_FALSE(quorum->redLock(LockName("k")).tryAcquire());
  EXPECT_LT(SteadyClock::now() - again, 250ms) << "once: who owes answers is not waited for again";
  EXPECT_TRUE(nothingIsLeft({2})) << "what was granted is given back";
  proxies[0].blackHole(false);
  EXPECT_TRUE(nothingIsLeft({0, 2}));
  EXPECT_EQ(valueAt(1, "k"), stranger);
}

/// The commands run and nobody hears of it: in doubt at two of three.
TEST_F(RedLockTrouble, whatIsInDoubtIsGivenBack) {
  start(3);
  const auto quorum = connect();
  proxies[0].dropReplies(true);
  proxies[1].dropReplies(true);
  const auto refused = quorum->redLock(LockName("k")).tryAcquire();
  ASSERT_FALSE(refused);
  EXPECT_TRUE(nothingIsLeft()) << "the release went right behind the ask";
  proxies[0].dropReplies(false);
  proxies[1].dropReplies(false);
  EXPECT_TRUE(eventually([&] { return quorum->redLock(LockName("k")).tryAcquire().has_value(); }));
}

TEST_F(RedLockTrouble, cancelledAtAnyPointLeavesNoKeyAnywhere) {
  start(3);
  const auto quorum = connect();
  proxies[1].setDelay(2ms); // so that there is a time between the answers
  for (int turn = 0; turn < 60; ++turn) {
    std::stop_source cancel;
    std::promise<LockResult> told;
    quorum->redLock(LockName("k")).acquire([&](LockResult result) { told.set_value(std::move(result)); }, cancel.get_token());
    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(turn * 60);
    while (std::chrono::steady_clock::now() < until)
      std::this_thread::yield();
    cancel.request_stop();
    auto result = told.get_future().get();
    EXPECT_TRUE(result || result.error().is<Cancelled>()) << sentenceOf(result);
    if (result) {
      EXPECT_EQ(result->release(), ReleaseOutcome::Released);
    }
    ASSERT_TRUE(nothingIsLeft()) << turn;
  }
}

/// A node that knows the script of the release and not that of the ask answers the release first: the ask is sent once more behind it.
TEST_F(RedLockTrouble, anAskThatIsOvertakenByItsReleaseIsGivenBack) {
  start(3);
  const LockName name("k");
  const LockToken token("t");
  const auto release = Primitive::find("Mutex")->release({name, token, 1s, 0}, false);
  for (int turn = 0; turn < 20; ++turn) {
    auto quorum = connect();
    at(1, {"SCRIPT", "FLUSH"});
    at(1, {"SCRIPT", "LOAD", release.script()->body});
    proxies[1].setDelay(3ms);
    auto held = quorum->redLock(name).acquire();
    ASSERT_TRUE(held) << sentenceOf(held);
    EXPECT_EQ(held->release(), ReleaseOutcome::Released);
    if (turn % 2 == 0)
      quorum.reset(); // nor does the end of the client leave it behind
    ASSERT_TRUE(nothingIsLeft()) << turn;
  }
}

TEST_F(RedLockTrouble, cancelledWhileWaitingLeavesNothingOfItsOwn) {
  start(3);
  const auto one = connect();
  const auto two = connect();
  auto held = one->redLock(LockName("k")).acquire();
  ASSERT_TRUE(held);
  for (int turn = 0; turn < 10; ++turn) {
    std::stop_source cancel;
    std::promise<LockResult> told;
    two->redLock(LockName("k")).acquire([&](LockResult result) { told.set_value(std::move(result)); }, cancel.get_token());
    std::thread later([&] { cancel.request_stop(); });
    const auto result = told.get_future().get();
    later.join();
    ASSERT_FALSE(result);
    EXPECT_TRUE(result.error().is<Cancelled>());
  }
  EXPECT_TRUE(held->isHeld());
  EXPECT_EQ(held->release(), ReleaseOutcome::Released);
  EXPECT_TRUE(nothingIsLeft());
}

TEST_F(RedLockTrouble, aQuorumThatDoesNotConfirmLosesTheHoldInTime) {
  start(3);
  const auto quorum = connect();
  auto held = quorum->redLock(LockName("k"), {.lease = 900ms}).acquire();
  ASSERT_TRUE(held);
  std::atomic<SteadyTime> lostAt{SteadyTime{}};
  held->onLost([&](LossReason) { lostAt = SteadyClock::now(); });
  proxies[0].blackHole(true);
  proxies[1].blackHole(true);
  const auto until = held->validUntil();
  ASSERT_TRUE(eventually([&] { return held->lossReason().has_value(); }));
  EXPECT_EQ(held->lossReason(), LossReason::LeaseEnded);
  EXPECT_GE(lostAt.load(), until);
  EXPECT_FALSE(held->isHeld());
  EXPECT_TRUE(nothingIsLeft({2})) << "the one that still had it is given back";
}

TEST_F(RedLockTrouble, aNodeThatIsDownAtTheReleaseIsReleasedWhenItIsBack) {
  start(3);
  const auto quorum = connect();
  auto held = quorum->redLock(LockName("k")).acquire();
  ASSERT_TRUE(held);
  ASSERT_TRUE(eventually([&] { return holders("k") == 3; }));
  proxies[0].blackHole(true);
  EXPECT_EQ(held->release(), ReleaseOutcome::Released) << "a quorum is free, so the lock is";
  EXPECT_TRUE(hasKey(0, "k"));
  proxies[0].blackHole(false);
  proxies[0].cut();
  EXPECT_TRUE(nothingIsLeft());
}

TEST_F(RedLockTrouble, aNodeThatRestartedDoesNotVoteUntilNoOldLeaseCanLive) {
  start(3);
  auto guarded = options();
  guarded.restartGuard = RestartGuard::Seen;
  const auto one = connect(guarded);
  const auto two = connect(guarded);
  auto held = takeAtTwoOfThree(*one);
  ASSERT_TRUE(held) << sentenceOf(held);
  servers[1].kill();
  ASSERT_TRUE(servers[1].restart());
  ASSERT_TRUE(eventually([&] {
    const auto standing = two->standings()[1];
    return standing.answered && standing.why;
  }));
  const auto refused = two->redLock(LockName("k")).tryAcquire();
  ASSERT_FALSE(refused) << "it would be held twice";
  EXPECT_TRUE(has(sentenceOf(refused), "restarted less than the longest lease ago")) << sentenceOf(refused);
  EXPECT_TRUE(held->isHeld());
}

TEST_F(RedLockTrouble, withoutTheGuardTheHoleIsThere) {
  start(3);
  const auto one = connect();
  const auto two = connect();
  const auto held = takeAtTwoOfThree(*one);
  ASSERT_TRUE(held) << sentenceOf(held);
  servers[1].kill();
  ASSERT_TRUE(servers[1].restart());
  EXPECT_TRUE(eventually([&] { return two->redLock(LockName("k")).tryAcquire().has_value(); })) << "what the guard is for";
}

TEST_F(RedLockTrouble, freshNodesDoNotVoteByDefault) {
  start(3);
  auto guarded = options();
  guarded.restartGuard = RestartGuard::Uptime;
  guarded.longestLease = 60s;
  const auto refused = connect(guarded)->redLock(LockName("k")).tryAcquire();
  ASSERT_FALSE(refused);
  EXPECT_TRUE(has(sentenceOf(refused), "it votes in ")) << sentenceOf(refused);
  EXPECT_TRUE(nothingIsLeft());
}

TEST_F(RedLockTrouble, nodesThatAreNoQuorumAreRefused) {
  start(3);
  const auto all = uris();
  EXPECT_TRUE(has(refusal({}), "a quorum of 0 nodes cannot be"));
  EXPECT_TRUE(has(refusal({all[0], all[1]}), "name an odd number of nodes"));
  EXPECT_TRUE(has(refusal({all[0], all[1], all[0]}), "named twice"));
  EXPECT_TRUE(has(refusal({servers[0].unixUri(), all[1], all[0]}), "it is the same server as " + servers[0].unixUri().address())) << "known by its run id";
  servers[0].kill();
  servers[1].kill();
  EXPECT_TRUE(has(refusal(all), "too few nodes answer for a quorum"));
}

TEST_F(RedLockTrouble, replicasAndClusterNodesAreRefused) {
  start(3);
  at(2, {"REPLICAOF", servers[0].tcpUri().host, std::to_string(servers[0].tcpUri().port)});
  ASSERT_TRUE(eventually([&] { return has(at(2, {"ROLE"}), "slave"); }));
  EXPECT_TRUE(has(refusal(uris()), "it is a replica")) << refusal(uris());
  auto cluster = Sandbox::start({.tcp = false, .config = {"--cluster-enabled", "yes"}});
  ASSERT_TRUE(cluster);
  EXPECT_TRUE(has(refusal({cluster->unixUri()}), "it is a node of a cluster"));
}
