// SPDX-License-Identifier: Apache-2.0
#include "core/client/node/local_wait_queue.h"

#include <gtest/gtest.h>

#include <vector>

using namespace lockhouse;
using Kind = AcquireEvent::Kind;

namespace {

struct Guest final : public LocalWaitQueue::Waiter {
  void onEvent(AcquireEvent event, SteadyTime) override { told.push_back(event.kind); }
  void verifyHold(SteadyTime) override { ++looks; }
  bool isReader() const override { return reads; }
  std::vector<Kind> heard() { return std::exchange(told, {}); }
  std::vector<Kind> told;
  int looks = 0;
  bool reads = false;
};

using Told = std::vector<Kind>;

class LocalWaitQueueTest : public testing::Test {
protected:
  LocalWaitQueue waitQueue{LocalWaitQueue::Kind::InClient, 3};
  Guest a, b, c;
  SteadyTime now{};
};

} // namespace

TEST_F(LocalWaitQueueTest, letsTheFirstAskAndTheOthersStandInLine) {
  waitQueue.enter(a, true, now);
  waitQueue.enter(b, true, now);
  EXPECT_EQ(a.heard(), Told{Kind::Start});
  EXPECT_EQ(b.heard(), Told{Kind::WaitInQueue});
}

TEST_F(LocalWaitQueueTest, theNextMovesUpBehindTheOneInside) {
  waitQueue.enter(a, true, now);
  waitQueue.enter(b, true, now);
  b.heard();
  waitQueue.acquired(a, now);
  EXPECT_EQ(b.heard(), Told{Kind::TurnWhileHeld});
  waitQueue.released(a, now);
  EXPECT_EQ(b.heard(), Told{Kind::Woken});
}

TEST_F(LocalWaitQueueTest, theNextMovesUpAndAsksWhenTheFirstGivesUp) {
  waitQueue.enter(a, true, now);
  waitQueue.enter(b, true, now);
  b.heard();
  waitQueue.leave(a, now);
  EXPECT_EQ(b.heard(), Told{Kind::Turn});
}

TEST_F(LocalWaitQueueTest, whoGivesUpInTheMiddleIsClosedUpOver) {
  for (auto *guest : {&a, &b, &c})
    waitQueue.enter(*guest, true, now);
  waitQueue.leave(b, now);
  c.heard();
  waitQueue.leave(a, now);
  EXPECT_EQ(c.heard(), Told{Kind::Turn});
  waitQueue.leave(c, now);
  waitQueue.enter(a, true, now);
  EXPECT_EQ(a.heard().back(), Kind::Start) << "nobody is left in the line";
}

TEST_F(LocalWaitQueueTest, whoComesWhileOneOfUsIsInsideWaitsForHim) {
  waitQueue.enter(a, true, now);
  waitQueue.acquired(a, now);
  waitQueue.enter(b, true, now);
  EXPECT_EQ(b.heard(), (Told{Kind::WaitInQueue, Kind::TurnWhileHeld}));
}

TEST_F(LocalWaitQueueTest, whoDoesNotWaitDoesNotStandInLine) {
  waitQueue.enter(a, true, now);
  waitQueue.enter(b, false, now);
  EXPECT_EQ(b.heard(), Told{Kind::Start});
  a.heard();
  waitQueue.leave(b, now);
  EXPECT_EQ(a.heard(), Told{}) << "he was not in the line";
}

TEST_F(LocalWaitQueueTest, afterSoManyHandoffsOthersAreLetIn) {
  Guest *inside = &a;
  Guest *next = &b;
  waitQueue.enter(*inside, true, now);
  waitQueue.acquired(*inside, now);
  for (int handoff = 1; handoff <= 3; ++handoff) {
    waitQueue.enter(*next, true, now);
    next->heard();
    waitQueue.released(*inside, now);
    EXPECT_EQ(next->heard(), Told{handoff < 3 ? Kind::Woken : Kind::TurnAfterPause});
    waitQueue.acquired(*next, now);
    std::swap(inside, next);
  }
}

TEST_F(LocalWaitQueueTest, anEmptyLineEndsTheRunOfHandoffs) {
  for (int i = 0; i < 10; ++i) {
    waitQueue.enter(a, true, now);
    waitQueue.acquired(a, now);
    waitQueue.released(a, now);
  }
  waitQueue.enter(a, true, now);
  waitQueue.acquired(a, now);
  waitQueue.enter(b, true, now);
  b.heard();
  waitQueue.released(a, now);
  EXPECT_EQ(b.heard(), Told{Kind::Woken});
}

