// SPDX-License-Identifier: Apache-2.0
#include "core/client/node/key_gate.h"

#include <gtest/gtest.h>

#include <vector>

using namespace lockhouse;
using Kind = AcquireEvent::Kind;

namespace {

struct Guest final : public KeyGate::Visitor {
  void tell(AcquireEvent event, SteadyTime) override { told.push_back(event.kind); }
  void lookNow(SteadyTime) override { ++looks; }
  bool isReader() const override { return reads; }
  std::vector<Kind> heard() { return std::exchange(told, {}); }
  std::vector<Kind> told;
  int looks = 0;
  bool reads = false;
};

using Told = std::vector<Kind>;

class KeyGateTest : public testing::Test {
protected:
  KeyGate gate{KeyGate::Kind::InClient, 3};
  Guest a, b, c;
  SteadyTime now{};
};

} // namespace

TEST_F(KeyGateTest, letsTheFirstAskAndTheOthersStandInLine) {
  gate.enter(a, true, now);
  gate.enter(b, true, now);
  EXPECT_EQ(a.heard(), Told{Kind::Start});
  EXPECT_EQ(b.heard(), Told{Kind::StandInLine});
}

TEST_F(KeyGateTest, theNextMovesUpBehindTheOneInside) {
  gate.enter(a, true, now);
  gate.enter(b, true, now);
  b.heard();
  gate.letIn(a, now);
  EXPECT_EQ(b.heard(), Told{Kind::TurnInside});
  gate.goneOut(a, now);
  EXPECT_EQ(b.heard(), Told{Kind::Woken});
}

TEST_F(KeyGateTest, theNextMovesUpAndAsksWhenTheFirstGivesUp) {
  gate.enter(a, true, now);
  gate.enter(b, true, now);
  b.heard();
  gate.leave(a, now);
  EXPECT_EQ(b.heard(), Told{Kind::Turn});
}

TEST_F(KeyGateTest, whoGivesUpInTheMiddleIsClosedUpOver) {
  for (auto *guest : {&a, &b, &c})
    gate.enter(*guest, true, now);
  gate.leave(b, now);
  c.heard();
  gate.leave(a, now);
  EXPECT_EQ(c.heard(), Told{Kind::Turn});
  gate.leave(c, now);
  gate.enter(a, true, now);
  EXPECT_EQ(a.heard().back(), Kind::Start) << "nobody is left in the line";
}

TEST_F(KeyGateTest, whoComesWhileOneOfUsIsInsideWaitsForHim) {
  gate.enter(a, true, now);
  gate.letIn(a, now);
  gate.enter(b, true, now);
  EXPECT_EQ(b.heard(), (Told{Kind::StandInLine, Kind::TurnInside}));
}

TEST_F(KeyGateTest, whoDoesNotWaitDoesNotStandInLine) {
  gate.enter(a, true, now);
  gate.enter(b, false, now);
  EXPECT_EQ(b.heard(), Told{Kind::Start});
  a.heard();
  gate.leave(b, now);
  EXPECT_EQ(a.heard(), Told{}) << "he was not in the line";
}

TEST_F(KeyGateTest, afterSoManyHandoffsOthersAreLetIn) {
  Guest *inside = &a;
  Guest *next = &b;
  gate.enter(*inside, true, now);
  gate.letIn(*inside, now);
  for (int handoff = 1; handoff <= 3; ++handoff) {
    gate.enter(*next, true, now);
    next->heard();
    gate.goneOut(*inside, now);
    EXPECT_EQ(next->heard(), Told{handoff < 3 ? Kind::Woken : Kind::TurnYield});
    gate.letIn(*next, now);
    std::swap(inside, next);
  }
}

TEST_F(KeyGateTest, anEmptyLineEndsTheRunOfHandoffs) {
  for (int i = 0; i < 10; ++i) {
    gate.enter(a, true, now);
    gate.letIn(a, now);
    gate.goneOut(a, now);
  }
  gate.enter(a, true, now);
  gate.letIn(a, now);
  gate.enter(b, true, now);
  b.heard();
  gate.goneOut(a, now);
  EXPECT_EQ(b.heard(), Told{Kind::Woken});
}

