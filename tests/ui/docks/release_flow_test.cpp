// SPDX-License-Identifier: Apache-2.0
#include "ui/page/release/release_flow.h"

#include "tests/ui/docks/live_engine.h"

#include <algorithm>

namespace lockhouse::ui {
namespace {

using Phase = ReleaseFlow::Phase;

class ReleaseFlowTest : public tests::LiveEngine {
protected:
  std::unique_ptr<ReleaseFlow> m_flow;

  void begin(const std::string &key = "lock:a") {
    takeLock(key);
    const LockRecordPtr lock = waitForLock(key);
    ASSERT_TRUE(lock);
    m_flow = std::make_unique<ReleaseFlow>(*m_engine, lock);
    EXPECT_EQ(m_flow->phase(), Phase::Planning);
  }
  bool reaches(Phase phase) {
    return QTest::qWaitFor([&] { return m_flow->phase() == phase; }, patience);
  }
};

TEST_F(ReleaseFlowTest, plansWithoutWriting) {
  begin();
  ASSERT_TRUE(reaches(Phase::Planned));
  ASSERT_TRUE(m_flow->answer().plan);
  EXPECT_EQ(m_flow->answer().plan->expectHolder, token);
  EXPECT_FALSE(m_flow->answer().verdict);
  EXPECT_EQ((*m_redis)({"GET", "lock:a"}), token);
  EXPECT_FALSE(m_flow->isUnlocked());
}

TEST_F(ReleaseFlowTest, unlocksAndReleasesWithAReason) {
  begin();
  ASSERT_TRUE(reaches(Phase::Planned));
  m_flow->apply(QStringLiteral("holder hangs"));
  EXPECT_EQ(m_flow->phase(), Phase::Applying);
  ASSERT_TRUE(reaches(Phase::Done));
  EXPECT_EQ(m_flow->answer().verdict, Verdict::Released);
  EXPECT_FALSE(m_flow->answer().auditId.empty());
  EXPECT_EQ(m_redis->number({"EXISTS", "lock:a"}), 0);
}

TEST_F(ReleaseFlowTest, shortensTheLeaseInsteadAndFindsTheWayBack) {
  begin();
  ASSERT_TRUE(reaches(Phase::Planned));
  EXPECT_TRUE(m_flow->canShorten());
  m_flow->chooseShortening(ReleaseFlow::usualLength);
  EXPECT_EQ(m_flow->phase(), Phase::Planning) << "another verb is another plan";
  ASSERT_TRUE(reaches(Phase::Planned));
  EXPECT_EQ(m_flow->answer().plan->script->name, "shorten-lease");
  m_flow->chooseRelease();
  ASSERT_TRUE(reaches(Phase::Planned));
  EXPECT_EQ(m_flow->answer().plan->script->name, "release-token");
  m_flow->chooseShortening(milliseconds(30'000));
  ASSERT_TRUE(reaches(Phase::Planned));
  m_flow->apply(QStringLiteral("holder hangs"));
  ASSERT_TRUE(reaches(Phase::Done));
  EXPECT_EQ(m_flow->answer().verdict, Verdict::Shortened);
  EXPECT_EQ((*m_redis)({"GET", "lock:a"}), token);
  EXPECT_LE(m_redis->number({"PTTL", "lock:a"}), 30'000);
  EXPECT_FALSE(m_flow->isUnlocked()) << "it was for one lease";
}

TEST_F(ReleaseFlowTest, saysWhyALeaseCannotBeShortened) {
  (*m_redis)({"SET", "lock:b", token, "PX", "9000"});
  const LockRecordPtr endsSoon = waitForLock("lock:b");
  ASSERT_TRUE(endsSoon);
  m_flow = std::make_unique<ReleaseFlow>(*m_engine, endsSoon);
  ASSERT_TRUE(reaches(Phase::Planned));
  EXPECT_FALSE(m_flow->canShorten());
  EXPECT_EQ(m_flow->whyNotShorter().english(), "it ends within 10 s anyway");

  (*m_redis)({"RPUSH", "lock:queue", "ticket-1", "ticket-2"});
  const LockRecordPtr list = waitForLock("lock:queue", "ticket-1");
  ASSERT_TRUE(list);
  m_flow = std::make_unique<ReleaseFlow>(*m_engine, list);
  ASSERT_TRUE(reaches(Phase::Planned));
  EXPECT_FALSE(m_flow->canShorten());
  EXPECT_EQ(m_flow->whyNotShorter().english(), "it has no lease that could be shortened; release the hold");
  m_flow->chooseShortening(ReleaseFlow::usualLength);
  ASSERT_TRUE(reaches(Phase::NoPlan));
  EXPECT_EQ(m_flow->answer().verdict, Verdict::Unreleasable);
}

TEST_F(ReleaseFlowTest, doesNothingThatTheServerWouldRefuse) {
  takeLock("lock:a");
  const LockRecordPtr lock = waitForLock("lock:a");
  ASSERT_TRUE(lock);
  (*m_redis)({"ACL", "SETUSER", "default", "-del"});
  m_flow = std::make_unique<ReleaseFlow>(*m_engine, lock);
  ASSERT_TRUE(reaches(Phase::Planned));
  EXPECT_TRUE(m_flow->isRefused());
  m_flow->apply(QStringLiteral("holder hangs"));
  EXPECT_EQ(m_flow->phase(), Phase::Planned);
  (*m_redis)({"ACL", "SETUSER", "default", "+del"});
  m_flow->planAgain();
  ASSERT_TRUE(reaches(Phase::Planned));
  EXPECT_FALSE(m_flow->isRefused());
  m_flow->apply(QStringLiteral("holder hangs"));
  ASSERT_TRUE(reaches(Phase::Done));
  EXPECT_EQ(m_flow->answer().verdict, Verdict::Released);
}

TEST_F(ReleaseFlowTest, refusesAKeyThatIsOfAnotherTypeByNow) {
  begin();
  ASSERT_TRUE(reaches(Phase::Planned));
  (*m_redis)({"DEL", "lock:a"});
  (*m_redis)({"RPUSH", "lock:a", token});
  m_flow->apply(QStringLiteral("holder hangs"));
  if (m_flow->phase() != Phase::Planned) { // else the watcher saw it first
    ASSERT_TRUE(reaches(Phase::Done));
    EXPECT_NE(m_flow->answer().verdict, Verdict::Released);
  }
  EXPECT_EQ(m_redis->number({"LLEN", "lock:a"}), 1);
}

TEST_F(ReleaseFlowTest, doesNothingWithoutAReason) {
  begin();
  m_flow->apply(QStringLiteral("too early: there is no plan yet"));
  ASSERT_TRUE(reaches(Phase::Planned));
  m_flow->apply(QStringLiteral("   "));
  EXPECT_EQ(m_flow->phase(), Phase::Planned);
  EXPECT_FALSE(m_flow->isUnlocked());
  EXPECT_EQ((*m_redis)({"GET", "lock:a"}), token);
}

TEST_F(ReleaseFlowTest, refusesALockThatChangedAndSaysWhoHoldsItNow) {
  begin();
  ASSERT_TRUE(reaches(Phase::Planned));
  takeLock("lock:a", otherToken);
  m_flow->apply(QStringLiteral("holder hangs"));
  ASSERT_TRUE(reaches(Phase::Done));
  EXPECT_EQ(m_flow->answer().verdict, Verdict::Changed);
  ASSERT_TRUE(m_flow->answer().now);
  EXPECT_EQ(m_flow->answer().now->holders.front().id, otherToken);
  EXPECT_EQ((*m_redis)({"GET", "lock:a"}), otherToken);

  m_flow->planAgain();
  ASSERT_TRUE(reaches(Phase::Planned));
  EXPECT_EQ(m_flow->answer().plan->expectHolder, otherToken);
}

TEST_F(ReleaseFlowTest, noticesAChangeWhileThePlanIsRead) {
  begin();
  ASSERT_TRUE(reaches(Phase::Planned));
  EXPECT_FALSE(m_flow->changedTo());
  takeLock("lock:a", otherToken);
  ASSERT_TRUE(QTest::qWaitFor([&] { return m_flow->changedTo() != nullptr && m_flow->changedTo()->isHeld(); }, patience));
  EXPECT_EQ(m_flow->changedTo()->holders.front().id, otherToken);
  (*m_redis)({"DEL", "lock:a"});
  EXPECT_TRUE(QTest::qWaitFor([&] { return m_flow->changedTo() && !m_flow->changedTo()->isHeld(); }, patience));
}

TEST_F(ReleaseFlowTest, takesAHoldThatWasAcquiredAgainForAnotherOne) {
  begin();
  ASSERT_TRUE(reaches(Phase::Planned));
  (*m_redis)({"DEL", "lock:a"});
  ASSERT_TRUE(QTest::qWaitFor([&] { return m_flow->changedTo() && !m_flow->changedTo()->isHeld(); }, patience));
  takeLock("lock:a"); // by the same owner with the same token
  ASSERT_TRUE(QTest::qWaitFor([&] { return m_flow->isAcquiredAgain(); }, patience));
  m_flow->apply(QStringLiteral("holder hangs"));
  EXPECT_EQ(m_flow->phase(), Phase::Planned) << "the hold that was seen is over";
  EXPECT_EQ((*m_redis)({"GET", "lock:a"}), token);

  m_flow->planAgain();
  ASSERT_TRUE(reaches(Phase::Planned));
  EXPECT_FALSE(m_flow->changedTo()) << "this plan is for the new hold";
  m_flow->apply(QStringLiteral("holder hangs"));
  ASSERT_TRUE(reaches(Phase::Done));
  EXPECT_EQ(m_flow->answer().verdict, Verdict::Released);
}

TEST_F(ReleaseFlowTest, noticesAHoldThatWasAcquiredAgainBeforeThePlanWasMade) {
  takeLock("lock:a");
  const LockRecordPtr seen = waitForLock("lock:a");
  ASSERT_TRUE(seen);
  (*m_redis)({"DEL", "lock:a"});
  ASSERT_TRUE(QTest::qWaitFor([&] { return !m_snapshot->find(seen->id); }, patience));
  takeLock("lock:a");
  ASSERT_TRUE(waitForLock("lock:a"));
  m_flow = std::make_unique<ReleaseFlow>(*m_engine, seen);
  ASSERT_TRUE(reaches(Phase::Planned));
  takeLock("lock:b"); // and the watcher tells the newest
  EXPECT_TRUE(QTest::qWaitFor([&] { return m_flow->isAcquiredAgain(); }, patience));
}

TEST_F(ReleaseFlowTest, doesNotTakeARenewalForAnotherHold) {
  begin();
  ASSERT_TRUE(reaches(Phase::Planned));
  (*m_redis)({"PEXPIRE", "lock:a", "700000"});
  ASSERT_TRUE(QTest::qWaitFor([&] { return m_snapshot->find(m_flow->seen()->id)->renewals > 0; }, patience));
  EXPECT_FALSE(m_flow->changedTo());
}

TEST_F(ReleaseFlowTest, hasNoPlanForALockThatIsFreeByNow) {
  takeLock("lock:a");
  const LockRecordPtr lock = waitForLock("lock:a");
  ASSERT_TRUE(lock);
  (*m_redis)({"DEL", "lock:a"});
  m_flow = std::make_unique<ReleaseFlow>(*m_engine, lock);
  ASSERT_TRUE(reaches(Phase::NoPlan));
  EXPECT_EQ(m_flow->answer().verdict, Verdict::AlreadyFree);
}

TEST_F(ReleaseFlowTest, plansAgainForTheHolderWhoWasChosenAsLongAsHeIsThere) {
  const std::string first = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:1", chosen = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:2";
  (*m_redis)({"HSET", "rw", "mode", "read", first, "1", chosen, "1"});
  (*m_redis)({"PEXPIRE", "rw", "600000"});
  const auto isShared = [](const LockRecordPtr &lock) { return lock->holders.size() == 2; };
  ASSERT_TRUE(QTest::qWaitFor([&] { return m_snapshot && std::ranges::any_of(m_snapshot->locks, isShared); }, patience));
  m_flow = std::make_unique<ReleaseFlow>(*m_engine, m_snapshot->locks.front());
  const auto &holders = m_flow->seen()->holders;
  m_flow->chooseHolder(static_cast<std::size_t>(std::ranges::find(holders, chosen, &Holder::id) - holders.begin()));
  ASSERT_TRUE(reaches(Phase::Planned));
  EXPECT_EQ(m_flow->answer().plan->expectHolder, chosen);
  (*m_redis)({"HINCRBY", "rw", chosen, "1"});
  ASSERT_TRUE(QTest::qWaitFor([&] { return m_flow->changedTo() != nullptr; }, patience));
  m_flow->planAgain();
  ASSERT_TRUE(reaches(Phase::Planned));
  EXPECT_EQ(m_flow->answer().plan->expectHolder, chosen);
  EXPECT_EQ(m_flow->answer().plan->expectCount, 2);
  EXPECT_FALSE(m_flow->isOfAnother());
  (*m_redis)({"HDEL", "rw", chosen});
  ASSERT_TRUE(QTest::qWaitFor([&] { return m_flow->changedTo() != nullptr; }, patience));
  m_flow->planAgain();
  ASSERT_TRUE(reaches(Phase::Planned));
  EXPECT_EQ(m_flow->answer().plan->expectHolder, first);
  EXPECT_TRUE(m_flow->isOfAnother());
}

TEST_F(ReleaseFlowTest, takesAHoldThatFellOutOfWhatIsReadForNoChange) {
  begin();
  ASSERT_TRUE(reaches(Phase::Planned));
  LockRecord row = *m_flow->seen();
  row.holders = {Holder{otherToken}};
  row.unread = 500;
  row.seenAt = SteadyClock::now();
  LockSnapshot snapshot = *m_snapshot;
  snapshot.at = row.seenAt;
  snapshot.locks = {std::make_shared<const LockRecord>(row)};
  emit m_engine->snapshotReady(std::make_shared<const LockSnapshot>(snapshot));
  EXPECT_FALSE(m_flow->changedTo());
}

TEST_F(ReleaseFlowTest, vouchesForADoubtfulRowThatWasAskedForAndSaysSoFirst) {
  (*m_redis)({"SET", "account:42", "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", "PX", "600000"});
  const auto isDoubtful = [](const LockRecordPtr &lock) { return lock->isDoubtful() && lock->isHeld(); };
  ASSERT_TRUE(QTest::qWaitFor([&] { return m_snapshot && std::ranges::any_of(m_snapshot->locks, isDoubtful); }, patience));
  m_flow = std::make_unique<ReleaseFlow>(*m_engine, m_snapshot->locks.front());
  ASSERT_TRUE(reaches(Phase::Planned)) << m_flow->answer().detail.english();
  EXPECT_TRUE(m_flow->intent().isVouchedFor);
  EXPECT_TRUE(englishOf(m_flow->answer().plan->warnings).front().starts_with("the key looks like data, not like a lock"))
      << englishOf(m_flow->answer().plan->warnings).front();
  m_flow->apply(QStringLiteral("it is one"));
  ASSERT_TRUE(reaches(Phase::Done));
  EXPECT_EQ(m_flow->answer().verdict, Verdict::Released);
}

TEST_F(ReleaseFlowTest, leavesTheConsoleLockedForOthersWhileWhatWasAllowedOnceIsUnderWay) {
  begin();
  takeLock("lock:b");
  const LockRecordPtr lock = waitForLock("lock:b");
  ASSERT_TRUE(lock);
  ReleaseFlow other(*m_engine, lock);
  ASSERT_TRUE(reaches(Phase::Planned));
  ASSERT_TRUE(QTest::qWaitFor([&] { return other.phase() == Phase::Planned; }, patience));
  m_flow->apply(QStringLiteral("holder hangs"));
  EXPECT_TRUE(other.needsConsent());
  other.apply(QStringLiteral("holder hangs, too")); // agreed to by itself
  ASSERT_TRUE(reaches(Phase::Done));
  ASSERT_TRUE(QTest::qWaitFor([&] { return other.phase() == Phase::Done; }, patience));
  EXPECT_EQ(m_flow->answer().verdict, Verdict::Released);
  EXPECT_EQ(other.answer().verdict, Verdict::Released) << "the answer to the first does not end it midway";
}

TEST_F(ReleaseFlowTest, ignoresAnswersToOtherQuestions) {
  begin();
  ReleaseResult unexpected;
  unexpected.verdict = Verdict::Released;
  emit m_engine->planned(987'654, unexpected);
  EXPECT_EQ(m_flow->phase(), Phase::Planning);
  ASSERT_TRUE(reaches(Phase::Planned));
  emit m_engine->planned(987'654, unexpected);
  emit m_engine->applied(987'654, unexpected);
  EXPECT_EQ(m_flow->phase(), Phase::Planned);
  EXPECT_FALSE(m_flow->answer().verdict);
}

TEST_F(ReleaseFlowTest, saysThatTheNodeCannotBeReached) {
  takeLock("lock:a");
  const LockRecordPtr lock = waitForLock("lock:a");
  ASSERT_TRUE(lock);
  m_server->kill();
  m_flow = std::make_unique<ReleaseFlow>(*m_engine, lock);
  ASSERT_TRUE(reaches(Phase::NoPlan));
  EXPECT_EQ(m_flow->answer().verdict, Verdict::Unreachable);
  EXPECT_FALSE(m_flow->answer().detail.empty());
}

TEST_F(ReleaseFlowTest, doesNothingByAPlanWhoseNodeWasLostUntilItIsFollowedAgain) {
  begin();
  ASSERT_TRUE(reaches(Phase::Planned));
  EXPECT_FALSE(m_flow->isUnfollowed());
  m_server->pause();
  ASSERT_TRUE(QTest::qWaitFor([&] { return m_flow->isUnfollowed(); }, patience));
  EXPECT_FALSE(m_flow->changedTo()) << "that is not known";
  m_flow->apply(QStringLiteral("holder hangs"));
  EXPECT_EQ(m_flow->phase(), Phase::Planned);
  m_server->resume();
  ASSERT_TRUE(QTest::qWaitFor([&] { return !m_flow->isUnfollowed(); }, patience));
  m_flow->apply(QStringLiteral("holder hangs"));
  ASSERT_TRUE(reaches(Phase::Done));
  EXPECT_EQ(m_flow->answer().verdict, Verdict::Released);
}

TEST_F(ReleaseFlowTest, mayBeThrownAwayWhileAnAnswerIsUnderWay) {
  begin();
  ASSERT_TRUE(reaches(Phase::Planned));
  m_flow->apply(QStringLiteral("holder hangs"));
  m_flow.reset();
  EXPECT_TRUE(QTest::qWaitFor([&] { return m_redis->number({"EXISTS", "lock:a"}) == 0; }, patience));
}

} // namespace
} // namespace lockhouse::ui