TEST_F(LocalWaitQueueTest, aConfirmedReleaseIsToldToTheFirstInLine) {
  waitQueue.enter(a, true, now);
  waitQueue.enter(b, true, now);
  a.heard();
  b.heard();
  waitQueue.releaseConfirmed(now);
  EXPECT_EQ(a.heard(), Told{Kind::ReleaseConfirmed});
  EXPECT_EQ(b.heard(), Told{});
}

TEST_F(LocalWaitQueueTest, aConfirmedReleaseSaysNothingWhileOneOfUsIsInside) {
  waitQueue.enter(a, true, now);
  waitQueue.acquired(a, now);
  waitQueue.enter(b, true, now);
  b.heard();
  waitQueue.releaseConfirmed(now);
  EXPECT_EQ(b.heard(), Told{});
}

TEST_F(LocalWaitQueueTest, aStrangersMessageWakesTheFirstAndMakesTheOneInsideLook) {
  waitQueue.enter(a, true, now);
  waitQueue.acquired(a, now);
  waitQueue.enter(b, true, now);
  b.heard();
  waitQueue.messageReceived(now);
  EXPECT_EQ(b.heard(), Told{Kind::Woken});
  EXPECT_EQ(a.looks, 1);
}

TEST_F(LocalWaitQueueTest, itsOwnMessageSaysNothingNew) {
  waitQueue.enter(a, true, now);
  waitQueue.expectOwnMessage();
  waitQueue.messageReceived(now);
  EXPECT_EQ(a.heard(), Told{Kind::Start});
  waitQueue.messageReceived(now);
  EXPECT_EQ(a.heard(), Told{Kind::Woken}) << "only one was its own";
  waitQueue.expectOwnMessage();
  waitQueue.forgetOwnMessages();
  waitQueue.messageReceived(now);
  EXPECT_EQ(a.heard(), Told{Kind::Woken});
}

class ServerGateTest : public LocalWaitQueueTest {
protected:
  ServerGateTest() { waitQueue = LocalWaitQueue(LocalWaitQueue::Kind::AtServer, 3); }
};

TEST_F(ServerGateTest, everybodyAsksAndTheFirstSeesToTheLine) {
  waitQueue.enter(a, true, now);
  waitQueue.enter(b, true, now);
  EXPECT_EQ(a.heard(), (Told{Kind::Start, Kind::Turn}));
  EXPECT_EQ(b.heard(), Told{Kind::Start});
  waitQueue.acquired(a, now);
  EXPECT_EQ(b.heard(), Told{Kind::Turn});
  EXPECT_EQ(waitQueue.holder(), nullptr) << "several may be in";
}

TEST_F(ServerGateTest, aMessageWakesEverybody) {
  waitQueue.enter(a, true, now);
  waitQueue.enter(b, true, now);
  a.heard();
  b.heard();
  waitQueue.messageReceived(now);
  EXPECT_EQ(a.heard(), Told{Kind::Woken});
  EXPECT_EQ(b.heard(), Told{Kind::Woken});
}

class CohortGateTest : public LocalWaitQueueTest {
protected:
  CohortGateTest() { waitQueue = LocalWaitQueue(LocalWaitQueue::Kind::Cohort, 3); }
};

TEST_F(CohortGateTest, whoAsksFirstSeesToThePlacesOfAll) {
  waitQueue.enter(a, true, now);
  EXPECT_EQ(a.heard(), (Told{Kind::Start, Kind::Turn}));
}

TEST_F(CohortGateTest, whoWaitsForOneOfUsDoesNotAsk) {
  waitQueue.enter(a, true, now);
  waitQueue.acquired(a, now);
  waitQueue.enter(b, true, now);
  EXPECT_EQ(b.heard(), Told{Kind::WaitInQueue});
  EXPECT_EQ(waitQueue.successor(), &b);
}

