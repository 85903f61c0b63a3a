// SPDX-License-Identifier: Apache-2.0
#include "core/lock/machines/quorum_machine.h"

#include "core/lock/options/lock_options.h"
#include "tests/unit/lock/manual_time.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

using namespace lockhouse;
using namespace lockhouse::test;

using Kind = QuorumEvent::Kind;
using State = QuorumMachine::State;
using Report = QuorumActions::Report;
using Failure = QuorumMachine::Failure;

namespace {

constexpr milliseconds lease{3000};

struct QuorumDialogue : testing::Test {
  void begin(std::size_t members, bool renew = true) {
    machine = QuorumMachine({.members = members, .lease = lease, .nodeTime = 100ms, .renew = renew, .seed = 7});
    asked = at(0ms, Kind::Start).ask;
  }
  /// Held since 1 ms by all members.
  void hold(std::size_t members) {
    begin(members);
    for (std::size_t i = 0; i < members; ++i)
      at(1ms, Kind::Granted, i);
    ASSERT_EQ(machine.state(), State::Held);
  }
  QuorumActions at(std::chrono::nanoseconds when, Kind kind, std::size_t member = 0, bool restarted = false) {
    return machine.on({kind, member, restarted}, t(when));
  }

  QuorumMachine machine{{}};
  Members asked;
};

SteadyTime validFrom(std::chrono::nanoseconds when) { return t(when) + lease - driftOf(lease); }

} // namespace

using QuorumRound = QuorumDialogue;
using QuorumHold = QuorumDialogue;

TEST_F(QuorumRound, asksAllNodesAtOnceAndIsWonByMoreThanHalf) {
  begin(5);
  EXPECT_EQ(asked.count(), 5U);
  EXPECT_EQ(at(1ms, Kind::Granted, 3).report, Report::Nothing);
  EXPECT_EQ(at(2ms, Kind::Granted, 1).report, Report::Nothing);
  EXPECT_EQ(at(3ms, Kind::Granted, 4).report, Report::Won);
  EXPECT_EQ(machine.validUntil(), validFrom(0ms)) << "counted from before the send, less drift";
  EXPECT_EQ(at(50ms, Kind::Granted, 0).report, Report::Nothing) << "what comes later is counted behind";
  EXPECT_EQ(machine.mayHave().count(), 5U);
}

TEST_F(QuorumRound, ofOneNodeIsTheSame) {
  begin(1);
  EXPECT_EQ(at(1ms, Kind::Granted).report, Report::Won);
  EXPECT_EQ(machine.validUntil(), validFrom(0ms));
}

TEST_F(QuorumRound, failsAsSoonAsTheVotesStillOutCannotMakeAQuorum) {
  begin(3);
  at(1ms, Kind::Granted, 0);
  EXPECT_EQ(at(2ms, Kind::Refused, 1).report, Report::Nothing);
  const auto decided = at(3ms, Kind::Unsent, 2);
  EXPECT_EQ(decided.report, Report::Failed) << "a node without connection has voted no; nobody waits for the node time";
  EXPECT_EQ(decided.alarm, QuorumActions::never);
  EXPECT_EQ(machine.mayHave(), Members(0b001)) << "the one that granted is to be released";
}

TEST_F(QuorumRound, failsWhenTheTimeOfANodeIsOverAndReleasesThoseWithoutAnswerToo) {
  begin(3);
  EXPECT_EQ(at(1ms, Kind::Granted, 0).alarm, t(100ms));
  EXPECT_EQ(at(2ms, Kind::Refused, 1).report, Report::Nothing);
  EXPECT_EQ(at(99ms, Kind::Alarm).report, Report::Nothing);
  EXPECT_EQ(at(100ms, Kind::Alarm).report, Report::Failed);
  EXPECT_EQ(machine.vote(2), Vote::Silent);
  EXPECT_EQ(machine.mayHave(), Members(0b101));
  EXPECT_EQ(at(120ms, Kind::Granted, 2).report, Report::Nothing) << "too late for this round";
  EXPECT_EQ(machine.state(), State::Failed);
}

