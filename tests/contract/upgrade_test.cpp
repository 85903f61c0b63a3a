// SPDX-License-Identifier: Apache-2.0
// FairReadWriteLock: a writer goes on as a reader, and a reader as the writer.
#include "tests/contract/world/upgrade_world.h"

#include <algorithm>

using namespace lockhouse;
using namespace lockhouse::test;

class Upgrade : public UpgradeWorld {};
INSTANTIATE_TEST_SUITE_P(Every, Upgrade, testing::Combine(testing::Values("FairReadWriteLock"), testing::Values(Topology::UnixSocket)), contractName);

TEST_P(Upgrade, aWriterThatGoesOnAsAReaderLetsThoseReadersInThatWaitFirstAndNoWriter) {
  auto &client = party();
  auto &writer = client.owner(primitive(), "k");
  ASSERT_TRUE(writer.takes());
  auto &own = client.owner(primitive(), "k", reader()); // told by the inbox though of the same client: a renewal's answer tells nothing
  auto ownReading = own.start();
  ASSERT_TRUE(eventually([&] { return queued() == 1; }));
  auto &other = party().owner(primitive(), "k", reader());
  auto otherReading = other.start();
  ASSERT_TRUE(eventually([&] { return queued() == 2; }));
  auto &next = party().owner(primitive(), "k");
  auto nextWriting = next.start();
  ASSERT_TRUE(eventually([&] { return queued() == 3; }));
  auto &late = party().owner(primitive(), "k", reader());
  auto lateReading = late.start();
  ASSERT_TRUE(eventually([&] { return queued() == 4; }));

  EXPECT_TRUE(writer.becomesReader());
  EXPECT_FALSE(writer.becomesReader()) << "it is one";
  ASSERT_TRUE(isIn(endOf(ownReading))) << "long before a poll";
  ASSERT_TRUE(isIn(endOf(otherReading)));
  EXPECT_EQ(kinds(), "rrr");
  EXPECT_EQ(queued(), 2) << "the writer, and who came after it";
  EXPECT_TRUE(waits(nextWriting));
  EXPECT_TRUE(writer.isHeld());
  for (auto *one : {&writer, &own, &other})
    EXPECT_EQ(one->release(), ReleaseOutcome::Released);
  ASSERT_TRUE(isIn(endOf(nextWriting)));
  EXPECT_TRUE(waits(lateReading));
  EXPECT_EQ(next.release(), ReleaseOutcome::Released);
  ASSERT_TRUE(isIn(endOf(lateReading)));
  EXPECT_EQ(late.release(), ReleaseOutcome::Released);
}

TEST_P(Upgrade, aWriterThatGoesOnAsAReaderIsRenewedAsOne) {
  auto &writer = party().owner(primitive(), "k", {.lease = 300ms});
  ASSERT_TRUE(writer.takes());
  EXPECT_TRUE(writer.becomesReader());
  const auto before = writer.validUntil();
  ASSERT_TRUE(eventually([&] { return writer.validUntil() > before + 400ms; }));
  EXPECT_FALSE(writer.loss());
  EXPECT_EQ(kinds(), "r");
  EXPECT_EQ(writer.release(), ReleaseOutcome::Released);
}

TEST_P(Upgrade, ofTheOnlyReaderIsAtOnce) {
  auto &one = reads();
  const auto outcome = one.upgrade(0ms);
  ASSERT_TRUE(isIn(outcome));
  EXPECT_EQ(std::get<Acquired>(outcome).count, 1);
  EXPECT_EQ(kinds(), "w");
  EXPECT_FALSE(party().owner(primitive(), "k", reader()).takes());
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
}

