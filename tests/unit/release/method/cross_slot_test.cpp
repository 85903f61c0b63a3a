// SPDX-License-Identifier: Apache-2.0
#include "core/release/method/cross_slot.h"

#include "core/release/make_plan.h"
#include "core/release/plan/remove_member.h"
#include "tests/unit/watch/records.h"

#include <gmock/gmock.h>

namespace lockhouse {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const std::string token(24, '\xee');

ReleasePlan planOf(const std::string &family, const std::string &key, const std::string &holder) {
  auto lock = test::record(family, LockKind::Mutex, key, {{holder, 1}});
  lock.type = ValueType::String;
  return planRelease(lock, {lock.id, holder, {}, "stuck"}, test::at(seconds(0))).value_or(ReleasePlan{});
}

KeyPlace served(const std::string &key, const std::string &node, const std::string &type) {
  return {key, {NodeId(node), 0, LockName(key)}, Reply(std::string(type))};
}

KeyPlace moved(const std::string &key) { return {key, {NodeId("home"), 0, LockName(key)}, Reply(Reply::Failure{"MOVED 7 10.0.0.7:7001"})}; }

TEST(ClusterPlan, aNameWithAPartInBracesIsOfOneSlotWithItsList) {
  EXPECT_FALSE(isOfOneSlot(planOf("python-redis-lock", "lock:a", "holder")));
  EXPECT_TRUE(isOfOneSlot(planOf("python-redis-lock", "lock:{a}", "holder")));
  EXPECT_TRUE(isOfOneSlot(planOf("token", "lock:a", "0123456789abcdef0123456789abcdef")));
}

TEST(ClusterPlan, aPartIsDueOnlyWhereThatBeforeItWasReleasedOrWhereItIsAKeyOfTheLock) {
  auto pushed = planOf("python-redis-lock", "lock:a", "holder");
  EXPECT_THAT(keysToFind(pushed), ElementsAre("lock-signal:a"));
  takeApart(pushed, std::vector{served("lock-signal:a", "other", "none")});
  ASSERT_THAT(pushed.parts, SizeIs(1));
  EXPECT_THAT(pushed.keys, ElementsAre("lock:a"));
  EXPECT_EQ(pushed.parts[0].lock.node, NodeId("other"));
  EXPECT_THAT(pushed.parts[0].args, ElementsAre("1", "1000"));
  EXPECT_THAT(englishOf(textsOf(pushed.effects)), ElementsAre("deletes lock:a if its value is still holder", "empties lock-signal:a",
                                                              "leaves one element in lock-signal:a for 1.0 s: one waiter that is blocked there takes the lock",
                                                              HasSubstr("by a script of its own, once the lock is free")));
  auto unwoken = planOf("python-redis-lock", "lock:a", "holder");
  takeApart(unwoken, std::vector{moved("lock-signal:a")});
  EXPECT_THAT(englishOf(textsOf(unwoken.effects)), ElementsAre(HasSubstr("deletes lock:a"), HasSubstr("pushes nothing to lock-signal:a")));
  EXPECT_THAT(englishOf(leftUnpushed(unwoken)), ElementsAre(testing::EndsWith("wakes nobody"))) << "who releases it without a look at the plan is told too";
  EXPECT_TRUE(isDue(pushed.parts[0], {Verdict::Released, {}}));
  EXPECT_FALSE(isDue(pushed.parts[0], {Verdict::Changed, {}}));
  EXPECT_FALSE(isDue(pushed.parts[0], {Verdict::Unreachable, {}, true})) << "in doubt: it may be held still";

  auto votes = planOf("rueidislock", "rueidislock:0:a", token);
  EXPECT_THAT(keysToFind(votes), SizeIs(9));
  votes.lock.node = NodeId("home");
  takeApart(votes, std::vector{moved("rueidislock:0:a"), served("rueidislock:1:a", "home", "string"), served("rueidislock:2:a", "home", "string"),
                               served("rueidislock:3:a", "home", "none")});
  EXPECT_THAT(votes.keys, ElementsAre("rueidislock:1:a"));
  ASSERT_THAT(votes.parts, SizeIs(1));
  EXPECT_THAT(votes.parts[0].keys, ElementsAre("rueidislock:2:a"));
  EXPECT_TRUE(isDue(votes.parts[0], {Verdict::Changed, {}}));
}

TEST(ClusterPlan, isHeldBackWhereMostKeysMayLieOnMastersThatNobodyWatches) {
  const auto isHeldBack = [](const std::vector<KeyPlace> &places) {
    auto votes = planOf("rueidislock", "rueidislock:0:a", token);
    votes.lock.node = NodeId("home");
    takeApart(votes, places);
    return votes.heldBack == Verdict::Unreleasable && votes.refusal->english().contains("10.0.0.7:7001");
  };
  const auto first = served("rueidislock:0:a", "home", "string"), second = served("rueidislock:1:a", "other", "string");
  const auto gone = moved("rueidislock:1:a"), last = moved("rueidislock:2:a");
  EXPECT_TRUE(isHeldBack({first, gone, last}));
  EXPECT_FALSE(isHeldBack({first, second, last})) << "one of three is no majority";
  EXPECT_FALSE(isHeldBack({first, gone, second, moved("rueidislock:3:a"), moved("rueidislock:4:a")})) << "of three keys, as far as is known";
  EXPECT_TRUE(isHeldBack({first, gone, last, moved("rueidislock:3:a"), served("rueidislock:4:a", "other", "string")}));
  EXPECT_FALSE(isHeldBack({first, second, last, moved("rueidislock:3:a"), served("rueidislock:4:a", "other", "string")}));
}

// Whether those are keys of it at all nobody knows who may not read them.
TEST(ClusterPlan, isHeldBackWhereMostKeysMayBeThoseThatTheUserMayNotRead) {
  const auto isHeldBack = [](const std::string &seen) { // of each of nine keys: there, absent, closed
    auto votes = planOf("rueidislock", "rueidislock:0:a", token);
    votes.lock.node = NodeId("home");
    std::vector<KeyPlace> places;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      const auto key = "rueidislock:" + std::to_string(i) + ":a";
      places.push_back(served(key, "home", seen[i] == '-' ? "none" : "string"));
      if (seen[i] == 'x')
        places.back().type = Reply(Reply::Failure{"NOPERM No permissions to access a key"});
    }
    takeApart(votes, places);
    return votes.heldBack == Verdict::NotAllowed && votes.refusal->english().contains("and others of its keys");
  };
  EXPECT_TRUE(isHeldBack("xxt------"));
  EXPECT_FALSE(isHeldBack("xtt------"));
  EXPECT_TRUE(isHeldBack("ttxxxxxxx")) << "three of five";
  EXPECT_TRUE(isHeldBack("tttxxxxxx")) << "four of seven";
  EXPECT_FALSE(isHeldBack("ttx-x----")) << "a lock of five would have the fourth";
  EXPECT_FALSE(isHeldBack("tttttxxxx")) << "four of nine";
  EXPECT_FALSE(isHeldBack("xxxtttt--")) << "three of seven";
  EXPECT_TRUE(isHeldBack("txxxxtt--")) << "four of seven";
}