TEST_F(QuorumRound, grantedTooLateIsNotHeld) {
  machine = QuorumMachine({.members = 1, .lease = 100ms, .nodeTime = 1s});
  at(0ms, Kind::Start);
  EXPECT_EQ(at(97ms, Kind::Granted).report, Report::Failed);
  EXPECT_EQ(machine.failure(), Failure::TooLate);
  EXPECT_TRUE(machine.mayHave().test(0));
}

TEST_F(QuorumRound, saysWhatAskingAgainCanDo) {
  const auto failure = [&](std::initializer_list<Kind> votes) {
    begin(votes.size());
    std::size_t member = 0;
    for (const auto vote : votes)
      at(1ms, vote, member++);
    EXPECT_EQ(machine.state(), State::Failed);
    return machine.failure();
  };
  EXPECT_EQ(failure({Kind::Granted, Kind::Refused, Kind::Refused}), Failure::Contended);
  EXPECT_EQ(failure({Kind::Granted, Kind::Refused, Kind::Unsent}), Failure::Contended) << "with one down, its holder decides";
  EXPECT_EQ(failure({Kind::Unanswered, Kind::Unsent, Kind::Refused}), Failure::OutOfReach);
  EXPECT_EQ(failure({Kind::Barred, Kind::Busy, Kind::Refused}), Failure::OutOfReach);
  EXPECT_EQ(failure({Kind::Rejected, Kind::Rejected, Kind::Granted}), Failure::Rejected);
  EXPECT_EQ(failure({Kind::Rejected, Kind::Granted, Kind::Silent}), Failure::OutOfReach);
}

/// Every combination of votes of five nodes: granted exactly with three or more, and otherwise everything that may have been taken
/// is known to be given back.
TEST_F(QuorumRound, isWonExactlyByAQuorumWhateverTheOthersDo) {
  constexpr std::array kinds{Kind::Granted, Kind::Refused, Kind::Unsent, Kind::Unanswered, Kind::Alarm};
  std::array<std::size_t, 5> votes{};
  for (std::size_t combination = 0; combination < 3125; ++combination) {
    std::size_t rest = combination;
    for (auto &vote : votes) {
      vote = rest % kinds.size();
      rest /= kinds.size();
    }
    begin(5);
    for (std::size_t i = 0; i < votes.size(); ++i)
      if (kinds[votes[i]] != Kind::Alarm) // nothing comes of that one
        at(10ms, kinds[votes[i]], i);
    at(100ms, Kind::Alarm);
    ASSERT_EQ(machine.isHeld(t(100ms)), std::ranges::count(votes, 0U) >= 3) << combination;
    ASSERT_NE(machine.state(), State::Asking) << combination;
    for (std::size_t i = 0; i < votes.size(); ++i) {
      const bool mayHave = kinds[votes[i]] == Kind::Granted || kinds[votes[i]] == Kind::Unanswered || kinds[votes[i]] == Kind::Alarm;
      ASSERT_EQ(machine.mayHave().test(i), mayHave) << combination << " node " << i;
      ASSERT_EQ(machine.inDoubt().test(i), kinds[votes[i]] == Kind::Unanswered) << combination << " node " << i;
    }
  }
}

TEST_F(QuorumHold, renewsAllAtAThirdOfTheLeaseAndCountsFromTheSendOnceAQuorumHasConfirmed) {
  hold(3);
  const auto due = at(1ms, Kind::Reconnected, 0).renew.test(0) ? 1ms : 0ms; // one that is back is looked at at once
  ASSERT_EQ(due, 1ms);
  EXPECT_EQ(at(2ms, Kind::Renewed, 0).report, Report::Nothing) << "one of three confirms nothing";
  EXPECT_EQ(machine.validUntil(), validFrom(0ms));
  const auto actions = at(960ms, Kind::Alarm);
  EXPECT_EQ(actions.renew.count(), 3U);
  EXPECT_EQ(at(961ms, Kind::Renewed, 0).report, Report::Nothing);
  EXPECT_EQ(at(962ms, Kind::Renewed, 1).report, Report::Renewed);
  EXPECT_EQ(machine.validUntil(), validFrom(960ms));
  EXPECT_EQ(at(963ms, Kind::Renewed, 2).report, Report::Nothing);
}