TEST_P(Upgrade, ofALockThatHoldsAStrangersMemberFailsAndLetsNobodyIn) {
  auto &one = reads();
  auto &two = reads();
  const std::string client = "0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02"; // whose writer waits, and does not ask again
  probe()({"ZADD", "lockhouse:queue:{k}", "1", "w/" + client + ":1"});
  probe()({"HSET", "lockhouse:deadlines:{k}", client, inAMinute()});
  probe()({"ZADD", "k", "0", "note"});
  EXPECT_FALSE(isIn(one.upgrade(0ms)));
  EXPECT_EQ(kinds(), "nrr") << "who else reads is not seen behind it";
  EXPECT_EQ(queued(), 1);
  probe()({"ZREM", "k", "note"});
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
  EXPECT_EQ(kinds(), "r");
  EXPECT_EQ(two.release(), ReleaseOutcome::Released);
  EXPECT_EQ(kinds(), "w");
  probe()({"DEL", "k", "lockhouse:deadlines:{k}"});
}

TEST_P(Upgrade, aWriterThatGoesOnAsAReaderLetsNobodyInWhereAStrangersMemberHidesWhoIsThere) {
  auto &one = party().owner(primitive(), "k");
  ASSERT_TRUE(one.takes());
  const std::string client = "0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02";
  probe()({"ZADD", "lockhouse:queue:{k}", "1", "w/" + client + ":1"});
  probe()({"HSET", "lockhouse:deadlines:{k}", client, inAMinute()});
  probe()({"ZADD", "k", "0", "note"});
  EXPECT_TRUE(one.becomesReader());
  EXPECT_TRUE(eventually([&] { return kinds() == "nr"; })) << kinds();
  EXPECT_EQ(queued(), 1);
  probe()({"ZREM", "k", "note"});
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
  probe()({"DEL", "k", "lockhouse:deadlines:{k}"});
}

TEST_P(Upgrade, waitsForTheReadersAndGoesBeforeAllWhoWait) {
  auto &one = reads();
  auto &two = reads();
  auto &three = reads();
  auto &writer = party().owner(primitive(), "k");
  auto writing = writer.start(AcquirePolicy::writersFirst());
  ASSERT_TRUE(eventually([&] { return queued() == 1; }));
  auto &patient = party().owner(primitive(), "k", reader());
  auto reading = patient.start();
  ASSERT_TRUE(eventually([&] { return queued() == 2; }));
  auto upgrading = one.startUpgrade();
  ASSERT_TRUE(eventually([&] { return queued() == 3; }));
  EXPECT_TRUE(one.isHeld()) << "it reads on";
  EXPECT_FALSE(party().owner(primitive(), "k", reader()).takes()) << "no new reader comes in beside it";
  EXPECT_EQ(two.release(), ReleaseOutcome::Released);
  EXPECT_TRUE(waits(upgrading));
  EXPECT_EQ(three.release(), ReleaseOutcome::Released);
  ASSERT_TRUE(isIn(endOf(upgrading))) << "the last reader's release makes it the writer";
  EXPECT_EQ(kinds(), "w");
  EXPECT_TRUE(waits(writing));
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
  ASSERT_TRUE(isIn(endOf(writing)));
  EXPECT_EQ(writer.release(), ReleaseOutcome::Released);
  ASSERT_TRUE(isIn(endOf(reading)));
  EXPECT_EQ(patient.release(), ReleaseOutcome::Released);
}

TEST_P(Upgrade, ofTwoReadersOfOneClientWorksAsOfTwo) {
  auto &client = party();
  auto &one = reads(client);
  auto &two = reads(client);
  auto upgrading = one.startUpgrade();
  ASSERT_TRUE(eventually([&] { return queued() == 1; }));
  EXPECT_EQ(codeOf(two.upgrade()), ErrorCode::Deadlock);
  EXPECT_EQ(two.release(), ReleaseOutcome::Released);
  ASSERT_TRUE(isIn(endOf(upgrading))) << "told by the answer to the release of the same client";
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
}

