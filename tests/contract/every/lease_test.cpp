// SPDX-License-Identifier: Apache-2.0
// How long a hold lasts, and how its end is told.
#include "tests/contract/world/lock_world.h"

using namespace lockhouse;
using namespace lockhouse::test;

class Lease : public LockContract {
protected:
  /// One that ends soon, but of several nodes: each is waited for no longer than a third of it.
  milliseconds shortLease() const { return isQuorum() ? 900ms : 300ms; }
};
LOCKHOUSE_CONTRACT(Lease);

/// A FallbackLock's waiters stand behind its holder until he is told of his loss.
class LeaseBesideAWaiter : public LockContract {};
INSTANTIATE_TEST_SUITE_P(Every, LeaseBesideAWaiter,
                         testing::ValuesIn(worlds("LeaseBesideAWaiter", everyTopology, anyPrimitive, [](Making making) { return making != Making::Fallback; })),
                         contractName);

TEST_P(Lease, isKeptUpByRenewalsForManyLeases) {
  const auto lease = shortLease();
  auto &one = party().owner(primitive(), "k", {.lease = lease});
  ASSERT_TRUE(one.takes());
  const auto began = SteadyClock::now();
  while (SteadyClock::now() < began + 5 * lease) {
    ASSERT_TRUE(keyExists("k"));
    ASSERT_TRUE(one.isHeld());
    std::this_thread::sleep_for(20ms);
  }
  EXPECT_FALSE(one.loss());
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
}

TEST_P(Lease, endsByItselfWithoutRenewalAndTheHolderIsToldFirst) {
  auto &one = party().owner(primitive(), "k", {.lease = shortLease(), .renew = false});
  ASSERT_TRUE(one.takes());
  const auto until = one.validUntil();
  ASSERT_TRUE(eventually([&] { return one.loss().has_value(); }));
  EXPECT_EQ(one.loss(), LossReason::LeaseEnded);
  EXPECT_GE(one.lostAt(), until);
  EXPECT_FALSE(one.isHeld());
  EXPECT_TRUE(eventually([&] { return !keyExists("k"); }));
  EXPECT_EQ(one.release(), ReleaseOutcome::NotOwner);
}

/// Two hundred holds, some of them until a renewal is due or under way. False if one was lost, or granted too late, or a quorum did not answer
/// in time, which is a part of a lease: this machine was busy for so long.
static bool releasesAll(Owner &one, milliseconds lease, bool isQuorum) {
  for (int i = 0; i < 200; ++i) {
    const auto asked = SteadyClock::now();
    const bool taken = one.takes();
    EXPECT_TRUE(taken || isQuorum || SteadyClock::now() - asked >= lease / 2);
    if (!taken)
      return false;
    if (i % 20 == 0)
      std::this_thread::sleep_for(lease * 5 / 12);
    const auto until = one.validUntil();
    if (const auto outcome = one.release(); outcome != ReleaseOutcome::Released) { // its lease may have ended on the way
      EXPECT_TRUE(one.loss().has_value() || SteadyClock::now() >= until) << name(outcome) << " of a hold that was not lost";
      return false;
    }
  }
  return true;
}

TEST_P(Lease, isNeverRenewedAfterARelease) {
  auto &client = party();
  auto lease = 60ms;
  const auto key = [&] { return "k" + std::to_string(lease.count()); }; // one that was lost may be there yet
  while (!HasFailure() && !releasesAll(client.owner(primitive(), key(), {.lease = lease}), lease, isQuorum()))
    ASSERT_LT(lease *= 2, 5s) << "however long the lease";
  ASSERT_FALSE(HasFailure());
  ASSERT_TRUE(eventually([&] { return client.isSettled(); })) << "what was sent to a node that a quorum did without is still on its way";
  const auto before = calls("pexpire");
  const auto sent = client.commandsSent();
  std::this_thread::sleep_for(lease * 5 / 2); // without a hold
  EXPECT_EQ(calls("pexpire"), before);
  EXPECT_EQ(client.commandsSent(), sent);
}

TEST_P(Lease, ofAPersistedLockIsHealedByTheNextRenewal) {
  auto &one = party().owner(primitive(), "k", {.lease = shortLease()});
  ASSERT_TRUE(one.takes());
  everywhere({"PERSIST", keyOf("k")});
  EXPECT_TRUE(eventually([&] { return probe().number({"PTTL", keyOf("k")}) > 0; }));
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
}

TEST_P(Lease, isLostWhenAThirdPartyDeletesTheKey) {
  auto &one = party().owner(primitive(), "k", {.lease = 600ms});
  ASSERT_TRUE(one.takes());
  deleteHeld("k");
  ASSERT_TRUE(eventually([&] { return one.loss().has_value(); }));
  EXPECT_EQ(one.loss(), LossReason::Deleted);
  EXPECT_FALSE(keyExists("k")) << "a renewal never makes the key again";
  EXPECT_EQ(one.release(), ReleaseOutcome::NotOwner);
}