TEST_F(QuorumHold, isLostAtItsOwnDeadlineWhenFewerThanAQuorumConfirm) {
  hold(3);
  auto actions = at(960ms, Kind::Alarm);
  at(961ms, Kind::Renewed, 0);
  at(961ms, Kind::Unsent, 1);
  actions = at(961ms, Kind::Unanswered, 2);
  for (auto now = t(961ms); machine.state() == State::Held;) {
    ASSERT_LE(actions.alarm, validFrom(0ms));
    now = std::max(now, actions.alarm);
    actions = machine.on({Kind::Alarm}, now);
    for (std::size_t i = 0; i < 3; ++i)
      if (actions.renew.test(i)) {
        const auto after = machine.on({i == 0 ? Kind::Renewed : Kind::Unsent, i}, now);
        actions.alarm = after.alarm;
      }
    if (actions.report == Report::Lost) {
      EXPECT_EQ(now, validFrom(0ms));
      EXPECT_EQ(machine.reason(), LossReason::LeaseEnded);
    }
  }
}

TEST_F(QuorumHold, givesAMemberThatLostTheKeyItAgainOnceAQuorumOfOthersHasProvedItself) {
  hold(3);
  at(960ms, Kind::Alarm);
  EXPECT_TRUE(at(961ms, Kind::Gone, 1).ask.none());
  EXPECT_TRUE(at(962ms, Kind::Renewed, 0).ask.none());
  const auto healing = at(963ms, Kind::Renewed, 2);
  EXPECT_TRUE(healing.ask.test(1));
  EXPECT_EQ(healing.report, Report::Renewed);
  EXPECT_EQ(at(964ms, Kind::Granted, 1).report, Report::Nothing);
  EXPECT_EQ(machine.mayHave().count(), 3U);
  EXPECT_EQ(at(965ms, Kind::Reconnected, 2).renew, Members(0b100));
  EXPECT_EQ(at(966ms, Kind::Unsent, 2).report, Report::Nothing);
  EXPECT_EQ(machine.validUntil(), validFrom(960ms)) << "the healed one counts from the renewal that found it gone";
}

TEST_F(QuorumHold, givesAMemberThatNeverHadTheKeyItToo) {
  begin(3);
  at(1ms, Kind::Granted, 0);
  at(1ms, Kind::Granted, 1);
  EXPECT_LE(at(1ms, Kind::Unsent, 2).alarm, t(400ms)) << "soon";
  EXPECT_EQ(at(400ms, Kind::Alarm).renew, Members(0b100));
  EXPECT_EQ(at(401ms, Kind::Gone, 2).renew, Members(0b011)) << "the others are to prove that they have it";
  at(402ms, Kind::Renewed, 0);
  EXPECT_TRUE(at(402ms, Kind::Renewed, 1).ask.test(2));
  at(403ms, Kind::Granted, 2);
  EXPECT_TRUE(machine.mayHave().test(2));
}

TEST_F(QuorumHold, isLostAtOnceWhenTooManyAreGoneAndHealsNoneOfThem) {
  hold(3);
  at(960ms, Kind::Alarm);
  EXPECT_TRUE(at(961ms, Kind::Gone, 0).ask.none()) << "the belief in the others is from before";
  const auto actions = at(962ms, Kind::Gone, 1);
  EXPECT_EQ(actions.report, Report::Lost);
  EXPECT_TRUE(actions.ask.none());
  EXPECT_EQ(machine.reason(), LossReason::Deleted);
  EXPECT_EQ(machine.mayHave(), Members(0b100)) << "what is left is to be released";
  EXPECT_EQ(at(963ms, Kind::Renewed, 2).report, Report::Nothing);
  EXPECT_EQ(machine.state(), State::Lost);
}