TEST_P(Upgrade, ofASecondReaderFailsAtOnceAndTheFirstGetsThrough) {
  auto &one = reads();
  auto &two = reads();
  auto first = one.startUpgrade();
  ASSERT_TRUE(eventually([&] { return queued() == 1; }));
  const auto refused = two.upgrade();
  ASSERT_EQ(codeOf(refused), ErrorCode::Deadlock);
  EXPECT_THAT(std::get<Failed>(refused).error.sentence(), testing::HasSubstr("becoming the writer"));
  EXPECT_EQ(codeOf(two.upgrade(0ms)), ErrorCode::Deadlock) << "asked once too";
  EXPECT_TRUE(two.isHeld()) << "a reader as before";
  EXPECT_EQ(queued(), 1);
  EXPECT_TRUE(waits(first));
  EXPECT_EQ(two.release(), ReleaseOutcome::Released);
  ASSERT_TRUE(isIn(endOf(first)));
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
}

TEST_P(Upgrade, ofManyAtOnceIsOfExactlyOne) {
  for (int round = 0; round < 30; ++round) {
    std::vector<Owner *> all;
    for (int i = 0; i < 4; ++i)
      all.push_back(&reads());
    std::vector<std::future<AcquireOutcome>> wishes;
    for (auto *one : all)
      wishes.push_back(one->startUpgrade());
    const auto isTold = [](const auto &wish) { return wish.wait_for(0ms) == std::future_status::ready; };
    ASSERT_TRUE(eventually([&] { return std::ranges::count_if(wishes, isTold) == 3; }));
    const auto chosen = std::ranges::find_if_not(wishes, isTold) - wishes.begin();
    for (std::ptrdiff_t i = 0; i < 4; ++i)
      if (i != chosen) {
        EXPECT_EQ(codeOf(wishes[static_cast<std::size_t>(i)].get()), ErrorCode::Deadlock);
        EXPECT_EQ(all[static_cast<std::size_t>(i)]->release(), ReleaseOutcome::Released);
      }
    EXPECT_TRUE(isIn(endOf(wishes[static_cast<std::size_t>(chosen)])));
    EXPECT_EQ(all[static_cast<std::size_t>(chosen)]->release(), ReleaseOutcome::Released);
  }
}

TEST_P(Upgrade, thatIsAskedForOnceLeavesNoMark) {
  auto &one = reads();
  auto &two = reads();
  EXPECT_TRUE(std::holds_alternative<Contended>(one.upgrade(0ms)));
  EXPECT_EQ(queued(), 0);
  EXPECT_TRUE(isIn(party().owner(primitive(), "k", reader()).tryAcquire())) << "nobody is kept out";
  EXPECT_TRUE(one.isHeld());
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
  EXPECT_EQ(two.release(), ReleaseOutcome::Released);
  probe()({"DEL", "k", "lockhouse:deadlines:{k}"});
}

TEST_P(Upgrade, thatTimesOutOrIsCancelledLeavesAReaderAndLetsThoseInWhomItKeptOut) {
  auto &one = reads();
  auto &two = reads();
  for (const bool cancelled : {false, true}) {
    SCOPED_TRACE(cancelled);
    auto upgrading = one.startUpgrade(cancelled ? std::nullopt : std::optional<milliseconds>(300ms));
    ASSERT_TRUE(eventually([&] { return queued() == 1; }));
    auto &kept = party().owner(primitive(), "k", reader());
    auto reading = kept.start();
    ASSERT_TRUE(eventually([&] { return queued() == 2; }));
    if (cancelled)
      one.cancel();
    const auto outcome = endOf(upgrading);
    EXPECT_TRUE(cancelled ? std::holds_alternative<Cancelled>(outcome) : std::holds_alternative<TimedOut>(outcome));
    ASSERT_TRUE(isIn(endOf(reading))) << "long before a poll";
    EXPECT_TRUE(one.isHeld());
    EXPECT_EQ(kinds(), "rrr");
    EXPECT_TRUE(eventually([&] { return probe().number({"EXISTS", "lockhouse:queue:{k}", "lockhouse:deadlines:{k}"}) == 0; }));
    EXPECT_EQ(kept.release(), ReleaseOutcome::Released);
  }
  EXPECT_EQ(two.release(), ReleaseOutcome::Released);
  EXPECT_TRUE(isIn(one.upgrade(20s))) << "and may be wished for again";
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
}

