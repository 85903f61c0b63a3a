// SPDX-License-Identifier: Apache-2.0
#include "core/client/key_gate.h"

#include <gtest/gtest.h>

#include <vector>

using namespace lockhouse;
using Kind = AcquireEvent::Kind;

namespace {

struct Guest final : public KeyGate::Visitor {
  void tell(AcquireEvent event, SteadyTime) override { told.push_back(event.kind); }
  void lookNow(SteadyTime) override { ++looks; }
  std::vector<Kind> heard() { return std::exchange(told, {}); }
  std::vector<Kind> told;
  int looks = 0;
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