TEST_F(KeyGateTest, aConfirmedReleaseIsToldToTheFirstInLine) {
  gate.enter(a, true, now);
  gate.enter(b, true, now);
  a.heard();
  b.heard();
  gate.freed(now);
  EXPECT_EQ(a.heard(), Told{Kind::Freed});
  EXPECT_EQ(b.heard(), Told{});
}

TEST_F(KeyGateTest, aConfirmedReleaseSaysNothingWhileOneOfUsIsInside) {
  gate.enter(a, true, now);
  gate.letIn(a, now);
  gate.enter(b, true, now);
  b.heard();
  gate.freed(now);
  EXPECT_EQ(b.heard(), Told{});
}

TEST_F(KeyGateTest, aStrangersMessageWakesTheFirstAndMakesTheOneInsideLook) {
  gate.enter(a, true, now);
  gate.letIn(a, now);
  gate.enter(b, true, now);
  b.heard();
  gate.heard(now);
  EXPECT_EQ(b.heard(), Told{Kind::Woken});
  EXPECT_EQ(a.looks, 1);
}

TEST_F(KeyGateTest, itsOwnMessageSaysNothingNew) {
  gate.enter(a, true, now);
  gate.expectOwn();
  gate.heard(now);
  EXPECT_EQ(a.heard(), Told{Kind::Start});
  gate.heard(now);
  EXPECT_EQ(a.heard(), Told{Kind::Woken}) << "only one was its own";
  gate.expectOwn();
  gate.forgetOwn();
  gate.heard(now);
  EXPECT_EQ(a.heard(), Told{Kind::Woken});
}

class ServerGateTest : public KeyGateTest {
protected:
  ServerGateTest() { gate = KeyGate(KeyGate::Kind::AtServer, 3); }
};

TEST_F(ServerGateTest, everybodyAsksAndTheFirstSeesToTheLine) {
  gate.enter(a, true, now);
  gate.enter(b, true, now);
  EXPECT_EQ(a.heard(), (Told{Kind::Start, Kind::Turn}));
  EXPECT_EQ(b.heard(), Told{Kind::Start});
  gate.letIn(a, now);
  EXPECT_EQ(b.heard(), Told{Kind::Turn});
  EXPECT_EQ(gate.inside(), nullptr) << "several may be in";
}

TEST_F(ServerGateTest, aMessageWakesEverybody) {
  gate.enter(a, true, now);
  gate.enter(b, true, now);
  a.heard();
  b.heard();
  gate.heard(now);
  EXPECT_EQ(a.heard(), Told{Kind::Woken});
  EXPECT_EQ(b.heard(), Told{Kind::Woken});
}

class CohortGateTest : public KeyGateTest {
protected:
  CohortGateTest() { gate = KeyGate(KeyGate::Kind::Cohort, 3); }
};

TEST_F(CohortGateTest, whoAsksFirstSeesToThePlacesOfAll) {
  gate.enter(a, true, now);
  EXPECT_EQ(a.heard(), (Told{Kind::Start, Kind::Turn}));
}

TEST_F(CohortGateTest, whoWaitsForOneOfUsDoesNotAsk) {
  gate.enter(a, true, now);
  gate.letIn(a, now);
  gate.enter(b, true, now);
  EXPECT_EQ(b.heard(), Told{Kind::StandInLine});
  EXPECT_EQ(gate.next(), &b);
}