TEST_P(Upgrade, maySwitchToAndFroAndLeavesNothing) {
  auto &one = reads();
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(isIn(one.upgrade()));
    EXPECT_TRUE(one.becomesReader());
    if (i % 2 == 0) {
      ASSERT_TRUE(eventually([&] { return kinds() == "r"; }));
    }
  }
  EXPECT_EQ(codeOf(party().owner(primitive(), "k", reader()).upgrade()), ErrorCode::Usage) << "nothing is held";
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
  EXPECT_FALSE(keyExists("k"));
}

TEST_P(Upgrade, isRefusedWhereItMakesNoSense) {
  auto &writer = party().owner(primitive(), "k");
  ASSERT_TRUE(writer.takes());
  EXPECT_EQ(codeOf(writer.upgrade()), ErrorCode::Usage) << "it is the writer";
  EXPECT_EQ(writer.release(), ReleaseOutcome::Released);
  auto &one = reads();
  auto &two = reads();
  auto upgrading = one.startUpgrade();
  EXPECT_EQ(codeOf(one.upgrade()), ErrorCode::Usage) << "one at a time";
  EXPECT_EQ(one.release(), ReleaseOutcome::Failed);
  EXPECT_FALSE(one.becomesReader());
  one.cancel();
  EXPECT_TRUE(std::holds_alternative<Cancelled>(endOf(upgrading)));
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
  EXPECT_EQ(two.release(), ReleaseOutcome::Released);
}

TEST_P(Upgrade, thatWaitsLongerThanALeaseKeepsItsHoldAndItsPlace) {
  auto &one = reads(300ms);
  auto &two = reads(300ms);
  auto upgrading = one.startUpgrade();
  ASSERT_TRUE(eventually([&] { return queued() == 1; }));
  const auto before = one.validUntil();
  ASSERT_TRUE(eventually([&] { return one.validUntil() > before + 900ms; }));
  EXPECT_EQ(queued(), 1);
  EXPECT_EQ(two.release(), ReleaseOutcome::Released);
  ASSERT_TRUE(isIn(endOf(upgrading)));
  const auto writes = one.validUntil();
  ASSERT_TRUE(eventually([&] { return one.validUntil() > writes + 400ms; })) << "renewed as the writer";
  EXPECT_EQ(kinds(), "w");
  EXPECT_FALSE(one.loss());
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
}

TEST_P(Upgrade, racesOfWishCancelAndReleaseLeaveNothing) {
  auto &client = party();
  auto &other = party();
  for (int i = 0; i < 200; ++i) {
    auto &one = client.owner(primitive(), "k", reader());
    auto &two = other.owner(primitive(), "k", reader());
    ASSERT_TRUE(one.takes() && two.takes());
    auto upgrading = one.startUpgrade({}, i % 5 == 0);
    client.turn(i % 4);
    auto leaving = two.startRelease();
    other.turn(i % 3);
    if (i % 3 == 0)
      one.destroy();
    else
      one.cancel();
    EXPECT_EQ(leaving.get(), ReleaseOutcome::Released);
    const bool writes = isIn(endOf(upgrading));
    if (i % 3 != 0) {
      EXPECT_TRUE(one.isHeld());
      EXPECT_TRUE(writes || eventually([&] { return kinds() == "r"; })) << kinds();
      EXPECT_EQ(one.release(), ReleaseOutcome::Released);
    }
    ASSERT_TRUE(eventually([&] { return client.isSettled() && !keyExists("k") && queued() == 0; }));
  }
}