TEST_F(CohortGateTest, handsOnUpToTheLimitAndThenLetsOthersIn) {
  waitQueue.enter(a, true, now);
  waitQueue.acquired(a, now);
  waitQueue.enter(b, true, now);
  waitQueue.handedOver(b, now);
  EXPECT_EQ(waitQueue.holder(), &b);
  waitQueue.acquired(b, now);
  waitQueue.enter(a, true, now);
  ASSERT_EQ(waitQueue.successor(), &a);
  waitQueue.handedOver(a, now);
  waitQueue.acquired(a, now);
  waitQueue.enter(b, true, now);
  EXPECT_EQ(waitQueue.successor(), nullptr) << "a hold of the server, and two handed on";
  b.heard();
  waitQueue.released(a, now);
  EXPECT_EQ(b.heard(), Told{Kind::Turn});
}

/// Of locks that let several in.
class RoomyGateTest : public testing::Test {
protected:
  /// All have come, and the first was refused before the others came.
  void fill() {
    waitQueue.enter(a, true, now);
    waitQueue.refused(a);
    for (auto *guest : {&b, &c, &d})
      waitQueue.enter(*guest, true, now);
    for (auto *guest : {&a, &b, &c, &d})
      guest->heard();
  }
  LocalWaitQueue waitQueue{LocalWaitQueue::Kind::WhileFull, 64};
  Guest a, b, c, d, e;
  SteadyTime now{};
};

TEST_F(RoomyGateTest, letsEveryoneAskUntilOneIsRefused) {
  waitQueue.enter(a, true, now);
  waitQueue.enter(b, true, now);
  EXPECT_EQ(b.heard(), Told{Kind::Start});
  waitQueue.refused(a);
  waitQueue.enter(c, true, now);
  EXPECT_EQ(c.heard(), Told{Kind::WaitInQueue});
  waitQueue.acquired(b, now);
  waitQueue.leave(a, now);
  EXPECT_EQ(c.heard(), Told{Kind::Turn}) << "he may need less";
  waitQueue.acquired(c, now);
  waitQueue.enter(d, true, now);
  EXPECT_EQ(d.heard(), Told{Kind::Start}) << "nobody stands in line";
}

TEST_F(RoomyGateTest, whoAskedOnceAndDoesNotWaitMakesItNotFull) {
  waitQueue.enter(a, false, now);
  waitQueue.refused(a);
  waitQueue.enter(b, true, now);
  EXPECT_EQ(b.heard(), Told{Kind::Start});
}

TEST_F(RoomyGateTest, aReleaseOrAMessageIsForTheFirst) {
  fill();
  waitQueue.released(e, now);
  waitQueue.messageReceived(now);
  EXPECT_EQ(a.heard(), (Told{Kind::Woken, Kind::Woken}));
  EXPECT_TRUE(b.heard().empty());
  waitQueue.acquired(a, now);
  EXPECT_EQ(b.heard(), Told{Kind::TurnWhileHeld}) << "there may be no room for more: he listens";
  EXPECT_TRUE(c.heard().empty());
}

TEST_F(RoomyGateTest, asManyAskAsThereIsRoomFor) {
  fill();
  waitQueue.acquired(a, now);
  b.heard();
  waitQueue.wakeForPlaces(a, 2, now);
  EXPECT_EQ(b.heard(), Told{Kind::Woken});
  EXPECT_EQ(c.heard(), Told{Kind::Turn});
  EXPECT_TRUE(d.heard().empty());
  waitQueue.wakeForPlaces(a, 0, now);
  EXPECT_TRUE(b.heard().empty());
}

TEST_F(RoomyGateTest, readersDoNotPassAWriterInTheLine) {
  a.reads = b.reads = d.reads = true;
  fill();
  waitQueue.acquired(a, now);
  b.heard();
  waitQueue.wakeForPlaces(a, 1'000'000, now);
  EXPECT_EQ(b.heard(), Told{Kind::Woken});
  EXPECT_TRUE(c.heard().empty());
  EXPECT_TRUE(d.heard().empty());
  waitQueue.acquired(b, now);
  EXPECT_EQ(c.heard(), Told{Kind::TurnWhileHeld});
  waitQueue.released(a, now);
  EXPECT_EQ(c.heard(), Told{Kind::Woken});
  waitQueue.acquired(c, now);
  EXPECT_EQ(d.heard(), Told{Kind::TurnWhileHeld});
}

TEST_F(RoomyGateTest, allHearWhetherTheyAreHeard) {
  fill();
  waitQueue.notifyAskers({Kind::Subscribed}, now);
  for (auto *guest : {&a, &b, &c, &d})
    EXPECT_EQ(guest->heard(), Told{Kind::Subscribed});
}