TEST_F(CohortGateTest, handsOnUpToTheLimitAndThenLetsOthersIn) {
  gate.enter(a, true, now);
  gate.letIn(a, now);
  gate.enter(b, true, now);
  gate.handedOn(b, now);
  EXPECT_EQ(gate.inside(), &b);
  gate.letIn(b, now);
  gate.enter(a, true, now);
  ASSERT_EQ(gate.next(), &a);
  gate.handedOn(a, now);
  gate.letIn(a, now);
  gate.enter(b, true, now);
  EXPECT_EQ(gate.next(), nullptr) << "a hold of the server, and two handed on";
  b.heard();
  gate.goneOut(a, now);
  EXPECT_EQ(b.heard(), Told{Kind::Turn});
}

/// Of locks that let several in.
class RoomyGateTest : public testing::Test {
protected:
  /// All have come, and the first was refused before the others came.
  void fill() {
    gate.enter(a, true, now);
    gate.refused(a);
    for (auto *guest : {&b, &c, &d})
      gate.enter(*guest, true, now);
    for (auto *guest : {&a, &b, &c, &d})
      guest->heard();
  }
  KeyGate gate{KeyGate::Kind::WhileFull, 64};
  Guest a, b, c, d, e;
  SteadyTime now{};
};

TEST_F(RoomyGateTest, letsEveryoneAskUntilOneIsRefused) {
  gate.enter(a, true, now);
  gate.enter(b, true, now);
  EXPECT_EQ(b.heard(), Told{Kind::Start});
  gate.refused(a);
  gate.enter(c, true, now);
  EXPECT_EQ(c.heard(), Told{Kind::StandInLine});
  gate.letIn(b, now);
  gate.leave(a, now);
  EXPECT_EQ(c.heard(), Told{Kind::Turn}) << "he may need less";
  gate.letIn(c, now);
  gate.enter(d, true, now);
  EXPECT_EQ(d.heard(), Told{Kind::Start}) << "nobody stands in line";
}

TEST_F(RoomyGateTest, whoAskedOnceAndDoesNotWaitMakesItNotFull) {
  gate.enter(a, false, now);
  gate.refused(a);
  gate.enter(b, true, now);
  EXPECT_EQ(b.heard(), Told{Kind::Start});
}

TEST_F(RoomyGateTest, aReleaseOrAMessageIsForTheFirst) {
  fill();
  gate.goneOut(e, now);
  gate.heard(now);
  EXPECT_EQ(a.heard(), (Told{Kind::Woken, Kind::Woken}));
  EXPECT_TRUE(b.heard().empty());
  gate.letIn(a, now);
  EXPECT_EQ(b.heard(), Told{Kind::TurnInside}) << "there may be no room for more: he listens";
  EXPECT_TRUE(c.heard().empty());
}

TEST_F(RoomyGateTest, asManyAskAsThereIsRoomFor) {
  fill();
  gate.letIn(a, now);
  b.heard();
  gate.room(a, 2, now);
  EXPECT_EQ(b.heard(), Told{Kind::Woken});
  EXPECT_EQ(c.heard(), Told{Kind::Turn});
  EXPECT_TRUE(d.heard().empty());
  gate.room(a, 0, now);
  EXPECT_TRUE(b.heard().empty());
}

TEST_F(RoomyGateTest, readersDoNotPassAWriterInTheLine) {
  a.reads = b.reads = d.reads = true;
  fill();
  gate.letIn(a, now);
  b.heard();
  gate.room(a, 1'000'000, now);
  EXPECT_EQ(b.heard(), Told{Kind::Woken});
  EXPECT_TRUE(c.heard().empty());
  EXPECT_TRUE(d.heard().empty());
  gate.letIn(b, now);
  EXPECT_EQ(c.heard(), Told{Kind::TurnInside});
  gate.goneOut(a, now);
  EXPECT_EQ(c.heard(), Told{Kind::Woken});
  gate.letIn(c, now);
  EXPECT_EQ(d.heard(), Told{Kind::TurnInside});
}

TEST_F(RoomyGateTest, allHearWhetherTheyAreHeard) {
  fill();
  gate.tellAskers({Kind::Subscribed}, now);
  for (auto *guest : {&a, &b, &c, &d})
    EXPECT_EQ(guest->heard(), Told{Kind::Subscribed});
}