TEST(ClusterPlan, aLockIsReleasedWhereAnyOfItsKeysIsAndNoneIsLeft) {
  auto votes = planOf("rueidislock", "rueidislock:0:a", token);
  votes.lock.node = NodeId("home");
  takeApart(votes, std::vector{served("rueidislock:0:a", "home", "string"), served("rueidislock:1:a", "home", "string")});
  ASSERT_THAT(votes.parts, SizeIs(1));
  const auto verdict = [&](Verdict whole, Verdict part) {
    return withPart({whole, Message::verbatim("w")}, votes.parts[0], {part, Message::verbatim("p")}).verdict;
  };
  EXPECT_EQ(verdict(Verdict::AlreadyFree, Verdict::Released), Verdict::Released);
  EXPECT_EQ(verdict(Verdict::Changed, Verdict::Released), Verdict::Released);
  EXPECT_EQ(verdict(Verdict::Released, Verdict::Changed), Verdict::Released);
  EXPECT_EQ(verdict(Verdict::AlreadyFree, Verdict::Changed), Verdict::Changed);
  EXPECT_EQ(verdict(Verdict::Changed, Verdict::AlreadyFree), Verdict::Changed);
  EXPECT_EQ(verdict(Verdict::Released, Verdict::Unreachable), Verdict::Unreachable) << "a key of it is still there";
  EXPECT_EQ(verdict(Verdict::Unreachable, Verdict::Released), Verdict::Unreachable);
}

TEST(ClusterPlan, whatCannotBeTakenApartIsRefused) {
  auto plan = planOf("mlanett-redis-lock", "lock:owner:a", "host:1");
  EXPECT_THAT(keysToFind(plan), IsEmpty());
  takeApart(plan, {});
  EXPECT_THAT(plan.refusal.value_or(Message()).english(), HasSubstr("several slots"));
  EXPECT_EQ(plan.warnings.front(), plan.refusal);
}

} // namespace
} // namespace lockhouse