TEST_F(QuorumHold, knowsWhyItWasLost) {
  hold(1);
  at(1ms, Kind::Reconnected, 0, true);
  EXPECT_EQ(at(2ms, Kind::Gone).report, Report::Lost);
  EXPECT_EQ(machine.reason(), LossReason::ServerRestarted);
  hold(1);
  at(960ms, Kind::Alarm);
  EXPECT_EQ(at(961ms, Kind::TakenOver).report, Report::Lost);
  EXPECT_EQ(machine.reason(), LossReason::TakenOver);
}

TEST_F(QuorumHold, sendsNothingAfterStop) {
  hold(3);
  at(960ms, Kind::Alarm);
  at(961ms, Kind::Gone, 1);
  at(961ms, Kind::Renewed, 0);
  EXPECT_TRUE(at(961ms, Kind::Renewed, 2).ask.test(1));
  at(962ms, Kind::Stop);
  for (const auto kind : {Kind::Gone, Kind::Granted, Kind::Renewed, Kind::Reconnected, Kind::Alarm, Kind::Start}) {
    const auto actions = at(2s, kind, 2);
    EXPECT_TRUE(actions.ask.none() && actions.renew.none());
    EXPECT_EQ(actions.alarm, QuorumActions::never);
  }
  EXPECT_FALSE(machine.inDoubt().test(1));
  at(3s, Kind::Unanswered, 1);
  EXPECT_TRUE(machine.inDoubt().test(1)) << "the healing may come to its node yet";
}

TEST_F(QuorumHold, forgetsADoubtOnceARenewalFoundTheKey) {
  begin(3);
  at(1ms, Kind::Granted, 0);
  at(1ms, Kind::Granted, 1);
  at(1ms, Kind::Unanswered, 2);
  EXPECT_TRUE(machine.inDoubt().test(2));
  at(400ms, Kind::Alarm);
  at(401ms, Kind::Renewed, 2);
  EXPECT_FALSE(machine.inDoubt().test(2));
}

TEST_F(QuorumHold, withoutRenewalEndsWithItsLease) {
  begin(3, false);
  at(1ms, Kind::Granted, 0);
  EXPECT_EQ(at(1ms, Kind::Granted, 1).alarm, validFrom(0ms));
  EXPECT_TRUE(at(2s, Kind::Reconnected, 2).renew.none());
  EXPECT_EQ(at(lease, Kind::Alarm).report, Report::Lost);
}

TEST(QuorumTotality, takesEveryEventInEveryState) {
  constexpr auto kinds = static_cast<int>(Kind::Stop) + 1;
  std::set<std::pair<int, int>> visited;
  for (int code = 0; code < kinds * kinds * kinds * kinds * kinds; ++code) {
    QuorumMachine machine({.members = 3, .lease = 100ms, .nodeTime = 20ms});
    machine.on({Kind::Start}, t(0ms));
    int losses = 0;
    auto when = 0ms;
    for (int rest = code, step = 0; step < 5; rest /= kinds, ++step) {
      when += 12ms;
      visited.emplace(static_cast<int>(machine.state()), rest % kinds);
      const auto actions = machine.on({static_cast<Kind>(rest % kinds), static_cast<std::size_t>(step) % 3}, t(when));
      losses += actions.report == Report::Lost ? 1 : 0;
      const bool over = machine.state() != State::Asking && machine.state() != State::Held;
      ASSERT_TRUE(!over || (actions.ask.none() && actions.renew.none() && actions.alarm == QuorumActions::never)) << code;
      ASSERT_TRUE(over || actions.alarm != QuorumActions::never) << code;
    }
    ASSERT_LE(losses, 1);
  }
  EXPECT_GE(visited.size(), static_cast<std::size_t>(kinds) * 4);
}
