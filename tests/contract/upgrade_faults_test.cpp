// SPDX-License-Identifier: Apache-2.0
// A reader becomes the writer while processes end, replies are lost and data vanish.
#include "tests/contract/world/upgrade_world.h"
#include "tests/support/proxy.h"

using namespace lockhouse;
using namespace lockhouse::test;

namespace {

constexpr const char *gone = "0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02";

NodeDriver::Options quick(milliseconds commandTimeout = 200ms) {
  return {.connection = {.commandTimeout = commandTimeout, .backoffBase = 5ms, .backoffCap = 50ms}, .handoffLimit = 64, .releaseLimit = 5s};
}

} // namespace

class UpgradeFaults : public UpgradeWorld {
protected:
  void SetUp() override {
    UpgradeWorld::SetUp();
    proxy.emplace(server->tcpUri());
  }
  /// A reader of a process that ended, with its wish to become the writer, whose hold has so much left, and its other places more.
  void standDead(milliseconds left) {
    const std::string owner = std::string(gone) + ":7";
    probe()({"ZADD", "k", std::to_string(serverTime() + left.count()), "r/" + owner});
    probe()({"ZADD", "lockhouse:queue:{k}", "-9007199254740992", "u1/" + owner});
    probe()({"HSET", "lockhouse:deadlines:{k}", gone, std::to_string(serverTime() + 60'000)});
  }
  std::optional<Proxy> proxy;
};
INSTANTIATE_TEST_SUITE_P(Every, UpgradeFaults, testing::Combine(testing::Values("FairReadWriteLock"), testing::Values(Topology::Tcp)), contractName);

TEST_P(UpgradeFaults, theWishOfAProcessThatEndedEndsWithItsHold) {
  auto &reading = reads(900ms);
  standDead(600ms);
  auto &late = party().owner(primitive(), "k", reader(900ms));
  EXPECT_FALSE(late.takes());
  EXPECT_EQ(codeOf(reading.upgrade()), ErrorCode::Deadlock);
  const auto began = SteadyClock::now();
  ASSERT_TRUE(isIn(late.start(AcquirePolicy::fair(), 20s).get()));
  EXPECT_LT(SteadyClock::now() - began, 10s) << "not the minute that its client's places last";
  EXPECT_EQ(queued(), 0);
  EXPECT_EQ(late.release(), ReleaseOutcome::Released);
  EXPECT_TRUE(isIn(reading.upgrade(20s)));
  EXPECT_EQ(reading.release(), ReleaseOutcome::Released);
}

TEST_P(UpgradeFaults, aClientThatIsCutOffWhileItWaitsIsToldOfTheLossAndKeepsNobodyOutLonger) {
  auto &other = reads(30s);
  auto &one = reads(partyAt(proxy->uri(), quick()), 600ms);
  auto upgrading = one.startUpgrade();
  ASSERT_TRUE(eventually([&] { return queued() == 1; }));
  auto &late = party().owner(primitive(), "k", reader(600ms));
  auto waiting = late.start();
  ASSERT_TRUE(eventually([&] { return queued() == 2; }));
  proxy->blackHole(true);
  const auto outcome = endOf(upgrading);
  EXPECT_TRUE(std::holds_alternative<Failed>(outcome) || std::holds_alternative<InDoubt>(outcome));
  ASSERT_TRUE(eventually([&] { return one.loss().has_value(); }));
  EXPECT_FALSE(one.isHeld());
  ASSERT_TRUE(isIn(endOf(waiting))) << "though nobody has told the server anything";
  proxy->blackHole(false);
  proxy->cut();
  EXPECT_EQ(late.release(), ReleaseOutcome::Released);
  EXPECT_EQ(other.release(), ReleaseOutcome::Released);
}

TEST_P(UpgradeFaults, aWishWhoseReplyIsLostIsInDoubtAndTakenBack) {
  auto &client = partyAt(proxy->uri(), quick());
  for (const bool alone : {true, false}) {
    SCOPED_TRACE(alone ? "the server had made it the writer" : "the server had given it its place");
    auto &one = reads(client);
    auto *other = alone ? nullptr : &reads();
    proxy->cutInsteadOfReply(1);
    const auto outcome = one.upgrade();
    ASSERT_TRUE(std::holds_alternative<InDoubt>(outcome));
    EXPECT_TRUE(one.isHeld()) << "a reader all the time";
    ASSERT_TRUE(eventually([&] { return kinds() == (alone ? "r" : "rr") && queued() == 0; }, 10s)) << kinds();
    auto &late = party().owner(primitive(), "k", reader());
    EXPECT_TRUE(isIn(late.tryAcquire()));
    EXPECT_EQ(late.release(), ReleaseOutcome::Released);
    if (other != nullptr) {
      EXPECT_EQ(other->release(), ReleaseOutcome::Released);
    }
    ASSERT_TRUE(eventually([&] { return client.isSettled(); }));
    EXPECT_TRUE(isIn(one.upgrade(20s)));
    EXPECT_FALSE(one.loss());
    EXPECT_EQ(one.release(), ReleaseOutcome::Released);
  }
}

TEST_P(UpgradeFaults, aDowngradeWhoseReplyIsLostIsTriedAgain) {
  auto &writer = partyAt(proxy->uri(), quick()).owner(primitive(), "k", {.lease = 2s});
  ASSERT_TRUE(writer.takes());
  auto &waiting = party().owner(primitive(), "k", reader());
  auto reading = waiting.start();
  ASSERT_TRUE(eventually([&] { return queued() == 1; }));
  proxy->blackHole(true);
  EXPECT_TRUE(writer.becomesReader()) << "and nothing of it arrives";
  EXPECT_TRUE(waits(reading));
  proxy->blackHole(false);
  ASSERT_TRUE(isIn(endOf(reading)));
  EXPECT_TRUE(writer.isHeld());
  EXPECT_FALSE(writer.loss());
  EXPECT_EQ(writer.release(), ReleaseOutcome::Released);
  EXPECT_EQ(waiting.release(), ReleaseOutcome::Released);
}

TEST_P(UpgradeFaults, aWriterWhoseDowngradeDidNotArriveMayBecomeTheWriterAgain) {
  auto &writer = partyAt(proxy->uri(), quick()).owner(primitive(), "k", {.lease = 5s});
  ASSERT_TRUE(writer.takes());
  proxy->blackHole(true);
  EXPECT_TRUE(writer.becomesReader());
  for (int i = 0; i < 8; ++i)
    EXPECT_FALSE(isIn(writer.upgrade(0ms))) << "not heard either";
  EXPECT_EQ(codeOf(writer.upgrade(0ms)), ErrorCode::InDoubt) << "the server shall not have to look for any number of them";
  proxy->blackHole(false);
  ASSERT_TRUE(eventually([&] { return isIn(writer.upgrade(5s)); }));
  EXPECT_EQ(kinds(), "w");
  EXPECT_FALSE(writer.loss());
  EXPECT_EQ(writer.release(), ReleaseOutcome::Released);
}

TEST_P(UpgradeFaults, everyReplyOfALifeMayBeLostAndNothingIsLeft) {
  for (int n = 1; n <= 9; ++n) {
    SCOPED_TRACE(n);
    auto &one = partyAt(proxy->uri(), quick()).owner(primitive(), "k", reader());
    auto &other = reads();
    proxy->cutInsteadOfReply(n);
    if (isIn(one.start(AcquirePolicy::fair(), 5s).get())) {
      auto upgrading = one.startUpgrade(1s);
      EXPECT_EQ(other.release(), ReleaseOutcome::Released);
      if (isIn(upgrading.get()))
        one.becomesReader();
      one.upgrade(0ms);
      const auto released = one.release();
      EXPECT_TRUE(released == ReleaseOutcome::Released || released == ReleaseOutcome::NotOwner) << name(released);
    } else
      EXPECT_EQ(other.release(), ReleaseOutcome::Released);
    proxy->cutInsteadOfReply(0);
    ASSERT_TRUE(eventually([&] { return !keyExists("k") && queued() == 0; }, 10s)) << kinds();
  }
}

TEST_P(UpgradeFaults, flushedDataAreALossAndTheWishFails) {
  for (const bool wholly : {true, false}) {
    SCOPED_TRACE(wholly ? "all" : "the hold only");
    auto &one = reads(600ms);
    auto &two = reads(600ms);
    auto upgrading = one.startUpgrade();
    ASSERT_TRUE(eventually([&] { return queued() == 1; }));
    if (wholly)
      probe()({"FLUSHALL"});
    else
      probe()({"DEL", "k"});
    EXPECT_EQ(codeOf(endOf(upgrading)), ErrorCode::Server) << "it never becomes the writer of what is not there";
    ASSERT_TRUE(eventually([&] { return one.loss().has_value(); }));
    EXPECT_NE(one.loss(), LossReason::LeaseEnded);
    EXPECT_EQ(one.release(), ReleaseOutcome::NotOwner);
    two.release();
  }
}

TEST_P(UpgradeFaults, aReaderThatWasPutOutIsToldAndTheWishFails) {
  auto &one = reads(900ms);
  auto &two = reads(900ms);
  auto upgrading = one.startUpgrade();
  ASSERT_TRUE(eventually([&] { return queued() == 1; }));
  const Reply queue = probe()({"ZRANGE", "lockhouse:queue:{k}", "0", "0"});
  const auto mark = std::string(queue.array().at(0).text().value());
  EXPECT_EQ(probe().number({"ZREM", "k", "r" + mark.substr(mark.find('/'))}), 1);
  EXPECT_EQ(codeOf(endOf(upgrading)), ErrorCode::Server);
  ASSERT_TRUE(eventually([&] { return one.loss().has_value(); }));
  EXPECT_EQ(one.loss(), LossReason::TakenOver);
  one.release();
  EXPECT_TRUE(two.isHeld());
  EXPECT_EQ(two.release(), ReleaseOutcome::Released);
}

TEST_P(UpgradeFaults, aFlushedScriptCacheIsNotNoticed) {
  auto &one = reads();
  auto &two = reads();
  probe()({"SCRIPT", "FLUSH"});
  auto upgrading = one.startUpgrade();
  ASSERT_TRUE(eventually([&] { return queued() == 1; }));
  probe()({"SCRIPT", "FLUSH"});
  EXPECT_EQ(two.release(), ReleaseOutcome::Released);
  ASSERT_TRUE(isIn(endOf(upgrading)));
  probe()({"SCRIPT", "FLUSH"});
  EXPECT_TRUE(one.becomesReader());
  EXPECT_TRUE(eventually([&] { return kinds() == "r"; }));
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
}

TEST_P(UpgradeFaults, aDowngradeThatIsOvertakenSinceTheServerHadToBeTaughtItIsNoLoss) {
  auto &client = party();
  auto &writer = client.owner(primitive(), "k");
  ASSERT_TRUE(writer.takes());
  const LockName key("k");
  const LockToken nobody("nobody:1");
  for (int i = 0; i < 3; ++i) {
    probe()({"SCRIPT", "FLUSH"});
    const auto ask = primitive().acquire({.name = key, .owner = nobody, .lease = 30s, .count = 1, .upgrading = true}, false);
    probe()({"SCRIPT", "LOAD", ask.script()->body});
    auto upgrading = writer.startToAndFro();
    ASSERT_TRUE(isIn(endOf(upgrading)));
    EXPECT_TRUE(eventually([&] { return probe().calls("eval") > static_cast<std::uint64_t>(i); })) << "the downgrade, behind the upgrade";
    client.turn(3);
    EXPECT_EQ(kinds(), "w");
    EXPECT_FALSE(writer.loss());
    EXPECT_TRUE(writer.isHeld());
  }
  EXPECT_EQ(writer.release(), ReleaseOutcome::Released);
}

/// What is sent twice, or comes late, by a slower road.
class LateCommands : public UpgradeWorld {
protected:
  Reply run(const Command &command) {
    std::vector<std::string_view> words{"EVAL", command.script()->body};
    for (std::size_t i = 2; i < command.size(); ++i)
      words.push_back(command[i]);
    return probe()(words);
  }
  Primitive::Ask ask(std::int64_t upgrades, bool reads, bool upgrading = false) const {
    return {.name = key,
            .owner = owner,
            .lease = 30s,
            .count = 1,
            .mode = {.shared = reads},
            .waits = true,
            .upgrades = upgrades,
            .settledUpgrades = std::max<std::int64_t>(upgrades - 1, 0),
            .upgrading = upgrading};
  }
  AcquireAnswer::Kind upgrade(std::int64_t number) { return primitive().readAcquire(run(primitive().acquire(ask(number, true, true), false))).kind; }
  RenewAnswer renew(std::int64_t upgrades, bool reads, bool upgrading = false) {
    return primitive().readRenew(run(primitive().renew(ask(upgrades, reads, upgrading))));
  }
  ReleaseAnswer release(std::int64_t upgrades, std::int64_t left) {
    auto what = ask(upgrades, true);
    what.count = left;
    return primitive().readRelease(run(primitive().release(what, false)));
  }
  const LockName key{"k"};
  const LockToken owner{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:42"};
};
INSTANTIATE_TEST_SUITE_P(Every, LateCommands, testing::Combine(testing::Values("FairReadWriteLock"), testing::Values(Topology::UnixSocket)), contractName);

TEST_P(LateCommands, ofOneUpgradeCountOnceAndNotForTheNext) {
  using Kind = AcquireAnswer::Kind;
  EXPECT_EQ(primitive().readAcquire(run(primitive().acquire(ask(0, true), false))).kind, Kind::Granted);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(upgrade(1), Kind::Granted);
  EXPECT_EQ(kinds(), "w");
  EXPECT_EQ(renew(0, true), RenewAnswer::TakenOver) << "a reader's renewal from before: the writer stays the writer";
  EXPECT_EQ(kinds(), "w");
  EXPECT_EQ(renew(1, true, true), RenewAnswer::Renewed) << "sent before the grant was known";
  EXPECT_EQ(kinds(), "w");
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(renew(1, true), RenewAnswer::Renewed) << "a reader again";
  EXPECT_EQ(kinds(), "r");
  EXPECT_EQ(upgrade(2), Kind::Granted);
  EXPECT_EQ(renew(1, true), RenewAnswer::TakenOver) << "late: not a reader again by the word of the time before";
  EXPECT_EQ(renew(1, false), RenewAnswer::TakenOver);
  EXPECT_EQ(release(1, 1), ReleaseAnswer::NotOwner);
  EXPECT_EQ(upgrade(1), Kind::HoldLost);
  EXPECT_EQ(kinds(), "w");
  EXPECT_EQ(renew(2, false), RenewAnswer::Renewed);
  EXPECT_EQ(release(2, 0), ReleaseAnswer::Released);
  EXPECT_EQ(release(2, 0), ReleaseAnswer::NotOwner);
  EXPECT_EQ(upgrade(2), Kind::HoldLost) << "a wish that comes behind the release finds nothing";
  EXPECT_EQ(upgrade(3), Kind::HoldLost);
}

TEST_P(LateCommands, ofADowngradeThatNeverCameMissNothing) {
  EXPECT_EQ(primitive().readAcquire(run(primitive().acquire(ask(0, false), false))).kind, AcquireAnswer::Kind::Granted);
  EXPECT_EQ(renew(1, true, true), RenewAnswer::Renewed) << "it believes to be a reader and asks to be the writer, which it still is";
  EXPECT_EQ(kinds(), "w");
  EXPECT_EQ(upgrade(1), AcquireAnswer::Kind::Granted);
  EXPECT_EQ(renew(0, true), RenewAnswer::TakenOver) << "the downgrade, late";
  EXPECT_EQ(kinds(), "w");
  EXPECT_EQ(release(1, 1), ReleaseAnswer::Released) << "taken back";
  EXPECT_EQ(kinds(), "r");
  EXPECT_EQ(release(1, 0), ReleaseAnswer::Released);
}
