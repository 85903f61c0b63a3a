// SPDX-License-Identifier: Apache-2.0
#include "core/lock/machines/quorum_release.h"

#include "tests/unit/lock/manual_time.h"

#include <gtest/gtest.h>

using namespace lockhouse;
using namespace lockhouse::test;

namespace {

struct QuorumReleases : testing::Test {
  void begin(std::size_t members, Members held, Members doubtful = {}) {
    release = QuorumRelease(members, quorumOf(members),
                            {.leaseEnds = t(25s), .keyGone = t(31s), .reportBy = t(3s), .doubtful = false, .recheckAfter = 500ms, .seed = 1});
    sent = release.start(held, doubtful, t(0ms)).send;
  }
  std::optional<ReleaseOutcome> at(std::chrono::nanoseconds when, std::size_t member, ReleaseEvent event) {
    return release.on(member, event, t(when)).report ? std::optional(release.outcome()) : std::nullopt;
  }

  QuorumRelease release;
  Members sent;
};

} // namespace

TEST_F(QuorumReleases, areToldAsSoonAsAQuorumHasNothingOfOurs) {
  begin(5, 0b11111);
  EXPECT_EQ(sent.count(), 5U);
  EXPECT_EQ(at(1ms, 0, ReleaseEvent::Released), std::nullopt);
  EXPECT_EQ(at(1ms, 1, ReleaseEvent::NotOwner), std::nullopt);
  EXPECT_EQ(at(1ms, 2, ReleaseEvent::Released), ReleaseOutcome::Released);
  EXPECT_FALSE(release.settled()) << "the rest goes on behind";
  EXPECT_EQ(at(2ms, 3, ReleaseEvent::Released), std::nullopt) << "told once";
  at(2ms, 4, ReleaseEvent::NotOwner);
  EXPECT_TRUE(release.settled());
}

TEST_F(QuorumReleases, areNotHeldUpByANodeThatIsDown) {
  begin(3, 0b111);
  at(1ms, 0, ReleaseEvent::Unsent);
  at(1ms, 1, ReleaseEvent::Released);
  EXPECT_EQ(at(1ms, 2, ReleaseEvent::Released), ReleaseOutcome::Released);
  EXPECT_TRUE(release.on(0, ReleaseEvent::Reconnected, t(9s)).send.test(0)) << "and that one is released when it is back";
}

TEST_F(QuorumReleases, findNothingWhenNoNodeHadIt) {
  begin(3, 0b111);
  EXPECT_EQ(at(1ms, 0, ReleaseEvent::NotOwner), std::nullopt);
  EXPECT_EQ(at(1ms, 1, ReleaseEvent::NotOwner), std::nullopt) << "the third may have had it";
  EXPECT_EQ(at(1ms, 2, ReleaseEvent::NotOwner), ReleaseOutcome::NotOwner);
}

TEST_F(QuorumReleases, ofAHoldAtNoNodeAtAllAreDoneAtOnce) {
  release = QuorumRelease(3, 2, {.leaseEnds = t(25s), .keyGone = t(31s), .reportBy = t(3s)});
  const auto actions = release.start({}, {}, t(0ms));
  EXPECT_TRUE(actions.report && actions.send.none());
  EXPECT_EQ(release.outcome(), ReleaseOutcome::NotOwner);
}

TEST_F(QuorumReleases, areToldInTimeAndGoOnBehind) {
  begin(3, 0b111);
  at(1ms, 0, ReleaseEvent::Released);
  at(1ms, 1, ReleaseEvent::Unanswered);
  at(1ms, 2, ReleaseEvent::Unanswered);
  bool told = false;
  auto alarm = release.onAlarm(t(1ms)).alarm;
  while (!told) {
    ASSERT_LE(alarm, t(3s));
    const auto actions = release.onAlarm(alarm);
    told = actions.report;
    for (std::size_t i = 1; i < 3; ++i)
      if (actions.send.test(i))
        release.on(i, ReleaseEvent::Unanswered, alarm);
    alarm = release.onAlarm(alarm).alarm;
  }
  EXPECT_EQ(release.outcome(), ReleaseOutcome::InDoubt);
  EXPECT_FALSE(release.settled());
}

TEST_F(QuorumReleases, lookAgainWhereAnAskMayComeYet) {
  begin(1, 0b1, 0b1);
  EXPECT_EQ(at(1ms, 0, ReleaseEvent::NotOwner), std::nullopt);
  const auto again = release.onAlarm(t(501ms));
  EXPECT_TRUE(again.send.test(0));
  EXPECT_EQ(at(502ms, 0, ReleaseEvent::Released), ReleaseOutcome::Released);
}

TEST_F(QuorumReleases, areMadeAnewWhereAnAskProvesToBeInDoubt) {
  begin(1, 0b1);
  EXPECT_EQ(at(1ms, 0, ReleaseEvent::NotOwner), ReleaseOutcome::NotOwner);
  EXPECT_TRUE(release.settled());
  EXPECT_TRUE(release.again(0, t(40s), t(3s)).send.test(0));
  EXPECT_FALSE(release.settled());
  release.on(0, ReleaseEvent::NotOwner, t(3s));
  EXPECT_FALSE(release.settled()) << "looked for again";
  EXPECT_TRUE(release.onAlarm(t(3501ms)).send.test(0));
}
