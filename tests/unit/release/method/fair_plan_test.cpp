// SPDX-License-Identifier: Apache-2.0
#include "core/release/method/fair_plan.h"

#include "tests/unit/release/planned.h"

#include <gmock/gmock.h>

namespace lockhouse {
namespace {

using test::at;
using test::fair;
using test::other;
using test::owner;
using test::planned;
using test::third;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(FairPlan, namesTheHeadOfAFairQueueAsNext) {
  const auto plan = planned(fair({{other, at(seconds(300))}, {third, at(seconds(305))}}), owner);
  EXPECT_EQ(plan.script->name, "release-redisson-fair");
  EXPECT_THAT(plan.keys, ElementsAre("f", "redisson_lock_queue:{f}", "redisson_lock_timeout:{f}"));
  EXPECT_THAT(plan.args, ElementsAre(owner, "1", "redisson_lock__channel:{f}", "1"));
  EXPECT_EQ(plan.next, other);
  EXPECT_THAT(plan.wakes, ElementsAre(other));
  EXPECT_THAT(englishOf(plan.warnings), Contains(HasSubstr("5 min")));
}

TEST(FairPlan, passesOverLapsedPlacesOfAFairQueue) {
  const auto plan = planned(fair({{other, at(seconds(-1))}, {third, at(seconds(5))}}), owner);
  EXPECT_EQ(plan.next, third);
  EXPECT_THAT(englishOf(textsOf(plan.effects)).front(), HasSubstr("drops 1 lapsed place "));
}

TEST(FairPlan, takesAWaiterWithoutADeadlineForTheHead) {
  const auto plan = planned(fair({{other, std::nullopt}, {third, at(seconds(5))}}), owner);
  EXPECT_EQ(plan.next, other);
  EXPECT_THAT(englishOf(plan.warnings), Contains(HasSubstr("without an end")));
}

TEST(FairPlan, saysThatAHeadWhichIsNoRedissonClientHoldsUpTheQueue) {
  const auto plan = planned(fair({{"somebody's note", std::nullopt}, {third, at(seconds(5))}}), owner);
  EXPECT_EQ(plan.next, std::nullopt);
  EXPECT_THAT(plan.wakes, IsEmpty());
  EXPECT_THAT(englishOf(textsOf(plan.effects)), Contains(HasSubstr("wakes nobody")));
  EXPECT_THAT(englishOf(plan.warnings), Contains(HasSubstr("redisson_lock_queue:{f}")));
}

// Redisson's clients ask both keys before they take it.
TEST(FairPlan, promisesItToNobodyWhileAKeyBesideItHoldsSomethingElse) {
  for (const auto *companion : {"redisson_lock_queue:{f}", "redisson_lock_timeout:{f}"}) {
    auto lock = fair(std::string_view(companion).ends_with("timeout:{f}") ? std::vector<Waiter>{{other, std::nullopt}} : std::vector<Waiter>());
    lock.foreign = {companion};
    const auto plan = planned(lock, owner);
    EXPECT_EQ(plan.next, std::nullopt) << companion;
    EXPECT_THAT(englishOf(textsOf(plan.effects)), Not(Contains(HasSubstr("gets the lock next")))) << companion;
    EXPECT_THAT(englishOf(plan.warnings),
                Contains(std::string(companion) + " beside it holds something else: the scripts of Redisson's clients fail on it, and nobody gets "
                                                  "this lock before it is moved away"));
    EXPECT_EQ(plan.wakes.size(), lock.queue.size()) << "he looks, and may say so";
  }
}

TEST(FairPlan, hasNobodyToWakeWhenAllPlacesLapsed) {
  const auto plan = planned(fair({{other, at(seconds(-2))}, {third, at(seconds(-1))}}), owner);
  EXPECT_EQ(plan.next, std::nullopt);
  EXPECT_THAT(plan.wakes, IsEmpty());
  EXPECT_THAT(englishOf(textsOf(plan.effects)), Contains(HasSubstr("drops 2 lapsed places")));
}

TEST(FairPlan, saysThatTheFirstInAQueueIsToldThoughItsNameWasNotRead) {
  auto lock = fair({});
  EXPECT_THAT(englishOf(textsOf(planned(lock, owner).effects)), Contains("tells nobody: the queue is empty"));
  for (const auto waiters : {std::optional<std::uint64_t>(2), std::optional<std::uint64_t>()}) {
    lock.waiters = waiters;
    const auto plan = planned(lock, owner);
    EXPECT_THAT(englishOf(textsOf(plan.effects)), AllOf(Contains(HasSubstr("its name was not read")), Not(Contains(HasSubstr("tells nobody")))));
    EXPECT_EQ(plan.next, std::nullopt);
  }
}

TEST(FairPlan, tellsWhoMayWaitStillForAFairLockByItsQueueAsItIsNow) {
  auto lock = fair({});
  lock.waiters.reset();
  lock.moreMayWait = true;
  const auto mayWait = Contains(HasSubstr("may wait still"));
  EXPECT_THAT(englishOf(planned(lock, owner).warnings), mayWait);
  FairLook look;
  EXPECT_THAT(englishOf(planned(withLook(lock, look, at(seconds(0))), owner).warnings), mayWait) << "no queue is there, as before";
  look.length = look.looked = 1;
  look.first = Waiter{other, at(seconds(5))};
  const auto came = planned(withLook(lock, look, at(seconds(0))), owner);
  EXPECT_EQ(came.next, other);
  EXPECT_THAT(englishOf(came.warnings), Not(mayWait)) << "who stands there came since";
  look.length = look.looked = 2;
  look.lapsed = look.atHead = 1;
  EXPECT_THAT(englishOf(planned(withLook(lock, look, at(seconds(0))), owner).warnings), mayWait);
}

} // namespace
} // namespace lockhouse