TEST_P(Lease, isLostWhenTheKeyChangesItsType) {
  auto &one = party().owner(primitive(), "k", {.lease = 600ms});
  ASSERT_TRUE(one.takes());
  deleteHeld("k");
  everywhere({"RPUSH", keyOf("k"), "x"});
  ASSERT_TRUE(eventually([&] { return one.loss().has_value(); }));
  EXPECT_EQ(one.loss(), LossReason::TakenOver);
  EXPECT_EQ(one.release(), ReleaseOutcome::NotOwner);
  everywhere({"DEL", keyOf("k")});
}

TEST_P(Lease, isLostAtTheLocalDeadlineWhileTheServerSleeps) {
  auto &one = party({.connection = {.commandTimeout = 60s}, .handoffLimit = 64, .releaseLimit = 100ms}).owner(primitive(), "k", {.lease = shortLease()});
  ASSERT_TRUE(one.takes());
  const auto until = one.validUntil();
  server->pause();
  ASSERT_TRUE(eventually([&] { return one.loss().has_value(); })) << "no word from the server is needed";
  EXPECT_EQ(one.loss(), LossReason::LeaseEnded);
  EXPECT_GE(one.lostAt(), until);
  server->resume();
}

TEST_P(Lease, survivesAPauseOfTheServerThatIsShorter) {
  auto &one = party().owner(primitive(), "k", {.lease = 2000ms});
  ASSERT_TRUE(one.takes());
  server->pause();
  std::this_thread::sleep_for(700ms);
  server->resume();
  const auto before = one.validUntil();
  EXPECT_TRUE(eventually([&] { return one.validUntil() > before; }));
  EXPECT_FALSE(one.loss());
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
}

TEST_P(Lease, isLostAtOnceWhenTheServerIsRestartedEmpty) {
  auto &one = party({.connection = {.backoffBase = 5ms, .backoffCap = 50ms}, .handoffLimit = 64, .releaseLimit = 3s}).owner(primitive(), "k", {.lease = 60s});
  ASSERT_TRUE(one.takes());
  server->kill();
  ASSERT_TRUE(server->restart());
  renewProbes();
  ASSERT_TRUE(eventually([&] { return one.loss().has_value(); })) << "long before the next renewal";
  EXPECT_EQ(one.loss(), LossReason::ServerRestarted);
  EXPECT_EQ(one.release(), ReleaseOutcome::NotOwner);
}

TEST_P(Lease, isRenewedAgainAfterALossAndANewAcquire) {
  auto &one = party().owner(primitive(), "k", {.lease = shortLease()});
  ASSERT_TRUE(one.takes());
  deleteHeld("k");
  ASSERT_TRUE(eventually([&] { return one.loss().has_value(); }));
  ASSERT_TRUE(eventually([&] { return one.takes(); })) << "what is left of several keys is given back behind";
  const auto before = one.validUntil();
  EXPECT_TRUE(eventually([&] { return one.validUntil() > before + 300ms; }));
  EXPECT_TRUE(keyExists("k"));
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
}

TEST_P(LeaseBesideAWaiter, aWaiterOfTheSameClientTakesOverALockThatWasDeletedUnderItsHolder) {
  auto &client = party();
  auto &holder = client.owner(primitive(), "k", {.lease = 60s});
  ASSERT_TRUE(holder.takes());
  auto &waiter = client.owner(primitive(), "k");
  auto waiting = waiter.start(countsInClient(making()) ? AcquirePolicy::backoff() : AcquirePolicy::pubSub());
  deleteWhole("k");
  EXPECT_TRUE(std::holds_alternative<Acquired>(waiting.get())) << "it asks the server now and then, not only its neighbour";
  EXPECT_EQ(holder.release(), ReleaseOutcome::NotOwner);
  EXPECT_EQ(waiter.release(), ReleaseOutcome::Released);
}

/// Of primitives whose data name the holder.
class LeaseOfANamedHolder : public LockContract {};
INSTANTIATE_TEST_SUITE_P(Every, LeaseOfANamedHolder, testing::ValuesIn(worlds("LeaseOfANamedHolder", everyTopology, namesHolders)), contractName);

TEST_P(LeaseOfANamedHolder, isLostWhenSomebodyElseHasTheKey) {
  auto &one = party().owner(primitive(), "k", {.lease = 600ms});
  ASSERT_TRUE(one.takes());
  deleteHeld("k");
  takeAsStranger("k", 60s);
  ASSERT_TRUE(eventually([&] { return one.loss().has_value(); }));
  EXPECT_EQ(one.loss(), LossReason::TakenOver);
  const auto left = [this] { return probe(probes() - 1).number({"PTTL", keyOf("k")}); };
  EXPECT_GT(left(), 50'000) << "the stranger's lease is untouched";
  EXPECT_EQ(one.release(), ReleaseOutcome::NotOwner);
  EXPECT_GT(left(), 50'000);
  everywhere({"DEL", keyOf("k")});
}
